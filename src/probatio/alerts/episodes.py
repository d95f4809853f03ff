"""Which messages a day's verdicts call for, given what a channel was sent before. No clock, disk or network in here.

An episode of a layer lasts from the first day that is worse than well to the first day that is well again. Within it there is
one message for each severity reached, and one at its end if any was sent. Each of the two layers has its own episodes, since
neither overwrites the other. What both say of a model on a day is one message. So is what one cause outside the models did to
several of them: a judge that drifts must not send thirty messages.

A gap, a day that is calibrating and a day on which every use case is held neither start nor end an episode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Literal

import msgspec

from probatio.names import matches
from probatio.records import Cause, ModelVerdict

Layer = Literal["rule", "evidence"]
Tone = Literal["failure", "warning", "success", "info"]

LEVELS: dict[Layer, tuple[str, str]] = {"rule": ("SUSPICIOUS", "COOKED"), "evidence": ("SUSPECTED", "CONFIRMED")}
"""The severities of each layer, the lesser first."""
WELL: dict[Layer, frozenset[str]] = {"rule": frozenset({"OK"}), "evidence": frozenset({"QUIET", "RECOVERED"})}
SEVERITIES = tuple(level.lower() for levels in LEVELS.values() for level in levels)
"""The severities as the configuration names them."""
SHARED: frozenset[Cause] = frozenset({"JUDGE", "HARNESS", "GRADER"})
"""Causes that lie with the watch and not with a model: all models they strike on a day share one message."""


class AlertRule(msgspec.Struct, frozen=True):
    """What a channel wants to hear of."""

    severities: tuple[str, ...] = ("cooked", "confirmed")
    hold_days: int = 1  # a severity is sent on the day it has held for so many scored days
    cool_down_days: int = 0  # for so long after a message, no new episode is sent that is not worse than the one before
    models: tuple[str, ...] = ("*",)

    def levels(self, layer: Layer) -> tuple[str, ...]:
        """The severities of the layer from the least one asked for; none where the layer was not asked for."""
        known = LEVELS[layer]
        asked = [known.index(level) for level in known if level.lower() in self.severities]
        return known[min(asked) :] if asked else ()

    def covers(self, model: str) -> bool:
        return any(matches(pattern, model) for pattern in self.models)


class LayerState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a channel was sent about one layer of one model, after `day`. A part of `alerts.json`."""

    day: str = ""
    since: str | None = None  # first day of the episode that is open
    days: dict[str, int] = {}  # severity → scored days in a row at it or beyond, with `day`
    before: dict[str, int] = {}  # the same without `day`, so that a day that comes again is not counted twice
    told: str | None = None  # the worst severity sent in this episode
    last: str | None = None  # the worst severity sent in the last episode that had a message
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
    """What one layer has to report."""

    text: str
    tone: Tone
    cause: Cause | None = None


class ModelNotices(msgspec.Struct, frozen=True):
    """What both layers have to report of one model."""

    verdict: ModelVerdict
    notices: tuple[Notice, ...]
    page: str | None

    @property
    def text(self) -> str:
        return "; ".join(notice.text for notice in self.notices)

    @property
    def tone(self) -> Tone:
        tones: tuple[Tone, ...] = ("failure", "warning", "info", "success")
        return min((notice.tone for notice in self.notices), key=tones.index)

    @property
    def shared(self) -> Cause | None:
        """The one cause outside the model that all notices have, if they have one."""
        (cause, *others) = {notice.cause for notice in self.notices}
        return cause if not others and cause in SHARED else None


LayerStates = dict[str, dict[Layer, LayerState]]
"""Model → layer → what a channel was sent about it."""


def due(
    rule: AlertRule,
    before: LayerStates,
    verdicts: Iterable[ModelVerdict],
    pages: Mapping[str, str],
    head: str = "",
) -> tuple[LayerStates, list[Message]]:
    """The states after a day's verdicts, and the messages they call for; `pages` says where each model is shown. Every message
    carries the ledger's `head`: who got it can show later that the ledger was cut or rewritten.

    The same verdicts given again call for nothing, and neither do those of a day before the last.
    """
    after = dict(before)
    reports: list[ModelNotices] = []
    for verdict in verdicts:
        if not rule.covers(verdict.model):
            continue
        states = dict(before.get(verdict.model, {}))
        notices = []
        for layer in LEVELS:
            if levels := rule.levels(layer):
                states[layer], notice = step(rule, layer, levels, states.get(layer, LayerState()), verdict)
                notices += [notice] if notice else []
        after[verdict.model] = states
        if notices:
            reports.append(ModelNotices(verdict, tuple(notices), pages.get(verdict.model)))
    return after, _messages(reports, f"\nHead of the ledger: {head}" if head else "")


