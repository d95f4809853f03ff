"""Pages of the learnability bench: runs, one run's findings, two models paired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probatio.core.errors import ProbatioError
from probatio.learn.curves import SHARES
from probatio.learn.exports.study import format_csv
from probatio.learn.findings import Condition, Curve, Found, LevelSeen, RuleCost, curve_name
from probatio.learn.report.comparison import describe_comparison
from probatio.learn.report.pictures import draw_study_curves
from probatio.learn.report.rules import HEADINGS, MEANING, list_rule_cells, summarise_rules
from probatio.learn.report.tables import CURVES, make_tables
from probatio.site.facts.languages import describe_languages, list_gains
from probatio.site.facts.runs import StudiedRun, list_model_pairs
from probatio.site.facts.teaching import (
    Ranges,
    TaughtModel,
    answer_languages,
    condition_address,
    keep_latest,
    list_taught,
)
from probatio.site.pages.curve_charts import language_charts, run_charts
from probatio.site.pages.trials import ROWS, trial_address, trial_row
from probatio.site.rendering import CSV, NoPage, PageReply, PageRequest, fit, html, svg
from probatio.site.snapshot import Site

ROWS_NEEDED = 200
"""Models and dialects in the table of what each needs, at most; a page has no room for many more."""


def runs_page(request: PageRequest) -> PageReply:
    """First the question how much context each model needs for each language; then the runs."""
    runs = list(request.site.runs.values())
    rows = keep_latest(row for run in runs for row in list_taught(run))
    return fit(
        request,
        "runs.html",
        ROWS_NEEDED,
        runs=[(run, run.record, run.study) for run in runs],
        left_out=request.site.left_out,
        rows=rows,
        answers=answer_languages(rows),
        languages=describe_languages(rows),
        gains=list_gains(rows),
        ranges=Ranges(rows),
        charts=lambda most: language_charts(rows, request.path, most),
        shares=SHARES,
    )


def condition_page(request: PageRequest) -> PageReply:
    """The trials behind one point of a curve, those that failed first."""
    run = request.run
    condition = request.find_slug("pair", run.condition_slugs)
    numbers = sorted(run.conditions[condition], key=lambda number: (run.trials[number].grade.correct, number))
    points = {
        Condition(curve.model, curve.dialect, point.context, point.n_shot): point
        for curve in run.study.curves
        for point in curve.points
    }
    return html(
        request,
        "condition.html",
        run=run,
        condition=condition,
        point=points.get(condition),
        trials=[trial_row(run, number) for number in numbers[:ROWS]],
        left_out=max(0, len(numbers) - ROWS),
        price=run.prices.get(condition),
    )


def every_condition(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for slug in run.condition_slugs.values():
            yield {"run": run.name, "pair": slug}


def run_page(request: PageRequest) -> PageReply:
    run = request.run
    study, rows = run.study, sorted(list_taught(run), key=lambda row: row.order)
    return fit(
        request,
        "run.html",
        ROWS_NEEDED,
        run=run,
        record=run.record,
        study=study,
        tables=make_tables(study),
        rows=rows,
        searches=[_levels(row, row.found) for row in rows if row.found],
        shares=SHARES,
        ranges=Ranges(rows),
        charts=lambda most: run_charts(run, request.path, most),
        models=len({curve.model for curve in study.curves}),
        rules=sorted(study.rules, key=_costliest_first),
        rule_headings=HEADINGS,
        rule_cells=list_rule_cells,
        rule_meaning=MEANING,
        costliest=summarise_rules(study),
        heat_maps=[_heat_map(run, curve) for curve in study.curves],
        slugs=run.slugs,
        failures=_failures(run),
        pairs=pairs(request.site, run),
    )


def curves(request: PageRequest) -> PageReply:
    run = request.run
    return svg(draw_study_curves(run.study.curves, f"Learning curves of {run.name}"))


def curves_table(request: PageRequest) -> PageReply:
    run = request.run
    if not run.study.curves:
        raise NoPage
    return PageReply(format_csv(make_tables(run.study)[CURVES.name]).encode("utf-8", "replace"), CSV)


def every_curve_table(site: Site) -> Iterator[dict[str, str]]:
    return ({"run": run.name} for run in list(site.runs.values()) if run.study.curves)


def compare_page(request: PageRequest) -> PageReply:
    run = request.run
    one, model, two, other = request.find("pair", pairs(request.site, run))
    try:
        comparison, reason = request.site.pairing.compare(one, model, two, other), ""
    except ProbatioError as error:
        comparison, reason = None, str(error)
    told = describe_comparison(comparison, model, other) if comparison else ""
    return fit(
        request,
        "compare.html",
        400,
        run=run,
        model=model,
        other=other,
        comparison=comparison,
        told=told,
        reason=reason,
    )


def pairs(site: Site, run: StudiedRun) -> dict[str, tuple[StudiedRun, str, StudiedRun, str]]:
    """Name in the address → the two sides."""
    named = {}
    for one, model, two, other in list_model_pairs(site.runs, run):
        theirs = two.slugs[other] if one is two else f"{two.name}.{two.slugs[other]}"
        named[f"{one.slugs[model]}-vs-{theirs}"] = one, model, two, other
    return named


def every_pair(site: Site) -> Iterator[dict[str, str]]:
    for run in site.runs.values():
        for pair in pairs(site, run):
            yield {"run": run.name, "pair": pair}


def _costliest_first(rule: RuleCost) -> tuple[str, bool, float]:
    return rule.model, rule.lost is None, -(rule.lost or 0.0)


def _levels(row: TaughtModel, found: Found) -> tuple[Found, list[tuple[LevelSeen, str]]]:
    """What a search found, and each of its levels with the address of its trials."""
    return found, [
        (level, condition_address(row.run, Condition(row.model, row.dialect, level.context, level.n_shot)))
        for level in found.levels
    ]


def _heat_map(run: StudiedRun, curve: Curve) -> dict[str, Any]:
    """Contexts down, examples across; each cell links to its trials."""
    cells = {(point.context, point.n_shot): point for point in curve.points}
    return {
        "curve": curve,
        "name": curve_name(curve, run.study.curves),
        "contexts": curve.contexts,
        "n_shots": sorted({n_shot for _, n_shot in cells}),
        "cells": cells,
        "trials": {
            place: condition_address(run, Condition(curve.model, curve.dialect, *place)) for place in cells
        },
    }


def _failures(run: StudiedRun) -> dict[str, str]:
    """Task → the address of its first failing trial, as an example for a hard task."""
    numbers: dict[str, int] = {}
    for trial in run.trials:
        if not trial.grade.correct:
            numbers.setdefault(trial.grade.task_id, trial.number)
    return {
        task: trial_address(run, numbers[task])
        for task in (each.task_id for each in run.study.hardest)
        if task in numbers
    }
