"""The site's own record: how the alarms it raised came out. Pure: made from falls alone."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

import msgspec

from probatio.watch.verdict.falls import Fall, FallState

STATES: dict[FallState, str] = {
    "open": "Open: it lasts, and is not proven",
    "confirmed": "Confirmed: it is proven, and lasts",
    "withdrawn": "Withdrawn: it cleared without proof",
    "recovered": "Recovered: it was proven, and is over",
    "replaced": "Ended by a new series: nothing after it is compared with what was before",
}
"""How a fall stands, in words."""


class FallRecord(msgspec.Struct, frozen=True):
    """How the alarms of a site came out."""

    raised: int
    confirmed: int  # proven at some time, whatever became of them
    withdrawn: int
    recovered: int
    open: int  # not proven, and not over
    replaced: int = 0
    days_to_proof: float | None = None  # the mean over those that were proven


def measure_falls(falls: Iterable[Fall]) -> FallRecord:
    """The record of all falls of all models."""
    every = list(falls)
    taken = [each.days_to_proof for each in every if each.days_to_proof is not None]

    def count(state: FallState) -> int:
        return sum(each.state == state for each in every)

    return FallRecord(
        raised=len(every),
        confirmed=len(taken),
        withdrawn=count("withdrawn"),
        recovered=count("recovered"),
        open=count("open"),
        replaced=count("replaced"),
        days_to_proof=fmean(taken) if taken else None,
    )
