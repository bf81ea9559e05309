import socket
from pathlib import Path

import pytest
import trustme

from kibitz.protocol.server.listening import (
    Address,
    objections,
    open_sockets,
    places_of,
    read_address,
    server_context,
)
from kibitz.protocol.server.settings import SettingsError, Tls


def test_addresses() -> None:
    assert read_address("127.0.0.1:0") == Address("127.0.0.1", 0)
    assert read_address("[::1]:4880") == Address("::1", 4880)
    assert str(read_address("[::1]:4880")) == "[::1]:4880"
    assert str(read_address("localhost:1")) == "localhost:1"


@pytest.mark.parametrize(
    "text", ["", "4880", ":4880", "host", "host:", "::1:80", "h:65536", "h:-1"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(SettingsError):
        read_address(text)


def test_a_name_that_does_not_exist() -> None:
    with pytest.raises(SettingsError, match=r"cannot listen on no\.such\.host\.invalid:1: "):
        places_of([Address("no.such.host.invalid", 1)])


def test_what_other_machines_can_reach_needs_tls_and_tokens() -> None:
    loopback = places_of([Address("127.0.0.1", 0), Address("::1", 0)])
    public = places_of([Address("0.0.0.0", 0)])
    assert objections(loopback, tls=False, tokens=False) == []
    assert objections(public, tls=True, tokens=True) == []
    (without_tls,) = objections(loopback + public, tls=False, tokens=True)
    assert "0.0.0.0" in without_tls
    assert "without TLS" in without_tls
    assert "127.0.0.1" not in without_tls
    (without_tokens,) = objections(public, tls=True, tokens=False)
    assert "without tokens" in without_tokens
    assert len(objections(places_of([Address("::", 0)]), tls=False, tokens=False)) == 2


def test_an_address_in_use() -> None:
    (first,) = open_sockets(places_of([Address("127.0.0.1", 0)]))
    port = first.getsockname()[1]
    with pytest.raises(SettingsError, match=f"cannot listen on 127.0.0.1:{port}: it is in use"):
        open_sockets(places_of([Address("127.0.0.1", 0), Address("127.0.0.1", port)]))
    first.close()


def test_both_families_on_one_port() -> None:
    (first,) = open_sockets(places_of([Address("::1", 0)]))
    (second,) = open_sockets(places_of([Address("127.0.0.1", first.getsockname()[1])]))
    assert second.family is socket.AF_INET
    first.close()
    second.close()


def test_certificates_that_are_none(tmp_path: Path) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    issued.cert_chain_pems[0].write_to_path(certificate)
    issued.private_key_pem.write_to_path(key)
    assert server_context(Tls(certificate=str(certificate), key=str(key))) is not None
    for wrong in (
        Tls(certificate=str(key), key=str(certificate)),
        Tls(certificate=str(tmp_path / "none.pem"), key=str(key)),
        Tls(certificate=str(certificate), key=str(tmp_path)),
    ):
        with pytest.raises(SettingsError) as caught:
            server_context(wrong)
        assert str(tmp_path) in str(caught.value)
        assert "\n" not in str(caught.value)
    other = trustme.CA().issue_cert("localhost")
    other.private_key_pem.write_to_path(key)
    with pytest.raises(SettingsError, match="are no certificate and its key"):
        server_context(Tls(certificate=str(certificate), key=str(key)))
