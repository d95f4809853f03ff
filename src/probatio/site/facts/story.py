"""The story of a model's present standing: what happened on which day, what else changed then, which cases
fell."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, takewhile

import msgspec

from probatio.core.records import DayRecord, ModelVerdict, Status
from probatio.site.facts.diffs import DiffPiece, WordDiff, compare_words, shorten_pieces
from probatio.site.facts.effort import list_effort_changes
from probatio.site.facts.standing import find_fall, find_fallen, find_past_fall
from probatio.site.rendering import format_date
from probatio.site.snapshot import BAD, Site, TrackedModel
from probatio.watch.verdict.changed_route import describe_change
from probatio.watch.verdict.words import CaseChange, VerdictText

EXCERPT = 700
"""Characters of an answer on a model's page."""
NAMED = 3
"""Use cases named in one event; the others are counted."""
RECENT_DAYS, MOST_EVENTS = 30, 12
"""Days shown of a model that did not fall; and the most events shown, the latest ones."""
NO_SHIFT = 0.05
"""Marks by which a judge may differ from itself by chance."""
TOGETHER_DAYS = 2
"""Most days between the falls of two models that may have the same cause."""


class Event(msgspec.Struct, frozen=True):
    """What happened on a day."""

    date: str
    text: str


class Circumstance(msgspec.Struct, frozen=True):
    """Something other than the model that could have changed on the day."""

    name: str
    changed: bool
    text: str
    says_it: bool = False  # the text says whether it changed


class FallenCase(msgspec.Struct, frozen=True):
    """A case that fell, with both answers compared if both exist, and the use case's id if its samples have a
    page."""

    change: CaseChange
    answers: WordDiff | None
    use_case: str | None

    @property
    def before(self) -> tuple[DiffPiece, ...]:
        """What is shown of the answer before."""
        return (
            shorten_pieces(self.answers.before, EXCERPT)
            if self.answers
            else _alone(self.change.answer_before)
        )

    @property
    def now(self) -> tuple[DiffPiece, ...]:
        return shorten_pieces(self.answers.after, EXCERPT) if self.answers else _alone(self.change.answer_now)

    @property
    def note(self) -> str:
        """What a reader has to know about the two answers."""
        if self.answers is None:
            return "The other answer is not kept." if self.before or self.now else ""
        if not self.answers.alike:
            return "The two have little in common, so no words are marked."
        if self.answers.same:
            return (
                f"The two are the same{' as far as they were compared' if self.answers.cut else ''}; only "
                "their grades differ."
            )
        return ""


def find_proof(model: TrackedModel) -> str | None:
    """The first day of the present proof."""
    run = list(takewhile(lambda verdict: verdict.confirmed, reversed(model.verdicts)))
    return run[-1].date if run else None


def list_events(site: Site, model: TrackedModel) -> list[Event]:
    """The present fall day by day, oldest first; without a fall, what happened in the last weeks."""
    fell = find_fall(model)
    start = min(fell, model.first_seen(model.last)) if fell else model.verdicts[-RECENT_DAYS:][0].date
    found = []
    if fell and model.last.confirmed:
        found.append(Event(fell, "The drop began around this day (± a few days)."))
    for before, verdict in pairwise(model.verdicts):
        if verdict.date >= start:
            found += [Event(verdict.date, text) for text in _news(site, before, verdict)]
    return sorted(found, key=lambda event: event.date)[-MOST_EVENTS:]


def list_circumstances(site: Site, model: TrackedModel) -> list[Circumstance]:
    """Route, judge, suite, grader, program, speed, length, price and other models on the day the fall began,
    compared with the day before; what its answers took, with the two weeks before."""
    start = find_fall(model)
    days = [verdict for verdict in model.verdicts if start is not None and verdict.date <= start][-2:]
    if len(days) < 2 or any(each.date not in site.records for each in days):
        return []
    old, new = (site.records[each.date] for each in days)
    took = [
        Circumstance(each.kind.name, each.changed, each.words)
        for each in list_effort_changes(site, model, new.date)
    ]
    others = _others(site, model, start or "")
    return [_route(*days), _judge(old, new), *_compare_harness(old, new), *took, others]


