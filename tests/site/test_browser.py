"""The site in a real browser: live and static, light and dark, on a desk and on a phone.

With PROBATIO_SCREENSHOTS=1 the same tests write the pictures of the README to docs/images; with
PROBATIO_PAGES=FOLDER they write every kind of page there, at both widths and in both schemes.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import probatio.site
from probatio.charts.curves import LearningCurve, Point, plot_curves
from probatio.core.errors import CannotCheck
from probatio.core.statistics.intervals import Rate
from probatio.jail.browser.chromium import executable
from probatio.site.addresses import KINDS, addresses, find_kind, render
from probatio.site.demo import CAST
from probatio.site.snapshot import Site, load_site
from probatio.site.static import build
from scripts import script

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def found_chromium() -> str | None:
    try:
        return executable()
    except CannotCheck:
        return None


CHROMIUM = found_chromium()
PROBATIO_SITE = [sys.executable, "-c", "from probatio.cli import main; main()", "site"]
PHONE = {"width": 375, "height": 740}
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
DESK = {"width": 1280, "height": 860}
SHOWN = (
    "",
    "use-cases/",
    *(f"models/{name}/" for name in CAST),
    "models/demo-cooked/days/",
    "models/demo-cooked/2026-03-31/",
    "models/demo-cooked/2026-03-31/web_design/",
    "models/demo-cooked/2026-03-31/summarization/",
    "models/demo-cooked/diff/2026-03-30..2026-03-31/",
    "falls/",
    "falls/demo-cooked-2026-03-30/",
    "cases/",
    "cases/math_reasoning/math-trace/",
    "search/",
    "learnability/",
    "learnability/sample-0.5b/",
    "learnability/sample-0.5b/conditions/qwen2-5-coder-0-5b-latin-basic-0/",
    "learnability/sample-0.5b/models/qwen2-5-coder-0-5b/",
    "learnability/sample-0.5b/models/qwen2-5-coder-0-5b/2/",
    "learnability/sample-0.5b/trials/0/",
    "learnability/sample-dialects/",
    "learnability/sample-dialects/compare/qwen2-5-coder-1-5b-vs-sample-0.5b.qwen2-5-coder-0-5b/",
    "methodology/",
    "bench/",
    "docs/",
    "docs/site/",
    "downloads/",
    "embed/",
    "embed/demo-cooked/",
    "404.html",
)
"""Every kind of page; of models every kind of story."""

MOVED = """moved = 0; new PerformanceObserver(list => list.getEntries().forEach(each => moved += each.value))
    .observe({type: 'layout-shift', buffered: true})"""
"""How much of the page moves under the reader while it loads, by the browser's own account; runs before
anything of the page."""

FOCUSED = """(() => { const here = document.activeElement, box = here.getBoundingClientRect();
    const style = getComputedStyle(here);
    const seen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
        && box.width && box.height;
    return seen ? [] : [here.outerHTML.slice(0, 80)] })()"""
"""What has the focus, unless it has a size and a line around it."""

ONE_OF_EACH = """(() => {
    const told = ['class', 'role', 'type', 'data-kind', 'data-before',
        'aria-sort', 'aria-current', 'aria-hidden'];
    const shape = each => each.tagName + (each.textContent.trim() && '.')
        + [...each.attributes].map(has => told.includes(has.name) ? has.name + has.value : has.name).sort()
        + '(' + [...new Set([...each.children].map(shape))] + ')';
    const named = [...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].flatMap(each =>
        `${each.getAttribute('aria-labelledby')} ${each.getAttribute('aria-describedby')}`.split(' '));
    const lists = 'tbody, ul, ol, dl, select, main, section, article, details, svg, svg g, svg a';
    for (const parent of document.querySelectorAll(lists)) {
        const seen = new Set();
        for (const child of [...parent.children]) {
            const kind = shape(child);
            if (seen.has(kind) && !named.includes(child.id)) child.remove(); else seen.add(kind);
        }
    }
})()"""
"""Of rows, entries and paragraphs that look alike (by their tags, classes and whether they hold text) the
first stays. axe takes four times as long for a page with all of them, and says the same."""

SETTLED = (
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => "
    "done(moved), 50))))"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no Chromium: install `chromium-headless-shell` or set PROBATIO_CHROMIUM"
    ),
]


@pytest.fixture(scope="module")
def live(demo: Path) -> Iterator[str]:
    """`probatio site serve` as a process of its own."""
    yield from _serving(lambda port: [*PROBATIO_SITE, "serve", "--port", str(port), "--results", str(demo)])


def _serve_folder(root: Path) -> Iterator[str]:
    """Files behind `python -m http.server`."""
    server = [sys.executable, "-m", "http.server"]
    yield from _serving(lambda port: [*server, str(port), "--bind", "127.0.0.1", "--directory", str(root)])


@pytest.fixture(scope="module")
def static(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The build behind `python -m http.server`, not at the server's root."""
    root = tmp_path_factory.mktemp("www")
    (root / "some").mkdir()
    (root / "some" / "where").symlink_to(built)
    for base in _serve_folder(root):
        yield f"{base}some/where/"


