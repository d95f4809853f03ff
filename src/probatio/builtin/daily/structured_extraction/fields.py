"""Fields: how one extracted value is compared with its gold, by the kind the gold declares for it.

A kind is two small functions: whether a value has the form the schema asks for, and how much of the credit it
earns (0–1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from probatio.builtin.daily.reading.values import day, fold_text, is_iso, number, overlap

HALF = 0.5  # the right thing in the wrong form
_MOST_ITEMS = 100
_NOTHING = {"", "null", "none", "n/a", "unknown", "not stated", "not given", "-"}


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"kind": "as"}):
    """One field of the gold. `value` null means the text does not say it, and null is the right answer."""

    kind: str
    value: Any = None
    also: tuple[Any, ...] = ()  # other spellings that are as right
    of: str = "text"  # kind of the items of a set or list
    fields: dict[str, Field] = {}  # of an object; of each row
    weight: float = 1.0
    rung: int = 0  # on the ladder of the case; 0 if it has none


class FieldKind(NamedTuple):
    fits: Callable[[Any], bool]
    credit: Callable[[Field, Any], float]


def credit(field: Field, value: Any) -> float:
    """0–1: how right `value` is, whatever its type."""
    if field.value is None and field.kind != "object":
        return 1.0 if value is None else HALF * (isinstance(value, str) and fold_text(value) in _NOTHING)
    if value is None:
        return 0.0
    compare = KINDS[field.kind].credit
    return max(compare(_meaning(field, meant), value) for meant in (field.value, *field.also))


def fits(field: Field, value: Any) -> bool:
    """Whether `value` has the form of its kind; where the text does not say, null is the only form."""
    if field.value is None and field.kind != "object":
        return value is None
    return value is not None and KINDS[field.kind].fits(value)


def _meaning(field: Field, value: Any) -> Field:
    return msgspec.structs.replace(field, value=value, also=())


def _exact(field: Field, value: Any) -> float:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return 0.0
    given = str(value).strip()
    if given == field.value:
        return 1.0
    return HALF if _squeeze(given) == _squeeze(field.value) else 0.0


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", fold_text(text))


def _text(field: Field, value: Any) -> float:
    """All of it, or half of what the words share once most of them do."""
    if not isinstance(value, str):
        return 0.0
    if fold_text(value) == fold_text(field.value):
        return 1.0
    shared = overlap(value, field.value)
    return HALF * shared if shared >= HALF else 0.0


def _digits(field: Field, value: Any) -> float:
    """A telephone number: its digits and a leading plus, however they are grouped."""
    given = re.sub(r"[^\d+]", "", str(value)) if isinstance(value, str | int) else ""
    meant = re.sub(r"[^\d+]", "", field.value)
    if given == meant:
        return 1.0 if not isinstance(value, str) or not re.search(r"[^\W\d]|/|;", value) else HALF
    return 0.0


def _number(field: Field, value: Any) -> float:
    given = number(value)
    return float(given is not None and abs(given - field.value) <= 1e-6 * max(1.0, abs(field.value)))


def _bool(field: Field, value: Any) -> float:
    if isinstance(value, str):
        value = {"true": True, "yes": True, "false": False, "no": False}.get(fold_text(value))
    return float(isinstance(value, bool) and value == field.value)


def _date(field: Field, value: Any) -> float:
    if day(value) != day(field.value):
        return 0.0
    return 1.0 if is_iso(value) else HALF


def _time(field: Field, value: Any) -> float:
    """HH:MM or HH:MM:SS as the gold has it; the same moment written otherwise earns half."""
    if not isinstance(value, str):
        return 0.0
    if value.strip() == field.value:
        return 1.0
    match = re.fullmatch(
        r"(\d{1,2})(?:[:.h](\d\d))?(?::(\d\d))?\s*(am|pm|a\.m|p\.m|h|utc|z)?", fold_text(value)
    )
    if match is None:
        return 0.0
    hour = (
        int(match[1]) % 12 + 12 * (match[4][0] == "p") if match[4] and match[4][0] in "ap" else int(match[1])
    )
    given = (hour, int(match[2] or 0), int(match[3] or 0))
    meant = tuple(int(part) for part in f"{field.value}:00".split(":")[:3])
    return HALF if given == meant else 0.0


def _set(field: Field, value: Any) -> float:
    """F1 of the items, each matched once: leaving one out costs, and so does naming one too many."""
    return _f1(_match_best, [Field(field.of, value=item) for item in field.value], value)


def _list(field: Field, value: Any) -> float:
    """F1 of the items in their order."""
    return _f1(_in_order, [Field(field.of, value=item) for item in field.value], value)


def _rows(field: Field, value: Any) -> float:
    """F1 of the rows, each matched once with the row it resembles most and worth the mean of its columns."""
    rows = [
        {name: _meaning(column, row.get(name)) for name, column in field.fields.items()}
        for row in field.value
    ]
    return _f1(_match_best, [Field("object", fields=row) for row in rows], value)


def _object(field: Field, value: Any) -> float:
    if not isinstance(value, dict):
        return 0.0
    total = sum(inner.weight for inner in field.fields.values())
    earned = sum(
        inner.weight * credit(inner, value[name]) for name, inner in field.fields.items() if name in value
    )
    return earned / total


def _f1(match: Callable[[list[list[float]]], float], golds: Sequence[Field], value: Any) -> float:
    given = value if isinstance(value, list) else [value]
    grid = [[credit(gold, one) for one in given[:_MOST_ITEMS]] for gold in golds]
    return 2 * match(grid) / (len(golds) + len(given)) if golds or given else 1.0


def _match_best(grid: list[list[float]]) -> float:
    """The best pairs first, each row and column used once."""
    pairs = sorted(
        ((worth, g, s) for g, row in enumerate(grid) for s, worth in enumerate(row) if worth), reverse=True
    )
    golds: set[int] = set()
    given: set[int] = set()
    total = 0.0
    for worth, g, s in pairs:
        if g not in golds and s not in given:
            golds.add(g)
            given.add(s)
            total += worth
    return total


def _in_order(grid: list[list[float]]) -> float:
    """The heaviest chain of pairs that keeps both orders."""
    best = [0.0] * (len(grid[0]) + 1 if grid else 1)
    for row in grid:
        before = best
        best = [0.0]
        for s, worth in enumerate(row):
            best.append(max(before[s + 1], best[s], before[s] + worth))
    return best[-1]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


KINDS: dict[str, FieldKind] = {
    "exact": FieldKind(_is_text, _exact),
    "text": FieldKind(_is_text, _text),
    "digits": FieldKind(_is_text, _digits),
    "number": FieldKind(_is_number, _number),
    "bool": FieldKind(lambda value: isinstance(value, bool), _bool),
    "date": FieldKind(is_iso, _date),
    "time": FieldKind(_is_text, _time),
    "set": FieldKind(_is_list, _set),
    "list": FieldKind(_is_list, _list),
    "rows": FieldKind(_is_rows, _rows),
    "object": FieldKind(lambda value: isinstance(value, dict), _object),
}
