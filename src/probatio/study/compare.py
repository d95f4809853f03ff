"""Sides of one suite compared, paired by trial: runs, models, contexts, or any such choices; two of them or several.

A side is written `RUN` or `RUN:axis=value,axis=value`. A trial of one side is paired with the trial of the other that has the
same task, model, n-shot, dialect, context and sample, but for the axes the sides differ in: those are what is compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from probatio.errors import UsageError
from probatio.names import pick
from probatio.study.intervals import Rate, rate_of
from probatio.study.pairs import TaskPairs, difference_of, holm, mcnemar
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
    p: float  # exact, the sides of whole tasks swapped; with one pair per task this is McNemar's
    unpaired_a: int
    unpaired_b: int
    unasked: int  # pairs with a side that could not be asked
    flips: list[TaskFlip]
    p_pairs: float = 1.0  # exact McNemar over pairs, as if they were independent
    p_holm: float | None = None  # p corrected for being one of several comparisons (Holm)

    @property
    def shown(self) -> bool:
        """Whether a difference is shown: of one comparison by its interval, of several by the corrected p."""
        return self.low > 0 or self.high < 0 if self.p_holm is None else self.p_holm < ALPHA

    def __str__(self) -> str:
        from probatio.study.comparison_words import sentence

        return sentence(self)


ALPHA = 0.05
"""The level of every test, as the intervals are of 95 %."""

MOST_SIDES = 40
"""Sides that are compared with each other: 780 comparisons, corrected together, are beyond what anybody reads."""


class Pairing(NamedTuple):
    """Two sides, their pairs counted by task, and what found no partner."""

    a: str
    b: str
    differ_in: list[str]
    tasks: list[TaskPairs]
    unpaired_a: int
    unpaired_b: int
    unasked: int
    samples: int  # of one condition


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
    return compare_all([first, second], results, suite)[0]


def compare_all(
    sides: Sequence[str], results: Path, suite: Path | None = None, *, to_first: bool = False
) -> list[Comparison]:
    """Every two of the sides, or each with the first; several comparisons are corrected together."""
    compared = [_comparison(pairing) for pairing in pairings(sides, results, suite, to_first=to_first)]
    if len(compared) == 1:
        return compared
    corrected = holm([one.p for one in compared])
    return [msgspec.structs.replace(one, p_holm=p) for one, p in zip(compared, corrected, strict=True)]


def pairings(
    sides: Sequence[str], results: Path, suite: Path | None = None, *, to_first: bool = False
) -> list[Pairing]:
    """The trials of every two sides, or of each and the first, paired and counted by task."""
    if not 2 <= len(sides) <= MOST_SIDES:
        raise UsageError(f"Name 2 to {MOST_SIDES} sides to compare; {len(sides)} were given.")
    asked = [parse_side(side) for side in sides]
    found = [find_results(side.run, results) for side in asked]
    folders = list({folder.resolve(): folder for folder in found}.values())
    names = dict(zip([folder.resolve() for folder in folders], run_names(folders), strict=True))
    runs = [names[folder.resolve()] for folder in found]
    with open_trials(folders, suite) as trials:
        return _pairings(trials, asked, runs, to_first)


def compared(trials: Trials, sides: Sequence[Side]) -> Comparison:
    """Two sides with the runs open already, as often as one likes: the first is of the first run, the second of the last."""
    names = run_names(trials.folders)
    return _comparison(_pairings(trials, sides, [names[0], names[-1]])[0])


def _pairings(trials: Trials, asked: Sequence[Side], runs: Sequence[str], to_first: bool = False) -> list[Pairing]:
    paired = []
    for number, (side, run) in enumerate(zip(asked, runs, strict=True)):
        _choose(trials, f"side_{number}", side, run)
    for one, two in combinations(range(len(asked)), 2):
        if to_first and one:
            break
        for place, number in (("a", one), ("b", two)):
            trials.db.execute(f"create or replace view {place} as select * from side_{number}")
        differ_in = _differ_in(trials, asked[one].text, asked[two].text)
        if runs[one] != runs[two]:
            differ_in.insert(0, "run")
        paired.append(_pairing(trials, [asked[one], asked[two]], differ_in))
    return paired


def sides_of(run: str, axis: str, results: Path, suite: Path | None = None) -> list[str]:
    """A side for each level of an axis in a run (or in a side of it), in the order of the run."""
    side = parse_side(run)
    name = _NAMES.get(axis, axis)
    if name not in AXES:
        raise UsageError(f"There is no axis `{axis}`; there are {', '.join(AXES)}.")
    folder = find_results(side.run, results)
    with open_trials([folder], suite) as trials:
        _choose(trials, "side_0", side, run_names([folder])[0])
        column = _COLUMN.get(name, name)
        there = {row[0] for row in trials.rows(f"select distinct {column} from side_0")}
        levels = [level for level in trials.levels(column) if level in there]
    if len(levels) < 2:
        one = f"only one {name} ({levels[0]})" if levels else f"no {name}"
        raise UsageError(f"{run} has {one}: there is nothing to compare.")
    kept = [f"{axis}={value}" for axis, values in side.filters.items() if axis != name for value in values]
    return [f"{side.run}:{','.join([*kept, f'{name}={level}'])}" for level in levels]


def _choose(trials: Trials, place: str, side: Side, run: str) -> None:
    """Make a table with the trials of one side."""
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


def _differ_in(trials: Trials, first: str, second: str) -> list[str]:
    """The axes on which each side has one level and not the same one: compared, not paired on."""
    differ = []
    for axis in PAIRED:
        one, two = ({row[0] for row in trials.rows(f"select distinct {axis} from {place}")} for place in "ab")
        if len(one) == len(two) == 1 and one != two:
            differ.append(axis)
        elif not one & two:
            raise UsageError(_nothing_shared(axis, one, two, first, second))
    return differ


def _nothing_shared(axis: str, one: set[Any], two: set[Any], first: str, second: str) -> str:
    if not one or not two:
        return f"{second if one else first} has no graded trial."
    listed = [", ".join(sorted(map(str, levels))[:5]) for levels in (one, two)]
    return (
        f"{first} and {second} share no {axis} ({listed[0]} against {listed[1]}), so no trial has a partner; "
        f"narrow each side to one, as in RUN:{axis}=NAME."
    )


def _pairing(trials: Trials, sides: list[Side], differ_in: list[str]) -> Pairing:
    on = [axis for axis in PAIRED if axis not in differ_in]
    same = " and ".join(f"a.{axis} = b.{axis}" for axis in on)
    task = "a.task_id" if "task_id" in on else "a.task_id || ' / ' || b.task_id"
    trials.db.execute(
        f"create or replace table pairs as select {task} as task_id, a.correct as right_a, b.correct as right_b, "
        "a.sample as sample, "
        f"a.asked and b.asked as asked, a.run = b.run and a.line = b.line as itself from a join b on {same}"
    )
    matched, itself, unasked, samples = trials.rows(
        "select count(*), count(*) filter (itself), count(*) filter (not asked), count(distinct sample) from pairs"
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
    counts = trials.rows(
        "select task_id, count(*), count(*) filter (right_a), count(*) filter (right_b), "
        "count(*) filter (right_b and not right_a), count(*) filter (right_a and not right_b) "
        "from pairs where asked group by task_id order by task_id"
    )
    rows = [TaskPairs(*count) for count in counts]
    if not rows:
        raise UsageError("Every pair has a side that could not be asked (api_error): there is nothing to compare.")
    totals = [trials.rows(f"select count(*) from {place}")[0][0] for place in "ab"]
    named = [{"task_id": "task"}.get(axis, axis) for axis in differ_in]
    return Pairing(
        sides[0].text, sides[1].text, named, rows, totals[0] - matched, totals[1] - matched, unasked, samples
    )


def _comparison(pairing: Pairing) -> Comparison:
    tasks = pairing.tasks
    found = difference_of(tasks)
    gained, lost = sum(task.gained for task in tasks), sum(task.lost for task in tasks)
    flips = [TaskFlip(*task) for task in tasks if task.gained or task.lost]
    flips.sort(key=lambda flip: (flip.gained >= flip.lost, -abs(flip.gained - flip.lost), flip.task_id))
    return Comparison(
        a=pairing.a,
        b=pairing.b,
        differ_in=pairing.differ_in,
        pairs=sum(task.pairs for task in tasks),
        tasks=len(tasks),
        rate_a=rate_of((task.passed_a, task.pairs) for task in tasks),
        rate_b=rate_of((task.passed_b, task.pairs) for task in tasks),
        difference=100 * found.difference,
        low=100 * found.low,
        high=100 * found.high,
        gained=gained,
        lost=lost,
        p=found.p,
        p_pairs=mcnemar(gained, lost),
        unpaired_a=pairing.unpaired_a,
        unpaired_b=pairing.unpaired_b,
        unasked=pairing.unasked,
        flips=flips,
    )
