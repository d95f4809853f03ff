"""The story of a fall: its cause, what happened on which day, what else changed, which cases fell; and of a
model's last weeks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

import msgspec

from probatio.core.records import ModelVerdict, Status
from probatio.core.text.visible import make_visible
from probatio.site.facts.circumstances import Circumstance, find_cause, list_circumstances
from probatio.site.facts.diffs import DiffPiece, WordDiff, compare_words, shorten_pieces
from probatio.site.facts.standing import find_fall, find_fallen, find_past_fall
from probatio.site.rendering import format_date
from probatio.site.snapshot import Site, TrackedModel
from probatio.watch.verdict.changed_route import describe_change
from probatio.watch.verdict.falls import BAD, Fall
from probatio.watch.verdict.words import AnswerGrade, CaseChange, VerdictText

EXCERPT, PROMPT = 1200, 600
"""Characters of an answer, and of a prompt, on the page of a fall."""
NAMED = 3
"""Use cases named in one event; the others are counted."""
RECENT_DAYS, MOST_EVENTS = 30, 12
"""Days shown of a model that did not fall; and the most events shown, the latest ones."""


class Event(msgspec.Struct, frozen=True):
    """What happened on a day."""

    date: str
    text: str


class QuotedAnswer(NamedTuple):
    """One of the two answers: when it was given, its text with what differs marked, what the grader said."""

    day: str | None
    pieces: tuple[DiffPiece, ...]
    grade: AnswerGrade | None


class FallenCase(msgspec.Struct, frozen=True):
    """A case that fell, with both answers compared if both exist, and the use case's id if its samples have a
    page."""

    change: CaseChange
    day: str  # of the answer now
    answers: WordDiff | None
    use_case: str | None

    @property
    def before(self) -> QuotedAnswer:
        """What is shown of the answer before."""
        text, change = self.answers.before if self.answers else None, self.change
        return QuotedAnswer(change.day_before, _quote(change.answer_before, text), change.grade_before)

    @property
    def now(self) -> QuotedAnswer:
        text = self.answers.after if self.answers else None
        return QuotedAnswer(self.day, _quote(self.change.answer_now, text), self.change.grade_now)

    @property
    def prompt(self) -> tuple[DiffPiece, ...]:
        return shorten_pieces([DiffPiece(make_visible(self.change.prompt or ""), own=False)], PROMPT)

    @property
    def note(self) -> str:
        """What a reader has to know about the two answers."""
        if self.answers is None:
            return "The other answer is not kept." if self.before.pieces or self.now.pieces else ""
        if not self.answers.alike:
            return "The two have little in common, so no words are marked."
        if self.answers.same:
            return (
                f"The two are the same{' as far as they were compared' if self.answers.cut else ''}; only "
                "their grades differ."
            )
        return ""


class FallStory(NamedTuple):
    """What the page of a fall shows."""

    fall: Fall
    verdict: ModelVerdict  # of the day whose answers show it
    cause: str  # the headline, as a clause
    told: VerdictText | None
    cases: list[FallenCase]
    circumstances: list[Circumstance]
    events: list[Event]

    @property
    def changed(self) -> list[Circumstance]:
        return [each for each in self.circumstances if each.changed]

    @property
    def same(self) -> list[Circumstance]:
        """What did not change, or was never there."""
        return [each for each in self.circumstances if not each.changed]


def tell_fall(site: Site, model: TrackedModel, fall: Fall) -> FallStory:
    """The story of a fall, by the day whose answers show it: that day stays, whatever comes later."""
    verdict = model.by_date[fall.shown_on]
    if fall.proven:  # the date of the evidence may have moved since
        verdict = msgspec.structs.replace(verdict, changed_on=fall.began)
    told = model.teller.describe(verdict, excerpt=None, began=fall.began) if model.teller else None
    circumstances = list_circumstances(site, model, fall.began)
    return FallStory(
        fall,
        verdict,
        find_cause(verdict, circumstances),
        told,
        find_fallen_cases(site, told, verdict.date),
        circumstances,
        list_events(site, model, fall),
    )


def find_proof(model: TrackedModel) -> str | None:
    """The first day of the present proof."""
    run = list(takewhile(lambda verdict: verdict.confirmed, reversed(model.verdicts)))
    return run[-1].date if run else None


def list_events(site: Site, model: TrackedModel, fall: Fall | None = None) -> list[Event]:
    """A fall day by day, oldest first: the one given, or the present one. Without a fall, what happened in
    the last weeks."""
    fall = fall or (model.fall if model.last.shown in BAD else None)
    start = min(fall.began, fall.first_seen) if fall else model.verdicts[-RECENT_DAYS:][0].date
    end = (fall.ended if fall else None) or model.verdicts[-1].date
    found = []
    if fall and fall.proven:
        found.append(Event(fall.began, "The drop began around this day (± a few days)."))
    for before, verdict in pairwise(model.verdicts):
        if start <= verdict.date <= end:
            found += [Event(verdict.date, text) for text in _news(site, before, verdict)]
    return sorted(found, key=lambda event: event.date)[-MOST_EVENTS:]


def find_fallen_cases(site: Site, told: VerdictText | None, day: str) -> list[FallenCase]:
    """The worst cases of a day with the answers before and then."""
    ids = {title: use_case for use_case, title in site.titles.items()}
    shown = day in site.sampled_dates
    return [
        FallenCase(
            change=each,
            day=day,
            answers=compare_words(make_visible(each.answer_before), make_visible(each.answer_now))
            if each.answer_before and each.answer_now
            else None,
            use_case=ids.get(each.use_case) if shown and each.answer_now else None,
        )
        for each in (told.cases if told else ())
    ]


def _quote(text: str | None, compared: Sequence[DiffPiece] | None = None) -> tuple[DiffPiece, ...]:
    """A text of others as it was, shortened; signs that can't be seen are written out."""
    shown = make_visible(text or "")
    return shorten_pieces(compared or [DiffPiece(shown, own=False)], EXCERPT, len(shown))


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
    shown = [*names[:NAMED], f"{len(names) - NAMED} more"] if len(names) > NAMED else names
    listed = (
        " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown) or "its scores as a whole"
    )
    said = "clearly lower by the published rule" if verdict.shown == "COOKED" else "lower than usual"
    return f"{verdict.shown}: {said} in {listed}."


_WELL: dict[Status, str] = {
    "OK": "OK: every tested use case was in its usual range.",
    "CALIBRATING": "CALIBRATING: too few days to know the usual range.",
    "STALE": "STALE: its last answers are too old to say anything of today.",
    "GAP": "GAP: no score, because of an outage or too many errors.",
}
"""What is said of a day without a fall."""


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
