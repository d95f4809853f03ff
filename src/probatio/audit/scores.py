"""The scores of recorded days, made again from their grades and from what the days before say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from probatio.day.samples import DaySamples, ServedLine, read_samples
from probatio.day.scores import score_day
from probatio.errors import ProbatioError
from probatio.ledger.chain import Finding
from probatio.ledger.difference import first_difference
from probatio.records import Constants, DailyScore, Day
from probatio.store.layout import DAILY, SCORES
from probatio.suite.daily_suite import DailySuite, constants_of
from probatio.verdict.days import Days, suite_of
from probatio.verdict.expectation import Expectation, expectations


class Past:
    """What the days before each day say. They are folded once for all days of a suite, asked for in order; a year of days would
    else be folded for every day of it."""

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
        return Expectation(self._days.before(day.date), constants, suite, day.date)


class Scores:
    """The scores of days, made again from their recorded grades, day by day in order."""

    def __init__(self, results: Path, days: Days) -> None:
        self._results = results
        self._days = days
        self._past = Past(days)
        self._then: tuple[frozenset[str], Past] | None = None

    def findings(self, day: Day, suite: DailySuite, answers: Iterable[ServedLine] | None) -> list[Finding]:
        """What comes out otherwise. Days that were imported after this one was begun were not there then; they were where it was
        run further since. `answers`: those of the day, where they were read."""
        constants = constants_of(suite.manifest)
        try:
            samples = read_samples(self._results / DAILY / day.date, suite, answers)
        except ProbatioError as error:
            return [_cannot(day, error)]
        findings = list(_scores_after(day, suite, self._past.of(day, constants), samples))
        if findings and (then := self._as_it_was(day)) is not None:
            return list(_scores_after(day, suite, then.of(day, constants), samples)) and findings
        return findings

    def _as_it_was(self, day: Day) -> Past | None:
        """The past without the days that were imported after this one was begun; None where there are none."""
        later = frozenset(
            each.date
            for each in self._days.days
            if each.record.imported and each.record.created > day.record.created and each.date != day.date
        )
        if not any(date < day.date for date in later):
            return None
        if self._then is None or self._then[0] != later:  # mostly one import: then its days are left out for all days
            then = Days((each for each in self._days.days if each.date not in later), self._days.accepted)
            self._then = later, Past(then)
        return self._then[1]


def _cannot(day: Day, error: ProbatioError) -> Finding:
    return Finding(f"{DAILY}/{day.date}/{SCORES}", None, None, f"the scores can't be made again: {error}")


def _scores_after(day: Day, suite: DailySuite, past: Expectation, samples: DaySamples) -> Iterator[Finding]:
    where = f"{DAILY}/{day.date}/{SCORES}"
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
        yield _cannot(day, error)
        return
    computed: dict[tuple[str, str], DailyScore] = {(line.model, line.use_case): line for line in scored.scores}
    for number, stored in enumerate(day.scores, start=1):
        again = computed.pop((stored.model, stored.use_case), None)
        sample = f"{stored.model} · {stored.use_case}"
        if again is None:
            yield Finding(where, number, sample, "the grades of the day give no such score")
        elif unequal := first_difference(_but_lateness(stored), _but_lateness(again)):
            yield Finding(where, number, sample, str(unequal))
    for model, use_case in computed:
        yield Finding(
            where, None, f"{model} · {use_case}", "the grades of the day give a score that is not in the file"
        )


def _but_lateness(line: DailyScore) -> DailyScore:
    """Without the mark of having been asked late, which is checked by itself."""
    return msgspec.structs.replace(line, asked_late=None)
