"""Text that is safe to show: control characters, terminal escapes and marks of direction become visible.

A sign becomes `\\u001b` and the like. Within JSON that is the same text in another spelling, so `--json`
stays lossless.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TextIO

from probatio.core.redact import redact

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters (ESC, one-byte CSI, …) but tab and line feed
    "\xad\u061c\u180e\u200b\u200e\u200f\u2060-\u206f\ufeff\ufff9-\ufffb"  # no width, or marks of direction
    "\u2028-\u202e"  # separators that end a line, and the overrides of direction
    "\ud800-\udfff"  # half a pair: no terminal and no log can take it
    "\U000e0000-\U000e007f"  # tags: whole sentences that no one sees
    "]"
)


def make_visible(text: str) -> str:
    """The text with every sign shown that would act instead of being seen; lines and tabs stay."""
    return _UNSEEN.sub(_show, text)


def make_one_line(text: str) -> str:
    """The same within one line, so that what a server says can't pass for a line of ours."""
    return make_visible(text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t"))


def make_question(text: str) -> str:
    """What a prompt may show: as output, and within one line, so that no part passes for an answer or for
    another question. A prompt goes to the terminal itself, past every stream of ours."""
    return make_one_line(redact(text))


class VisibleStream:
    """A terminal or a log that gets only visible text and no key. `raw` is the stream, for our displays."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        self.raw.write(make_visible(redact(text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def unwrap_stream(stream: TextIO) -> TextIO:
    """The stream under a `VisibleStream`, for a display that draws with escapes."""
    return stream.raw if isinstance(stream, VisibleStream) else stream


def _show(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
