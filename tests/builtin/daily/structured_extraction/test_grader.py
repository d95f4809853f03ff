"""Structured extraction: what each kind of field credits, and what an answer can't win by."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builtin.daily.cases import cases
from probatio.builtin.daily.structured_extraction.fields import Field, credit, fits
from probatio.builtin.daily.structured_extraction.grader import (
    EXTRA,
    FAULT,
    RIVAL,
    ExtractionGold,
    check,
    leaves,
)
from probatio.suites.daily_suite import Case

CASES = cases("structured_extraction")


def small(**fields: dict[str, Any]) -> Case:
    return Case("small", "…", gold={"fields": fields})


TWO = small(name={"as": "text", "value": "Anna"}, guests={"as": "number", "value": 12})


@pytest.mark.parametrize(
    ("kind", "gold", "given_value", "worth"),
    [
        ("exact", "RE-0871", "RE-0871", 1.0),
        ("exact", "RE-0871", "re-0871", 0.5),
        ("exact", "RE-0871", "RE-O871", 0.0),
        ("exact", "11839", 11839, 1.0),
        ("text", "Garden Room", " garden  ROOM.", 1.0),
        ("text", "Garden Room", "Rose Room", 0.25),
        ("text", "Garden Room", "Terrace", 0.0),
        ("digits", "+353 87 555", "+35387555", 1.0),
        ("digits", "555 0187", "555 0178", 0.0),
        ("digits", "555 0187", "555 0187 / 555 0178", 0.0),
        ("number", 12, "12", 1.0),
        ("number", 12, "10 or 12", 0.0),
        ("number", 12, [12], 0.0),
        ("number", 1, True, 0.0),
        ("bool", True, "yes", 1.0),
        ("bool", True, 1, 0.0),
        ("date", "2024-03-14", "2024-03-14", 1.0),
        ("date", "2024-03-14", "14 March 2024", 0.5),
        ("date", "2024-04-03", "03/04/2024", 0.0),
        ("time", "19:30", "19:30", 1.0),
        ("time", "19:30", "7:30 pm", 0.5),
        ("time", "19:30", "07:30", 0.0),
        ("time", "08:00:01", "08:00:01Z", 0.5),
        ("set", ["a", "b"], ["b", "a"], 1.0),
        ("set", ["a", "b"], ["a"], 2 / 3),
        ("set", ["a", "b"], ["a", "a", "b"], 0.8),
        ("set", ["a", "b"], "a", 2 / 3),
        ("list", ["a", "b"], ["b", "a"], 0.5),
        ("list", ["a", "b"], ["a", "b"], 1.0),
    ],
)
def test_a_field_is_credited_by_its_kind(kind: str, gold: object, given_value: object, worth: float) -> None:
    assert credit(Field(kind, value=gold), given_value) == pytest.approx(worth)


def test_what_the_text_does_not_say_is_null_and_a_key() -> None:
    case = small(name={"as": "text", "value": "Anna"}, deposit={"as": "number", "value": None})
    scores = [
        check(case, f'{{"name": "Anna"{rest}}}').score
        for rest in (', "deposit": null', ', "deposit": "n/a"', "")
    ]
    assert scores[0] == 1.0
    assert scores[0] > scores[1] > scores[2]
    assert check(case, '{"name": "Anna", "deposit": 0}').score < scores[1]


def test_null_does_not_fit_where_the_text_says_something() -> None:
    assert not fits(Field("number", value=12), None)
    assert fits(Field("number", value=None), None)


def test_the_right_value_of_the_wrong_type_loses_only_the_schema() -> None:
    checked = check(TWO, '{"name": "Anna", "guests": "12"}')
    assert {part.name: part.score for part in checked.parts} == {"name": 1.0, "guests": 1.0, "schema": 0.5}


def test_fields_nobody_asked_for_cost() -> None:
    assert check(TWO, '{"name": "Anna", "guests": 12, "sure": true}').score == pytest.approx(1 - EXTRA)


def test_a_column_too_many_counts_once_for_all_rows() -> None:
    case = small(rows={"as": "rows", "fields": {"n": {"as": "number"}}, "value": [{"n": 1}, {"n": 2}]})
    assert check(case, '{"rows": [{"n": 1, "x": 0}, {"n": 2, "x": 0}]}').score == pytest.approx(1 - EXTRA)


def test_broken_json_costs_by_the_kind_of_its_fault() -> None:
    assert check(TWO, '{"name": "Anna", "guests": 12,}').score == pytest.approx(1 - FAULT)


def test_a_hedge_over_two_objects_earns_less_than_either_guess() -> None:
    """Two objects that differ in one field: the right guess alone, the wrong guess alone, and both."""
    fields = {f"f{n}": n for n in range(8)}
    case = small(**{name: {"as": "number", "value": n} for name, n in fields.items()})
    right, wrong = json.dumps(fields), json.dumps(fields | {"f7": 0})
    hedge = check(case, f"{wrong}\n{right}").score
    assert hedge == pytest.approx(1 - RIVAL)
    assert hedge < check(case, wrong).score < check(case, right).score


LADDER = small(
    ship={"as": "text", "value": "Callisto", "rung": 1},
    berth={"as": "exact", "value": "7B", "rung": 2},
    tons={"as": "number", "value": 31, "rung": 3, "weight": 2},
)


def test_the_fields_of_a_ladder_carry_their_rungs_and_nothing_is_earned_for_the_schema() -> None:
    checked = check(LADDER, '{"ship": "Callisto", "berth": "?", "tons": 1}')
    assert [(part.name, part.rung, part.score) for part in checked.parts] == [
        ("ship", 1, 1.0), ("berth", 2, 0.0), ("tons", 3, 0.0),
    ]  # fmt: skip
    assert checked.score == pytest.approx(1 / 4)
    assert check(LADDER, "no object").score == 0
    assert [part.rung for part in check(LADDER, "no object").parts] == [1, 2, 3]


def test_what_is_taken_off_on_a_ladder_is_a_share_of_what_was_earned() -> None:
    extra = '{"ship": "Callisto", "berth": "?", "tons": 1, "sure": true}'
    assert check(LADDER, extra).score == pytest.approx((1 - EXTRA) / 4)
    hedge = '{"ship": "Callisto", "berth": "7B", "tons": 1} {"ship": "Callisto", "berth": "7B", "tons": 31}'
    assert check(LADDER, hedge).score == pytest.approx(1 - RIVAL)


def test_both_values_under_one_key_earn_nothing_for_it() -> None:
    assert (
        check(TWO, '{"name": "Anna", "guests": 10, "guests": 12}').score
        < check(TWO, '{"name": "Anna", "guests": 10}').score
    )


def test_rows_are_matched_whatever_their_order() -> None:
    rows = [
        {"item": item, "price": price} for item, price in (("Bolts", 12.5), ("Nuts", 8), ("Washers", 3.25))
    ]
    field = Field("rows", value=rows, fields={"item": Field("text"), "price": Field("number")})
    assert credit(field, rows[::-1]) == 1.0
    assert credit(field, rows[:2]) == pytest.approx(0.8)
    assert credit(field, [*rows, rows[0]]) == pytest.approx(6 / 7)


def test_every_field_is_named_in_the_prompt_and_no_gold_answer_is_in_it() -> None:
    for case in CASES.values():
        named = set(re.findall(r'"([\w-]+)"', case.prompt))
        for stem, first, last in re.findall(r'"([a-z]+_?)(\d)" to "\1(\d)"', case.prompt):
            named |= {f"{stem}{number}" for number in range(int(first), int(last) + 1)}
        assert {
            path.split(".")[-1] for path, _ in leaves(msgspec.convert(case.gold, ExtractionGold).fields)
        } <= named, case.id
        assert check(case, case.prompt).score == 0


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.data())
def test_any_values_in_the_asked_fields_score_between_0_and_1(case: Case, data: st.DataObject) -> None:
    keys = st.sampled_from([*case.gold["fields"], "other"])
    answer = json.dumps(data.draw(st.dictionaries(keys, VALUES, max_size=6)))
    assert 0 <= check(case, answer).score <= 1


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.text(max_size=300))
def test_any_text_scores_between_0_and_1_and_the_same_twice(case: Case, answer: str) -> None:
    checked = check(case, answer)
    assert 0 <= checked.score <= 1
    assert checked == check(case, answer)