def _serving(words: Callable[[int], list[str]]) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(words(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/"
        until = time.monotonic() + 90
        while True:
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > until:
                    raise
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(300)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if reason := script("install_browser").missing_driver():
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    page = browser.new_page(viewport=DESK)
    page.set_default_timeout(30_000)
    page.complaints = []
    page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    page.close()


def _picture(tab: Any, name: str) -> None:
    if os.environ.get("PROBATIO_SCREENSHOTS") == "1":
        tab.screenshot(path=IMAGES / f"site-{name}.png")


def _whole(page: Any, path: str, width: str) -> None:
    """The page's picture in both schemes, where a folder for them is named."""
    if not (folder := os.environ.get("PROBATIO_PAGES")):
        return
    name = path.strip("/").replace("/", "_") or "front"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)
    page.emulate_media(color_scheme="light")


def _follow(link: Any) -> None:
    """Click a link and wait until the page it leads to is loaded: a click alone may return before that."""
    with link.page.expect_navigation():
        link.click()


def _models(tab: Any) -> list[str]:
    names: list[str] = tab.locator("#board li:visible .who, #board tbody tr:visible th").all_inner_texts()
    return names


@pytest.mark.parametrize("where", ["live", "static"])
def test_the_front_page_filters_and_the_address_keeps_the_filter(
    where: str, tab: Any, request: pytest.FixtureRequest
) -> None:
    base = request.getfixturevalue(where)
    tab.goto(base)
    everyone = _models(tab)
    assert tab.locator("#board .badge").first.inner_text().endswith("COOKED, confirmed")
    _picture(tab, "leaderboard")
    tab.get_by_label("Verdict", exact=True).select_option("SUSPICIOUS")
    assert _models(tab) == ["demo-one-use-case"]
    assert tab.url.endswith("?verdict=SUSPICIOUS")
    tab.get_by_label("Verdict", exact=True).select_option("")
    tab.get_by_label("Filter").fill("demo route")
    assert _models(tab) == ["demo-rerouted"]
    assert tab.locator("output").inner_text() == f"1 of {len(everyone)} shown"
    tab.goto(f"{base}?verdict=CALIBRATING")
    assert _models(tab) == ["demo-new"]
    layers = tab.locator("#board li:visible .layers")
    assert not layers.is_visible()
    tab.locator("#board li:visible summary").press("Enter")
    assert layers.is_visible() and "Rule: CALIBRATING" in layers.inner_text()
    assert not tab.complaints


@pytest.mark.parametrize("where", ["live", "static"])
def test_the_table_of_use_cases_sorts_and_fits_a_desk(
    where: str, tab: Any, request: pytest.FixtureRequest
) -> None:
    tab.goto(request.getfixturevalue(where))
    _follow(tab.get_by_role("link", name="Use cases"))
    everyone = _models(tab)
    table = tab.locator(".scroll").first
    assert table.evaluate("e => e.scrollWidth <= e.clientWidth"), "complete at 1280 px"
    board = tab.locator("#board")
    board.get_by_role("button", name="Model", exact=True).click()
    assert _models(tab) == sorted(everyone)
    board.get_by_role("button", name="Model", exact=True).press("Enter")
    assert _models(tab) == sorted(everyone, reverse=True)
    board.get_by_role("button", name=re.compile("^Today")).click()
    scores = [float(text) for text in tab.locator("#board td.today").all_inner_texts()]
    assert scores == sorted(scores)
    assert tab.url.endswith("?sort=today")
    board.get_by_role("button", name=re.compile("^Today")).click()
    tab.reload()
    assert "sort=-today" in tab.url
    again = [float(text) for text in tab.locator("#board td.today").all_inner_texts()]
    assert again == scores[::-1], "the order stands in the address"
    assert not tab.complaints


def test_both_views_of_the_models_share_their_choice(static: str, tab: Any) -> None:
    tab.goto(f"{static}?filter=demo-s")
    tab.get_by_label("Order", exact=True).select_option("today")
    assert tab.url.endswith("?filter=demo-s&sort=today")
    assert _models(tab) == ["demo-slowly-worse", "demo-steady"]
    tab.get_by_label("Order", exact=True).select_option("-today")
    assert _models(tab) == ["demo-steady", "demo-slowly-worse"]
    _follow(tab.get_by_role("link", name="Use cases"))
    tab.wait_for_url("**/use-cases/?filter=demo-s&sort=-today")
    assert _models(tab) == ["demo-steady", "demo-slowly-worse"]
    tab.locator("#board").get_by_role("button", name="Model", exact=True).click()
    tab.get_by_label("Filter").fill("demo-o")
    _follow(tab.get_by_role("link", name="Verdicts"))
    tab.wait_for_url("**/?filter=demo-o&sort=model")
    assert _models(tab) == ["demo-one-use-case", "demo-outage"]
    assert not tab.complaints


def test_a_filter_that_nothing_fits_says_so_on_a_phone_too(static: str, tab: Any) -> None:
    tab.set_viewport_size({"width": 375, "height": 800})
    tab.goto(f"{static}learnability/?filter=xyzzy")
    told = tab.locator(".tools output")
    assert told.inner_text() == "Nothing fits this filter."
    assert told.evaluate("one => getComputedStyle(one).clipPath") == "none"
    assert not tab.locator("#needs tbody tr:visible").count() and not tab.complaints


@pytest.mark.parametrize("where", ["live", "static"])
def test_one_search_finds_models_cases_runs_and_pages(
    where: str, tab: Any, request: pytest.FixtureRequest
) -> None:
    tab.goto(request.getfixturevalue(where))
    tab.get_by_label("Search everything").fill("forgotten")
    tab.get_by_role("button", name="Search").click()
    tab.wait_for_url("**/search/?q=forgotten")
    found = tab.locator("#found li")
    for words, kind, title in (
        ("forgotten", "model", "demo-forgotten"),
        ("math trace", "case", "math_trace"),
        ("sample-0.5b", "run", "sample-0.5b"),
        ("isolation inside", "documentation", "Isolation inside"),
    ):
        tab.get_by_role("searchbox").fill(words)
        found.filter(has_text=kind).filter(has=tab.get_by_role("link", name=title)).first.wait_for()
    tab.get_by_role("searchbox").fill("xyzzy")
    tab.get_by_role("status").filter(has_text="Nothing holds all of these words").wait_for()
    assert not found.count()
    tab.goto(f"{tab.url.partition('?')[0]}?q=math_trace")
    found.first.wait_for()
    tab.get_by_role("searchbox").press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.get_by_role("heading", name="math_trace").wait_for()
    assert not tab.complaints


def test_two_days_are_chosen_on_the_live_server_without_a_script(live: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in ("models/demo-cooked/", "models/demo-cooked/diff/2026-03-30..2026-03-31/"):
        page.goto(live + path)
        page.get_by_label("Before").fill("2026-03-20")
        page.get_by_role("button", name="Compare").click()
        page.wait_for_url("**/diff/2026-03-20..2026-03-31/")
    assert page.locator("ins").count() and page.locator("del").count()
    context.close()


def test_a_story_leads_to_its_fall_side_by_side(static: str, tab: Any) -> None:
    tab.goto(f"{static}models/demo-forgotten/")
    _follow(tab.get_by_role("link", name="the last day before the fall and the day it began").first)
    tab.wait_for_url("**/models/demo-forgotten/diff/2026-03-17..2026-03-18/")
    assert tab.locator("ins").count() and tab.locator("del").count()
    _follow(tab.get_by_role("link", name="Other days"))
    assert tab.locator("#compare + ul a").count() == 3
    assert not tab.complaints


def test_verdict_and_reason_of_ten_models_fit_two_screens_of_a_phone(static: str, browser: Any) -> None:
    page = browser.new_page(viewport=PHONE)
    page.goto(static, wait_until="load")
    boxes = [row.bounding_box() for row in page.locator("#board li").all()]
    tallest = max(box["height"] for box in boxes)
    assert boxes[0]["y"] + 10 * tallest <= 2 * PHONE["height"], (boxes[0]["y"], tallest)
    page.close()


def test_every_kind_of_page_is_among_those_shown(site: Site) -> None:
    pages = [kind for kind in KINDS if kind.address.endswith("/") or kind.address in ("", "404.html")]
    there = {kind.address for kind in pages if next(kind.every(site), None) is not None}
    shown = {found[0].address for path in SHOWN if (found := find_kind(path))}
    assert there <= shown, "an axe, a phone and a picture for every kind"


@pytest.mark.parametrize(("width", "size"), [("desk", DESK), ("phone", PHONE)])
def test_no_page_is_too_wide_or_moves_or_complains(
    width: str, size: dict[str, int], static: str, browser: Any
) -> None:
    context = browser.new_context(viewport=size)
    context.add_init_script(MOVED)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.extend([message.text] if message.type == "error" else []))
    faults = []
    for path in SHOWN:
        for _ in range(4):  # a busy machine may paint half a page; one that moves by itself moves every time
            page.goto(static + path, wait_until="load")
            if not (moved := page.evaluate(SETTLED)):
                break
        if moved or page.evaluate("document.documentElement.scrollWidth") > size["width"]:
            faults.append((path, moved, page.evaluate("document.documentElement.scrollWidth")))
        _whole(page, path, width)
    page.goto(static)
    page.emulate_media(color_scheme="dark" if width == "desk" else "light")
    _picture(page, "dark" if width == "desk" else "phone")
    assert not faults
    assert not complaints
    context.close()


def test_the_narrowest_phone_needs_no_sideways_scrolling(static: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 320, "height": 640})
    wide = {}
    for path in SHOWN:
        if not path.startswith(("learnability", "docs", "bench", "methodology", "search")):
            page.goto(static + path, wait_until="load")
            wide[path] = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert {path: width for path, width in wide.items() if width > 320} == {}


