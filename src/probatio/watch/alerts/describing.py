"""Describe a verdict to people, with the answers behind it: what the command, the alert and the site show."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from probatio.core.errors import ProbatioError
from probatio.core.records import Constants, Day, ModelVerdict
from probatio.runs.store.days import suite_folder
from probatio.runs.store.run_folder import CaseSample, case_samples
from probatio.suites.daily_suite import DailyManifest, constants_of, read_manifest
from probatio.watch.alerts.quoting import make_harmless, quote_answer
from probatio.watch.ledger.ledger import read_ledger, read_recorded_days, read_records
from probatio.watch.simulate.figures import FIGURES, PACKAGED, Characteristics, constants_digest, read
from probatio.watch.verdict.drift import find_drift
from probatio.watch.verdict.reference_level import (
    LevelBefore,
    SetAside,
    find_level_before,
    list_days_before,
    list_scored,
    list_set_aside,
    measure_case,
)
from probatio.watch.verdict.words import (
    AnswerGrade,
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


AnswerReader = Callable[[str, str, Collection[str]], dict[str, list[CaseSample]]]
"""Day, model and cases → the answers, by case."""


class Compared(NamedTuple):
    """What the words on a verdict take from the days."""

    level: LevelBefore
    drift: str | None
    falls: tuple[CaseChange, ...]  # the worst, without their answers


class VerdictDescriber:
    """Describes the verdicts of one results folder. Files are read when a verdict needs them."""

    def __init__(
        self,
        results: Path,
        days: Mapping[str, Day] | None = None,
        published: Sequence[ModelVerdict] | None = None,
        read: AnswerReader | None = None,
        known: MutableMapping[str, Compared] | None = None,
    ) -> None:
        """`days`, `published`: what the folder has recorded, where it was read already. `read`: reads answers
        for one who tells many verdicts, and keeps days for the next. `known`: what the same days and ledger
        said before; what they say now is put there."""
        self._results = results
        self._read = read or partial(case_samples, results)
        self._given = days
        self._published = published
        self._known = known
        self._levels: dict[tuple[str, str | None, int], LevelBefore] = {}  # of whole references
        self._suites: dict[str | None, tuple[Path | None, DailyManifest]] = {}
        self._rarities: dict[str | None, Rarity | None] = {}

    @cached_property
    def _days(self) -> Mapping[str, Day]:
        if self._given is not None:
            return dict(sorted(self._given.items()))
        return {day.date: day for day in read_recorded_days(self._results).days}

    @cached_property
    def _set_aside(self) -> SetAside:
        """The days that proven falls keep out of references."""
        if self._published is not None:
            return list_set_aside(self._published)
        lines = read_ledger(self._results)
        if not any(PROVEN in line.data for line in lines):  # a ledger is large, and proofs are rare
            return {}
        records = {record.date: record for record in read_records(lines) if record.verdicts}
        return list_set_aside(verdict for date in sorted(records) for verdict in records[date].verdicts)

    def find_level(self, verdict: ModelVerdict, began: str | None = None) -> LevelBefore:
        """The level before that the verdict is compared with, on every surface. `began`: the first day of the
        fall, if the verdict alone does not say it."""
        constants = constants_of(self._suite(self._days.get(verdict.date))[1])
        if self._known and not began and (known := self._known.get(_key_of(verdict, constants))):
            return known.level
        key = verdict.model, verdict.series_since, verdict.reference_days
        if key in self._levels:
            return self._levels[key]
        found = find_level_before(verdict, self._days.values(), constants, self._set_aside, began)
        if found.reference:
            self._levels[key] = found
        return found

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
        manifest = self._suite(day)[1]
        constants, titles = constants_of(manifest), {entry.id: entry.title for entry in manifest.use_cases}
        level, drift, falls = self._compare(verdict, constants, began, answers=answers)
        cases = self._cases(verdict, day, falls, titles, excerpt, began) if day and falls else ()
        return describe(verdict, titles, constants, self._rarity(day), cases, level, began, drift)

    def _compare(
        self, verdict: ModelVerdict, constants: Constants, began: str | None, *, answers: bool
    ) -> Compared:
        key = None if self._known is None or began or not answers else _key_of(verdict, constants)
        if key and self._known and key in self._known:
            return self._known[key]
        day, level = self._days.get(verdict.date), self.find_level(verdict, began)
        fell = verdict.shown in ("SUSPICIOUS", "COOKED") or bool(verdict.collapsed)
        falls = self._find_worst_falls(verdict, day, level) if day and fell and answers else ()
        compared = Compared(level, self._find_drift(verdict, level), falls)
        if key and self._known is not None:
            self._known[key] = compared
        return compared

    def _find_drift(self, verdict: ModelVerdict, level: LevelBefore) -> str | None:
        """When a proven fall began to go down, if it was no step."""
        if not verdict.confirmed:
            return None
        flagged = [each.use_case for each in verdict.use_cases if each.status in ("SUSPICIOUS", "COOKED")]
        days = list(list_scored(verdict, self._days.values()))
        return find_drift(verdict.model, days, verdict.named or flagged or list(level.scores))

    def expect_false(self, models: int, date: str) -> ExpectedFalse:
        """How many of so many healthy models chance would flag in a month, under the suite of this day."""
        day = self._days.get(date)
        return expect_false(models, constants_of(self._suite(day)[1]), self._rarity(day))

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

    def _rarity(self, day: Day | None) -> Rarity | None:
        named = day.record.suite if day else None
        if named not in self._rarities:
            folder, manifest = self._suite(day)
            self._rarities[named] = find_rarity(manifest, folder)
        return self._rarities[named]

    def _find_worst_falls(
        self, verdict: ModelVerdict, day: Day, level: LevelBefore
    ) -> tuple[CaseChange, ...]:
        """The cases that fell most. They come from the use cases that are flagged or named; if there are
        none, from all, as a fall may be proven by the scores as a whole."""
        moved = {each.use_case for each in verdict.use_cases if each.status in ("SUSPICIOUS", "COOKED")}
        moved = moved | {*verdict.named, *verdict.collapsed} or {each.use_case for each in verdict.use_cases}
        compared = [self._days[date] for date in level.days]
        falls = _find_falls(verdict.model, day, compared, moved)
        return tuple(sorted(falls, key=lambda each: each.now - each.before)[:WORST])

    def _cases(
        self,
        verdict: ModelVerdict,
        day: Day,
        falls: Sequence[CaseChange],
        titles: Mapping[str, str],
        excerpt: int | None,
        began: str | None,
    ) -> tuple[CaseChange, ...]:
        """These cases, each with the answer of a usual day and today's."""
        now = self._read(day.date, verdict.model, {each.case for each in falls})
        made = []
        constants = constants_of(self._suite(day)[1])
        before = list_days_before(verdict, self._days.values(), constants, began)
        for each in falls:
            usual, old = self._usual_answer(verdict.model, each, before)
            worst = _find_worst(now.get(each.case, []))
            told = msgspec.structs.replace(
                each,
                use_case=titles.get(each.use_case, each.use_case.replace("_", " ")),
                answer_before=_excerpt(old.response if old else None, excerpt),
                answer_now=_excerpt(worst.response if worst else None, excerpt),
                lost=_excerpt(worst.lost if worst else None, EXCERPT) or "",
                day_before=usual,
            )
            made.append(told if excerpt else _add_grades(told, old, worst))
        return tuple(made)

    def _usual_answer(
        self, model: str, change: CaseChange, before: list[Day]
    ) -> tuple[str | None, CaseSample | None]:
        """The last day before the fall with a usual result and an answer that is still there; and that
        answer. Raw files of old days may have been removed."""
        for past in reversed(before):
            if _credit(past, model, change) >= change.before - NEAR:
                samples = self._read(past.date, model, {change.case}).get(change.case, [])
                best = max(samples, key=lambda each: each.score or 0.0, default=None)
                if best and best.response:
                    return past.date, best
        return None, None


def _key_of(verdict: ModelVerdict, constants: Constants) -> str:
    return hashlib.sha256(msgspec.json.encode((verdict, constants))).hexdigest()


NEAR = 0.05
"""A case within this distance below its mean counts as usual."""
PROVEN = b'"evidence":"CONFIRMED"'
"""What a line of the ledger has that tells a proven fall."""


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
            usual = measure_case(model, use_case, case, before)
            if usual is not None and now < usual:
                found.append(CaseChange(use_case, case, usual, now))
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


def _add_grades(change: CaseChange, before: CaseSample | None, now: CaseSample | None) -> CaseChange:
    """The change with the prompt and with what the grader said of each answer."""
    grades = [AnswerGrade(each.score, each.lost, each.cut) if each else None for each in (before, now)]
    asked = now or before
    return msgspec.structs.replace(
        change, prompt=asked.prompt if asked else None, grade_before=grades[0], grade_now=grades[1]
    )


def _excerpt(answer: str | None, most: int | None) -> str | None:
    """The beginning of an answer on one line; with `most` None, the whole answer as written."""
    if most is None:
        return answer or None
    text = " ".join((answer or "").split())
    return None if not text else text if len(text) <= most else f"{text[: most - 1]}…"
