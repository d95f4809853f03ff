"""A model that is lower without proof: on how many answers, and why that proves nothing."""

from __future__ import annotations

import msgspec

from probatio.core.records import ModelVerdict
from probatio.site.facts.diffs import SAME
from probatio.site.snapshot import Site, TrackedModel
from probatio.watch.verdict.reference_level import measure_case


class LowerAnswers(msgspec.Struct, frozen=True):
    """How many of the last day's cases are below their mean of the reference, and how many there are."""

    lower: int
    compared: int

    @property
    def short(self) -> str:
        """For a row, which a phone has to have room for."""
        return f"Lower on {self.lower} of {self.compared} answers, one draw each"

    @property
    def sentence(self) -> str:
        return f"{self.short}; not provable without asking again."


def find_lower(site: Site, model: TrackedModel) -> LowerAnswers | None:
    """None if no proof fell just short and no long fall is left unproven, or if nothing is lower."""
    last = model.last
    day = site.days.get(last.date)
    if not _is_unproven(last) or model.teller is None or day is None:
        return None
    reference = [
        site.days[date]
        for date in model.teller.find_level(last, model.fell_on(last)).days
        if date in site.days
    ]
    changes = [
        now - usual
        for use_case, line in day.lines.get(model.id, {}).items()
        for case, now in line.cases.items()
        if (usual := measure_case(model.id, use_case, case, reference)) is not None
    ]
    lower = sum(change <= -SAME for change in changes)
    return LowerAnswers(lower, len(changes)) if lower else None


def _is_unproven(verdict: ModelVerdict) -> bool:
    """Whether the answers that changed are too few for a proof, and more days of the same ones bring none."""
    return (
        not verdict.confirmed and verdict.shown != "STALE" and (verdict.evidence == "LOWER" or verdict.lower)
    )
