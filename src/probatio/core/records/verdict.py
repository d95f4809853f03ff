"""Records of a verdict: what both layers say, with every number that led there."""

from __future__ import annotations

from datetime import date
from typing import Literal

import msgspec

Status = Literal["STALE", "OK", "SUSPICIOUS", "COOKED", "CALIBRATING", "GAP"]
"""What the published rule says of a use case or a model on a day; STALE is said when it is read too late."""

MARKS: dict[Status, str] = {
    "STALE": "⧗", "GAP": "–", "COOKED": "✖", "SUSPICIOUS": "▲", "CALIBRATING": "◌", "OK": "●",
}  # fmt: skip
"""The sign of each status, wherever one is shown; what needs a look first."""

Look = Literal["STALE", "GAP", "PROVEN", "COOKED", "SUSPICIOUS", "ROUTE", "CALIBRATING", "OK"]
"""How a badge looks. PROVEN: COOKED, and the evidence has confirmed it; else COOKED is not proven, and only
outlined. ROUTE: nothing else is wrong, but a new route serves it worse than the rule allows."""

LOOKS: dict[Look, str] = {
    "STALE": "⧗", "GAP": "–", "PROVEN": "✖", "COOKED": "✖", "SUSPICIOUS": "▲", "ROUTE": "⇄",
    "CALIBRATING": "◌", "OK": "●",
}  # fmt: skip
"""The sign of each look; what needs a look first."""

NOT_PROVEN = "COOKED, not proven"

Evidence = Literal["CALIBRATING", "QUIET", "SUSPECTED", "CONFIRMED", "RECOVERED", "LOWER"]
"""What the evidence layer says of a model on a day; CALIBRATING while its reference is not complete."""

Cause = Literal["MODEL", "JUDGE", "HARNESS", "GRADER", "ROUTE", "INFRA"]
"""The cause of a change."""


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """A person says that a model's new level is what it is from now on: a new reference begins."""

    model: str
    begins: str  # the first day of the new reference
    by: str  # who says so
    why: str
    made: str  # when, UTC


class RouteChange(msgspec.Struct, frozen=True, kw_only=True):
    """Another provider serves the model: its level on the first days of the new route, against the former."""

    since: str  # first day of the new route
    was: str | None  # the former route
    now: str | None
    before: float  # points, on the former route
    after: float
    level: Status = "OK"  # what the rule's limits say of so large a difference

    @property
    def note(self) -> str:
        """`CHANGED ROUTE −8`, shown next to the state."""
        points = round(self.after - self.before)
        return f"CHANGED ROUTE {f'{points:+d}' if points else '±0'}".replace("-", "−")


class UseCaseVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the rule says of one use case, with every number that led there."""

    use_case: str
    status: Status
    score: float | None = None
    base_score: float | None = None
    n: int = 0
    mean: float | None = None  # of the baseline
    sd: float | None = None  # after the floor
    days: int = 0  # in the baseline
    z: float | None = None
    drop: float | None = None  # share of the mean
    fired: tuple[str, ...] = ()  # the tests that fired, by name: "suspicious z", "cooked drop", "collapse", …
    cooked_level: bool = False  # today alone is at cooked level, by either criterion
    held: str | None = None  # why yesterday's status is held: "barred", "routing" or "asked late"
    recovered: bool = False  # within the days a recovery is marked
    improved: bool = False
    since: str | None = None  # first day of the present status
    evidence: float | None = None  # this use case's own M
    smallest_drop: float | None = None  # minimum detectable effect, share of the reference mean


class ModelVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What both layers say of one model on one day."""

    date: str
    model: str
    status: Status
    since: str | None = None
    suite_version: str = ""
    route: str | None = None
    routing_changed: bool = False
    barred: bool = False
    recovered: bool = False  # the headline is OK, and was not within the last days
    use_cases: tuple[UseCaseVerdict, ...] = ()
    evidence: Evidence = "CALIBRATING"
    evidence_value: float | None = None  # the model statistic M
    proof: float | None = None  # z of the proof by draws; None where none was asked for
    lower: bool = False  # lower than the reference for long, and not proven: a note, no gate
    reference_days: int = 0
    changed_on: str | None = None  # after CONFIRMED: the dated change
    named: tuple[str, ...] = ()  # use cases whose own M passed the suspicion line
    improvement: bool = False  # the mirrored detector, for information
    cause: Cause | None = None  # where something moved
    cause_reason: str | None = None
    smallest_drop: float | None = None
    """Minimum detectable effect over all use cases, share of the reference mean."""
    reason: str = ""  # one sentence made from these numbers
    headline: Status | None = None
    """What people see first: the worse of both layers, and GAP in place of OK where answers could not be
    graded; None in records older than the field."""
    headline_since: str | None = None  # first day of the present headline
    confirmed: bool = False  # the evidence is CONFIRMED
    symptoms: tuple[str, ...] = ()
    """What else was different around the day it fell, as clauses; never a cause."""
    series_since: str | None = None  # first day of the series: nothing before it is compared
    series_why: str | None = None  # why it began, as a clause; None for a model's first one
    accepted: Acceptance | None = None  # the series began with it
    collapsed: tuple[str, ...] = ()
    """Use cases that collapsed today at full count, with or without a whole baseline."""
    not_asked: dict[str, str] = {}
    """Use case → why no model was asked it that day: no gap, as nothing is expected there."""
    changed_route: RouteChange | None = None  # a note beside the state, for four weeks
    form: str | None = None
    """What it was asked, where that is less than the whole suite: `small form (10 cases, one sample)`."""
    ungraded: tuple[str, ...] = ()
    """Use cases without a score although answers came: what the model did there is not known. The headline is
    then never OK, and no gate is passed."""

    @property
    def shown(self) -> Status:
        """The status to show."""
        return self.headline or self.status

    @property
    def incomplete(self) -> bool:
        """Something was not scored that should be: such a day is never OK and passes no gate."""
        return self.shown in ("GAP", "STALE") or bool(self.ungraded)

    @property
    def well_again(self) -> bool:
        """It is OK and was not within the last days, by the rule or by the evidence.

        In a long fall the rule's baseline follows it down, and only the evidence shows when it ends.
        """
        return self.shown == "OK" and (self.recovered or self.evidence == "RECOVERED")

    @property
    def state(self) -> str:
        """The headline in words."""
        return f"{self.shown}, confirmed" if self.confirmed else self.shown

    @property
    def label(self) -> str:
        """The headline in words, as every surface shows it: how old it is, whether it is proven, and the note
        next to it. A loss by a new route is no OK."""
        if self.shown == "STALE":
            return f"STALE, last asked {_format(self.headline_since)}" if self.headline_since else "STALE"
        if self.look == "ROUTE" and self.changed_route:
            return self.changed_route.note
        said = NOT_PROVEN if self.look == "COOKED" else self.state
        return f"{said}, {self.changed_route.note}" if self.changed_route else said

    @property
    def look(self) -> Look:
        """How its badge looks."""
        lost = self.changed_route is not None and self.changed_route.level != "OK"
        if lost and self.shown in ("OK", "CALIBRATING"):
            return "ROUTE"
        return "PROVEN" if self.confirmed and self.shown == "COOKED" else self.shown


def _format(day: str) -> str:
    """`6 Nov 2026`; a ledger from elsewhere may hold anything."""
    try:
        return "{0.day} {0:%b} {0.year}".format(date.fromisoformat(day))
    except ValueError:
        return day


class Detectable(msgspec.Struct, frozen=True):
    """The smallest drops that would be confirmed in time, as shares of the reference's mean, if any."""

    overall: float | None
    use_cases: dict[str, float | None]
