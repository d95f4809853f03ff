"""Requests and replies of the site, and the one place where templates are filled in."""

from __future__ import annotations

import datetime
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import jinja2
import msgspec

from probatio import __version__
from probatio.core.extras import list_installed
from probatio.core.records import LOOKS
from probatio.watch.ledger.ledger import SHORT

if TYPE_CHECKING:
    from probatio.site.facts.runs import StudiedRun
    from probatio.site.snapshot import Site, TrackedModel

T = TypeVar("T")

HTML = "text/html; charset=utf-8"
JSON = "application/json"
CSV = "text/csv; charset=utf-8"
SVG = "image/svg+xml"
PNG = "image/png"

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A picture carries its own colours and loads nothing."""

MISSING = "404.html"
FOLDER = Path(__file__).parent
_DATE = re.compile(r"(?<![\w./-])\d{4}-\d{2}-\d{2}(?![\w-])")  # not that in gpt-4o-2024-08-06
_BELOW_ZERO = re.compile(r"(?<![\w.)-])-(?=\d)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PageReply:
    """The reply to a reader: bytes, a file to be sent as it is, or the address to which the page has
    moved."""

    body: bytes = b""
    kind: str = HTML
    policy: str = POLICY
    file: Path | None = None
    framed_by: str = "'self'"  # whose pages may show it in a frame
    moved: str = ""  # relative to the page asked for; the build never asks for such a page


class NoPage(LookupError):
    """An address of the right form for which there is no page."""


@dataclass(frozen=True)
class PageRequest:
    """A request for a page: its address under the site's root, and what the address names."""

    site: Site
    path: str
    names: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The way from this page to the root of the site, so that the site works under any path."""
        # A host shows this file at any address that is not there.
        if self.path == MISSING and self.site.base_url:
            return urlsplit(self.site.base_url).path or "/"
        return "../" * self.path.count("/") or "./"

    def find(self, name: str, there: Mapping[str, T]) -> T:
        """What the address names, of all that is there."""
        found = there.get(self.names[name])
        if found is None:
            raise NoPage
        return found

    def find_slug(self, name: str, slugs: Mapping[T, str]) -> T:
        """What has the slug that the address names."""
        return self.find(name, {slug: each for each, slug in slugs.items()})

    @property
    def tracked(self) -> TrackedModel:
        """The tracked model whose slug the address names."""
        return self.find("slug", self.site.tracked)

    @property
    def run(self) -> StudiedRun:
        """The run that the address names."""
        return self.find("run", self.site.runs)


def html(request: PageRequest, template: str, **context: Any) -> PageReply:
    text = (
        _templates()
        .get_template(template)
        .render(site=request.site, root=request.root, path=request.path, **context)
    )
    return PageReply(text.encode("utf-8", "replace"))


PAGE_BYTES = 150_000
"""No page is larger. What has no room on it is on further pages, or in a file that the page names."""


def fit(request: PageRequest, template: str, most: int, least: int = 1, **context: Any) -> PageReply:
    """A page whose lists or texts are cut at `most`, or at less, so that it is no larger than a page may be.
    The template gets the number, and says what it left out and where that is."""
    while True:
        page = html(request, template, most=most, **context)
        if len(page.body) <= PAGE_BYTES or most <= least:
            return page
        most = max(least, int(most * min(0.9, PAGE_BYTES / len(page.body))))


def json(value: Any) -> PageReply:
    return PageReply(scrub(msgspec.json.encode(value).decode()).encode() + b"\n", JSON)


def svg(text: str) -> PageReply:
    return PageReply(text.encode("utf-8", "replace"), SVG, PICTURE_POLICY)


def printable(text: str) -> str:
    """The text without control characters, which no markup language allows."""
    return _CONTROL.sub("�", text)


def scrub(text: str | None) -> str:
    """A text of an error or a grader without the paths of this machine."""
    clean = text or ""
    for folder in _private_folders(os.getcwd()):  # noqa: PTH109 a Path takes ten times as long
        clean = clean.replace(folder, "…")
    return clean


@cache
def _private_folders(working: str) -> tuple[str, ...]:
    """Longest first, so that a folder is replaced before its parent."""
    folders = {
        working,
        str(Path.home()),
        sys.prefix,
        tempfile.gettempdir(),
        str(FOLDER.parent.parent),
    }
    return tuple(sorted((folder for folder in folders if len(folder) > len(os.sep)), key=len, reverse=True))


@cache
def _templates() -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: "–" if value is None else printable(value) if type(value) is str else value,
    )
    env.globals.update(
        version=__version__, policy=POLICY, marks=LOOKS, short=SHORT, drawn=list_installed()["charts"]
    )
    env.filters.update(
        number=_number,
        signed=_signed,
        minus=_minus,
        counted=_counted,
        percent=_percent,
        scrubbed=scrub,
        money=money,
        two_digits=two_digits,
        pretty=_pretty,
        thousands=thousands,
        day=format_date,
        dated=format_dates,
    )
    return env


SHOWN_UP_TO = 10**15
"""A number beyond it, in either direction, was made up by a server; a page says "?" in its place."""


def _write(value: float | None, form: str) -> str:
    if value is None:
        return "–"
    # NaN, too, is not between them
    return format(value, form) if -SHOWN_UP_TO <= value <= SHOWN_UP_TO else "?"


def _number(value: float | None, places: int = 1) -> str:
    return _write(value, f".{places}f").replace("-", "−")


def _signed(value: float, places: int = 1) -> str:
    """With its sign, which nothing that is shown as zero has."""
    return "+" * (round(value, places) > 0) + _number(round(value, places) + 0.0, places)


def _counted(number: int, noun: str) -> str:
    return f"{thousands(number)} {noun}{'s' * (number != 1)}"


def _minus(text: str) -> str:
    """A text of the command line with the sign that pages use for numbers below zero."""
    return _BELOW_ZERO.sub("−", text)


def format_date(date: str | None, form: str = "{0.day} {0:%b} {0.year}", unknown: str = "–") -> str:
    """A date as people write it."""
    try:
        return form.format(datetime.date.fromisoformat(date or ""))
    except ValueError:  # a ledger from elsewhere may hold anything
        return date or unknown


def format_dates(text: str) -> str:
    """A text with its dates as people write them."""
    return _DATE.sub(lambda found: format_date(found[0]), text)


def _percent(share: float | None, places: int = 0) -> str:
    return "–" if share is None else f"{_number(100 * share, places)} %"


def thousands(value: float | None) -> str:
    return _write(value, ",.0f")


def money(value: float | None) -> str:
    written = _write(value, ".6f")
    return f"${written.rstrip('0').rstrip('.')}" if written not in ("–", "?") else written


def two_digits(dollars: float) -> str:
    """The price of an answer: prices differ by more than that."""
    return money(float(f"{dollars:.2g}"))


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
