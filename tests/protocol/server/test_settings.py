import hashlib
from pathlib import Path

import msgspec
import pytest

from kibitz.protocol.server.settings import Settings, SettingsError, load

TOKEN = "a-long-and-secret-word"
OTHER = "another-long-and-secret-word"

WRONG_FILE = f"""
listen = [3]
colour = "red"
stop_seconds = -1
[tls]
certificate = "cert.pem"
[connections]
most = 0
stuck_seconds = "{TOKEN}"
[searches]
cores = 1.5
[quota]
over = "maybe"
[[clients]]
name = "two words"
token = "short"
quota = {{ hash = -1, threads = true, size = 3 }}
[[clients]]
token_sha256 = "{TOKEN}"
"""

PLACES = [
    "listen[0]: ",
    "colour: there is no such key; known are listen, ",
    "stop_seconds: ",
    "tls.key: is missing",
    "connections.most: ",
    "connections.stuck_seconds: ",
    "searches.cores: ",
    "quota.over: ",
    "clients[1].name: ",
    "clients[1].token: ",
    "clients[1].quota.hash: ",
    "clients[1].quota.threads: ",
    "clients[1].quota.size: there is no such key",
    "clients[2].name: is missing",
    "clients[2].token_sha256: ",
]


def test_everything_that_is_wrong_is_named_and_no_value_is_told() -> None:
    with pytest.raises(SettingsError) as caught:
        load(WRONG_FILE, {"KIBITZ_TOKENS": f"ann={TOKEN},{OTHER}"})
    text = str(caught.value)
    for place in PLACES:
        assert place in text
    assert "KIBITZ_TOKENS: entry 2 is not NAME=TOKEN" in text
    assert TOKEN not in text
    assert OTHER not in text
    assert "\n" not in text


def test_an_empty_file_has_defaults() -> None:
    configuration = load("", {})
    settings = configuration.settings
    assert settings.listen == ("127.0.0.1:4880",)
    assert settings.tls is None
    assert settings.searches.all_cores >= 1
    assert settings.searches.all_megabytes >= 1
    assert configuration.accounts.is_empty


def test_a_whole_file() -> None:
    digest = hashlib.sha256(OTHER.encode()).hexdigest()
    configuration = load(
        f"""
        listen = ["127.0.0.1:0", "[::1]:0"]
        log_level = "debug"
        grace_seconds = 3
        tls = {{ certificate = "c", key = "k" }}
        connections.longest_line = 2048
        searches = {{ cores = 3, slice_seconds = 0.25, tables_megabytes = 100 }}
        quota = {{ hash = 128, longest = inf }}
        [[clients]]
        name = "ann"
        token = "{TOKEN}"
        [[clients]]
        name = "bob"
        token_sha256 = "{digest}"
        quota = {{ searches = 7 }}
        """,
        {"KIBITZ_TOKENS": "carol=the-secret-word-of-carol"},
        {"log_level": "error"},
    )
    settings = configuration.settings
    assert (settings.searches.all_cores, settings.searches.all_megabytes) == (3, 100)
    assert (settings.grace_seconds, settings.log_level) == (3.0, "error")
    assert settings.connections.longest_line == 2048
    assert settings.tls is not None
    ann, bob, carol = (
        configuration.accounts.find(token) for token in (TOKEN, OTHER, "the-secret-word-of-carol")
    )
    assert ann is not None
    assert bob is not None
    assert carol is not None
    assert [each.name for each in (ann, bob, carol)] == ["ann", "bob", "carol"]
    assert ann.quota == carol.quota == settings.quota
    assert (bob.quota.searches, bob.quota.hash, bob.quota.longest) == (7, 128, float("inf"))
    assert TOKEN not in repr(configuration)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("listen = ", "this is no TOML: "),
        ("tls = 3", "tls: must be a table"),
        ("clients = 3", "clients: must be a list of tables"),
        ("clients = [3]", "clients[1]: must be a table"),
        ("[[clients]]\nname = 'ann'", "clients: ann needs either token or token_sha256"),
        (
            f"[[clients]]\nname = 'a'\ntoken = '{TOKEN}'\n[[clients]]\nname = 'a'\n"
            f"token = '{OTHER}'",
            "clients: the name a is there twice",
        ),
        (
            f"[[clients]]\nname = 'a'\ntoken = '{TOKEN}'\n[[clients]]\nname = 'b'\n"
            f"token = '{TOKEN}'",
            "clients: b has the token of a",
        ),
        (
            f"[[clients]]\nname = 'a'\ntoken = '{TOKEN} x'",
            "clients[1].token: expected `str` matching",
        ),
    ],
)
def test_wrong_files(text: str, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(text, {})
    assert str(caught.value).startswith(reason)
    assert TOKEN not in str(caught.value)


def test_the_page_shows_the_defaults() -> None:
    page = (Path(__file__).parents[3] / "docs" / "remote.md").read_text()
    example = page.partition("```toml\n")[2].partition("```")[0]
    settings = load(example.partition("[[clients]]")[0], {}).settings
    assert msgspec.structs.replace(settings, tls=None) == Settings()
    placeholders = {
        "at least 16 characters without blanks": TOKEN,
        "the digest in 64 hexadecimal digits": "0" * 64,
    }
    for placeholder, value in placeholders.items():
        example = example.replace(placeholder, value)
    ann = load(example, {}).accounts.find(TOKEN)
    assert ann is not None
    assert ann.quota.searches == 4
