"""Questions about a report: how an answer is compared with the gold, by the kind of the question, 0–1."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from probatio.builtin.daily.reading.values import MAGNITUDES, day, fold_text, number

HALF = 0.5  # near, or right in the wrong form


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question's gold. The kind `absent` is for what the report does not say."""

    kind: str
    value: Any = None
    also: tuple[Any, ...] = ()  # other answers that are as right
    tolerance: float = 0.0
    scale: float = 1.0  # 12.4 (million) may also be written out, as 12,400,000
    weight: float = 1.0
    rung: int = 0
    near: float = 0.3  # of an amount: at most so much for one that is nearly right …
    within: float = 0.03  # … less the further off it is, nothing from this share of it on


Names = tuple[str, ...]

_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_FIGURES = re.compile(
    r"(?<![\w.,])(?P<digits>[-−]?\d[\d.,'’]*(?:\s\d{3}(?!\d)[\d.,]*)*)(?P<magnitude>\s*(?:"
    + "|".join(MAGNITUDES)
    + r")\b)?",
    re.IGNORECASE,
)
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_HEDGE = re.compile(
    r"\d|\b(?:but|probably|likely|perhaps|maybe|estimated?|approximately|about|around|or|assum\w*)\b"
)


def _number(question: Question, answer: Any, names: Names) -> float:
    """All of it within the tolerance, half within four times it: the right way, rounded carelessly."""
    value = the_number(answer)
    if value is None:
        return 0.0
    off = min(
        abs(value - meant) for meant in (question.value, question.value * question.scale, *question.also)
    )
    if off <= question.tolerance + 1e-9:
        return 1.0
    return HALF if off <= 4 * question.tolerance + 1e-9 else 0.0


def _amount(question: Question, answer: Any, names: Names) -> float:
    """1 if exact, else something for an estimate that is close: a sum over forty rows is hard."""
    value = the_number(answer)
    if value is None:
        return 0.0
    off = float(abs(value - question.value))
    if off < 1e-9:
        return 1.0
    return question.near * max(0.0, 1 - off / (question.within * abs(float(question.value))))


def the_number(answer: Any) -> float | None:
    """The one number in an answer; None if there is none, or if there are two."""
    if not isinstance(answer, str):
        return number(answer)
    text = _ASIDE.sub(" ", answer[:200]).split("=")[-1].strip()
    if (whole := number(text)) is not None:
        return whole
    values = {number(match[0]) for match in _FIGURES.finditer(text)}
    return values.pop() if len(values) == 1 else None


def _name(question: Question, answer: Any, names: Names) -> float:
    """The right name and none of its rivals, in an answer not much longer than it."""
    if not isinstance(answer, str):
        return 0.0
    text = fold_text(_ASIDE.sub(" ", answer[:300]))
    meant = [fold_text(name) for name in (question.value, *question.also)]
    if text in meant:
        return 1.0
    rivals = [fold_text(name) for name in names if fold_text(name) not in meant]
    if (
        len(text.split()) > 12
        or any(_holds(text, rival) for rival in rivals)
        or re.search(r"\bor\b|/|\?", text)
    ):
        return 0.0
    return float(any(_holds(text, name) for name in meant))


def _holds(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _set(question: Question, answer: Any, names: Names) -> float:
    """The share named, less a wrong one for a right one: naming everything is not knowing which."""
    items = _items(answer, names)
    meant = {fold_text(name) for name in question.value}
    right = len(set(items) & meant)
    return max(0.0, (2 * right - len(items)) / len(meant))


def _ranking(question: Question, answer: Any, names: Names) -> float:
    """The share of pairs in order, stretched so that a shuffle earns nothing; all items must be there."""
    items = _items(answer, names)
    meant = [fold_text(name) for name in question.value]
    if sorted(items) != sorted(meant):
        return HALF * _set(question, answer, names) if items[:1] == meant[:1] else 0.0
    pairs = [(before, after) for at, before in enumerate(meant) for after in meant[at + 1 :]]
    right = sum(items.index(before) < items.index(after) for before, after in pairs)
    return max(0.0, 2 * right / len(pairs) - 1)


def _items(answer: Any, names: Names) -> list[str]:
    """The items of a list; each that holds one known name is that name."""
    if isinstance(answer, str):
        answer = re.split(r"[,;>→\n]|\band\b|\d[.)]\s", _ASIDE.sub(" ", answer[:500]))
    if not isinstance(answer, list):
        return []
    items = [fold_text(item) for item in answer[:50] if isinstance(item, str) and fold_text(item)]
    known = [fold_text(name) for name in names]
    held = [[name for name in known if _holds(item, name)] for item in items]
    return [one[0] if len(one) == 1 else item for item, one in zip(items, held, strict=True)]


def _day(question: Question, answer: Any, names: Names) -> float:
    given = day(_ASIDE.sub(" ", answer[:200]).strip()) if isinstance(answer, str) else None
    return float(given is not None and given == day(question.value))


def _yes_no(question: Question, answer: Any, names: Names) -> float:
    if isinstance(answer, str):
        first = re.match(r"\w+", fold_text(answer))
        answer = (
            _YES_NO.get(first[0])
            if first and not re.search(r"\byes\b.*\bno\b|\bno\b.*\byes\b", fold_text(answer))
            else None
        )
    return float(isinstance(answer, bool) and answer == question.value)


KINDS: dict[str, Callable[[Question, Any, Names], float]] = {
    "number": _number,
    "amount": _amount,
    "name": _name,
    "set": _set,
    "ranking": _ranking,
    "date": _day,
    "yes_no": _yes_no,
}


def is_absent(answer: Any, token: str) -> bool:
    """Whether the answer is the token for what the report does not say, without a guess after it."""
    if not isinstance(answer, str):
        return False
    text = fold_text(_ASIDE.sub(" ", answer[:300]))
    return text == token or (text.startswith(token) and not _HEDGE.search(text[len(token) :]))


def is_tried(answer: Any, token: str) -> bool:
    """Whether the answer commits itself to anything."""
    if answer is None or (isinstance(answer, str) and not answer.strip()):
        return False
    return not (isinstance(answer, str) and fold_text(answer).startswith(token))
