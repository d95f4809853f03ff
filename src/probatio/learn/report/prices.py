"""The section of an analysis about twists: the price of a rule, per model."""

from __future__ import annotations

from probatio.core.text.markdown import escape_markdown, format_table
from probatio.learn.findings import Price, PriceAt, Study
from probatio.learn.prices import REGAINED
from probatio.learn.report.wording import DASH, format_interval, format_share


def format_prices(study: Study) -> list[str]:
    if not study.prices:
        return []
    rules = {price.twist: price.rule for price in study.prices}
    lines = [
        "## The price of a rule",
        "",
        "The same tasks, the same words, one rule exchanged, which the context states. Points lost against "
        "the language without the exchange, over the tasks that the rule touches, in pairs. Tasks it does "
        "not touch are a control. Regained: the smallest context from which on fewer than "
        f"{REGAINED:g} points are lost.",
        "",
        *(f"- {escape_markdown(f'{twist}: {rule}')}" for twist, rule in rules.items()),
        "",
        *format_table(
            [
                "model",
                "dialect",
                "tasks",
                "pairs",
                "without",
                "with",
                "points lost",
                "95 % interval",
                "regained at",
                "control",
            ],
            [_row(price) for price in study.prices],
        ),
        "",
    ]
    for price in study.prices:
        if len(price.conditions) > 1:
            lines += [f"### {escape_markdown(f'{price.model}, {price.dialect}')}", ""]
            lines += format_table(
                ["context", "n-shot", "tokens", "without", "with", "points lost", "95 % interval"],
                [_condition(at) for at in price.conditions],
            )
            lines.append("")
    return lines


def _row(price: Price) -> list[object]:
    control = DASH if price.control is None else f"{price.control[0]:+.1f} ({price.control_tasks} tasks)"
    rates = [f"{format_share(rate)} ({format_interval(rate)})" for rate in (price.plain, price.twisted)]
    lost = [f"{price.lost:+.1f}", f"{price.low:+.1f} to {price.high:+.1f}"]
    return [
        price.model,
        price.dialect,
        price.tasks,
        price.pairs,
        *rates,
        *lost,
        _format_regained(price),
        control,
    ]


def _condition(at: PriceAt) -> list[object]:
    tokens = DASH if at.tokens is None else f"{'about ' if at.estimated else ''}{at.tokens:,}"
    lost = [f"{at.lost:+.1f}", f"{at.low:+.1f} to {at.high:+.1f}"]
    return [at.context, at.n_shot, tokens, format_share(at.plain), format_share(at.twisted), *lost]


def _format_regained(price: Price) -> str:
    place = price.regained
    if place is None:
        return "not regained" if all(at.tokens is not None for at in price.conditions) else "tokens unknown"
    return f"{place.context}, {place.n_shot}-shot ({place.tokens:,} tokens)"


def describe_price(price: Price) -> str:
    """The short form, one line."""
    return (
        f"{price.model}, {price.dialect}: the rule costs {price.lost:.1f} points "
        f"(95 % {price.low:.1f} to {price.high:.1f}, {price.tasks} tasks); "
        f"{'regained at ' if price.regained else ''}{_format_regained(price)}"
    )
