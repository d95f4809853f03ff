"""The cases of the daily suite before its ladders, with their proofs: users' suites may hold such gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from probatio.suite.daily_suite import Case, DailySuite

HERE = Path(__file__).parent


def _read(use_case: str, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(
        (HERE / use_case / "puzzles" / f"{kind}.yml").read_text(encoding="utf-8")
    )[kind]
    return found


def puzzles(use_case: str) -> dict[str, Case]:
    """Cases without rungs, by their id."""
    return {each["id"]: msgspec.convert({**each, "use_case": use_case}, Case) for each in _read(use_case, "cases")}


def puzzle_proofs(use_case: str) -> list[dict[str, Any]]:
    return _read(use_case, "proofs")


def with_puzzles(suite: DailySuite, use_case: str) -> DailySuite:
    """The suite with the puzzles of a use case behind its ladders."""
    whole = suite.use_cases[use_case]
    more = msgspec.structs.replace(whole, cases=(*whole.cases, *puzzles(use_case).values()))
    return msgspec.structs.replace(suite, use_cases={**suite.use_cases, use_case: more})
