"""Find the messages that a day's verdicts call for, given what a channel was sent before. Pure: no clock,
disk or network.

An episode lasts from the first day on which a model's headline is worse than OK to the first day on which it
is OK again. It has one message for each level reached, and one at its end if any was sent. The headline is
made of both layers, so there is no good news while the evidence is CONFIRMED. If one cause outside the models
hits several of them, that is one message: a judge that drifts must not send thirty.

A gap, a day that is calibrating and a day on which every use case is held neither start nor end an episode.
But a collapse at full count is sent while the evidence still calibrates: it is too large to wait for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Literal

import msgspec

from probatio.core.records import Cause, ModelVerdict
from probatio.core.text.names import matches
from probatio.watch.alerts.quoting import TITLE, make_harmless

Layer = Literal["headline", "rule", "evidence"]
"""What a state is about; `rule` and `evidence` only in files written before there was a headline."""
Tone = Literal["failure", "warning", "success", "info"]

LEVELS = ("SUSPICIOUS", "COOKED", "CONFIRMED")
"""How bad a headline is, the least first."""
SEVERITIES = {
    "suspicious": "SUSPICIOUS",
    "suspected": "SUSPICIOUS",
    "cooked": "COOKED",
    "confirmed": "CONFIRMED",
}
"""The words of the configuration, and the level that each begins with."""
WORDS = {"SUSPICIOUS": "SUSPICIOUS", "COOKED": "COOKED", "CONFIRMED": "COOKED, confirmed"}
SHARED: frozenset[Cause] = frozenset({"JUDGE", "HARNESS", "GRADER"})
"""Causes that lie with the watch and not with a model: all models they strike on a day share one message."""

DescribeVerdict = Callable[[ModelVerdict], str]
"""A verdict in words, for people; words of others in it are harmless (`quoting`)."""


class AlertRule(msgspec.Struct, frozen=True):
    """Which news a channel gets."""

    severities: tuple[str, ...] = ("cooked", "confirmed")
    hold_days: int = 1  # a level is sent on the day it has held for so many scored days
    cool_down_days: int = (
        0  # for so long after a message, no new episode is sent that is not worse than the one before
    )
    models: tuple[str, ...] = ("*",)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that are sent: the least one asked for, and all worse ones."""
        return LEVELS[min(LEVELS.index(SEVERITIES[each]) for each in self.severities) :]

    def covers(self, model: str) -> bool:
        return any(matches(pattern, model) for pattern in self.models)