@pytest.mark.parametrize("where", ["live", "static"])
def test_a_model_page_leads_to_a_raw_sample(where: str, tab: Any, request: pytest.FixtureRequest) -> None:
    tab.goto(request.getfixturevalue(where))
    _follow(tab.get_by_role("link", name="demo-cooked").first)
    assert tab.locator("svg.plot").count() == 15, "the score, ten use cases, three of answers, a chance"
    _picture(tab, "model")
    _follow(tab.get_by_role("link", name=re.compile("Every sample of")))
    _follow(tab.get_by_role("link", name="Summarization").first)
    tab.locator("details.sample > summary").first.click()
    sample = tab.locator("details.sample").first
    assert "SIMULATED answer of demo-cooked" in sample.locator("pre.answer").inner_text()
    assert "Judge" in sample.inner_text()
    assert "Borealis" in sample.inner_text()
    assert not tab.complaints


CROSSED = """(() => {
    const faults = [];
    for (const svg of document.querySelectorAll('svg.plot')) {
        const box = each => { const {left, right, top, bottom} = each.getBoundingClientRect();
            return {left: left + 1, right: right - 1, top: top + 2, bottom: bottom - 2}; };
        const labels = [...svg.querySelectorAll('text')].filter(each => each.textContent.trim())
            .map(each => ({name: each.textContent, ...box(each)}));
        const marks = [...svg.querySelectorAll('use')].map(each => each.getBoundingClientRect())
            .map(each => [(each.left + each.right) / 2, (each.top + each.bottom) / 2])
            .map(([x, y]) => ({name: 'mark', left: x - 4, right: x + 4, top: y - 4, bottom: y + 4}));
        for (const path of svg.querySelectorAll('path.mark')) {
            const frame = path.ownerSVGElement.getBoundingClientRect(), wide = frame.width / 1000, half = 3;
            for (const [, x, y] of path.getAttribute('d').matchAll(/M(\\S+) (\\S+?)h/g))
                marks.push({name: 'mark', left: frame.left + x * wide - half,
                    right: frame.left + x * wide + half, top: frame.top + +y - half,
                    bottom: frame.top + +y + half});
        }
        const over = (one, two) => one.left < two.right && two.left < one.right
            && one.top < two.bottom && two.top < one.bottom;
        labels.forEach((label, at) => {
            for (const other of [...labels.slice(at + 1), ...marks])
                if (over(label, other)) faults.push([label.name, other.name]);
        });
    }
    return faults;
})()"""
"""Labels of charts that lie on another label or on a mark, by their boxes."""


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_no_label_of_a_model_page_lies_on_a_mark_or_another_label(
    size: dict[str, int], static: str, browser: Any
) -> None:
    page = browser.new_page(viewport=size)
    faults = {}
    for name in CAST:
        page.goto(f"{static}models/{name}/", wait_until="load")
        if found := page.evaluate(CROSSED):
            faults[name] = found
    assert not faults
    page.close()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("count", [2, 5, 12])
