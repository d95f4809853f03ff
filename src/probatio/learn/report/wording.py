"""Rates in words, the same in every text of a study."""

from __future__ import annotations

from probatio.core.statistics.intervals import Rate

DASH = "–"


def format_share(rate: Rate) -> str:
    return DASH if rate.share is None else f"{100 * rate.share:.0f} %"


def format_interval(rate: Rate) -> str:
    return f"{100 * rate.low:.0f}–{100 * rate.high:.0f} %" if rate.asked else DASH


def format_rate(rate: Rate) -> list[str]:
    """The cells `passed`, `rate` and `95 % interval` of a table."""
    return [f"{rate.passed}/{rate.asked}", format_share(rate), format_interval(rate)]


def format_p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
