"""What people and programs see of a running match: `make_view` gives the view that fits."""

from kibitz.scripts.match.views.choice import make_view
from kibitz.scripts.match.views.view import View

__all__ = ["View", "make_view"]
