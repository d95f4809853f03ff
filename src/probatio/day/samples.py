"""Samples of a day: every key that can be asked, by number, and each sample with its grade as the scoring reads it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from probatio.records import NO_DIALECT, ErrorType, TrialKey
from probatio.suite.daily_suite import DailySuite, UseCase

Round = Literal["base", "full"]
BASE: Round = "base"
FULL: Round = "full"

FRESH = 1000
"""Seeds of the full round begin this far from those of the base round: its samples are drawn anew."""


class Graded(msgspec.Struct):
    """A line of `graded_results.jsonl`, as far as scoring and resuming read it."""

    task_id: str
    model: str
    n_shot: int
    context: Round
    dialect: str
    sample: int
    correct: bool = False
    level_a: bool = False
    error_type: ErrorType | None = None
    error_detail: str | None = None
    score: float = 0.0
    breakdown: dict[str, Any] = {}

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample)

    @property
    def errored(self) -> bool:
        """It could not be asked, checked or judged."""
        return self.error_type in ("api_error", "timeout")

    @property
    def checked(self) -> float | None:
        part: float | None = self.breakdown.get("checked")
        return part

    @property
    def judged(self) -> float | None:
        part: float | None = self.breakdown.get("judged")
        return part


class Served(msgspec.Struct):
    """A line of `raw_responses.jsonl` without its texts: who served the sample, how fast, at what price."""

    task_id: str
    model: str
    n_shot: int
    context: str
    dialect: str
    sample: int
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    finish_reason: str | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None
    error: str | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample)


def sample_key(case: str, model: str, which: Round, sample: int) -> TrialKey:
    return TrialKey(case, model, 0, NO_DIALECT, which, sample)


class Places:
    """Every sample a day can hold, by number: models, then use cases, then base and full round, then cases, then samples."""

    def __init__(self, models: Iterable[str], suite: DailySuite) -> None:
        self.keys: list[TrialKey] = []
        self._batches: dict[tuple[str, str, Round], range] = {}
        for model in models:
            for use_case in suite.use_cases.values():
                for which, samples in ((BASE, use_case.base_samples), (FULL, use_case.full_samples)):
                    first = len(self.keys)
                    self.keys += [
                        sample_key(case.id, model, which, number)
                        for number in range(samples)
                        for case in use_case.cases
                    ]
                    self._batches[model, use_case.id, which] = range(first, len(self.keys))
        self._number = {key: number for number, key in enumerate(self.keys)}

    def number(self, key: TrialKey) -> int | None:
        return self._number.get(key)

    def batch(self, model: str, use_case: UseCase, which: Round) -> range:
        """The numbers of one round."""
        return self._batches[model, use_case.id, which]
