"""Which answer of a day shows a fall: one that lost points, with what it lost them for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probatio.runs.store.run_folder import CaseSample, case_samples
from probatio.watch.alerts.describing import _find_worst


def _write(folder: Path, grades: list[dict[str, Any]]) -> dict[str, list[CaseSample]]:
    """Three answers of one case, with these grades."""
    day = folder / "daily" / "2026-03-01"
    day.mkdir(parents=True)
    keys = [{"case": "c", "model": "m", "round": "base", "sample": number} for number in range(3)]
    answers = [key | {"response": f"answer {key['sample']}"} for key in keys]
    graded = [key | grade for key, grade in zip(keys, grades, strict=False)]
    for name, lines in (("raw_responses.jsonl", answers), ("graded_results.jsonl", graded)):
        (day / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return case_samples(folder, "2026-03-01", "m", {"c"})


PARTS = [
    {"name": "order", "score": 1.0, "weight": 1.0, "detail": "expected 4711, was 4711"},
    {"name": "price", "score": 0.0, "weight": 1.0, "detail": "expected 25, was 64.33"},
]


def test_the_answer_shown_lost_points_and_says_for_what(tmp_path: Path) -> None:
    right, wrong = {"score": 1.0, "breakdown": {}}, {"score": 0.5, "breakdown": {"parts": PARTS}}
    worst = _find_worst(_write(tmp_path, [right, wrong, right])["c"])
    assert worst == CaseSample("answer 1", 0.5, "price: expected 25, was 64.33")


def test_a_right_answer_is_never_shown_for_a_fall(tmp_path: Path) -> None:
    assert _find_worst(_write(tmp_path, [{"score": 1.0}] * 3)["c"]) is None


def test_a_judged_answer_says_the_reason_of_its_lowest_mark(tmp_path: Path) -> None:
    marks = {"tone": {"mark": 4, "reason": "fine"}, "facts": {"mark": 1, "reason": "invents a refund"}}
    worst = _find_worst(_write(tmp_path, [{"score": 0.4, "breakdown": {"marks": marks}}])["c"])
    assert worst is not None and worst.lost == "invents a refund"


@pytest.mark.parametrize(
    "breakdown", [{"parts": 3}, {"parts": [1, {"score": "x", "weight": []}]}, {"marks": ["a", {"mark": {}}]}]
)
def test_a_breakdown_of_anything_is_read(tmp_path: Path, breakdown: dict[str, Any]) -> None:
    assert _write(tmp_path, [{"score": 0.0, "breakdown": breakdown}])["c"][0].score == 0.0
