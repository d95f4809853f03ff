"""Intervals: published values, values worked by hand, and how often they hold on made-up data whose truth is
known."""

import random

import pytest

from probatio.core.statistics.intervals import effective_trials, estimate_paired_difference, rate_of, wilson


@pytest.mark.parametrize(
    ("passed", "asked", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(passed: int, asked: int, low: float, high: float) -> None:
    assert wilson(passed, asked) == pytest.approx((low, high), abs=5e-5)


def test_a_rate_of_nothing_is_unknown() -> None:
    rate = rate_of([])
    assert (rate.share, rate.low, rate.high) == (None, 0.0, 1.0)


def test_where_each_task_counts_once_the_interval_is_wilsons() -> None:
    rate = rate_of([(1, 1)] * 15 + [(0, 1)] * 133)
    assert (rate.low, rate.high) == wilson(15, 148)
    assert not rate.clustered


def test_ten_tasks_always_right_and_ten_always_wrong_are_worth_nineteen_trials() -> None:
    # Half of 200 pass; every task is 5 off its expectation: variance 20/19 * 20 * 25 / 200² = 1/76, and 1/4 /
    # (1/76) = 19
    assert effective_trials([(10, 10)] * 10 + [(0, 10)] * 10) == pytest.approx(19)


def test_tasks_that_all_behave_alike_lose_no_trial() -> None:
    assert effective_trials([(5, 10)] * 20) == 200


def test_where_every_answer_passed_each_task_is_one_trial() -> None:
    rate = rate_of([(10, 10)] * 20)
    assert rate.high == 1.0
    assert rate.low == pytest.approx(
        20 / (20 + 2.093024**2), abs=1e-5
    )  # Wilson's end at 20 of 20, with t of 19


def test_one_task_alone_says_little_however_often_it_is_asked() -> None:
    rate = rate_of([(1000, 1000)])
    assert rate.low < 0.25


def _clustered_draw(
    chance: random.Random, tasks: int, per_task: int, mean: float, spread: float
) -> list[tuple[int, int]]:
    """Tasks whose own chances differ as a beta distribution says."""
    chances = [chance.betavariate(mean / spread, (1 - mean) / spread) for _ in range(tasks)]
    return [(sum(chance.random() < own for _ in range(per_task)), per_task) for own in chances]


@pytest.mark.parametrize(
    ("mean", "spread", "tasks"), [(0.5, 0.5, 20), (0.85, 0.5, 20), (0.85, 0.3, 95), (0.3, 2.0, 40)]
)
def test_the_clustered_interval_holds_the_truth_as_often_as_it_says(
    mean: float, spread: float, tasks: int
) -> None:
    chance = random.Random(11)
    draws = [_clustered_draw(chance, tasks, 12, mean, spread) for _ in range(1500)]
    held = sum((rate := rate_of(draw)).low <= mean <= rate.high for draw in draws) / len(draws)
    assert 0.93 <= held <= 0.985
    naive = [wilson(sum(passed for passed, _ in draw), 12 * tasks) for draw in draws]
    assert sum(low <= mean <= high for low, high in naive) / len(draws) < 0.85  # what clustering is for


def test_the_paired_interval_is_bonett_and_prices_where_each_task_counts_once() -> None:
    # 10 gained, 2 lost of 50, by hand: (11 - 3)/52 ± 1.959964·… with t of 49 in place of z
    difference, low, high, _ = estimate_paired_difference(
        [(1, 0, 1)] * 10 + [(0, 1, 1)] * 2 + [(0, 0, 1)] * 38
    )
    assert difference == pytest.approx(0.16)
    half = 2.009575 * ((11 / 52 + 3 / 52 - (8 / 52) ** 2) / 52) ** 0.5
    assert (low, high) == pytest.approx((8 / 52 - half, 8 / 52 + half), abs=1e-6)


def test_two_sides_that_never_differ_still_leave_doubt() -> None:
    difference, low, high, _ = estimate_paired_difference([(0, 0, 10)] * 20)
    assert difference == 0
    assert low < -0.05
    assert high > 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("gain", "per_task"), [(0.0, 1), (0.1, 1), (0.0, 10), (0.1, 10)])
def test_the_paired_interval_holds_the_truth_as_often_as_it_says(gain: float, per_task: int) -> None:
    chance = random.Random(5)
    held, truth = 0, gain + _clipped_bias(gain)
    for _ in range(1500):
        tasks = []
        for _ in range(30):
            own, moved = chance.betavariate(1.5, 1.5), chance.gauss(0, 0.1)
            a = [chance.random() < own * 0.8 for _ in range(per_task)]
            b = [chance.random() < min(1.0, max(0.0, own * 0.8 + gain + moved)) for _ in range(per_task)]
            tasks.append(
                (
                    sum(y and not x for x, y in zip(a, b, strict=True)),
                    sum(x and not y for x, y in zip(a, b, strict=True)),
                    per_task,
                )
            )
        _, low, high, _ = estimate_paired_difference(tasks)
        held += low <= truth <= high
    assert 0.93 <= held / 1500 <= 0.99


def _clipped_bias(gain: float) -> float:
    """What cutting chances at 0 and 1 adds to the mean gain, by a draw of its own."""
    chance = random.Random(99)
    total = 0.0
    for _ in range(40000):
        own, moved = chance.betavariate(1.5, 1.5), chance.gauss(0, 0.1)
        total += min(1.0, max(0.0, own * 0.8 + gain + moved)) - own * 0.8 - gain
    return total / 40000
