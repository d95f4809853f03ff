"""Sets of kept answers by how they were made, and where README.md says that thinking goes beyond its
limit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

README = Path(__file__).parent / "README.md"


def of_regime(regime: str, sets: Iterable[str]) -> list[str]:
    """The names of the sets of one regime: `at-once` or `thinking`."""
    return [name for name in sets if re.fullmatch(rf"{regime}-\d+", name)]


def told_above_the_limit() -> dict[tuple[str, str], float]:
    """(set, use case or folder) → score, of the rows in README.md."""
    rows = re.findall(
        r"^\| `(thinking-\d+)` \| `([\w-]+)` \| ([\d.]+) \|", README.read_text(encoding="utf-8"), re.M
    )
    return {(name, asked): float(score) for name, asked, score in rows}
