"""Which messages a day's verdicts call for, given what a channel was sent before. No clock, disk or network in here.

An episode lasts from the first day on which a model's headline is worse than OK to the first day on which it is OK again.
Within it there is one message for each level reached, and one at its end if any was sent. The headline is made of both layers,
so there is no good news while the evidence is CONFIRMED. What one cause outside the models did to several of them is one
message: a judge that drifts must not send thirty.

A gap, a day that is calibrating and a day on which every use case is held neither start nor end an episode. But a collapse at
full count is told while the evidence still calibrates: it is too large to wait for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Literal

import msgspec

from probatio.names import matches
from probatio.records import Cause, ModelVerdict

Layer = Literal["headline", "rule", "evidence"]
"""What a state is about; `rule` and `evidence` only in files written before there was a headline."""
Tone = Literal["failure", "warning", "success", "info"]

LEVELS = ("SUSPICIOUS", "COOKED", "CONFIRMED")
"""How bad a headline is, the least first."""
SEVERITIES = {"suspicious": "SUSPICIOUS", "suspected": "SUSPICIOUS", "cooked": "COOKED", "confirmed": "CONFIRMED"}
"""The words of the configuration, and the level that each begins with."""
WORDS = {"SUSPICIOUS": "SUSPICIOUS", "COOKED": "COOKED", "CONFIRMED": "COOKED, confirmed"}
SHARED: frozenset[Cause] = frozenset({"JUDGE", "HARNESS", "GRADER"})
"""Causes that lie with the watch and not with a model: all models they strike on a day share one message."""

Tell = Callable[[ModelVerdict], str]
"""A verdict in words, for people."""


class AlertRule(msgspec.Struct, frozen=True):
    """What a channel wants to hear of."""

    severities: tuple[str, ...] = ("cooked", "confirmed")
    hold_days: int = 1  # a level is sent on the day it has held for so many scored days
    cool_down_days: int = 0  # for so long after a message, no new episode is sent that is not worse than the one before
    models: tuple[str, ...] = ("*",)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels it hears of: from the least one asked for."""
        return LEVELS[min(LEVELS.index(SEVERITIES[each]) for each in self.severities) :]

    def covers(self, model: str) -> bool:
        return any(matches(pattern, model) for pattern in self.models)


