"""The site in a real browser: live and static, light and dark, on a desk and on a phone.

With PROBATIO_SCREENSHOTS=1 the same tests write the pictures of the README to docs/images.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from probatio.browser.chromium import executable
from probatio.errors import CannotCheck
from probatio.site.demo import CAST
from probatio.site.snapshot import Site
from probatio.site.static import build

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
    "models/demo-cooked/",
    "models/demo-cooked/2026-03-31/",
    "models/demo-cooked/2026-03-31/web_design/",
    "models/demo-cooked/diff/2026-03-30..2026-03-31/",
    "cases/",
    "cases/math_reasoning/math-trace/",
    "search/",
    "learnability/",
    "learnability/study-0.5b/",
    "learnability/study-0.5b/trials/0/",
    "learnability/study-dialects/",
    "learnability/study-0.5b/items/",
    "items/",
    "items/math-reasoning/",
    "items/models/demo-cooked/",
    "methodology/",
    "bench/",
    "downloads/",
    "api/",
)

SHIFT = """() => new Promise(done => new PerformanceObserver(list =>
    done(list.getEntries().reduce((sum, each) => sum + each.value, 0))).observe({type: 'layout-shift', buffered: true})
    || setTimeout(() => done(0), 300))"""
"""How much of the page moved under the reader while it loaded, by the browser's own account."""

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


