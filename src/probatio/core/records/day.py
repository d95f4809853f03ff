"""Records of a day: its scores, the calibration of the judge, who was asked, and all of it as one `Day`."""

from __future__ import annotations

from collections import Counter
from datetime import date
from functools import cached_property
from typing import Any, Literal, Protocol

import msgspec

from probatio.core.records.trial import Model, Sampling

Grading = Literal["deterministic", "hybrid", "judge"]
"""How a use case of the daily suite is graded: by code, by code and judge, by the judge alone."""

Served = Literal["providers", "resolved_models", "fingerprints"]
"""The fields of a `DailyScore` that say who answered."""


class DailyScore(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a day's `scores.jsonl`: one model in one use case. Scores are 0–100, those in `cases` 0–1."""

    date: str  # UTC, YYYY-MM-DD
    model: str
    use_case: str
    grading: Grading
    suite_version: str  # nothing is compared across two of these
    score: float | None  # the day's score: the re-run's where there was one; None is a gap, never a zero
    base_score: float | None = None  # of the base samples
    n: int = 0  # samples in `score`
    base_n: int = 0  # samples in `base_score`
    errored: int = 0  # samples that could not be asked, checked or judged, in all rounds
    unchecked: int = 0  # of these, answers whose check did not end within its limits or failed
    full_power: bool = False  # `score` comes from the full sample count
    trigger: str | None = None
    """Why it ran at full count: "calibrating", "flagged yesterday", or the base score's test."""
    checked: float | None = None  # the part graded by code, where it has one
    judged: float | None = None  # the part graded by the judge, where it has one
    judged_share: float | None = None  # weight of that part in a hybrid score
    cases: dict[str, float] = {}
    """Case id → mean of its base samples, of all where the evidence asked for them, 0–1."""
    answers: dict[str, tuple[tuple[str, float], ...]] = {}
    """Case id → of each base sample the digest of its text ("" without one) and its score, 0–1."""
    further: int = 0
    """Samples beyond the base ones that the evidence asked for, of cases with many possible answers …"""
    further_other: int = 0  # … and of these other answers than the base samples of their case
    barred: bool = False  # the judge had shifted: shown, but unable to flip a verdict
    gap: str | None = None  # why there is no score, as a sentence
    routing_changed: bool = False
    """Of the model's day: a sample came from another than the pinned or usual provider."""
    route: str | None = None  # who served most of the model's samples that day
    providers: dict[str, int] = {}
    resolved_models: dict[str, int] = {}
    fingerprints: dict[str, int] = {}
    truncated: int = 0
    refused: int = 0
    hours: dict[str, int] = {}  # hour in UTC, such as "03" → samples answered in it
    latency_ms: float | None = None  # median
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    asked_late: str | None = None  # the date on which the model was asked, where that is not the day's own
    filled: tuple[str, ...] = ()
    """Cases without a scored sample, counted with their own mean of the baseline days."""
    strays: int = 0  # samples of another provider than the day's, left out of the score
    stray_only: bool = False
    """Of the model's day: the route is the usual one, and only strays came from elsewhere."""
    mixed: bool = False  # of the model's day: too many strays, it belongs to no route
    cut: int = 0  # answers in `score` that were cut off below our own limit: not the model's doing
    uncut_score: float | None = None
    """The score with these replaced by their case's usual one; None where none was cut."""

    @property
    def answered(self) -> bool:
        """Whether answers came, graded or not."""
        return self.latency_ms is not None


class CalibrationItem(msgspec.Struct, frozen=True):
    """One frozen answer, the mark it should get and the one it got (means over the criteria, 1–5)."""

    id: str
    use_case: str
    reference: float
    mark: float | None
    error: str | None = None


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How far the judge's marks had shifted before a day's run."""

    judge: str
    items: tuple[CalibrationItem, ...] = ()
    shift: float | None = None  # mean of mark − reference
    barred: bool = False
    error: str | None = None  # why there is no judge today, as a sentence
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None


class Form(msgspec.Struct, frozen=True):
    """What a model is asked where that is less than the whole suite: some of its cases, always with so many
    samples. It is part of the model's series: two forms are never compared."""

    name: str
    cases: dict[str, tuple[str, ...]]  # use case → its cases
    samples: int

    def __str__(self) -> str:
        cases = "one case" if self.count == 1 else f"{self.count} cases"
        return f"{self.name} form ({cases}, {describe_samples(self.samples)})"

    @property
    def count(self) -> int:
        return sum(map(len, self.cases.values()))


def describe_samples(count: int) -> str:
    return "one sample" if count == 1 else f"{count} samples"


class DayRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`day.json`: which models were asked on a day, from which suite, and with which judge."""

    date: str
    created: str
    suite_version: str
    suite_fingerprint: str
    grader_version: str
    models: tuple[Model, ...]
    sampling: Sampling
    suite: str = "daily"
    """A built-in suite's name, or the folder of --suite: relative to the folder of runs, or in full."""
    suite_name: str = ""  # as its manifest has it; "" in days older than the field
    git_sha: str | None = None
    calibration: Calibration | None = None
    skipped: dict[str, str] = {}  # model → why it was not asked
    not_asked: dict[str, str] = {}  # use case → why no model was asked it: no gap, as it was never begun
    forms: dict[str, Form] = {}  # model → its form; without one it is asked the whole suite
    versions: dict[str, str] = {}
    embedded: dict[str, Any] = {}  # model id → which file answered
    simulated: bool = False  # no model was asked: a demo or a rehearsal
    imported: str = ""  # the file that a past day was imported from; we asked no model on it
    asked_late: dict[str, str] = {}  # model → the date on which it was asked, if not on the day
    replayed: bool = False  # the date was set with --replay: no model was asked on it, and every page says so


class StoredScores(Protocol):
    """A day's scores as its file has them: read and hashed, and decoded when they are first looked at."""

    @property
    def digest(self) -> str:
        """Of the bytes of that file."""

    @property
    def lines(self) -> tuple[DailyScore, ...]: ...


class Day(msgspec.Struct, frozen=True, dict=True):
    """One closed day: its record, its scores, and the tables made from them."""

    record: DayRecord
    given: tuple[DailyScore, ...] | StoredScores

    @property
    def scores(self) -> tuple[DailyScore, ...]:
        return self.given if isinstance(self.given, tuple) else self.given.lines

    @property
    def date(self) -> str:
        return self.record.date

    @cached_property
    def ordinal(self) -> int:
        return date.fromisoformat(self.record.date).toordinal()

    @cached_property
    def models(self) -> list[str]:
        """Every model that was to be asked, in the day's order."""
        asked = (model.id for model in self.record.models)
        return list(dict.fromkeys([*asked, *self.record.skipped, *self.lines]))

    @cached_property
    def lines(self) -> dict[str, dict[str, DailyScore]]:
        """Model → use case → its line."""
        table: dict[str, dict[str, DailyScore]] = {}
        for score in self.scores:
            table.setdefault(score.model, {})[score.use_case] = score
        return table

    @cached_property
    def late(self) -> bool:
        """Whether every model of the day was asked on another date."""
        scored = [line.asked_late for line in self.scores if line.score is not None]
        return bool(scored) and all(scored)

    def route_of(self, line: DailyScore) -> str | None:
        """The route of a line's model that day: the provider of most samples.

        A model that is pinned to several providers has all of them as its route, unless another one served.
        """
        pinned = self._pinned.get(line.model)
        changed = line.routing_changed and not line.stray_only
        return line.route if pinned is None or changed else pinned

    @cached_property
    def _pinned(self) -> dict[str, str]:
        return {model.id: " or ".join(model.route) for model in self.record.models if len(model.route) > 1}

    def served(self, model: str, field: Served) -> Counter[str]:
        """How many of a model's samples each provider, resolved model or fingerprint served."""
        counts = self._served.get((model, field))
        if counts is None:
            counts = self._served[model, field] = Counter()
            for line in self.lines.get(model, {}).values():
                of_line: dict[str, int] = getattr(line, field)
                for name, samples in of_line.items():
                    counts[name] += samples
        return counts

    @cached_property
    def _served(self) -> dict[tuple[str, str], Counter[str]]:
        return {}