def test_no_label_of_learning_curves_lies_on_a_mark_or_another_label(
    count: int, size: dict[str, int], browser: Any
) -> None:
    page = browser.new_page(viewport=size)
    contexts = ("none", "minimal", "basic", "complete")
    rate = Rate(8, 10, 10, 0.5, 0.95, False)
    curves = [
        LearningCurve(
            f"a-vendor/a-model-with-a-long-name-{number}",
            [
                Point(context, 0, tokens + 9 * number, rate, 1 - number / 99, 0.5, 0.95)
                for context, tokens in zip(contexts, (0, 300, 1200, 7900), strict=True)
            ],
            number,
        )
        for number in range(count)
    ]
    drawn = plot_curves(curves, contexts, (0.8, 0.9), "t", name="c0", height=320)
    sheet = (Path(probatio.site.__file__).parent / "assets" / "style.css").read_text()
    page.set_content(f"<style>{sheet}</style><main><figure class=plotted>{drawn}</figure></main>")
    assert page.locator("text.name").count() == count
    assert page.evaluate(CROSSED) == []
    page.close()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_day_stands_at_one_place_in_the_score_and_in_the_evidence(
    size: dict[str, int], static: str, browser: Any
) -> None:
    page = browser.new_page(viewport=size)
    page.goto(f"{static}models/demo-cooked/", wait_until="load")
    page.locator("svg.plot").first.focus()
    page.keyboard.press("Home")
    place = "all => all.map(each => each.getBoundingClientRect().left)"
    score, evidence = (
        page.locator(f"svg[data-kind={kind}] > line.cursor").first.evaluate_all(place)
        for kind in ("points", "chance")
    )
    assert score == evidence and len(score) == 1
    page.close()