@pytest.fixture(scope="module")
def static(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The build behind `python -m http.server`, not at the server's root."""
    root = tmp_path_factory.mktemp("www")
    (root / "some").mkdir()
    build(site, root / "some" / "where")
    for base in _serving(
        lambda port: [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(root)]
    ):
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
        process.wait(20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
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
def test_the_table_of_use_cases_sorts_and_fits_a_desk(where: str, tab: Any, request: pytest.FixtureRequest) -> None:
    tab.goto(request.getfixturevalue(where))
    tab.get_by_role("link", name="Use cases").click()
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


@pytest.mark.parametrize("where", ["live", "static"])
def test_one_search_finds_models_cases_runs_and_pages(where: str, tab: Any, request: pytest.FixtureRequest) -> None:
    tab.goto(request.getfixturevalue(where))
    tab.get_by_role("link", name="Search", exact=True).click()
    found = tab.locator("#found li")
    for words, kind, title in (
        ("forgotten", "model", "demo-forgotten"),
        ("math trace", "case", "math_trace"),
        ("study-0.5b", "run", "study-0.5b"),
        ("isolation inside", "documentation", "Isolation inside"),
    ):
        tab.get_by_role("searchbox").fill(words)
        found.filter(has_text=kind).filter(has=tab.get_by_role("link", name=title)).first.wait_for()
    tab.goto(f"{tab.url.partition('?')[0]}?q=math_trace")
    found.first.get_by_role("link").click()
    tab.get_by_role("heading", name="math_trace").wait_for()
    assert not tab.complaints


def test_two_days_are_chosen_on_the_live_server(live: str, tab: Any) -> None:
    tab.goto(f"{live}models/demo-cooked/diff/2026-03-30..2026-03-31/")
    tab.get_by_label("Before").fill("2026-03-20")
    tab.get_by_role("button", name="Compare").click()
    tab.wait_for_url("**/diff/2026-03-20..2026-03-31/")
    assert tab.locator("ins").count() and tab.locator("del").count()
    assert not tab.complaints


def test_ten_models_fit_two_screens_of_a_phone(static: str, browser: Any) -> None:
    page = browser.new_page(viewport=PHONE)
    page.goto(static, wait_until="load")
    page.wait_for_timeout(300)
    assert page.evaluate(SHIFT) < 0.01, "nothing moves while the page loads"
    rows = page.locator("#board li")
    first, last = rows.first.bounding_box(), rows.last.bounding_box()
    each = (last["y"] + last["height"] - first["y"]) / rows.count()
    assert first["y"] + 10 * each <= 2 * PHONE["height"], (first["y"], each)
    page.close()


@pytest.mark.parametrize("where", ["live", "static"])
def test_a_model_page_leads_to_a_raw_sample(where: str, tab: Any, request: pytest.FixtureRequest) -> None:
    tab.goto(request.getfixturevalue(where))
    tab.get_by_role("link", name="demo-cooked").first.click()
    assert tab.locator("svg.plot").count() == 12, "the score, ten use cases, the chance of a false alarm"
    _picture(tab, "model")
    tab.get_by_role("link", name=re.compile("Every sample of")).click()
    tab.get_by_role("link", name="Summarization").first.click()
    tab.locator("details.sample > summary").first.click()
    sample = tab.locator("details.sample").first
    assert "SIMULATED answer of demo-cooked" in sample.locator("pre.answer").inner_text()
    assert "Judge" in sample.inner_text()
    assert "Borealis" in sample.inner_text()
    assert not tab.complaints


def test_a_chart_tells_its_days_on_hover_and_a_click_opens_the_day(static: str, tab: Any) -> None:
    tab.goto(f"{static}models/demo-cooked/", wait_until="load")
    tab.wait_for_timeout(300)
    assert tab.evaluate(SHIFT) < 0.01, "nothing moves while the page loads"
    plot, told = tab.locator("svg.plot").first, tab.locator(".readout").all_inner_texts
    first, *others = told()
    assert re.fullmatch(r"31 Mar 2026: \d+\.\d points, \d+ before", first)
    box = plot.bounding_box()
    assert box["width"] > 0.95 * (DESK["width"] - 40), "the whole width"
    tab.mouse.move(box["x"] + 2, box["y"] + 60)
    assert all(text.startswith("14 Feb 2026: ") for text in told()), "every chart tells the same day"
    assert not tab.locator("a.open").first.is_visible(), "a day without a page of its own is not linked"
    tab.mouse.move(box["x"] + 10, box["y"] + box["height"] + 5)
    assert [text.partition(",")[0] for text in told()] == [text.partition(",")[0] for text in (first, *others)]
    assert told()[-1] == others[-1] and "one in" in others[-1], "the script says chances as the page does"
    tab.mouse.click(box["x"] + 0.925 * box["width"], box["y"] + 60)
    tab.wait_for_url("**/models/demo-cooked/2026-03-31/")
    assert not tab.complaints


def test_a_chart_is_a_slider_of_days_for_the_keyboard(static: str, tab: Any) -> None:
    tab.goto(f"{static}models/demo-cooked/")
    plot = tab.get_by_role("slider").first
    assert "mean over its use cases" in plot.get_attribute("aria-label")
    plot.focus()
    for key, day in (("ArrowLeft", "30 Mar"), ("PageDown", "23 Mar"), ("Home", "14 Feb"), ("ArrowRight", "15 Feb")):
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
    tab.get_by_role("link", name="study-0.5b").first.click()
    curves = tab.locator("figure.chart img")
    tab.wait_for_function("e => e.complete && e.naturalWidth > 0", arg=curves.element_handle())
    assert tab.locator("table.heat td[class*=heat-]").count() > 10
    _picture(tab, "learnability")
    tab.get_by_role("link", name=re.compile("^A failure of")).first.click()
    article = tab.locator("article:target")
    assert {"Answer", "Diagnostics"} <= set(article.locator("h4").all_inner_texts())
    assert article.locator(".badge.wrong").count() == 1
    assert not tab.complaints


def test_pages_hold_on_a_phone_without_complaint(static: str, browser: Any) -> None:
    page = browser.new_page(viewport=PHONE)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.extend([message.text] if message.type == "error" else []))
    for path in SHOWN:
        page.goto(static + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
    page.goto(static)
    _picture(page, "phone")
    assert not complaints
    page.close()


def test_the_site_is_whole_without_javascript(static: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(static)
    assert page.locator("#board li").count() == len(CAST)
    page.get_by_role("link", name="demo-cooked").first.click()
    assert "demo-cooked answers worse since 2026-03-" in page.locator(".reason").inner_text()
    assert page.locator("svg.plot path.value").count() == 12
    assert page.locator(".readout").first.inner_text().startswith("31 Mar 2026: ")
    assert page.locator("table.days tbody tr").count() == 30, "the values of the charts, in numbers"
    context.close()


Violation = tuple[str, str, str, str]


@pytest.fixture(scope="module")
def violations(static: str, browser: Any) -> dict[str, list[Violation]]:
    """Colour scheme → what axe says is serious, over all pages. A page is opened once and looked at in both schemes."""
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    context = browser.new_context(viewport=DESK, bypass_csp=True)
    context.add_init_script(path=Path(axe.__file__).parent / "axe.min.js")
    page = context.new_page()
    found: dict[str, list[Violation]] = {"light": [], "dark": []}
    for path in SHOWN:
        page.goto(static + path)
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = !e.classList.contains('inert'))")
        for scheme, violations in found.items():
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("s => matchMedia(`(prefers-color-scheme: ${s})`).matches", scheme)
            result = page.evaluate(f"axe.run(document, {{runOnly: {AXE_RULES}, resultTypes: ['violations']}})")
            violations += [
                (path, each["id"], each["nodes"][0]["html"][:120], each["nodes"][0].get("failureSummary", "")[:200])
                for each in result["violations"]
                if each["impact"] in ("serious", "critical")
            ]
    page.goto(static)
    _picture(page, "dark")
    context.close()
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(scheme: str, violations: dict[str, list[Violation]]) -> None:
    assert not violations[scheme]


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
