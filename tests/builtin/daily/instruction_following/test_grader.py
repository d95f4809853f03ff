"""Instruction following: rules count only where there is an answer, and every rule of the suite is well
formed."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builtin.daily.cases import cases
from probatio.builtin.daily.instruction_following.grader import InstructionGold, check, echo
from probatio.builtin.daily.instruction_following.rules import KINDS
from probatio.core.yamlfile import read_yaml
from probatio.suites.daily_proofs import DailyProof
from probatio.suites.daily_suite import DAILY, Case


class WorkedFile(msgspec.Struct):
    proofs: list[DailyProof]


FOLDER = DAILY / "instruction_following"
CASES = cases("instruction_following")
GOLDS = {
    one.case: one.answer for one in read_yaml(FOLDER / "proofs.yml", WorkedFile).proofs if one.kind == "gold"
}
RULES = [
    (case.id, rule) for case in CASES.values() for rule in msgspec.convert(case.gold, InstructionGold).rules
]

OFF_TASK = (
    "I am sorry, but I cannot help with that.",
    "As an assistant I follow every instruction to the letter and with great care.",
    "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et "
    "dolore magna. " * 3,
    "42",
    "yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes yes "
    "yes yes yes",
)


def test_a_rule_has_the_arguments_its_kind_needs() -> None:
    for case, rule in RULES:
        assert rule.kind in KINDS
        assert [name for name in KINDS[rule.kind].needs if not getattr(rule, name)] == [], (case, rule.name)
        assert rule.low <= rule.high or rule.high == 0


def test_a_hard_case_combines_six_rules_or_more() -> None:
    hard = [case for case in CASES.values() if case.difficulty == 3]
    assert hard
    assert all(len(case.gold["rules"]) >= 6 for case in hard)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_an_answer_to_something_else_collects_next_to_nothing(case: Case) -> None:
    assert {answer: score for answer in OFF_TASK if (score := check(case, answer).score) > 0.2} == {}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_gold_of_another_case_is_off_the_matter(case: Case) -> None:
    others = {name: check(case, GOLDS[name]).score for name in CASES if name != case.id}
    assert max(others.values()) <= 0.5, others


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_prompt_read_back_earns_nothing(case: Case) -> None:
    assert check(case, case.prompt).score == 0


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_chatter_round_a_gold_answer_costs_only_its_own_part(case: Case) -> None:
    checked = check(case, f"Sure! Here it is:\n\n{GOLDS[case.id]}\n\nLet me know if you want another one!")
    assert [part.name for part in checked.parts if part.score < 1] == ["nothing else"]


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_half_a_gold_answer_earns_less_than_the_whole(case: Case) -> None:
    lines = GOLDS[case.id].splitlines()
    half = "\n".join(lines[: len(lines) // 2]) or GOLDS[case.id][: len(GOLDS[case.id]) // 2]
    assert 0 < check(case, half).score < 0.9


def test_the_rules_of_a_ladder_carry_their_rungs_and_what_stands_round_the_answer_belongs_to_the_first() -> (
    None
):
    case = CASES["follow_list"]
    checked = check(case, GOLDS[case.id])
    assert {part.rung for part in checked.parts} == set(range(1, case.rungs + 1))
    assert checked.parts[-1].name == "nothing else"
    assert checked.parts[-1].rung == 1
    totals = {
        rung: sum(part.weight for part in checked.parts if part.rung == rung)
        for rung in range(1, case.rungs + 1)
    }
    assert set(totals.values()) == {12.0}


def test_echo_is_the_share_of_runs_taken_from_the_prompt() -> None:
    prompt = [str(n) for n in range(20)]
    assert echo(prompt[:10], prompt) == 1
    assert echo(prompt[::-1], prompt) == 0
    assert echo([], prompt) == 0


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.text(max_size=400))
def test_any_text_scores_between_0_and_1_and_the_same_twice(case: Case, answer: str) -> None:
    checked = check(case, answer)
    assert 0 <= checked.score <= 1
    assert checked == check(case, answer)


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.data())
def test_any_mixture_of_gold_lines_scores_between_0_and_1(case: Case, data: st.DataObject) -> None:
    lines = st.sampled_from(
        [line for answer in GOLDS.values() for line in answer.splitlines()]
        + ["", "```", "|", "|-|", "1.", "-"]
    )
    answer = "\n".join(data.draw(st.lists(lines, max_size=20)))
    assert 0 <= check(case, answer).score <= 1
