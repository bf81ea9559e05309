"""`kibitz serve`: a server for many clients, from its arguments to its end.

Everything that can be wrong with settings, certificates and addresses is found before
anything is served, and told in one line. Tokens come from the settings file or from the
environment, never from arguments, which everybody on the machine can read.
"""

import argparse
import os
import stat
from typing import Any

from kibitz.engine.options import printable
from kibitz.engine.play import Play
from kibitz.engine.registry import GAME_NAMES, find_game
from kibitz.protocol.server.origins import TOKENS_VARIABLE, SettingsError
from kibitz.scripts.parsing import WRONG, OneLineParser, complain

_EPILOG = f"""\
Tokens come from the settings file, or from the environment variable {TOKENS_VARIABLE}
(NAME=TOKEN,NAME=TOKEN). docs/remote.md tells how to set up a server."""


def add_to(adder: "argparse._SubParsersAction[OneLineParser]") -> None:
    """Add the command to those of `kibitz`."""
    command = adder.add_parser(
        "serve",
        help="serve many clients over TCP",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument(
        "--listen",
        metavar="HOST:PORT",
        action="append",
        help="where to listen; can be given several times; port 0 is any that is free",
    )
    command.add_argument("--config", metavar="FILE", help="a settings file (TOML)")
    command.add_argument("--certificate", metavar="FILE", help="the certificate for TLS (PEM)")
    command.add_argument("--key", metavar="FILE", help="the key of the certificate (PEM)")
    command.add_argument(
        "--insecure",
        action="store_true",
        help="let other machines connect without TLS or without tokens",
    )
    command.add_argument(
        "--log-level",
        dest="level",
        metavar="LEVEL",
        help="debug, info (when left out), warning or error",
    )
    command.set_defaults(handler=_serve)


def _serve(given: argparse.Namespace) -> int:
    try:
        return _serve_as_told(given)
    except SettingsError as error:
        complain(error)
        return WRONG


def _serve_as_told(given: argparse.Namespace) -> int:
    # Late, because it takes longer than the other commands need altogether.
    from kibitz.protocol.logs import logger_of_program
    from kibitz.protocol.server.listening import (
        objections,
        open_sockets,
        places_of,
        raise_file_limit,
        server_context,
    )
    from kibitz.protocol.server.server import serve
    from kibitz.protocol.server.settings import load

    text, is_open = ("", False) if given.config is None else _read(given.config)
    configuration = load(text, os.environ, overrides_of(given), given.config or "")
    os.environ.pop(TOKENS_VARIABLE, None)
    settings, accounts = configuration.settings, configuration.accounts
    context = None
    if settings.tls is not None:
        context = server_context(settings.tls, configuration.origins)
    places = places_of(configuration.addresses)
    dangers = objections(places, tls=context is not None, tokens=not accounts.is_empty)
    if dangers and not settings.insecure:
        needs = _needs(has_tls=context is not None, has_tokens=not accounts.is_empty)
        raise SettingsError(
            f"{configuration.origins.name('listen')}: {'; '.join(dangers)}; it needs {needs}; "
            "--insecure allows it all the same"
        )
    log = logger_of_program(settings.log_level)
    for danger in dangers:
        log.warning("insecure", text=danger)
    if configuration.has_plain_tokens and is_open:
        log.warning(
            "settings_readable",
            text=f"everybody on this machine can read the tokens in {printable(given.config)}",
        )
    files = raise_file_limit()
    if files < settings.connections.most:
        log.warning("few_files", files=files, connections=settings.connections.most)
    listeners = open_sockets(places)
    for name in GAME_NAMES:
        # Loading one later would make all clients wait.
        game = find_game(name)
        Play(game, {}).legal_tokens()
    serve(configuration, listeners, context, log)
    return 0


def _needs(*, has_tls: bool, has_tokens: bool) -> str:
    """Say what an address that other machines can reach still needs."""
    needs = []
    if not has_tls:
        needs.append("--certificate and --key, or tls in the settings")
    if not has_tokens:
        needs.append(f"{TOKENS_VARIABLE}, or clients in the settings")
    return ", and ".join(needs)


def overrides_of(given: argparse.Namespace) -> dict[str, Any]:
    """Give the settings that the arguments stand for, by their paths."""
    values = {
        "listen": given.listen,
        "tls.certificate": given.certificate,
        "tls.key": given.key,
        "insecure": given.insecure or None,
        "log_level": given.level,
    }
    return {path: value for path, value in values.items() if value is not None}


def _read(path: str) -> tuple[str, bool]:
    """Give the text of the settings file, and whether everybody on the machine can read it."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(), bool(os.fstat(file.fileno()).st_mode & stat.S_IROTH)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"--config: cannot read {printable(path)}: {reason}") from error
