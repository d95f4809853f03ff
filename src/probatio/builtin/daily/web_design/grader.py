"""Web Design, the checked part: the page is opened in a real Chromium, looked at in two widths, and used."""

from __future__ import annotations

import re

import msgspec

from probatio.builtin.daily.web_design.hands import NARROW, WIDE, examine
from probatio.builtin.daily.web_design.scenes import Scene, at_rest, play
from probatio.builtin.daily.web_design.snapshot import Finder, Snapshot, matches, readable_share
from probatio.builtin.daily.web_design.source import Figures, PageSource
from probatio.builtin.daily.web_design.source import credit as figures_credit
from probatio.core.records.check_result import CheckResult, Part
from probatio.core.text.fences import find_fences
from probatio.jail import Choice, warm_jail
from probatio.jail.browser.driver import visit
from probatio.jail.browser.page import OpenPage, PageFailed
from probatio.suites.daily_suite import Case

# What a part weighs; the weight of `scenes` is divided among the scenes of a case, which may set another one.
WEIGHTS = {
    "elements": 4.0,
    "scenes": 6.0,
    "contrast": 2.0,
    "narrow": 2.0,
    "labels": 1.0,
    "errors": 1.0,
    "document": 1.0,
    "self-contained": 0.5,
}
OVERFLOW_ZERO = 150  # pixels beyond a narrow screen's edge at which nothing is left of that credit
_NOTICED = 1  # a pixel is rounding


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An element the brief asks for."""

    what: str
    find: Finder
    count: int | None = None


class PageGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    elements: tuple[Wanted, ...]
    scenes: tuple[Scene, ...] = ()
    rungs: dict[str, int] = {}  # parts that are no scenes → their rung
    scenes_weigh: float = WEIGHTS["scenes"]  # more where the scenes are a long ladder
    static: tuple[Figures, ...] = ()  # figures that were worked out while the page was written
    static_weigh: float = 0.0


class _Visit(msgspec.Struct):
    """What the visit has shown so far; a page that hangs later keeps the credit for what it showed before."""

    wide: Snapshot | None = None
    narrow: Snapshot | None = None
    played: dict[str, Part] = {}
    errors: list[str] = []
    requests: list[str] = []


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """All parts of one page; being without faults counts only as far as the page shows what was asked for."""
    gold = msgspec.convert(case.gold, PageGold)
    html = page_in(answer)
    seen = _Visit()
    note = "The answer holds no web page." if html is None else None
    if html is not None:
        try:
            visit(html, lambda page: _examine(page, gold, seen), isolation)
        except PageFailed as error:
            note = str(error)
            seen.errors.append(note)
    parts = [
        msgspec.structs.replace(part, rung=gold.rungs.get(part.name, part.rung))
        for part in _parts(gold, seen)
    ]
    return CheckResult((*parts, *_figures(gold, html, seen.wide)), note=note)


def _figures(gold: PageGold, html: str | None, wide: Snapshot | None) -> list[Part]:
    """The figures in the source, as far as they can be seen on the page."""
    source = PageSource(html) if html is not None and wide is not None else None
    weight = gold.static_weigh / max(1, len(gold.static))
    parts = []
    for number, wanted in enumerate(gold.static, start=1):
        score, detail = figures_credit(wanted, source)
        if wide is not None and score and not _is_visible(wanted, wide):
            score, detail = 0.0, "can't be seen"
        parts.append(Part(f"figures {number}: {wanted.id}", score, detail, weight, wanted.rung))
    return parts


def _is_visible(wanted: Figures, wide: Snapshot) -> bool:
    """Whether the element can be seen, or the drawing that a line belongs to."""
    for element in wide.elements:
        if element.id == wanted.id:
            around = [wide.elements[index] for index in element.within]
            return element.seen or any(one.seen for one in around if one.tag == "svg")
    return False


async def _examine(page: OpenPage, gold: PageGold, seen: _Visit) -> None:
    seen.errors, seen.requests = page.errors, page.requests
    await page.load(*WIDE)
    seen.wide = await examine(page)
    await page.load(*NARROW)
    seen.narrow = await examine(page)
    if _elements(gold, seen.wide)[0] == 0:
        return  # there is nothing to use
    share = gold.scenes_weigh / sum(scene.weight for scene in gold.scenes)
    after = seen.wide
    for scene in gold.scenes:
        before = after if scene.goes_on else seen.narrow if scene.narrow else seen.wide
        done = await play(page, scene, before) if scene.do else at_rest(scene, before)
        after = done.after or seen.wide
        seen.played[scene.name] = Part(scene.name, done.score, done.detail, share * scene.weight, scene.rung)


def _parts(gold: PageGold, seen: _Visit) -> tuple[Part, ...]:
    there, missing = _elements(gold, seen.wide)
    there_narrow, missing_narrow = _elements(gold, seen.narrow)
    looked = [one for one in (seen.wide, seen.narrow) if one is not None]
    share, faint = readable_share(looked)
    over = seen.narrow.overflow if seen.narrow else 0
    fits = 1.0 if over <= _NOTICED else max(0.0, 1 - over / OVERFLOW_ZERO)
    cut = [f"{over} px beyond the edge at 375 px"] if over > _NOTICED else []
    parts = [
        Part("elements", there, _list("missing", missing), WEIGHTS["elements"]),
        Part(
            "contrast",
            share * there,
            _list("below AA", [f"{run.ratio:.2f} of {run.need:g}: {run.text}" for run in faint]),
            WEIGHTS["contrast"],
        ),
        Part(
            "narrow",
            fits * there_narrow,
            "; ".join(cut) or _list("missing", missing_narrow),
            WEIGHTS["narrow"],
        ),
        Part("errors", there / (1 + len(seen.errors)), _list("errors", seen.errors), WEIGHTS["errors"]),
        Part(
            "self-contained",
            there / (1 + len(seen.requests)),
            _list("asked for", seen.requests),
            WEIGHTS["self-contained"],
        ),
        _document(gold, seen.wide, there),
    ]
    fields = [one for one in seen.wide.elements if one.labelled is not None] if seen.wide else []
    if fields or any(scene_fills(scene) for scene in gold.scenes):
        bare = [one.id or one.tag for one in fields if not one.labelled]
        labelled = (len(fields) - len(bare)) / len(fields) if fields else 0.0
        parts.append(Part("labels", labelled * there, _list("without a label", bare), WEIGHTS["labels"]))
    total = sum(scene.weight for scene in gold.scenes)
    for scene in gold.scenes:
        missed = Part(scene.name, 0.0, "not reached", gold.scenes_weigh * scene.weight / total, scene.rung)
        parts.append(seen.played.get(scene.name, missed))
    return tuple(parts)


def scene_fills(scene: Scene) -> bool:
    return any(action.fill or action.choose for action in scene.do)


def _elements(gold: PageGold, snapshot: Snapshot | None) -> tuple[float, list[str]]:
    """The share of the wanted elements that can be seen, and what is missing of them."""
    if snapshot is None:
        return 0.0, [wanted.what for wanted in gold.elements]
    scores: list[float] = []
    missing = []
    for wanted in gold.elements:
        there = len(matches(wanted.find, snapshot))
        if wanted.count == 0:
            if there:
                missing.append(f"{wanted.what} ({there} there)")
            continue
        score = (
            float(there > 0) if wanted.count is None else min(there, wanted.count) / max(there, wanted.count)
        )
        scores.append(score)
        if score < 1:
            missing.append(
                wanted.what if wanted.count is None else f"{wanted.what} ({there} of {wanted.count})"
            )
    share = sum(scores) / len(scores)
    # An empty page also lacks what must not be there: that earns no more than the rest does.
    scores += [
        0.0 if matches(wanted.find, snapshot) else share for wanted in gold.elements if wanted.count == 0
    ]
    return sum(scores) / len(scores), missing


def _document(gold: PageGold, snapshot: Snapshot | None, there: float) -> Part:
    if snapshot is None:
        return Part("document", 0.0, "", WEIGHTS["document"])
    document = snapshot.document
    checks = {
        "<!doctype html>": document.doctype,
        "lang": bool(document.lang),
        "viewport meta": document.viewport,
        f"title {gold.title}": document.title.casefold() == gold.title.casefold(),
    }
    missing = [name for name, holds in checks.items() if not holds]
    return Part(
        "document", there * (1 - len(missing) / len(checks)), _list("missing", missing), WEIGHTS["document"]
    )


def _list(lead: str, items: list[str], most: int = 6) -> str:
    if not items:
        return ""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return f"{lead}: {', '.join(items[:most])}{more}"


_STARTS = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_ENDS = re.compile(r"</html\s*>", re.IGNORECASE)
_TAG = re.compile(
    r"<(?:head|body|style|main|header|section|article|div|form|table|h1|nav|p|button)\b[^>]*>", re.IGNORECASE
)


def page_in(answer: str) -> str | None:
    """The page in an answer: the fenced one, else from its doctype to its end, else from the first tag on.

    Of several fences that hold a whole page the longest, as the others are excerpts and first tries.
    """
    blocks = [block for block in find_fences(answer) if _TAG.search(block.body) or _STARTS.search(block.body)]
    whole = [block.body for block in blocks if _STARTS.search(block.body)]
    marked = [block.body for block in blocks if block.language in ("html", "htm", "xhtml")]
    for bodies in (whole, marked, [block.body for block in blocks]):
        if bodies:
            return _trim(max(bodies, key=len))
    return _trim(answer) if _STARTS.search(answer) or _TAG.search(answer) else None


def _trim(text: str) -> str:
    """From the page's first mark to its last; a page that was cut off reaches to the end."""
    start = _STARTS.search(text) or _TAG.search(text)
    text = text[start.start() :] if start else text
    ends = list(_ENDS.finditer(text))
    return text[: ends[-1].end()] if ends else text


def warm() -> None:
    """Find the jail; importing this module has loaded the driver of the browser."""
    warm_jail()
