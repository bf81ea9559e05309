"""The engine that is checked: started when a check needs it, and asked what checks ask.

One running engine serves many checks, one after another. After a check that failed, or that
has ended it, a new one is started, so that each check finds a sound engine.
"""

import shlex
from collections.abc import Sequence

import anyio
import msgspec
from anyio.abc import TaskGroup

from kibitz.protocol.client.link import Link, StreamLink
from kibitz.protocol.client.options import OptionList
from kibitz.protocol.client.process import start_process
from kibitz.protocol.client.sockets import connect, read_url
from kibitz.scripts.match.check.greeting import Greeting, greet, speaks_ugi
from kibitz.scripts.match.check.outcomes import CheckFailed, CheckSkipped, shown
from kibitz.scripts.match.check.talk import Heard, Patience, Talk
from kibitz.scripts.match.settings.match_settings import Dialect

GAME_OPTIONS = ("Game", "UCI_Variant")
CHESS = (
    *(f"{file}2{file}{rank}" for file in "abcdefgh" for rank in "34"),
    *("b1a3", "b1c3", "g1f3", "g1h3"),
)
"""The first moves of chess, for engines that cannot be asked."""
NO_ANSWERS = ("", "unknown", "invalid", "none", "error")
NO_MOVES = ("(none)", "0000")


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Which engine is checked: a program with its arguments, or a server's address."""

    command: tuple[str, ...] = ()
    url: str | None = None
    token: str | None = None
    ca: str | None = None
    proto: Dialect = Dialect.AUTO
    game: str | None = None

    def __str__(self) -> str:
        return self.url or shlex.join(self.command)


class NoSuchGame(Exception):  # noqa: N818 - the user's mistake
    """The engine cannot play the game that was asked for; the text says why."""


class Played(msgspec.Struct, frozen=True):
    """What a search answered: its move, None for none, the lines before it, and its time."""

    move: str | None
    lines: tuple[Heard, ...]
    seconds: float


