"""The section of an analysis about decisions of the language: what each rule costs, and its sentence."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from probatio.core.statistics.intervals import Rate
from probatio.core.text.markdown import escape_markdown, format_table
from probatio.learn.curves import SHARES
from probatio.learn.findings import Diagnosis, RuleCost, Study
from probatio.learn.report.wording import DASH, format_interval, format_share
from probatio.learn.rules import find_costliest

MEANING = (
    "For each rule of the language, the tasks that take it. Told: where the context or an example tells "
    "the rule. Points lost: against the other tasks of the same difficulty, with an interval over tasks "
    "for this rule alone. That tells where tasks fail, not why: a task may take several rules."
)

HEADINGS = (
    "model",
    "rule",
    "tasks",
    "told",
    "not told",
    "points lost",
    "95 % interval",
    f"tokens for {100 * SHARES[0]:.0f} %",
    "its failures say",
)


def format_rules(study: Study) -> list[str]:
    if not study.rules:
        return []
    sentences = {one.rule: one.sentence for one in study.rules}
    return [
        "## What each decision costs",
        "",
        MEANING,
        "",
        *(f"- {escape_markdown(f'{rule}: {sentence}')}" for rule, sentence in sentences.items()),
        "",
        *format_table(HEADINGS, [list_rule_cells(one) for one in study.rules]),
        "",
    ]


def summarise_rules(study: Study) -> list[str]:
    """One sentence for each model."""
    return [
        sentence
        for model, rules in groupby(study.rules, attrgetter("model"))
        if (sentence := _describe_costliest(model, list(rules)))
    ]


def _describe_costliest(model: str, rules: list[RuleCost]) -> str | None:
    """`The costliest decision for m is order of operators: 31.0 points less than tasks as hard (95 % 12.1 to
    49.9), the most of 9; most often: …: 14 of 22.`"""
    one = find_costliest(rules)
    if one is None or one.lost is None or one.low is None:
        return None
    compared = sum(each.lost is not None for each in rules)
    often = f"; most often: {_describe(one.diagnoses[0], one.failures)}" if one.diagnoses else ""
    if one.low <= 0:
        points = f"{one.lost:.1f} points less (95 % {one.low:.1f} to {one.high:.1f})"
        nearest = f"; nearest is {one.rule}: {points}{often}" if one.lost > 0 else ""
        return f"No decision is shown to cost {model} points against tasks as hard{nearest}."
    most = f", the most of {compared}" if compared > 1 else ""
    return (
        f"The costliest decision for {model} is {one.rule}: {one.lost:.1f} points less than tasks as hard "
        f"(95 % {one.low:.1f} to {one.high:.1f}){most}{often}."
    )


def list_rule_cells(one: RuleCost) -> list[object]:
    """One row under `HEADINGS`."""
    lost = [DASH, DASH]
    if one.lost is not None:
        lost = [f"{one.lost:+.1f}", f"{one.low:+.1f} to {one.high:+.1f}"]
    return [
        one.model,
        one.rule,
        one.tasks,
        _rate(one.told),
        _rate(one.untold),
        *lost,
        _format_reach(one),
        "; ".join(_describe(each, one.failures) for each in one.diagnoses) or DASH,
    ]


def _format_reach(one: RuleCost) -> str:
    if one.reach is None:
        return DASH
    if one.reach.fitted is None:
        return f"not with up to {one.reach.most:,}"
    return f"{one.reach.tokens} (95 %: {str(one.reach.interval) or 'any that were tried, or more'})"


def _rate(rate: Rate) -> str:
    if not rate.asked:
        return DASH
    return f"{rate.passed}/{rate.asked} ({format_share(rate)}, {format_interval(rate)})"


def _describe(diagnosis: Diagnosis, failures: int) -> str:
    return f"{diagnosis.text.removesuffix('.')}: {diagnosis.count} of {failures}"
