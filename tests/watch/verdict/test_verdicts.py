"""The verdict as a record: both layers, every number, one sentence; and that no day sees the days after
it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.cli.verdict import choose_day
from probatio.cli.verdict.table import WIDTH, explain_verdict, format_table
from probatio.core.errors import UsageError
from probatio.core.records import Day, ModelVerdict
from probatio.watch.ledger.difference import first_difference
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.reason import use_case_reason
from probatio.watch.verdict.reference_level import LevelBefore, find_level_before
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verdict.words import VerdictText, describe
from watch.verdict.made_up import CONSTANTS, MANIFEST, day_at, made_up_day, steady

USE_CASES = ["a", "b", "c", "j1"]


def _last(days: list[Day], model: str = "m", **more: Any) -> ModelVerdict:
    return next(
        each for each in verdicts(Days(days), CONSTANTS, dates={days[-1].date}, **more) if each.model == model
    )


def _fallen(low: dict[str, float | None], days: int = 20) -> list[Day]:
    return [
        *steady(days, ["m"], USE_CASES),
        made_up_day(days, {"m": {**dict.fromkeys(USE_CASES, 90.0), **low}}),
    ]


def test_every_number_that_led_there_is_kept() -> None:
    verdict = next(each for each in _last(_fallen({"a": 50.0})).use_cases if each.use_case == "a")
    assert (verdict.status, verdict.score, verdict.base_score, verdict.n) == ("COOKED", 50.0, 50.0, 5)
    assert (verdict.mean, verdict.sd, verdict.days) == (90.0, 2.0, 14)
    assert verdict.z == -20.0
    assert verdict.drop == pytest.approx(0.444444444)
    assert verdict.fired == ("suspicious z", "suspicious drop", "cooked z", "cooked drop", "collapse")
    assert verdict.cooked_level
    assert verdict.since == day_at(20)
    assert verdict.held is None


def test_the_model_is_composed_and_dated() -> None:
    verdict = _last(_fallen({"a": 50.0, "b": 50.0}))
    assert (verdict.status, verdict.since, verdict.suite_version, verdict.route) == (
        "COOKED",
        day_at(20),
        MANIFEST.version,
        "Host",
    )
    assert _last(_fallen({"a": 50.0})).status == "SUSPICIOUS"
    assert _last(_fallen({})).since == day_at(5)


def test_a_model_without_a_scored_use_case_is_a_gap_and_says_why() -> None:
    verdict = _last(_fallen(dict.fromkeys(USE_CASES)))
    assert verdict.status == "GAP"
    assert verdict.since == day_at(20)
    assert verdict.reason.startswith(
        "GAP: no use case was scored: every sample errored: connection refused; evidence"
    )


def test_a_model_that_was_not_asked_at_all_is_a_gap_with_the_days_reason() -> None:
    day = made_up_day(20, {"m": dict.fromkeys(USE_CASES, 90.0)}, skipped={"n": "N_KEY is not set"})
    verdict = _last([*steady(20, ["m", "n"], USE_CASES), day], "n")
    assert (verdict.status, verdict.use_cases) == ("GAP", ())
    assert "N_KEY is not set" in verdict.reason


def test_a_model_that_joins_later_calibrates_on_its_own() -> None:
    days = steady(20, ["m"], USE_CASES)
    days += [
        made_up_day(20 + n, {model: dict.fromkeys(USE_CASES, 90.0) for model in ("m", "n")}) for n in range(3)
    ]
    assert (_last(days, "m").status, _last(days, "n").status) == ("OK", "CALIBRATING")
    assert _last(days, "n").reason.startswith(
        "CALIBRATING: 2 of at least 5 baseline days; evidence calibrating, 3 of 28"
    )
    assert {each.model for each in verdicts(Days(days), CONSTANTS, dates={day_at(3)})} == {"m"}


def test_a_bump_makes_every_model_calibrate_in_both_layers() -> None:
    days = [
        *steady(40, ["m"], USE_CASES),
        made_up_day(40, {"m": dict.fromkeys(USE_CASES, 20.0)}, suite_version="9.0.0"),
    ]
    before, after = _last(days[:-1]), _last(days)
    assert (before.status, before.evidence) == ("OK", "QUIET")
    assert (after.status, after.evidence, after.reference_days) == ("CALIBRATING", "CALIBRATING", 1)


def test_a_permanent_loss_is_confirmed_dated_and_named() -> None:
    days = steady(35, ["m"], USE_CASES)
    days += [
        made_up_day(35 + n, {"m": {**dict.fromkeys(USE_CASES, 90.0), "a": 70.0, "b": 70.0}})
        for n in range(12)
    ]
    verdict = _last(days)
    assert verdict.evidence == "CONFIRMED"
    assert verdict.changed_on == day_at(35)
    assert {"a", "b"} <= set(verdict.named) <= {"a", "b"}
    assert verdict.cause == "MODEL"
    assert "CONFIRMED" in verdict.reason
    assert f"changed about {day_at(35)}" in verdict.reason


def test_a_day_from_another_route_flags_the_page_and_places_no_bet() -> None:
    days = steady(35, ["m"], USE_CASES)
    away = made_up_day(
        35,
        {"m": dict.fromkeys(USE_CASES, 20.0)},
        {"route": "B", "providers": {"B": 5}, "routing_changed": True},
    )
    before, after = _last(days), _last([*days, away])
    assert after.routing_changed
    assert after.status == "OK"
    assert {each.held for each in after.use_cases} == {"routing"}
    assert after.evidence_value == before.evidence_value
    assert "the route changed to B" in after.reason


def test_a_new_route_that_stays_starts_both_layers_anew() -> None:
    days = steady(35, ["m"], USE_CASES)
    more = {"route": "B", "providers": {"B": 5}, "routing_changed": True}
    days += [made_up_day(35 + n, {"m": dict.fromkeys(USE_CASES, 70.0)}, more) for n in range(3)]
    verdict = _last(days)
    assert (verdict.status, verdict.evidence, verdict.reference_days) == ("CALIBRATING", "CALIBRATING", 1)


def test_a_barred_day_is_shown_and_places_no_judged_bet() -> None:
    days = steady(35, ["m"], USE_CASES)
    low = {"m": {**dict.fromkeys(USE_CASES, 90.0), "j1": 10.0}}
    before, barred, free = (
        _last(days),
        *(_last([*days, made_up_day(35, low, {"barred": b})]) for b in (True, False)),
    )
    at = {each.use_case: each for each in barred.use_cases}["j1"]
    was = {each.use_case: each for each in before.use_cases}["j1"]
    assert (at.status, at.held, at.score) == ("OK", "barred", 10.0)
    assert at.evidence == was.evidence
    assert free.status != "OK"
    assert barred.barred
    assert "the judge had shifted" in barred.reason


random_scores = st.one_of(st.none(), st.integers(0, 100).map(float), st.just(90.0), st.just(88.0))


@st.composite
def histories(draw: st.DrawFn) -> list[Day]:
    """Days with gaps, missing days, new models, bumps, barred days and changed routes."""
    number, days = 0, []
    for _ in range(draw(st.integers(2, 12))):
        number += draw(st.sampled_from([1, 1, 1, 2, 5]))
        models = draw(st.lists(st.sampled_from(["m", "n", "o"]), min_size=1, max_size=3, unique=True))
        scores = {model: {each: draw(random_scores) for each in ("a", "j1")} for model in models}
        route = draw(st.sampled_from(["A", "A", "A", "B"]))
        more = {
            "route": route,
            "providers": {route: 5},
            "routing_changed": draw(st.booleans()),
            "barred": draw(st.booleans()),
        }
        days.append(made_up_day(number, scores, more, suite_version=draw(st.sampled_from(["1"] * 8 + ["2"]))))
    return days


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(histories(), st.data())
def test_no_verdict_ever_uses_the_future(days: list[Day], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(days)))
    whole = [each for each in verdicts(Days(days), CONSTANTS) if each.date <= days[place - 1].date]
    assert first_difference(verdicts(Days(days[:place]), CONSTANTS), whole) is None


@pytest.mark.parametrize("place", [10, 33, 45])
def test_the_evidence_never_uses_the_future_either(place: int) -> None:
    rng = np.random.default_rng(3)
    days = [
        made_up_day(
            n, {m: {each: float(rng.normal(90 if n < 40 else 60, 2)) for each in USE_CASES} for m in "mn"}
        )
        for n in range(50)
    ]
    whole = [each for each in verdicts(Days(days), CONSTANTS) if each.date <= days[place - 1].date]
    assert first_difference(verdicts(Days(days[:place]), CONSTANTS), whole) is None


@settings(max_examples=40, deadline=None)
@given(histories())
@pytest.mark.slow
def test_every_verdict_has_one_sentence_and_survives_the_way_through_json(days: list[Day]) -> None:
    for verdict in verdicts(Days(days), CONSTANTS):
        assert verdict.reason.endswith(".")
        assert verdict.status in verdict.reason
        assert "nan" not in verdict.reason
        assert msgspec.json.decode(msgspec.json.encode(verdict), type=ModelVerdict) == verdict
        for each in verdict.use_cases:
            assert use_case_reason(each, CONSTANTS).endswith(".")


def _words(shown: list[ModelVerdict]) -> dict[str, VerdictText]:
    return {each.model: describe(each, {}, CONSTANTS) for each in shown}


def _levels(shown: list[ModelVerdict], days: list[Day]) -> dict[str, LevelBefore]:
    return {each.model: find_level_before(each, days, CONSTANTS, {}) for each in shown}


@settings(max_examples=20, deadline=None)
@given(histories())
def test_the_table_fits_a_hundred_columns_and_says_its_status_in_words(days: list[Day]) -> None:
    everyone = Days(days)
    shown = verdicts(everyone, CONSTANTS, dates={days[-1].date})
    text = format_table(shown, _words(shown), _levels(shown, days))
    assert max(map(len, text.splitlines())) <= WIDTH
    for each in shown:
        assert each.shown in text
        explanation = explain_verdict(each, describe(each, {}, CONSTANTS), everyone, CONSTANTS)
        assert max(map(len, explanation.splitlines())) <= WIDTH


def test_the_table_puts_the_worst_first() -> None:
    scores = {
        "fine": dict.fromkeys(USE_CASES, 90.0),
        "bad": {**dict.fromkeys(USE_CASES, 90.0), "a": 20.0, "b": 20.0},
    }
    days = Days([*steady(20, ["fine", "bad"], USE_CASES), made_up_day(20, scores)])
    shown = verdicts(days, CONSTANTS, dates={day_at(20)})
    text = format_table(shown, _words(shown), _levels(shown, days.days))
    assert text.index("✖ COOKED") < text.index("● OK")
    assert "1 COOKED, 1 OK" in text


def test_the_day_that_was_asked_for_is_named_where_it_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recorded day"):
        choose_day(Days([]), tmp_path, None)
    with pytest.raises(UsageError, match=f"{day_at(9)} was not recorded"):
        choose_day(Days(steady(3, ["m"], ["a"])), tmp_path, day_at(9))


def test_a_use_case_graded_in_two_ways_under_one_version_is_refused() -> None:
    days = steady(3, ["m"], ["a"])
    changed = msgspec.structs.replace(days[-1].scores[0], grading="judge")
    with pytest.raises(UsageError, match="such a change bumps the version"):
        verdicts(Days([*days[:-1], Day(days[-1].record, (changed,))]), CONSTANTS)


def test_the_content_of_the_suite_decides_and_a_case_edited_under_the_same_version_begins_a_new_series() -> (
    None
):
    days = steady(20, ["m"], ["a", "b"])
    edited = [
        made_up_day(20 + number, {"m": {"a": 40.0, "b": 40.0}}, suite_fingerprint="edited")
        for number in range(2)
    ]
    made = verdicts(Days([*days, *edited]), CONSTANTS)
    assert {each.headline for each in made[20:]} == {"CALIBRATING"}
    assert made[19].series_since == days[0].date
    assert made[19].series_why is None
    last = made[-1]
    assert last.series_since == edited[0].date
    assert (
        last.series_why == f"the content of the suite was changed under the same version {last.suite_version}"
    )
    assert last.series_why in last.reason


def test_a_stray_sample_a_day_keeps_no_model_calibrating_and_a_mixed_day_is_held() -> None:
    """One sample of twenty from elsewhere, every day, kept an unpinned model CALIBRATING for 60 of 60
    days."""
    strayed = {
        "routing_changed": True,
        "stray_only": True,
        "strays": 1,
        "providers": {"Host": 19, "Other": 1},
    }
    days = [made_up_day(number, {"m": {"a": 90.0, "b": 90.0}}, strayed) for number in range(20)]
    made = verdicts(Days(days), CONSTANTS)
    assert [each.headline for each in made] == ["CALIBRATING"] * 5 + ["OK"] * 15
    assert all(each.routing_changed for each in made)  # it is told all the same
    mixed = {"routing_changed": True, "mixed": True, "providers": {"Host": 3, "Other": 2}}
    days.append(made_up_day(20, {"m": {"a": 20.0, "b": 20.0}}, mixed))
    (last,) = verdicts(Days(days), CONSTANTS, dates={days[-1].date})
    assert (last.headline, {each.held for each in last.use_cases}) == ("OK", {"routing"})
