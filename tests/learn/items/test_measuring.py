"""Items measured from a tally: every number is worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import sem
from scipy.stats import t as student

from probatio.cli.study.items_text import format_items
from probatio.core.errors import UsageError
from probatio.learn.items.measuring import correlate, measure_discrimination, measure_items, narrow_items
from probatio.learn.items.records import Credit, Item, Items
from probatio.learn.items.tally import ItemKey, ItemTally, ladder_credit, mean_credit, pool_credit


def tally_of(shares: dict[str, dict[str, int]], answers: int = 20, pool: str = "p") -> ItemTally:
    """Item → model → how many of its answers are right."""
    tally = ItemTally(clustered=False)
    for item, models in shares.items():
        for model, right in models.items():
            tally.add(ItemKey(pool, item), model, right, answers)
    return tally


def of(found: Items, name: str) -> Item:
    return next(item for item in (*found.items, *found.rungs) if item.id == name)


def test_difficulty_is_the_share_right_with_wilsons_interval() -> None:
    credit = mean_credit([(1, 1)] * 8 + [(0, 1)] * 2, clustered=False)
    assert (credit.answers, credit.share) == (10, 0.8)
    assert [credit.low, credit.high] == pytest.approx([0.4902, 0.9433], abs=1e-4)  # Wilson's of 8 in 10


def test_answers_of_one_day_that_are_all_alike_are_worth_one_day() -> None:
    # Two days of five answers, all right on one and all wrong on the other: the days differ by far more than
    # chance.
    alike = mean_credit([(5.0, 5), (0.0, 5)], clustered=True)
    assert alike.share == 0.5
    # Between-day variance: 2/1 · (2.5² + 2.5²) / 10² = 0.25, that of p(1 − p) = 0.25: worth one answer.
    assert [alike.low, alike.high] == pytest.approx([0.055, 0.945], abs=1e-3)
    apart = mean_credit([(5.0, 5), (0.0, 5)], clustered=False).low
    assert apart is not None
    assert apart > 0.2


def test_a_pool_is_the_mean_of_its_items_and_not_of_its_answers() -> None:
    pool = pool_credit([Credit(100, 1.0, 0.9, 1.0), Credit(1, 0.0, 0.0, 0.8)])
    assert (pool.answers, pool.share) == (101, 0.5)


def test_an_item_discriminates_by_the_pairs_it_tells_apart() -> None:
    strong, middle, weak = Credit(20, 0.9, 0.8, 1.0), Credit(20, 0.5, 0.4, 0.6), Credit(20, 0.45, 0.35, 0.55)
    rest = {"s": 0.9, "m": 0.5, "w": 0.2}
    found = measure_discrimination({"s": strong, "m": middle, "w": weak}, rest)
    assert (found.pairs, found.along, found.against, found.rest) == (3, 2, 0, None)
    assert found.index == pytest.approx(2 / 3)
    turned = measure_discrimination({"s": weak, "m": middle, "w": strong}, rest)
    assert (turned.along, turned.against) == (0, 2)
    assert turned.index == pytest.approx(-2 / 3)


def test_models_alike_in_the_rest_have_no_order_to_agree_with() -> None:
    found = measure_discrimination(
        {"a": Credit(9, 1, 0.9, 1), "b": Credit(9, 0, 0, 0.1)}, {"a": 0.5, "b": 0.5}
    )
    assert (found.pairs, found.along, found.against, found.index) == (1, 0, 0, 0)


def test_a_correlation_is_given_from_five_models_on() -> None:
    assert correlate([0, 1, 2], [1, 3, 5]) == pytest.approx(1)
    assert correlate([0, 1, 2, 3], [1, 3, 2, 0]) == pytest.approx(-2 / 5)  # −2 / √(5 · 5)
    assert correlate([1, 1], [0, 1]) is None
    four = {str(n): Credit(10, n / 10, 0, 1) for n in range(4)}
    five = {str(n): Credit(10, n / 10, 0, 1) for n in range(5)}
    assert measure_discrimination(four, {name: credit.share for name, credit in four.items()}).rest is None
    assert measure_discrimination(
        five, {name: 1 - credit.share for name, credit in five.items()}
    ).rest == pytest.approx(-1)


def test_what_an_item_tells_is_said_in_words() -> None:
    found = measure_items(
        tally_of(
            {
                "apart": {"a": 20, "b": 0, "c": 20},
                "backwards": {"a": 0, "b": 20, "c": 0},
                "alike": {"a": 10, "b": 9, "c": 10},
                "easy": {"a": 20, "b": 20, "c": 20},
                "hard": {"a": 0, "b": 0, "c": 0},
                "easier": {"a": 20, "b": 2, "c": 20},
                "easiest": {"a": 20, "b": 3, "c": 20},
            }
        ),
        "task",
        "r",
        "s",
    )
    assert {item.id: item.tells for item in found.items} == {
        "apart": "tells 2 of 3 pairs of models apart",
        "backwards": "the weaker models pass it: look at its check",
        "alike": "tells no models apart",
        "easy": "nothing: every model passes",
        "hard": "nothing: no model passes",
        "easier": "tells 2 of 3 pairs of models apart",
        "easiest": "tells 2 of 3 pairs of models apart",
    }
    (alone,) = measure_items(tally_of({"x": {"a": 10}}), "task", "r", "s").items
    assert alone.tells == "passed at times"


def test_the_rest_score_leaves_the_item_itself_out() -> None:
    rights = {
        "odd": {"strong": 0, "weak": 20},
        "plain": {"strong": 20, "weak": 0},
        "even": {"strong": 20, "weak": 2},
    }
    found = measure_items(tally_of(rights), "task", "r", "s 1")
    # The rest of `plain` is `odd` and `even`: 0.5 and 0.55, so it goes against. The rest of `even` is a tie.
    assert [of(found, name).discrimination.index for name in ("odd", "plain", "even")] == [-1, -1, 0]
    rights["more"] = {"strong": 20, "weak": 0}
    found = measure_items(tally_of(rights), "task", "r", "s 1")
    assert [of(found, name).discrimination.index for name in ("odd", "plain", "even")] == [-1, 1, 1]


def test_who_saturates_an_item_and_who_never_gets_it() -> None:
    found = measure_items(
        tally_of({"t": {"a": 100, "b": 97, "c": 96, "d": 4, "e": 3, "f": 0}}, answers=100), "task", "r", "s"
    )
    item = found.items[0]
    assert (item.saturated_by, item.never_by) == (["a", "b"], ["e", "f"])
    assert item.mean == pytest.approx(3.0 / 6)


def test_a_pool_without_headroom_is_named_with_its_reasons() -> None:
    easy = {"one": {"a": 20, "b": 20}, "two": {"a": 20, "b": 5}, "none": {"a": 20, "b": 0}}
    warnings = measure_items(tally_of(easy), "task", "r", "s").pools[0].warnings
    assert [warning.split(":")[1].split(".")[0].strip() for warning in warnings] == [
        "no headroom",
        "nobody fails 1 of 3 tasks (2 models, 97 % or more each)",
    ]
    assert "a has 100.0 %" in warnings[0] and warnings[1].endswith(": one.")
    hard = (
        measure_items(tally_of({"one": {"a": 10, "b": 2}, "two": {"a": 0, "b": 0}}), "task", "r", "s")
        .pools[0]
        .warnings
    )
    assert hard == ("p: nobody passes 1 of 2 tasks (2 models, 3 % or less each): two.",)
    assert not measure_items(tally_of({"one": {"a": 10, "b": 2}}), "task", "r", "s").pools[0].warnings


def ladder_tally() -> ItemTally:
    """A ladder of three rungs, twelve answers each: `a` has 12, 12, 6 rungs right, `b` 12, 3, 0. Its case
    costs 300 tokens."""
    tally = ItemTally(clustered=True)
    for model, rights in {"a": (12, 12, 6), "b": (12, 3, 0)}.items():
        for day in range(12):
            rungs = [float(day < right) for right in rights]
            tally.add(ItemKey("p", "case"), model, sum(rungs) / 3, cluster=str(day))
            for rung, credit in enumerate(rungs, 1):
                tally.add(ItemKey("p", "case", rung), model, credit, cluster=str(day))
        tally.add_tokens("case", model, 3600, 12)
    return tally


def test_a_ladder_shows_each_model_at_each_rung() -> None:
    found = measure_items(ladder_tally(), "case", "d", "s")
    assert [item.id for item in found.rungs] == ["case/1", "case/2", "case/3"]
    shares = {
        item.id: {model: credit.share for model, credit in item.credits.items()} for item in found.rungs
    }
    assert shares == {
        "case/1": {"a": 1, "b": 1},
        "case/2": {"a": 1, "b": 0.25},
        "case/3": {"a": 0.5, "b": 0},
    }
    assert of(found, "case").tokens == 300
    assert of(found, "case/1").tokens == 100  # its even share


def test_a_top_rung_that_is_always_right_is_a_warning_and_a_low_one_is_not() -> None:
    tally = ladder_tally()
    assert not measure_items(tally, "case", "d", "s").pools[0].warnings
    for day in range(12):
        tally.add(ItemKey("p", "case", 3), "c", 1.0, cluster=str(day))
        tally.add(ItemKey("p", "case"), "c", 0.5, cluster=str(day))
    (warning,) = measure_items(tally, "case", "d", "s").pools[0].warnings
    assert warning == "p: some model always gets 1 of 1 rung of the top third: case/3."


def ladder_days(
    chance: np.random.Generator, means: dict[str, float], days: int, rungs: int = 20
) -> ItemTally:
    """Two ladders, each asked once a day: every model within a rung or two of its mean."""
    tally = ItemTally(clustered=True)
    for case in ("one", "two"):
        for model, mean in means.items():
            reached = np.clip(np.rint(chance.normal(mean * rungs, 1.0, days)), 0, rungs)
            for day, height in enumerate(reached):
                tally.add(ItemKey("p", case), model, float(height) / rungs, cluster=str(day))
                for rung in range(1, rungs + 1):
                    tally.add(ItemKey("p", case, rung), model, float(rung <= height), cluster=str(day))
    return tally


def test_models_40_points_apart_on_a_ladder_are_told_apart() -> None:
    """In 0 of 300 when a ladder's interval was that of right and wrong."""
    chance = np.random.default_rng(30)
    found = [
        measure_items(ladder_days(chance, {"a": 0.7, "b": 0.3}, 14), "case", "d", "s") for _ in range(40)
    ]
    assert all(item.discrimination.index == 1 for one in found for item in one.items)
    credits = [credit for one in found for item in one.items for credit in item.credits.values()]
    assert all(credit.high - credit.low < 0.1 for credit in credits if credit.low and credit.high)


