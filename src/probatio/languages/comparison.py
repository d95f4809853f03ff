"""Comparison: when what was printed counts as what is expected. One row for each way.

Two outputs are the same if their normal forms are. Under `numbers`, words that are numbers may differ by the
tolerance, or by that share of the expected number where it is larger than 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from probatio.core.records import Compare, NumbersWithin


def trim(text: str) -> str:
    """Line ends of one kind, no white space round the whole."""
    return text.replace("\r\n", "\n").strip()


def _trim_lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n")).rstrip("\n")


def _join_tokens(text: str) -> str:
    return " ".join(text.split())


_FORMS: dict[str, Callable[[str], str]] = {
    "exact": str,
    "trimmed": trim,
    "lines": _trim_lines,
    "tokens": _join_tokens,
}
USUAL = "trimmed"
_NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,3})?")


def normal_form(text: str, compare: Compare) -> str:
    """The text as it is compared."""
    if isinstance(compare, NumbersWithin):
        return _join_tokens(text)
    return _FORMS[compare or USUAL](text)


def keeps_margin(compare: Compare) -> bool:
    """Whether blanks before the first line count."""
    return compare in ("exact", "lines")


def show_output(text: str, compare: Compare) -> str:
    """An expected output as a prompt shows it."""
    return normal_form(text, compare) if keeps_margin(compare) else text.strip()


def is_same(printed: str, expected: str, compare: Compare) -> bool:
    """Whether what was printed counts as what is expected."""
    one, other = normal_form(printed, compare), normal_form(expected, compare)
    if one == other or not isinstance(compare, NumbersWithin):
        return one == other
    words, wanted = one.split(" "), other.split(" ")
    within = Decimal(str(compare.numbers))
    return len(words) == len(wanted) and all(
        word == want or _is_near(word, want, within) for word, want in zip(words, wanted, strict=True)
    )


def _is_near(word: str, want: str, within: Decimal) -> bool:
    if not (_NUMBER.fullmatch(word) and _NUMBER.fullmatch(want)):
        return False
    number, wanted = Decimal(word), Decimal(want)
    return abs(number - wanted) <= within * max(Decimal(1), abs(wanted))
