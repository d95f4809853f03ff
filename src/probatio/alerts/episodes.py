"""Alerts: from how a channel stood with each model, and a day's verdicts, to the messages due and how it stands then.

An episode of a layer lasts from the first day it says something worse than well to the first day it says well again. Within
it there is one message for each severity reached, and one at its end if any went out. The two layers have episodes of their
own, since neither overwrites the other; what both have to say of a model on a day is one message, and so is what is put down
to one cause that is no model's: a judge that drifts must not ring thirty times.

A gap, a day that is calibrating and a day on which every use case is held say nothing: they neither start nor end an episode.
No clock, disk or network in here.
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
"""What a channel may be told about, as the configuration names it."""
SHARED: frozenset[Cause] = frozenset({"JUDGE", "HARNESS", "GRADER"})
"""Causes that lie with the watch and not with a model: whoever they strike on a day, it is one piece of news."""


class AlertRule(msgspec.Struct, frozen=True):
    """What a channel wants to hear of."""

    severities: tuple[str, ...] = ("cooked", "confirmed")
    hold_days: int = 1  # a severity is told on the day it has held for so many scored days
    cool_down_days: int = 0  # for so long after a message, no new episode is told that is not worse than the one before
    models: tuple[str, ...] = ("*",)

    def levels(self, layer: Layer) -> tuple[str, ...]:
        """The severities of the layer from the least one asked for; none where the layer was not asked for."""
        known = LEVELS[layer]
        asked = [known.index(level) for level in known if level.lower() in self.severities]
        return known[min(asked) :] if asked else ()

    def covers(self, model: str) -> bool:
        return any(matches(pattern, model) for pattern in self.models)


class Standing(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a channel stands with one layer of one model, after `day`."""

    day: str = ""
    since: str | None = None  # first day of the episode that is open
    days: dict[str, int] = {}  # severity → scored days in a row at it or beyond, with `day`
    before: dict[str, int] = {}  # the same without `day`, so that a day told again is not counted twice
    told: str | None = None  # the worst severity told in this episode
    last: str | None = None  # the worst severity told in the last episode that was told of
    last_on: str | None = None  # day of the last message
    anew: bool = False  # calibrated within the episode: what follows is compared with another past
    cause: Cause | None = None  # what the episode was put down to when it was told


class Message(msgspec.Struct, frozen=True):
    """What is sent of one model on one day, or of several that one cause outside them struck."""

    date: str
    model: str  # several with commas
    title: str
    body: str
    tone: Tone


class Notice(msgspec.Struct, frozen=True):
    """What one layer has to tell."""

    text: str
    tone: Tone
    cause: Cause | None = None


class News(msgspec.Struct, frozen=True):
    """What both layers have to tell of one model."""

    verdict: ModelVerdict
    notices: tuple[Notice, ...]
    page: str | None

    @property
    def told(self) -> str:
        return "; ".join(notice.text for notice in self.notices)

    @property
    def tone(self) -> Tone:
        tones: tuple[Tone, ...] = ("failure", "warning", "info", "success")
        return min((notice.tone for notice in self.notices), key=tones.index)

    @property
    def shared(self) -> Cause | None:
        """The one cause outside the model that all of it is put down to."""
        (cause, *others) = {notice.cause for notice in self.notices}
        return cause if not others and cause in SHARED else None


Standings = dict[str, dict[Layer, Standing]]
"""Model → layer → how a channel stands with it."""


def due(
    rule: AlertRule, before: Standings, verdicts: Iterable[ModelVerdict], pages: Mapping[str, str]
) -> tuple[Standings, list[Message]]:
    """The standings after a day's verdicts, and the messages they call for; `pages` says where each model is shown.

    The same verdicts given again call for nothing, and neither do those of a day before the last.
    """
    after = dict(before)
    news: list[News] = []
    for verdict in verdicts:
        if not rule.covers(verdict.model):
            continue
        standings = dict(before.get(verdict.model, {}))
        notices = []
        for layer in LEVELS:
            if levels := rule.levels(layer):
                standings[layer], notice = step(rule, layer, levels, standings.get(layer, Standing()), verdict)
                notices += [notice] if notice else []
        after[verdict.model] = standings
        if notices:
            news.append(News(verdict, tuple(notices), pages.get(verdict.model)))
    return after, _messages(news)


