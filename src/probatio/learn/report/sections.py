"""The computed part of `analysis.md`, and its short form: findings as text. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from probatio.core.statistics.intervals import Rate
from probatio.core.text.markdown import escape_markdown, fence, format_table
from probatio.learn.curves import SHARES
from probatio.learn.findings import JointTest, Study, curve_name
from probatio.learn.report.attempts import format_attempts, summarise_attempts
from probatio.learn.report.prices import describe_price, format_prices
from probatio.learn.report.rules import format_rules, summarise_rules
from probatio.learn.report.tables import Column, StudyTable, make_tables, name_axis
from probatio.learn.report.wording import (
    DASH,
    describe_reach,
    format_cell_rate,
    format_interval,
    format_p,
    format_share,
    list_reached,
    show_picture,
)
from probatio.learn.statistics.isotonic import RESAMPLES

FAILURES_TITLE = "## Failing examples"
_LACKING = 5
"""Names and rules that prompts lack, listed per row."""


def format_report(study: Study, charts: Mapping[str, str]) -> str:
    """The whole computed part. `charts`: name of a picture → its file."""
    tables = make_tables(study)
    lines = [*_head(study), *_funnel(study, tables["funnel"], charts), *_rates(study, tables["rates"])]
    lines += _categories(study)
    lines += [
        *_curves(study, tables["curves"], charts),
        *format_attempts(study, charts),
        *format_prices(study),
    ]
    lines += _format_found(study)
    lines += [*_format_inferred(study), *format_rules(study), *_factors(study, tables["factors"])]
    lines += [*_hardest(tables["hardest"]), *_failures(study)]
    return "\n".join(lines) + "\n"


def summarise(study: Study) -> list[str]:
    """The short form: the rate, and per model how many tokens it takes to reach the marks."""
    control = [describe_controls(study.control_rate)] if study.control_rate else []
    if not study.overall.asked:
        return control or ["No answer has been graded yet."]
    rate = study.overall
    unasked = f", {study.unasked} not asked or not checked" if study.unasked else ""
    tasks = f"{study.variants} tasks from {rate.tasks}" if study.variants else f"{rate.tasks} tasks"
    lines = [
        f"{rate.passed}/{rate.asked} passed ({format_share(rate)}, 95 % {format_interval(rate)}) over "
        f"{tasks}{unasked}",
        *control,
    ]
    axes = {axis.name: axis.levels for axis in study.axes}
    if len(axes.get("model", ())) > 1:
        lines += [
            f"{level.name}: {format_share(level.rate)} ({format_interval(level.rate)})"
            for level in axes["model"]
        ]
    lines += [
        f"{curve_name(curve, study.curves)}: "
        + (
            curve.dip.sentence
            if curve.dip
            else "; ".join(describe_reach(reach, curve.estimated) for reach in curve.reach)
        )
        for curve in study.curves
        if curve.model not in {found.model for found in study.found}
    ]
    lines += [found.sentence for found in study.found]
    lines += [*summarise_attempts(study), *map(describe_price, study.prices)]
    return lines + summarise_rules(study)


def describe_controls(rate: Rate) -> str:
    """The sentence beside the headline rate."""
    return (
        f"{rate.asked} control trials, which ask nothing about the language, are left out: "
        f"{rate.passed}/{rate.asked} passed ({format_share(rate)}, 95 % {format_interval(rate)})"
    )


def _head(study: Study) -> list[str]:
    names = [run.run for run in study.runs]
    first = study.runs[0]
    facts = [
        f"Suite {first.suite} {first.suite_version or ''}".strip(),
        *([f"fingerprint {first.suite_fingerprint}"] if first.suite_fingerprint else []),
        f"framework {first.framework_version}",
        f"grader {', '.join(filter(None, study.graders)) or 'unknown'}",
        *([first.created] if first.created and len(names) == 1 else []),
    ]
    notes = [f"Note: {note}" for note in study.notes]
    return [
        f"# Run{'s' if len(names) > 1 else ''} {escape_markdown(', '.join(names))}",
        "",
        escape_markdown(" · ".join(facts)),
        "",
        *_paragraphs(notes),
        "## In short",
        "",
        *(f"- {escape_markdown(line)}" for line in summarise(study)),
        "",
    ]


def _format_study_table(table: StudyTable, rows: Sequence[object], **headings: str) -> list[str]:
    """These rows of a table; `headings`: heading → another one here."""
    shown = table.shown("report")
    head = [headings.get(heading, heading) for column in shown for heading in column.report]
    return format_table(head, [[cell for column in shown for cell in _cells(column, row)] for row in rows])


def _cells(column: Column, row: object) -> list[str]:
    """The cell of a column, and that of its interval."""
    value = column.value(row)
    text = column.form(value)
    if column.kind == "passed":
        text += f"/{column.value(row, 'asked')}"
    elif column.kind == "through":
        text += f" ({_percent(value, column.value(row, 'asked'))})"
    if not column.ends:
        return [text]
    low, high = (column.value(row, end) for end in column.ends)
    if value is None or low is high is None:
        interval = DASH
    elif low is None or high is None:
        interval = f"{column.form(high)} or less" if low is None else f"{column.form(low)} or more"
    else:
        between = " to " if column.kind == "points" else "–"
        interval = f"{column.form(low).removesuffix(' %')}{between}{column.form(high)}"
    return [text, interval]


def _funnel(study: Study, table: StudyTable, charts: Mapping[str, str]) -> list[str]:
    if not table.rows:
        return []
    lines = ["## Funnel", "", "Each level counts the answers that came through it and all before it.", ""]
    lines += _format_study_table(table, table.rows)
    kinds = sorted(
        {kind for one in study.funnels for kind in one.errors},
        key=lambda kind: (-sum(one.errors.get(kind, 0) for one in study.funnels), kind),
    )
    if kinds:
        rows = [[kind, *(one.errors.get(kind, 0) for one in study.funnels)] for kind in kinds]
        lines += ["", "What stopped the others:", ""]
        lines += format_table(["error", *(one.model for one in study.funnels)], rows)
    return [*lines, *show_picture(charts, "funnel", "How many answers come through each level"), ""]


def _rates(study: Study, table: StudyTable) -> list[str]:
    lines = []
    for axis in study.axes:
        name = name_axis(axis.name)
        lines += [f"## {name.capitalize()}", ""]
        lines += [*_format_study_table(table, table.groups.get(axis.name, []), level=name), ""]
    return lines


def _categories(study: Study) -> list[str]:
    """A table for each model: what it learns from which context."""
    lines = ["## Category by context", ""] if study.categories else []
    for model, cells in groupby(study.categories, lambda cell: cell.model):
        rates = {(cell.category, cell.context): cell.rate for cell in cells}
        categories, contexts = (list(dict.fromkeys(key[place] for key in rates)) for place in (0, 1))
        rows = [
            [category, *(format_cell_rate(rates.get((category, context))) for context in contexts)]
            for category in categories
        ]
        lines += [f"{escape_markdown(model)}:", "", *format_table(["category", *contexts], rows), ""]
    return lines


def _curves(study: Study, table: StudyTable, charts: Mapping[str, str]) -> list[str]:
    lines = ["## Learning curves", ""]
    if study.no_curves:
        return [*lines, study.no_curves, ""]
    lines += [
        "Pass rate against the prompt tokens of context and examples. The fit never falls; its band comes "
        f"from weighing the tasks again {RESAMPLES:,} times. {_controls(study)}".rstrip(),
        "",
    ]
    lines += format_table(
        ["model", *(f"reaches {100 * share:.0f} %" for share in SHARES)],
        [[curve_name(curve, study.curves), *list_reached(curve)] for curve in study.curves],
    )
    lines += show_picture(charts, "learning-curves", "Learning curves")
    lines += show_picture(charts, "contexts", "Context by n-shot")
    for curve in study.curves:
        name = curve_name(curve, study.curves)
        lines += ["", f"### {escape_markdown(name)}", ""]
        lines += [escape_markdown(curve.dip.sentence), ""] if curve.dip else []
        headings = {"tokens": "tokens (estimated)"} if curve.estimated else {}
        lines += _format_study_table(table, table.groups.get(name, []), **headings)
    return [*lines, ""]


def _format_found(study: Study) -> list[str]:
    lines = []
    for found in study.found:
        rows = [
            [
                level.context,
                level.n_shot,
                f"{level.tokens:,}",
                f"{level.right}/{level.asked}",
                f"{100 * level.share:.0f} %",
                f"{100 * level.low:.0f}–{100 * level.high:.0f} %",
            ]
            for level in found.levels
        ]
        lines += [f"## Search: {escape_markdown(found.model)}", "", escape_markdown(found.sentence), ""]
        lines += format_table(
            ["context", "n-shot", "tokens", "right of asked", "share of all tasks", "95 % interval"], rows
        )
        lines += [""]
    return lines


def _controls(study: Study) -> str:
    return (
        f"The {study.controls} trials of control tasks, which ask nothing about the language, are left out."
        if study.controls
        else ""
    )


def _format_inferred(study: Study) -> list[str]:
    if not study.told:
        return []
    rows = [
        [
            one.model,
            one.context,
            *(format_cell_rate(rate) for rate in (one.shown, one.inferred)),
            ", ".join(list(one.lacking)[:_LACKING]) or DASH,
        ]
        for one in study.told
    ]
    return [
        "## Told or inferred",
        "",
        "A prompt shows all that a task needs where every word, library name and rule of its program stands "
        "in the context or the examples. Elsewhere the model must infer.",
        "",
        *format_table(
            ["model", "context", "all is shown", "something must be inferred", "lacking most"], rows
        ),
        "",
    ]


def _factors(study: Study, table: StudyTable) -> list[str]:
    lines = ["## What each factor is worth", ""]
    factors = study.factors
    if factors is None:
        return [*lines, study.no_factors or "", ""]
    lines += [
        f"A logistic model of {factors.trials} trials, errors clustered by {factors.tasks} tasks. Points: "
        "how the pass rate moves, in percentage points, when every trial gets this level instead of the "
        "reference. "
        f"{_controls(study)}".rstrip(),
        "",
        *_format_study_table(table, table.rows),
        "",
        "Could the factor be left out? Is a pair of factors worth just the sum of the two?",
        "",
        *format_table(
            ["term", "df", "chi²", "p", "farthest from the sum"],
            [_test(test) for test in (*factors.tests, *factors.interplay)],
        ),
        "",
    ]
    return [*lines, *_paragraphs([f"Note: {note}" for note in factors.notes])]


def _test(test: JointTest) -> list[object]:
    where = DASH if test.departure is None else f"{test.departure:+.1f} points: {test.departing}"
    return [
        " × ".join(map(name_axis, test.terms)),
        test.df,
        f"{test.statistic:.1f}",
        format_p(test.p),
        where,
    ]


def _hardest(table: StudyTable) -> list[str]:
    shown = _format_study_table(table, table.rows) if table.rows else ["No task failed."]
    return ["## Hardest tasks", "", *shown, ""]


def _failures(study: Study) -> list[str]:
    lines = [FAILURES_TITLE, ""] if study.failures else []
    for failure in study.failures:
        run = f"{failure.run} · " if len(study.runs) > 1 else ""
        condition = f"{failure.context} · {failure.n_shot}-shot · {failure.dialect} · sample {failure.sample}"
        lines += [
            f"### {escape_markdown(failure.error_type)}: {escape_markdown(failure.task_id)}",
            "",
            escape_markdown(f"{run}{failure.model} · {condition}"),
            "",
        ]
        parts = (
            ("Question:", failure.question),
            ("Answer:", failure.answer),
            ("Diagnosis:", failure.error_detail),
        )
        for title, text in parts:
            lines += [title, "", *(fence(text) if text and text.strip() else ["(none)"]), ""]
    return lines


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else DASH


def _paragraphs(sentences: list[Any]) -> list[str]:
    return [line for sentence in sentences for line in (escape_markdown(sentence), "")]
