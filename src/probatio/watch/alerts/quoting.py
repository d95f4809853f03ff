"""Words of others in a message: shown as they are, but nothing in them acts on a channel or on its reader.

A model, a server and a results folder all put words into an alert: an answer, a name, a reason. Each service
acts on other signs (`@everyone`, `<!channel>`, `[text](address)`, a bare address), and Apprise knows about a
hundred services. So every sign that one of them acts on is replaced by one that looks alike, for all of them.
"""

from __future__ import annotations

import re

from probatio.core.redact import redact
from probatio.core.text.visible import make_one_line

LOOK_ALIKES = {
    "@": "＠",  # @everyone, @here, a name, an address of mail
    "<": "＜",  # <!channel>, <@U123>, <address|text>, HTML
    ">": "＞",
    "&": "＆",  # an entity that stands for one of these
    "[": "［",  # [text](address)
    "]": "］",
    "`": "'",  # the end of a quotation as code
    "*": "＊",
    "~": "～",
    "|": "｜",
    "#": "＃",  # a heading, a channel
}
"""A sign that a service acts on → the one that is shown. The underscore stays: italics do no harm."""

_COLON, _DOT = "：", "․"
_SCHEME = re.compile(
    r":(?=//)|(?<=\bmailto):|(?<=\btel):|(?<=\bsms):|(?<=\bsip):|(?<=\bgeo):|(?<=\bdata):|(?<=\bxmpp):"
    r"|(?<=\bskype):|(?<=\bmagnet):|(?<=\bcallto):|(?<=\bfacetime):|(?<=\bvbscript):|(?<=\bjavascript):",
    re.IGNORECASE,
)
_HOST = re.compile(r"(?<=\w)\.(?=[^\W\d_]{2})")
"""The dot of `example.org`, which many programs make a link by itself; not that of `2.5` or of a sentence."""

TITLE = 200
LINE = 1000
"""Characters of a title and of a line: a name of a megabyte would keep the whole message from arriving."""


def make_harmless(text: str, most: int = LINE) -> str:
    """One line of text without a key, without signs that act, and not longer than `most`."""
    shown = make_one_line(redact(text))
    shown = "".join(LOOK_ALIKES.get(sign, sign) for sign in shown)
    shown = _HOST.sub(_DOT, _SCHEME.sub(_COLON, shown))
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def quote_answer(text: str) -> str:
    """An answer as code. No backtick is left in it that could end the quotation."""
    shown = make_harmless(text)
    return f"`{shown} `" if shown.endswith("\\") else f"`{shown}`"
