"""Fixtures and settings that all tests share."""

import os

import pytest
from hypothesis import settings

from kibitz.engine import sources
from kibitz.engine.game import Game
from kibitz.engine.registry import GAME_NAMES, find_game

# Where nothing could be compiled the program warns; tests that read its errors ask for that.
if not sources.is_compiled():
    os.environ[sources.PURE_VARIABLE] = "1"

# The same examples on every run: a failure seen once is seen again.
settings.register_profile("kibitz", derandomize=True, deadline=None, database=None)
settings.load_profile("kibitz")


@pytest.fixture(scope="session", params=GAME_NAMES)
def game(request: pytest.FixtureRequest) -> Game:
    """Every registered game in turn; the contract suite is built on it."""
    return find_game(request.param)