def test_the_interval_of_a_ladder_holds_its_mean_and_alike_models_are_not_told_apart() -> None:
    chance = np.random.default_rng(31)
    held, apart, pools = [], [], []
    for _ in range(200):
        days = int(chance.integers(3, 29))
        counts = [(float(height), 1) for height in np.rint(chance.normal(12.4, 2.0, 2 * days)) / 20]
        one, two = (ladder_credit(side, 20) for side in (counts[:days], counts[days:]))
        assert one.low is not None and one.high is not None and two.low is not None and two.high is not None
        held.append(one.low <= 0.62 <= one.high)
        apart.append(one.low > two.high or two.low > one.high)
        shared = ItemTally(clustered=True)  # what both ladders do alike on a day is no news twice
        for day, height in enumerate(np.rint(chance.normal(12.4, 2.0, days)) / 20):
            for case in ("one", "two"):
                shared.add(ItemKey("p", case), "m", float(height), cluster=str(day))
        pool = shared.pool_ladders([ItemKey("p", "one"), ItemKey("p", "two")], "m", {"one": 20, "two": 20})
        assert pool.low is not None and pool.high is not None
        pools.append(pool.low <= 0.62 <= pool.high)
    assert np.mean(held) >= 0.92 and np.mean(pools) >= 0.92 and np.mean(apart) <= 0.02


