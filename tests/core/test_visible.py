"""Text made safe to show: what would act is seen, what is seen stays, and JSON keeps its meaning."""

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatio.core.text.visible import VisibleStream, make_one_line, make_visible, unwrap_stream

HARMLESS = "Salvē, munde! 日本語 العربية עברית 👩‍👩‍👧 á … – «»\tx\ny"


def test_ordinary_text_of_every_script_stays() -> None:
    assert make_visible(HARMLESS) == HARMLESS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\x9b31m", "\\u009b31m"),
        ("\x1b]8;;http://x\x07", "\\u001b]8;;http://x\\u0007"),
        ("a\rb\x08c\x7f\x00\x85", "a\\u000db\\u0008c\\u007f\\u0000\\u0085"),
        ("\u202egnp.exe\u2066\u200f\u061c", "\\u202egnp.exe\\u2066\\u200f\\u061c"),
        ("\u200b\ufeff\u2060\u2028\u2029", "\\u200b\\ufeff\\u2060\\u2028\\u2029"),
        ("\ud800 \udfff", "\\ud800 \\udfff"),
        ("\U000e0041", "\\udb40\\udc41"),
    ],
)
def test_what_would_act_is_seen(text: str, shown: str) -> None:
    assert make_visible(text) == shown


def test_one_line_stays_one_line() -> None:
    assert (
        make_one_line("a\nb\r\nc\td\x0be\x0cf\u2028g\x85h")
        == "a\\nb\\r\\nc\\td\\u000be\\u000cf\\u2028g\\u0085h"
    )


@given(st.text())
def test_shown_text_is_one_a_terminal_can_take_and_json_means_the_same(text: str) -> None:
    assert len(make_one_line(text).splitlines()) <= 1
    make_one_line(text).encode()
    for ascii_only in (True, False):
        assert json.loads(make_visible(json.dumps(text, ensure_ascii=ascii_only))) == text


def test_a_stream_shows_everything_and_can_be_drawn_on_by_us() -> None:
    under = io.StringIO()
    stream = VisibleStream(under)
    print("a\x1b[2Jb", file=stream)
    stream.writelines(["\x07", "c"])
    unwrap_stream(stream).write("\x1b[A")  # type: ignore[arg-type]
    assert under.getvalue() == "a\\u001b[2Jb\n\\u0007c\x1b[A"
    assert not stream.isatty()
    assert unwrap_stream(sys.stdout) is sys.stdout
