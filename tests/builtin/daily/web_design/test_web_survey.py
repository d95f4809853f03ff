"""What the survey sees of a page: contrast, edges, labels, and what is only pretended to be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pytest

from builtin.daily.web_design.shared_tab import shared_tab
from probatio.browser import driver as browser
from probatio.browser.page import OpenPage
from probatio.builtin.daily.web_design.scenes import NARROW, WIDE, look
from probatio.builtin.daily.web_design.snapshot import Finder, Snapshot, matches, readable_share

pytestmark = pytest.mark.slow  # a real browser


class Survey(Protocol):
    def __call__(self, body: str, size: tuple[int, int] = WIDE) -> Snapshot: ...


@pytest.fixture(scope="module")
def survey() -> Iterator[Survey]:
    state = browser.available()
    if not state.works:
        pytest.skip(f"no browser here: {state.sentence}")

    with shared_tab() as tab:

        def snapshot(body: str, size: tuple[int, int] = WIDE) -> Snapshot:
            async def see(page: OpenPage) -> Snapshot:
                await page.load(*size)
                return await look(page, wake=True)

            return tab.examine(f"<!doctype html><html lang=en><title>t</title><body>{body}", see)

        yield snapshot


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>here", 21.0),
        ("<p style='color:#777'>here", 4.48),
        ("<p style='color:#767676'>here", 4.54),
        ("<p style='color:oklch(0 0 0)'>here", 21.0),
        ("<div style='background:#000'><p style='color:#fff'>here", 21.0),
        ("<div style='background:#000'><p style='color:#fff;background:rgb(255 255 255 / 50%)'>here", 3.95),
        ("<p style='opacity:.5'>here", 3.95),
        ("<div style='background:linear-gradient(#000, #777)'><p style='color:#fff'>here", 4.48),
        ("<p style='color:transparent;background:linear-gradient(#000,#777);background-clip:text'>here", 4.48),
    ],
)
def test_contrast_is_that_of_the_worst_ground_behind_the_text(survey: Survey, body: str, expected: float) -> None:
    ratio = next(run.ratio for run in survey(body).runs if run.text == "here")
    assert ratio == pytest.approx(expected, abs=0.03)


def test_large_text_needs_less(survey: Survey) -> None:
    share, faint = readable_share(
        [survey("<p style='color:#888'>small</p><p style='color:#888;font-size:24px'>large</p>")]
    )
    assert share == 0.5
    assert [run.text for run in faint] == ["small"]


def test_disabled_text_ornaments_and_text_on_pictures_are_left_out_of_contrast(survey: Survey) -> None:
    pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    share, _ = readable_share(
        [
            survey(
                f"<p>good</p><button disabled style='color:#ccc'>off</button><p style='color:#ddd'>✓ ★</p>"
                f"<p style='background:url({pixel});color:#eee'>picture</p>"
            )
        ]
    )
    assert share == 1.0


@pytest.mark.parametrize(
    "trick",
    [
        "<div style='display:none'><button>Go</button></div>",
        "<button style='visibility:hidden'>Go</button>",
        "<button hidden>Go</button>",
        "<div style='opacity:0.05'><button>Go</button></div>",
        "<button style='position:absolute;left:-9999px'>Go</button>",
        "<button style='position:absolute;top:-500px'>Go</button>",
        "<div style='height:0;overflow:hidden'><button>Go</button></div>",
        "<button style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)'>Go</button>",
        "<button style='clip-path:inset(50%)'>Go</button>",
        "<button style='font-size:1px'>Go</button>",
        "<button style='color:#fff;background:#fff;border:0'>Go</button>",
        "<button style='color:transparent'>Go</button>",
        "<button aria-label=Go style='background:none;border:0;width:40px;height:20px'></button>",
        "<!-- <button>Go</button> --><template><button>Go</button></template>",
        "<iframe srcdoc='<button>Go</button>'></iframe>",
        "<details><summary>s</summary><button>Go</button></details>",
    ],
)
def test_what_nobody_can_see_is_not_there(survey: Survey, trick: str) -> None:
    assert not matches(Finder(role="button", name="Go"), survey(trick))


@pytest.mark.parametrize(
    "honest",
    [
        "<button>Go</button>",
        "<div role=button tabindex=0>G<b>o</b></div>",
        "<input type=submit value=Go>",
        "<button aria-label=Go><svg width=10 height=10><rect width=10 height=10 /></svg></button>",
        "<button aria-label=Go style='width:40px;height:20px;background:#225;border:0'><i></i></button>",
        "<div style='height:60px;overflow:auto'><p style='height:900px'>long</p><button>Go</button></div>",
        "<style>@keyframes in { from { opacity: 0 } } button { animation: in 2s 1s both }</style><button>Go</button>",
        "<div style='height:3000px'></div><button id=b style='opacity:0'>Go</button><script>new IntersectionObserver((all) => "
        "all.forEach((one) => { if (one.isIntersecting) one.target.style.opacity = 1 })).observe(b)</script>",
        "<script>setTimeout(() => document.body.append("
        "Object.assign(document.createElement('button'), {innerText: 'Go'})))</script>",
    ],
)
def test_what_can_be_seen_counts_however_it_is_made(survey: Survey, honest: str) -> None:
    assert len(matches(Finder(role="button", name="Go"), survey(honest))) == 1


def test_a_hidden_checkbox_with_a_label_to_click_on_is_there(survey: Survey) -> None:
    body = "<label><input type=checkbox style='position:absolute;opacity:0'> Dark mode</label>"
    assert matches(Finder(role="checkbox", name="Dark mode", state={"checked": "false"}), survey(body))


LINE = "<p style='white-space:nowrap;margin:0'>a line that is far too long for any phone and does not wrap at all</p>"


@pytest.mark.parametrize(
    ("body", "low", "high"),
    [
        ("<p>short", 0, 0),
        ("<div style='width:500px;height:9px'></div>", 132, 134),
        ("<style>body { overflow-x: hidden }</style>" + LINE, 30, 250),
        ("<style>html { overflow-x: clip }</style>" + LINE, 30, 250),
        ("<div style='overflow-x:auto'><table><td style='min-width:900px'>wide", 0, 0),
        (
            "<style>body { overflow-x: hidden }</style><nav style='position:fixed;left:375px;width:200px'>drawer</nav>",
            0,
            0,
        ),
    ],
)
def test_overflow_is_what_a_phone_cannot_show(survey: Survey, body: str, low: int, high: int) -> None:
    assert low <= survey(body, NARROW).overflow <= high


def test_what_lies_wholly_beyond_a_shut_edge_is_not_there(survey: Survey) -> None:
    body = "<style>body { overflow-x: hidden }</style><button style='position:absolute;left:400px'>Go</button>"
    assert matches(Finder(role="button"), survey(body, WIDE))
    assert not matches(Finder(role="button"), survey(body, NARROW))


@pytest.mark.parametrize(
    ("field", "labelled"),
    [
        ("<label for=a>Name</label><input id=a>", True),
        ("<label>Name <input></label>", True),
        ("<input aria-label=Name>", True),
        ("<b id=n>Name</b><input aria-labelledby=n>", True),
        ("<input placeholder=Name>", False),
        ("<label for=b>Name</label><input id=a>", False),
        ("<input aria-labelledby=nowhere>", False),
        ("<label for=a> </label><select id=a><option>x</select>", False),
        ("<input type=hidden><input type=submit>", None),
    ],
)
def test_a_placeholder_is_no_label(survey: Survey, field: str, labelled: bool | None) -> None:
    labels = [one.labelled for one in survey(field).elements if one.labelled is not None]
    assert labels == ([] if labelled is None else [labelled])


def test_fields_named_like_built_in_functions_do_not_stop_the_survey(survey: Survey) -> None:
    names = (
        "getAttribute",
        "querySelectorAll",
        "getBoundingClientRect",
        "checkVisibility",
        "parentElement",
        "childNodes",
        "id",
    )
    form = "<form>" + "".join(f"<input name={name} aria-label={name}>" for name in names) + "</form>"
    clobbered = "".join(
        f"<img name={name} alt=x>" for name in (*names, "body", "documentElement", "getAnimations", "activeElement")
    )
    assert len(matches(Finder(role="textbox"), survey(form + clobbered))) == len(names)
