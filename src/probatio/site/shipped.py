"""Files that come with the package: the docs and their order, the table of public benchmarks.

An installed package has them in its folder `share`; a checkout has them at its root. Help and errors name
them by their path in the repository, such as `docs/models.md`; `probatio help` shows them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

_PACKAGE = Path(__file__).parent.parent
_SHARE = _PACKAGE / "share"
_CHECKOUT = _PACKAGE.parent.parent

BENCH = _PACKAGE / "site" / "bench.yml"
"""The table of public benchmarks that a site shows unless the user has one."""


def find_shipped(name: str) -> Path:
    """The file or folder with this path in the repository. An odd install may lack it."""
    return _SHARE / name if _SHARE.is_dir() else _CHECKOUT / name


TUTORIALS = ("learn", "watch")
"""One for each question."""

GROUPS: dict[str, tuple[str, ...]] = {
    "Tutorials": TUTORIALS,
    "How to": (
        "your-language",
        "your-watch",
        "graders",
        "models",
        "study",
        "items",
        "generate",
        "export",
        "python",
        "alerts",
        "ci",
        "deploy",
        "scale",
        "site",
    ),
    "Reference": (
        "reference",
        "daily-suite",
        "verdict",
        "operating-characteristics",
        "ledger",
        "sandbox",
        "promises",
        "pitfalls",
    ),
    "Languages": tuple(sorted(file.parent.name for file in _PACKAGE.glob("builtin/*/language.yml"))),
    "Results": ("results", "story", "benchmarks"),
    "For contributors": ("architecture",),
}
"""The pages under each heading. A page without a heading comes last, under `REST`."""
REST = "More"


class DocPage(msgspec.Struct, frozen=True):
    """One page: a Markdown file under docs/."""

    name: str
    title: str
    group: str
    path: Path

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")


@cache
def list_pages() -> tuple[DocPage, ...]:
    """Every page that is there, tutorials first."""
    there = {file.stem: file for file in sorted(find_shipped("docs").glob("*.md"))}
    placed = {name: group for group, names in GROUPS.items() for name in names if name in there}
    order = [*placed, *(name for name in there if name not in placed)]
    return tuple(DocPage(name, _title(there[name]), placed.get(name, REST), there[name]) for name in order)


def _title(file: Path) -> str:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip().replace("`", "")
    return file.stem