def test_a_chart_tells_its_days_on_hover_and_a_click_opens_the_day(static: str, tab: Any) -> None:
    tab.goto(f"{static}models/demo-cooked/", wait_until="load")
    plot, told = tab.locator("svg.plot").first, tab.locator(".readout").all_inner_texts
    first, *others = told()
    assert re.fullmatch(r"31 Mar 2026: \d+\.\d points, usually \d+", first)
    box = plot.bounding_box()
    assert box["width"] > 0.95 * (DESK["width"] - 40), "the whole width"
    tab.mouse.move(box["x"] + 2, box["y"] + 60)
    assert all(text.startswith("14 Feb 2026: ") for text in told()), "every chart tells the same day"
    link = tab.locator("a.open").first
    assert re.fullmatch(r"nearest: \d+ \w{3}", link.inner_text()), (
        "a day without a page of its own is not linked"
    )
    assert tab.request.get(link.evaluate("e => e.href")).ok
    tab.mouse.click(box["x"] + 2, box["y"] + 60)
    assert tab.url.endswith("/models/demo-cooked/"), "a click on it leads nowhere"
    tab.mouse.move(box["x"] + 10, box["y"] + box["height"] + 5)
    assert [text.partition(",")[0] for text in told()] == [
        text.partition(",")[0] for text in (first, *others)
    ]
    assert told()[-1] == others[-1] and "one in" in others[-1], "the script says chances as the page does"
    tab.mouse.click(box["x"] + 0.925 * box["width"], box["y"] + 60)
    tab.wait_for_url("**/models/demo-cooked/2026-03-31/")
    assert not tab.complaints


