"""Writes cases.yml and proofs.yml of a use case from ladders that a script made. Text in, text out, always the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

DAILY = Path(__file__).parents[2] / "src" / "probatio" / "builtin" / "daily"


class Ladder(NamedTuple):
    """One case: its prompt, and its gold as lines of YAML below `gold:`."""

    id: str
    difficulty: int
    rungs: int
    prompt: str
    gold: str


class Proof(NamedTuple):
    """A worked answer: `bounds` are its score, or {"at_most": …}."""

    case: str
    kind: str
    bounds: dict[str, float]
    why: str
    answer: str


def flow(item: dict[str, Any]) -> str:
    """A record on one line: JSON with bare keys, which YAML reads."""
    return (
        "{"
        + ", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in item.items())
        + "}"
    )


def _block(text: str, indent: int) -> str:
    return "\n".join(" " * indent + line if line else "" for line in text.strip("\n").splitlines())


def cases_text(head: str, ladders: Sequence[Ladder]) -> str:
    cases = [
        f"  - id: {each.id}\n    difficulty: {each.difficulty}\n    rungs: {each.rungs}\n"
        f"    prompt: |\n{_block(each.prompt, 6)}\n    gold:\n{_block(each.gold, 6)}\n"
        for each in ladders
    ]
    return f"# {head}\ncases:\n" + "\n".join(cases)


def proofs_text(script: str, proofs: Sequence[Proof]) -> str:
    entries = []
    for each in proofs:
        bounds = "\n".join(f"    {name}: {value!r}" for name, value in each.bounds.items())
        entries.append(
            f"  - case: {each.case}\n    kind: {each.kind}\n{bounds}\n    why: {json.dumps(each.why)}\n    answer: |\n"
            f"{_block(each.answer, 6)}\n"
        )
    return f"# Worked answers and what they must score, made by {script}.\nproofs:\n" + "\n".join(entries)


def write(use_case: str, cases: str, proofs: str) -> None:
    """Into the suite; with --check only compare, and exit with 1 where a file differs."""
    texts = {DAILY / use_case / "cases.yml": cases, DAILY / use_case / "proofs.yml": proofs}
    if "--check" in sys.argv:
        differ = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
        for path in differ:
            print(f"{path} is not what the script makes.", file=sys.stderr)
        sys.exit(1 if differ else 0)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
