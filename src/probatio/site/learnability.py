"""Pages of the learnability bench: runs, one run's findings, two models paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probatio.charts.learning import CURVES_HEIGHT
from probatio.charts.plot import WIDTH
from probatio.errors import ProbatioError
from probatio.site.rendering import PageReply, PageRequest, html, svg
from probatio.site.runs import Condition, StudiedRun, sides
from probatio.site.snapshot import Site
from probatio.site.teaching import condition_address, taught
from probatio.site.trial_pages import ROWS, trial_address, trial_row
from probatio.slugs import slugs
from probatio.study.comparison_words import sentence
from probatio.study.curves import SHARES
from probatio.study.findings import Curve
from probatio.study.pictures import curves_picture


def runs_page(request: PageRequest) -> PageReply:
    """The question first: how much context each model needs for each language; then the runs."""
    runs = list(request.site.runs.values())
    rows = sorted((row for run in runs for row in taught(run)), key=lambda row: (row.language, row.dialect, row.model))
    return html(
        request,
        "runs.html",
        runs=[(run, run.record, run.study) for run in runs],
        rows=rows,
        levels=sorted({level for row in rows for level in row.ladder}),
        shares=SHARES,
        priced=any(need.dollars for row in rows for need in row.needed),
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
    study = run.study
    return html(
        request,
        "run.html",
        run=run,
        record=run.record,
        study=study,
        axes={axis.name: axis for axis in study.axes},
        chart_size=(WIDTH, CURVES_HEIGHT),
        rows=taught(run),
        heat_maps=[_heat_map(run, curve) for curve in study.curves],
        slugs=slugs(run.models),
        failures=_failures(run),
        pairs=pairs(request.site, run),
    )


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


def every_pair(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for pair in pairs(site, run):
            yield {"run": run.name, "pair": pair}


def _heat_map(run: StudiedRun, curve: Curve) -> dict[str, Any]:
    """Contexts down, examples across; each cell leads to its trials."""
    cells = {(point.context, point.n_shot): point for point in curve.points}
    return {
        "curve": curve,
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
