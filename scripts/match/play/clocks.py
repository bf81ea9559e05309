"""The clock of one player in one game: what it has left, and whether it has overstepped.

Plain numbers, no time is taken here: whoever measures says how many seconds a move took.
"""

import msgspec

from kibitz.protocol.client.values import Limit
from kibitz.scripts.match.records.records import Side
from kibitz.scripts.match.settings.match_settings import EngineSettings
from kibitz.scripts.match.settings.time_control import (
    TimeControl,
    read_duration,
    read_time_control,
    write_clock,
)


class Clock:
    """One player's time: a clock, so much for each move, or no limit at all."""

    def __init__(self, settings: EngineSettings) -> None:
        """Set the clock to its start; the settings were checked."""
        self.control: TimeControl | None = None
        self.move_time: float | None = None
        if settings.tc is not None:
            self.control = read_time_control(settings.tc)
        elif settings.st is not None:
            self.move_time = read_duration(settings.st)
        self._margin = settings.margin / 1000
        self._depth = settings.depth
        self._nodes = settings.nodes
        self.left = 0.0 if self.control is None else self.control.time
        """The seconds on the clock."""
        self.moves_to_go: int | None = None if self.control is None else self.control.moves

    @property
    def text(self) -> str:
        """All that bounds the player, as records have it."""
        return write_clock(self.control, self.move_time, self._depth, self._nodes)

    @property
    def allowed(self) -> float | None:
        """The seconds that the next move may take, None for any number; without the margin."""
        return self.left if self.control is not None else self.move_time

    @property
    def last(self) -> float | None:
        """The seconds after which an answer to the next move is too late, margin included."""
        return None if self.allowed is None else self.allowed + self._margin

    def spend(self, seconds: float) -> bool:
        """Take the time of a move off the clock; gives whether it was made in time.

        A move that comes late, but within the margin, leaves 0 on the clock.
        """
        last = self.last
        if last is not None and seconds > last:
            return False
        if self.control is not None:
            self.left = max(self.left - seconds, 0.0) + self.control.increment
            if self.moves_to_go is not None:
                self.moves_to_go -= 1
                if self.moves_to_go == 0:
                    self.left += self.control.time
                    self.moves_to_go = self.control.moves
        return True

    def limit(self, side: Side, enemy: "Clock") -> Limit:
        """Give the limit of a search by this player, who has this side."""
        limit = Limit(depth=self._depth, nodes=self._nodes, time=self.move_time)
        if self.control is None:
            return limit
        white, black = (self, enemy) if side is Side.WHITE else (enemy, self)
        return msgspec.structs.replace(
            limit,
            white_clock=white._clock,
            black_clock=black._clock,
            white_increment=white._increment,
            black_increment=black._increment,
            moves_to_go=self.moves_to_go,
        )

    @property
    def _clock(self) -> float | None:
        return None if self.control is None else self.left

    @property
    def _increment(self) -> float | None:
        return None if self.control is None else self.control.increment
