"""Compare sides of one suite, paired by trial: runs, models, contexts or days; two sides or several.

A side is a selection (selection.py). Two trials are a pair if they have the same task, model, n-shot,
dialect, context and sample, except for the axes in which the sides differ: those are what is compared. Days
have no such conditions: the first answer to a case on one side is paired with the first on the other, the
second with the second, and on the same day where both sides have the same days.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from probatio.core.errors import UsageError
from probatio.core.statistics.intervals import Rate, rate_of
from probatio.core.text.names import pick
from probatio.learn.alike import Unlike
from probatio.learn.alike import Versions as MayDiffer
from probatio.learn.database import quote_text
from probatio.learn.selection import AXES, DAY_AXES, SPELLINGS, Side, locate, parse_selection
from probatio.learn.statistics.family import ALPHA, MOST_SIDES, list_family
from probatio.learn.statistics.pairs import TaskPairs, holm, join_variants, measure_difference
from probatio.learn.trials import Trials, name_runs, open_trials
from probatio.learn.versions import Versions, compare_versions
from probatio.runs.record import read_run
from probatio.runs.store.layout import RUN_FILE

PAIRED = ("task_id", "model", "n_shot", "dialect", "context", "sample")

_ANSWERS_A_DAY = 1_000_000
"""More than the answers to one case on one day."""

_COLUMN = {"task": "task_id", "use_case": "category"}
"""The column of a key, where it has another name."""


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
    p: float  # of the test that the interval inverts, over tasks
    unpaired_a: int
    unpaired_b: int
    unasked: int  # pairs with a side that could not be asked
    flips: list[TaskFlip]
    controls: int = 0  # trials of tasks in the host language, on both sides, that are left out
    missing: int = 0  # answered trials of A without an answered partner; of days: cases
    across: str = ""  # the versions of the suite, if they are not the same
    searched: list[str] = []  # the runs that chose their own questions
    days_a: list[str] = []  # the days compared, if the sides are days
    days_b: list[str] = []
    versions: Versions | None = None  # of a language, if that is what is compared
    p_holm: float | None = None  # p corrected for being one of several comparisons (Holm)

    @property
    def shown(self) -> bool:
        """Whether a difference is shown: one comparison by its interval, several by the corrected p."""
        return self.low > 0 or self.high < 0 if self.p_holm is None else self.p_holm < ALPHA

    def __str__(self) -> str:
        from probatio.learn.report.comparison import describe_comparison

        return describe_comparison(self)

    def __repr__(self) -> str:
        return f"<Comparison: {self}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence and the numbers."""
        from probatio.learn.exports.study import format_html_comparison

        return format_html_comparison(self)


class PairedSides(NamedTuple):
    """Two sides, their pairs counted by task, and the trials without a partner."""

    a: str
    b: str
    differ_in: list[str]
    tasks: list[TaskPairs]
    unpaired_a: int
    unpaired_b: int
    unasked: int
    samples: int  # of one condition
    controls: int = 0  # trials of both sides that are left out
    missing: int = 0  # answered trials of A without an answered partner; of days: cases
    across: str = ""  # the versions of the suite, if they are not the same
    searched: Sequence[str] = ()  # the runs that chose their own questions
    days_a: Sequence[str] = ()  # the days of the pairs
    days_b: Sequence[str] = ()
    versions: Versions | None = None


def compare(first: str, second: str, results: Path, suite: Path | None = None) -> Comparison:
    """Pair the trials of two sides and measure the difference."""
    return compare_all([first, second], results, suite)[0]


def compare_all(
    sides: Sequence[str],
    results: Path,
    suite: Path | None = None,
    *,
    to_first: bool = False,
    across_versions: bool = False,
) -> list[Comparison]:
    """Compare every two sides, or each with the first. Several comparisons are corrected together. Runs of
    two versions of a suite are compared and said to be so; days only with `across_versions`."""
    runs = all(locate(parse_selection(side), results).kind == "run" for side in sides)
    versions: MayDiffer = "any" if across_versions or runs else "same"
    paired = pair_sides(sides, results, suite, to_first=to_first, versions=versions)
    compared = [measure(pairing) for pairing in paired]
    if len(compared) == 1:
        return compared
    corrected = holm([one.p for one in compared])
    return [msgspec.structs.replace(one, p_holm=p) for one, p in zip(compared, corrected, strict=True)]