def find_fallen_cases(site: Site, model: TrackedModel, told: VerdictText | None) -> list[FallenCase]:
    """The worst cases with the answers before and now."""
    ids = {title: use_case for use_case, title in site.titles.items()}
    shown = model.last.date in site.sampled_dates
    return [
        FallenCase(
            change=each,
            answers=compare_words(each.answer_before, each.answer_now)
            if each.answer_before and each.answer_now
            else None,
            use_case=ids.get(each.use_case) if shown and each.answer_now else None,
        )
        for each in (told.cases if told else ())
    ]


def _alone(answer: str | None) -> tuple[DiffPiece, ...]:
    return shorten_pieces([DiffPiece(answer, own=False)], EXCERPT) if answer else ()


def _news(site: Site, before: ModelVerdict, verdict: ModelVerdict) -> Iterator[str]:
    if verdict.state != before.state:
        yield _verdict(site, verdict, before)
    if verdict.series_since == verdict.date and verdict.series_why:
        yield f"A new series began, nothing before it is compared: {verdict.series_why}."
    if verdict.changed_route and verdict.changed_route != before.changed_route:
        yield f"{describe_change(verdict.changed_route)}."
    if verdict.routing_changed and not before.routing_changed:
        yield f"Its answers came from another route: {verdict.route or 'an unknown one'}."
    if verdict.suite_version != before.suite_version:
        yield f"The suite went from version {before.suite_version} to {verdict.suite_version}."
    if verdict.barred and not before.barred:
        yield "The judge's marks had shifted; judged use cases could not change the verdict."


def _verdict(site: Site, verdict: ModelVerdict, before: ModelVerdict) -> str:
    if verdict.confirmed:
        return "The fall was proven."
    if verdict.shown == "OK" and before.shown in BAD:
        return "OK again: the fall is over."
    if verdict.shown not in BAD:
        return "GAP: answers came that have no score." if verdict.ungraded else _WELL[verdict.shown]
    names = [site.title(each.use_case) for each in find_fallen(verdict)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(names[:NAMED]) + more or "its scores as a whole"
    said = "clearly lower by the published rule" if verdict.shown == "COOKED" else "lower than usual"
    return f"{verdict.shown}: {said} in {listed}."


_WELL: dict[Status, str] = {
    "OK": "OK: every tested use case was in its usual range.",
    "CALIBRATING": "CALIBRATING: too few days to know the usual range.",
    "STALE": "STALE: its last answers are too old to say anything of today.",
    "GAP": "GAP: no score, because of an outage or too many errors.",
}
"""What is said of a day without a fall."""


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
    fell = [each.id for each in others if find_fall(each) in near]
    if not fell:
        return Circumstance(
            "Other models", False, f"None of {len(others)} fell around that day.", says_it=True
        )
    more = f" and {len(fell) - NAMED} more" if len(fell) > NAMED else ""
    told = f"{', '.join(fell[:NAMED])}{more} fell within {TOGETHER_DAYS} days of it, too."
    return Circumstance("Other models", True, told, says_it=True)


def span_lines(model: TrackedModel) -> tuple[str, ...]:
    """The short words at the beginning of a change."""
    last, start, sure, over = model.last, find_fall(model), find_proof(model), find_past_fall(model)
    if over:
        return f"lower {_short(over[0])}", f"well again {_short(last.headline_since)}"
    if sure:
        return f"changed about {_short(start)}", f"proven {_short(sure)}"
    if last.headline_since and start and last.headline_since > start:
        return f"suspicious {_short(start)}", f"{last.shown.lower()} {_short(last.headline_since)}"
    return (f"{last.shown.lower()} since {_short(start)}",)


def _short(day: str | None) -> str:
    return format_date(day, "{0.day} {0:%b}")
