"""Describe a verdict to people, with the answers behind it: what the command, the alert and the site show."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean

import msgspec

from probatio.core.errors import ProbatioError
from probatio.core.records import Constants, Day, ModelVerdict
from probatio.runs.store.days import suite_folder
from probatio.runs.store.run_folder import CaseSample, case_samples
from probatio.suites.daily_suite import DailyManifest, constants_of, read_manifest
from probatio.watch.alerts.quoting import make_harmless, quote_answer
from probatio.watch.ledger.ledger import read_recorded_days
from probatio.watch.simulate.figures import FIGURES, PACKAGED, Characteristics, constants_digest, read
from probatio.watch.verdict.words import (
    CaseChange,
    ExpectedFalse,
    Rarity,
    VerdictText,
    describe,
    expect_false,
)

WORST = 3
"""Cases shown with their answers."""
EXCERPT = 160
"""Characters of an answer that are shown."""


class VerdictDescriber:
    """Describes the verdicts of one results folder. Files are read when a verdict needs them."""

    def __init__(self, results: Path, days: Mapping[str, Day] | None = None) -> None:
        self._results = results
        self._given = days
        self._suites: dict[str | None, tuple[Path | None, DailyManifest]] = {}

    @cached_property
    def _days(self) -> Mapping[str, Day]:
        if self._given is not None:
            return self._given
        return {day.date: day for day in read_recorded_days(self._results).days}

    def describe(
        self,
        verdict: ModelVerdict,
        *,
        answers: bool = True,
        excerpt: int | None = EXCERPT,
        began: str | None = None,
    ) -> VerdictText:
        """The verdict in words, with the worst cases if something fell.

        `answers`: whether their answers are read from the files. `excerpt`: characters shown of an answer, on
        one line; None for the whole answer as written. `began`: the first day of the fall, if the verdict
        alone does not say it. Suspicious days before it are no usual days.
        """
        day = self._days.get(verdict.date)
        folder, manifest = self._suite(day)
        constants, titles = constants_of(manifest), {entry.id: entry.title for entry in manifest.use_cases}
        fell = verdict.shown in ("SUSPICIOUS", "COOKED") or bool(verdict.collapsed)
        before = self._before(verdict, day, constants, began) if day and fell else []
        cases = self._cases(verdict, day, before, titles, excerpt) if day and fell and answers else ()
        scores: dict[str, list[float]] = {}  # use case → its scores on the days before
        for past in before:
            for use_case, line in past.lines.get(verdict.model, {}).items():
                if line.score is not None:
                    scores.setdefault(use_case, []).append(line.score)
        usual = {use_case: fmean(each) for use_case, each in scores.items()}
        rarity = find_rarity(manifest, folder)
        return describe(verdict, titles, constants, rarity, cases, usual, began)

    def expect_false(self, models: int, date: str) -> ExpectedFalse:
        """How many of so many healthy models chance would flag in a month, under the suite of this day."""
        folder, manifest = self._suite(self._days.get(date))
        return expect_false(models, constants_of(manifest), find_rarity(manifest, folder))

    def message(self, verdict: ModelVerdict) -> str:
        """The verdict as an alert tells it: answers are quoted, and nothing in it acts on the channel."""
        return "\n".join(self.describe(verdict).lines(make_harmless, quote_answer))

    def _suite(self, day: Day | None) -> tuple[Path | None, DailyManifest]:
        """The folder of the day's suite and its manifest. Where it is gone, or unknown on this machine, its
        ids serve as titles."""
        named = day.record.suite if day else None
        if named not in self._suites:
            try:
                folder = suite_folder(self._results, day.record) if day else None
                self._suites[named] = folder, read_manifest(folder)
            except ProbatioError:
                self._suites[named] = None, msgspec.structs.replace(read_manifest(), use_cases=())
        return self._suites[named]

    def _before(self, verdict: ModelVerdict, day: Day, constants: Constants, began: str | None) -> list[Day]:
        """The last days before the fall, as many as a baseline has."""
        since = min(
            each for each in (began, verdict.changed_on, verdict.headline_since, verdict.date) if each
        )
        recent = [each for each in self._days.values() if day.ordinal - each.ordinal <= YEAR_OF_DAYS]
        series = [each for each in recent if (verdict.series_since or "") <= each.date < since]
        return sorted(series, key=lambda each: each.date)[-constants.rule.baseline_days :]

    def _cases(
        self,
        verdict: ModelVerdict,
        day: Day,
        before: list[Day],
        titles: Mapping[str, str],
        excerpt: int | None,
    ) -> tuple[CaseChange, ...]:
        """The cases that fell most, each with the answer of a usual day and today's.

        They come from the use cases that are flagged or named; if there are none, from all, as a fall may be
        proven by the scores as a whole.
        """
        moved = {each.use_case for each in verdict.use_cases if each.status in ("SUSPICIOUS", "COOKED")}
        moved = moved | {*verdict.named, *verdict.collapsed} or {each.use_case for each in verdict.use_cases}
        falls = sorted(
            _find_falls(verdict.model, day, before, moved), key=lambda each: each.now - each.before
        )[:WORST]
        now = case_samples(self._results, day.date, verdict.model, {each.case for each in falls})
        made = []
        for each in falls:
            usual, old = self._usual_answer(verdict.model, each, before)
            worst = _find_worst(now.get(each.case, []))
            made.append(
                msgspec.structs.replace(
                    each,
                    use_case=titles.get(each.use_case, each.use_case.replace("_", " ")),
                    answer_before=_excerpt(old, excerpt),
                    answer_now=_excerpt(worst.response if worst else None, excerpt),
                    lost=_excerpt(worst.lost if worst else None, EXCERPT) or "",
                    day_before=usual,
                )
            )
        return tuple(made)

    def _usual_answer(
        self, model: str, change: CaseChange, before: list[Day]
    ) -> tuple[str | None, str | None]:
        """The last day before the fall with a usual result and an answer that is still there; and that
        answer. Raw files of old days may have been removed."""
        for past in reversed(before):
            if _credit(past, model, change) >= change.before - NEAR:
                samples = case_samples(self._results, past.date, model, {change.case}).get(change.case, [])
                best = max(samples, key=lambda each: each.score or 0.0, default=None)
                if best and best.response:
                    return past.date, best.response
        return None, None


NEAR = 0.05
"""A case within this distance below its mean counts as usual."""
YEAR_OF_DAYS = 365
"""Older days say nothing about what is usual."""


def find_rarity(manifest: DailyManifest, folder: Path | None) -> Rarity | None:
    """How often the rule errs under this suite's constants; None if that was not measured."""
    figures = find_figures(manifest, folder)
    if not figures or not figures.quiet or figures.constants != constants_digest(manifest):
        return None
    shares = [each.cooked.value for each in figures.quiet]
    return Rarity(min(shares), max(shares))