def pair_sides(
    sides: Sequence[str],
    results: Path,
    suite: Path | None = None,
    *,
    to_first: bool = False,
    versions: MayDiffer = "same",
) -> list[PairedSides]:
    """Pair the trials of every two sides, or of each and the first, and count them by task."""
    if not 2 <= len(sides) <= MOST_SIDES:
        raise UsageError(f"Name 2 to {MOST_SIDES} sides to compare; {len(sides)} were given.")
    sources = [locate(parse_selection(side), results) for side in sides]
    folders = list({folder.resolve(): folder for source in sources for folder in source.folders}.values())
    names = dict(zip([folder.resolve() for folder in folders], name_runs(folders), strict=True))
    runs = [[names[folder.resolve()] for folder in source.folders] for source in sources]
    with open_trials(folders, suite, versions=versions) as trials:
        return _pair_located(trials, sources, runs, to_first)


def compare_open(trials: Trials, sides: Sequence[Side]) -> Comparison:
    """Compare two sides of runs that are open already: the first side is of the first run, the second of the
    last."""
    names = list(trials.folders)
    return measure(_pair_located(trials, sides, [names[:1], names[-1:]])[0])


def _pair_located(
    trials: Trials, sides: Sequence[Side], runs: Sequence[list[str]], to_first: bool = False
) -> list[PairedSides]:
    same_days = all(side.kind == "days" for side in sides) and len({frozenset(names) for names in runs}) == 1
    for number, (side, names) in enumerate(zip(sides, runs, strict=True)):
        _choose(trials, f"side_{number}", side, names, same_days)
    paired = []
    for one, two in list_family(len(sides), to_first=to_first):
        asked, controls = trials.rows(
            "select count(*), count(*) filter (control) from "
            f"(select control from side_{one} union all select control from side_{two})"
        )[0]
        # Sides of controls alone were chosen so: then these are what is compared.
        about = "true" if controls == asked else "not control"
        for place, number in (("a", one), ("b", two)):
            trials.db.execute(f"create or replace view {place} as select * from side_{number} where {about}")
        differ_in = _differ_in(trials, sides[one].text, sides[two].text)
        if runs[one] != runs[two]:
            differ_in.insert(0, "run" if sides[one].kind == sides[two].kind == "run" else "days")
        pairing = _pairing(trials, sides[one], sides[two], differ_in)
        across = _describe_versions(trials, runs[one], runs[two])
        languages = (across and sides[one].kind == "run") or differ_in == ["dialect"]
        versions = (
            compare_versions(trials, (one, two), (runs[one], runs[two]), pairing.tasks) if languages else None
        )
        paired.append(
            pairing._replace(
                controls=controls if controls < asked else 0,
                across=across,
                searched=[
                    name for name in dict.fromkeys(runs[one] + runs[two]) if _has_searched(trials, name)
                ],
                versions=versions,
            )
        )
    return paired


def _has_searched(trials: Trials, run: str) -> bool:
    folder = trials.folders[run]
    return (folder / RUN_FILE).exists() and read_run(folder).search is not None


def _describe_versions(trials: Trials, one: Sequence[str], two: Sequence[str]) -> str:
    """The versions of the suite on two sides; empty if they are one."""
    seen = [{run for run in trials.runs if run.run in names} for names in (one, two)]
    versions = [
        sorted({(run.suite, run.suite_version, run.suite_fingerprint) for run in side}) for side in seen
    ]
    if versions[0] == versions[1]:
        return ""
    alone = len({name for side in versions for name, _, _ in side}) == 1
    named = [
        ", ".join(
            f"{'' if alone else f'{name} '}{version} ({(print_ or '')[:8]})" for name, version, print_ in side
        )
        for side in versions
    ]
    return f"across versions of the suite, {named[0]} and {named[1]}"


