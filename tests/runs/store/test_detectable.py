"""Minimum detectable effects on disk: kept, broken, and where nothing can be kept."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from probatio.core.records import Detectable
from probatio.runs.store.detectable import DetectableCache
from probatio.watch.verdict.evidence.detectable import smallest_drops
from watch.verdict.synthetic_suite import referenced


def test_a_kept_result_is_taken_instead_of_computing(tmp_path: Path) -> None:
    state = referenced(seed=2)
    drops = smallest_drops(state, 0, DetectableCache(tmp_path))
    [kept] = tmp_path.iterdir()
    assert msgspec.json.decode(kept.read_bytes(), type=Detectable) == drops
    other = Detectable(0.123, {})
    kept.write_bytes(msgspec.json.encode(other))
    assert smallest_drops(state, 0, DetectableCache(tmp_path)) == other


@pytest.mark.parametrize("content", [b"", b"{", b'{"overall": "far"}'])
def test_a_broken_kept_result_is_computed_again(tmp_path: Path, content: bytes) -> None:
    state = referenced(seed=2)
    drops = smallest_drops(state, 0, DetectableCache(tmp_path))
    [kept] = tmp_path.iterdir()
    kept.write_bytes(content)
    assert smallest_drops(state, 0, DetectableCache(tmp_path)) == drops
    assert msgspec.json.decode(kept.read_bytes(), type=Detectable) == drops


def test_where_nothing_can_be_kept_it_still_answers(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert smallest_drops(referenced(seed=2), 0, DetectableCache(blocked / "cache")) is not None
