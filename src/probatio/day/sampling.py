"""Adaptive sampling: base samples first, and a fresh full round where their score is suspicious.

A use case that is calibrating or was flagged yesterday runs its full round at once. What an earlier process of the same day has
begun is gone on with, even where the days before it were completed meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from probatio.day.samples import BASE, FULL, Graded, Round
from probatio.day.scoring import provisional
from probatio.suite.daily import UseCase
from probatio.verdict.expectation import Expectation

Begun = Collection[tuple[str, str, Round]]
"""Rounds that hold a sample already: (model, use case, round)."""


class Rounds:
    """Which rounds each model and use case needs today, and why."""

    def __init__(self, past: Expectation, begun: Begun, *, barred: bool) -> None:
        self._past = past
        self._begun = frozenset(begun)
        self._barred = barred
        self.triggers: dict[tuple[str, str], str] = {}  # (model, use case) → why it ran at full count

    def first(self, model: str, use_case: UseCase) -> Round:
        """The round it starts with."""
        if (model, use_case.id, BASE) in self._begun:
            return BASE
        if trigger := self._past.trigger(model, use_case.id, use_case.grading):
            self.triggers[model, use_case.id] = trigger
        return FULL if trigger or (model, use_case.id, FULL) in self._begun else BASE

    def again(self, model: str, use_case: UseCase, base: Sequence[Graded]) -> bool:
        """Whether the full round follows these base samples. Never for a barred judge: whatever it says, the verdict is held."""
        begun = (model, use_case.id, FULL) in self._begun
        score = None if self._barred and use_case.grading != "deterministic" else provisional(use_case, base)
        why = None if score is None else self._past.suspicion(model, use_case.id, use_case.grading, score)
        if why:
            self.triggers[model, use_case.id] = why
        return begun or why is not None