def list_sides(text: str, axis: str, results: Path, suite: Path | None = None) -> list[str]:
    """A side for each level of an axis in a selection, in the order of the run."""
    selection = parse_selection(text)
    source = locate(selection, results)
    name = SPELLINGS.get(axis, axis)
    allowed = [key for key in (AXES if source.kind == "run" else DAY_AXES) if key != "date"]
    if name not in allowed:
        raise UsageError(f"There is no axis `{axis}`; there are {', '.join(allowed)}.")
    with open_trials(source.folders, suite) as trials:
        _choose(trials, "side_0", source, list(trials.folders))
        column = _COLUMN.get(name, name)
        there = {row[0] for row in trials.rows(f"select distinct {column} from side_0")}
        levels = [level for level in trials.levels(column) if level in there]
    if len(levels) < 2:
        one = f"only one {name} ({levels[0]})" if levels else f"no {name}"
        raise UsageError(f"{text} has {one}: there is nothing to compare.")
    return [selection.narrow(name, str(level)).text for level in levels]


def _choose(trials: Trials, place: str, side: Side, runs: list[str], by_day: bool = False) -> None:
    """Make a table with the trials of one side. The answers to a case are numbered across its days; by day
    where all sides have the same days, so that an answer is paired with one of the same day."""
    listed = f"({', '.join(['?'] * len(runs))})"
    conditions, values = [f"run in {listed}"], [*runs]
    for axis, patterns in side.filters.items():
        column = _COLUMN.get(axis, axis)
        known = [
            str(row[0])
            for row in trials.rows(
                f"select distinct {column} from trials where run in {listed} and {column} is not null "
                "order by 1",
                runs,
            )
        ]
        chosen = pick(axis, patterns, known, f"in {', '.join(runs) if len(runs) < 3 else side.text}")
        conditions.append(f"cast({column} as VARCHAR) in ({', '.join(['?'] * len(chosen))})")
        values += chosen
    numbered = "row_number() over (partition by task_id, model order by run, line) - 1"
    if by_day:
        day = f"list_position([{', '.join(map(quote_text, sorted(runs)))}], run) * {_ANSWERS_A_DAY}"
        numbered = f"{day} + row_number() over (partition by task_id, model, run order by line)"
    # The rounds of a day are one here: which round an answer is of says nothing about the model.
    columns = "*" if side.kind == "run" else f"* replace ('day' as context, {numbered} as sample)"
    trials.db.execute(
        f"create or replace table {place} as select {columns} from trials where {' and '.join(conditions)}",
        values,
    )


def _differ_in(trials: Trials, first: str, second: str) -> list[str]:
    """The axes on which each side has one level, and not the same: they are compared, not paired on."""
    differ = []
    for axis in PAIRED:
        one, two = ({row[0] for row in trials.rows(f"select distinct {axis} from {place}")} for place in "ab")
        if len(one) == len(two) == 1 and one != two:
            differ.append(axis)
        elif not one & two:
            raise Unlike(_nothing_shared(axis, one, two, first, second))
    return differ


def _nothing_shared(axis: str, one: set[Any], two: set[Any], first: str, second: str) -> str:
    if not one or not two:
        return f"{second if one else first} has no graded trial."
    listed = [", ".join(sorted(map(str, levels))[:5]) for levels in (one, two)]
    return (
        f"{first} and {second} share no {axis} ({listed[0]} against {listed[1]}), so no trial has a partner; "
        f"narrow each side to one, as in RUN:{axis}=NAME."
    )


