"""A page: bytes with a type and a policy; and the one place where templates are filled in."""

from __future__ import annotations

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
from probatio.records import MARKS

if TYPE_CHECKING:
    from probatio.site.data import Site

HTML = "text/html; charset=utf-8"
JSON = "application/json"
SVG = "image/svg+xml"

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A picture carries its own colours and loads nothing."""

FOLDER = Path(__file__).parent
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Page:
    """What a reader gets: bytes, or a file that is handed out as it is."""

    body: bytes = b""
    kind: str = HTML
    policy: str = POLICY
    file: Path | None = None


@dataclass(frozen=True)
class Asked:
    """A page that is wanted: its address under the site's root, and what the address names."""

    site: Site
    path: str
    names: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The way from this page to the site's root, so that the site works under any path."""
        return "../" * self.path.count("/") or "./"


def html(asked: Asked, template: str, **context: Any) -> Page:
    text = _templates().get_template(template).render(site=asked.site, root=asked.root, path=asked.path, **context)
    return Page(text.encode("utf-8", "replace"))


def json(value: Any) -> Page:
    return Page(scrubbed(msgspec.json.encode(value).decode()).encode() + b"\n", JSON)


def svg(text: str) -> Page:
    return Page(text.encode("utf-8", "replace"), SVG, PICTURE_POLICY)


def printable(text: str) -> str:
    """Without the control characters that no markup language takes."""
    return _CONTROL.sub("�", text)


def scrubbed(text: str | None) -> str:
    """An error's or a grader's text without the paths of this machine."""
    told = text or ""
    for place in _places():
        told = told.replace(place, "…")
    return told


@cache
def _places() -> tuple[str, ...]:
    found = {str(Path.cwd()), str(Path.home()), sys.prefix, tempfile.gettempdir(), str(FOLDER.parent.parent)}
    return tuple(sorted((place for place in found if len(place) > len(os.sep)), key=len, reverse=True))


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
    env.globals.update(version=__version__, policy=POLICY, marks=MARKS)
    env.filters.update(
        number=_number, percent=_percent, scrubbed=scrubbed, money=_money, pretty=_pretty, thousands=_thousands
    )
    return env


def _number(value: float | None, places: int = 1) -> str:
    return "–" if value is None else f"{value:.{places}f}".replace("-", "−")


def _percent(share: float | None, places: int = 0) -> str:
    return "–" if share is None else f"{100 * share:.{places}f} %".replace("-", "−")


def _thousands(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _money(value: float | None) -> str:
    return "–" if value is None else f"${value:.6f}".rstrip("0").rstrip(".")


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
