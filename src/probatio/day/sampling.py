"""Adaptive sampling: base samples first, and a fresh full round where their score is suspicious.

A use case that is calibrating or was flagged yesterday runs its full round at once. What an earlier process of the same day has
begun is gone on with, even where the days before it were completed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probatio.day.samples import BASE, FULL, DaySamples, GradedLine, Round
from probatio.day.scoring import provisional
from probatio.suite.daily_suite import UseCase
from probatio.verdict.expectation import Expectation


class AdaptiveSampling:
    """Which rounds each model and use case needs today, and why."""

    def __init__(self, expectation: Expectation, samples: DaySamples, *, barred: bool) -> None:
        self._expectation = expectation
        self._samples = samples
        self._barred = barred
        self.triggers: dict[tuple[str, str], str] = {}  # (model, use case) → why it ran at full count

    def first(self, model: str, use_case: UseCase) -> Round:
        """The round it starts with."""
        if self._samples.begun(model, use_case.id, BASE):
            return BASE
        if trigger := self._expectation.trigger(model, use_case.id, use_case.grading):
            self.triggers[model, use_case.id] = trigger
        return FULL if trigger or self._samples.begun(model, use_case.id, FULL) else BASE

    def needed(self, model: str, use_case: UseCase, base: Sequence[GradedLine]) -> Iterator[Round]:
        """Its rounds, given the grades of its base samples so far."""
        first = self.first(model, use_case)
        yield first
        if first == BASE and self._again(model, use_case, base):
            yield FULL

    def _again(self, model: str, use_case: UseCase, base: Sequence[GradedLine]) -> bool:
        """Whether the full round follows these base samples."""
        usual = self._expectation.usual_cases(model, use_case.id, use_case.grading)
        score = provisional(use_case, base, usual)
        trigger = None
        if score is not None:
            trigger = self._expectation.suspicion(model, use_case.id, use_case.grading, score, barred=self._barred)
        if trigger:
            self.triggers[model, use_case.id] = trigger
        return trigger is not None or self._samples.begun(model, use_case.id, FULL)