def step(
    rule: AlertRule, layer: Layer, levels: tuple[str, ...], before: Standing, verdict: ModelVerdict
) -> tuple[Standing, Notice | None]:
    """One layer of one model, one day further."""
    said = verdict.status if layer == "rule" else verdict.evidence
    if verdict.date < before.day or verdict.status == "GAP" or _held(verdict):
        return before, None
    known = LEVELS[layer]
    earlier = before.before if verdict.date == before.day else before.days
    rank = known.index(said) if said in known else -1
    days = {level: earlier.get(level, 0) + 1 for level in known[: rank + 1]}
    now = msgspec.structs.replace(before, day=verdict.date, days=days, before=earlier)
    if said in WELL[layer]:
        return _ended(now, layer, said, verdict)
    if rank < 0:
        return msgspec.structs.replace(now, anew=now.since is not None), None
    now = msgspec.structs.replace(now, since=now.since or verdict.date)
    reached = [level for level in levels if days.get(level, 0) >= rule.hold_days]
    if not reached or _rank(known, reached[-1]) <= _rank(known, now.told) or _cooling(rule, known, now, reached[-1]):
        return now, None
    told = msgspec.structs.replace(now, told=reached[-1], last=reached[-1], last_on=verdict.date, cause=verdict.cause)
    tone: Tone = "failure" if reached[-1] == known[-1] else "warning"
    return told, Notice(_alarm(layer, reached[-1], verdict), tone, verdict.cause)


def _ended(now: Standing, layer: Layer, said: str, verdict: ModelVerdict) -> tuple[Standing, Notice | None]:
    over = msgspec.structs.replace(now, since=None, told=None, anew=False, cause=None)
    if now.told is None:
        return over, None
    notice = _anew(layer, said, now) if now.anew else _back(layer, said, now, verdict)
    return msgspec.structs.replace(over, last_on=verdict.date), msgspec.structs.replace(notice, cause=now.cause)


def _cooling(rule: AlertRule, known: tuple[str, ...], now: Standing, level: str) -> bool:
    """Whether an episode is kept quiet because the one before it was told of so lately. What is worse than that never is."""
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
    elsewhere = "" if verdict.cause in (None, "MODEL") else f", put down to {verdict.cause}"
    return f"{level}{elsewhere}" if layer == "rule" else f"a change is {level}{elsewhere}"


def _back(layer: Layer, said: str, now: Standing, verdict: ModelVerdict) -> Notice:
    if layer == "evidence":
        return Notice(f"the evidence is {said} again", "success")
    if verdict.evidence in LEVELS["evidence"]:  # the baseline has followed the model down: no good news
        return Notice(f"{said} again by the rule, while the evidence says {verdict.evidence}", "info")
    return Notice(f"{said} again, {now.told} since {now.since}", "success")


def _anew(layer: Layer, said: str, now: Standing) -> Notice:
    which = "rule" if layer == "rule" else "evidence"
    return Notice(f"{said} by the {which} against a new past; {now.told} against the former one", "info")


def _messages(news: list[News]) -> list[Message]:
    """One for each model, and one for all that share a cause outside them and the tone."""
    groups: dict[tuple[str, ...], list[News]] = {}
    for each in news:
        groups.setdefault((each.shared, each.tone) if each.shared else (each.verdict.model,), []).append(each)
    return [_alone(*group) if len(group) == 1 else _together(group) for group in groups.values()]


def _alone(news: News) -> Message:
    verdict = news.verdict
    body = f"{verdict.date}: {verdict.reason}" + (f"\n{news.page}" if news.page else "")
    return Message(verdict.date, verdict.model, f"{verdict.model}: {news.told}", body, news.tone)


def _together(group: list[News]) -> Message:
    first = group[0]
    names = ", ".join(each.verdict.model for each in group)
    news = "alarms end" if first.tone in ("success", "info") else "alarms that are not the models' own"
    lines = (f"{each.verdict.model}: {each.told}. {each.verdict.reason} {each.page or ''}".rstrip() for each in group)
    return Message(
        first.verdict.date,
        names,
        f"{first.shared}, {len(group)} models, {news}: {names}",
        "\n".join((f"{first.verdict.date}:", *lines)),
        first.tone,
    )
