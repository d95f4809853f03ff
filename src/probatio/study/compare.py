"""Two sides of one suite compared, paired by trial: two runs, two models, two contexts, or any two such choices.

A side is written `RUN` or `RUN:axis=value,axis=value`. A trial of one side is paired with the trial of the other that has the
same task, model, n-shot, dialect, context and sample, but for the axes the sides differ in: those are what is compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from probatio.errors import UsageError
from probatio.names import pick
from probatio.study.intervals import Rate, paired_difference, rate_of
from probatio.study.trials import Trials, find_results, open_trials, run_names

AXES = ("model", "context", "n_shot", "dialect", "type", "category", "difficulty", "task", "sample")
"""What a side can be narrowed by."""

PAIRED = ("task_id", "model", "n_shot", "dialect", "context", "sample")

_COLUMN = {"task": "task_id"}
_NAMES = {"n-shot": "n_shot", "task_id": "task"}
_FILTER = re.compile(rf"(?:^|,)(?P<axis>{'|'.join((*AXES, *_NAMES))})=")
_SIDE = re.compile(rf"(?P<run>.+?)(?::(?P<filters>(?:{'|'.join((*AXES, *_NAMES))})=.*))?", re.DOTALL)


class Side(NamedTuple):
    """One side as it was asked for."""

    text: str
    run: str
    filters: dict[str, list[str]]


class TaskFlip(msgspec.Struct, frozen=True):
    """A task that the second side answers better or worse than the first."""

    task_id: str
    pairs: int
    passed_a: int
    passed_b: int
    gained: int
    lost: int


class Comparison(msgspec.Struct, frozen=True):
    """B against A. Differences in percentage points, B less A."""

    a: str
    b: str
    differ_in: list[str]
    pairs: int
    tasks: int
    rate_a: Rate
    rate_b: Rate
    difference: float
    low: float
    high: float
    gained: int  # pairs that only B passes
    lost: int  # pairs that only A passes
    p: float  # exact McNemar over pairs
    unpaired_a: int
    unpaired_b: int
    unasked: int  # pairs with a side that could not be asked
    flips: list[TaskFlip]


def parse_side(text: str) -> Side:
    """`run`, or `run:model=x,context=y`; a value may hold colons, and several values of an axis repeat the axis."""
    match = _SIDE.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} names no run; write RUN or RUN:model=NAME,context=NAME.")
    filters: dict[str, list[str]] = defaultdict(list)
    given = match["filters"] or ""
    starts = list(_FILTER.finditer(given))
    ends = [start.start() for start in starts[1:]] + [len(given)]
    for start, end in zip(starts, ends, strict=False):
        filters[_NAMES.get(start["axis"], start["axis"])].append(given[start.end() : end])
    return Side(text, match["run"], dict(filters))


def compare(first: str, second: str, results: Path, suite: Path | None = None) -> Comparison:
    """Pair the trials of two sides and tell the difference."""
    sides = [parse_side(first), parse_side(second)]
    both = [find_results(side.run, results) for side in sides]
    folders = both[:1] if both[0].resolve() == both[1].resolve() else both
    with open_trials(folders, suite) as trials:
        return compared(trials, sides)


def compared(trials: Trials, sides: list[Side]) -> Comparison:
    """The same with the runs open already, as often as one likes: the first side is of the first run, the second of the last."""
    names = run_names(trials.folders)
    for place, side in zip(("a", "b"), sides, strict=True):
        _choose(trials, place, side, names[-1] if place == "b" else names[0])
    differ_in = _differ_in(trials)
    if len(trials.folders) > 1:
        differ_in.insert(0, "run")
    return _comparison(trials, sides, differ_in)


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided chance of so uneven a split of the flips if each had gone either way with equal chance."""
    flips = gained + lost
    ways = tail = 1
    for fewer in range(min(gained, lost)):
        ways = ways * (flips - fewer) // (fewer + 1)
        tail += ways
    return min(1.0, tail / (1 << flips - 1)) if flips else 1.0


