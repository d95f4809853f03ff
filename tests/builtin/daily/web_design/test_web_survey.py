"""What the survey sees of a page: contrast, edges, labels, and what is only pretended to be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pytest

from builtin.daily.web_design.shared_tab import shared_tab
from probatio.builtin.daily.web_design.hands import NARROW, WIDE, look
from probatio.builtin.daily.web_design.snapshot import Finder, Snapshot, matches, readable_share
from probatio.jail.browser import driver as browser
from probatio.jail.browser.page import OpenPage

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
        (
            "<p style='color:transparent;background:linear-gradient(#000,#777);background-clip:text'>here",
            4.48,
        ),
    ],
)
def test_contrast_is_that_of_the_worst_ground_behind_the_text(
    survey: Survey, body: str, expected: float
) -> None:
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
        "<button "
        "style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)'>Go</button>",
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


def picture(colour: str, size: int = 40) -> str:
    """A background in the page itself, of one colour."""
    square = f"width=%27{size}%27 height=%27{size}%27"
    svg = (
        f"%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 {square}%3E%3Crect {square} "
        f"fill=%27{colour}%27/%3E%3C/svg%3E"
    )
    return f'url("data:image/svg+xml,{svg}")'


def behind(background: str, text: str = "color:#fff", inner: str = "") -> str:
    return (
        f"<style>main {{ background: {background} }} p {{ {text} }}</style><main><p id=it>Most "
        f"popular{inner}</p></main>"
    )


@pytest.mark.parametrize(
    "trick",
    [
        behind("url(https://elsewhere.test/a.png)"),
        behind("url(nothing.png)"),
        behind(picture("white")),
        behind(f"{picture('white')}, linear-gradient(#000, #000)"),
        behind("linear-gradient(#fff, #fff)"),
        behind("linear-gradient(#fff, #fefefe), #000"),
        behind(picture("black"), "color:#000"),
        behind("none", "filter:opacity(0)"),
        behind("none", "filter:opacity(50%) opacity(.2)"),
        behind("none", "filter:blur(9px)"),
        behind("none", "filter:contrast(0)"),
        behind("none", "mask-image:linear-gradient(transparent, transparent)"),
        behind("none", "mask-image:url(nothing.svg)"),
        behind("none", "clip-path:circle(0)"),
        behind("none", "clip-path:inset(100%)"),
        behind("none", "clip-path:inset(0 100% 0 0)"),
        behind("none", "clip-path:polygon(0 0, 0 0, 0 0)"),
        behind("none", "transform:scale(0)"),
        behind("none", "transform:scale(.1)"),
        behind("none", "transform:scale(.2)"),
        behind("none", "transform:rotateX(90deg)"),
        behind("none", "transform:rotateY(180deg);backface-visibility:hidden"),
        behind("none", "transform:translateX(-9999px)"),
        behind("none", "font-size:0"),
        behind("none", "zoom:.1"),
        behind("none", "text-indent:-9999px"),
        behind("none", "letter-spacing:-1em"),
        behind("none", "-webkit-text-fill-color:transparent"),
        behind("none", "color:rgb(0 0 0 / 3%)"),
        behind("none", "-webkit-text-security:disc"),
        behind("none", "direction:rtl;unicode-bidi:bidi-override"),
        behind("none", "width:0;height:0;overflow:hidden"),
        behind("none", "max-height:0;overflow:clip"),
        behind("none", "content-visibility:hidden"),
        behind("none", "position:relative;z-index:-1;") + "<style>main { position: relative; z-index: 0; } "
        "main::before { content: none } body { background: #fff }</style>"
        "<div style='position:absolute;inset:0;background:#fff'></div>",
        behind("none", "") + "<div style='position:fixed;inset:0;background:#fff'></div>",
        behind("none", "")
        + "<div style='position:absolute;inset:0;background:linear-gradient(#fff,#eee)'></div>",
        behind("none", "", "<span style='position:absolute;inset:0;background:#fff'></span>")
        + "<style>p { position: relative }</style>",
        behind("#000", "position:relative;color:#fff")
        + "<style>main { position: relative } main::before { } </style><script>const d = "
        "document.createElement('div');"
        "d.style.cssText = 'position:absolute;inset:0;background:#fff'; "
        "document.querySelector('main').prepend(d)</script>",
    ],
)
def test_a_text_that_no_eye_can_read_is_not_there(survey: Survey, trick: str) -> None:
    assert not matches(Finder(tag="body", text="Most popular"), survey(trick))


@pytest.mark.parametrize(
    "honest",
    [
        behind(picture("navy")),
        behind(f"{picture('navy')} center / cover no-repeat"),
        behind("url(nothing.png) #114"),
        behind(f"linear-gradient(#0008, #0008), {picture('white')}"),
        behind(f"{picture('%23fff', 8)} no-repeat left center, #225"),
        behind(picture("white"), "color:#333"),
        behind("none", "filter:drop-shadow(0 0 2px #000) brightness(1.1)"),
        behind("none", "mask-image:linear-gradient(#000 60%, transparent)"),
        behind("none", "clip-path:inset(0 round 8px)"),
        behind("none", "transform:rotate(-2deg) scale(.9)"),
        behind("none", "pointer-events:none"),
        behind("none", "letter-spacing:-.02em"),
        behind("none", "writing-mode:vertical-rl"),
        behind("none", "display:contents"),
        behind("none", f"color:transparent;background:{picture('navy')};background-clip:text"),
        behind("none", "position:relative") + "<a href=# style='position:absolute;inset:0'></a>",
        "<header style='position:sticky;top:0;background:#fff;height:90px;z-index:3'>bar</header>"
        + behind("none", ""),
        (
            "<header style='position:fixed;inset:0 0 "
            "auto;background:#fff;height:50px'>bar</header><br><br><br>"
        ) + behind("none", ""),
        "<div style='height:2500px'></div>" + behind("none", ""),
        "<style>:root { color-scheme: dark }</style><p>Most popular</p>",
        "<div inert><p>Most popular</p></div>",
        "<svg width=200 height=30><text y=20>Most popular</text></svg>",
        "<p>Most&nbsp;pop&shy;ular</p>", "<p>Most&#8203; p<i>opu</i>lar</p>", "<p><b>Most</b> popular</p>",
        "<p>Most <b>pop</b><wbr>ular</p>", "<p style='text-transform:uppercase'>most popular</p>",
        "<style>p::after { content: 'popular' }</style><p>Most </p>",
    ],
)  # fmt: skip
def test_a_text_that_can_be_read_is_there_however_it_is_made(survey: Survey, honest: str) -> None:
    assert matches(Finder(tag="body", text="Most popular"), survey(honest))


@pytest.mark.parametrize(
    "price",
    [
        "<p class=price><strong>$0</strong> / month</p>",
        "<p>$<b>0</b> / month</p>",
        "<p><sup>$</sup>0<span> / month</span></p>",
        "<p><span>$</span><span>0</span><small>/<!-- -->month</small></p>",
        "<p>&#36;0&nbsp;/&nbsp;month</p>",
        "<p>$0&#8201;/&#8201;month</p>",
        "<div style='display:flex'><span>$0</span><span>/ month</span></div>",
        "<p><span aria-hidden=true>$0 / month</span></p>",
        "<p aria-label='zero dollars per month'>$0 / month</p>",
        "<style>b::before { content: '$' } b::after { content: ' / month' }</style><p><b>0</b></p>",
        "<style>p::before { content: '$' }</style><p>0 / month</p>",
    ],
)
def test_a_price_is_there_however_it_is_split_over_elements(survey: Survey, price: str) -> None:
    assert matches(
        Finder(id="it", text="$0 / month"), survey(f"<article id=it><h2>Free</h2>{price}</article>")
    )


@pytest.mark.parametrize(
    "other",
    [
        "<p>/ month <strong>$0</strong></p>",
        "<p>$0</p><p hidden>/ month</p>",
        "<p>$<s style='display:none'>0</s> / month</p>",
        "<style>b::before { content: '$0 / month'; display: none }</style><b>x</b>",
        "<style>b::before { content: '$0 / month'; color: #fff }</style><b>x</b>",
        "<style>b::before { content: '$0 / month'; position: absolute; left: -99em }</style><b>x</b>",
    ],
)
def test_another_order_or_a_hidden_half_is_no_price(survey: Survey, other: str) -> None:
    assert not matches(Finder(id="it", text="$0 / month"), survey(f"<article id=it>{other}</article>"))


@pytest.mark.parametrize(
    "honest",
    [
        "<button>Go</button>",
        "<div role=button tabindex=0>G<b>o</b></div>",
        "<input type=submit value=Go>",
        "<button aria-label=Go><svg width=10 height=10><rect width=10 height=10 /></svg></button>",
        "<button aria-label=Go style='width:40px;height:20px;background:#225;border:0'><i></i></button>",
        "<div style='height:60px;overflow:auto'><p style='height:900px'>long</p><button>Go</button></div>",
        "<style>@keyframes in { from { opacity: 0 } } button { animation: in 2s 1s both "
        "}</style><button>Go</button>",
        "<div style='height:3000px'></div><button id=b style='opacity:0'>Go</button><script>new "
        "IntersectionObserver((all) => "
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


LINE = (
    "<p style='white-space:nowrap;margin:0'>a line that is far too long for any phone and does not wrap at "
    "all</p>"
)


@pytest.mark.parametrize(
    ("body", "low", "high"),
    [
        ("<p>short", 0, 0),
        ("<div style='width:500px;height:9px'></div>", 132, 134),
        ("<style>body { overflow-x: hidden }</style>" + LINE, 30, 250),
        ("<style>html { overflow-x: clip }</style>" + LINE, 30, 250),
        ("<div style='overflow-x:auto'><table><td style='min-width:900px'>wide", 0, 0),
        (
            "<style>body { overflow-x: hidden }</style><nav "
            "style='position:fixed;left:375px;width:200px'>drawer</nav>",
            0,
            0,
        ),
    ],
)
def test_overflow_is_what_a_phone_cannot_show(survey: Survey, body: str, low: int, high: int) -> None:
    assert low <= survey(body, NARROW).overflow <= high


def test_what_lies_wholly_beyond_a_shut_edge_is_not_there(survey: Survey) -> None:
    body = (
        "<style>body { overflow-x: hidden }</style><button style='position:absolute;left:400px'>Go</button>"
    )
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
        f"<img name={name} alt=x>"
        for name in (*names, "body", "documentElement", "getAnimations", "activeElement")
    )
    assert len(matches(Finder(role="textbox"), survey(form + clobbered))) == len(names)


NAMES = (
    "computedRole",
    "computedName",
    "tabIndex",
    "attributes",
    "textContent",
    "nodeType",
    "disabled",
    "type",
    "value",
    "labels",
    "checked",
    "open",
    "scrollWidth",
    "clientWidth",
    "scrollHeight",
    "localName",
    "data",
    "contains",
    "closest",
    "matches",
    "style",
    "elements",
    "children",
    "firstChild",
    "parentNode",
    "ownerDocument",
    "toString",
    "constructor",
    "__proto__",
    "length",
    "focus",
    "options",
    "selectedOptions",
    "getClientRects",
    "scrollIntoView",
    "toJSON",
    "then",
)
SHADOWING = (
    "document",
    "createRange",
    "compatMode",
    "title",
    "elementsFromPoint",
    "elementFromPoint",
    "getElementById",
    "createTreeWalker",
    "querySelector",
    "defaultView",
    "documentElement",
    "probatioElements",
    "probatioPictures",
    "innerWidth",
    "scrollTo",
    "localStorage",
    "getComputedStyle",
    "JSON",
    "Map",
    "OffscreenCanvas",
    "Image",
    "Range",
    "toJSON",
    "then",
)


@pytest.mark.parametrize("role", ["", "role=textbox", "role=combobox tabindex=0"])
@pytest.mark.parametrize("tag", ["input", "button", "select", "img", "output"])
def test_no_name_of_a_field_or_an_id_misleads_the_survey(survey: Survey, tag: str, role: str) -> None:
    inside = "".join(f"<{tag} name='{name}' id='{name}' aria-label='{name}'></{tag}>" for name in NAMES)
    around = "".join(
        f"<img name='{name}' alt=x><form name='{name}'></form><a id='{name}'></a>" for name in SHADOWING
    )
    seen = survey(f"<form id=f {role} aria-label=form>{inside}<button>Go</button></form>{around}")
    form = next(one for one in seen.elements if one.id == "f")
    assert form.name == "form"
    assert form.role == (role.split()[0].partition("=")[2] if role else "form")
    assert matches(Finder(role="button", name="Go"), seen)
    assert seen.document.title == "t"
    assert seen.document.doctype


def test_half_a_surrogate_pair_anywhere_on_the_page_is_no_error(survey: Survey) -> None:
    seen = survey(
        "<p id=it></p><button id=b></button><input id=i><script>const half = '😀 Ada'[0], rest = half + ' "
        "Ada';"
        "it.textContent = rest; b.textContent = 'Go'; b.setAttribute('aria-label', rest); b.title = rest; "
        "i.value = rest;"
        "b.id = rest; document.title = rest; document.documentElement.lang = rest; "
        "it.setAttribute('aria-current', rest);"
        "try { localStorage.setItem(rest, rest); localStorage.setItem('length', '9');"
        "localStorage.setItem('getItem', half) } catch {}"
        "</script>"
    )
    assert matches(Finder(id="it", text="Ada"), seen)
    assert seen.document.title == "\ufffd Ada"


def test_what_a_page_says_of_itself_is_bounded(survey: Survey) -> None:
    seen = survey(
        "<script>const long = 'x'.repeat(2e6); document.title = long; document.documentElement.lang = long;"
        "for (let i = 0; i < 9000; i++) { const one = document.createElement('p'); one.id = i < 3 ? long + "
        "i : 'i' + i;"
        "one.setAttribute('aria-label', long.slice(0, 9000)); one.append('a', 'b'); "
        "document.body.append(one); }"
        "let deep = document.body; for (let i = 0; i < 800; i++) { const one = "
        "document.createElement('section');"
        "one.id = 'd' + i; deep.append(one); deep = one } </script>"
    )
    assert len(seen.elements) <= 6000
    assert len(seen.runs) <= 3000
    assert max(len(one.text) + len(one.name) + len(one.id) for one in seen.elements) < 5000
    assert max(len(one.within) for one in seen.elements) <= 100
    assert len(seen.document.title) <= 600
