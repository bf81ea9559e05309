import io

import pytest

from kibitz.scripts.match.views import View, make_view
from kibitz.scripts.match.views.json_view import JsonView
from kibitz.scripts.match.views.live import LiveView
from kibitz.scripts.match.views.plain import PlainView
from tests.scripts.match.views.event_streams import example


class Stream(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Old(Stream):
    encoding = "iso-8859-1"


@pytest.mark.parametrize(
    ("stream", "terminal", "expected"),
    [
        (Stream(), "xterm-256color", LiveView),
        (Stream(), "dumb", PlainView),
        (Stream(), "", PlainView),
        (Old(), "xterm", PlainView),
        (io.StringIO(), "xterm", PlainView),
        (io.TextIOWrapper(io.BytesIO(), "utf-8"), "xterm", PlainView),
    ],
)
def test_the_view_that_fits(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, terminal: str, expected: type[View]
) -> None:
    monkeypatch.setenv("TERM", terminal)
    settings = example().settings
    assert type(make_view(settings, json=False, stream=stream)) is expected
    assert type(make_view(settings, json=True, stream=stream)) is JsonView


@pytest.mark.parametrize("json", [False, True])
def test_views_leave_their_stream_open(monkeypatch: pytest.MonkeyPatch, json: bool) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Stream()
    with make_view(example().settings, json=json, stream=stream) as view:
        for event in example().events:
            view(event)
    assert not stream.closed
    assert "stopped by the user" in stream.getvalue()
