"""The pages of the documentation: their order, their titles, and their text with the links that lead nowhere else taken out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from probatio.shipped import shipped

TUTORIALS = ("first-run", "your-language", "your-watch", "reading-a-study", "deploy")
"""In the order in which a new user reads them."""

GROUPS: dict[str, tuple[str, ...]] = {
    "Tutorials": TUTORIALS,
    "Trials": (
        "models",
        "study",
        "python",
        "power",
        "interchange",
        "generate",
        "items",
        "twists",
        "pitfalls",
        "versions",
    ),
    "Languages": tuple(sorted(file.parent.name for file in Path(__file__).parent.glob("builtin/*/language.yml"))),
    "The watch": ("daily", "ledger", "alerts", "web-design", "operating-characteristics", "story"),
    "Running it": ("container", "completion", "site", "sandbox", "embedded"),
    "Results": ("first-results", "study-embedded", "study-languages"),
    "For contributors": ("architecture", "benchmarks"),
}
"""Which page stands under which heading. A page that is in none stands at the end, so that no page is lost."""
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
def pages() -> tuple[DocPage, ...]:
    """Every page that is there, tutorials first."""
    there = {file.stem: file for file in sorted(shipped("docs").glob("*.md"))}
    placed = {name: group for group, names in GROUPS.items() for name in names if name in there}
    order = [*placed, *(name for name in there if name not in placed)]
    return tuple(DocPage(name, _title(there[name]), placed.get(name, REST), there[name]) for name in order)


def _title(file: Path) -> str:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip().replace("`", "")
    return file.stem
