"""The checked part of Web Design: which page is taken out of an answer, how scenes give credit, and that a
score repeats."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
import yaml

from builtin.daily.cases import cases, graded
from probatio.builtin.daily.web_design.grader import WEIGHTS, PageGold, check, page_in
from probatio.builtin.daily.web_design.hands import WIDE, look
from probatio.builtin.daily.web_design.scenes import Played, Scene, change_credit, play
from probatio.builtin.daily.web_design.snapshot import Document, Element, Finder, Snapshot, matches
from probatio.core.records.check_result import CheckResult
from probatio.jail.browser import driver as browser
from probatio.jail.browser.driver import visit
from probatio.jail.browser.page import OpenPage
from probatio.suites.daily_suite import DAILY

pytestmark = pytest.mark.slow  # a real browser

FOLDER = DAILY / "web_design"
PAGE = "<!DOCTYPE html>\n<html><body><p>x</p></body></html>"


CASES = cases("web_design")


@functools.cache
def proofs() -> list[dict[str, Any]]:
    return list(yaml.safe_load((FOLDER / "proofs.yml").read_text())["proofs"])


def gold_page(case: str) -> str:
    return next(str(one["answer"]) for one in proofs() if one["case"] == case and one["kind"] == "gold")


@pytest.fixture
def works() -> None:
    there = browser.available()
    if not there.works:
        pytest.skip(f"no browser here: {there.sentence}")


def changed(case: str, old: str, new: str) -> CheckResult:
    page = gold_page(case)
    assert old in page
    return graded(case, page.replace(old, new))


def part(checked: CheckResult, name: str) -> float:
    return next(one.score for one in checked.parts if one.name == name)


@pytest.mark.parametrize(
    "answer",
    [
        PAGE,
        f"Here you go:\n```html\n{PAGE}\n```\nEnjoy!",
        f"```\n{PAGE}\n```",
        f"~~~HTML\n{PAGE}\n~~~",
        f"First `<b>`:\n```html\n<b>no</b>\n```\nthen\n```html\n{PAGE}\n```\n```css\np {{ color: red }}\n```",
        f"Some words {PAGE} more words",
    ],
)
def test_the_page_is_found_however_it_is_wrapped(answer: str) -> None:
    assert page_in(answer) == PAGE


def test_a_page_that_was_cut_off_is_taken_to_its_end() -> None:
    assert page_in("```html\n<!doctype html><html><body><p>half a") == "<!doctype html><html><body><p>half a"


def test_a_fragment_is_a_page_and_prose_is_none() -> None:
    assert page_in("Sure: <main><h1>a</h1></main>") == "<main><h1>a</h1></main>"
    assert page_in("I would use an article element, where a < b holds.") is None
    assert page_in("") is None


def test_no_page_scores_nothing_and_says_so() -> None:
    checked = check(CASES["web_pricing"], "I can't do that.")
    assert checked.score == 0
    assert checked.note == "The answer holds no web page."


def test_what_was_so_before_is_no_credit() -> None:
    assert change_credit([0, 0], [1, 1]) == 1
    assert change_credit([0, 0], [1, 0]) == 0.5
    assert change_credit([1, 1], [1, 1]) == 0
    assert change_credit([0, 1], [1, 0]) == 0
    assert change_credit([0, 1, 1], [1, 1, 0]) == 0.5


def test_every_prompt_fits_a_small_model_and_every_gold_is_well_formed() -> None:
    assert len(CASES) == 5
    for case in CASES.values():
        gold = msgspec.convert(case.gold, PageGold)
        assert gold.elements
        assert len({scene.name for scene in gold.scenes}) == len(gold.scenes) >= 3
        assert len(case.prompt) < 4 * 1000
        assert len(gold_page(case.id)) < 4 * 2200, "a good answer must fit into the tokens a model is given"


def test_no_scene_can_be_passed_by_a_page_without_scripts(
    works: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("scenes", "hands"):  # nothing can come later on a page without scripts
        monkeypatch.setattr(f"probatio.builtin.daily.web_design.{module}.PAUSES", (0.1,))
    pages = [gold_page(name).replace("<script>", "<script type=never>") for name in CASES]
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(check, CASES.values(), pages))
    for (name, case), checked in zip(CASES.items(), results, strict=True):
        acted = {scene.name for scene in msgspec.convert(case.gold, PageGold).scenes if scene.do}
        alive = {one.name: one.score for one in checked.parts if one.name in acted and one.score > 0.5}
        assert not alive, (name, alive)


def test_a_form_that_loads_the_page_anew_costs_its_scenes_and_no_more(works: None) -> None:
    """The page goes elsewhere while it is used, now before a look and now during one: the score may not
    depend on that."""
    page = gold_page("web_signup").replace("<script>", "<script type=never>")
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(check, [CASES["web_signup"]] * 2, [page] * 2))
    assert {one.note for one in results} == {None}
    assert {part(one, "errors") for one in results} == {1.0}
    assert len({one.score for one in results}) == 1


def test_the_same_page_scores_the_same_also_beside_others(works: None) -> None:
    worse = (
        gold_page("web_table").replace("#175c2b", "#7fae8b").replace("max-width: 46rem", "min-width: 30rem")
    )
    with ThreadPoolExecutor(3) as pool:
        scores = list(pool.map(lambda _: check(CASES["web_table"], worse), range(3)))
    assert len({msgspec.json.encode(one) for one in scores}) == 1
    assert 0.5 < scores[0].score < 1


def test_credit_falls_with_every_missing_thing(works: None) -> None:
    page = gold_page("web_pricing")
    scores = [graded("web_pricing", page).score]
    for old in (
        "<h2>Free</h2>",
        "<li>1 device</li>",
        '<span class="badge">Most popular</span>',
        "<h1>Plans for every notebook</h1>",
    ):
        page = page.replace(old, "")
        scores.append(graded("web_pricing", page).score)
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert scores[-1] > 0.5


def test_overflow_costs_by_its_size(works: None) -> None:
    little = changed("web_pricing", "<main>", '<main><div style="width:400px;height:1px"></div>')
    much = changed("web_pricing", "<main>", '<main><div style="width:600px;height:1px"></div>')
    assert 1 > part(little, "narrow") > part(much, "narrow") == 0
    assert 1 > little.score > much.score


def test_a_picture_from_elsewhere_costs_and_is_named(works: None) -> None:
    checked = changed(
        "web_pricing", "<main>", '<main><img src="https://images.example.com/quill.png" alt="">'
    )
    lost = next(one for one in checked.parts if one.name == "self-contained")
    assert lost.score < 1
    assert "images.example.com" in lost.detail


def test_an_error_at_a_click_is_seen(works: None) -> None:
    checked = changed("web_pricing", "() => {", "() => { setTimeout(() => nothing.there());")
    assert part(checked, "errors") < 1
    assert part(checked, "choosing Plus is told") == 1


def test_a_page_that_hangs_later_keeps_what_it_showed(works: None) -> None:
    hangs = next(one for one in proofs() if one["why"].startswith("an endless loop at the first click"))
    checked = graded(hangs["case"], hangs["answer"])
    assert checked.note
    assert part(checked, "elements") == 1
    assert part(checked, "errors") < 1
    assert (
        part(checked, "choosing Plus is told") == part(checked, "choosing Team afterwards replaces it") == 0
    )


def test_scenes_weigh_what_the_case_says_however_many_there_are(works: None) -> None:
    for name, weight in (("web_pricing", WEIGHTS["scenes"]), ("web_dashboard", 16)):
        checked = graded(name, gold_page(name))
        scenes = {scene.name for scene in msgspec.convert(CASES[name].gold, PageGold).scenes}
        assert sum(one.weight for one in checked.parts if one.name in scenes) == pytest.approx(weight)


def test_every_rung_has_a_part(works: None) -> None:
    for name, case in CASES.items():
        gold = msgspec.convert(case.gold, PageGold)
        rungs = [
            *gold.rungs.values(),
            *(scene.rung for scene in gold.scenes),
            *{figures.rung for figures in gold.static},
        ]
        assert sorted(rungs) == list(range(1, case.rungs + 1)), name


def found(finder: dict[str, Any], text: str) -> bool:
    element = Element(
        index=0, tag="p", id="p", role="paragraph", name="", text=text, marked=text, seen=True,
        box=(0, 0, 9, 9), within=(), states={},
        focus=False, tabindex=-1, value="", type="", labelled=None, level=0,
    )  # fmt: skip
    page = Snapshot((element,), (), {}, 0, Document(doctype=True, title="", lang="", viewport=True))
    return bool(matches(msgspec.convert(finder, Finder), page))


@pytest.mark.parametrize(
    "text", ["$6 / month", "$ 6 / month", "$6 USD per person / month", "Was $9 $6\n/ month", "$6/month"]
)
def test_a_price_in_pieces_is_found(text: str) -> None:
    assert found({"parts": ["$6", "/ month"]}, text)


@pytest.mark.parametrize(
    "text", ["$60 / month", "$6.50 / month", "$6,000 / month", "/ month $6", "$6", "$16 / month"]
)
def test_another_price_is_not(text: str) -> None:
    assert not found({"parts": ["$6", "/ month"]}, text)


def played(html: str, scene: dict[str, Any]) -> Played:
    async def see(page: OpenPage) -> Played:
        await page.load(*WIDE)
        return await play(page, msgspec.convert({"name": "s", **scene}, Scene), await look(page))

    return visit(html, see)


def test_a_button_under_a_cover_can_not_be_clicked(works: None) -> None:
    button = "<button onclick=\"this.textContent='Done'\">Go</button>"
    cover = "<div style='position:fixed;inset:0;z-index:9'></div>"
    scene = {"do": [{"click": {"role": "button"}}], "expect": [{"seen": {"role": "button", "name": "Done"}}]}
    assert played(button, scene).score == 1
    under = played(button + cover, scene)
    assert under.score == 0
    assert "covers" in under.detail


def test_a_scene_waits_for_what_comes_a_little_later(works: None) -> None:
    late = "<button onclick=\"setTimeout(() => this.textContent='Done', 400)\">Go</button>"
    scene = {"do": [{"click": {"role": "button"}}], "expect": [{"seen": {"role": "button", "name": "Done"}}]}
    assert played(late, scene).score == 1


def test_what_the_tab_key_does_not_reach_is_not_reachable(works: None) -> None:
    scene = {
        "do": [{"tab_to": {"role": "button", "name": "Go"}}],
        "expect": [{"focused": {"role": "button", "name": "Go"}}],
    }
    assert played("<a href=#>a</a><button>Go</button>", scene).score == 1
    assert "does not reach" in played("<a href=#>a</a><button tabindex=-1>Go</button>", scene).detail


def test_storage_does_not_pass_from_scene_to_scene(works: None) -> None:
    html = "<p id=a></p><script>a.textContent = localStorage.n = 1 + Number(localStorage.n || 0)</script>"

    async def see(page: OpenPage) -> list[float]:
        await page.load(*WIDE)
        before = await look(page)
        again = msgspec.convert(
            {"name": "s", "do": [{"reload": True}], "expect": [{"stored": {"n": "2"}}]}, Scene
        )
        return [(await play(page, again, before)).score for _ in range(3)]

    assert visit(html, see) == [1, 1, 1]


def test_a_scene_that_goes_on_finds_the_page_as_it_was_left(works: None) -> None:
    html = '<button onclick="this.textContent = 1 + Number(this.textContent)">0</button>'

    async def see(page: OpenPage) -> list[tuple[float, str]]:
        await page.load(*WIDE)
        before, results = await look(page), []
        for number, goes_on in ((1, False), (2, True), (3, True), (1, False)):
            told = {
                "do": [{"click": {"role": "button"}}],
                "expect": [{"seen": {"role": "button", "name": str(number)}}],
            }
            one = await play(page, msgspec.convert({"name": "s", "goes_on": goes_on, **told}, Scene), before)
            assert one.after is not None
            results.append((one.score, one.after.elements[-1].name))
        return results

    assert visit(html, see) == [(1, "1"), (1, "2"), (1, "3"), (1, "1")]


def test_a_field_that_keeps_the_focus_is_filled_anew(works: None) -> None:
    html = (
        "<label>N <input onkeydown=\"if (event.key === 'Enter') o.textContent += value + ';'\"></label><p "
        "id=o></p>"
    )
    fills = [
        step
        for value in ("ab", "c")
        for step in ({"fill": {"role": "textbox"}, "value": value}, {"press": "Enter"})
    ]
    assert played(html, {"do": fills, "expect": [{"seen": {"id": "o", "exact": "ab;c;"}}]}).score == 1


HIDDEN = [
    "opacity:.1",
    "filter:opacity(.1)",
    "clip-path:inset(50%)",
    "visibility:hidden",
    "position:absolute;left:-99px",
]


@pytest.mark.parametrize("hide", HIDDEN)
def test_what_can_not_be_seen_is_not_clicked(works: None, hide: str) -> None:
    html = f"<button style='{hide}' onclick=\"o.textContent='Done'\">Go</button><p id=o>-</p>"
    scene = {
        "do": [{"click": {"role": "button", "name": "Go"}}],
        "expect": [{"seen": {"id": "o", "exact": "Done"}}],
    }
    assert played(html, scene).score == 0