def test_a_chart_is_a_slider_of_days_for_the_keyboard(static: str, tab: Any) -> None:
    tab.goto(f"{static}models/demo-cooked/")
    plot = tab.get_by_role("slider").first
    assert "mean over its use cases" in plot.get_attribute("aria-label")
    plot.focus()
    for key, day in (
        ("ArrowLeft", "30 Mar"),
        ("PageDown", "23 Mar"),
        ("Home", "14 Feb"),
        ("ArrowRight", "15 Feb"),
    ):
        plot.press(key)
        assert plot.get_attribute("aria-valuetext").startswith(f"{day} 2026: "), key
        assert tab.locator(".readout").first.inner_text() == plot.get_attribute("aria-valuetext")
    plot.press("Enter")
    assert tab.url.endswith("/models/demo-cooked/"), "that day has no page"
    plot.press("End")
    assert ", cooked" in plot.get_attribute("aria-valuetext")
    plot.press("Enter")
    tab.wait_for_url("**/models/demo-cooked/2026-03-31/")


def test_a_tap_tells_a_day_and_the_second_one_opens_it(static: str, browser: Any) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{static}models/demo-cooked/")
    plots = page.locator("svg.plot")
    places = "all => all.map(each => each.getBoundingClientRect().top)"
    box, before = plots.first.bounding_box(), plots.evaluate_all(places)
    at = (box["x"] + 0.925 * box["width"], box["y"] + 60)
    page.touchscreen.tap(box["x"] + 2, at[1])
    assert page.locator(".readout").first.inner_text().startswith("14 Feb 2026: ")
    assert plots.evaluate_all(places) == before, "no chart moves while days are told"
    page.touchscreen.tap(*at)
    assert page.locator(".readout").first.inner_text().startswith("31 Mar 2026: ")
    assert plots.evaluate_all(places) == before, "no chart moves while days are told"
    assert page.url.endswith("/models/demo-cooked/")
    page.touchscreen.tap(*at)
    page.wait_for_url("**/models/demo-cooked/2026-03-31/")
    context.close()


@pytest.mark.parametrize("where", ["live", "static"])
def test_a_script_in_an_answer_never_runs(where: str, tab: Any, request: pytest.FixtureRequest) -> None:
    base = request.getfixturevalue(where)
    tab.goto(f"{base}models/demo-cooked/2026-03-31/web_design/")
    title = tab.title()
    tab.locator("details.sample > summary").first.click()
    tab.locator("details.inert > summary").first.click()
    tab.locator("details.inert iframe").first.scroll_into_view_if_needed()
    framed = tab.frame_locator("details.inert iframe").first.frame_locator("iframe")
    framed.locator("h1").wait_for()
    assert "Simulated bakery" in framed.locator("h1").inner_text()
    colour = framed.locator("h1").evaluate("e => getComputedStyle(e).color")
    assert colour == "rgb(140, 74, 22)", "the page's own styles show"
    tab.wait_for_timeout(300)
    assert tab.title() == title
    assert tab.evaluate("typeof window.scriptRan") == "undefined"
    assert framed.locator("script").count() == 1
    assert all("Blocked script" in text or "Content Security Policy" in text for text in tab.complaints)
    _picture(tab, "sample")
    number = tab.locator("details.inert iframe").first.get_attribute("src")
    tab.goto(f"{base}models/demo-cooked/2026-03-31/web_design/{number}")
    assert tab.evaluate("typeof window.scriptRan") == "undefined", "nor when the frame's own page is opened"


@pytest.mark.parametrize("where", ["live", "static"])
def test_the_learnability_page_draws(where: str, tab: Any, request: pytest.FixtureRequest) -> None:
    tab.goto(f"{request.getfixturevalue(where)}learnability/")
    _follow(tab.get_by_role("link", name="sample-0.5b").first)
    assert tab.locator("svg.curves path.fit").count() == 1
    assert tab.locator("svg.curves a").count() == 6, "a mark for each condition"
    assert tab.locator("table.heat td[class*=heat-]").count() >= 6
    _picture(tab, "learnability")
    _follow(tab.get_by_role("link", name=re.compile("^A failure of")).first)
    article = tab.locator("article:target")
    article.wait_for()  # a page is loaded before its target is found
    assert {"Answer", "Diagnostics"} <= set(article.locator("h4").all_inner_texts())
    assert article.locator(".badge.wrong").count() == 1
    assert not tab.complaints


def _marks(page: Any, static: str) -> tuple[Any, Any]:
    """The marks of a learning curve, and the line above it that tells one."""
    page.goto(f"{static}learnability/sample-0.5b/", wait_until="load")
    marks = page.locator("svg.curves a")
    marks.first.scroll_into_view_if_needed()
    return marks, page.locator(".plotted .readout").first