def test_a_ladders_interval_is_students_over_days_and_one_rung_at_least() -> None:
    heights = [0.3, 0.5, 0.4, 0.7, 0.6, 0.5]
    credit = ladder_credit([(height, 1) for height in heights], 20)
    low, high = student.interval(0.95, 5, loc=np.mean(heights), scale=sem(heights))
    assert (credit.low, credit.high) == pytest.approx((low, high))
    alike = ladder_credit([(0.7, 1)] * 14, 10)
    half = student.ppf(0.975, 13) * 0.1 / 14**0.5
    assert (alike.low, alike.high) == pytest.approx((0.7 - half, 0.7 + half))


def test_one_day_of_a_ladder_tells_no_interval_and_sorts_no_models() -> None:
    for days in (1, 2):
        found = measure_items(
            ladder_days(np.random.default_rng(1), {"a": 0.6, "b": 0.4}, days, rungs=5), "case", "d", "s"
        )
        for item in found.items:
            assert [(credit.low, credit.high) for credit in item.credits.values()] == [(None, None)] * 2
            assert (item.discrimination.pairs, item.discrimination.index) == (0, None)
        assert found.pools[0].credits["a"].low is None or days == 2
        text = "\n".join(format_items(found, rungs=False))
        assert " % –" in text and "Headroom: not known" in text


def test_three_answers_in_a_row_saturate_nothing() -> None:
    for answers, named in ((3, []), (9, []), (10, ["a"])):
        found = measure_items(
            tally_of({"x": {"a": answers}, "y": {"a": 0}, "z": {"a": answers // 2}}, answers),
            "task",
            "r",
            "s",
        )
        assert (of(found, "x").saturated_by, of(found, "y").never_by) == (named, named)
        told = "nothing: every model passes" if named else "not known yet: fewer than 10 answers"
        assert of(found, "x").tells == told
        assert bool(found.pools[0].warnings) == bool(named)


def test_one_pool_can_be_looked_at_alone_and_an_unknown_one_is_named() -> None:
    tally = tally_of({"x": {"a": 2}})
    tally.add(ItemKey("q", "y"), "a", 1, 1)
    found = measure_items(tally, "task", "r", "s")
    assert (found.answers, narrow_items(found, "q").answers) == (21, 1)
    assert [item.id for item in narrow_items(found, "q").items] == ["y"]
    with pytest.raises(UsageError, match="no pool `z` in r; there are p, q"):
        narrow_items(found, "z")
