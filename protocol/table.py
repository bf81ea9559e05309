"""The table of commands: dispatch, help and docs/protocol.md are all made from it."""

from collections.abc import Callable
from typing import NamedTuple

from kibitz.engine.options import shorten
from kibitz.protocol import arguments, commands
from kibitz.protocol.faults import ErrorCode, Refusal


class Entry(NamedTuple):
    """One command.

    `name` is its first word and `aliases` are other words for it. `arguments` shows what
    follows. `read` makes a command from that, one of the types in `makes`.
    """

    name: str
    arguments: str
    summary: str
    details: str
    read: Callable[[str], commands.Command]
    makes: tuple[type[commands.Command], ...]
    aliases: tuple[str, ...] = ()

    @property
    def syntax(self) -> str:
        """The whole form of the command."""
        return f"{self.name} {self.arguments}".strip()

    @property
    def stops_search(self) -> bool:
        """Whether a running search is stopped first; else it is answered during one."""
        return any(command.stops_search for command in self.makes)


TABLE = (
    Entry(
        "ugi",
        "",
        "say hello and list the options",
        "Answered by `id name`, `id author`, an `option` line for each option, and `ugiok`.",
        arguments.without(lambda: commands.Handshake("ugi")),
        (commands.Handshake,),
    ),
    Entry(
        "uci",
        "",
        "the same for programs that speak UCI",
        "Answered like `ugi`, but ended by `uciok`, and the game is chosen by the option "
        "`UCI_Variant`. From then on `mate` counts the moves of one side, in scores and in "
        "`go mate`; `bestmove M` is followed by `ponder P` when an answer is expected; and the "
        "choice of a game is answered by a line `info string variant ...`.",
        arguments.without(lambda: commands.Handshake("uci")),
        (commands.Handshake,),
    ),
    Entry(
        "isready",
        "",
        "ask whether everything before this is done",
        "Answered by `readyok`, at once even during a search, but after a position is set up.",
        arguments.without(commands.IsReady),
        (commands.IsReady,),
    ),
    Entry(
        "setoption",
        "name NAME [value VALUE]",
        "set an option",
        "NAME is in any letter case and may contain blanks; VALUE is the rest of the line and "
        "may be empty (`<empty>` means that too). A new value of `Game`, or of an option of the "
        "game itself, begins a new game. A value that the option has already changes nothing. "
        "A search is stopped first if the new value matters to it: one of `Hash`, `Threads`, "
        "`MultiPV`, `Searcher`, `Game`, or of an option of the game. Who asks for more `Hash` or "
        "`Threads` than a server grants gets the most that there is, and one line `info string "
        "NAME is N, the most that this client can have`.",
        arguments.read_set_option,
        (commands.SetOption,),
    ),
    Entry(
        "uginewgame",
        "",
        "forget the game",
        "The position is the start of the game, and the hash table is empty. Not answered.",
        arguments.without(commands.NewGame),
        (commands.NewGame,),
        aliases=("ucinewgame",),
    ),
    Entry(
        "position",
        "startpos | fen TEXT | deal N  [moves M...]",
        "set the position",
        "Sets the start of the game, the position TEXT, or the deal numbered N of a game that is "
        "dealt, and makes the moves. Not answered, unless something is wrong. After a TEXT that "
        "is wrong the position is what it was. At a move that is not legal the position is the "
        "one before it, and the side that made it has forfeited the game: it is over, and won "
        "by the other side, until the next `position` or new game.",
        arguments.read_position,
        (commands.SetPosition,),
    ),
    Entry(
        "moves",
        "[M...]",
        "make moves from where the game stands",
        "The rules are those of `position`.",
        arguments.read_moves,
        (commands.MakeMoves,),
    ),
    Entry(
        "go",
        "[LIMIT...] [infinite] [ponder] [searchmoves M...]",
        "search",
        "The limits, in any order and mixture: `depth N`, `nodes N`, `movetime MS`, `p1time MS` "
        "(or `wtime`), `p2time MS` (`btime`), `p1inc MS` (`winc`), `p2inc MS` (`binc`), "
        "`movestogo N`, `mate N`; the first one reached ends the search, but depth 1 is "
        "searched to its end if it takes fewer than 16,384 nodes, so that there is a move to "
        "play. A clock of one side alone stands for both; a clock at zero or below is one "
        "millisecond; zero of anything "
        "else is one, and `movestogo 0` is none. Without depth, nodes, movetime, clock or mate "
        "the search is infinite. Answered by `info` lines and exactly one `bestmove M`; that is "
        "held until `stop` when the search is infinite, and until `stop` or `ponderhit` when it "
        "ponders. `searchmoves` names the only moves to look at, to the end of the line; those "
        "that are not legal are left out. On a game that is over, and after an error, the answer "
        "is `bestmove (none)`. `go perft N` is `perft N`.",
        arguments.read_go,
        (commands.Go, commands.RefusedGo, commands.Perft),
    ),
    Entry(
        "stop",
        "",
        "end the search",
        "Answered by exactly one `bestmove` if a search runs, else not at all. Also ends a "
        "`perft` or `bench`.",
        arguments.without(commands.Stop),
        (commands.Stop,),
    ),
    Entry(
        "ponderhit",
        "",
        "the expected move was made",
        "The search begun by `go ponder` goes on, its limits counting from now.",
        arguments.without(commands.PonderHit),
        (commands.PonderHit,),
    ),
    Entry(
        "query",
        "SUBJECT [ARGUMENT]",
        "ask for one fact",
        "Answered by exactly one line `response ...`. The subjects are listed below; any other "
        "one is answered by `response unknown`.",
        arguments.read_query,
        (commands.Query,),
    ),
    Entry(
        "legal",
        "",
        "list the legal moves",
        "Answered by `legalmoves N: M...`, sorted.",
        arguments.without(commands.Legal),
        (commands.Legal,),
    ),
    Entry(
        "d",
        "",
        "show the board",
        "Answered by the board as people draw it, the position text, the key that stands for "
        "the position in the hash table, the side to move, the score, the result with its "
        "reason, and the number of legal moves.",
        arguments.without(commands.Display),
        (commands.Display,),
    ),
    Entry(
        "eval",
        "",
        "show what the evaluation is made of",
        "Answered by a table of its terms, what each is worth to White and to Black.",
        arguments.without(commands.Evaluate),
        (commands.Evaluate,),
    ),
    Entry(
        "perft",
        "N",
        "count the sequences of N turns",
        "Answered by a line `M: COUNT` for each legal move, then `Nodes searched: N` and "
        "`Nodes/second: N`. When it is stopped, `info string stopped` takes the place of those.",
        arguments.read_perft,
        (commands.Perft,),
    ),
    Entry(
        "bench",
        "[DEPTH]",
        "measure the speed, and sign the search's behaviour",
        "Searches fixed positions of every game to a fixed depth, with one thread and an empty "
        "hash table for each. Ends with `Nodes searched: N`, which is the same on every run and "
        "every machine, and `Nodes/second: N`; when stopped, with `info string stopped`.",
        arguments.read_bench,
        (commands.Bench,),
    ),
    Entry(
        "session",
        "open ID [game G] | close ID | list",
        "have several engines in one connection",
        "A session is an engine of its own: game, options, position, hash table, search. Answered "
        "by `session opened ID`, `session closed ID` or `session list ID...`. The session `0` is "
        "there from the start, is what commands without a prefix go to, and cannot be closed. "
        "`@ID COMMAND...` sends a command to the session ID, and every line of its answer "
        "begins with `@ID `. ID is a word of 1 to 64 printable characters. A search is stopped "
        "and answered before its session is closed.",
        arguments.read_session,
        (commands.OpenSession, commands.CloseSession, commands.ListSessions),
    ),
    Entry(
        "auth",
        "TOKEN",
        "say who you are, to a server",
        "Answered by `authok NAME`. A server that asks for tokens refuses everything else "
        "before that. On standard input and output any token is right, and none is needed.",
        arguments.read_token,
        (commands.Authenticate,),
    ),
    Entry(
        "help",
        "[COMMAND]",
        "explain a command, or list them all",
        "Answered by lines for people.",
        arguments.read_help,
        (commands.Help,),
    ),
    Entry(
        "quit",
        "",
        "end",
        "A search is stopped and answered first. The end of input does the same.",
        arguments.without(commands.Quit),
        (commands.Quit,),
    ),
)

