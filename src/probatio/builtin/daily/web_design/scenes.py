"""Scenes: use a page with mouse and keyboard, then compare what happened with what should have happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import msgspec

from probatio.builtin.daily.web_design.hands import NARROW, PAUSES, WIDE, Action, NotFound, act, look
from probatio.builtin.daily.web_design.snapshot import (
    Finder,
    Snapshot,
    description,
    matches,
    plain,
    readable_share,
)
from probatio.jail.browser.page import OpenPage

_TOUCHING = 2  # pixels by which neighbouring boxes may overlap


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    of: Finder
    texts: tuple[str, ...]


class SceneExpectation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that should then be so; exactly one of the fields."""

    seen: Finder | None = None
    gone: Finder | None = None
    focused: Finder | None = None
    count: tuple[Finder, int] | None = None
    order: Order | None = None
    ground: Literal["dark", "light"] | None = None
    readable: bool = False
    stored: dict[str, str] = {}
    beside: tuple[str, ...] = ()
    """Ids of boxes that stand side by side."""
    stacked: tuple[str, ...] = ()
    """Ids of boxes, each below the one before."""


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    expect: tuple[SceneExpectation, ...]
    do: tuple[Action, ...] = ()
    narrow: bool = False
    weight: float = 1.0
    rung: int = 0  # on the ladder of the case; 0 if it has none
    goes_on: bool = False  # where the scene before it ended: a page need not be loaded for every step


class Played(msgspec.Struct, frozen=True):
    """The result of a scene."""

    score: float
    detail: str
    after: Snapshot | None = None


async def play(page: OpenPage, scene: Scene, before: Snapshot) -> Played:
    """Load the page again with nothing stored, do the scene, and wait up to a second for what is expected.

    `before` is the page as it is when it was just loaded in this width, or as the scene before left it.
    """
    if not scene.goes_on:
        await page.evaluate("() => { try { localStorage.clear(); sessionStorage.clear(); } catch {} }")
        await page.load(*(NARROW if scene.narrow else WIDE))
    try:
        for action in scene.do:
            await act(page, action)
    except NotFound as error:
        return Played(0.0, str(error), await look(page))
    for pause in (*PAUSES, None):
        now = await look(page)
        met = [credit(expectation, now) for expectation in scene.expect]
        if min(met) >= 1 or pause is None:
            break
        await asyncio.sleep(pause)
    score = change_credit([credit(expectation, before) for expectation in scene.expect], met)
    missed = _describe_missed(scene, met)
    return Played(score, missed or ("" if score else "so it was before anything was done"), now)


def at_rest(scene: Scene, now: Snapshot) -> Played:
    """The result of a scene without actions: the page as it is."""
    met = [credit(expectation, now) for expectation in scene.expect]
    return Played(sum(met) / len(met), _describe_missed(scene, met))


def _describe_missed(scene: Scene, met: list[float]) -> str:
    missed = [_description(one) for one, how_far in zip(scene.expect, met, strict=True) if how_far < 1]
    return f"not so: {'; '.join(missed)}" if missed else ""


def change_credit(before: list[float], after: list[float]) -> float:
    """The share of changes that came about, times the share of what should have stayed so and did.

    What was so already is no credit to the page: a dead page also keeps things hidden.
    """
    changes = [now for was, now in zip(before, after, strict=True) if was < 1]
    stayed = [now for was, now in zip(before, after, strict=True) if was >= 1]
    if not changes:
        return 0.0
    return sum(changes) / len(changes) * (sum(stayed) / len(stayed) if stayed else 1.0)


def credit(expectation: SceneExpectation, now: Snapshot) -> float:
    """How far one expectation is met, 0–1."""
    match expectation:
        case SceneExpectation(seen=Finder() as finder):
            return float(bool(matches(finder, now)))
        case SceneExpectation(gone=Finder() as finder):
            return float(not matches(finder, now))
        case SceneExpectation(focused=Finder() as finder):
            return float(any(one.focus for one in matches(finder, now)))
        case SceneExpectation(count=(finder, wanted)):
            there = len(matches(finder, now))
            return min(there, wanted) / max(there, wanted, 1) if wanted else float(there == 0)
        case SceneExpectation(order=Order() as order):
            return _in_order(order, now)
        case SceneExpectation(ground=str() as ground):
            lights = [run.light for run in now.runs if run.counts]
            mean = sum(lights) / len(lights) if lights else 0.5
            return float(mean < 0.2 if ground == "dark" else mean > 0.6)
        case SceneExpectation(readable=True):
            return readable_share([now])[0]
        case _ if expectation.stored:
            return float(all(now.stored.get(key) == value for key, value in expectation.stored.items()))
        case _ if expectation.beside:
            return _pairs(
                expectation.beside,
                now,
                lambda one, two: one[0] + one[2] <= two[0] + _TOUCHING and _level(one, two),
            )
        case _ if expectation.stacked:
            return _pairs(expectation.stacked, now, lambda one, two: one[1] + one[3] <= two[1] + _TOUCHING)
    raise AssertionError(f"an expectation that expects nothing: {expectation}")


_Box = tuple[float, float, float, float]


def _level(one: _Box, two: _Box) -> bool:
    """Whether two boxes share most of their height."""
    shared = min(one[1] + one[3], two[1] + two[3]) - max(one[1], two[1])
    return shared > 0.5 * min(one[3], two[3])


def _pairs(ids: tuple[str, ...], now: Snapshot, holds: Callable[[_Box, _Box], bool]) -> float:
    boxes = [next((one.box for one in matches(Finder(id=name), now)), None) for name in ids]
    pairs = list(pairwise(boxes))
    return sum(1 for one, two in pairs if one and two and holds(one, two)) / len(pairs)


def _in_order(order: Order, now: Snapshot) -> float:
    """The share of texts that stand in their right place among them; 0 where one is missing."""
    shown = " ".join(plain(one.text) for one in matches(order.of, now)[:1])
    places = {text: shown.find(plain(text)) for text in order.texts}
    if min(places.values()) < 0:
        return 0.0
    there = sorted(order.texts, key=places.__getitem__)
    return sum(one == two for one, two in zip(there, order.texts, strict=True)) / len(there)


def _description(expectation: SceneExpectation) -> str:
    fields = {key: getattr(expectation, key) for key in msgspec.to_builtins(expectation)}
    return ", ".join(
        f"{key} {description(value) if isinstance(value, Finder) else _short(value)}"
        for key, value in fields.items()
    )


def _short(value: object) -> str:
    return str(msgspec.to_builtins(value))[:120]
