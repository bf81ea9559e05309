"""A server in a program that reports what it does with files and other processes.

Run as a program, with the arguments of `kibitz serve`. From `listening` on, each file that is
opened, changed or listed, each process that is started and each connection that is made is a
line on standard output: the name of the event, a blank, and what it is about.
"""

import os
import sys
from typing import Any

PREFIXES = ("os.", "shutil.", "subprocess.", "tempfile.", "glob.", "pty.", "ctypes.", "code.")
NAMES = {"open", "exec", "compile", "import", "socket.connect", "socket.bind", "pickle.find_class"}
HARMLESS = {"os.setpriority"}

_is_serving = False


def watch(event: str, given: tuple[Any, ...]) -> None:
    if _is_serving and event not in HARMLESS and (event in NAMES or event.startswith(PREFIXES)):
        text = f"{event} {given[0] if given else ''}".replace("\n", " ")
        os.write(1, f"{text[:300]}\n".encode(errors="replace"))


def main() -> int:
    from kibitz.protocol.server.server import Server
    from kibitz.scripts.main import main as run

    served = Server._serve

    async def serve_and_tell(self: Server, common: Any) -> None:
        global _is_serving
        _is_serving = True
        try:
            await served(self, common)
        finally:
            _is_serving = False

    Server._serve = serve_and_tell  # type: ignore[method-assign]
    sys.addaudithook(watch)
    return run(["serve", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