def _pairing(trials: Trials, a: Side, b: Side, differ_in: list[str]) -> PairedSides:
    first, second = a.text, b.text
    on = [axis for axis in PAIRED if axis not in differ_in]
    same = " and ".join(f"a.{axis} = b.{axis}" for axis in on)
    task, cluster = "a.task_id", "a.cluster"
    if "task_id" not in on:
        task, cluster = (f"{side} || ' / ' || b{side[1:]}" for side in (task, cluster))
    trials.db.execute(
        f"create or replace table pairs as select {task} as task_id, "
        f"{cluster} as cluster, a.correct as right_a, "
        "b.correct as right_b, a.sample as sample, a.asked and b.asked as asked, "
        f"a.run = b.run and a.line = b.line as itself, a.run as run_a, b.run as run_b from a join b on {same}"
    )
    matched, itself, unasked, samples = trials.rows(
        "select count(*), count(*) filter (itself), count(*) filter (not asked), count(distinct sample) "
        "from pairs"
    )[0]
    if not matched:
        raise Unlike(
            f"No trial of {first} has a partner in {second}: they share no {', '.join(on)} together."
        )
    if itself:
        raise UsageError(
            f"{first} and {second} hold the same trials ({itself} would be compared with themselves); "
            "narrow each side, as in RUN:model=NAME."
        )
    counts = trials.rows(
        "select task_id, count(*), count(*) filter (right_a), count(*) filter (right_b), "
        "count(*) filter (right_b and not right_a), count(*) filter (right_a and not right_b), "
        "any_value(cluster) from pairs where asked group by task_id order by task_id"
    )
    rows = [TaskPairs(*count) for count in counts]
    if not rows:
        raise Unlike(
            "Every pair has a side that could not be asked (api_error): there is nothing to compare."
        )
    totals = [trials.rows(f"select count(*) from {place}")[0][0] for place in "ab"]
    # A range of days may be longer than the other: of days the cases count, not their repetitions.
    counted = "count(distinct task_id)" if a.kind == "days" else "count(*)"
    asked, answered = (
        trials.rows(f"select {counted} from {place} where asked")[0][0] for place in ("a", "pairs")
    )
    named = [{"task_id": "task"}.get(axis, axis) for axis in differ_in]
    return PairedSides(
        first, second, named, rows, totals[0] - matched, totals[1] - matched, unasked, samples,
        missing=max(0, asked - answered), days_a=_days(trials, a, "run_a"), days_b=_days(trials, b, "run_b"),
    )  # fmt: skip


def _days(trials: Trials, side: Side, column: str) -> list[str]:
    """The days whose answers are compared; none for runs."""
    if side.kind == "run":
        return []
    query = f"select distinct {column} from pairs where asked order by 1"
    return [trials.folders[row[0]].name for row in trials.rows(query)]


def measure(pairing: PairedSides) -> Comparison:
    """The difference of two sides whose pairs are counted."""
    tasks, clusters = pairing.tasks, join_variants(pairing.tasks)
    found = measure_difference(tasks)
    gained, lost = sum(task.gained for task in tasks), sum(task.lost for task in tasks)
    flips = [TaskFlip(*task[:6]) for task in tasks if task.gained or task.lost]
    flips.sort(key=lambda flip: (flip.gained >= flip.lost, -abs(flip.gained - flip.lost), flip.task_id))
    return Comparison(
        a=pairing.a,
        b=pairing.b,
        differ_in=pairing.differ_in,
        pairs=sum(task.pairs for task in tasks),
        tasks=len(clusters),
        rate_a=rate_of((task.passed_a, task.pairs) for task in clusters),
        rate_b=rate_of((task.passed_b, task.pairs) for task in clusters),
        difference=100 * found.difference,
        low=100 * found.low,
        high=100 * found.high,
        gained=gained,
        lost=lost,
        p=found.p,
        unpaired_a=pairing.unpaired_a,
        unpaired_b=pairing.unpaired_b,
        unasked=pairing.unasked,
        controls=pairing.controls,
        flips=flips,
        missing=pairing.missing,
        across=pairing.across,
        searched=[*pairing.searched],
        days_a=list(pairing.days_a),
        days_b=list(pairing.days_b),
        versions=pairing.versions,
    )
