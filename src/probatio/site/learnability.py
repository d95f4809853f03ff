"""Pages of the learnability bench: runs, one run's findings, its trials side by side, two models paired."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from probatio.charts.learning import CURVES_HEIGHT
from probatio.charts.plot import WIDTH
from probatio.errors import ProbatioError
from probatio.site.rendering import PageReply, PageRequest, html, svg
from probatio.site.runs import StudiedRun, paired, sides
from probatio.site.snapshot import Site
from probatio.slugs import slugs
from probatio.study.comparison_words import sentence
from probatio.study.findings import Curve
from probatio.study.pictures import curves_picture


def runs_page(request: PageRequest) -> PageReply:
    return html(request, "runs.html", runs=[(run, run.record, run.study) for run in request.site.runs.values()])


def run_page(request: PageRequest) -> PageReply | None:
    run = request.run
    if run is None:
        return None
    study = run.study
    return html(
        request,
        "run.html",
        run=run,
        record=run.record,
        study=study,
        axes={axis.name: axis for axis in study.axes},
        chart_size=(WIDTH, CURVES_HEIGHT),
        heat_maps=[_heat_map(curve) for curve in study.curves],
        slugs=slugs(run.models),
        numbers=_numbers_of_tasks(run),
        pairs=pairs(request.site, run),
    )


def curves(request: PageRequest) -> PageReply | None:
    run = request.run
    return None if run is None else svg(curves_picture(run.study.curves, f"Learning curves of {run.name}"))


def model_trials(request: PageRequest) -> PageReply | None:
    run = request.run
    by_slug = {slug: model for model, slug in slugs(run.models).items()} if run else {}
    model = by_slug.get(request.names["slug"])
    if run is None or model is None:
        return None
    trials = [run.trials[number] for number in run.numbers[model]]
    return html(request, "trials.html", run=run, model=model, trials=trials)


def trial_page(request: PageRequest) -> PageReply | None:
    run = request.run
    number = int(request.names["number"])
    if run is None or number >= len(run.trials):
        return None
    trial = run.trials[number]
    ours = run.numbers[trial.grade.model]
    at = bisect_left(ours, number)
    task = run.suite.tasks.get(trial.grade.task_id) if run.suite else None
    return html(
        request,
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


def compare_page(request: PageRequest) -> PageReply | None:
    run = request.run
    pair = pairs(request.site, run).get(request.names["pair"]) if run else None
    if pair is None:
        return None
    one, model, two, other = pair
    try:
        comparison, reason = paired(request.site.results, one, model, two, other), ""
    except ProbatioError as error:
        comparison, reason = None, str(error)
    told = sentence(comparison, model, other) if comparison else ""
    return html(
        request, "compare.html", run=run, model=model, other=other, comparison=comparison, told=told, reason=reason
    )


def pairs(site: Site, run: StudiedRun) -> dict[str, tuple[StudiedRun, str, StudiedRun, str]]:
    """Name in the address → the two sides."""
    named = {}
    for one, model, two, other in sides(site.runs, run):
        ours, theirs = slugs(one.models)[model], slugs(two.models)[other]
        named[f"{ours}-vs-{theirs}" if one is two else f"{ours}-vs-{two.name}.{theirs}"] = (one, model, two, other)
    return named


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
        "contexts": curve.contexts,
        "n_shots": sorted({n_shot for _, n_shot in cells}),
        "cells": cells,
    }


def _numbers_of_tasks(run: StudiedRun) -> dict[str, int]:
    """Task → the number of its first failing trial, for the way from a hard task to an example of it."""
    numbers: dict[str, int] = {}
    for trial in run.trials:
        if not trial.grade.correct:
            numbers.setdefault(trial.grade.task_id, trial.number)
    return numbers
