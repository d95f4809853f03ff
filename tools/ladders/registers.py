"""Look-ups of the extraction ladders: cells of a register with a few columns, some of them put right later, far away."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from writing import Asked

LOOKED_UP, OTHER_COLUMN, TWO_STEPS, IN_HEAD, IN_LOG = 2, 3, 4, 5, 6
"""Rungs: the first column, another one, a cell that leads to another, put right in the head, put right in the log."""

FORMS = {"number": "number", "text": "string", "exact": "string"}


def cells(rung: int, key: str, kind: str, values: Mapping[Any, Any]) -> list[Asked]:
    """One field for each name: its cell in a column."""
    return [Asked(rung, f"{key}_{name}", kind, value, FORMS[kind]) for name, value in values.items()]


def column(
    rng: Random, rung: int, key: str, kind: str, values: Mapping[str, Any], late: Collection[str]
) -> list[Asked]:
    """The same for a column in which the cells of `late` are put right in the log; they stand in between, one rung higher up."""
    names = rng.sample(list(values), len(values))
    return [
        one
        for name in names
        for one in cells(IN_LOG if name in late else rung, key, kind, {name: values[name]})
    ]


def listed(asked: Collection[Asked]) -> str:
    return "\n".join(f'- "{one.key}": {one.form}' for one in asked if one.form)


def whole(asked: Sequence[Asked]) -> str:
    """The last line of a prompt: without it the smallest models begin with the last fields, and write no others."""
    return f'Answer with the whole object, from "{asked[0].key}" to "{asked[-1].key}".'