class LayerState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a channel was sent about one model, after `day`. A part of `alerts.json`: its names there stay."""

    day: str = ""
    since: str | None = None  # first day of the episode that is open
    days: dict[str, int] = {}  # level → scored days in a row at it or beyond, with `day`
    before: dict[str, int] = {}  # the same without `day`, so that a day that comes again is not counted twice
    worst_sent: str | None = msgspec.field(default=None, name="told")  # in this episode
    last: str | None = None  # the worst level sent in the last episode that had a message
    last_on: str | None = None  # day of the last message
    new_series: bool = msgspec.field(default=False, name="anew")  # it was calibrating within the episode
    cause: Cause | None = None  # of the episode, when its last message was sent
    route: str | None = None  # first day of the new route whose loss was sent


class AlertMessage(msgspec.Struct, frozen=True):
    """A message about one model on one day, or about several that share a cause outside them."""

    date: str
    models: tuple[str, ...]
    title: str
    body: str
    tone: Tone

    @property
    def model(self) -> str:
        return ", ".join(self.models)


class AlertNotice(msgspec.Struct, frozen=True):
    """The news about one model."""

    verdict: ModelVerdict
    text: str
    tone: Tone
    cause: Cause | None
    page: str | None

    @property
    def shared(self) -> Cause | None:
        """The cause, if it lies outside the model."""
        return self.cause if self.cause in SHARED else None


LayerStates = dict[str, dict[Layer, LayerState]]
"""Model → layer → what a channel was sent about it."""


def find_due(
    rule: AlertRule,
    before: LayerStates,
    verdicts: Iterable[ModelVerdict],
    pages: Mapping[str, str],
    head: str = "",
    describe: DescribeVerdict = lambda verdict: make_harmless(verdict.reason),
) -> tuple[LayerStates, list[AlertMessage]]:
    """The states after a day's verdicts, and the messages they call for.

    `pages`: model → the address of the page that tells of it. Every message carries the `head` of the
    ledger: with it the reader can show later that the ledger was cut or rewritten. The same verdicts given
    again call for nothing. Neither do those of an earlier day.
    """
    after = dict(before)
    notices: list[AlertNotice] = []
    for verdict in verdicts:
        if not rule.covers(verdict.model):
            continue
        state, notice = step(
            rule, merge_layers(before.get(verdict.model, {})), verdict, pages.get(verdict.model)
        )
        after[verdict.model] = {"headline": state}
        notices += [notice] if notice else []
    return after, _group_messages(notices, f"\nHead of the ledger: {head}" if head else "", describe)


def step(
    rule: AlertRule, before: LayerState, verdict: ModelVerdict, page: str | None = None
) -> tuple[LayerState, AlertNotice | None]:
    """Move one model one day forward."""
    if verdict.date < before.day or verdict.status == "GAP" or _is_held(verdict):
        return before, None
    earlier = before.before if verdict.date == before.day else before.days
    rank = level_of(verdict)
    days = {level: earlier.get(level, 0) + 1 for level in LEVELS[: rank + 1]}
    now = msgspec.structs.replace(before, day=verdict.date, days=days, before=earlier)
    accepted = verdict.accepted is not None and (now.since or "~") <= verdict.accepted.begins
    lost = verdict.changed_route if rank < 0 and verdict.look == "ROUTE" else None
    if lost and lost.level in rule.levels:
        # While the note stands an open episode does not end: a loss is no good news.
        if lost.since == now.route:
            return now, None
        after = msgspec.structs.replace(now, route=lost.since, last_on=verdict.date)
        return after, AlertNotice(verdict, lost.note, "warning", "ROUTE", page)
    if rank < 0 and (verdict.shown == "OK" or accepted):
        return _end_episode(now, verdict, page)
    if rank < 0:
        return msgspec.structs.replace(now, new_series=now.since is not None), None
    now = msgspec.structs.replace(now, since=now.since or verdict.date)
    reached = [level for level in rule.levels if days.get(level, 0) >= rule.hold_days]
    if not reached or _rank(reached[-1]) <= _rank(now.worst_sent) or _is_cooling_down(rule, now, reached[-1]):
        return now, None
    after = msgspec.structs.replace(
        now, worst_sent=reached[-1], last=reached[-1], last_on=verdict.date, cause=verdict.cause
    )
    tone: Tone = "warning" if reached[-1] == LEVELS[0] else "failure"
    elsewhere = "" if verdict.cause in (None, "MODEL") else f" (cause: {verdict.cause})"
    collapsed = reached[-1] == "COOKED" and verdict.shown != "COOKED"
    text = f"{'collapsed in a use case' if collapsed else WORDS[reached[-1]]}{elsewhere}"
    return after, AlertNotice(verdict, text, tone, verdict.cause, page)


def level_of(verdict: ModelVerdict) -> int:
    """How bad a day is, as a place in LEVELS; −1 if it is not bad."""
    if verdict.confirmed:
        return LEVELS.index("CONFIRMED")
    early_collapse = bool(verdict.collapsed) and verdict.evidence == "CALIBRATING"
    if verdict.shown == "COOKED" or early_collapse:
        return LEVELS.index("COOKED")
    return 0 if verdict.shown == "SUSPICIOUS" else -1


def merge_layers(states: Mapping[Layer, LayerState]) -> LayerState:
    """The state of a model. Files written before the headline existed have two layers: read them as one."""
    if "headline" in states or not states:
        return states.get("headline", LayerState())
    known = {
        "SUSPICIOUS": "SUSPICIOUS",
        "SUSPECTED": "SUSPICIOUS",
        "COOKED": "COOKED",
        "CONFIRMED": "CONFIRMED",
    }
    sent = [known[each.worst_sent] for each in states.values() if each.worst_sent]
    worst = max(sent, key=LEVELS.index, default=None)
    newest = max(states.values(), key=lambda each: each.day)
    return LayerState(
        day=newest.day,
        since=min((each.since for each in states.values() if each.since), default=None),
        worst_sent=worst,
        last=worst,
        last_on=max((each.last_on for each in states.values() if each.last_on), default=None),
        cause=next((each.cause for each in states.values() if each.cause), None),
    )


def _end_episode(
    now: LayerState, verdict: ModelVerdict, page: str | None
) -> tuple[LayerState, AlertNotice | None]:
    over = msgspec.structs.replace(now, since=None, worst_sent=None, new_series=False, cause=None)
    if now.worst_sent is None:
        return over, None
    was = WORDS[now.worst_sent]
    tone: Tone = "info"
    if verdict.accepted is not None and (now.since or "~") <= verdict.accepted.begins:
        text = f"{was} since {now.since}, accepted by {verdict.accepted.by}: {verdict.accepted.why}"
    elif now.new_series:
        text = f"OK against a new past; {was} against the former one"
    else:
        text, tone = f"OK again, {was} since {now.since}", "success"
    over = msgspec.structs.replace(over, last_on=verdict.date)
    return over, AlertNotice(verdict, text, tone, now.cause, page)


def _is_cooling_down(rule: AlertRule, now: LayerState, level: str) -> bool:
    """Whether the last message is too recent for another one. A worse level is always sent."""
    if now.last_on is None or _rank(level) > _rank(now.last):
        return False
    return 0 < (date.fromisoformat(now.day) - date.fromisoformat(now.last_on)).days <= rule.cool_down_days


def _is_held(verdict: ModelVerdict) -> bool:
    """Whether every use case is held. If only some are, the others have moved the status, and that counts."""
    scored = [each for each in verdict.use_cases if each.score is not None]
    return bool(scored) and all(each.held for each in scored)


def _rank(level: str | None) -> int:
    return -1 if level is None else LEVELS.index(level)


def _group_messages(notices: list[AlertNotice], anchor: str, describe: DescribeVerdict) -> list[AlertMessage]:
    """One message for each model, and one for all models that share tone and a cause outside them."""
    groups: dict[tuple[str, ...], list[AlertNotice]] = {}
    for each in notices:
        groups.setdefault((each.shared, each.tone) if each.shared else (each.verdict.model,), []).append(each)
    return [_describe_group(group, anchor, describe) for group in groups.values()]


def _describe_group(group: list[AlertNotice], anchor: str, describe: DescribeVerdict) -> AlertMessage:
    first = group[0]
    if len(group) == 1:
        verdict = first.verdict
        body = f"{verdict.date}: {describe(verdict)}{anchor}" + (f"\n{first.page}" if first.page else "")
        title = make_harmless(f"{verdict.model}: {first.text}", TITLE)
        return AlertMessage(verdict.date, (verdict.model,), title, body, first.tone)
    models = tuple(each.verdict.model for each in group)
    summary = "alarms end" if first.tone in ("success", "info") else "alarms that are not the models' own"
    lines = (
        " ".join(
            filter(
                None,
                (
                    make_harmless(f"{each.verdict.model}: {each.text}."),
                    describe(each.verdict),
                    each.page,
                ),
            )
        )
        for each in group
    )
    return AlertMessage(
        first.verdict.date,
        models,
        make_harmless(f"{first.shared}, {len(group)} models, {summary}: {', '.join(models)}", TITLE),
        "\n".join((f"{first.verdict.date}:", *lines)) + anchor,
        first.tone,
    )
