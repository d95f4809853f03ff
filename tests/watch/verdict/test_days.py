"""The recorded days as the folds read them."""

from __future__ import annotations

import numpy as np
import pytest

from probatio.core.records import Model
from probatio.watch.verdict.days import Days
from watch.verdict.made_up import made_up_day


def test_a_gap_is_nan_and_a_case_keeps_its_place() -> None:
    days = Days(
        [
            made_up_day(0, {"m": {"a": 90.0, "j": 80.0}}),
            made_up_day(1, {"n": {"j": None, "b": 50.0}, "m": {"a": 70.0}}),
        ]
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
                made_up_day(
                    number, {"m": {"a": 90.0}}, {"route": served, "providers": {served: 5}}, models=(model,)
                )
            )
        everyone = Days(days)
        return [int(everyone.arrays(day).rule.route[0]) for day in days]

    assert routes(("a", "b"), ("a", "b")) == [0, 0]
    assert routes(("a",), ("b",)) == [0, 1]


def test_every_change_of_version_parts_the_days() -> None:
    days = Days(
        [
            made_up_day(n, {"m": {"a": 90.0}}, suite_version=version)
            for n, version in enumerate(["1", "1", "2", "1"])
        ]
    )
    assert [len(series) for series in days.series()] == [2, 1, 1]


def test_a_model_that_was_skipped_is_one_of_the_days_models() -> None:
    day = made_up_day(0, {"m": {"a": 90.0}}, skipped={"n": "N_KEY is not set"})
    assert day.models == ["m", "n"]
