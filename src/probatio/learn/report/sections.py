"""The computed part of `analysis.md`, and its short form: findings as text. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probatio.charts.curves import Point
from probatio.core.statistics.intervals import Rate
from probatio.core.text.markdown import escape_markdown, fence, format_table
from probatio.learn.curves import SHARES
from probatio.learn.findings import Curve, Effect, JointTest, Place, Reach, Study, curve_name
from probatio.learn.report.attempts import format_attempts, summarise_attempts
from probatio.learn.report.prices import describe_price, format_prices
from probatio.learn.report.wording import DASH, format_interval, format_p, format_rate, format_share
from probatio.learn.statistics.isotonic import RESAMPLES

AXIS_TITLES = {
    "model": "Model",
    "context": "Context",
    "n_shot": "N-shot",
    "dialect": "Dialect",
    "type": "Type",
    "category": "Category",
    "difficulty": "Difficulty",
}

FAILURES_TITLE = "## Failing examples"
_LACKING = 5
"""Names and rules that prompts lack, listed per row."""


def format_report(study: Study, charts: Mapping[str, str]) -> str:
    """The whole computed part. `charts`: name of a picture → its file."""
    lines = [*_head(study), *_funnel(study, charts), *_rates(study)]
    lines += [*_curves(study, charts), *format_attempts(study), *format_prices(study)]
    lines += [*_format_inferred(study), *_factors(study), *_hardest(study), *_failures(study)]
    return "\n".join(lines) + "\n"


def summarise(study: Study) -> list[str]:
    """The short form: the rate, and per model how many tokens it takes to reach the marks."""
    control = [describe_controls(study.control_rate)] if study.control_rate else []
    if not study.overall.asked:
        return control or ["No answer has been graded yet."]
    rate = study.overall
    unasked = f", {study.unasked} not asked or not checked" if study.unasked else ""
    lines = [
        f"{rate.passed}/{rate.asked} passed ({format_share(rate)}, 95 % {format_interval(rate)}) over "
        f"{rate.tasks} tasks{unasked}",
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
            else "; ".join(_describe_reach(reach, curve.estimated) for reach in curve.reach)
        )
        for curve in study.curves
    ]
    return lines + summarise_attempts(study) + list(map(describe_price, study.prices))


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


def _funnel(study: Study, charts: Mapping[str, str]) -> list[str]:
    if not study.funnels:
        return []
    rows = [
        [
            one.model,
            one.asked,
            *(f"{count} ({_percent(count, one.asked)})" for count in (one.level_a, one.level_b, one.level_c)),
            one.unasked,
        ]
        for one in study.funnels
    ]
    lines = ["## Funnel", "", "Each level counts the answers that came through it and all before it.", ""]
    lines += format_table(
        ["model", "asked", "A typechecks", "B runs", "C right output", "not asked or checked"], rows
    )
    kinds = sorted(
        {kind for one in study.funnels for kind in one.errors},
        key=lambda kind: (-sum(one.errors.get(kind, 0) for one in study.funnels), kind),
    )
    if kinds:
        rows = [[kind, *(one.errors.get(kind, 0) for one in study.funnels)] for kind in kinds]
        lines += [
            "",
            "What stopped the others:",
            "",
            *format_table(["error", *(one.model for one in study.funnels)], rows),
        ]
    return [*lines, *_picture(charts, "funnel", "How many answers come through each level"), ""]


def _rates(study: Study) -> list[str]:
    lines = []
    for axis in study.axes:
        title = AXIS_TITLES[axis.name]
        lines += [f"## {title}", ""]
        lines += format_table(
            [title.lower(), "passed", "rate", "95 % interval", "tasks", "not asked or checked"],
            [
                [level.name, *format_rate(level.rate), level.rate.tasks, level.unasked]
                for level in axis.levels
            ],
        )
        lines.append("")
    return lines


def _curves(study: Study, charts: Mapping[str, str]) -> list[str]:
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
    lines += _picture(charts, "learning-curves", "Learning curves") + _picture(
        charts, "contexts", "Context by n-shot"
    )
    for curve in study.curves:
        size = "tokens (estimated)" if curve.estimated else "tokens"
        lines += ["", f"### {escape_markdown(curve_name(curve, study.curves))}", ""]
        lines += [escape_markdown(curve.dip.sentence), ""] if curve.dip else []
        lines += format_table(
            ["context", "n-shot", size, "passed", "rate", "95 % interval", "fit", "band"],
            [
                [
                    point.context,
                    point.n_shot,
                    f"{point.tokens:,}",
                    *format_rate(point.rate),
                    *_fit(point),
                ]
                for point in curve.points
            ],
        )
    return [*lines, ""]


def _fit(point: Point) -> tuple[str, str]:
    if point.fit is None or point.band_low is None or point.band_high is None:
        return DASH, DASH
    return f"{100 * point.fit:.0f} %", f"{100 * point.band_low:.0f}–{100 * point.band_high:.0f} %"


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
            *(
                f"{rate.passed}/{rate.asked} ({format_share(rate)}, {format_interval(rate)})"
                if rate.asked
                else DASH
                for rate in (one.shown, one.inferred)
            ),
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


def _factors(study: Study) -> list[str]:
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
        *format_table(
            ["factor", "level", "against", "points", "95 % interval", "odds ratio", "95 % interval", "p"],
            [_effect(effect) for effect in factors.effects],
        ),
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


def _effect(effect: Effect) -> list[object]:
    return [
        AXIS_TITLES[effect.factor].lower(),
        effect.level,
        effect.reference,
        f"{effect.points:+.1f}",
        _ends(effect.points_low, effect.points_high, "+.1f", " to "),
        f"{effect.odds_ratio:.2f}",
        _ends(effect.odds_low, effect.odds_high, ".2f", "–"),
        format_p(effect.p),
    ]


def _ends(low: float | None, high: float | None, form: str, between: str) -> str:
    if low is None or high is None:
        return (
            f"{low:{form}} or more" if low is not None else DASH if high is None else f"{high:{form}} or less"
        )
    return f"{low:{form}}{between}{high:{form}}"


def _test(test: JointTest) -> list[object]:
    where = DASH if test.departure is None else f"{test.departure:+.1f} points: {test.departing}"
    return [
        " × ".join(AXIS_TITLES[term].lower() for term in test.terms),
        test.df,
        f"{test.statistic:.1f}",
        format_p(test.p),
        where,
    ]


def _hardest(study: Study) -> list[str]:
    lines = ["## Hardest tasks", ""]
    if not study.hardest:
        return [*lines, "No task failed.", ""]
    rows = [
        [
            task.task_id,
            *(value or DASH for value in (task.type, task.category, task.difficulty)),
            *format_rate(task.rate),
        ]
        for task in study.hardest
    ]
    return [
        *lines,
        *format_table(["task", "type", "category", "difficulty", "passed", "rate", "95 % interval"], rows),
        "",
    ]


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


def _describe_reach(reach: Reach, estimated: bool) -> str:
    """`80 % at basic, 3-shot (1,240 tokens; 95 % 610 to not reached)`."""
    mark, chance = (
        f"{100 * reach.share:.0f} %",
        f"{100 * reach.resamples_reaching:.0f} % of resamples reach it",
    )
    if reach.fitted is None:
        sentence = f"{mark} not reached ({chance})"
    else:
        low, high = (
            "not reached" if end is None else f"{end:,}" for end in (reach.tokens_low, reach.tokens_high)
        )
        interval = f"95 % {low} to {high}" if low != high else f"95 % {low}"
        sentence = f"{mark} at {_place(reach.fitted, estimated, interval)}"
    if reach.alone is not None and reach.alone != reach.fitted:
        sentence += f", by its own rate at {_place(reach.alone, estimated)}"
    return sentence


def list_reached(curve: Curve) -> list[str]:
    """For each mark where the curve reaches it, as cells of a table."""
    if curve.dip:
        return ["no curve: the rate falls" for _ in SHARES]
    return [_format_reach(reach, curve.estimated) for reach in curve.reach]


def _format_reach(reach: Reach, estimated: bool) -> str:
    return _describe_reach(reach, estimated).removeprefix(f"{100 * reach.share:.0f} % ").removeprefix("at ")


def _place(place: Place, estimated: bool, doubt: str = "") -> str:
    size = f"{'about ' if estimated else ''}{place.tokens:,} tokens"
    return f"{place.context}, {place.n_shot}-shot ({'; '.join(filter(None, (size, doubt)))})"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else DASH


def _picture(charts: Mapping[str, str], name: str, caption: str) -> list[str]:
    return ["", f"![{caption}]({charts[name]})"] if name in charts else []


def _paragraphs(sentences: list[Any]) -> list[str]:
    return [line for sentence in sentences for line in (escape_markdown(sentence), "")]
