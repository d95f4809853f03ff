"""Rates in words, the same in every text of a study."""

from __future__ import annotations

from collections.abc import Mapping

from probatio.core.statistics.intervals import Rate
from probatio.learn.curves import SHARES
from probatio.learn.findings import Curve, Reach

DASH = "–"


def format_share(rate: Rate) -> str:
    return DASH if rate.share is None else f"{100 * rate.share:.0f} %"


def format_interval(rate: Rate) -> str:
    return f"{100 * rate.low:.0f}–{100 * rate.high:.0f} %" if rate.asked else DASH


def format_rate(rate: Rate) -> list[str]:
    """The cells `passed`, `rate` and `95 % interval` of a table."""
    return [f"{rate.passed}/{rate.asked}", format_share(rate), format_interval(rate)]


def format_cell_rate(rate: Rate | None) -> str:
    """A rate in one cell: `8/20 (40 %, 22–61 %)`."""
    if rate is None or not rate.asked:
        return DASH
    return f"{rate.passed}/{rate.asked} ({format_share(rate)}, {format_interval(rate)})"


def format_p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def describe_reach(reach: Reach, estimated: bool) -> str:
    """`80 % with more than 292, at most 1,240 tokens (basic, 3-shot; 95 %: more than 106, at most 1,240)`, or
    `80 % not learned with up to 3,291 tokens; best 18 %`."""
    mark, about = f"{100 * reach.share:.0f} %", "about " if estimated else ""
    chance = f"{100 * reach.resamples_reaching:.0f} % of resamples reach it"
    if reach.fitted is None:
        sentence = (
            f"{mark} not learned with up to {about}{reach.most:,} tokens; best {100 * reach.best:.0f} % "
            f"({chance})"
        )
    else:
        unsure = "" if reach.interval.at_most is not None else "not with what was tried"
        doubt = " or ".join(filter(None, (str(reach.interval), unsure)))
        place = f"{reach.fitted.context}, {reach.fitted.n_shot}-shot; 95 %: {doubt}"
        sentence = f"{mark} with {about}{reach.tokens} token{'s' * (reach.tokens.at_most != 1)} ({place})"
    if reach.alone is not None and reach.alone != reach.fitted:
        alone = f"{reach.alone.context}, {reach.alone.n_shot}-shot, {about}{reach.alone.tokens:,} tokens"
        sentence += f"; by its own rate at {alone}"
    return sentence


def list_reached(curve: Curve) -> list[str]:
    """For each mark where the curve reaches it, as cells of a table."""
    if curve.dip:
        return ["no curve: the rate falls" for _ in SHARES]
    return [
        describe_reach(reach, curve.estimated).removeprefix(f"{100 * reach.share:.0f} % ")
        for reach in curve.reach
    ]


def show_picture(charts: Mapping[str, str], name: str, caption: str) -> list[str]:
    return ["", f"![{caption}]({charts[name]})"] if name in charts else []