def test_a_copy_that_no_one_builds_again_turns_stale(
    tmp_path: Path, hostile_day: Callable[..., None], tab: Any
) -> None:
    for day in ("2026-03-01", "2026-03-02"):
        hostile_day(tmp_path / "results", day)
    build(load_site(tmp_path / "results", now=datetime(2026, 3, 2, 12, tzinfo=UTC)), tmp_path / "site")
    (slug,) = load_site(tmp_path / "results").tracked
    for base in _serve_folder(tmp_path / "site"):
        for moment, status in (("2026-03-03T11:00:00Z", "CALIBRATING"), ("2026-03-03T13:00:00Z", "STALE")):
            tab.clock.set_fixed_time(moment)
            for path in ("", "use-cases/", f"models/{slug}/", "embed/", f"embed/{slug}/"):
                tab.goto(base + path)
                badge = tab.locator(".badge[data-stale-at]")
                assert status in badge.inner_text(), (path, moment)
                assert badge.get_attribute("class") == f"badge {status}"
        assert "its verdict then: CALIBRATING" in tab.locator("li .reason").inner_text()
        tab.goto(base)
        assert (
            tab.locator(".news").inner_text()
            == "Nothing is known of today: the newest answers are of 2 Mar 2026."
        )
        assert tab.locator(".dateline .counts").inner_text() == ": 1 STALE"
        tab.goto(f"{base}models/{slug}/")
        asked = "worse? Not known: last asked 2 Mar"
        assert asked in tab.locator("h1").inner_text() and asked in tab.title()
        tab.goto(base)
        assert tab.locator("#board .today").inner_text() == "–"
        tab.get_by_label("Verdict", exact=True).select_option("STALE")
        assert len(_models(tab)) == 1


def test_a_learning_curve_tells_its_marks_and_a_click_opens_their_trials(static: str, tab: Any) -> None:
    marks, readout = _marks(tab, static)
    assert tab.locator("svg.curves").bounding_box()["width"] > 0.95 * (DESK["width"] - 40), "the whole width"
    unpointed = readout.inner_text()
    box = marks.nth(3).bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] / 2)
    told = readout.inner_text()
    assert re.search(r"-shot, [\d,]+ tokens: \d+ % right \(\d+ to \d+ %; \d+ answers to \d+ tasks\)$", told)
    tab.mouse.move(box["x"], 5)
    assert readout.inner_text() == unpointed
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.wait_for_url("**/learnability/sample-0.5b/conditions/*/")
    share = re.search(r"tokens: (\d+ %) right", told)
    assert share and share[1] in tab.locator("p.lead").inner_text()
    assert not tab.complaints


def test_a_learning_curve_is_walked_by_keyboard(static: str, tab: Any) -> None:
    marks, readout = _marks(tab, static)
    assert marks.evaluate_all("all => all.filter(each => each.tabIndex >= 0).length") == 1, (
        "one stop for the tabulator"
    )
    marks.first.focus()
    first = readout.inner_text()
    assert first == marks.first.get_attribute("aria-label")
    marks.first.press("ArrowRight")
    assert readout.inner_text() == marks.nth(1).get_attribute("aria-label") != first
    marks.nth(1).press("End")
    assert readout.inner_text() == marks.last.get_attribute("aria-label")
    where = marks.last.get_attribute("href")
    marks.last.press("Enter")
    tab.wait_for_url(f"**/learnability/sample-0.5b/{where}")


def test_a_tap_tells_a_mark_and_the_second_one_opens_its_trials(static: str, browser: Any) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    marks, readout = _marks(page, static)
    svg = page.locator("svg.curves")
    height, box = svg.bounding_box()["y"], marks.last.bounding_box()
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.touchscreen.tap(*at)
    assert "% right" in readout.inner_text()
    assert svg.bounding_box()["y"] == height, "nothing moves while marks are told"
    assert page.url.endswith("/learnability/sample-0.5b/")
    page.touchscreen.tap(*at)
    page.wait_for_url("**/learnability/sample-0.5b/conditions/*/")
    context.close()


