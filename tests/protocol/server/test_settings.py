"""Settings: what is taken, and how everything that is wrong with them is told."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kibitz.protocol.quota import Quota
from kibitz.protocol.server.clients import Client
from kibitz.protocol.server.origins import OPTIONS, SettingsError
from kibitz.protocol.server.settings import Settings, load
from kibitz.protocol.server.wanted import struct_in, without_none

TOKEN = "a-long-and-secret-word"
OTHER = "another-long-and-secret-word"
THIRD = "the-third-of-these-secret-words"
DIGEST = hashlib.sha256(OTHER.encode()).hexdigest()


def told(text: str, tokens: str = "", file: str = "", **overrides: Any) -> str:
    """Give the error for settings; it is one line, and no token is in it."""
    with pytest.raises(SettingsError) as caught:
        load(text, {"KIBITZ_TOKENS": tokens}, overrides, file)
    error = str(caught.value)
    assert error.isprintable()
    for secret in (TOKEN, OTHER, THIRD):
        assert secret not in error
    return error


# What is taken.


def test_an_empty_file_has_defaults() -> None:
    configuration = load("", {})
    settings = configuration.settings
    assert settings.listen == ("127.0.0.1:4880",)
    assert settings.tls is None
    assert settings.searches.all_cores >= 1
    assert settings.searches.all_megabytes >= 1
    assert configuration.accounts.is_empty


def test_a_whole_file() -> None:
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
        token_sha256 = "{DIGEST}"
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
    assert [str(each.address) for each in configuration.addresses] == list(settings.listen)
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
    ("text", "tokens", "has_plain"),
    [
        ("", "", False),
        (f"clients = [{{name = 'a', token = '{TOKEN}'}}]", "", True),
        (f"clients = [{{name = 'a', token_sha256 = '{DIGEST}'}}]", "", False),
        (f"clients = [{{name = 'a', token_sha256 = '{DIGEST}'}}]", f"b={TOKEN}", False),
        (f"#token\nclients = [{{name = 'token', token_sha256 = '{DIGEST}'}}]", "", False),
        (
            f"clients = [{{name = 'a', token_sha256 = '{DIGEST}'}},"
            f"{{name = 'b', token = '{TOKEN}'}}]",
            "",
            True,
        ),
    ],
)
def test_whether_the_file_has_tokens(text: str, tokens: str, has_plain: bool) -> None:
    configuration = load(text, {"KIBITZ_TOKENS": tokens})
    assert configuration.has_plain_tokens == has_plain


def test_the_command_line_can_give_half_of_what_tls_needs() -> None:
    configuration = load(
        "tls = { certificate = 'c', key = 'k' }", {}, {"tls.certificate": "other"}, "x.toml"
    )
    assert msgspec.to_builtins(configuration.settings.tls) == {"certificate": "other", "key": "k"}
    assert configuration.origins.name("tls.certificate") == "--certificate"
    assert configuration.origins.name("tls.key") == "x.toml: tls.key"


# Single mistakes: a file, and all that is to be said about it.

TLS = "{ certificate = 'c', key = 'k' }"
ANN = f"[[clients]]\nname = 'ann'\ntoken = '{TOKEN}'\n"

MISTAKES = [
    ("listen = []", "listen: a list without any address is not a list of HOST:PORT"),
    ("listen = 4880", "listen: 4880 is not a list of texts"),
    ("listen = '127.0.0.1:1'", "listen: '127.0.0.1:1' is not a list of texts"),
    ("listen = [3, '127.0.0.1:1']", "listen[1]: 3 is not a text"),
    (
        "listen = ['127.0.0.1:1', '4880']",
        "listen[2]: '4880' is not HOST:PORT, or [HOST]:PORT for IPv6",
    ),
    ("listen = ['h:65536']", "listen[1]: 'h:65536' has no port from 0 to 65535"),
    (
        "listen = ['Localhost:1', '[::1]:1', 'localhost:1']",
        "listen[3]: localhost:1 is there twice",
    ),
    ("listen = ['127.0.0.1:0', '127.0.0.1:0']", "listen[2]: 127.0.0.1:0 is there twice"),
    ("insecure = 'yes'", "insecure: 'yes' is not true or false"),
    ("log_level = 'loud'", "log_level: 'loud' is not one of debug, info, warning, error"),
    ("log_level = ''", "log_level: an empty text is not one of debug, info, warning, error"),
    ("stop_seconds = -1", "stop_seconds: -1 is not a number from 0 to 1000000000"),
    ("grace_seconds = inf", "grace_seconds: inf is not a number from 0 to 1000000000"),
    ("grace_seconds = 2020-01-01", "a date or time is not a number from 0 to 1000000000"),
    ("tls = 3", "tls: 3 is not a table"),
    ("tls = { certificate = 'c' }", "tls.key: is missing"),
    ("tls = { certificate = 'c', key = 1 }", "tls.key: 1 is not a text"),
    ("[connections]\nmost = 0", "connections.most: 0 is not a whole number from 1 to 1000000"),
    (
        f"[connections]\nmost = {'9' * 60}",
        "connections.most: a very large number is not a whole number from 1 to 1000000",
    ),
    (
        f"[connections]\nmost = 0x{'f' * 5000}",
        "connections.most: a very large number is not a whole number from 1 to 1000000",
    ),
    (
        f"[connections]\nstuck_seconds = '{TOKEN}'",
        "connections.stuck_seconds: a text of 22 characters is not a number above 0, "
        "at most 1000000000",
    ),
    ("[searches]\ncores = 1.5", "searches.cores: 1.5 is not a whole number from 1 to 1000000"),
    ("[searches]\nbegun = true", "searches.begun: true is not a whole number from 1 to 1000000"),
    ("[searches]\nslice_seconds = nan", "nan is not a number above 0, at most 1000000000"),
    ("quota = []", "quota: a list is not a table"),
    ("[quota]\nover = 'maybe'", "quota.over: 'maybe' is not one of wait, refuse"),
    ("[quota]\nlongest = 0", "quota.longest: 0 is not a number above 0"),
    ("[quota]\nhash = {}", "quota.hash: a table is not a whole number from 1 to 1000000"),
    ("clients = 3", "clients: 3 is not a list of tables"),
    ("clients = [3]", "clients[1]: 3 is not a table"),
    ("[[clients]]", "clients[1].name: is missing"),
    (
        f"{ANN}[[clients]]\nname = 'two words'\ntoken = '{OTHER}'",
        "clients[2].name: 'two words' is not 1 to 64 printable ASCII characters without blanks",
    ),
    (
        f"[[clients]]\nname = '{TOKEN} '\ntoken = '{OTHER}'",
        "clients[1].name: a text of 23 characters is not 1 to 64 printable ASCII characters",
    ),
    (
        "[[clients]]\nname = 'a'\ntoken = 'short'",
        "clients[1].token: a text of 5 characters is not 16 to 256 printable ASCII characters "
        "without blanks",
    ),
    (
        f"[[clients]]\nname = 'a'\ntoken = '{TOKEN} x'",
        "clients[1].token: a text of 24 characters is not 16 to 256 printable ASCII characters",
    ),
    (
        f'[[clients]]\nname = "a"\ntoken = "{TOKEN}\\n"',
        "clients[1].token: a text of 23 characters is not 16 to 256 printable ASCII characters",
    ),
    ("[[clients]]\nname = 'a'\ntoken = 12345678", "clients[1].token: a number is not 16 to 256"),
    (
        f"[[clients]]\nname = 'a'\ntoken_sha256 = '{TOKEN}'",
        "clients[1].token_sha256: a text of 22 characters is not 64 hexadecimal digits, the "
        "letters small",
    ),
    (
        f'[[clients]]\nname = "a"\ntoken_sha256 = "{DIGEST}\\n"',
        "clients[1].token_sha256: a text of 65 characters is not 64 hexadecimal digits",
    ),
    ("[[clients]]\nname = 'a'", "clients[1]: has no token; it needs token or token_sha256"),
    (
        f"[[clients]]\nname = 'a'\ntoken = '{TOKEN}'\ntoken_sha256 = '{DIGEST}'",
        "clients[1]: has both token and token_sha256; it needs one of them",
    ),
    (
        f"{ANN}[[clients]]\nname = 'ann'\ntoken = '{OTHER}'",
        "clients[2].name: 'ann' is the name of clients[1] too",
    ),
    (
        f"{ANN}[[clients]]\nname = 'bob'\ntoken = '{TOKEN}'",
        "clients[2].token: is for the same token as clients[1].token",
    ),
    (
        f"[[clients]]\nname = 'a'\ntoken_sha256 = '{DIGEST}'\n"
        f"[[clients]]\nname = 'bob'\ntoken = '{OTHER}'",
        "clients[2].token: is for the same token as clients[1].token_sha256",
    ),
    (
        f"{ANN}quota = {{ hash = -1 }}",
        "clients[1].quota.hash: -1 is not a whole number from 1 to 1000000",
    ),
    ("colour = 'red'", "colour: there is no such key; known are listen, insecure, log_level, "),
    ("[tls]\ncertificate = 'c'\nkey = 'k'\nca = 1", "tls.ca: there is no such key; known are"),
    (f"{ANN}quota = {{ size = 3 }}", "clients[1].quota.size: there is no such key; known are"),
    ('"a\\nb" = 1', "a?b: there is no such key"),
    (f"{'a' * 15} = 1", f"{'a' * 15}: there is no such key"),
    (f"{'a' * 16} = 1", "a key of 16 characters: there is no such key"),
    (f"{'a' * 500} = 1", "a key of 500 characters: there is no such key"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_mistake_is_said_in_plain_words(text: str, said: str) -> None:
    error = told(text)
    assert said in error
    # One mistake, so nothing else is said to be wrong.
    if text != "[[clients]]":
        assert error.startswith(said) or error.partition(": ")[2].startswith(said)
        assert (
            re.sub(r"(there is no such key|has (no token|both [^;]*));", "", error).count(";") == 0
        )
    assert told(text, file="x.toml") == f"x.toml: {error}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("listen = ", " (at "),
        ("a = 1\na = 1", " (at "),
        ("a = '\x01'", " (at "),
        (f"a = {'9' * 5000}", "a number in it has too many digits"),
        (f"a = {'[' * 5000}", ""),
        (f"[{'a' * 5000}]\n" * 2, " (at "),
    ],
)
def test_what_is_no_toml(text: str, said: str) -> None:
    """What the file does not have to be read for is said all the same, and nothing else."""
    error = told(text, "nonsense", "x.toml", log_level="loud", **{"tls.key": "k"})
    before, _, after = error.partition("; x.toml: this is no TOML: ")
    assert before == (
        "--log-level: 'loud' is not one of debug, info, warning, error; "
        "KIBITZ_TOKENS[1]: this entry is not NAME=TOKEN"
    )
    assert said in after
    assert len(after) < 300
    assert ";" not in after


# Many mistakes: all are named at once.

WRONG_FILE = f"""
listen = [3, "127.0.0.1:1", "127.0.0.1:1", "h:x"]
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
[[clients]]
name = "ann"
[[clients]]
name = "bob"
token = "{TOKEN}"
token_sha256 = "{DIGEST}"
[[clients]]
name = "bob"
token = "{THIRD}"
[[clients]]
name = "carol"
token = "{THIRD}"
"""

PLACES = [
    "listen[1]", "listen[3]", "listen[4]", "colour", "stop_seconds", "tls.key",
    "connections.most", "connections.stuck_seconds", "searches.cores", "quota.over",
    "clients[1].name", "clients[1].token", "clients[1].quota.hash", "clients[1].quota.threads",
    "clients[1].quota.size", "clients[2].name", "clients[2].token_sha256", "clients[3]",
    "clients[4]", "clients[5].name", "clients[6].token",
]  # fmt: skip


def test_everything_that_is_wrong_is_named_in_one_round() -> None:
    """And where it came from: what is of the file comes after its name."""
    error = told(
        WRONG_FILE, f"bob={OTHER},{OTHER},dora=short", "my.toml", log_level="loud"
    )  # fmt: skip
    others, _, of_file = error.partition("my.toml: ")
    for place in PLACES:
        assert len(re.findall(rf"(?:^|; ){re.escape(place)}: ", of_file)) == 1, place
    names = "--log-level KIBITZ_TOKENS[1].name KIBITZ_TOKENS[1].token KIBITZ_TOKENS[2]"
    for place in (*names.split(), "KIBITZ_TOKENS[3].token"):
        assert len(re.findall(rf"(?:^|; ){re.escape(place)}: ", others)) == 1, place
    assert "my.toml" not in of_file


@pytest.mark.parametrize("file", ["", "my.toml"])
@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("listen", ["nonsense"], "--listen: 'nonsense' is not HOST:PORT"),
        ("listen", [""], "--listen: '' is not HOST:PORT"),
        ("listen", ["h:1", "h:1"], "--listen: h:1 is there twice"),
        ("log_level", "loud", "--log-level: 'loud' is not one of debug, info, warning, error"),
        ("tls.certificate", "c", "--key: is missing"),
        ("tls.key", "k", "--certificate: is missing"),
    ],
)
@pytest.mark.parametrize("text", ["", "listen = ['127.0.0.1:1']\nlog_level = 'info'"])
def test_the_command_line_is_blamed_for_its_own(
    path: str, value: Any, said: str, text: str, file: str
) -> None:
    assert told(text, file=file, **{path: value}).startswith(said)
    assert ";" not in told(text, file=file, **{path: value})


def test_who_gave_what_is_missing_is_blamed() -> None:
    half = {"tls.certificate": "c"}
    assert told("tls = { ca = 1 }", file="x", **half).endswith("tls.key: is missing")
    assert told("tls = 3", file="x", **half) == "x: tls: 3 is not a table"


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ("ann", "KIBITZ_TOKENS[1]: this entry is not NAME=TOKEN"),
        (f"eve={OTHER},", "KIBITZ_TOKENS[2]: this entry is not NAME=TOKEN"),
        (f"={TOKEN}", "KIBITZ_TOKENS[1]: this entry is not NAME=TOKEN"),
        ("eve=short", "KIBITZ_TOKENS[1].token: a text of 5 characters is not 16 to 256 "),
        ("eve=\udcff" + TOKEN, "KIBITZ_TOKENS[1].token: a text of 23 characters is not 16 to 256 "),
        (f"{TOKEN}=ann", "KIBITZ_TOKENS[1].token: a text of 3 characters is not 16 to 256 "),
        (f"a b={OTHER}", "KIBITZ_TOKENS[1].name: 'a b' is not 1 to 64 printable "),
        (f"a={OTHER},a={THIRD}", "KIBITZ_TOKENS[2].name: 'a' is the name of KIBITZ_TOKENS[1] too"),
        (
            f"a={OTHER},b={OTHER}",
            "KIBITZ_TOKENS[2].token: is for the same token as KIBITZ_TOKENS[1].token",
        ),
        (f"ann={OTHER}", "KIBITZ_TOKENS[1].name: 'ann' is the name of clients[1] too"),
        (f"b={TOKEN}", "KIBITZ_TOKENS[1].token: is for the same token as clients[1].token"),
    ],
)
def test_the_environment_is_blamed_for_its_own(tokens: str, said: str) -> None:
    error = told(ANN, tokens, "my.toml")
    assert error.startswith(said)
    assert ";" not in error
    assert "my.toml" not in error


# Every setting there is, with values of every kind.


def settings_of(shape: type[msgspec.Struct], path: str = "") -> Iterator[tuple[str, Any]]:
    """List the paths and the types of all settings; the first of every list."""
    for field in msgspec.structs.fields(shape):
        where = f"{path}.{field.name}" if path else field.name
        inner = struct_in(field.type)
        if inner is None:
            yield where, without_none(field.type)
        else:
            yield from settings_of(inner, f"{where}[1]" if inner is Client else where)


ALL = dict(settings_of(Settings))

VALUES = {
    "true": "true", "-1": "-1", "1.5": "1.5", "-inf": "-inf", "nan": "nan", "1e300": "1e+300",
    "'word'": "'word'", "''": "an empty text", "[]": "a list", "[1]": "a list", "{}": "a table",
    "12:00:00": "a date or time", "2020-01-01": "a date or time",
    "99999999999999999999": "99999999999999999999",
}  # fmt: skip


def in_a_file(path: str, value: str) -> str:
    """Write one setting into a file; what else is missing then is told as well."""
    path = path.replace("clients[1]", "clients")
    table, _, key = path.partition(".")
    if table == "clients":
        return f"[[clients]]\n{key} = {value}"
    return f"{path} = {value}"


def test_all_settings_are_known() -> None:
    assert set(OPTIONS) <= set(ALL)
    assert {path for path in ALL if path.startswith("quota.")} == {
        f"quota.{name}" for name in Quota.__struct_fields__
    }


@pytest.mark.parametrize("path", ALL)
def test_every_setting_says_in_plain_words_what_it_wants(path: str) -> None:
    refused = 0
    for value, what in VALUES.items():
        try:
            load(in_a_file(path, value), {})
        except SettingsError as caught:
            faults = str(caught).split("; ")
        else:
            continue
        own = [fault for fault in faults if re.match(rf"{re.escape(path)}(\[1\])?: ", fault)]
        if not own:
            # Something else is missing beside it.
            assert path.startswith(("tls.", "clients[1]")), faults
            continue
        refused += 1
        (fault,) = own
        found, _, wanted = fault.partition(": ")[2].partition(" is not ")
        secret = path.rpartition(".")[2] in ("token", "token_sha256")
        item_of_list = path == "listen" and value in ("[]", "[1]")
        assert found == what or secret or item_of_list, fault
        plain = r"true or false|one of [\w, ]+|a list of [\w:]+|HOST:PORT.*|a text"
        plain += r"|a (whole )?number (from \d+ to \d+|above \d+(, at most \d+)?)"
        plain += r"|(1|16|64)( to \d+)? (printable ASCII characters without blanks|hexadecimal.*)"
        assert re.fullmatch(plain, wanted), fault
    assert refused > 5


@pytest.mark.parametrize("path", ALL)
def test_the_bounds_that_are_said_are_those_that_are_kept(path: str) -> None:
    if path.startswith("clients[1]"):
        return
    try:
        load(in_a_file(path, "[]"), {})
    except SettingsError as caught:
        bounds = re.search(r"a (whole )?number from (\d+) to (\d+)", str(caught))
    if bounds is None:
        return
    least, most = int(bounds[2]), int(bounds[3])
    for value in (least, most):
        load(in_a_file(path, str(value)), {})
    for value in (least - 1, most + 1):
        assert f"{path}: {value} is not {bounds[0]}" in told(in_a_file(path, str(value)))


@pytest.mark.parametrize("path", ALL)
@pytest.mark.parametrize("where", ["{}", "x {}", "{}\\t"])
def test_a_token_at_any_place_is_not_told(path: str, where: str) -> None:
    if path in ("listen", "tls.certificate", "tls.key"):
        return
    told(in_a_file(path, '"' + where.format(TOKEN) + '"'))


# The page.


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


@pytest.mark.parametrize(
    "text",
    [
        f"{table}\n{TOKEN!r} = {value}"
        for table in (
            "", "[tls]", "[connections]", "[searches]", "[quota]", "[[clients]]",
            "[[clients]]\n[clients.quota]",
        )
        for value in ("'a'", "{}", "[1]")
    ]
    + [
        f"['{TOKEN}']", f"[['{TOKEN}']]", f"quota.{TOKEN!r}.x = 1", f"{TOKEN!r} = 1\n{TOKEN!r} = 2",
        f"['{TOKEN}']\n['{TOKEN}']", f"[quota.'{TOKEN}']\n[quota.'{TOKEN}']",
        f"quota = {{ {TOKEN!r} = 1, {TOKEN!r} = 2 }}", f"quota = {{}}\n[quota.'{TOKEN}']",
    ],
)  # fmt: skip
def test_a_token_in_the_place_of_a_key_is_never_shown(text: str) -> None:
    for file in ("", "x.toml"):
        error = told(text, file=file)
        assert TOKEN not in error
        assert TOKEN[:10] not in error
        assert TOKEN[-10:] not in error
