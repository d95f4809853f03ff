"""What a user does on a page with mouse and keyboard, and a look at it."""

from __future__ import annotations

import asyncio

import msgspec

from probatio.builtin.daily.web_design.painted import find_unpainted, moments
from probatio.builtin.daily.web_design.snapshot import SURVEY, Finder, Snapshot, description, matches, plain
from probatio.core import jsonfile
from probatio.jail.browser.page import OpenPage, PageFailed

WIDE, NARROW = (1280, 900), (375, 812)
PAUSES = (0.04, 0.08, 0.16, 0.32, 0.64)  # seconds between looks while something is awaited; 1.24 in all
MOST_TABS = 30


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing the user does; exactly one of the fields, `value` goes with `fill` and `choose`."""

    click: Finder | None = None
    fill: Finder | None = None
    choose: Finder | None = None
    tab_to: Finder | None = None
    press: str | None = None
    reload: bool = False
    value: str = ""


class NotFound(Exception):
    """What the user should touch is not there."""


async def look(page: OpenPage, wake: bool = False) -> Snapshot:
    """The page as it is now."""
    return await _survey(page, {"wake": wake})


async def examine(page: OpenPage) -> Snapshot:
    """The page as a reader finds it who scrolls from its top to its end: only what is painted is there.
    It has to be loaded again afterwards."""
    seen = await _survey(page, {"wake": True})
    unpainted = await find_unpainted(page, seen.items)
    if unpainted.items:
        seen = await _survey(page, {"wake": True, "veiled": unpainted.items, "blank": unpainted.blank})
    return seen


async def _survey(page: OpenPage, wanted: dict[str, object]) -> Snapshot:
    survey = await page.evaluate(SURVEY, wanted | {"moments": moments(page.html)})
    try:
        return jsonfile.decode(survey, Snapshot)
    except (msgspec.DecodeError, UnicodeError, TypeError) as error:
        raise PageFailed(f"The page could not be examined: {error}"[:200]) from error


# The point of an element where a click lands on it, or on its label; null where something else lies there.
# Without an index it is
# the element that was found by this key before, null if it has left the page. A page that was loaded again
# has no elements.
_AIM = """({ index, key, fill }) => {
  const known = (globalThis.probatioKnown ??= Object.create(null));
  const element = index === null ? known[key] : (known[key] = globalThis.probatioElements?.[index]);
  if (!element) return null;
  // A field that has the focus still need not be clicked again: what is in it is selected.
  const kind = [HTMLInputElement, HTMLTextAreaElement].find((one) => element instanceof one);
  if (fill && index === null && kind && document.hasFocus() && element.matches(":focus")) {
    kind.prototype.select.call(element);
    return [];
  }
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
  const list = globalThis.probatioElements?.[index];
  if (!(list instanceof HTMLSelectElement)) return false;
  const option = [...list.options].find((one) => one.textContent.trim() === value);
  if (!option) return false;
  list.focus();
  list.value = option.value;
  for (const kind of ["input", "change"]) list.dispatchEvent(new Event(kind, { bubbles: true }));
  return true;
}"""


# The elements that a user can see, by what needs no survey of the whole page: role, id, tag and type. Returns
# places and names.
_GLANCE = """({ roles, id, tag, type, focused }) => {
  const get = (element, name) => {
    for (let kind = Object.getPrototypeOf(element); kind; kind = Object.getPrototypeOf(kind)) {
      const property = Object.getOwnPropertyDescriptor(kind, name);
      if (property) return property.get ? property.get.call(element) : property.value;
    }
  };
  const call = (type, name) => Function.prototype.call.bind(type.prototype[name]);
  const faint = (element) => {
    let left = 1;
    for (let up = element; up; up = get(up, "parentElement")) {
      const style = getComputedStyle(up);
      const { filter, maskImage, clipPath, clip } = style;
      if (filter !== "none" || maskImage !== "none" || clipPath !== "none" || clip !== "auto") return true;
      left *= Number(style.opacity);
    }
    return left < 0.2;
  };
  const active = get(document, "activeElement"), found = [], kept = (globalThis.probatioElements = []);
  for (const element of call(Document, "querySelectorAll")(document, "*")) {
    // The role comes last: the browser brings its whole tree of roles up to date for every single one.
    if (focused && element !== active) continue;
    if (id !== null && get(element, "id") !== id) continue;
    if (tag !== null && get(element, "localName") !== tag) continue;
    if (type !== null && String(get(element, "type")) !== type) continue;
    if (roles.length ? !roles.includes(get(element, "computedRole") || "") : !get(element, "id")) continue;
    const box = call(Element, "getBoundingClientRect")(element);
    const shown = call(Element, "checkVisibility")(element, { visibilityProperty: true });
    if (!shown || box.width < 2 || box.height < 2 || box.right < 2 || faint(element)) continue;
    found.push([kept.length, String(get(element, "computedName") || "").slice(0, 600).toWellFormed()]);
    kept.push(element);
  }
  return found;
}"""


async def _glance(page: OpenPage, finder: Finder, focused: bool = False) -> int | None:
    """The place of a plainly visible element, found without a survey; None where a survey has to tell."""
    plain_ones = Finder(
        role=finder.role,
        name=finder.name,
        name_has=finder.name_has,
        id=finder.id,
        tag=finder.tag,
        type=finder.type,
    )
    if finder != plain_ones or not (finder.role or finder.id):
        return None
    roles = [finder.role] if isinstance(finder.role, str) else list(finder.role)
    wanted = {"roles": roles, "id": finder.id, "tag": finder.tag, "type": finder.type, "focused": focused}
    for index, name in await page.evaluate(_GLANCE, wanted):
        if (finder.name is None or plain(name) == plain(finder.name)) and (
            finder.name_has is None or plain(finder.name_has) in plain(name)
        ):
            return int(index)
    return None


async def act(page: OpenPage, action: Action) -> None:
    if action.press:
        await page.press(action.press)
    elif action.reload:
        await page.load(*WIDE)
    elif action.tab_to:
        await _tab_to(page, action.tab_to)
    elif action.choose:
        index = await _index(page, action.choose)
        if not await page.evaluate(_CHOOSE, {"index": index, "value": action.value}):
            raise NotFound(f"there is no option {action.value}")
    elif finder := action.click or action.fill:
        key = msgspec.json.encode(finder).decode()
        # A field and an id stay what they are, so the page need not be surveyed for every value that is
        # typed.
        lasting = action.fill is not None or finder == Finder(id=finder.id)
        aim = {"index": None, "key": key, "fill": action.fill is not None}
        point = await page.evaluate(_AIM, aim) if lasting else None
        if point is None:
            point = await page.evaluate(_AIM, aim | {"index": await _index(page, finder)})
        if point is None:
            raise NotFound(f"something covers {description(finder)}")
        if point:
            await page.click(*point)
        if action.fill:
            if point:
                await page.press("Control+A")
            await (page.insert(action.value) if action.value else page.press("Delete"))


async def _index(page: OpenPage, finder: Finder) -> int:
    if (glanced := await _glance(page, finder)) is not None:
        return glanced
    for pause in (*PAUSES, 0.0):
        if there := matches(finder, await look(page)):
            return there[0].index
        await asyncio.sleep(pause)
    raise NotFound(f"not found: {description(finder)}")


async def _tab_to(page: OpenPage, finder: Finder) -> None:
    for _ in range(MOST_TABS):
        await page.press("Tab")
        if await _glance(page, finder, focused=True) is not None:
            return
        if any(one.focus for one in matches(finder, await look(page))):
            return
    raise NotFound(f"the Tab key does not reach {description(finder)}")