def test_an_old_address_of_a_trial_leads_to_its_page_on_a_host_of_files(site: Site, tab: Any) -> None:
    base = "http://site.test/some/where/"
    based = replace(site, base_url=base)
    there = set(addresses(based))

    def hosted(route: Any) -> None:
        """As hosts of files do: what is not there is answered with 404.html, at whatever address."""
        path = route.request.url.removeprefix(base)
        page = render(based, path if path in there else "404.html")
        assert page is not None
        route.fulfill(status=200 if path in there else 404, body=page.body, content_type=page.kind)

    tab.route("http://site.test/**", hosted)
    run = site.runs["sample-0.5b"]
    for number, asked in ((41, "41/"), (71, "40/#t71")):
        assert run.pack_of(number) != number and 40 not in run.packs
        tab.goto(f"{base}learnability/sample-0.5b/trials/{asked}")
        tab.wait_for_url(f"**/trials/{run.pack_of(number)}/#t{number}")
        assert tab.locator("article:target").get_attribute("id") == f"t{number}"
    tab.goto(f"{base}learnability/sample-0.5b/trials/99999/")
    _follow(tab.get_by_role("link", name="Back to today"))
    tab.wait_for_url(base)


def test_the_site_is_whole_without_javascript(static: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(static)
    assert page.locator("#board li").count() == len(CAST)
    _follow(page.get_by_role("link", name="demo-cooked").first)
    assert "demo-cooked answers worse since 30 Mar 2026 in " in page.locator(".reason").inner_text()
    assert page.locator("svg.plot path.value").count() == 15
    assert page.locator(".readout").first.inner_text().startswith("31 Mar 2026: ")
    assert page.locator("table.days tbody tr").count() == 30, "the values of the charts, in numbers"
    marks, _ = _marks(page, static)
    assert "% right" in marks.first.locator("title").text_content()
    marks.first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/conditions/*/")
    context.close()


Violation = tuple[str, str, str, str]


def violations(
    browser: Any, base: str, paths: Iterable[str], size: dict[str, int], *, whole: bool
) -> dict[str, list[Violation]]:
    """Colour scheme → what axe says is serious. A page is opened once and looked at in both schemes, whole or
    one of each kind of its elements."""
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    context = browser.new_context(viewport=size, bypass_csp=True)
    context.add_init_script(path=Path(axe.__file__).parent / "axe.min.js")
    page = context.new_page()
    found: dict[str, list[Violation]] = {"light": [], "dark": []}
    for path in paths:
        page.goto(base + path)
        page.evaluate(
            "document.querySelectorAll('details').forEach(e => e.open = !e.classList.contains('inert'))"
        )
        if not whole:
            page.evaluate(ONE_OF_EACH)
        for scheme, serious in found.items():
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("s => matchMedia(`(prefers-color-scheme: ${s})`).matches", scheme)
            only = (
                {"type": "tag", "values": AXE_RULES}
                if scheme == "light"
                else {"type": "rule", "values": ["color-contrast"]}  # all that a scheme changes
            )
            result = page.evaluate(
                "only => axe.run(document, {runOnly: only, resultTypes: ['violations']})"
                ".then(found => ({violations: found.violations, passed: found.passes.length}))",
                only,
            )
            assert result["passed"], "axe looked at something"
            serious += [
                (
                    path,
                    each["id"],
                    each["nodes"][0]["html"][:120],
                    each["nodes"][0].get("failureSummary", "")[:200],
                )
                for each in result["violations"]
                if each["impact"] in ("serious", "critical")
            ]
    context.close()
    return found


def test_axe_finds_no_serious_violation_in_any_kind_of_page(static: str, browser: Any) -> None:
    kinds = {found[0].address: path for path in reversed(SHOWN) if (found := find_kind(path))}
    assert violations(browser, static, kinds.values(), DESK, whole=False) == {"light": [], "dark": []}


@pytest.mark.soak
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_no_serious_violation_in_any_page(size: dict[str, int], static: str, browser: Any) -> None:
    assert violations(browser, static, SHOWN, size, whole=True) == {"light": [], "dark": []}


def test_the_keyboard_reaches_content_first_and_then_the_table(static: str, tab: Any) -> None:
    tab.goto(static)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the content"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"
    tab.keyboard.press("Tab")
    assert "methodology" in tab.evaluate("document.activeElement.href")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Use cases"
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.name") == "filter"


@pytest.mark.parametrize("path", ["", "use-cases/", "models/demo-cooked/", "learnability/sample-0.5b/"])
def test_whoever_walks_by_keyboard_sees_where_they_are(path: str, static: str, tab: Any) -> None:
    tab.goto(static + path)
    unseen = []
    for _ in range(25):
        tab.keyboard.press("Tab")
        unseen += tab.evaluate(FOCUSED)
    assert not unseen
