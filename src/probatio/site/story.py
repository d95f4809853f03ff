"""The story of a model's present standing: what happened on which day, what else was different then, the cases that fell."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise, takewhile

import msgspec

from probatio.records import DayRecord, ModelVerdict, Status
from probatio.site.snapshot import Site, TrackedModel
from probatio.site.standing import BAD, began, fallen_use_cases, first_bad
from probatio.site.word_diff import Compared, compared
from probatio.verdict.words import CaseChange, Told

EXCERPT = 700
"""Characters of an answer on a model's page."""
NAMED = 3
"""Use cases named in one event; the others are counted."""
RECENT_DAYS, MOST_EVENTS = 30, 12
"""Days that are told of a model that did not fall; events that are told at most, the latest ones."""
TOGETHER_DAYS = 2
"""Falls of other models so many days apart, or fewer, may have the same cause."""


class Event(msgspec.Struct, frozen=True):
    """What happened on a day."""

    date: str
    text: str


class Circumstance(msgspec.Struct, frozen=True):
    """One thing besides the model that could have changed on the day."""

    name: str
    changed: bool
    text: str


class FallenCase(msgspec.Struct, frozen=True):
    """A case that fell, with both answers compared where both are there, and the use case's id where its samples have a page."""

    change: CaseChange
    answers: Compared | None
    use_case: str | None

    @property
    def cut_before_a_difference(self) -> bool:
        """The answers differ only behind what is shown of them."""
        return self.answers is not None and not any(each.differs for each in (*self.answers.before, *self.answers.now))


def proven(model: TrackedModel) -> str | None:
    """The first day of the present proof."""
    run = list(takewhile(lambda verdict: verdict.confirmed, reversed(model.verdicts)))
    return run[-1].date if run else None


def events(site: Site, model: TrackedModel) -> list[Event]:
    """The present fall day by day, oldest first; where there is none, what happened in the last weeks."""
    fell = began(model)
    start = min(fell, first_bad(model)) if fell else model.verdicts[-RECENT_DAYS:][0].date
    found = []
    if fell and model.last.confirmed:
        found.append(Event(fell, "It changed, by the dating of the evidence; such a date may be a few days off."))
    for before, verdict in pairwise(model.verdicts):
        if verdict.date >= start:
            found += [Event(verdict.date, text) for text in _news(site, before, verdict)]
    return sorted(found, key=lambda event: event.date)[-MOST_EVENTS:]


def circumstances(site: Site, model: TrackedModel) -> list[Circumstance]:
    """Route, judge, suite, grader, program and other models on the day the fall began, against the day before."""
    start = began(model)
    days = [verdict for verdict in model.verdicts if start is not None and verdict.date <= start][-2:]
    if len(days) < 2 or any(each.date not in site.records for each in days):
        return []
    old, new = (site.records[each.date] for each in days)
    return [_route(*days), _judge(old, new), *_made_by(old, new), _others(site, model, start or "")]


def fallen_cases(site: Site, model: TrackedModel, told: Told | None) -> list[FallenCase]:
    """The worst cases with the answers before and now."""
    ids = {title: use_case for use_case, title in site.titles.items()}
    shown = model.last.date in site.sampled_dates
    return [
        FallenCase(
            change=each,
            answers=compared(each.answer_before, each.answer_now) if each.answer_before and each.answer_now else None,
            use_case=ids.get(each.use_case) if shown and each.answer_now else None,
        )
        for each in (told.cases if told else ())
    ]


def _news(site: Site, before: ModelVerdict, verdict: ModelVerdict) -> Iterator[str]:
    if verdict.label != before.label:
        yield _verdict(site, verdict)
    if verdict.routing_changed and not before.routing_changed:
        yield f"Its answers came from another route: {verdict.route or 'an unknown one'}."
    if verdict.suite_version != before.suite_version:
        yield f"The suite went from version {before.suite_version} to {verdict.suite_version}."
    if verdict.barred and not before.barred:
        yield "The judge's marks had shifted; judged use cases could not change the verdict."


def _verdict(site: Site, verdict: ModelVerdict) -> str:
    if verdict.confirmed:
        return "The fall was proven."
    if verdict.shown not in BAD:
        return _WELL[verdict.shown]
    names = [site.title(each.use_case) for each in fallen_use_cases(verdict)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(names[:NAMED]) + more or "its scores as a whole"
    said = "clearly lower by the published rule" if verdict.shown == "COOKED" else "lower than usual"
    return f"{verdict.shown}: {said} in {listed}."


_WELL: dict[Status, str] = {
    "OK": "OK: every tested use case was in its usual range.",
    "CALIBRATING": "CALIBRATING: too few days to know the usual range.",
    "GAP": "GAP: no score, because of an outage or too many errors.",
}
"""What is said of a day without a fall."""


def _route(old: ModelVerdict, new: ModelVerdict) -> Circumstance:
    if new.route != old.route:
        return Circumstance("Route", True, f"{old.route or 'unknown'} before, {new.route or 'unknown'} since")
    return Circumstance("Route", False, new.route or "not told by the server")


def _judge(old: DayRecord, new: DayRecord) -> Circumstance:
    was, now = old.calibration, new.calibration
    if now is None or was is None:
        return Circumstance("Judge", (now is None) != (was is None), "none" if now is None else now.judge)
    before, since_then = ((each.judge, each.resolved_model, each.system_fingerprint) for each in (was, now))
    shift = "" if now.shift is None else f", {now.shift:+.2f} marks off on its fixed answers".replace("-", "−")
    if now.barred:
        return Circumstance("Judge", True, f"{now.judge} had shifted{shift}")
    return Circumstance("Judge", before != since_then, f"{now.judge}{shift}")


def _made_by(old: DayRecord, new: DayRecord) -> Iterator[Circumstance]:
    """What the harness is made of."""
    for name, was, now in (
        ("Suite", (old.suite, old.suite_version), (new.suite, new.suite_version)),
        ("Grader", (old.grader_version,), (new.grader_version,)),
    ):
        text = f"{' '.join(was)} before, {' '.join(now)} since" if was != now else " ".join(now)
        yield Circumstance(name, was != now, text)
    names = sorted({*old.versions, *new.versions})
    moved = [name for name in names if old.versions.get(name) != new.versions.get(name)]
    parts = [f"{name} {old.versions.get(name, '–')} → {new.versions.get(name, '–')}" for name in moved[:NAMED]]
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
    fell = [each.id for each in others if began(each) in near]
    if not fell:
        return Circumstance("Other models", False, f"none of {len(others)} fell around that day")
    more = f" and {len(fell) - NAMED} more" if len(fell) > NAMED else ""
    return Circumstance("Other models", True, f"{', '.join(fell[:NAMED])}{more} fell within {TOGETHER_DAYS} days of it")


def span_lines(model: TrackedModel) -> tuple[str, ...]:
    """What is written where the change began, short."""
    last, start, sure = model.last, began(model), proven(model)
    if sure:
        return f"changed about {_short(start)}", f"proven {_short(sure)}"
    if last.headline_since and start and last.headline_since > start:
        return f"suspicious {_short(start)}", f"{last.shown.lower()} {_short(last.headline_since)}"
    return (f"{last.shown.lower()} since {_short(start)}",)


def _short(day: str | None) -> str:
    try:
        at = date.fromisoformat(day or "")
    except ValueError:
        return day or "–"
    return f"{at.day} {at:%b}"
