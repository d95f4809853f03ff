"""Rubrics: what the judge marks an answer by, of a whole use case (`rubric.yml`) or of one case
(`expect: {judge: …}`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from probatio.core.values import Name, NotNegative

MARKS = range(1, 6)
MOST = 20
"""Criteria of one case: each is a mark and a sentence of the judge's reply."""
ANCHORS: Mapping[int, str] = MappingProxyType(
    {
        1: "Not at all, or the opposite of it.",
        2: "A little; most of it is missing or wrong.",
        3: "In part; something of weight is missing or wrong.",
        4: "For the most part; only something small is missing or wrong.",
        5: "Fully.",
    }
)
"""What the marks of a criterion without anchors mean. They are in the fingerprint of every suite that uses
them."""


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing the judge marks, with what each mark from 1 to 5 means."""

    id: Name
    question: Name
    anchors: dict[int, str]
    weight: NotNegative = 1.0


class Rubric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    criteria: tuple[Criterion, ...]


def read_rubric(value: Any) -> Rubric:
    """The rubric of one case: a sentence, a list of sentences and criteria, or `{criteria: …}` as in
    rubric.yml. Raises ValueError with a sentence."""
    if isinstance(value, dict) and value.keys() == {"criteria"}:
        value = value["criteria"]
    items = value if isinstance(value, list) else [value]
    if not 0 < len(items) <= MOST:
        raise ValueError(f"it has 1 to {MOST} criteria, not {len(items)}")
    criteria = tuple(_read_criterion(item, number) for number, item in enumerate(items, 1))
    ids = [each.id for each in criteria]
    if twice := next((name for name in ids if ids.count(name) > 1), None):
        raise ValueError(f"the criterion id `{twice}` stands there twice")
    if not 0 < sum(each.weight for each in criteria) <= 1e9:
        raise ValueError("the weights of its criteria have to add up to a number above 0")
    return Rubric(criteria)


def _read_criterion(item: Any, number: int) -> Criterion:
    written = {"question": item} if isinstance(item, str) and item.strip() else item
    if not isinstance(written, dict):
        raise ValueError(
            f'criterion {number} has to be a sentence, such as "Is polite.", or a table with a `question`'
        )
    given = {"id": f"criterion_{number}", "anchors": dict(ANCHORS), **written}
    try:
        criterion = msgspec.convert(given, Criterion, str_keys=True)
    except msgspec.ValidationError as error:
        raise ValueError(f"criterion {number}: {error}") from None
    if sorted(criterion.anchors) != list(MARKS) or not all(map(str.strip, criterion.anchors.values())):
        raise ValueError(f"criterion {number}: `anchors` say what each mark from 1 to 5 means")
    return criterion
