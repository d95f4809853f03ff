"""The computed part of `analysis.md`, and the short form of it: a study's findings as text, nothing computed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probatio.study.attempts_report import attempts_lines, attempts_section
from probatio.study.curves import RESAMPLES
from probatio.study.findings import Effect, Failure, JointTest, Level, Place, Reach, Study, curve_name
from probatio.study.markdown import cell, fenced, table
from probatio.study.prices_report import prices_lines, prices_section
from probatio.study.telling import told_section
from probatio.study.wording import DASH, interval, p_value, share

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


def report(study: Study, charts: Mapping[str, str]) -> str:
    """The whole computed part. `charts` names the picture files there are."""
    lines = [*_head(study), *_short_section(study), *_funnel(study, charts), *_rates(study)]
    lines += [*_curves(study, charts), *attempts_section(study), *prices_section(study)]
    lines += [*told_section(study), *_factors(study), *_hardest(study), *_failures(study)]
    return "\n".join(lines) + "\n"


def short_form(study: Study) -> list[str]:
    """What a reader in a hurry needs: the rate, and per model how many tokens it takes to reach the marks."""
    if not study.overall.asked:
        return ["No answer has been graded yet."]
    rate = study.overall
    unasked = f", {study.unasked} not asked or not checked" if study.unasked else ""
    lines = [
        f"{rate.passed}/{rate.asked} passed ({share(rate)}, 95 % {interval(rate)}) over {rate.tasks} tasks{unasked}"
    ]
    axes = {axis.name: axis.levels for axis in study.axes}
    if len(axes.get("model", ())) > 1:
        lines += [f"{level.name}: {share(level.rate)} ({interval(level.rate)})" for level in axes["model"]]
    lines += [
        f"{curve_name(curve, study.curves)}: {'; '.join(_reached(reach, curve.estimated) for reach in curve.reach)}"
        for curve in study.curves
    ]
    return lines + attempts_lines(study) + prices_lines(study)


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
        f"# Run{'s' if len(names) > 1 else ''} {cell(', '.join(names))}",
        "",
        cell(" · ".join(facts)),
        "",
        *_paragraphs(notes),
    ]


def _short_section(study: Study) -> list[str]:
    return ["## In short", "", *(f"- {cell(line)}" for line in short_form(study)), ""]


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
    lines += table(["model", "asked", "A typechecks", "B runs", "C right output", "not asked or checked"], rows)
    kinds = sorted(
        {kind for one in study.funnels for kind in one.errors}, key=lambda kind: (-_total(study, kind), kind)
    )
    if kinds:
        rows = [[kind, *(one.errors.get(kind, 0) for one in study.funnels)] for kind in kinds]
        lines += [
            "",
            "What stopped the others:",
            "",
            *table(["error", *(cell(one.model) for one in study.funnels)], rows),
        ]
    return [*lines, *_picture(charts, "funnel", "How many answers come through each level"), ""]


def _total(study: Study, kind: str) -> int:
    return sum(one.errors.get(kind, 0) for one in study.funnels)


def _rates(study: Study) -> list[str]:
    lines = []
    for axis in study.axes:
        title = AXIS_TITLES[axis.name]
        lines += [f"## {title}", ""]
        lines += table(
            [title.lower(), "passed", "rate", "95 % interval", "tasks", "not asked or checked"],
            [_level(level) for level in axis.levels],
        )
        lines.append("")
    return lines


def _level(level: Level) -> list[object]:
    rate = level.rate
    return [level.name, f"{rate.passed}/{rate.asked}", share(rate), interval(rate), rate.tasks, level.unasked]


def _curves(study: Study, charts: Mapping[str, str]) -> list[str]:
    lines = ["## Learning curves", ""]
    if study.no_curves:
        return [*lines, study.no_curves, ""]
    lines += [
        "Pass rate against the prompt tokens of context and examples. The fit never falls; its band comes from weighing the "
        f"tasks anew {RESAMPLES:,} times. {_controls(study)}".rstrip(),
        "",
    ]
    rows = [
        [curve_name(curve, study.curves), *(reached(reach, curve.estimated) for reach in curve.reach)]
        for curve in study.curves
    ]
    marks = [f"{100 * reach.share:.0f} %" for reach in study.curves[0].reach]
    lines += table(["model", *(f"reaches {mark}" for mark in marks)], rows)
    lines += _picture(charts, "learning-curves", "Learning curves") + _picture(charts, "contexts", "Context by n-shot")
    for curve in study.curves:
        size = "tokens (estimated)" if curve.estimated else "tokens"
        lines += ["", f"### {cell(curve_name(curve, study.curves))}", ""]
        lines += table(
            ["context", "n-shot", size, "passed", "rate", "95 % interval", "fit", "band"],
            [
                [
                    point.context,
                    point.n_shot,
                    f"{point.tokens:,}",
                    f"{point.rate.passed}/{point.rate.asked}",
                    share(point.rate),
                    interval(point.rate),
                    f"{100 * point.fit:.0f} %",
                    f"{100 * point.band_low:.0f}–{100 * point.band_high:.0f} %",
                ]
                for point in curve.points
            ],
        )
    return [*lines, ""]


def _controls(study: Study) -> str:
    return (
        f"The {study.controls} trials of control tasks, which ask nothing about the language, are left out."
        if study.controls
        else ""
    )


def _factors(study: Study) -> list[str]:
    lines = ["## What each factor is worth", ""]
    factors = study.factors
    if factors is None:
        return [*lines, study.no_factors or "", ""]
    lines += [
        f"A logistic model of {factors.trials} trials, errors clustered by {factors.tasks} tasks. Points: how the pass rate "
        f"moves, in percentage points, when every trial gets this level instead of the reference. {_controls(study)}".rstrip(),
        "",
        *table(
            ["factor", "level", "against", "points", "95 % interval", "odds ratio", "95 % interval", "p"],
            [_effect(effect) for effect in factors.effects],
        ),
        "",
        "Could the factor be left out? Is a pair of factors worth just the sum of the two?",
        "",
        *table(
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
        p_value(effect.p),
    ]


def _ends(low: float | None, high: float | None, form: str, between: str) -> str:
    return DASH if low is None or high is None else f"{low:{form}}{between}{high:{form}}"


def _test(test: JointTest) -> list[object]:
    where = DASH if test.departure is None else f"{test.departure:+.1f} points: {test.departing}"
    return [
        " × ".join(AXIS_TITLES[term].lower() for term in test.terms),
        test.df,
        f"{test.statistic:.1f}",
        p_value(test.p),
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
            f"{task.rate.passed}/{task.rate.asked}",
            share(task.rate),
            interval(task.rate),
        ]
        for task in study.hardest
    ]
    return [*lines, *table(["task", "type", "category", "difficulty", "passed", "rate", "95 % interval"], rows), ""]


def _failures(study: Study) -> list[str]:
    if not study.failures:
        return []
    return [
        FAILURES_TITLE,
        "",
        *(line for failure in study.failures for line in _failure(failure, len(study.runs) > 1)),
    ]


def _failure(failure: Failure, tell_run: bool) -> list[str]:
    run = f"{failure.run} · " if tell_run else ""
    condition = f"{failure.context} · {failure.n_shot}-shot · {failure.dialect} · sample {failure.sample}"
    lines = [
        f"### {cell(failure.error_type)}: {cell(failure.task_id)}",
        "",
        cell(f"{run}{failure.model} · {condition}"),
        "",
    ]
    parts = (("Question:", failure.question), ("Answer:", failure.answer), ("Diagnosis:", failure.error_detail))
    for title, text in parts:
        lines += [title, "", *(fenced(text) if text and text.strip() else ["(none)"]), ""]
    return lines


def _reached(reach: Reach, estimated: bool) -> str:
    """`80 % at basic, 3-shot (1,240 tokens; 95 % 610 to not reached)`."""
    mark, chance = f"{100 * reach.share:.0f} %", f"{100 * reach.resamples_reaching:.0f} % of resamples reach it"
    if reach.fitted is None:
        sentence = f"{mark} not reached ({chance})"
    else:
        sentence = f"{mark} at {_place(reach.fitted, estimated, _tokens_interval(reach))}"
    if reach.alone is not None and reach.alone != reach.fitted:
        sentence += f", by its own rate at {_place(reach.alone, estimated)}"
    return sentence


def reached(reach: Reach, estimated: bool) -> str:
    return _reached(reach, estimated).removeprefix(f"{100 * reach.share:.0f} % ").removeprefix("at ")


def _place(place: Place, estimated: bool, doubt: str = "") -> str:
    size = f"{'about ' if estimated else ''}{place.tokens:,} tokens"
    return f"{place.context}, {place.n_shot}-shot ({'; '.join(filter(None, (size, doubt)))})"


def _tokens_interval(reach: Reach) -> str:
    low, high = ("not reached" if end is None else f"{end:,}" for end in (reach.tokens_low, reach.tokens_high))
    return f"95 % {low} to {high}" if low != high else f"95 % {low}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else DASH


def _picture(charts: Mapping[str, str], name: str, caption: str) -> list[str]:
    return ["", f"![{caption}]({charts[name]})"] if name in charts else []


def _paragraphs(sentences: list[Any]) -> list[str]:
    return [line for sentence in sentences for line in (cell(sentence), "")]
