"""The documentation under the site: the Markdown pages of docs/, their pictures, and an index that the search
reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from probatio.core.extras import require
from probatio.core.inside import read_inside
from probatio.site.rendering import NoPage, PageReply, PageRequest, html
from probatio.site.shipped import TUTORIALS, DocPage, find_shipped, list_pages
from probatio.site.snapshot import Site

if TYPE_CHECKING:
    from markdown_it.token import Token

_COMMENT = re.compile(r"^<!--.*?-->\n?", re.MULTILINE | re.DOTALL)
_NOT_SLUG = re.compile(r"[^\w\- ]")
_PAGE = re.compile(r"(?:docs/)?([a-z0-9-]+)\.md(#[\w-]*)?")
_PICTURE = re.compile(r"images/([a-z0-9-]+\.(?:png|svg))")
APART = " · "
"""Between paragraphs, cells and lines of code, so that their words are not one sentence in a result."""
_KINDS = {"png": "image/png", "svg": "image/svg+xml"}


class Section(NamedTuple):
    """A part of a page that the search finds: a heading and the words below it."""

    page: str
    title: str
    anchor: str
    heading: str
    text: str


class RenderedDoc(NamedTuple):
    """A page as HTML, and its sections."""

    body: str
    sections: tuple[Section, ...]


def index(request: PageRequest) -> PageReply:
    return html(request, "docs_index.html", groups=_group_pages())


def _group_pages() -> dict[str, list[DocPage]]:
    groups: dict[str, list[DocPage]] = {}
    for each in list_pages():
        groups.setdefault(each.group, []).append(each)
    return groups


def page(request: PageRequest) -> PageReply:
    known = {each.name: each for each in list_pages()}
    shown = request.find("slug", known)
    # The tutorials before and after this one. Other pages have no order.
    there = [known[each] for each in TUTORIALS if each in known]
    at = there.index(shown) if shown in there else None
    return html(
        request,
        "docs_page.html",
        page=shown,
        body=render_doc(shown).body,
        groups=_group_pages(),
        before=there[at - 1] if at else None,
        after=there[at + 1] if at is not None and at + 1 < len(there) else None,
    )


def picture(request: PageRequest) -> PageReply:
    path = find_shipped("docs") / "images" / request.names["image"]
    if not path.is_file():
        raise NoPage
    return PageReply(read_inside(path), _KINDS[path.suffix[1:]])


def every_page(site: Site) -> Iterator[dict[str, str]]:
    for each in list_pages():
        yield {"slug": each.name}


def every_picture(site: Site) -> Iterator[dict[str, str]]:
    """The pictures that a page shows."""
    for name in sorted({name for each in list_pages() for name in _PICTURE.findall(each.text())}):
        if (find_shipped("docs") / "images" / name).is_file():
            yield {"image": name}


@cache
def render_doc(page: DocPage) -> RenderedDoc:
    """The page as HTML. Raw HTML in it is shown as text."""
    require("markdown_it")
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = parser.parse(_COMMENT.sub("", page.text()))
    tables = 0
    anchors: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(_words(tokens[at + 1]), anchors))
        elif token.type in ("fence", "code_block"):
            token.attrSet("tabindex", "0")  # long lines scroll, with the keyboard, too
        elif token.type == "table_open":
            tables += 1
            token.meta["number"] = tables
        elif token.type in ("th_open", "td_open"):
            if "right" in str(token.attrs.pop("style", "")):  # the pages allow no style of their own
                token.attrSet("class", "num")
        elif token.type == "inline":
            _relink(token)
    for rule, shown in (
        ("table_open", _table_open),
        ("table_close", lambda *_: "</table></div>\n"),
        ("fence", _code),
        ("code_block", _code),
    ):
        parser.add_render_rule(rule, shown)
    return RenderedDoc(parser.renderer.render(tokens, parser.options, {}), tuple(_sections(page, tokens)))


def _anchor(heading: str, taken: dict[str, int]) -> str:
    """The name of a heading in an address, as on GitHub, so that links between pages work in both places."""
    plain = _NOT_SLUG.sub("", heading.strip().lower()).replace(" ", "-")
    number = taken[plain] = taken.get(plain, -1) + 1
    return f"{plain}-{number}" if number else plain


def _words(inline: Token) -> str:
    return "".join(child.content for child in inline.children or () if child.type in ("text", "code_inline"))


def _relink(inline: Token) -> None:
    """Links to pages and pictures lead to those of the site. A link to a file of the repository becomes plain
    text."""
    known = {each.name for each in list_pages()}
    kept: list[Token] = []
    dropped = 0
    for token in inline.children or ():
        if token.type == "image":
            match = _PICTURE.fullmatch(str(token.attrGet("src")))
            if match:
                token.attrSet("src", f"../images/{match[1]}")
            else:  # a picture of a recorded run, which is not part of the documentation
                token.type, token.tag, token.children = "text", "", None
        elif token.type == "link_open":
            target = str(token.attrGet("href"))
            match = _PAGE.fullmatch(target)
            if match and match[1] in known:
                token.attrSet("href", f"../{match[1]}/{match[2] or ''}")
            elif not target.startswith(("https://", "#")):
                dropped += 1
                continue
        elif token.type == "link_close" and dropped:
            dropped -= 1
            continue
        kept.append(token)
    inline.children = kept


def _sections(page: DocPage, tokens: Sequence[Token]) -> Iterator[Section]:
    anchor, heading, text = "", page.title, list[str]()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            if text:
                yield Section(page.name, page.title, anchor, heading, APART.join(filter(None, text)))
            anchor, heading, text = str(token.attrGet("id")), _words(tokens[at + 1]), []
        elif token.type == "inline" and (at == 0 or tokens[at - 1].type != "heading_open"):
            text.append(_words(token))
        elif token.type in ("fence", "code_block"):
            text += [line for line in map(str.strip, token.content.splitlines()) if line]
    if text:
        yield Section(page.name, page.title, anchor, heading, APART.join(filter(None, text)))


def _table_open(_renderer: object, tokens: Sequence[Token], at: int, *_: Any) -> str:
    label = f"Table {tokens[at].meta['number']}"
    return f'<div class="scroll" role="region" aria-label="{label}" tabindex="0"><table>\n'


def _code(_renderer: object, tokens: Sequence[Token], at: int, *_: Any) -> str:
    from markdown_it.common.utils import escapeHtml

    text = tokens[at].content
    focus = ' tabindex="0"' if len(text) / 28 + text.count("\n") > 20 else ""  # only a long one scrolls
    return f"<pre{focus}><code>{escapeHtml(text)}</code></pre>\n"