def find_figures(manifest: DailyManifest, folder: Path | None) -> Characteristics | None:
    """The simulator's figures for a suite: the file next to its manifest, or for the built-in suite the one
    of the package. A suite of another shape has none until it is simulated."""
    if folder is not None and (own := folder / FIGURES).exists():
        return read(own)
    packaged = PACKAGED.exists() and _shape(manifest) == _load_built_in_shape()
    return read() if packaged else None


def _shape(manifest: DailyManifest) -> list[tuple[str, str]]:
    return [(entry.id, entry.grading) for entry in manifest.use_cases]


@cache
def _load_built_in_shape() -> list[tuple[str, str]]:
    """The shape of the built-in suite, read once: a server describes many models."""
    return _shape(read_manifest())


def _find_falls(model: str, day: Day, before: list[Day], moved: set[str]) -> list[CaseChange]:
    found = []
    for use_case in sorted(moved):
        line = day.lines.get(model, {}).get(use_case)
        for case, now in line.cases.items() if line is not None else ():
            past = [
                old.cases[case]
                for each in before
                if (old := each.lines.get(model, {}).get(use_case)) is not None and case in old.cases
            ]
            if past and now < fmean(past):
                found.append(CaseChange(use_case, case, fmean(past), now))
    return found


def _credit(day: Day, model: str, change: CaseChange) -> float:
    line = day.lines.get(model, {}).get(change.use_case)
    return line.cases.get(change.case, -1.0) if line is not None else -1.0


def _find_worst(samples: list[CaseSample]) -> CaseSample | None:
    """The answer that lost most points; None if each was right: a right answer shows nothing of a fall.
    Without grades, the first."""
    graded = [each for each in samples if each.score is not None and each.score < 1]
    if graded:
        return min(graded, key=lambda each: each.score or 0.0)
    return next((each for each in samples if each.score is None), None)


def _excerpt(answer: str | None, most: int | None) -> str | None:
    """The beginning of an answer on one line; with `most` None, the whole answer as written."""
    if most is None:
        return answer or None
    text = " ".join((answer or "").split())
    return None if not text else text if len(text) <= most else f"{text[: most - 1]}…"
