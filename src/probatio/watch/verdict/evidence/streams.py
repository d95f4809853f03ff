"""Streams: which cases and judged use cases the evidence counts together.

Every use case is a stream, and there are three pools: all, deterministic, judged. A unit (a deterministic
case, or a judged use case as a whole) belongs to three streams: its own use case, the pool of its kind, and
the pool of all. `SCOPES` names these three places, and arrays indexed by scope hold what a unit stakes in
each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from probatio.core.errors import UsageError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

POOLS = ("all", "deterministic", "judged")
SCOPES = ("use case", "pool of its kind", "all")
OWN, KIND, ALL = range(3)


@dataclass(frozen=True, slots=True)
class PerModel:
    """A record whose arrays, and those of such records in it, have the model as their first axis. What else
    it holds is the same for all models."""

    def rows(self, which: Ints | Bools) -> Self:
        """Only these models, in this order."""
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, PerModel):
                changed[field.name] = value.rows(which)
            elif isinstance(value, np.ndarray):
                changed[field.name] = value[which]
        return replace(self, **changed)

    def put(self, which: Bools, other: Self) -> Self:
        """The same with `other`, which has only those rows, in their place."""
        changed: dict[str, Any] = {}
        for field in fields(self):
            value, new = getattr(self, field.name), getattr(other, field.name)
            if isinstance(value, PerModel):
                changed[field.name] = value.put(which, new)
            elif isinstance(value, np.ndarray):
                changed[field.name] = value.copy()
                changed[field.name][which] = new
        return replace(self, **changed)


@dataclass(frozen=True, slots=True)
class Streams:
    """The order of every array of the evidence: streams are the use cases as given, then the three pools."""

    use_cases: tuple[str, ...]
    judged: Ints  # [J] places of the judged use cases among them
    deterministic: Ints  # [D] places of the deterministic ones
    cases: tuple[str, ...]  # [C] ids of the deterministic cases, those of a use case beside each other
    starts: Ints  # [D] where each deterministic use case begins among the cases
    home: Ints  # [C] which deterministic use case (0 … D−1) a case belongs to
    rungs: Ints  # [C] of the ladder that a case is; 1 for yes/no

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.use_cases, *POOLS)

    @property
    def count(self) -> int:
        return len(self.use_cases) + len(POOLS)

    @property
    def case_counts(self) -> Ints:
        """[D] cases of each deterministic use case."""
        return np.bincount(self.home, minlength=len(self.deterministic)).astype(np.int64)

    @property
    def membership(self) -> Floats:
        """[C, D] 1 if a case belongs to the use case: a product with this sums over the cases of each use
        case."""
        return np.asarray(self.home[:, None] == np.arange(len(self.deterministic)), dtype=np.float64)

    def mean_of_cases(self, values: Floats) -> Floats:
        """[…, C] → […, D]: the mean over the cases that have a value; NaN where none has."""
        if not len(self.deterministic):
            return np.empty((*values.shape[:-1], 0))
        there = ~np.isnan(values)
        if there.all():
            return np.asarray(values @ self.membership / self.case_counts)
        sums = np.where(there, values, 0.0) @ self.membership
        counts = there @ self.membership
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def with_pools(self, deterministic: Floats, judged: Floats) -> Floats:
        """[…, D] and […, J] → […, streams]: each use case's value, then the means over the pools that have
        values."""
        per_stream = np.full((*deterministic.shape[:-1], self.count), np.nan)
        per_stream[..., self.deterministic] = deterministic
        per_stream[..., self.judged] = judged
        for place, members in enumerate(self.pools(), start=len(self.use_cases)):
            values = per_stream[..., members]
            there = ~np.isnan(values)
            counts = there.sum(axis=-1)
            sums = np.where(there, values, 0.0).sum(axis=-1)
            per_stream[..., place] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return per_stream

    def ladders(self, least: int) -> Ints:
        """[L] which deterministic use cases (0 … D−1) have only cases of at least so many rungs."""
        short = np.bincount(self.home, self.rungs < least, minlength=len(self.deterministic))
        return np.flatnonzero(short == 0)

    def pools(self) -> tuple[Ints, Ints, Ints]:
        """The use cases in each pool, in the order of `POOLS`."""
        return np.arange(len(self.use_cases)), self.deterministic, self.judged


def streams_of(
    use_cases: Mapping[str, Sequence[str] | None], rungs: Mapping[str, int] | None = None
) -> Streams:
    """From use case → ids of its cases if it is deterministic, or None if a judge marks it (hybrid
    included). `rungs`: case → its rungs, where it is a ladder."""
    names = tuple(use_cases)
    ids: list[str] = []
    starts: list[int] = []
    home: list[int] = []
    deterministic: list[int] = []
    judged: list[int] = []
    for place, cases in enumerate(use_cases.values()):
        if cases is None:
            judged.append(place)
            continue
        if not cases:
            raise UsageError(
                f"The use case `{names[place]}` is deterministic and has no case: there is nothing to bet on."
            )
        starts.append(len(ids))
        home.extend([len(deterministic)] * len(cases))
        deterministic.append(place)
        ids.extend(cases)
    steps = _ints([max(1, (rungs or {}).get(case, 1)) for case in ids])
    return Streams(names, _ints(judged), _ints(deterministic), tuple(ids), _ints(starts), _ints(home), steps)


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)
