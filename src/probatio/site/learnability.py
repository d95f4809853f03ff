"""Pages of the learnability bench: runs, one run's findings, its trials side by side, two models paired."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from probatio.errors import ProbatioError
from probatio.site.charts import learning_curves
from probatio.site.data import Site
from probatio.site.page import Asked, Page, html, svg
from probatio.site.runs import Run, paired, sides
from probatio.slugs import slugs
from probatio.study.findings import Curve
from probatio.study.trials import in_order


def runs_page(asked: Asked) -> Page:
    return html(asked, "runs.html", runs=[(run, run.record, run.study) for run in asked.site.runs.values()])


def run_page(asked: Asked) -> Page | None:
    run = asked.site.runs.get(asked.names["run"])
    if run is None:
        return None
    study = run.study
    return html(
        asked,
        "run.html",
        run=run,
        record=run.record,
        study=study,
        axes={axis.name: axis for axis in study.axes},
        heat_maps=[_heat_map(curve) for curve in study.curves],
        slugs=slugs(run.models),
        numbers=_numbers_of_tasks(run),
        pairs=pairs(asked.site, run),
    )


def curves(asked: Asked) -> Page | None:
    run = asked.site.runs.get(asked.names["run"])
    return None if run is None else svg(learning_curves(run.study.curves, f"Learning curves of {run.name}"))


def model_trials(asked: Asked) -> Page | None:
    run = asked.site.runs.get(asked.names["run"])
    named = {slug: model for model, slug in slugs(run.models).items()} if run else {}
    model = named.get(asked.names["slug"])
    if run is None or model is None:
        return None
    trials = [run.trials[number] for number in run.numbers[model]]
    return html(asked, "trials.html", run=run, model=model, trials=trials)


def trial_page(asked: Asked) -> Page | None:
    run = asked.site.runs.get(asked.names["run"])
    number = int(asked.names["number"])
    if run is None or number >= len(run.trials):
        return None
    trial = run.trials[number]
    ours = run.numbers[trial.grade.model]
    at = bisect_left(ours, number)
    task = run.suite.tasks.get(trial.grade.task_id) if run.suite else None
    return html(
        asked,
        "trial.html",
        run=run,
        trial=trial,
        grade=trial.grade,
        response=run.response(trial),
        slug=slugs(run.models)[trial.grade.model],
        before=ours[at - 1] if at else None,
        after=ours[at + 1] if at + 1 < len(ours) else None,
        expected=task.expected_output if task else None,
    )


def compare_page(asked: Asked) -> Page | None:
    run = asked.site.runs.get(asked.names["run"])
    found = pairs(asked.site, run).get(asked.names["pair"]) if run else None
    if found is None:
        return None
    one, model, two, other = found
    try:
        comparison, why = paired(asked.site.results, one, model, two, other), ""
    except ProbatioError as error:
        comparison, why = None, str(error)
    return html(asked, "compare.html", run=run, one=one, model=model, two=two, other=other, found=comparison, why=why)


def pairs(site: Site, run: Run) -> dict[str, tuple[Run, str, Run, str]]:
    """Name in the address → the two sides."""
    found = {}
    for one, model, two, other in sides(site.runs, run):
        ours, theirs = slugs(one.models)[model], slugs(two.models)[other]
        found[f"{ours}-vs-{theirs}" if one is two else f"{ours}-vs-{two.name}.{theirs}"] = (one, model, two, other)
    return found


def every_model(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for slug in slugs(run.models).values():
            yield {"run": run.name, "slug": slug}


def every_trial(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for trial in run.trials:
            yield {"run": run.name, "number": str(trial.number)}


def every_pair(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for pair in pairs(site, run):
            yield {"run": run.name, "pair": pair}


def _heat_map(curve: Curve) -> dict[str, Any]:
    """Contexts down, examples across."""
    cells = {(point.context, point.n_shot): point for point in curve.points}
    return {
        "curve": curve,
        "contexts": in_order("context", sorted({context for context, _ in cells})),
        "n_shots": sorted({n_shot for _, n_shot in cells}),
        "cells": cells,
    }


def _numbers_of_tasks(run: Run) -> dict[str, int]:
    """Task → the number of its first failing trial, for the way from a hard task to an example of it."""
    found: dict[str, int] = {}
    for trial in run.trials:
        if not trial.grade.correct:
            found.setdefault(trial.grade.task_id, trial.number)
    return found
