"""The falls of a model: when each began, when it was proven, how it ended. Pure: made from verdicts alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Literal

import msgspec

from probatio.core.records import ModelVerdict, Status

BAD: tuple[Status, ...] = ("SUSPICIOUS", "COOKED")

FallState = Literal["open", "confirmed", "withdrawn", "recovered", "replaced"]


class Fall(msgspec.Struct, frozen=True, kw_only=True):
    """One fall of a model: its days under a bad headline. A day without a score neither begins nor ends
    it."""

    model: str
    first_seen: str  # the first of them; its address has it, as it is a fact that stays
    last_seen: str
    began: str  # the day it is dated to, which may move; without proof the day it was first seen
    proven: str | None  # the first day on which it was
    ended: str | None  # the first day after it
    state: FallState
    shown_on: str  # the day whose answers show it: when it was proven, else when it first looked worst
    why_ended: str | None = None  # of a new series: why it began, as a clause

    @property
    def days_to_proof(self) -> int | None:
        """From the first alarm; 0 if that was the proof."""
        if self.proven is None:
            return None
        return (date.fromisoformat(self.proven) - date.fromisoformat(self.first_seen)).days

    def address(self, slug: str) -> str:
        """Of its page on the site. It never changes once it is published."""
        return f"falls/{slug}-{self.first_seen}/"


def list_falls(verdicts: Sequence[ModelVerdict]) -> list[Fall]:
    """The falls of one model, from its verdicts, both oldest first."""
    return [_make_fall(days, after) for days, after in _split(verdicts)]


def _split(verdicts: Sequence[ModelVerdict]) -> Iterator[tuple[list[ModelVerdict], ModelVerdict | None]]:
    """The bad days of each fall, and the verdict that ended it."""
    days: list[ModelVerdict] = []
    for verdict in verdicts:
        if verdict.shown in BAD:
            days.append(verdict)
        elif days and verdict.shown != "GAP":
            yield days, verdict
            days = []
    if days:
        yield days, None


def _make_fall(days: Sequence[ModelVerdict], after: ModelVerdict | None) -> Fall:
    proofs = [each for each in days if each.confirmed]
    shown = proofs or [each for each in days if each.shown == "COOKED"] or days
    return Fall(
        model=days[0].model,
        first_seen=days[0].date,
        last_seen=days[-1].date,
        began=(proofs[-1].changed_on if proofs else None) or days[0].date,
        proven=proofs[0].date if proofs else None,
        ended=after.date if after else None,
        state=_find_state(bool(proofs), after),
        shown_on=shown[0].date,
        why_ended=after.series_why if after and after.shown != "OK" else None,
    )


def _find_state(proven: bool, after: ModelVerdict | None) -> FallState:
    if after is None:
        return "confirmed" if proven else "open"
    if after.shown != "OK":
        return "replaced"
    return "recovered" if proven else "withdrawn"
