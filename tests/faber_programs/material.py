"""Programs with what the reference compiler said of them, for the tests of Faber."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from faber import tree

HERE = Path(__file__).parent
CORPUS = HERE.parents[2] / "shared" / "faber" / "reference-corpus.jsonl"


def probes() -> list[dict[str, Any]]:
    return _read(HERE / "probes.jsonl")


def corpus() -> list[dict[str, Any]]:
    if not CORPUS.exists():
        pytest.skip("the reference corpus is not beside this clone")
    return _read(CORPUS)


def programs() -> list[str]:
    """Every program there is, also where the corpus is absent."""
    return [
        entry["code"] for path in (HERE / "probes.jsonl", CORPUS) if path.exists() for entry in _read(path)
    ]


def meaning(part: Any) -> Any:
    """A tree as plain values, without where and how things were written; compared here apart from the
    product's own way."""
    if isinstance(part, list):
        return [meaning(each) for each in part]
    if not isinstance(part, tree.Node):
        return part
    fields = {
        name: meaning(getattr(part, name)) for name in part.__struct_fields__ if name not in tree.SURFACE
    }
    return type(part).__name__, fields


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
