"""Scenes: use a page with mouse and keyboard, then compare what happened with what should have happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import msgspec

from probatio.browser.page import OpenPage, PageFailed
from probatio.builtin.daily.web_design.snapshot import (
    SURVEY,
    Finder,
    Snapshot,
    description,
    matches,
    plain,
    readable_share,
)

WIDE, NARROW = (1280, 900), (375, 812)
PAUSES = (0.04, 0.08, 0.16, 0.32, 0.64)  # seconds between looks while something is awaited; 1.24 in all
MOST_TABS = 30
_TOUCHING = 2  # pixels by which boxes beside each other may overlap


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing the user does; exactly one of the fields, `value` goes with `fill` and `choose`."""

    click: Finder | None = None
    fill: Finder | None = None
    choose: Finder | None = None
    tab_to: Finder | None = None
    press: str | None = None
    reload: bool = False
    value: str = ""


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    of: Finder
    texts: tuple[str, ...]


class Expectation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
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
    """Ids of boxes of which each stands below the one before."""


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    expect: tuple[Expectation, ...]
    do: tuple[Action, ...] = ()
    narrow: bool = False
    weight: float = 1.0
    rung: int = 0  # on the ladder of the case; 0 where it is none


class Played(msgspec.Struct, frozen=True):
    """The result of a scene."""

    score: float
    detail: str


class _NotFound(Exception):
    """What the user should touch is not there."""


async def look(page: OpenPage, wake: bool = False) -> Snapshot:
    """The page as it is now."""
    told = await page.evaluate(SURVEY, {"wake": wake})
    try:
        return msgspec.json.decode(told, type=Snapshot)
    except (msgspec.DecodeError, UnicodeError, TypeError) as error:
        raise PageFailed(f"The page could not be examined: {error}"[:200]) from error


async def play(page: OpenPage, scene: Scene) -> Played:
    """Load the page anew with nothing stored, do the scene, and wait up to a second until all is as it should be."""
    await page.evaluate("() => { try { localStorage.clear(); sessionStorage.clear(); } catch {} }")
    await page.load(*(NARROW if scene.narrow else WIDE))
    before = await look(page, wake=not scene.do)
    try:
        for action in scene.do:
            await _act(page, action)
    except _NotFound as error:
        return Played(0.0, str(error))
    for pause in (*PAUSES, None):
        now = await look(page)
        met = [credit(expectation, now) for expectation in scene.expect]
        if min(met) >= 1 or pause is None:
            break
        await asyncio.sleep(pause)
    if not scene.do:
        return at_rest(scene, now)
    score = change_credit([credit(expectation, before) for expectation in scene.expect], met)
    missed = _missed(scene, met)
    return Played(score, missed or ("" if score else "so it was before anything was done"))


def at_rest(scene: Scene, now: Snapshot) -> Played:
    """The result of a scene without actions: the page as it is."""
    met = [credit(expectation, now) for expectation in scene.expect]
    return Played(sum(met) / len(met), _missed(scene, met))


def _missed(scene: Scene, met: list[float]) -> str:
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


