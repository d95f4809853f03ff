"""The month's cost, from the files of real day folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probatio.runs.store.spending import month_cost, next_month


def day(results: Path, date: str, answers: list[object], judge: list[object] = (), **record: object) -> None:  # type: ignore[assignment]
    folder = results / "daily" / date
    folder.mkdir(parents=True)
    (folder / "day.json").write_text(json.dumps({"date": date, **record}))
    for name, costs in (("raw_responses.jsonl", answers), ("judge_responses.jsonl", judge)):
        (folder / name).write_text(
            "".join(json.dumps({"response": "x", "cost": cost}) + "\n" for cost in costs)
        )


def test_answers_and_the_judges_replies_of_all_days_of_the_month_count(tmp_path: Path) -> None:
    day(tmp_path, "2026-11-01", [0.10, None, 0.05], [0.01])
    day(tmp_path, "2026-11-30", [0.20])  # not closed: money is spent all the same
    day(tmp_path, "2026-10-31", [9.0])
    day(tmp_path, "2026-12-01", [9.0])
    assert month_cost(tmp_path, "2026-11") == pytest.approx(0.36)
    assert month_cost(tmp_path, "2026-11", but="2026-11-30") == pytest.approx(0.16)
    assert month_cost(tmp_path, "2026-09") == 0


def test_what_was_never_paid_does_not_count(tmp_path: Path) -> None:
    day(tmp_path, "2026-11-02", [5.0], simulated=True)
    day(tmp_path, "2026-11-03", [5.0], imported="old.jsonl")
    day(tmp_path, "2026-11-04", ["much", -3, 1e400, True, 0.5])
    assert month_cost(tmp_path, "2026-11") == pytest.approx(0.5)
    assert month_cost(tmp_path / "nowhere", "2026-11") == 0


def test_a_torn_line_costs_nothing_but_itself(tmp_path: Path) -> None:
    day(tmp_path, "2026-11-05", [0.25])
    with (tmp_path / "daily" / "2026-11-05" / "raw_responses.jsonl").open("a") as file:
        file.write('{"response": "x", "cost": 7')
    assert month_cost(tmp_path, "2026-11") == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("month", "after"), [("2026-11", "2026-12-01"), ("2026-12", "2027-01-01"), ("2026-01", "2026-02-01")]
)
def test_the_next_month(month: str, after: str) -> None:
    assert next_month(month) == after