class Subject:
    """One engine under examination."""

    def __init__(self, target: Target, patience: Patience, group: TaskGroup) -> None:
        """Start nothing yet; the tasks of engines belong to the group."""
        self.target = target
        self.patience = patience
        self.dialect = target.proto
        """What is spoken, once `meet` has found it out."""
        self.greeting: Greeting | None = None
        self.game: tuple[str, ...] | None = None
        """The moves of a game that the engine has played against itself, when it has."""
        self._group = group
        self._talk: Talk | None = None

    # Starting and ending.

    async def open(self) -> Talk:
        """Start another engine that nobody has talked to; whoever calls this closes it.

        Raises `CannotOpen`.
        """
        target, patience = self.target, self.patience
        link: Link
        if target.url is None:
            link = await start_process(target.command)
        else:
            address = read_url(target.url)
            link = StreamLink(await connect(address, patience.start, target.ca), str(address))
        talk = Talk(link, patience).start(self._group)
        if target.token is not None:
            # What comes of it is told with the answer to the greeting.
            await talk.send(f"auth {target.token}")
        return talk

    async def meet(self) -> Greeting:
        """Greet the engine for the first time; raises `CheckFailed` when it does not answer."""
        await self.part()
        if self.dialect is Dialect.AUTO:
            talk = await self.open()
            try:
                self.dialect = Dialect.UGI if await speaks_ugi(talk) else Dialect.UCI
            finally:
                await talk.close(self.patience.quit)
        talk = self._talk = await self.open()
        self.greeting = await greet(talk, self.dialect)
        await self._choose_game(talk)
        return self.greeting

    async def talk(self) -> Talk:
        """Give an engine that is greeted and has its game."""
        if self._talk is None:
            talk = self._talk = await self.open()
            await greet(talk, self.dialect)
            await self._choose_game(talk)
        return self._talk

    async def part(self, patience: float | None = None) -> None:
        """End the engine, if one runs; the next check gets another."""
        talk, self._talk = self._talk, None
        if talk is not None:
            await talk.close(self.patience.quit if patience is None else patience)

    async def _choose_game(self, talk: Talk) -> None:
        if self.target.game is not None:
            option = self.game_option
            if option is None:
                raise NoSuchGame("the engine has no option Game or UCI_Variant")
            choices = [choice.lower() for choice in self.options[option].choices]
            if choices and self.target.game.lower() not in choices:
                raise NoSuchGame(f"the engine does not list {shown(self.target.game)} as a game")
            await talk.send(f"setoption name {option} value {self.target.game}")
        await talk.sync("setoption", self.patience.start)

    # What it is.

    @property
    def options(self) -> OptionList:
        """The options that it lists."""
        return OptionList() if self.greeting is None else self.greeting.options

    @property
    def game_option(self) -> str | None:
        """The name of the option that chooses the game."""
        for name in GAME_OPTIONS:
            if self.options.has(name):
                return self.options.find(name).name
        return None

    @property
    def is_uci(self) -> bool:
        """Whether it speaks UCI alone."""
        return self.dialect is Dialect.UCI

    @property
    def new_game(self) -> str:
        """The command that begins a new game."""
        return "ucinewgame" if self.is_uci else "uginewgame"

    def clocks(self, first: int, second: int, more: int | None = None) -> str:
        """Write the clocks of both sides, and their increments, in milliseconds."""
        one, two = ("w", "b") if self.is_uci else ("p1", "p2")
        text = f"{one}time {first} {two}time {second}"
        return text if more is None else f"{text} {one}inc {more} {two}inc {more}"

    # Asking.

    async def place(self, moves: Sequence[str] = ()) -> Talk:
        """Set a position, from the start."""
        talk = await self.talk()
        await talk.send(" ".join(("position startpos", *(("moves", *moves) if moves else ()))))
        return talk

    async def search(self, go: str, longest: float) -> Played:
        """Have the position searched, which may take `longest` seconds.

        Raises `CheckFailed` unless there is exactly one bestmove, and in time.
        """
        talk = await self.talk()
        begun = anyio.current_time()
        await talk.send(go)
        return await self.answer(go, longest, begun)

    async def search_once(self, go: str) -> Played:
        """Have the start searched, which is short."""
        await self.place()
        return await self.search(go, self.patience.answer)

    async def answer(self, after: str, longest: float, begun: float) -> Played:
        """Wait for the one bestmove of a search, and see that there is no other."""
        talk = await self.talk()
        lines = await talk.lines_to("bestmove", longest, after)
        last = lines[-1]
        if any(line.word == "bestmove" for line in await talk.sync(after)):
            raise CheckFailed(f"there is a second bestmove after '{after}'")
        words = last.text.split()
        if len(words) < 2:
            raise CheckFailed(f"there is no move behind bestmove after '{after}'")
        if len(words) > 2 and not (self.is_uci and words[2] == "ponder" and len(words) == 4):
            raise CheckFailed(f"there is more than a move: {shown(last.text)}")
        move = None if words[1] in NO_MOVES else words[1]
        return Played(move, tuple(lines[:-1]), last.at - begun)

    async def ask(self, question: str) -> str | None:
        """Ask a query; gives None when the engine does not answer it."""
        talk = await self.talk()
        await talk.send(f"query {question}")
        lines = await talk.sync(f"query {question}")
        answers = [line.text.strip() for line in lines if line.word == "response"]
        if len(answers) > 1:
            raise CheckFailed(f"'query {question}' is answered {len(answers)} times")
        text = answers[0].removeprefix("response").strip() if answers else "unknown"
        return None if text == "unknown" else text

    async def is_legal(self, move: str) -> bool | None:
        """Ask whether a move is legal now; None when that cannot be asked."""
        answer = await self.ask(f"islegal {move}")
        if answer is not None and answer.split()[:1] in (["true"], ["false"]):
            return answer.split()[0] == "true"
        legal = await self.legal_moves()
        return None if legal is None else move in legal

    async def legal_moves(self) -> list[str] | None:
        """Ask for the moves that are legal now; None when that cannot be asked."""
        answer = await self.ask("legalmoves")
        if answer is not None and answer not in NO_ANSWERS:
            return answer.split()
        return None

    async def plays_chess(self) -> bool:
        """Guess whether the game is chess, as it is with most engines that speak UCI alone."""
        return self.is_uci and (await self.search_once("go depth 1")).move in CHESS

    async def check_legal(self, played: Played, after: str) -> str:
        """See that a search of the position, which is not over, gave a legal move; gives it."""
        if played.move is None:
            raise CheckFailed(f"there is no move after '{after}', although the game is not over")
        if await self.is_legal(played.move) is False:
            raise CheckFailed(f"its move {shown(played.move)} after '{after}' is not legal")
        return played.move

    async def needs(self, question: str) -> str:
        """Ask a query that a check cannot do without; raises `CheckSkipped`."""
        answer = await self.ask(question)
        if answer is None or answer in NO_ANSWERS:
            raise CheckSkipped(f"'query {question}' is not answered")
        return answer
