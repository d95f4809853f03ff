"""A text with blanks, as the author of a suite writes it: `{goal}` stands for a value, `{{` for a brace.

It is filled here and not by `str.format`, in which a blank can ask for more: `{goal:>3000000000}` for three
billion spaces, `{goal.attribute}` for what is behind a value.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping

from probatio.core.errors import UsageError

LONGEST_FILLED = 16 * 1024 * 1024
"""Characters. A blank may stand there more than once, and its value may be long."""

_PART = re.compile(r"(?P<brace>\{\{|\}\})|\{(?P<name>\w+)\}|(?P<text>[^{}]+)|(?P<wrong>\{[^{}]*\}?|\})")


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its blanks filled. Raises UsageError where that would be too long."""
    parts = [values[part] if blank else part for part, blank in _parts(text)]
    size = sum(map(len, parts))
    if size > LONGEST_FILLED:
        raise UsageError(
            f"`{text[:60]}` would be a text of {size:,} characters with its blanks filled; the most is "
            f"{LONGEST_FILLED:,}."
        )
    return "".join(parts)


def find_wrong_blank(text: str, names: Collection[str]) -> str | None:
    """The first part of the text that is no blank of one of these names, or None."""
    for match in _PART.finditer(text):
        if match["wrong"] or (match["name"] and match["name"] not in names):
            return match[0]
    return None


@functools.lru_cache(maxsize=256)
def _parts(text: str) -> tuple[tuple[str, bool], ...]:
    """The parts of the text, and whether each is the name of a blank."""
    return tuple(
        (match["name"], True) if match["name"] else (match[0][0] if match["brace"] else match[0], False)
        for match in _PART.finditer(text)
    )
