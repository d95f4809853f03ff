"""Markdown that foreign text can't break: tables, fenced blocks and quotes of what models and tasks say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_BACKTICKS = re.compile(r"`+")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_STARTS_BLOCK = re.compile(r"^(\s*)([#>=~]|-{2,}|-\s*$|\*[\s*]*$|_{3,}|`{3,})")


def format_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table, one line per row."""
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(escape_cell(value) for value in row)} |" for row in rows),
    ]


def escape_cell(value: object) -> str:
    """One cell: no bar and no line break gets out of it, and no tag works in it."""
    return _TAG.sub("&lt;", " ".join(str(value).split()).replace("\\", "\\\\").replace("|", "\\|"))


def fence(text: str) -> list[str]:
    """A block of text as it is, behind a fence longer than any in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *text.strip("\n").splitlines(), fence]


def quote(text: str) -> list[str]:
    """Prose of a foreign hand as a quote that makes no heading, table, block, link or tag."""
    return [f"> {_disarm(line)}".rstrip() for line in text.strip().splitlines()]


def _disarm(line: str) -> str:
    plain = "".join(character for character in line if character.isprintable() or character == "\t")
    for sign, instead in (("\\", "\\\\"), ("<", "&lt;"), ("|", "\\|"), ("[", "\\["), ("]", "\\]")):
        plain = plain.replace(sign, instead)
    return _STARTS_BLOCK.sub(lambda match: f"{match[1]}\\{match[2]}", plain)
