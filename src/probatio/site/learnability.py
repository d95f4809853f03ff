"""Pages of the learnability bench: runs, one run's findings, two models paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probatio.errors import ProbatioError
from probatio.site.curve_charts import language_charts, run_charts
from probatio.site.rendering import PageReply, PageRequest, fitted, html, svg
from probatio.site.runs import Condition, StudiedRun, sides
from probatio.site.snapshot import Site
from probatio.site.teaching import Ranges, answers, condition_address, latest, taught
from probatio.site.trial_pages import ROWS, trial_address, trial_row
from probatio.slugs import slugs
from probatio.study.comparison_words import sentence
from probatio.study.curves import SHARES
from probatio.study.findings import Curve, curve_name
from probatio.study.pictures import curves_picture

ROWS_NEEDED = 200
"""Models and dialects in the table of what each needs, at most; a page has no room for many more."""


def runs_page(request: PageRequest) -> PageReply:
    """The question first: how much context each model needs for each language; then the runs."""
    runs = list(request.site.runs.values())
    rows = latest(row for run in runs for row in taught(run))
    return fitted(
        request,
        "runs.html",
        ROWS_NEEDED,
        runs=[(run, run.record, run.study) for run in runs],
        rows=rows,
        answers=answers(rows),
        ranges=Ranges(rows),
        charts=lambda most: language_charts(rows, request.path, most),
        shares=SHARES,
    )


def condition_page(request: PageRequest) -> PageReply | None:
    """The trials behind one point of a curve, those that failed first."""
    run = request.run
    named = {slug: condition for condition, slug in run.condition_slugs.items()} if run else {}
    condition = named.get(request.names["pair"])
    if run is None or condition is None:
        return None
    numbers = sorted(run.conditions[condition], key=lambda number: (run.trials[number].grade.correct, number))
    curve = next(
        (each for each in run.study.curves if (each.model, each.dialect) == (condition.model, condition.dialect)), None
    )
    place = (condition.context, condition.n_shot)
    return html(
        request,
        "condition.html",
        run=run,
        condition=condition,
        point=next((each for each in curve.points if (each.context, each.n_shot) == place), None) if curve else None,
        trials=[trial_row(run, number) for number in numbers[:ROWS]],
        left_out=max(0, len(numbers) - ROWS),
        price=run.prices.get(condition),
    )


def every_condition(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for slug in run.condition_slugs.values():
            yield {"run": run.name, "pair": slug}


def run_page(request: PageRequest) -> PageReply | None:
    run = request.run
    if run is None:
        return None
    study, rows = run.study, sorted(taught(run), key=lambda row: row.order)
    return fitted(
        request,
        "run.html",
        ROWS_NEEDED,
        run=run,
        record=run.record,
        study=study,
        axes={axis.name: axis for axis in study.axes},
        rows=rows,
        shares=SHARES,
        ranges=Ranges(rows),
        charts=lambda most: run_charts(run, request.path, most),
        models=len({curve.model for curve in study.curves}),
        heat_maps=[_heat_map(run, curve) for curve in study.curves],
        slugs=slugs(run.models),
        failures=_failures(run),
        pairs=pairs(request.site, run),
    )


def pairs_page(request: PageRequest) -> PageReply | None:
    """The ways to all pairs of a run, by model."""
    run = request.run
    if run is None:
        return None
    by_model: dict[str, list[tuple[str, str, str]]] = {}
    for name, (one, model, two, other) in pairs(request.site, run).items():
        by_model.setdefault(model, []).append((name, other, two.name if two is not one else ""))
    return fitted(request, "pairs.html", 500, run=run, by_model=by_model)


def curves(request: PageRequest) -> PageReply | None:
    run = request.run
    return None if run is None else svg(curves_picture(run.study.curves, f"Learning curves of {run.name}"))


def compare_page(request: PageRequest) -> PageReply | None:
    run = request.run
    pair = pairs(request.site, run).get(request.names["pair"]) if run else None
    if pair is None:
        return None
    one, model, two, other = pair
    try:
        comparison, reason = request.site.pairing.paired(one, model, two, other), ""
    except ProbatioError as error:
        comparison, reason = None, str(error)
    told = sentence(comparison, model, other) if comparison else ""
    return fitted(
        request, "compare.html", 400, run=run, model=model, other=other, comparison=comparison, told=told, reason=reason
    )


def pairs(site: Site, run: StudiedRun) -> dict[str, tuple[StudiedRun, str, StudiedRun, str]]:
    """Name in the address → the two sides."""
    named = {}
    for one, model, two, other in sides(site.runs, run):
        ours, theirs = slugs(one.models)[model], slugs(two.models)[other]
        named[f"{ours}-vs-{theirs}" if one is two else f"{ours}-vs-{two.name}.{theirs}"] = (one, model, two, other)
    return named


def every_pair(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for pair in pairs(site, run):
            yield {"run": run.name, "pair": pair}


def _heat_map(run: StudiedRun, curve: Curve) -> dict[str, Any]:
    """Contexts down, examples across; each cell leads to its trials."""
    cells = {(point.context, point.n_shot): point for point in curve.points}
    return {
        "curve": curve,
        "name": curve_name(curve, run.study.curves),
        "contexts": curve.contexts,
        "n_shots": sorted({n_shot for _, n_shot in cells}),
        "cells": cells,
        "trials": {place: condition_address(run, Condition(curve.model, curve.dialect, *place)) for place in cells},
    }


def _failures(run: StudiedRun) -> dict[str, str]:
    """Task → the address of its first failing trial, for the way from a hard task to an example of it."""
    numbers: dict[str, int] = {}
    for trial in run.trials:
        if not trial.grade.correct:
            numbers.setdefault(trial.grade.task_id, trial.number)
    return {
        task: trial_address(run, numbers[task])
        for task in (each.task_id for each in run.study.hardest)
        if task in numbers
    }
