"""Choice between the compiled modules and their Python sources.

The hot modules are ordinary Python that is also compiled. Python's import system
prefers a compiled module to the source beside it; with the environment variable
`KIBITZ_PURE=1` kibitz runs from the sources alone, which is slow but can be debugged
and covered, and checks every array index.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

PURE_VARIABLE = "KIBITZ_PURE"


class SourceOnlyFinder:
    """A meta path finder that finds the modules of `kibitz` as Python sources only."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the source of a module below `kibitz.`; leave everything else to others."""
        if path is None or not name.startswith("kibitz."):
            return None
        for entry in path:
            spec = FileFinder(entry, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)
            if spec is not None and spec.loader is not None:
                return spec
        return None


def sources_wanted() -> bool:
    """Tell whether `KIBITZ_PURE` asks for the Python sources."""
    return os.environ.get(PURE_VARIABLE, "") not in ("", "0")


def honour_environment() -> None:
    """Install the source-only finder, once, when `KIBITZ_PURE` asks for it."""
    if sources_wanted() and not any(finder is SourceOnlyFinder for finder in sys.meta_path):
        sys.meta_path.insert(0, SourceOnlyFinder)


def is_compiled() -> bool:
    """Tell whether the hot modules in use are the compiled ones."""
    from kibitz.engine import position

    return not str(position.__file__).endswith(".py")
