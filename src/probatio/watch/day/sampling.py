"""Adaptive sampling: base samples first, and a fresh full round if their score is suspicious.

A use case that is calibrating or was flagged yesterday runs its full round at once. A round that an earlier
process of the same day began is continued, even if the days before it were completed since.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from probatio.suites.daily_suite import UseCase
from probatio.watch.day.samples import BASE, FULL, DaySamples, GradedLine, Round
from probatio.watch.day.scoring import score_base
from probatio.watch.verdict.expectation import Expectation
from probatio.watch.verdict.rule.sampling import EVIDENCE


class AdaptiveSampling:
    """Which rounds each model and use case needs today, and why."""

    def __init__(
        self, expectation: Expectation, samples: DaySamples, forms: Collection[str], *, barred: bool
    ) -> None:
        """`forms`: the models in a smaller form, which has no more samples to give to the evidence."""
        self._forms = forms
        self._expectation = expectation
        self._samples = samples
        self._barred = barred
        self.triggers: dict[tuple[str, str], str] = {}  # (model, use case) → why it ran at full count

    def first_round(self, model: str, use_case: UseCase) -> Round:
        """The round that a use case starts with."""
        if self._samples.has_answers(model, use_case.id, BASE):
            return BASE
        trigger = self._expectation.trigger(model, use_case.id, use_case.grading)
        if trigger == EVIDENCE and model in self._forms:
            trigger = None
        if trigger:
            self.triggers[model, use_case.id] = trigger
        return FULL if trigger or self._samples.has_answers(model, use_case.id, FULL) else BASE

    def choose_rounds(self, model: str, use_case: UseCase, base: Sequence[GradedLine]) -> Iterator[Round]:
        """The rounds of a use case, given the grades of its base samples so far."""
        first = self.first_round(model, use_case)
        yield first
        if first == BASE and self._needs_full(model, use_case, base):
            yield FULL

    def _needs_full(self, model: str, use_case: UseCase, base: Sequence[GradedLine]) -> bool:
        """Whether the full round follows these base samples."""
        usual = self._expectation.usual_cases(model, use_case.id, use_case.grading)
        score = score_base(use_case, base, usual)
        trigger = None
        if score is not None:
            trigger = self._expectation.suspicion(
                model, use_case.id, use_case.grading, score, barred=self._barred
            )
        if trigger:
            self.triggers[model, use_case.id] = trigger
        return trigger is not None or self._samples.has_answers(model, use_case.id, FULL)