def step(
    rule: AlertRule, layer: Layer, levels: tuple[str, ...], before: LayerState, verdict: ModelVerdict
) -> tuple[LayerState, Notice | None]:
    """One layer of one model, one day further."""
    status = verdict.status if layer == "rule" else verdict.evidence
    if verdict.date < before.day or verdict.status == "GAP" or _held(verdict):
        return before, None
    known = LEVELS[layer]
    earlier = before.before if verdict.date == before.day else before.days
    rank = known.index(status) if status in known else -1
    days = {level: earlier.get(level, 0) + 1 for level in known[: rank + 1]}
    now = msgspec.structs.replace(before, day=verdict.date, days=days, before=earlier)
    if status in WELL[layer]:
        return _ended(now, layer, status, verdict)
    if rank < 0:
        return msgspec.structs.replace(now, anew=now.since is not None), None
    now = msgspec.structs.replace(now, since=now.since or verdict.date)
    reached = [level for level in levels if days.get(level, 0) >= rule.hold_days]
    if not reached or _rank(known, reached[-1]) <= _rank(known, now.told) or _cooling(rule, known, now, reached[-1]):
        return now, None
    after = msgspec.structs.replace(now, told=reached[-1], last=reached[-1], last_on=verdict.date, cause=verdict.cause)
    tone: Tone = "failure" if reached[-1] == known[-1] else "warning"
    return after, Notice(_alarm(layer, reached[-1], verdict), tone, verdict.cause)


def _ended(now: LayerState, layer: Layer, status: str, verdict: ModelVerdict) -> tuple[LayerState, Notice | None]:
    over = msgspec.structs.replace(now, since=None, told=None, anew=False, cause=None)
    if now.told is None:
        return over, None
    notice = _anew(layer, status, now) if now.anew else _back(layer, status, now, verdict)
    return msgspec.structs.replace(over, last_on=verdict.date), msgspec.structs.replace(notice, cause=now.cause)


def _cooling(rule: AlertRule, known: tuple[str, ...], now: LayerState, level: str) -> bool:
    """Whether an episode is not sent yet, because the last message is so recent. A worse one is always sent."""
    if now.last_on is None or _rank(known, level) > _rank(known, now.last):
        return False
    return 0 < (date.fromisoformat(now.day) - date.fromisoformat(now.last_on)).days <= rule.cool_down_days


def _held(verdict: ModelVerdict) -> bool:
    """Whether the whole day is held. Where only some use cases are, the status moved by the others, and that counts."""
    scored = [each for each in verdict.use_cases if each.score is not None]
    return bool(scored) and all(each.held for each in scored)


def _rank(known: tuple[str, ...], level: str | None) -> int:
    return -1 if level is None else known.index(level)


def _alarm(layer: Layer, level: str, verdict: ModelVerdict) -> str:
    elsewhere = "" if verdict.cause in (None, "MODEL") else f" (cause: {verdict.cause})"
    return f"{level}{elsewhere}" if layer == "rule" else f"a change is {level}{elsewhere}"


def _back(layer: Layer, status: str, now: LayerState, verdict: ModelVerdict) -> Notice:
    if layer == "evidence":
        return Notice(f"the evidence is {status} again", "success")
    if verdict.evidence in LEVELS["evidence"]:  # the baseline has followed the model down: no good news
        return Notice(f"{status} again by the rule, while the evidence says {verdict.evidence}", "info")
    return Notice(f"{status} again, {now.told} since {now.since}", "success")


def _anew(layer: Layer, status: str, now: LayerState) -> Notice:
    which = "rule" if layer == "rule" else "evidence"
    return Notice(f"{status} by the {which} against a new past; {now.told} against the former one", "info")


def _messages(reports: list[ModelNotices], anchor: str) -> list[Message]:
    """One for each model, and one for all that share a cause outside them and the tone."""
    groups: dict[tuple[str, ...], list[ModelNotices]] = {}
    for each in reports:
        groups.setdefault((each.shared, each.tone) if each.shared else (each.verdict.model,), []).append(each)
    return [_alone(group[0], anchor) if len(group) == 1 else _together(group, anchor) for group in groups.values()]


def _alone(report: ModelNotices, anchor: str) -> Message:
    verdict = report.verdict
    body = f"{verdict.date}: {verdict.reason}{anchor}" + (f"\n{report.page}" if report.page else "")
    return Message(verdict.date, verdict.model, f"{verdict.model}: {report.text}", body, report.tone)


def _together(group: list[ModelNotices], anchor: str) -> Message:
    first = group[0]
    names = ", ".join(each.verdict.model for each in group)
    summary = "alarms end" if first.tone in ("success", "info") else "alarms that are not the models' own"
    lines = (f"{each.verdict.model}: {each.text}. {each.verdict.reason} {each.page or ''}".rstrip() for each in group)
    return Message(
        first.verdict.date,
        names,
        f"{first.shared}, {len(group)} models, {summary}: {names}",
        "\n".join((f"{first.verdict.date}:", *lines)) + anchor,
        first.tone,
    )