def credit(expectation: Expectation, now: Snapshot) -> float:
    """How far one expectation is met, 0–1."""
    match expectation:
        case Expectation(seen=Finder() as finder):
            return float(bool(matches(finder, now)))
        case Expectation(gone=Finder() as finder):
            return float(not matches(finder, now))
        case Expectation(focused=Finder() as finder):
            return float(any(one.focus for one in matches(finder, now)))
        case Expectation(count=(finder, wanted)):
            there = len(matches(finder, now))
            return min(there, wanted) / max(there, wanted, 1) if wanted else float(there == 0)
        case Expectation(order=Order() as order):
            return _in_order(order, now)
        case Expectation(ground=str() as ground):
            lights = [run.light for run in now.runs if run.counts]
            mean = sum(lights) / len(lights) if lights else 0.5
            return float(mean < 0.2 if ground == "dark" else mean > 0.6)
        case Expectation(readable=True):
            return readable_share([now])[0]
        case _ if expectation.stored:
            return float(all(now.stored.get(key) == value for key, value in expectation.stored.items()))
        case _ if expectation.beside:
            return _pairs(
                expectation.beside, now, lambda one, two: one[0] + one[2] <= two[0] + _TOUCHING and _level(one, two)
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


def _description(expectation: Expectation) -> str:
    fields = {key: getattr(expectation, key) for key in msgspec.to_builtins(expectation)}
    return ", ".join(
        f"{key} {description(value) if isinstance(value, Finder) else _short(value)}" for key, value in fields.items()
    )


def _short(value: object) -> str:
    return str(msgspec.to_builtins(value))[:120]


# The point of an element where a click lands on it, or on its label; null where something else lies there. Without an index it is
# the element that was found by this key before, null if it has left the page.
_AIM = """({ index, key }) => {
  const known = (globalThis.probatioKnown ??= Object.create(null));
  const element = index === null ? known[key] : (known[key] = globalThis.probatioElements[index]);
  if (!element) return null;
  const call = (type, name) => Function.prototype.call.bind(type.prototype[name]);
  const read = (name) => {
    for (let type = Object.getPrototypeOf(element); type; type = Object.getPrototypeOf(type)) {
      const property = Object.getOwnPropertyDescriptor(type, name);
      if (property?.get) return property.get.call(element);
    }
  };
  const labels = [...(read("labels") || [])], contains = call(Node, "contains");
  for (const target of [element, ...labels]) {
    call(Element, "scrollIntoView")(target, { block: "center", inline: "center", behavior: "instant" });
    for (const box of call(Element, "getClientRects")(target)) {
      const x = box.left + box.width / 2, y = box.top + box.height / 2;
      const hit = call(Document, "elementFromPoint")(document, x, y);
      if (hit && [target, ...labels].some((one) => contains(one, hit))) return [x, y];
    }
  }
  return null;
}"""
_CHOOSE = """({ index, value }) => {
  const list = globalThis.probatioElements[index];
  if (!(list instanceof HTMLSelectElement)) return false;
  const option = [...list.options].find((one) => one.textContent.trim() === value);
  if (!option) return false;
  list.focus();
  list.value = option.value;
  for (const kind of ["input", "change"]) list.dispatchEvent(new Event(kind, { bubbles: true }));
  return true;
}"""


async def _act(page: OpenPage, action: Action) -> None:
    if action.press:
        await page.press(action.press)
    elif action.reload:
        await page.load(*WIDE)
    elif action.tab_to:
        await _tab_to(page, action.tab_to)
    elif action.choose:
        index = await _index(page, action.choose)
        if not await page.evaluate(_CHOOSE, {"index": index, "value": action.value}):
            raise _NotFound(f"there is no option {action.value}")
    elif finder := action.click or action.fill:
        key = msgspec.json.encode(finder).decode()
        # A field and an id stay what they are, so the page need not be surveyed for every value that is typed.
        lasting = action.fill is not None or finder == Finder(id=finder.id)
        point = await page.evaluate(_AIM, {"index": None, "key": key}) if lasting else None
        if point is None:
            point = await page.evaluate(_AIM, {"index": await _index(page, finder), "key": key})
        if point is None:
            raise _NotFound(f"something covers {description(finder)}")
        await page.click(*point)
        if action.fill:
            await page.press("Control+A")
            await (page.insert(action.value) if action.value else page.press("Delete"))


async def _index(page: OpenPage, finder: Finder) -> int:
    for pause in (*PAUSES, 0.0):
        if there := matches(finder, await look(page)):
            return there[0].index
        await asyncio.sleep(pause)
    raise _NotFound(f"not found: {description(finder)}")


async def _tab_to(page: OpenPage, finder: Finder) -> None:
    for _ in range(MOST_TABS):
        await page.press("Tab")
        if any(one.focus for one in matches(finder, await look(page))):
            return
    raise _NotFound(f"the Tab key does not reach {description(finder)}")
