"""What else changed on the day a fall began, and what did not; and what the fall is put down to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

import msgspec

from probatio.core.records import DayRecord, ModelVerdict
from probatio.site.facts.effort import list_effort_changes
from probatio.site.rendering import format_date, format_dates, scrub
from probatio.site.snapshot import Site, TrackedModel

NAMED = 3
"""Names listed in one line; the others are counted."""
NO_SHIFT = 0.05
"""Marks by which a judge may differ from itself by chance."""
TOGETHER_DAYS = 2
"""Most days between the falls of two models that may have the same cause."""
WEIGHTS_DAYS = 7
"""Most days from a change of the weights to the fall it is taken for the cause of: a date by the evidence may
be a few days off."""


class Circumstance(msgspec.Struct, frozen=True):
    """Something other than the model that could have changed on the day."""

    name: str
    changed: bool
    text: str
    says_it: bool = False  # the text says whether it changed
    since: str | None = None  # the day, if it is another one


def list_circumstances(site: Site, model: TrackedModel, start: str) -> list[Circumstance]:
    """Weights, route, judge, suite, grader, program, speed, length, price and other models on the day a fall
    began, compared with the day before; what its answers took, with the two weeks before."""
    days = [verdict for verdict in model.verdicts if verdict.date <= start][-2:]
    if len(days) < 2 or any(each.date not in site.records for each in days):
        return []
    old, new = (site.records[each.date] for each in days)
    took = [
        Circumstance(each.kind.name, each.changed, each.words)
        for each in list_effort_changes(site, model, new.date)
    ]
    return [
        *_compare_weights(site, model, start),
        _route(*days),
        _judge(old, new),
        *_compare_harness(old, new),
        *took,
        _others(site, model, start),
    ]


def find_cause(verdict: ModelVerdict, circumstances: Sequence[Circumstance]) -> str:
    """What a fall is put down to, as the headline of its page."""
    weights = next((each for each in circumstances if each.name == WEIGHTS and each.changed), None)
    if weights:
        return f"the weights behind this name changed on {format_date(weights.since)}"
    if verdict.cause not in (None, "MODEL") and verdict.cause_reason:
        return format_dates(scrub(verdict.cause_reason))
    return OWN_CAUSES[verdict.confirmed]


WEIGHTS = "Weights"
OWN_CAUSES = {
    True: "the model itself got worse; no cause outside it was found",
    False: "its answers got worse; no cause outside the model was found",
}
"""What is said where no cause outside the model was found: whether it is proven → the words."""


def _compare_weights(site: Site, model: TrackedModel, start: str) -> Iterator[Circumstance]:
    """The file that answered, of an embedded model."""
    first = (date.fromisoformat(start) - timedelta(WEIGHTS_DAYS)).isoformat()
    last = max(start, next((each.first_seen for each in model.falls if each.began == start), start))
    files = {
        day: digest
        for day, record in site.records.items()
        if day <= last and (digest := _find_file(record, model.id))
    }
    moved = [
        (day, old, new) for (_, old), (day, new) in pairwise(files.items()) if old != new and day >= first
    ]
    if moved:
        day, old, new = moved[-1]
        yield Circumstance(WEIGHTS, True, f"{old} before, {new} since {format_date(day)}", since=day)
    elif files:
        yield Circumstance(WEIGHTS, False, files[max(files)])


def _find_file(record: DayRecord, model: str) -> str:
    """The digest of an embedded model's file, shortened; empty if there is none. A record may hold
    anything there."""
    kept = record.embedded.get(model)
    return str(kept.get("sha256") or "")[:12] if isinstance(kept, dict) else ""


def _route(old: ModelVerdict, new: ModelVerdict) -> Circumstance:
    if new.route != old.route:
        return Circumstance("Route", True, f"{old.route or 'unknown'} before, {new.route or 'unknown'} since")
    if not new.route:
        return Circumstance("Route", False, "Unknown: the server does not say.", says_it=True)
    return Circumstance("Route", False, new.route)


def _judge(old: DayRecord, new: DayRecord) -> Circumstance:
    was, now = old.calibration, new.calibration
    if was is None and now is None:
        return Circumstance("Judge", False, "No judge is used.", says_it=True)
    if now is None or was is None:
        return Circumstance("Judge", (now is None) != (was is None), "none" if now is None else now.judge)
    before, since_then = ((each.judge, each.resolved_model, each.system_fingerprint) for each in (was, now))
    shift = "" if now.shift is None else f", {_marks(now.shift)} on its fixed answers"
    if now.barred:
        return Circumstance("Judge", True, f"{now.judge} had shifted{shift}")
    return Circumstance("Judge", before != since_then, f"{now.judge}{shift}")


def _marks(shift: float) -> str:
    """How a judge marks, compared with the day it was set up."""
    if abs(shift) < NO_SHIFT:
        return "grading as strictly as before"
    return f"{abs(shift):.2f} marks {'milder' if shift > 0 else 'harsher'} than usual"


def _compare_harness(old: DayRecord, new: DayRecord) -> Iterator[Circumstance]:
    """Compare what the harness is made of."""
    for name, was, now in (
        ("Suite", (old.suite, old.suite_version), (new.suite, new.suite_version)),
        ("Grader", (old.grader_version,), (new.grader_version,)),
    ):
        text = f"{' '.join(was)} before, {' '.join(now)} since" if was != now else " ".join(now)
        yield Circumstance(name, was != now, text)
    names = sorted({*old.versions, *new.versions})
    moved = [name for name in names if old.versions.get(name) != new.versions.get(name)]
    parts = [
        f"{name} {old.versions.get(name, '–')} → {new.versions.get(name, '–')}" for name in moved[:NAMED]
    ]
    parts += [f"{len(moved) - NAMED} more"] if len(moved) > NAMED else []
    if old.sampling != new.sampling:
        parts.append("the settings of sampling")
    yield Circumstance("Harness", bool(parts), ", ".join(parts) or "the same program and settings")


def _others(site: Site, model: TrackedModel, start: str) -> Circumstance:
    """Several models that fall together point away from the model."""
    dates = list(site.records)
    at = dates.index(start) if start in dates else len(dates) - 1
    near = set(dates[max(0, at - TOGETHER_DAYS) : at + TOGETHER_DAYS + 1])
    others = [each for each in site.tracked.values() if each.id != model.id]
    fell = [
        each.id
        for each in others
        if any(fall.began in near and fall.state != "withdrawn" for fall in each.falls)
    ]
    if not fell:
        return Circumstance(
            "Other models", False, f"None of {len(others)} fell around that day.", says_it=True
        )
    more = f" and {len(fell) - NAMED} more" if len(fell) > NAMED else ""
    told = f"{', '.join(fell[:NAMED])}{more} fell within {TOGETHER_DAYS} days of it, too."
    return Circumstance("Other models", True, told, says_it=True)
