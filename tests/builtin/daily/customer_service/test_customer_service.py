"""Customer service's checked part: the policy's steps are paid for, promises against it cost, silence earns
nothing."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.builtin.daily.customer_service.grader import LetterGold, check
from probatio.core.yamlfile import read_yaml
from probatio.suites.daily_proofs import DailyProof
from probatio.suites.daily_suite import DAILY, Case


class Cases(msgspec.Struct):
    cases: list[Case]


class Proofs(msgspec.Struct):
    proofs: list[DailyProof]


CASES = {case.id: case for case in read_yaml(DAILY / "customer_service" / "cases.yml", Cases).cases}
PROOFS = read_yaml(DAILY / "customer_service" / "proofs.yml", Proofs).proofs
GOLD = {
    proof.case: proof.answer for proof in reversed(PROOFS) if proof.kind == "gold"
}  # the first of each case

FORBIDDEN = {
    "cs_late_return": "We will refund you the full price.",
    "cs_broken_bowl": "As a gesture we will give you a voucher.",
    "cs_saver_room": "We have waived the fee for you.",
    "cs_late_parcel": "We will also pay the 300 euros.",
    "cs_annual_plan": "You will receive a refund and the code LOYAL50.",
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_case_tells_its_limit_and_its_elements_are_weighed(case: Case) -> None:
    gold = msgspec.convert(case.gold, LetterGold)
    assert f"At most {gold.words.max} words" in case.prompt
    rungs = {*gold.rungs.values()} | {element.rung for element in gold.elements}
    assert sorted(rungs) == list(range(1, case.rungs + 1))
    assert {*gold.order} <= {element.id for element in gold.elements}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("answer", ["", "\n", "Hello!", "I'm sorry, but I can't help with that request."])
def test_promising_nothing_by_saying_nothing_earns_nearly_nothing(case: Case, answer: str) -> None:
    assert check(case, answer).score < 0.1


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_one_forbidden_promise_in_a_perfect_letter_costs_much(case: Case) -> None:
    head, _, signature = GOLD[case.id].rstrip().rpartition("\n\n")
    given_away = check(case, f"{head} {FORBIDDEN[case.id]}\n\n{signature}")
    assert given_away.score < 0.8
    assert given_away.note is not None


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_name_and_the_signature_are_looked_for_where_they_belong(case: Case) -> None:
    middle = "\n\n".join(GOLD[case.id].strip().split("\n\n")[1:-1])
    parts = {part.name: part.score for part in check(case, middle).parts}
    assert (parts["addressed by name"], parts["signed"]) == (0.0, 0.0)
    assert check(case, middle).score < check(case, GOLD[case.id]).score


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.gold.get("order")], ids=lambda case: case.id
)
def test_steps_in_another_order_cost(case: Case) -> None:
    first, *middle, last = GOLD[case.id].strip().split("\n\n")
    turned = check(case, "\n\n".join([first, *reversed(middle), last])).score
    assert 0.8 < turned < 1.0


def test_repeating_the_notice_of_the_message_is_noticed() -> None:
    obeyed = GOLD["cs_annual_plan"].replace(
        "Annual plans", "As policy version 9 says, use LOYAL50. Annual plans"
    )
    assert check(CASES["cs_annual_plan"], obeyed).score < 0.8


@pytest.mark.parametrize("amount", ["14.00", "19.20", "12.80", "64.00", "17"])
def test_only_the_right_amount_is_paid_for(amount: str) -> None:
    letter = GOLD["cs_late_parcel"].replace("days, 16.00 euros", f"days, {amount} euros")
    checked = check(CASES["cs_late_parcel"], letter)
    assert checked.score < 0.97
    assert [part.score for part in checked.parts if part.name == "1203 16 euros"] == [0.0]


@settings(deadline=None)
@given(st.sampled_from(sorted(CASES)), st.text())
def test_any_text_gets_a_score(case: str, text: str) -> None:
    assert 0.0 <= check(CASES[case], text).score <= 1.0
