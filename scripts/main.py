"""The program `kibitz`: an engine on standard input and output, or a command for people.

Without arguments it is an engine, and must be ready quickly: everything that only the
commands for people need is loaded late.
"""

import gc
import sys
from collections.abc import Sequence

INTERRUPTED = 130
FAILED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; gives the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if given[:1] == ["connect"]:
            from kibitz.scripts.connect_command import run as connect

            return connect(given[1:])
        if given:
            from kibitz.scripts.command_line import run_command

            _warn_if_slow()
            return run_command(given)
        from kibitz.protocol.stdio import run

        _warn_if_slow()
        try:
            return run()
        finally:
            # Collecting garbage at the exit takes as long as the start did, for nothing.
            gc.freeze()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - nobody should see a traceback
        from kibitz.protocol.faults import describe_bug
        from kibitz.scripts.parsing import complain

        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        complain(f"internal error: {describe_bug(error)}")
        return FAILED


def _warn_if_slow() -> None:
    """Say so when the core could not be compiled, which nobody asked for."""
    from kibitz.engine.sources import is_compiled, sources_wanted

    if not sources_wanted() and not is_compiled():
        sys.stderr.write(
            "kibitz: warning: the core was not compiled and runs as plain Python, thirty times "
            "slower or more; install gcc and python3-dev, and install kibitz again\n"
        )


if __name__ == "__main__":
    sys.exit(main())
