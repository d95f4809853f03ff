"""What is different between two days of one model: scores, cases, and whatever else stood in the days' records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import sqrt
from typing import NamedTuple

from probatio.records import DailyScore, Day, ModelVerdict
from probatio.site.rendering import money, thousands
from probatio.verdict.days import suite_of

BEYOND = 2 * sqrt(2)
"""Of two usual days the difference has √2 times the spread of one; twice that is passed by chance about one time in twenty."""


SAME = 0.005
"""A case that moved by less than half a point did not move."""


class ScoreDiff(NamedTuple):
    """One use case on both days."""

    use_case: str
    before: float | None
    after: float | None
    usual: float | None  # how far two usual days are apart at most, 19 times in 20

    @property
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def beyond(self) -> bool:
        return self.change is not None and self.usual is not None and abs(self.change) > self.usual


class CaseDiff(NamedTuple):
    """One case on both days: the mean credit of its samples, 0–1."""

    use_case: str
    case: str
    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before


class FactDiff(NamedTuple):
    """Something of the records that is not a score."""

    name: str
    before: str
    after: str


class DayDiff(NamedTuple):
    """Two days of one model."""

    scores: list[ScoreDiff]
    moved: list[CaseDiff]  # the largest fall first, the largest gain last
    same: int  # cases with the same credit on both days, to half a point
    alone: int  # cases that only one of the days has
    facts: list[FactDiff]
    other_suite: bool  # nothing is compared across two suites: differences are shown, and say nothing about the model


def day_diff(model: str, before: Day, after: Day, verdict: ModelVerdict) -> DayDiff:
    """`verdict`: of the later day, for the spread that is usual."""
    ours, theirs = before.lines.get(model, {}), after.lines.get(model, {})
    spreads = {each.use_case: each.sd for each in verdict.use_cases}
    use_cases = list(dict.fromkeys([*theirs, *ours]))
    scores = [
        ScoreDiff(
            name,
            ours[name].score if name in ours else None,
            theirs[name].score if name in theirs else None,
            BEYOND * sd if (sd := spreads.get(name)) is not None else None,
        )
        for name in use_cases
    ]
    both = [
        CaseDiff(name, case, old, theirs[name].cases[case])
        for name in use_cases
        if name in ours and name in theirs
        for case, old in ours[name].cases.items()
        if case in theirs[name].cases
    ]
    moved = sorted((each for each in both if abs(each.change) >= SAME), key=lambda each: each.change)
    every = {(name, case) for lines in (ours, theirs) for name, line in lines.items() for case in line.cases}
    return DayDiff(
        scores,
        moved,
        len(both) - len(moved),
        len(every) - len(both),
        list(_facts(model, before, after)),
        suite_of(before.record) != suite_of(after.record),
    )


def _facts(model: str, before: Day, after: Day) -> Iterator[FactDiff]:
    """Those that differ; a number that moves every day is no news, so numbers are told where they moved by a tenth."""
    one, two = before.record, after.record
    pairs: list[tuple[str, object, object]] = [
        ("Suite", one.suite_version, two.suite_version),
        ("Content of the suite", one.suite_fingerprint[:12], two.suite_fingerprint[:12]),
        ("Grader", one.grader_version, two.grader_version),
        ("Judge", one.calibration and one.calibration.judge, two.calibration and two.calibration.judge),
        ("Judge barred", _barred(before), _barred(after)),
    ]
    ours, theirs = list(before.lines.get(model, {}).values()), list(after.lines.get(model, {}).values())
    pairs += [
        ("Served by", _named(line.providers for line in ours), _named(line.providers for line in theirs)),
        ("Served as", _named(line.resolved_models for line in ours), _named(line.resolved_models for line in theirs)),
        (
            "Fingerprint of the server",
            _named(line.fingerprints for line in ours),
            _named(line.fingerprints for line in theirs),
        ),
        ("Asked on", _asked(ours), _asked(theirs)),
    ]
    pairs += [
        (f"Version of {name}", one.versions.get(name), two.versions.get(name))
        for name in dict.fromkeys([*one.versions, *two.versions])
    ]
    yield from (FactDiff(name, str(a or "–"), str(b or "–")) for name, a, b in pairs if a != b)
    for name, value, shown in _NUMBERS:
        a, b = sum(value(line) for line in ours), sum(value(line) for line in theirs)
        if 10 * abs(b - a) > max(a, b):  # of whole numbers: one that a server made up may be too large for a float
            yield FactDiff(name, shown(a), shown(b))


_NUMBERS: tuple[tuple[str, Callable[[DailyScore], float], Callable[[float], str]], ...] = (
    ("Samples without an answer", lambda line: line.errored, thousands),
    ("Answers cut off", lambda line: line.truncated, thousands),
    ("Refusals", lambda line: line.refused, thousands),
    ("Tokens of all answers", lambda line: line.tokens_out, thousands),
    ("Cost of the day", lambda line: line.cost or 0.0, money),
)


def _barred(day: Day) -> str:
    return "yes" if day.record.calibration and day.record.calibration.barred else "no"


def _named(counts: Iterable[dict[str, int]]) -> str:
    return ", ".join(sorted({name for each in counts for name in each}))


def _asked(lines: list[DailyScore]) -> str:
    return ", ".join(sorted({line.asked_late for line in lines if line.asked_late}))