class LayerState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a channel was sent about one model, after `day`. A part of `alerts.json`."""

    day: str = ""
    since: str | None = None  # first day of the episode that is open
    days: dict[str, int] = {}  # level → scored days in a row at it or beyond, with `day`
    before: dict[str, int] = {}  # the same without `day`, so that a day that comes again is not counted twice
    told: str | None = None  # the worst level sent in this episode
    last: str | None = None  # the worst level sent in the last episode that had a message
    last_on: str | None = None  # day of the last message
    anew: bool = False  # calibrated within the episode: what follows is compared with another past
    cause: Cause | None = None  # of the episode, when its last message was sent


class Message(msgspec.Struct, frozen=True):
    """What is sent about one model on one day, or about several that one cause outside them struck."""

    date: str
    model: str  # several with commas
    title: str
    body: str
    tone: Tone


class Notice(msgspec.Struct, frozen=True):
    """What is to be told of one model."""

    verdict: ModelVerdict
    text: str
    tone: Tone
    cause: Cause | None
    page: str | None

    @property
    def shared(self) -> Cause | None:
        """The cause, where it lies outside the model."""
        return self.cause if self.cause in SHARED else None


LayerStates = dict[str, dict[Layer, LayerState]]
"""Model → layer → what a channel was sent about it."""


def due(
    rule: AlertRule,
    before: LayerStates,
    verdicts: Iterable[ModelVerdict],
    pages: Mapping[str, str],
    head: str = "",
    tell: Tell = lambda verdict: verdict.reason,
) -> tuple[LayerStates, list[Message]]:
    """The states after a day's verdicts, and the messages they call for; `pages` says where each model is shown. Every message
    carries the ledger's `head`: who got it can show later that the ledger was cut or rewritten.

    The same verdicts given again call for nothing, and neither do those of a day before the last.
    """
    after = dict(before)
    notices: list[Notice] = []
    for verdict in verdicts:
        if not rule.covers(verdict.model):
            continue
        state, notice = step(rule, _state(before.get(verdict.model, {})), verdict, pages.get(verdict.model))
        after[verdict.model] = {"headline": state}
        notices += [notice] if notice else []
    return after, _messages(notices, f"\nHead of the ledger: {head}" if head else "", tell)


def step(
    rule: AlertRule, before: LayerState, verdict: ModelVerdict, page: str | None = None
) -> tuple[LayerState, Notice | None]:
    """One model, one day further."""
    if verdict.date < before.day or verdict.status == "GAP" or _held(verdict):
        return before, None
    earlier = before.before if verdict.date == before.day else before.days
    rank = level_of(verdict)
    days = {level: earlier.get(level, 0) + 1 for level in LEVELS[: rank + 1]}
    now = msgspec.structs.replace(before, day=verdict.date, days=days, before=earlier)
    accepted = verdict.accepted is not None and (now.since or "~") <= verdict.accepted.begins
    if rank < 0 and (verdict.shown == "OK" or accepted):
        return _ended(now, verdict, page)
    if rank < 0:
        return msgspec.structs.replace(now, anew=now.since is not None), None
    now = msgspec.structs.replace(now, since=now.since or verdict.date)
    reached = [level for level in rule.levels if days.get(level, 0) >= rule.hold_days]
    if not reached or _rank(reached[-1]) <= _rank(now.told) or _cooling(rule, now, reached[-1]):
        return now, None
    after = msgspec.structs.replace(now, told=reached[-1], last=reached[-1], last_on=verdict.date, cause=verdict.cause)
    tone: Tone = "warning" if reached[-1] == LEVELS[0] else "failure"
    return after, Notice(verdict, _alarm(reached[-1], verdict), tone, verdict.cause, page)


def level_of(verdict: ModelVerdict) -> int:
    """How bad a day is, as a place in LEVELS; −1 where it is not."""
    if verdict.confirmed:
        return LEVELS.index("CONFIRMED")
    if verdict.shown == "COOKED" or _early_collapse(verdict):
        return LEVELS.index("COOKED")
    return 0 if verdict.shown == "SUSPICIOUS" else -1


def _early_collapse(verdict: ModelVerdict) -> bool:
    return bool(verdict.collapsed) and verdict.evidence == "CALIBRATING"


def _state(states: Mapping[Layer, LayerState]) -> LayerState:
    """The state of a model; what was sent of two layers, before there was a headline, as one."""
    if "headline" in states or not states:
        return states.get("headline", LayerState())
    known = {"SUSPICIOUS": "SUSPICIOUS", "SUSPECTED": "SUSPICIOUS", "COOKED": "COOKED", "CONFIRMED": "CONFIRMED"}
    told = [known[each.told] for each in states.values() if each.told]
    worst = max(told, key=LEVELS.index, default=None)
    newest = max(states.values(), key=lambda each: each.day)
    return LayerState(
        day=newest.day,
        since=min((each.since for each in states.values() if each.since), default=None),
        told=worst,
        last=worst,
        last_on=max((each.last_on for each in states.values() if each.last_on), default=None),
        cause=next((each.cause for each in states.values() if each.cause), None),
    )


def _ended(now: LayerState, verdict: ModelVerdict, page: str | None) -> tuple[LayerState, Notice | None]:
    over = msgspec.structs.replace(now, since=None, told=None, anew=False, cause=None)
    if now.told is None:
        return over, None
    was = WORDS[now.told]
    if verdict.accepted is not None and (now.since or "~") <= verdict.accepted.begins:
        text = f"{was} since {now.since}, accepted by {verdict.accepted.by}: {verdict.accepted.why}"
        return msgspec.structs.replace(over, last_on=verdict.date), Notice(verdict, text, "info", now.cause, page)
    if now.anew:
        notice = Notice(verdict, f"OK against a new past; {was} against the former one", "info", now.cause, page)
    else:
        notice = Notice(verdict, f"OK again, {was} since {now.since}", "success", now.cause, page)
    return msgspec.structs.replace(over, last_on=verdict.date), notice


def _cooling(rule: AlertRule, now: LayerState, level: str) -> bool:
    """Whether an episode is not sent yet, because the last message is so recent. A worse one is always sent."""
    if now.last_on is None or _rank(level) > _rank(now.last):
        return False
    return 0 < (date.fromisoformat(now.day) - date.fromisoformat(now.last_on)).days <= rule.cool_down_days


def _held(verdict: ModelVerdict) -> bool:
    """Whether the whole day is held. Where only some use cases are, the status moved by the others, and that counts."""
    scored = [each for each in verdict.use_cases if each.score is not None]
    return bool(scored) and all(each.held for each in scored)


def _rank(level: str | None) -> int:
    return -1 if level is None else LEVELS.index(level)


def _alarm(level: str, verdict: ModelVerdict) -> str:
    elsewhere = "" if verdict.cause in (None, "MODEL") else f" (cause: {verdict.cause})"
    collapsed = level == "COOKED" and verdict.shown != "COOKED"
    return f"{'collapsed in a use case' if collapsed else WORDS[level]}{elsewhere}"


def _messages(notices: list[Notice], anchor: str, tell: Tell) -> list[Message]:
    """One for each model, and one for all that share a cause outside them and the tone."""
    groups: dict[tuple[str, ...], list[Notice]] = {}
    for each in notices:
        groups.setdefault((each.shared, each.tone) if each.shared else (each.verdict.model,), []).append(each)
    return [
        _alone(group[0], anchor, tell) if len(group) == 1 else _together(group, anchor, tell)
        for group in groups.values()
    ]


def _alone(notice: Notice, anchor: str, tell: Tell) -> Message:
    verdict = notice.verdict
    body = f"{verdict.date}: {tell(verdict)}{anchor}" + (f"\n{notice.page}" if notice.page else "")
    return Message(verdict.date, verdict.model, f"{verdict.model}: {notice.text}", body, notice.tone)


def _together(group: list[Notice], anchor: str, tell: Tell) -> Message:
    first = group[0]
    names = ", ".join(each.verdict.model for each in group)
    summary = "alarms end" if first.tone in ("success", "info") else "alarms that are not the models' own"
    lines = (f"{each.verdict.model}: {each.text}. {tell(each.verdict)} {each.page or ''}".rstrip() for each in group)
    return Message(
        first.verdict.date,
        names,
        f"{first.shared}, {len(group)} models, {summary}: {names}",
        "\n".join((f"{first.verdict.date}:", *lines)) + anchor,
        first.tone,
    )
