"""A verdict told to people, with the answers behind it: what the command, the alert and the site all show."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from statistics import fmean

import msgspec

from probatio.errors import ProbatioError
from probatio.records import Constants, Day, ModelVerdict
from probatio.simulate.characteristics import PACKAGED, Characteristics, constants_digest, read
from probatio.store.case_answers import case_answers
from probatio.store.days import read_days, suite_folder
from probatio.suite.daily_suite import DailyManifest, constants_of, read_manifest
from probatio.verdict.words import CaseChange, Rarity, Told, told

WORST = 3
"""Cases shown with their answers."""
EXCERPT = 160
"""Characters of an answer that are shown."""
FIGURES = "operating_characteristics.json"
"""What `probatio simulate --suite FOLDER --out FOLDER` writes: a suite's own figures, beside its manifest."""


class Teller:
    """Tells verdicts of one results folder. Files are read when a verdict needs them."""

    def __init__(self, results: Path, days: Mapping[str, Day] | None = None) -> None:
        self._results = results
        self._given = days
        self._manifests: dict[Path | None, DailyManifest] = {}

    @cached_property
    def _days(self) -> Mapping[str, Day]:
        return {day.date: day for day in read_days(self._results)} if self._given is None else self._given

    def told(
        self, verdict: ModelVerdict, *, answers: bool = True, excerpt: int = EXCERPT, began: str | None = None
    ) -> Told:
        """The verdict in words, with the worst cases where something fell; without `answers` none of their files is read.
        `excerpt`: characters of an answer that are shown. `began`: the first day of the fall, where the verdict alone does not
        tell it: days of suspicion before it are not usual days."""
        day = self._days.get(verdict.date)
        folder = suite_folder(self._results, day.record) if day else None
        manifest = self._manifest(folder)
        constants, titles = constants_of(manifest), {entry.id: entry.title for entry in manifest.use_cases}
        fell = verdict.shown in ("SUSPICIOUS", "COOKED") or bool(verdict.collapsed)
        before = self._before(verdict, day, constants, began) if day and fell else []
        cases = self._cases(verdict, day, before, titles, excerpt) if day and fell and answers else ()
        rarity = rarity_of(figures_of(manifest, folder), manifest)
        return told(verdict, titles, constants, rarity, cases, _usual(verdict.model, before))

    def text(self, verdict: ModelVerdict) -> str:
        return "\n".join(self.told(verdict).lines())

    def _manifest(self, folder: Path | None) -> DailyManifest:
        if folder not in self._manifests:
            try:
                self._manifests[folder] = read_manifest(folder)
            except ProbatioError:  # the suite's folder has gone: its ids serve as titles
                self._manifests[folder] = msgspec.structs.replace(read_manifest(), use_cases=())
        return self._manifests[folder]

    def _before(self, verdict: ModelVerdict, day: Day, constants: Constants, began: str | None) -> list[Day]:
        """The last days before the fall, as many as a baseline has."""
        since = min(each for each in (began, verdict.changed_on, verdict.headline_since, verdict.date) if each)
        recent = [each for each in self._days.values() if day.ordinal - each.ordinal <= YEAR_OF_DAYS]
        series = [each for each in recent if (verdict.series_since or "") <= each.date < since]
        return sorted(series, key=lambda each: each.date)[-constants.rule.baseline_days :]

    def _cases(
        self, verdict: ModelVerdict, day: Day, before: list[Day], titles: Mapping[str, str], excerpt: int
    ) -> tuple[CaseChange, ...]:
        """The cases that fell most, of the use cases that are flagged or named; each with the answer of a usual day before the
        fall and the one of today."""
        moved = {each.use_case for each in verdict.use_cases if each.status in ("SUSPICIOUS", "COOKED")}
        moved |= {*verdict.named, *verdict.collapsed}
        falls = sorted(_falls(verdict.model, day, before, moved), key=lambda each: each.now - each.before)[:WORST]
        now = case_answers(self._results, day.date, verdict.model, {each.case for each in falls})
        made = []
        for each in falls:
            usual = next(
                (past for past in reversed(before) if _credit(past, verdict.model, each) >= each.before - 0.05), None
            )
            old = case_answers(self._results, usual.date, verdict.model, {each.case}) if usual else {}
            made.append(
                msgspec.structs.replace(
                    each,
                    use_case=titles.get(each.use_case, each.use_case.replace("_", " ")),
                    answer_before=_excerpt(old.get(each.case), excerpt),
                    answer_now=_excerpt(now.get(each.case), excerpt),
                )
            )
        return tuple(made)


YEAR_OF_DAYS = 365
"""Older days say nothing about what is usual."""


def figures_of(manifest: DailyManifest, folder: Path | None) -> Characteristics | None:
    """The simulator's figures for a suite: those beside its manifest; for the built-in suite, those of the package. A suite of
    another shape has none until it is simulated."""
    own = folder / FIGURES if folder is not None else None
    if own is not None and own.exists():
        return read(own)
    packaged = PACKAGED.exists() and _shape(manifest) == _shape(read_manifest())
    return read() if packaged else None


def rarity_of(figures: Characteristics | None, manifest: DailyManifest) -> Rarity | None:
    """How often the rule calls a healthy model COOKED; None where the figures are of other constants."""
    if figures is None or not figures.quiet or figures.constants != constants_digest(manifest):
        return None
    shares = [each.cooked.value for each in figures.quiet]
    return Rarity(min(shares), max(shares))


def _shape(manifest: DailyManifest) -> list[tuple[str, str]]:
    return [(entry.id, entry.grading) for entry in manifest.use_cases]


def _usual(model: str, before: list[Day]) -> dict[str, float]:
    """Use case → its mean score on these days."""
    scores: dict[str, list[float]] = {}
    for day in before:
        for use_case, line in day.lines.get(model, {}).items():
            if line.score is not None:
                scores.setdefault(use_case, []).append(line.score)
    return {use_case: fmean(each) for use_case, each in scores.items()}


def _falls(model: str, day: Day, before: list[Day], moved: set[str]) -> list[CaseChange]:
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


def _excerpt(answer: str | None, most: int) -> str | None:
    """The beginning of an answer, on one line."""
    text = " ".join((answer or "").split())
    return None if not text else text if len(text) <= most else f"{text[: most - 1]}…"
