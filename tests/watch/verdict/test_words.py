"""What a verdict says to a person: which words come for which verdict, and which never do."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from probatio.core.records import ModelVerdict, UseCaseVerdict
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.headline import add_headline
from probatio.watch.verdict.reason import use_case_reason
from probatio.watch.verdict.reference_level import LevelBefore
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verdict.words import CaseChange, Rarity, advice, describe, expect_false
from watch.verdict.made_up import CONSTANTS, made_up_day, steady

TITLES = {"extraction": "Structured Extraction", "report": "Report Analysis"}
USE_CASES = list(TITLES)


def _fell(**more: Any) -> ModelVerdict:
    low = UseCaseVerdict(
        use_case="extraction", status="COOKED", score=76.1, mean=96.8, sd=2.0, z=-10.4, drop=0.21, days=14
    )
    fields: dict[str, Any] = {
        "date": "2026-02-04",
        "model": "m",
        "status": "COOKED",
        "evidence": "QUIET",
        **more,
    }
    return add_headline(
        ModelVerdict(use_cases=(low,), since="2026-02-03", reason="all the numbers.", **fields)
    )


def _summary(verdict: ModelVerdict, **more: Any) -> str:
    return describe(verdict, TITLES, CONSTANTS, **more).summary


def test_a_fall_is_told_by_title_since_when_and_how_sure() -> None:
    usual = LevelBefore({"extraction": 97.0}, reference=True)
    assert _summary(_fell(), rarity=Rarity(0.0, 0.66), level=usual) == (
        "m answers worse since 2026-02-03 in Structured Extraction (76 points, usually 97). This is what "
        "the published rule says, and not proven yet: the rule alone is rarely wrong about a steady model, "
        "but often about one whose scores jump from day to day; if the fall lasts, the evidence will show "
        "it."
    )
    young = _summary(_fell(), level=msgspec.structs.replace(usual, reference=False))
    assert "(76 points, 97 on the days before)" in young, "another number has another name"
    assert "rarely wrong, about 2 % of healthy models" in _summary(_fell(), rarity=Rarity(0.0, 0.02))
    assert "often wrong, about at least 30 % of" in _summary(_fell(), rarity=Rarity(0.3, 0.66))
    assert "was not measured for this suite" in _summary(_fell())


def test_proof_is_told_as_a_chance_of_a_false_alarm_and_not_as_a_statistic() -> None:
    words = _summary(_fell(evidence="CONFIRMED", evidence_value=1388596678.0, changed_on="2026-02-01"))
    assert "since about 2026-02-01" in words
    assert (
        "This is proven: a model that did not change has at most a one in 100 chance of being called so "
        "within a year." in words
    )
    assert "1,388" not in words
    assert "36,500" not in words


def test_a_suspected_fall_is_told_with_its_own_chance_and_the_day_it_was_first_seen() -> None:
    cooked = _fell(evidence="SUSPECTED", evidence_value=42_329.0)
    words = _summary(cooked, began="2026-02-01")
    assert "since 2026-02-01 in" in words
    assert (
        "unlikely to be chance: a model that did not change has at most a one in 110 chance of looking like "
        "this" in words
    )
    suspicious = add_headline(
        ModelVerdict(date="2026-02-04", model="m", status="OK", evidence="SUSPECTED", evidence_value=3_650.0)
    )
    assert "This is not proven: a model that did not change has at most a one in 10 chance" in _summary(
        suspicious
    )


def test_no_number_that_nobody_can_picture_is_shown() -> None:
    huge = msgspec.structs.replace(_fell(), reason="evidence CONFIRMED at 435,187,558,263,616 (line 36,500).")
    assert describe(huge, TITLES, CONSTANTS).details == "evidence CONFIRMED at over a billion (line 36,500)."


@pytest.fixture(scope="module")
def forgotten() -> ModelVerdict:
    """Fallen from 90 to 70 for good; the rule has followed it down."""
    days = steady(30, ["m"], USE_CASES)
    days += [made_up_day(30 + number, {"m": dict.fromkeys(USE_CASES, 70.0)}) for number in range(25)]
    (last,) = verdicts(Days(days), CONSTANTS, dates={days[-1].date}, detectable={})
    assert last.status == "OK"
    return last


def test_a_fall_the_rule_has_forgotten_is_told_as_one(forgotten: ModelVerdict) -> None:
    words = _summary(forgotten)
    assert (
        "m has been lower than in its reference since about 2026-01-31, in Structured Extraction and Report "
        "Analysis" in words
    )
    assert "usual range" not in words
    assert "proven" in words
    assert any("probatio verdict accept m --why" in each for each in advice(forgotten))


def test_what_is_held_back_is_said_with_its_scores() -> None:
    replies = UseCaseVerdict(
        use_case="replies", status="OK", score=41.7, mean=90.6, sd=2.0, drop=0.54, held="barred"
    )
    fine = UseCaseVerdict(use_case="extraction", status="OK", score=97.0, mean=97.0, sd=1.0, drop=0.0)
    both = ModelVerdict(date="2026-02-03", model="m", status="OK", use_cases=(fine, replies))
    usual = LevelBefore({"replies": 90.6}, reference=True)
    told = "Replies (42 points, usually 91): held back, because the judge changed"
    titles = {**TITLES, "replies": "Replies"}
    assert describe(add_headline(both), titles, CONSTANTS, level=usual).sentences[0] == (
        f"m is as usual: 1 of 2 scored use cases are in their usual range; {told}."
    )
    alone = msgspec.structs.replace(both, use_cases=(replies,))
    assert describe(add_headline(alone), titles, CONSTANTS, level=usual).sentences[0] == (
        f"m can't be called as usual on 2026-02-03: {told}."
    )


def test_nothing_is_said_of_what_could_have_been_seen_after_a_fall(forgotten: ModelVerdict) -> None:
    assert forgotten.smallest_drop is None
    assert "A lasting drop of" not in _summary(forgotten)
    fine = _fell(status="OK", smallest_drop=0.08)
    assert (
        "A lasting drop of 8 % or more would have been proven within 14 days with a chance of 80 %."
        in _summary(fine)
    )


def test_a_better_score_is_called_better_and_not_a_negative_drop() -> None:
    better = UseCaseVerdict(
        use_case="a", status="OK", score=100.0, mean=84.5, sd=2.0, z=7.75, drop=-0.184, days=14
    )
    words = use_case_reason(better, CONSTANTS)
    assert "18.4 % better" in words
    assert "drop" not in words


@pytest.mark.parametrize("cause", ["MODEL", "JUDGE", "HARNESS", "GRADER", "ROUTE", "INFRA"])
def test_every_cause_has_advice_and_what_is_not_proven_is_to_be_waited_for(cause: str) -> None:
    first, second = advice(_fell(cause=cause))
    assert first
    assert second.startswith("wait: it is confirmed")
    assert "above" not in first
    assert advice(_fell(status="OK")) == ()


def test_the_text_has_the_cases_what_else_changed_the_next_step_and_the_numbers_last() -> None:
    case = CaseChange(
        "Structured Extraction", "invoice", 1.0, 0.0, "total: 12", "I am not sure", lost="total: missing"
    )
    verdict = _fell(
        cause="INFRA", cause_reason="9 of 10 answers were cut off", symptoms=("it took 3.0 times as long",)
    )
    lines = describe(verdict, TITLES, CONSTANTS, None, [case]).lines()
    assert lines[2:6] == [
        "• Structured Extraction, invoice: 100 % before, 0 % now",
        "    before: total: 12",
        "    now: I am not sure",
        "    lost: total: missing",
    ]
    assert lines[6:8] == [
        "Also different: 9 of 10 answers were cut off.",
        "Also different: it took 3.0 times as long.",
    ]
    assert lines[8].startswith("Next: ")
    assert "look at the cases above" in describe(_fell(), TITLES, CONSTANTS, None, [case]).advice[0]
    assert lines[-1] == "Details: all the numbers."


@pytest.mark.parametrize("status", ["CALIBRATING", "GAP", "OK", "SUSPICIOUS"])
def test_every_headline_has_two_sentences(status: str) -> None:
    first, second = describe(_fell(status=status), TITLES, CONSTANTS).sentences
    assert first.startswith("m ")
    assert first.endswith(".")
    assert second.endswith(".")
    collapsed = describe(
        _fell(status=status, collapsed=("extraction",), evidence="CALIBRATING"), TITLES, CONSTANTS
    )
    assert collapsed.summary


@pytest.mark.parametrize(
    ("models", "rarity", "words"),
    [
        (30, None, "if all 30 models were healthy: at most one CONFIRMED in 3 years."),
        (
            30,
            Rarity(0.0, 0.8),
            "at most one CONFIRMED in 3 years; by the rule alone 0 to 24 COOKED a year.",
        ),
        (1, None, "if the model was healthy: at most one CONFIRMED in 100 years."),
        (9, None, "at most one CONFIRMED in 11 years."),
        (60, None, "at most one CONFIRMED a year."),
        (250, None, "at most 2.5 CONFIRMED a year."),
    ],
)
def test_false_alarms_to_expect_grow_with_the_number_of_models(
    models: int, rarity: Rarity | None, words: str
) -> None:
    assert expect_false(models, CONSTANTS, rarity).sentence.endswith(words)


def test_a_loss_that_is_not_proven_is_told() -> None:
    open_question = _fell(evidence="LOWER", evidence_value=1e6, proof=3.2)
    assert "This is not proven: at temperature 0 answers repeat" in _summary(open_question)
    assert "one in" not in _summary(open_question)
    noted = add_headline(
        ModelVerdict(date="2026-02-04", model="m", status="OK", evidence="QUIET", lower=True)
    )
    assert "lower than in its reference for four weeks or more" in _summary(noted)
    assert noted.shown == "OK"
