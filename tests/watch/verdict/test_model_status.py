"""From use cases to the model: the composition as published, and what a gap may do to it."""

from __future__ import annotations

import numpy as np
import pytest

from probatio.watch.verdict.rule.baseline import rule_for
from probatio.watch.verdict.rule.model_status import NEVER, STATUSES, ModelStatuses, compose, no_statuses
from probatio.watch.verdict.rule.rule import RuleOutcome, rule_day, start, step
from watch.verdict.made_up import RULE

WORD = {"o": 0, "s": 1, "c": 2, "k": 3, "-": 4}  # ok, suspicious, cooked, calibrating, no score


def _composed(*days: str, gap_for: int = 1) -> ModelStatuses:
    """The model after days given as one letter per use case; `-` keeps a use case's last status and has no
    score."""
    statuses = no_statuses(1)
    shown = np.full((1, len(days[0])), 3, dtype=np.int8)
    seen = np.full((1, len(days[0])), NEVER, dtype=np.int64)
    for number, day in enumerate(days, start=100):
        scored = np.array([[letter != "-" for letter in day]])
        codes = np.array([[WORD[letter] for letter in day]], dtype=np.int8)
        shown = np.where(scored, codes, shown).astype(np.int8)
        statuses = compose(RULE, statuses, number, shown, scored, seen)
        seen = np.where(scored, number, seen)
    return statuses


def _model(*days: str) -> str:
    return STATUSES[int(_composed(*days).shown[0])]


@pytest.mark.parametrize(
    ("use_cases", "model"),
    [
        ("oooo", "OK"),
        ("sooo", "SUSPICIOUS"),  # any suspicious use case
        ("cooo", "SUSPICIOUS"),  # one cooked alone
        ("csoo", "SUSPICIOUS"),  # one cooked and one other suspicious
        ("csso", "COOKED"),  # one cooked and two others suspicious
        ("ccoo", "COOKED"),  # two cooked
        ("ssss", "SUSPICIOUS"),  # suspicious alone never cook
        ("cccc", "COOKED"),
        ("kkkk", "CALIBRATING"),  # while no use case has a baseline
        ("kkko", "OK"),  # one has
        ("kkks", "SUSPICIOUS"),
        ("kkcc", "COOKED"),
        ("----", "GAP"),  # no use case scored
        ("---o", "OK"),
        ("---k", "CALIBRATING"),
    ],
)
def test_a_models_status_follows_from_its_use_cases(use_cases: str, model: str) -> None:
    assert _model(use_cases) == model


@pytest.mark.parametrize(
    ("use_cases", "model"),
    [
        ("c", "COOKED"),  # a suite of one: without this it could never be
        ("s", "SUSPICIOUS"),
        ("cc", "COOKED"),
        ("cs", "COOKED"),  # one cooked, and the only other suspicious
        ("co", "SUSPICIOUS"),
        ("ss", "SUSPICIOUS"),
        ("cso", "SUSPICIOUS"),  # from three on as published
        ("css", "COOKED"),
    ],
)
def test_a_suite_of_one_or_two_use_cases_can_be_cooked(use_cases: str, model: str) -> None:
    assert _model(use_cases) == model


def test_an_outage_makes_no_small_suite() -> None:
    assert _model("oooo", "c---") == "SUSPICIOUS"


@pytest.mark.parametrize(
    ("days", "model"),
    [
        (("ccoo", "--oo"), "COOKED"),  # an outage of the cooked ones does not save
        (("ccoo", "--oo", "--oo", "--oo"), "COOKED"),  # for as long as days count as consecutive
        (("ccoo", "--oo", "--oo", "--oo", "--oo"), "OK"),  # and no longer
        (("ssoo", "--co"), "SUSPICIOUS"),  # nor does it cook: today's use cases alone are suspicious
        (("sooo", "-coo"), "SUSPICIOUS"),
        (("ccoo", "-coo"), "COOKED"),
        (("ccoo", "oo--"), "OK"),  # what is scored and fine is fine
        (("ccoo", "----"), "GAP"),
        (("ccoo", "----", "--oo"), "COOKED"),
        (("oooo", "-ooo"), "OK"),
    ],
)
def test_an_outage_neither_cooks_nor_saves(days: tuple[str, ...], model: str) -> None:
    assert _model(*days) == model


def test_a_models_recovery_is_marked_for_a_week_and_since_dates_its_status() -> None:
    assert _composed("oo", "cc", "oo").recovered[0]
    assert _composed("oo", "cc", *["oo"] * 7).recovered[0]
    assert not _composed("oo", "cc", *["oo"] * 8).recovered[0]
    assert not _composed("kk", "oo").recovered[0]
    assert _composed("oo", "ss", "--", "ss", "so").shown_since[0] == 101


def _fold(scores: list[list[list[float]]]) -> RuleOutcome:
    rule = rule_for(RULE, ["deterministic"] * len(scores[0][0]))
    state = start(rule, len(scores[0]))
    for number, day in enumerate(scores):
        state, outcome = step(rule, state, rule_day(number, day))
    return outcome


def test_the_rule_composes_all_models_at_once() -> None:
    usual = [[90.0] * 4] * 3
    outcome = _fold([*[usual] * 14, [[30.0, 30.0, 90.0, 90.0], [86.0, 90.0, 90.0, 90.0], [90.0] * 4]])
    assert [STATUSES[code] for code in outcome.model] == ["COOKED", "SUSPICIOUS", "OK"]


def test_a_held_use_case_has_spoken_that_day() -> None:
    """Its outage after days of being held is counted from the last of them."""
    rule = rule_for(RULE, ["judge", "judge", "deterministic"])
    state = start(rule, 1)
    days = [*[[90.0] * 3] * 14, [40.0, 40.0, 90.0], *[[40.0, 40.0, 90.0]] * 5, [np.nan, np.nan, 90.0]]
    for number, day in enumerate(days):
        state, outcome = step(rule, state, rule_day(number, [day], barred=15 <= number < 20))
    assert STATUSES[outcome.model[0]] == "COOKED"
