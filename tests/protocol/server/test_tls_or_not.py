"""Clients that speak TLS to a server that does not, and the other way round.

Each is told what is wrong and what to write instead. No token is shown without TLS to a server
that has not answered without TLS.
"""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from kibitz.protocol.client import (
    CannotOpen,
    ConnectionLost,
    EngineError,
    SimpleEngine,
    SimpleRemote,
)
from tests.protocol.dialogue import HANGS_AFTER
from tests.protocol.server.serving import Bridge, Certificates, Serving

TOKEN = "a-long-and-secret-word"
TOKENS = f"ann={TOKEN}"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module", params=[False, True], ids=["without a token", "with a token"])
def encrypted(request: pytest.FixtureRequest, certificates: Certificates) -> Iterator[Serving]:
    with Serving(*certificates.arguments, KIBITZ_TOKENS=TOKENS if request.param else "") as serving:
        yield serving
        serving.finish()


@pytest.fixture(scope="module", params=[False, True], ids=["without a token", "with a token"])
def plain(request: pytest.FixtureRequest) -> Iterator[Serving]:
    with Serving(KIBITZ_TOKENS=TOKENS if request.param else "") as serving:
        yield serving
        serving.finish()


@pytest.mark.parametrize("token", ["", TOKEN])
@pytest.mark.parametrize("options", [(), ("--plain",)])
def test_a_bridge_without_tls_to_a_server_with_tls(
    encrypted: Serving, options: tuple[str, ...], token: str
) -> None:
    with Bridge(encrypted, *options, token=token) as engine:
        status, lines, errors = engine.lost()
    assert status == 1
    assert errors.startswith(f"kibitz: localhost:{encrypted.port}: ")
    # How it ends is told by an alert, which may be lost on the way.
    assert re.search(r"TLS(, which)? needs --tls\n$", errors)
    assert lines == [f"info string error no_session: {errors.strip().removeprefix('kibitz: ')}"]


def test_a_bridge_with_tls_to_a_server_without(plain: Serving) -> None:
    with Bridge(plain, "--tls", "--patience", "2", token=TOKEN) as engine:
        status, lines, errors = engine.lost()
    assert status == 1
    assert errors.startswith(f"kibitz: localhost:{plain.port}: ")
    assert errors.endswith("; a server without TLS needs --plain\n")
    assert lines == [f"info string error no_session: {errors.strip().removeprefix('kibitz: ')}"]


Opener = Callable[..., AbstractContextManager[SimpleEngine | SimpleRemote]]
OPENERS: list[Opener] = [SimpleEngine.open_server, SimpleRemote.open_server]


@pytest.mark.parametrize("token", [None, TOKEN])
@pytest.mark.parametrize("opened", OPENERS)
def test_a_program_without_tls_to_a_server_with_tls(
    encrypted: Serving, opened: Opener, token: str | None
) -> None:
    failed = error_of(opened, f"tcp://localhost:{encrypted.port}", token=token)
    assert isinstance(failed, ConnectionLost)
    assert re.search(r"TLS(, which)? needs tls://$", str(failed))


@pytest.mark.parametrize("opened", OPENERS)
def test_a_program_with_tls_to_a_server_without(plain: Serving, opened: Opener) -> None:
    failed = error_of(opened, f"tls://localhost:{plain.port}", token=TOKEN, timeout=2)
    assert isinstance(failed, CannotOpen)
    assert str(failed).endswith("; a server without TLS needs tcp://")


def test_no_token_is_shown_before_the_other_side_has_answered() -> None:
    """Whatever it does instead of answering."""
    for answer in (b"", b"\x15\x03\x01\0\2\2\x46", b"HTTP/1.1 400\r\n", b"authok you\n"):
        with (
            stranger(answer) as (port, heard),
            Bridge(Place(port), "--patience", "2", token=TOKEN) as engine,
        ):
            assert engine.lost()[0] == 1
        assert heard
        assert TOKEN.encode() not in b"".join(heard)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (b"", "; a server with TLS needs "),
        (b"\x15\x03\x01\0\2\2\x46", "it seems to speak TLS, which needs "),
        (b"\x15\x03\x03\0\2\n\n", "it seems to speak TLS, which needs "),
    ],
)
def test_what_the_first_bytes_tell(answer: bytes, hint: str) -> None:
    for opened in OPENERS:
        with stranger(answer) as (port, _):
            failed = error_of(opened, f"tcp://localhost:{port}")
        assert str(failed).endswith(f"{hint}tls://")
    with stranger(answer) as (port, _), Bridge(Place(port)) as engine:
        assert engine.lost()[2].endswith(f"{hint}--tls\n")


class Place(Serving):
    """Only the port of something that is no server."""

    def __init__(self, port: int) -> None:
        self.port = port


@contextmanager
def stranger(answer: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Accept one connection, answer what comes first by some bytes, and close."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(HANGS_AFTER)

        def serve() -> None:
            connected, _ = listener.accept()
            with connected:
                connected.settimeout(HANGS_AFTER)
                heard.append(connected.recv(10_000))
                connected.sendall(answer)
                connected.shutdown(socket.SHUT_WR)
                while data := connected.recv(10_000):
                    heard.append(data)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1], heard
        thread.join()


def error_of(opened: Opener, url: str, **arguments: object) -> EngineError:
    with pytest.raises(EngineError) as caught, opened(url, **arguments):
        pass
    return caught.value