QUERIES = {
    "p1turn": "whether the first player (White) is to move: `true` or `false`",
    "p2turn": "whether the second player (Black) is to move",
    "gameover": "whether the game is over, by its rules or by a forfeit",
    "result": "`p1win`, `p2win` or `draw`; `none` while the game goes on",
    "reason": "one word for how the game ended (`forfeit`, or a word of the game's own); `none` "
    "while it goes on",
    "score": "the points of the first player and of the second, in the game's own count",
    "fen": "the position text",
    "legalmoves": "the legal moves, sorted, one blank between two; nothing when there is none",
    "islegal M": "`true`, or `false` and the reason, in words of the rules",
    "game": "the name of the game",
    "games": "the names of all games",
    "options": "all options with their values, `NAME=VALUE`, a semicolon and a blank between two",
    "startpos": "the position text of the start, as the options are",
    "deal": "the number of the deal that the game started from, or `none`",
}

OTHER_DIALECTS = {
    "xboard": "the dialect of xboard is not spoken here; the first line chooses ugi, uci, or "
    'JSON lines, which begin with "{"',
}
"""Words of programs that speak something else, and what they are told."""

BY_NAME = {name: entry for entry in TABLE for name in (entry.name, *entry.aliases)}


def read_command(line: str) -> commands.Command | None:
    """Make a command from a line; None for an empty line or a comment.

    Raises `Refusal` for a line that is no command.
    """
    line = line.strip(arguments.BLANKS)
    if not line or line.startswith("#"):
        return None
    name = arguments.words_of(line[:100])[0]
    entry = BY_NAME.get(name)
    if entry is None:
        unknown = f"there is no command {shorten(name)}; try help"
        raise Refusal(ErrorCode.BAD_COMMAND, OTHER_DIALECTS.get(name, unknown))
    return entry.read(line[len(name) :].strip(arguments.BLANKS))


def help_lines(topic: str | None) -> tuple[str, ...]:
    """Explain one command, or list them all; raises `Refusal` for one that there is not."""
    if topic is None:
        width = max(len(entry.name) for entry in TABLE)
        listed = [f"{entry.name:{width}}  {entry.summary}" for entry in TABLE]
        return (
            *listed,
            "@ID COMMAND sends a command to the session ID.",
            "help COMMAND tells more about one.",
        )
    entry = BY_NAME.get(topic)
    if entry is None:
        raise Refusal(ErrorCode.BAD_COMMAND, f"there is no command {shorten(topic)}; try help")
    lines = [entry.syntax, f"    {entry.summary}."]
    if entry.aliases:
        lines.append(f"    also: {', '.join(entry.aliases)}")
    paragraphs = [entry.details]
    if entry.name == "query":
        paragraphs += [f"{query}: {meaning}" for query, meaning in QUERIES.items()]
    for paragraph in paragraphs:
        lines += _wrapped(paragraph.replace("`", ""))
    return tuple(lines)


def _wrapped(text: str) -> list[str]:
    from textwrap import wrap  # loaded late: only people ask for help

    return wrap(text, 80, initial_indent="    ", subsequent_indent="      ")
