"""Summarization's checked part: what a summary is paid for, and what it can't be paid for."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.builtin.daily.reading.prose import word_count
from probatio.builtin.daily.summarization.grader import SOURCE_BEGINS, SummaryGold, check
from probatio.core.yamlfile import read_yaml
from probatio.suites.daily_proofs import DailyProof
from probatio.suites.daily_suite import DAILY, Case


class Cases(msgspec.Struct):
    cases: list[Case]


class Proofs(msgspec.Struct):
    proofs: list[DailyProof]


CASES = {case.id: case for case in read_yaml(DAILY / "summarization" / "cases.yml", Cases).cases}
PROOFS = read_yaml(DAILY / "summarization" / "proofs.yml", Proofs).proofs
GOLD = {
    proof.case: proof.answer for proof in reversed(PROOFS) if proof.kind == "gold"
}  # the first of each case


def source(case: Case) -> str:
    return case.prompt.partition(SOURCE_BEGINS)[2]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_case_has_a_source_of_some_length_and_a_limit_that_is_told(case: Case) -> None:
    gold = msgspec.convert(case.gold, SummaryGold)
    assert 350 <= word_count(source(case)) <= 560
    assert f"{gold.words.max} words" in case.prompt
    assert sorted(fact.rung for fact in gold.facts) == list(range(1, case.rungs + 1))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_copying_the_source_loses(case: Case) -> None:
    assert check(case, source(case)).score < 0.5


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("answer", ["", " \n", "ok", "I'm sorry, but I can't help with that."])
def test_saying_nothing_earns_nothing(case: Case, answer: str) -> None:
    assert check(case, answer).score == 0.0


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_sentence_less_costs(case: Case) -> None:
    """Scores fall step by step, not at once: a summary that loses its end is worth a part."""
    lines = GOLD[case.id].replace(". ", ".\n").splitlines()
    scores = [check(case, "\n".join(lines[:kept])).score for kept in range(len(lines) + 1)]
    assert scores[-1] > scores[len(lines) // 2] > scores[0] == 0.0


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_invented_figure_costs(case: Case) -> None:
    gold = GOLD[case.id].rstrip()
    honest, inventive = check(case, gold), check(case, gold + " It was 987.")
    assert inventive.score < honest.score - 0.05
    assert any("987" in part.detail for part in inventive.parts)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_being_a_little_too_long_costs_a_little(case: Case) -> None:
    over = check(case, GOLD[case.id] + " and so on and on and on and on and on").score
    assert 0.8 < over < 1.0


@settings(deadline=None)
@given(st.sampled_from(sorted(CASES)), st.text())
def test_any_text_gets_a_score(case: str, text: str) -> None:
    assert 0.0 <= check(CASES[case], text).score <= 1.0


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_right_words_in_no_order_lose_a_third_even_without_the_judge(case: Case) -> None:
    assert check(case, " ".join(sorted(GOLD[case.id].split()))).score < 0.67
