"""The part of a study's text about twists: the price of a rule, per model."""

from __future__ import annotations

from probatio.study.findings import Price, PriceAt, Study
from probatio.study.markdown import table
from probatio.study.prices import REGAINED
from probatio.study.wording import DASH, interval, share


def prices_lines(study: Study) -> list[str]:
    """For a reader in a hurry."""
    return [_sentence(price) for price in study.prices]


def prices_section(study: Study) -> list[str]:
    if not study.prices:
        return []
    rules = {price.twist: price.rule for price in study.prices}
    lines = [
        "## The price of a rule",
        "",
        "The same tasks, the same words, one rule exchanged, which the context states. Points lost against the language without "
        "the exchange, over the tasks that the rule touches, in pairs. Tasks it does not touch are a control. Regained: the "
        f"smallest context from which on fewer than {REGAINED:g} points are lost.",
        "",
        *(f"- `{twist}`: {rule}" for twist, rule in rules.items()),
        "",
        *table(
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
            lines += [f"### {price.model}, {price.dialect}", ""]
            lines += table(
                ["context", "n-shot", "tokens", "without", "with", "points lost", "95 % interval"],
                [_condition(at) for at in price.conditions],
            )
            lines.append("")
    return lines


def _row(price: Price) -> list[object]:
    control = DASH if price.control is None else f"{price.control[0]:+.1f} ({price.control_tasks} tasks)"
    return [
        price.model, price.dialect, price.tasks, price.pairs,
        f"{share(price.plain)} ({interval(price.plain)})", f"{share(price.twisted)} ({interval(price.twisted)})",
        f"{price.lost:+.1f}", f"{price.low:+.1f} to {price.high:+.1f}", _regained(price), control,
    ]  # fmt: skip


def _condition(at: PriceAt) -> list[object]:
    tokens = DASH if at.tokens is None else f"{'about ' if at.estimated else ''}{at.tokens:,}"
    return [
        at.context, at.n_shot, tokens, share(at.plain), share(at.twisted), f"{at.lost:+.1f}", f"{at.low:+.1f} to {at.high:+.1f}",
    ]  # fmt: skip


def _regained(price: Price) -> str:
    place = price.regained
    if place is None:
        return "not regained" if all(at.tokens is not None for at in price.conditions) else "tokens unknown"
    return f"{place.context}, {place.n_shot}-shot ({place.tokens:,} tokens)"


def _sentence(price: Price) -> str:
    return (
        f"{price.model}, {price.dialect}: the rule costs {price.lost:.1f} points (95 % {price.low:.1f} to {price.high:.1f}, "
        f"{price.tasks} tasks); {'regained at ' if price.regained else ''}{_regained(price)}"
    )
