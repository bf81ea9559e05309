import socket
import subprocess
from pathlib import Path

import pytest
import trustme

from kibitz.protocol.server.address import Address, Listed, read_address
from kibitz.protocol.server.listening import (
    Place,
    objections,
    open_sockets,
    places_of,
    server_context,
)
from kibitz.protocol.server.origins import Origins, SettingsError
from kibitz.protocol.server.settings import Tls


def places(*texts: str) -> list[Place]:
    """Find the places of a list of addresses, as they would be in a file."""
    return places_of(
        [Listed(f"x: listen[{n}]", read_address(text)) for n, text in enumerate(texts, 1)]
    )


def test_addresses() -> None:
    assert read_address("127.0.0.1:0") == Address("127.0.0.1", 0)
    assert read_address("[::1]:4880") == Address("::1", 4880)
    assert str(read_address("[::1]:4880")) == "[::1]:4880"
    assert str(read_address("localhost:1")) == "localhost:1"


@pytest.mark.parametrize(
    "text",
    [
        "", "4880", ":4880", "host", "host:", "::1:80", "h:65536", "h:-1", "h: 1", "h:\u0661",
        "h:" + "9" * 5000, "x" * 5000, "\n", "\udcff",
    ],
)  # fmt: skip
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"^'.*' (is not HOST:PORT|has no port)") as caught:
        read_address(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize(
    "host",
    ["no.such.host.invalid", "a..b", ".", "a" * 70, "\u00e9" * 70, "a\0b", "a\nb", "\udcff", "1:2"],
)
def test_a_name_that_is_none(host: str) -> None:
    with pytest.raises(SettingsError) as caught:
        places("127.0.0.1:0", f"[{host}]:1")
    assert str(caught.value).startswith("x: listen[2]: cannot listen on ")
    assert str(caught.value).isprintable()


def test_addresses_that_turn_out_to_be_the_same() -> None:
    """Names of one place, in the order in which they are listed."""
    for texts, said in (
        (("[::1]:1", "[0:0::1]:1"), "[0:0::1]:1 is [::1]:1, which"),
        (("127.1:1", "127.0.0.1:1"), "127.0.0.1:1"),
        (("127.0.0.1:0", "127.0.1:0"), "127.0.1:0 is 127.0.0.1:0, which"),
    ):
        with pytest.raises(SettingsError) as caught:
            places("127.0.0.2:1", *texts)
        assert str(caught.value) == (
            f"x: listen[3]: {said} is there twice, the first time as x: listen[2]"
        )
    # Of one host, but not the same.
    assert len(places("127.0.0.1:1", "127.0.0.1:2", "[::1]:1", "127.0.0.2:1")) == 4


def test_a_name_with_one_place_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system may have it: that is no mistake of the settings."""
    found = socket.getaddrinfo("127.0.0.1", 1, type=socket.SOCK_STREAM)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found * 2)
    assert len(places("twice:1")) == 1


def test_what_other_machines_can_reach_needs_tls_and_tokens() -> None:
    loopback = places("127.0.0.1:0", "[::1]:0")
    public = places("0.0.0.0:0")
    assert objections(loopback, tls=False, tokens=False) == []
    assert objections(public, tls=True, tokens=True) == []
    (without_tls,) = objections(loopback + public, tls=False, tokens=True)
    assert "0.0.0.0" in without_tls
    assert "without TLS" in without_tls
    assert "127.0.0.1" not in without_tls
    (without_tokens,) = objections(public, tls=True, tokens=False)
    assert "without tokens" in without_tokens
    assert len(objections(places("[::]:0"), tls=False, tokens=False)) == 2


def test_an_address_in_use() -> None:
    (first,) = open_sockets(places("127.0.0.1:0"))
    port = first.getsockname()[1]
    with pytest.raises(SettingsError) as caught:
        open_sockets(places("127.0.0.1:0", f"127.0.0.1:{port}"))
    text = f"x: listen[2]: cannot listen on 127.0.0.1:{port}: it is in use"
    assert str(caught.value) == text
    first.close()


def test_an_address_that_is_not_the_machines() -> None:
    with pytest.raises(SettingsError, match=r"^x: listen\[1\]: cannot listen on 192\.0\.2\.1:1: "):
        open_sockets(places("192.0.2.1:1"))


def test_both_families_on_one_port() -> None:
    (first,) = open_sockets(places("[::1]:0"))
    (second,) = open_sockets(places(f"127.0.0.1:{first.getsockname()[1]}"))
    assert second.family is socket.AF_INET
    first.close()
    second.close()


ENCRYPTED = """\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi11/YZhB62nAICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMwVZKlIu1fqWteOHCdzmLUEgZAr
B3zd+vCAsEXNB3Yq0ATQe1uzGsp4n4J8CibflpyQUzmZaeB/2SngHkUfO4gkMRcf
sozO7a4ZHnSB8a6xhLmOB3ySMIZ2W68f5SgXAzIK+w0dE26HyhXUw661lFzMQsd8
7eoHjWxROo2QWMr5Y0IB3BsbdXbjKM+B2XDmN44YY1EXFOkx7DM4JIGGhH54XTM=
-----END ENCRYPTED PRIVATE KEY-----
"""
"""A key with a password, made for this test."""

ORIGINS = {
    "file": Origins("x", ["tls"], []),
    "options": Origins("x", ["tls"], ["tls.certificate", "tls.key"]),
    "only options": Origins("", [], ["tls.certificate", "tls.key"]),
}


@pytest.mark.parametrize("origin", ORIGINS)
def test_certificates_that_are_none(origin: str, tmp_path: Path) -> None:
    """Each error begins with the setting to blame, and names the file."""
    origins = ORIGINS[origin]
    of_file = origin == "file"
    certificate_name = "x: tls.certificate" if of_file else "--certificate"
    key_name = "x: tls.key" if of_file else "--key"
    issued = trustme.CA().issue_cert("localhost")
    certificate, key, other = (tmp_path / name for name in ("cert.pem", "key.pem", "other.pem"))
    issued.cert_chain_pems[0].write_to_path(certificate)
    issued.private_key_pem.write_to_path(key)
    trustme.CA().issue_cert("localhost").private_key_pem.write_to_path(other)
    rsa, password = tmp_path / "rsa.pem", tmp_path / "password.pem"
    trustme.CA(key_type=trustme.KeyType.RSA).private_key_pem.write_to_path(rsa)
    password.write_text(ENCRYPTED)
    cut, empty, none = tmp_path / "cut.pem", tmp_path / "empty.pem", tmp_path / "none.pem"
    cut.write_bytes(certificate.read_bytes()[:200] + b"\n-----END CERTIFICATE-----\n")
    empty.touch()
    assert server_context(Tls(certificate=str(certificate), key=str(key)), origins) is not None

    no_pem = "is not a certificate in PEM form"
    wrong_certificates = [
        (none, f"cannot read {none}: No such file or directory"),
        (tmp_path, f"cannot read {tmp_path}: Is a directory"),
        ("a\0b", "a?b is no name of a file"),
        *((path, f"{path} {no_pem}") for path in (key, empty, cut)),
    ]
    for path, said in wrong_certificates:
        with pytest.raises(SettingsError) as caught:
            server_context(Tls(certificate=str(path), key=str(key)), origins)
        assert str(caught.value) == f"{certificate_name}: {said}"
    wrong_keys = [
        (none, f"cannot read {none}: No such file or directory"),
        (tmp_path, f"cannot read {tmp_path}: Is a directory"),
        ("a\0b", "a?b is no name of a file"),
        *((path, f"{path} is not the key of {certificate}") for path in (other, rsa)),
        *((path, f"{path} is not a private key in PEM form") for path in (certificate, empty)),
        (password, f"{password} has a password, and must not have one"),
    ]
    for path, said in wrong_keys:
        with pytest.raises(SettingsError) as caught:
            server_context(Tls(certificate=str(certificate), key=str(path)), origins)
        assert str(caught.value) == f"{key_name}: {said}"


def test_a_weak_certificate(tmp_path: Path) -> None:
    command = "openssl req -x509 -newkey rsa:512 -nodes -subj /CN=x -keyout key.pem -out cert.pem"
    subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    with pytest.raises(SettingsError) as caught:
        server_context(Tls(certificate=str(certificate), key=str(key)), ORIGINS["file"])
    said = f"x: tls.certificate: {certificate} is too weak (ee key too small)"
    assert str(caught.value) == said
