"""Rates along each axis, the funnel through the levels, the hardest tasks, and rates by what a prompt
shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from probatio.core.errors import ProbatioError
from probatio.core.statistics.intervals import Rate, rate_of, wilson
from probatio.learn.findings import AxisRates, CategoryRate, Funnel, HardTask, Inferred, LevelRate
from probatio.learn.trials import Trials

if TYPE_CHECKING:
    from probatio.suites.language_suite import Suite

AXES = ("model", "context", "n_shot", "dialect", "type", "category", "difficulty")

HARDEST = 10
"""How many of the hardest tasks are listed."""


def measure_overall(trials: Trials, *, controls: bool = False) -> Rate:
    """The rate over all tasks about the language, or over the controls, which ask nothing about it."""
    return rate_of(
        trials.rows(
            "select count(*) filter (correct), count(*) from trials where asked and control = ? "
            "group by cluster order by cluster",
            [controls],
        )
    )


def count_variants(trials: Trials) -> int:
    """The tasks asked, without controls, if some of them are variants of one; else 0."""
    ((tasks, clusters),) = trials.rows(
        "select count(distinct task_id), count(distinct cluster) from trials where asked and not control"
    )
    return tasks if clusters < tasks else 0


def measure_axes(trials: Trials) -> list[AxisRates]:
    """The rates along every axis that has levels. Controls stand under their type only."""
    axes = []
    for name in AXES:
        about = "true" if name == "type" else "not control"
        counts: dict[Any, list[tuple[int, int]]] = defaultdict(list)
        unasked: Counter[Any] = Counter()
        for level, passed, asked, missing in trials.rows(
            f"select {name}, count(*) filter (asked and correct), count(*) filter (asked), "
            "count(*) filter (not asked) "
            f"from trials where {about} and {name} is not null group by {name}, cluster "
            f"order by {name}, cluster"
        ):
            counts[level].append((passed, asked))
            unasked[level] += missing
        levels = [
            LevelRate(str(each), rate_of(counts[each]), unasked[each]) for each in trials.levels(name, about)
        ]
        if levels:
            axes.append(AxisRates(name, levels))
    return axes


CONDITIONS = ("model", "context", "n_shot", "dialect")


def find_uneven(trials: Trials) -> list[str]:
    """The axes whose levels were not asked under the same conditions: the rate of one level is then an
    average over other things than that of another. Those of conditions have the tasks in common, too."""
    uneven = []
    for axis in AXES:
        others = [each for each in CONDITIONS if each != axis] + (["task_id"] if axis in CONDITIONS else [])
        ((levels,),) = trials.rows(f"select count(distinct {axis}) from trials where not control")
        if trials.rows(
            f"select 1 from trials where not control and {axis} is not null group by {', '.join(others)} "
            f"having count(distinct {axis}) < ? limit 1",
            [levels],
        ):
            uneven.append(axis)
    return uneven


def measure_categories(trials: Trials) -> list[CategoryRate]:
    """Every category under every context, model by model. Empty where there is one category or one
    context."""
    if any(len(trials.levels(axis, "not control")) < 2 for axis in ("category", "context")):
        return []
    counts: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
    for *cell, passed, asked in trials.rows(
        "select model, category, context, count(*) filter (correct), count(*) from trials "
        "where asked and not control and category is not null "
        "group by model, category, context, cluster order by all"
    ):
        counts[cell[0], cell[1], cell[2]].append((passed, asked))
    return [
        CategoryRate(model, category, context, rate_of(counts[model, category, context]))
        for model in trials.levels("model")
        for category in trials.levels("category")
        for context in trials.levels("context")
        if (model, category, context) in counts
    ]


def count_funnels(trials: Trials) -> list[Funnel]:
    """Per model, without controls: asked, through level A, through A and B, through all three, and the error
    classes of the others."""
    errors: dict[str, dict[str, int]] = defaultdict(dict)
    for model, kind, count in trials.rows(
        "select model, coalesce(error_type, 'unnamed'), count(*) from trials where asked and not correct "
        "and not control group by 1, 2 order by 3 desc, 2"
    ):
        errors[model][kind] = count
    by_model = {
        model: Funnel(model, asked, level_a, level_b, level_c, passed, unasked, errors[model])
        for model, asked, level_a, level_b, level_c, passed, unasked in trials.rows(
            "select model, count(*) filter (asked), count(*) filter (asked and level_a), "
            "count(*) filter (asked and level_a and level_b), count(*) filter (asked and level_a and "
            "level_b and level_c), "
            "count(*) filter (asked and correct), count(*) filter (not asked) from trials where not control "
            "group by model"
        )
    }
    return [by_model[model] for model in trials.levels("model", "not control")]


def find_hardest(trials: Trials) -> list[HardTask]:
    """The tasks that fail most often, without those that never fail."""
    rows = trials.rows(
        "select task_id, any_value(type), any_value(category), any_value(difficulty), "
        "count(*) filter (correct) as passed, count(*) as of from trials where asked and not control "
        "group by task_id having passed < of order by passed / of, of desc, task_id limit ?",
        [HARDEST],
    )
    # One task's own trials are all there is to its rate, so each counts: Wilson as for a cell.
    return [
        HardTask(task, kind, category, difficulty, Rate(passed, asked, 1, *wilson(passed, asked), False))
        for task, kind, category, difficulty, passed, asked in rows
    ]


def measure_inferred(trials: Trials) -> list[Inferred]:
    """Per model and context: the pass rate where a prompt shows all that its task needs, and where something
    must be inferred. Empty without the suite, or if the language can't say what a program needs."""
    suite = trials.suite
    if suite is None:
        return []
    counts: dict[tuple[str, str], dict[bool, dict[str, tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    lacking: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    known: dict[tuple[str, int, str], frozenset[str] | None] = {}
    for model, context, n_shot, task, cluster, passed, asked in trials.rows(
        "select model, context, n_shot, task_id, cluster, count(*) filter (correct), count(*) "
        "from trials where asked and not control group by all order by all"
    ):
        if task not in suite.tasks or context not in suite.contexts:
            continue
        place = context, n_shot, task
        if place not in known:
            known[place] = _missing(suite, *place)
        missing = known[place]
        if missing is None:
            continue
        before = counts[model, context][not missing].get(cluster, (0, 0))
        counts[model, context][not missing][cluster] = before[0] + passed, before[1] + asked
        lacking[model, context].update(dict.fromkeys(missing, asked))
    return [
        Inferred(
            model,
            context,
            rate_of(counts[model, context][True].values()),
            rate_of(counts[model, context][False].values()),
            dict(sorted(lacking[model, context].items(), key=lambda item: (-item[1], item[0]))),
        )
        for model in trials.levels("model")
        for context in trials.levels("context")
        if (model, context) in counts
    ]


def _missing(suite: Suite, context: str, n_shot: int, task: str) -> frozenset[str] | None:
    from probatio.suites.inference import find_not_told

    try:
        return find_not_told(suite, suite.tasks[task], context, n_shot)
    except ProbatioError:  # a context that can't be filled in any more
        return None
