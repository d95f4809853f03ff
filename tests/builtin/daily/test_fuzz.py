"""Mutated answers through all graders of texts: none raises, none takes long, nothing grows."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCH = Path(__file__).parents[3] / "bench"


@pytest.mark.slow
@pytest.mark.parametrize("count", [500, pytest.param(5000, marks=pytest.mark.soak)])
def test_no_mutated_answer_breaks_a_grader_or_lets_us_grow(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from fuzz_checks import fuzz

    found = fuzz(count, seed=3)
    assert found.checked == count
    assert not found.unchecked, found.unchecked
    assert found.own_growth_mb < 30
