"""Reading the recorded days, and what of them the folds are given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from probatio.errors import UsageError
from probatio.records import Model
from probatio.store.days import read_days
from probatio.verdict.days import Days
from verdict.made_up import day_at, made_up_day, steady, write_day, write_days


def test_days_are_read_in_order_up_to_the_one_asked_for(tmp_path: Path) -> None:
    write_days(tmp_path, reversed(steady(4, ["m"], ["a"])))
    (tmp_path / "daily" / "not-a-day").mkdir()
    assert [day.date for day in read_days(tmp_path)] == [day_at(number) for number in range(4)]
    assert [day.date for day in read_days(tmp_path, until=day_at(1))] == [day_at(0), day_at(1)]


def test_a_day_without_scores_is_still_being_run(tmp_path: Path) -> None:
    folder = write_day(tmp_path, made_up_day(0, {"m": {"a": 90.0}}))
    (folder / "scores.jsonl").unlink()
    assert len(read_days(tmp_path)) == 0


def test_no_days_are_no_error(tmp_path: Path) -> None:
    assert len(read_days(tmp_path)) == 0


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    folder = write_day(tmp_path, made_up_day(0, {"m": {"a": 90.0, "b": 90.0}}))
    scores = folder / "scores.jsonl"
    scores.write_bytes(scores.read_bytes().replace(b'"use_case":"b"', b'"use_case":7'))
    with pytest.raises(UsageError, match=r"scores\.jsonl, line 2, is not a score"):
        read_days(tmp_path)


def test_a_day_in_the_wrong_folder_is_refused(tmp_path: Path) -> None:
    folder = write_day(tmp_path, made_up_day(0, {"m": {"a": 90.0}}))
    folder.rename(folder.with_name(day_at(7)))
    with pytest.raises(UsageError, match="the folder says 2026-01-08"):
        read_days(tmp_path)


def test_a_gap_is_nan_and_a_case_keeps_its_place() -> None:
    days = Days(
        [made_up_day(0, {"m": {"a": 90.0, "j": 80.0}}), made_up_day(1, {"n": {"j": None, "b": 50.0}, "m": {"a": 70.0}})]
    )
    arrays = days.arrays(days.days[1])
    assert list(days.columns.models) == ["m", "n"]
    assert [use_case for use_case, _ in days.columns.use_cases] == ["a", "j", "b"]
    assert np.isnan(arrays.rule.score[1, 1])
    assert arrays.rule.score[1, 2] == 50
    assert arrays.rule.score[0, 0] == 70
    assert arrays.cases.shape == (2, 10)  # the judged use case places its bets as a whole
    assert arrays.cases[0, :5].tolist() == [0.7] * 5
    assert arrays.cases[1, 5:].tolist() == [0.5] * 5


@pytest.mark.parametrize(
    ("flagged", "providers", "mixed"),
    [
        (False, {"Host": 5}, False),
        (False, {"Host": 3, "Other": 2}, False),  # usual, says who recorded it
        (True, {"Host": 3, "Other": 2}, True),
        (True, {"Other": 5}, False),  # another, but one: a route of its own
        (True, {}, True),  # flagged, and nobody can say by whom it was served
    ],
)
def test_a_flagged_day_is_mixed_unless_one_provider_served_all_of_it(
    flagged: bool, providers: dict[str, int], mixed: bool
) -> None:
    day = made_up_day(0, {"m": {"a": 90.0}}, {"routing_changed": flagged, "providers": providers})
    assert Days([day]).arrays(day).rule.mixed.tolist() == [mixed]


def test_a_model_pinned_to_two_providers_is_at_home_with_either() -> None:
    """And a model whose pin was changed is not, though whoever recorded the day saw nothing odd."""

    def routes(*pins: tuple[str, ...]) -> list[int]:
        days = []
        for number, (pinned, served) in enumerate(zip(pins, "AB", strict=True)):
            model = Model(id="m", name="m", route=pinned)
            days.append(
                made_up_day(number, {"m": {"a": 90.0}}, {"route": served, "providers": {served: 5}}, models=(model,))
            )
        everyone = Days(days)
        return [int(everyone.arrays(day).rule.route[0]) for day in days]

    assert routes(("a", "b"), ("a", "b")) == [0, 0]
    assert routes(("a",), ("b",)) == [0, 1]


def test_every_change_of_version_parts_the_days() -> None:
    days = Days(
        [made_up_day(n, {"m": {"a": 90.0}}, suite_version=version) for n, version in enumerate(["1", "1", "2", "1"])]
    )
    assert [len(series) for series in days.series()] == [2, 1, 1]


def test_a_model_that_was_skipped_is_one_of_the_days_models() -> None:
    day = made_up_day(0, {"m": {"a": 90.0}}, skipped={"n": "N_KEY is not set"})
    assert day.models == ["m", "n"]
