"""Markdown that foreign text can't break: tables, fenced blocks and quotes of what models and tasks say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from probatio.core.text.visible import make_visible

_BACKTICKS = re.compile(r"`+")
_STARTS_BLOCK = re.compile(r"^(\s*)([#>=~\[]|-{2,}|-\s*$|\*[\s*]*$|_{3,}|`{3,})")
_LIVE = (
    (re.compile(r"\\"), r"\\\\"),
    (re.compile(r"\|"), r"\\|"),
    (re.compile(r"&(?=#?\w+;)"), "&amp;"),
    (re.compile(r"<(?=[A-Za-z/!?])"), "&lt;"),
    (re.compile(r"\](?=[(\[:])"), r"\\]"),  # what makes a link of brackets; intervals stay as they are
    (re.compile(r"(?<=!)\["), r"\\["),
    (re.compile(r":(?=//)|(?<=mailto):|(?<=xmpp):", re.IGNORECASE), r"\\:"),  # bare addresses, as on GitHub
    (re.compile(r"(?<=www)\.", re.IGNORECASE), r"\\."),
    (re.compile(r"(?<=\S)@(?=\S)"), r"\\@"),
)
"""What acts in Markdown, and how it is written to be seen."""


def format_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table, one line per row."""
    return [
        f"| {' | '.join(map(escape_markdown, head))} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(escape_markdown(value) for value in row)} |" for row in rows),
    ]


def escape_markdown(value: object) -> str:
    """Any text as one line that Markdown shows as it is: a name in it makes no link, image, tag, cell,
    heading or block. Backticks and stars may still set their own words in another type."""
    return _disarm(" ".join(make_visible(str(value).replace("\x85", " ")).split()))


def fence(text: str) -> list[str]:
    """A block of text as it is, behind a fence longer than any in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *text.strip("\n").splitlines(), fence]


def quote(text: str) -> list[str]:
    """Prose of a foreign hand as a quote that makes no heading, table, block, link or tag."""
    return [f"> {_disarm(make_visible(line))}".rstrip() for line in text.strip().splitlines()]


def _disarm(line: str) -> str:
    for sign, instead in _LIVE:
        line = sign.sub(instead, line)
    return _STARTS_BLOCK.sub(lambda match: f"{match[1]}\\{match[2]}", line)
