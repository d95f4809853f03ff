"""Rates in words, the same in every text of a study."""

from __future__ import annotations

from probatio.study.intervals import Rate

DASH = "–"


def share(rate: Rate) -> str:
    return DASH if rate.share is None else f"{100 * rate.share:.0f} %"


def interval(rate: Rate) -> str:
    return f"{100 * rate.low:.0f}–{100 * rate.high:.0f} %" if rate.asked else DASH


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
