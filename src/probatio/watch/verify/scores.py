"""The scores of recorded days, made again from their grades and from what the days before say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from probatio.core.errors import ProbatioError
from probatio.core.records import Acceptance, Constants, DailyScore, Day
from probatio.runs.store.layout import DAILY, SCORES
from probatio.suites.daily_suite import DailySuite
from probatio.watch.day.samples import DaySamples, ServedLine, read_samples
from probatio.watch.day.scores import score_day
from probatio.watch.ledger.chain import Finding, find_in_day
from probatio.watch.ledger.difference import first_difference
from probatio.watch.ledger.ledger import LedgerLine, LedgerRecord
from probatio.watch.verdict.days import Days, suite_of
from probatio.watch.verdict.expectation import Expectation, expectations


class Expectations:
    """What the days before each day say. All days of a suite are folded once, in order; else a year would be
    folded for every day."""

    def __init__(self, days: Days) -> None:
        self._days = days
        self._going: dict[tuple[tuple[str, str], Constants], Iterator[tuple[str, Expectation]]] = {}

    def of(self, day: Day, constants: Constants) -> Expectation:
        suite = suite_of(day.record)
        going = self._going.setdefault((suite, constants), expectations(self._days, constants, suite))
        for date, expectation in going:
            if date == day.date:
                return expectation
            if date > day.date:
                break
        del self._going[suite, constants]
        before = self._days.before(day.date)
        reformed = before.find_reformed(day.record)
        return Expectation(before, constants, suite, day.date, reformed=reformed)


def scoring_constants(recorded: Iterable[tuple[LedgerLine, LedgerRecord]]) -> dict[str, Constants]:
    """Date → the constants that decided the sampling: those of the first record with today's scores file.
    Later records of the same file only judge it again."""
    found: dict[str, tuple[str | None, Constants]] = {}
    for _, record in recorded:
        scores = record.files.get(f"{DAILY}/{record.date}/{SCORES}")
        if record.date not in found or found[record.date][0] != scores:
            found[record.date] = scores, record.constants
    return {date: constants for date, (_, constants) in found.items()}


class Undone(NamedTuple):
    """What stands no longer: days asked before that was recorded knew it."""

    taken_back: Mapping[Acceptance, LedgerRecord]  # acceptance → the record that takes it back
    withdrawn: Sequence[tuple[Day, str]]  # each day, and when it was withdrawn


class ScoreChecks:
    """Compares the scores of days with those made again from their recorded grades, day by day in order."""

    def __init__(
        self,
        results: Path,
        days: Days,
        constants: Mapping[str, Constants],
        undone: Undone,
    ) -> None:
        """`constants`: date → the constants that decided the sampling."""
        self._results = results
        self._days = days
        self._undone = undone
        self._constants = constants
        self._past = Expectations(days)
        self._then: tuple[_Differences, Expectations] | None = None

    def findings(self, day: Day, suite: DailySuite, answers: Iterable[ServedLine] | None) -> list[Finding]:
        """Name the scores that differ. Days imported after this one began were not there then, and what was
        taken back since still stood, unless the day was continued. `answers`: those of the day, if already
        read."""
        constants = self._constants[day.date]
        try:
            samples = read_samples(self._results / DAILY / day.date, suite, answers)
        except ProbatioError as error:
            return [find_in_day(day.date, f"the scores can't be made again: {error}", SCORES)]
        findings = list(_check_scores(day, suite, self._past.of(day, constants), samples))
        if findings and (then := self._as_it_was(day)) is not None:
            return list(_check_scores(day, suite, then.of(day, constants), samples)) and findings
        return findings

    def _as_it_was(self, day: Day) -> Expectations | None:
        """The past as it was when this day began, or None if it is the same today."""
        began = day.record.created
        imported = frozenset(
            each.date
            for each in self._days.days
            if each.record.imported and each.record.created > began and each.date != day.date
        )
        stood = tuple(
            each for each, record in self._undone.taken_back.items() if each.made <= began < record.made
        )
        withdrawn = {
            each.date: each
            for each, made in self._undone.withdrawn
            if each.record.created <= began < made and each.date < day.date
        }
        if not stood and not withdrawn and not any(date < day.date for date in imported):
            return None
        # Mostly one import: then its days are left out for all days.
        key = imported, stood, frozenset(withdrawn)
        if self._then is None or self._then[0] != key:
            there = [each for each in self._days.days if each.date not in imported]
            then = Days([*there, *withdrawn.values()], (*self._days.accepted, *stood))
            self._then = key, Expectations(then)
        return self._then[1]


_Differences = tuple[frozenset[str], tuple[Acceptance, ...], frozenset[str]]
"""The days imported later, the acceptances taken back later, the days withdrawn later."""


def _check_scores(day: Day, suite: DailySuite, past: Expectation, samples: DaySamples) -> Iterator[Finding]:
    wanted = {model: list(lines) for model, lines in day.lines.items()}
    # Why a model could not be asked to the end stands in its gap lines and nowhere else.
    refused = {
        model: next(iter(lines.values())).gap or ""
        for model, lines in day.lines.items()
        if all(line.score is None for line in lines.values())
    }
    try:
        scored = score_day(day.record, suite, past, samples, wanted, {})
        if scored.missing:
            reasons = {model: reason for model, reason in refused.items() if model in scored.missing}
            scored = score_day(day.record, suite, past, samples, wanted, reasons)
    except ProbatioError as error:
        yield find_in_day(day.date, f"the scores can't be made again: {error}", SCORES)
        return
    computed: dict[tuple[str, str], DailyScore] = {
        (line.model, line.use_case): line for line in scored.scores
    }
    for number, stored in enumerate(day.scores, start=1):
        again = computed.pop((stored.model, stored.use_case), None)
        sample = f"{stored.model} · {stored.use_case}"
        if again is None:
            yield find_in_day(day.date, "the grades of the day give no such score", SCORES, number, sample)
            continue
        again = msgspec.structs.replace(again, asked_late=stored.asked_late)  # checked separately
        if not stored.answers:  # a record older than the field
            again = msgspec.structs.replace(again, answers={}, further=0, further_other=0)
        if not stored.hours:  # likewise
            again = msgspec.structs.replace(again, hours={})
        if unequal := first_difference(stored, again):
            yield find_in_day(day.date, str(unequal), SCORES, number, sample)
    for model, use_case in computed:
        what = "the grades of the day give a score that is not in the file"
        yield find_in_day(day.date, what, SCORES, sample=f"{model} · {use_case}")