def _choose(trials: Trials, place: str, side: Side, run: str) -> None:
    """Make table `a` or `b`: the trials of one side."""
    conditions, values = ["run = ?"], [run]
    for axis, patterns in side.filters.items():
        column = _COLUMN.get(axis, axis)
        known = [
            str(row[0])
            for row in trials.rows(
                f"select distinct {column} from trials where run = ? and {column} is not null order by 1", [run]
            )
        ]
        chosen = pick(axis, patterns, known, f"in {run}")
        conditions.append(f"cast({column} as VARCHAR) in ({', '.join(['?'] * len(chosen))})")
        values += chosen
    trials.db.execute(
        f"create or replace table {place} as select * from trials where {' and '.join(conditions)}", values
    )


def _differ_in(trials: Trials) -> list[str]:
    """The axes on which each side has one level and not the same one: compared, not paired on."""
    differ = []
    for axis in PAIRED:
        one, two = ({row[0] for row in trials.rows(f"select distinct {axis} from {place}")} for place in "ab")
        if len(one) == len(two) == 1 and one != two:
            differ.append(axis)
        elif not one & two:
            raise UsageError(_nothing_shared(axis, one, two))
    return differ


def _nothing_shared(axis: str, one: set[Any], two: set[Any]) -> str:
    if not one or not two:
        return f"The {'first' if not one else 'second'} side has no graded trial."
    listed = [", ".join(sorted(map(str, levels))[:5]) for levels in (one, two)]
    return (
        f"The two sides share no {axis} ({listed[0]} against {listed[1]}), so no trial has a partner; "
        f"narrow each side to one, as in RUN:{axis}=NAME."
    )


def _comparison(trials: Trials, sides: list[Side], differ_in: list[str]) -> Comparison:
    on = [axis for axis in PAIRED if axis not in differ_in]
    same = " and ".join(f"a.{axis} = b.{axis}" for axis in on)
    task = "a.task_id" if "task_id" in on else "a.task_id || ' / ' || b.task_id"
    trials.db.execute(
        f"create or replace table pairs as select {task} as task_id, a.correct as right_a, b.correct as right_b, "
        f"a.asked and b.asked as asked, a.run = b.run and a.line = b.line as itself from a join b on {same}"
    )
    matched, itself, unasked = trials.rows(
        "select count(*), count(*) filter (itself), count(*) filter (not asked) from pairs"
    )[0]
    if not matched:
        raise UsageError(
            f"No trial of {sides[0].text} has a partner in {sides[1].text}: they share no {', '.join(on)} together."
        )
    if itself:
        raise UsageError(
            f"{sides[0].text} and {sides[1].text} hold the same trials ({itself} would be compared with themselves); "
            "narrow each side, as in RUN:model=NAME."
        )
    rows = trials.rows(
        "select task_id, count(*), count(*) filter (right_a), count(*) filter (right_b), "
        "count(*) filter (right_b and not right_a), count(*) filter (right_a and not right_b) "
        "from pairs where asked group by task_id order by task_id"
    )
    if not rows:
        raise UsageError("Every pair has a side that could not be asked (api_error): there is nothing to compare.")
    difference, low, high = paired_difference((row[4], row[5], row[1]) for row in rows)
    gained, lost = sum(row[4] for row in rows), sum(row[5] for row in rows)
    totals = [trials.rows(f"select count(*) from {place}")[0][0] for place in "ab"]
    flips = [TaskFlip(*row) for row in rows if row[4] or row[5]]
    flips.sort(key=lambda flip: (flip.gained >= flip.lost, -abs(flip.gained - flip.lost), flip.task_id))
    return Comparison(
        a=sides[0].text,
        b=sides[1].text,
        differ_in=[{"task_id": "task"}.get(axis, axis) for axis in differ_in],
        pairs=sum(row[1] for row in rows),
        tasks=len(rows),
        rate_a=rate_of((row[2], row[1]) for row in rows),
        rate_b=rate_of((row[3], row[1]) for row in rows),
        difference=100 * difference,
        low=100 * low,
        high=100 * high,
        gained=gained,
        lost=lost,
        p=mcnemar(gained, lost),
        unpaired_a=totals[0] - matched,
        unpaired_b=totals[1] - matched,
        unasked=unasked,
        flips=flips,
    )
