"""Rates along each axis, the funnel through the levels, and the hardest tasks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from probatio.study.findings import Axis, Funnel, HardTask, Level
from probatio.study.intervals import Rate, rate_of, wilson
from probatio.study.trials import Trials

AXES = ("model", "context", "n_shot", "dialect", "type", "category", "difficulty")

HARDEST = 10
"""How many of the hardest tasks are listed."""


def overall(trials: Trials) -> Rate:
    return rate_of(
        trials.rows(
            "select count(*) filter (correct), count(*) from trials where asked group by task_id order by task_id"
        )
    )


def axes(trials: Trials) -> list[Axis]:
    """The rates along every axis the runs know anything about."""
    return [axis for name in AXES if (axis := _axis(trials, name)).levels]


def _axis(trials: Trials, name: str) -> Axis:
    counts: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    unasked: dict[Any, int] = defaultdict(int)
    for level, passed, asked, missing in trials.rows(
        f"select {name}, count(*) filter (asked and correct), count(*) filter (asked), count(*) filter (not asked) "
        f"from trials where {name} is not null group by {name}, task_id order by {name}, task_id"
    ):
        counts[level].append((passed, asked))
        unasked[level] += missing
    return Axis(name, [Level(str(level), rate_of(counts[level]), unasked[level]) for level in trials.levels(name)])


def funnels(trials: Trials) -> list[Funnel]:
    """Per model: asked, through level A, through A and B, through all three, and the error classes of the rest."""
    errors: dict[str, dict[str, int]] = defaultdict(dict)
    for model, kind, count in trials.rows(
        "select model, coalesce(error_type, 'unnamed'), count(*) from trials where asked and not correct "
        "group by 1, 2 order by 3 desc, 2"
    ):
        errors[model][kind] = count
    by_model = {
        model: Funnel(model, asked, level_a, level_b, level_c, passed, unasked, errors[model])
        for model, asked, level_a, level_b, level_c, passed, unasked in trials.rows(
            "select model, count(*) filter (asked), count(*) filter (asked and level_a), "
            "count(*) filter (asked and level_a and level_b), count(*) filter (asked and level_a and level_b and level_c), "
            "count(*) filter (asked and correct), count(*) filter (not asked) from trials group by model"
        )
    }
    return [by_model[model] for model in trials.levels("model")]


def hardest(trials: Trials) -> list[HardTask]:
    """The tasks that fail most often, those that never fail left out."""
    rows = trials.rows(
        "select task_id, any_value(type), any_value(category), any_value(difficulty), "
        "count(*) filter (correct) as passed, count(*) as of from trials where asked "
        "group by task_id having passed < of order by passed / of, of desc, task_id limit ?",
        [HARDEST],
    )
    # One task's own trials are all there is to its rate, so each counts: Wilson as for a cell.
    return [
        HardTask(task, kind, category, difficulty, Rate(passed, asked, 1, *wilson(passed, asked), False))
        for task, kind, category, difficulty, passed, asked in rows
    ]
