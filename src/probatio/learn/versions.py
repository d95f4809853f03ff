"""Two versions of a language, or two dialects, beside each other: what differs, on which tasks the difference
lies, and how many tokens each side takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from probatio.learn.alike import describe_changes, list_changed
from probatio.learn.curves import SHARES, fit_curves
from probatio.learn.findings import Reach
from probatio.learn.statistics.pairs import TaskPairs, join_variants, measure_difference
from probatio.learn.tokens import count_shared_parts
from probatio.learn.trials import Trials

if TYPE_CHECKING:
    from probatio.core.statistics.intervals import PairedDifference


class Part(msgspec.Struct, frozen=True):
    """The difference on some of the tasks, in percentage points, B less A."""

    name: str
    tasks: int
    difference: float
    low: float
    high: float

    @property
    def shown(self) -> bool:
        return self.low > 0 or self.high < 0


class SideReach(msgspec.Struct, frozen=True):
    """The tokens that a model takes on both sides for the first share; None where a side has no curve."""

    model: str
    a: Reach | None
    b: Reach | None


class Versions(msgspec.Struct, frozen=True):
    """What comparing two versions tells besides the difference."""

    changed: str  # which parts of the suite differ; empty for two dialects
    touched: Part | None  # tasks that were changed
    untouched: Part | None
    categories: list[Part]  # the largest difference first
    rules: list[Part]  # the same by the rules that tasks take; empty for a language that names none
    reached: list[SideReach]


def compare_versions(
    trials: Trials,
    numbers: tuple[int, int],
    runs: tuple[Sequence[str], Sequence[str]],
    tasks: Sequence[TaskPairs],
) -> Versions:
    """`numbers`: of the tables `side_…`; `runs`: of each side; `tasks`: the pairs between them."""
    one, two = (trials.content.get(names[-1]) for names in runs)
    known = one is not None and two is not None and one != two
    changed = set(list_changed(one.tasks, two.tasks)) if one and two else set()
    parts = {
        name: _measure(name, [task for task in tasks if (task.task_id in changed) == touched])
        for name, touched in (("changed", True), ("unchanged", False))
    }
    return Versions(
        changed=describe_changes(one, two) if one and two and known else "",
        touched=parts["changed"],
        untouched=parts["unchanged"] if changed else None,
        categories=_by_category(trials, tasks),
        rules=_by_rule(trials, tasks),
        reached=_list_reached(trials, numbers, runs, [task.task_id for task in tasks]),
    )


def _measure(name: str, tasks: Sequence[TaskPairs]) -> Part | None:
    if not tasks:
        return None
    found: PairedDifference = measure_difference(tasks)
    return Part(name, len(join_variants(tasks)), 100 * found.difference, 100 * found.low, 100 * found.high)


def _by_category(trials: Trials, tasks: Sequence[TaskPairs]) -> list[Part]:
    categories = dict(trials.rows("select distinct task_id, category from trials where category is not null"))
    groups: dict[str, list[TaskPairs]] = defaultdict(list)
    for task in tasks:
        if category := categories.get(task.task_id):
            groups[category].append(task)
    return _rank(groups)


def _by_rule(trials: Trials, tasks: Sequence[TaskPairs]) -> list[Part]:
    """By the rules of the suite as it is now; a task may take several."""
    groups: dict[str, list[TaskPairs]] = defaultdict(list)
    known = trials.suite.tasks if trials.suite else {}
    for task in tasks:
        for rule in (known[task.task_id].rules or ()) if task.task_id in known else ():
            groups[rule].append(task)
    return _rank(groups)


def _rank(groups: Mapping[str, Sequence[TaskPairs]]) -> list[Part]:
    parts = [_measure(name, group) for name, group in groups.items()]
    return sorted(filter(None, parts), key=lambda part: (-abs(part.difference), part.name))


def _list_reached(
    trials: Trials, numbers: tuple[int, int], runs: tuple[Sequence[str], Sequence[str]], tasks: Sequence[str]
) -> list[SideReach]:
    """Curves over the tasks that both sides were asked."""
    reached: list[dict[str, Reach]] = []
    for number, names in zip(numbers, runs, strict=True):
        trials.db.execute(
            f"create or replace table taught as select * from side_{number} where list_contains(?, task_id)",
            [list(tasks)],
        )
        curves, _ = fit_curves(trials, count_shared_parts(trials, names), "taught")
        per_model = defaultdict(list)
        for curve in curves:
            per_model[curve.model].append(curve)
        reached.append(
            {
                model: next(reach for reach in own[0].reach if reach.share == SHARES[0])
                for model, own in per_model.items()
                if len(own) == 1 and not own[0].dip
            }
        )
    a, b = reached
    return [
        SideReach(model, a.get(model), b.get(model)) for model in trials.levels("model") if model in a | b
    ]
