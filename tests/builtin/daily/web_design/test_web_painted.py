"""What is not painted does not count: a page that shows nothing earns nothing, by whatever trick it is empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import pytest

from builtin.daily.web_design.shared_tab import shared_tab
from probatio.builtin.daily.web_design.hands import NARROW, WIDE, examine
from probatio.builtin.daily.web_design.painted import Place, is_painted, moments
from probatio.builtin.daily.web_design.snapshot import Finder, Snapshot, matches
from probatio.jail.browser import driver as browser
from probatio.jail.browser.page import OpenPage

pytestmark = pytest.mark.slow  # a real browser

SHEET = "position:fixed;inset:0;background:#fff;z-index:9;pointer-events:none"
WHITE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'%3E%3Crect width='99' height='99' fill='white'/%3E%3C/svg%3E"
# Two frames of 10 ms, white and grey, for ever.
BLINKING = "data:image/gif;base64,R0lGODlhAQABAJEAAP///8zMzAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQABQAAACwAAAAAAQABAAACAkQBACH5BAAFAAAALAAAAAABAAEAAAICTAEAOw=="

BLANK = {
    "a fixed sheet": f"<style>body::after{{content:'';{SHEET}}}</style>",
    "a sheet before the page": f"<style>html::before{{content:'';{SHEET}}}</style>",
    "a fixed element": f"<div style='{SHEET}'></div>",
    "an absolute one": "<div style='position:absolute;inset:0 0 auto;height:9999px;background:#fff;pointer-events:none'></div>",
    "a sheet of tiles": "".join(f"<div style='position:fixed;left:0;width:100%;height:10vh;top:{n}0vh;background:#fff;pointer-events:none;z-index:9'></div>" for n in range(10)),
    "a sheet in colour of the text": f"<style>body{{color:#fff}}h1,p,button,label{{color:#000}}</style><div style='{SHEET};background:currentColor'></div>",
    "a shadow": "<div style='position:fixed;top:50%;left:50%;width:1px;height:1px;box-shadow:0 0 0 2000px #fff;pointer-events:none'></div>",
    "an outline": "<div style='position:fixed;top:50%;left:50%;width:1px;height:1px;outline:2000px solid #fff;pointer-events:none'></div>",
    "a border": f"<div style='{SHEET};background:none;border:900px solid #fff'></div>",
    "a gradient sheet": f"<div style='{SHEET};background:linear-gradient(#fff,#fdfdfd)'></div>",
    "a sheet of nearly white": f"<div style='{SHEET};background:rgb(255 255 255/97%)'></div>",
    "a picture": f"<img alt='' style='{SHEET};width:100vw;height:100vh' src=\"{WHITE}\">",
    "a drawing": f"<svg style='{SHEET};width:100vw;height:100vh'><rect width=3000 height=3000 fill=white /></svg>",
    "a canvas": f"<canvas style='{SHEET};width:100vw;height:100vh'></canvas>",
    "a frame": f"<iframe title=x style='{SHEET};border:0;width:100vw;height:100vh' srcdoc='<body style=background:#fff>'></iframe>",
    "a field": f"<textarea aria-label=x style='{SHEET};border:0;width:100vw;height:100vh'></textarea>",
    "one letter": f"<div style='{SHEET};background:none;color:#fff;font:3000px/1 sans-serif' aria-hidden=true>█</div>",
    "a dialog": "<dialog id=d style='border:0;width:100vw;height:100vh;max-width:none;max-height:none;pointer-events:none'></dialog><script>d.showModal()</script>",
    "a backdrop": "<style>dialog::backdrop{background:#fff}</style><dialog id=d style='opacity:0'></dialog><script>d.showModal()</script>",
    "a popover": "<div id=d popover=manual style='border:0;width:100vw;height:100vh;margin:0;pointer-events:none'></div><script>d.showPopover()</script>",
    "a blinking sheet": f"<div style='{SHEET};background:url({BLINKING})'></div>",
    "a striped sheet": f"<div style='{SHEET};background:repeating-linear-gradient(#fff 0 9px,#ccc 9px 18px)'></div>",
    "a backdrop filter": f"<div style='{SHEET};background:none;backdrop-filter:invert(1) brightness(0) invert(1)'></div>",
    "a blur": f"<div style='{SHEET};background:none;backdrop-filter:blur(80px)'></div>",
    "flood": "<style>html{filter:url(#f)}</style><svg width=0 height=0><filter id=f x=0 y=0 width=1 height=1><feFlood flood-color=white /></filter></svg>",
    "matrix": "<style>body{filter:url(#f)}</style><svg width=0 height=0><filter id=f><feColorMatrix values='0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0'/></filter></svg>",
    "transfer": "<style>body{filter:url(#f)}</style><svg width=0 height=0><filter id=f><feComponentTransfer><feFuncA type=table tableValues='0 0'/></feComponentTransfer></filter></svg>",
    "turned over": "<style>body{filter:grayscale(1) contrast(.02) brightness(3)}</style>",
    "no contrast": "<style>body{filter:contrast(0)}</style>",
    "a filter in a list": "<style>body{filter:invert(1) brightness(.15) brightness(.15) brightness(.15) invert(1)}</style>",
    "nearly no opacity": "<style>body{opacity:.01}</style>",
    "blend: screen": "<style>html{background:#fff}body{background:#fff}h1,p,button,label,input{mix-blend-mode:screen}</style>",
    "blend: a sheet": f"<div style='{SHEET};mix-blend-mode:lighten'></div>",
    "blend: a sheet added": f"<div style='{SHEET};mix-blend-mode:plus-lighter'></div>",
    "mask of no size": "<style>body{mask:linear-gradient(#000,#000) no-repeat;mask-size:0 0}</style>",
    "mask elsewhere": "<style>body{mask:linear-gradient(#000,#000) -9999px 0/10px 10px no-repeat}</style>",
    "mask of a drawing": "<style>body{mask:url(#m)}</style><svg width=0 height=0><mask id=m></mask></svg>",
    "clip to a point": "<style>body{clip-path:circle(0)}</style>",
    "clip to nothing": "<style>body{clip-path:polygon(0 0)}</style>",
    "clip by a drawing": "<style>body{clip-path:url(#m)}</style><svg width=0 height=0><clipPath id=m></clipPath></svg>",
    "transparent first line": "<style>h1::first-line,p::first-line,button::first-line,label::first-line{color:transparent}label,button{display:block}</style>",
    "transparent letters": "<style>*{-webkit-text-fill-color:transparent}</style>",
    "background that is no text": "<style>*{color:transparent;background-clip:text;background-image:linear-gradient(#fff,#fff)}</style>",
    "text of the ground's colour": "<style>*{color:#fff;background:#fff;border-color:#fff}</style>",
    "letters of no size": "<style>*{font-size:0}</style>",
    "a tenth of a pixel": "<style>*{font-size:.1px}</style>",
    "out of the window": "<style>h1,p,button,label{text-indent:-9999px}</style>",
    "letters apart": "<style>*{letter-spacing:-99px}</style>",
    "shrunk": "<style>body{transform:scale(0)}</style>",
    "turned away": "<style>body{transform:rotateX(90deg)}</style>",
    "turned away twice": "<style>body{transform:rotateY(90deg);perspective:1px}</style>",
    "zoomed away": "<style>body{zoom:.01}</style>",
    "skipped": "<style>main{content-visibility:hidden}</style>",
    "cut off": "<style>main{height:0;overflow:hidden}</style>",
    "cut off elsewhere": "<style>main{position:relative;left:-3000px}html{overflow:hidden}</style>",
    "endless: out of sight": "<style>@keyframes x{from,to{opacity:0}}body{animation:x 1s infinite}</style>",
    "endless: seen for a moment": "<style>@keyframes x{0%,97%{opacity:0}98%,100%{opacity:1}}body{animation:x 3s infinite}</style>",
    "endless: away": "<style>@keyframes x{from,to{transform:translateX(-3000px)}}body{animation:x 1s infinite}</style>",
    "endless: a sheet": f"<style>@keyframes x{{from,to{{opacity:1}}}}</style><div style='{SHEET};opacity:0;animation:x 1s infinite'></div>",
    "an hour of fading in": "<style>@keyframes x{from{opacity:0}}body{animation:x 3600s steps(2)}</style>",
    "an hour of waiting": "<style>@keyframes x{from{opacity:0}}body{animation:x 1s 3600s both}</style>",
    "a slow transition": "<style>body{opacity:0;transition:opacity 9000s}body.a{opacity:1}</style><script>document.body.offsetTop;document.body.className='a'</script>",
    "by script: animation": "<script>document.body.animate({opacity:[0,0]},{duration:1000,iterations:Infinity})</script>",
    "by script: each frame": "<script>(function f(){document.body.style.opacity=0;requestAnimationFrame(f)})()</script>",
    "by script: a canvas": f"<canvas id=c style='{SHEET};background:none;width:100vw;height:100vh'></canvas><script>c.getContext('2d').fillStyle='#fff';c.getContext('2d').fillRect(0,0,999,999)</script>",
    "by script: when the texts go": f"<style>*{{transition:-webkit-text-fill-color 1ms}}</style><div id=s style='{SHEET}'></div><script>addEventListener('transitionrun',()=>s.remove(),true);setInterval(()=>{{if(document.adoptedStyleSheets.length)s.remove()}},1)</script>",
    "by scrolling": f"<style>@keyframes x{{from,to{{opacity:1}}}}#s{{opacity:0;animation:x linear both;animation-timeline:scroll()}}</style><div id=s style='{SHEET}'></div><div style='height:3000px'></div>",
}  # fmt: skip
ORDINARY = {
    "as it is": "",
    "dark": "<style>html{background:#111}*{color:#eee;fill:#eee}button,input{background:#333}</style>",
    "long": "<style>h1,p{margin:900px 0}</style>",
    "fading in": "<style>@keyframes x{from{opacity:0}}body{animation:x 1s .5s both}</style>",
    "pulsing": "<style>@keyframes x{50%{opacity:.6}}h1{animation:x 2s infinite}</style>",
    "turning": "<style>@keyframes x{to{transform:rotate(360deg)}}i{animation:x 2s infinite}</style><i>o</i>",
    "transitions on everything": "<style>*{transition:all .3s}</style>",
    "a slow transition of everything": "<style>*{transition:all 60s}</style>",
    "a gradient in the text": "<style>h1{background:linear-gradient(90deg,#a00,#00a);background-clip:text;color:transparent}</style>",
    "a gradient filled in": "<style>h1,p{background:linear-gradient(90deg,#a00,#00a);-webkit-background-clip:text;-webkit-text-fill-color:transparent}</style>",
    "a bar on top": "<header style='position:sticky;top:0;background:#fff;height:60px;z-index:3'>Quill</header><style>p{margin:900px 0}</style>",
    "a bar below": "<footer style='position:fixed;bottom:0;left:0;right:0;background:#fff;height:60px'>Quill</footer><style>p{margin:900px 0}body{padding-bottom:80px}</style>",
    "in a box that scrolls": "<style>main{height:420px;overflow:auto}</style>",
    "in a box that scrolls sideways": "<style>main{overflow-x:auto}main>div{width:3000px;text-align:right}</style>",
    "a moving picture": f"<img alt='' width=40 height=40 src='{BLINKING}'>",
    "a picture behind it": f"<style>body{{background:url(\"{WHITE}\")}}</style>",
    "a shadow": "<style>*{text-shadow:0 1px 2px #999}</style>",
    "blended": "<style>h1{mix-blend-mode:multiply}</style>",
    "masked at its edge": "<style>main{mask-image:linear-gradient(#000 90%,transparent)}</style>",
    "shown while it is scrolled to": "<style>@keyframes x{from{opacity:0}}p{margin:900px 0;animation:x linear both;animation-timeline:view();animation-range:entry}</style>",
    "shown by an observer": "<style>p{margin:900px 0;opacity:0}p.in{opacity:1}</style><script>new IntersectionObserver((all)=>all.forEach((o)=>o.isIntersecting&&o.target.classList.add('in'))).observe(document.querySelector('p'))</script>",
    "faint": "<style>*{color:#c8c8c8}</style>",
    "thin": "<style>*{font-weight:100;font-size:11px}</style>",
    "huge": "<style>h1,p,button,label{font-size:60px}</style>",
    "of another script": "<p>日本語のテキスト — עברית — हिन्दी</p>",
    "from right to left": "<style>main{direction:rtl}svg{direction:ltr}</style>",
    "rules of great weight": "<style>#x#x *{color:#222!important;-webkit-text-fill-color:currentColor}</style>",
    "fields without an edge": "<style>label{border:1px solid;padding:4px}input{border:0;outline:0;background:none}</style>",
    "by script: each frame": "<script>let n=0;(function f(){document.title=n++;requestAnimationFrame(f)})()</script>",
}  # fmt: skip
BODY = (
    "<main id=x><div><h1>Plans for every notebook</h1><p>Prices exclude VAT. Cancel any time.</p>"
    "<button>Choose Plus</button><label>Full name <input></label>"
    "<svg width=90 height=20><text y=15>42 loans</text></svg></div></main>"
)
WANTED = [
    Finder(role="heading", exact="Plans for every notebook"),
    Finder(role="paragraph", text="Cancel any time."),
    Finder(role="button", name="Choose Plus"),
    Finder(role="textbox"),
    Finder(tag="main", text="42 loans"),
]


TEXTS = WANTED[:3]


class Examine(Protocol):
    def __call__(self, trick: str, size: tuple[int, int] = WIDE) -> Snapshot: ...


@pytest.fixture(scope="module")
def page_with() -> Iterator[Examine]:
    state = browser.available()
    if not state.works:
        pytest.skip(f"no browser here: {state.sentence}")
    with shared_tab() as tab:

        def snapshot(trick: str, size: tuple[int, int] = WIDE) -> Snapshot:
            async def see(page: OpenPage) -> Snapshot:
                await page.load(*size)
                return await examine(page)

            return tab.examine(f"<!doctype html><html lang=en><title>t</title><body>{BODY}{trick}", see)

        yield snapshot


FEW_BLANK = (
    "a fixed sheet",
    "flood",
    "blend: screen",
    "mask of no size",
    "transparent first line",
    "endless: out of sight",
)
FEW_ORDINARY = ("as it is", "dark", "fading in", "a gradient in the text", "in a box that scrolls")


@pytest.mark.parametrize("name", FEW_BLANK)
def test_what_is_not_painted_is_not_there(page_with: Examine, name: str) -> None:
    assert not [finder for finder in TEXTS if matches(finder, page_with(BLANK[name]))]


@pytest.mark.parametrize("name", FEW_ORDINARY)
def test_an_ordinary_page_is_there_with_all_it_has(page_with: Examine, name: str) -> None:
    seen = page_with(ORDINARY[name])
    assert all(matches(finder, seen) for finder in WANTED)


@pytest.mark.soak
@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("name", BLANK)
def test_no_trick_makes_a_blank_page_count(page_with: Examine, name: str, size: tuple[int, int]) -> None:
    seen = page_with(BLANK[name], size)
    assert [finder for finder in TEXTS if matches(finder, seen)] == []


@pytest.mark.soak
@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("name", ORDINARY)
def test_no_ordinary_page_loses_anything(page_with: Examine, name: str, size: tuple[int, int]) -> None:
    seen = page_with(ORDINARY[name], size)
    assert [finder for finder in WANTED if not matches(finder, seen)] == []


def test_a_line_needs_ink_along_its_whole_length() -> None:
    full = np.zeros((20, 300, 3), np.uint8)
    ink = np.zeros((20, 300), np.bool_)
    line = Place(0, "text", [(0, 0, 300, 20)])
    assert not is_painted(line, full, ink)
    ink[10, :100:2] = True
    assert not is_painted(line, full, ink), "a third of it"
    ink[10, ::2] = True
    assert is_painted(line, full, ink)
    ink[:] = True
    assert not is_painted(line, full, ink), "no letters fill a line"


def test_the_moments_of_a_look_are_those_of_the_page() -> None:
    assert moments(b"a") == moments(b"a") != moments(b"b")
    assert all(2000 <= moment <= 8000 for moment in moments(b"a"))
