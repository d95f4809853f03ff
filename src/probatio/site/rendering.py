"""Requests and replies of the site, and the one place where templates are filled in."""

from __future__ import annotations

import datetime
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import msgspec

from probatio import __version__
from probatio.extras import installed_extras
from probatio.ledger.ledger import SHORT
from probatio.records import MARKS

if TYPE_CHECKING:
    from probatio.site.runs import StudiedRun
    from probatio.site.snapshot import Site, TrackedModel

HTML = "text/html; charset=utf-8"
JSON = "application/json"
SVG = "image/svg+xml"
PNG = "image/png"

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A picture carries its own colours and loads nothing."""

FOLDER = Path(__file__).parent
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PageReply:
    """What a reader gets: bytes, a file that is handed out as it is, or the address to which the page has moved."""

    body: bytes = b""
    kind: str = HTML
    policy: str = POLICY
    file: Path | None = None
    framed_by: str = "'self'"  # whose pages may show it in a frame
    moved: str = ""  # relative to the page asked for; the build never asks for such a page


@dataclass(frozen=True)
class PageRequest:
    """A request for a page: its address under the site's root, and what the address names."""

    site: Site
    path: str
    names: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The way from this page to the site's root, so that the site works under any path."""
        return "../" * self.path.count("/") or "./"

    @property
    def tracked(self) -> TrackedModel | None:
        """The tracked model whose slug the address names."""
        return self.site.tracked.get(self.names["slug"])

    @property
    def run(self) -> StudiedRun | None:
        """The run that the address names."""
        return self.site.runs.get(self.names["run"])


def html(request: PageRequest, template: str, **context: Any) -> PageReply:
    text = (
        _templates().get_template(template).render(site=request.site, root=request.root, path=request.path, **context)
    )
    return PageReply(text.encode("utf-8", "replace"))


def json(value: Any) -> PageReply:
    return PageReply(scrubbed(msgspec.json.encode(value).decode()).encode() + b"\n", JSON)


def svg(text: str) -> PageReply:
    return PageReply(text.encode("utf-8", "replace"), SVG, PICTURE_POLICY)


def printable(text: str) -> str:
    """Without the control characters that no markup language takes."""
    return _CONTROL.sub("�", text)


def scrubbed(text: str | None) -> str:
    """An error's or a grader's text without the paths of this machine."""
    clean = text or ""
    for folder in _private_folders():
        clean = clean.replace(folder, "…")
    return clean


@cache
def _private_folders() -> tuple[str, ...]:
    """Longest first, so that a folder goes before the folder it lies in."""
    folders = {str(Path.cwd()), str(Path.home()), sys.prefix, tempfile.gettempdir(), str(FOLDER.parent.parent)}
    return tuple(sorted((folder for folder in folders if len(folder) > len(os.sep)), key=len, reverse=True))


@cache
def _templates() -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: "–" if value is None else printable(value) if type(value) is str else value,
    )
    env.globals.update(version=__version__, policy=POLICY, marks=MARKS, short=SHORT, drawn=installed_extras()["charts"])
    env.filters.update(
        number=_number, percent=_percent, scrubbed=scrubbed, money=money, pretty=_pretty, thousands=thousands, day=_day
    )
    return env


SHOWN_UP_TO = 10**15
"""A number beyond it, in either direction, was made up by a server; a page says "?" in its place."""


def _odd(value: float) -> bool:
    return not -SHOWN_UP_TO <= value <= SHOWN_UP_TO  # NaN, too, is not between them


def _number(value: float | None, places: int = 1) -> str:
    if value is None or _odd(value):
        return "–" if value is None else "?"
    return f"{value:.{places}f}".replace("-", "−")


def _day(date: str | None) -> str:
    """A date as people write it."""
    try:
        at = datetime.date.fromisoformat(date or "")
    except ValueError:  # whatever a ledger from elsewhere holds
        return date or "–"
    return f"{at.day} {at:%b} {at.year}"


def _percent(share: float | None, places: int = 0) -> str:
    return "–" if share is None else f"{_number(100 * share, places)} %"


def thousands(value: float | None) -> str:
    if value is None or _odd(value):
        return "–" if value is None else "?"
    return f"{value:,.0f}"


def money(value: float | None) -> str:
    if value is None or _odd(value):
        return "–" if value is None else "?"
    return f"${value:.6f}".rstrip("0").rstrip(".")


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
