"""Report analysis: the golds follow from the tables, and silence, guessing and hedging do not pay."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builtin.daily.cases import cases
from builtin.daily.puzzles import puzzles
from probatio.builtin.daily.report_analysis.grader import RIVAL, Gold, check
from probatio.builtin.daily.report_analysis.questions import KINDS
from probatio.suite.daily_suite import Case

CASES = puzzles("report_analysis") | cases("report_analysis")
ALL = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def gold(case: Case) -> Gold:
    return msgspec.convert(case.gold, Gold)


def right(case: Case) -> dict[int, Any]:
    return {
        number: gold(case).absent if question.kind == "absent" else question.value
        for number, question in enumerate(gold(case).questions, start=1)
    }


def written(case: Case, answers: dict[int, Any]) -> str:
    if gold(case).form == "json":
        return json.dumps({f"q{number}": answer for number, answer in answers.items()})
    return "\n".join(
        f"{number}. {', '.join(answer) if isinstance(answer, list) else answer}" for number, answer in answers.items()
    )


def rows(case: Case) -> dict[str, list[float]]:
    """The numbers of every table row in the prompt, by the first cell without its footnote or kind."""
    numbers_by_row = {}
    for line in case.prompt.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) > 1 and re.fullmatch(r"[\d,.-]+", cells[-1]) and not set(line) <= set("|- "):
            numbers_by_row[re.sub(r" [\[(].*", "", cells[0])] = [
                float(cell.replace(",", "")) if cell != "-" else 0.0 for cell in cells[1:]
            ]
    return numbers_by_row


def numbers(case: Case) -> dict[int, float]:
    return {n: q.value for n, q in enumerate(gold(case).questions, start=1) if q.kind == "number"}


def test_the_bakery_gold_follows_from_its_table() -> None:
    case = CASES["report_bakery"]
    shops = rows(case)
    assert right(case)[1] == max(shops, key=lambda shop: shops[shop][2])
    assert numbers(case) == {
        2: sum(row[1] for row in shops.values()),
        3: sum(row[3] for row in shops.values()),
        6: 38000 * 3 / 4,
        10: round(shops["Mill Street"][3] / shops["Mill Street"][1], 1),
    }
    assert set(right(case)[8]) == {shop for shop, row in shops.items() if row[0] > 2012}


def test_the_library_gold_follows_from_its_table() -> None:
    case = CASES["report_library"]
    branches = rows(case)
    before, now = (sum(row[at] for row in branches.values()) for at in (0, 1))
    assert [right(case)[2]] == [branch for branch, row in branches.items() if row[1] < row[0]]
    assert right(case)[3] == max(branches, key=lambda branch: branches[branch][1] / branches[branch][0])
    assert numbers(case) == {
        1: now,
        4: round(100 * (now / before - 1), 1),
        5: (date(2023, 4, 28) - date(2023, 4, 3)).days + 1,
        7: round(branches["Westgate"][2] / branches["Westgate"][1], 2),
        10: 74 / 2,
    }


def test_the_energy_gold_follows_from_its_table_and_its_footnote() -> None:
    case = CASES["report_energy"]
    plants = rows(case)
    plants["Dunmore"][2] = 37.9
    year = {plant: sum(row[:4]) for plant, row in plants.items()}
    quarters = [sum(row[at] for row in plants.values()) for at in range(4)]
    assert right(case)[2] == max(year, key=year.__getitem__)
    assert right(case)[3] == f"Q{quarters.index(min(quarters)) + 1}"
    assert right(case)[6] == sorted(plants, key=lambda plant: year[plant] / plants[plant][4], reverse=True)
    assert right(case)[9] == (date(2025, 5, 12) + timedelta(18)).isoformat()
    assert numbers(case) == pytest.approx(
        {
            1: year["Dunmore"],
            4: round(100 * year["Aldersund"] / sum(year.values()), 1),
            5: plants["Aldersund"][3] - plants["Aldersund"][2],
            7: year["Dunmore"] * 1000 * 0.41,
        }
    )


def test_the_parcels_gold_follows_from_its_tables() -> None:
    case = CASES["report_parcels"]
    table = rows(case)
    depots = {name: row for name, row in table.items() if len(row) == 5}
    complaints = {name: row[0] for name, row in table.items() if len(row) == 1}
    assert (len(depots), len(complaints)) == (4, 5)
    fewest = min(depots.values(), key=lambda row: row[4])
    assert set(right(case)[2]) == {name for name, row in depots.items() if row[3] / row[1] > row[2] / row[0]}
    assert right(case)[9] == (date(2025, 3, 3) + timedelta(weeks=8)).isoformat()
    assert right(case)[11] == any(row[3] > 0.025 * row[1] for name, row in depots.items() if name != "Crossley")
    assert numbers(case) == pytest.approx(
        {
            1: sum(row[0] + row[1] for row in depots.values()),
            3: round(100 * sum(row[3] for row in depots.values()) / sum(row[1] for row in depots.values()), 2),
            4: 100 * (1 - complaints["late"] / sum(complaints.values())),
            5: (fewest[0] + fewest[1]) / fewest[4],
            6: 1.5 * (depots["Crossley"][2] - 0.025 * depots["Crossley"][0]),
        }
    )


def test_the_clinic_gold_follows_from_its_tables_and_footnotes() -> None:
    case = CASES["report_clinic"]
    table = rows(case)
    wards = {name: row for name, row in table.items() if len(row) == 5}
    costs = {name: row[0] for name, row in table.items() if len(row) == 1}
    old = {name: row for name, row in wards.items() if name != "Geriatrics"}
    new = wards["Geriatrics"]
    assert (len(wards), len(costs)) == (5, 4)
    assert right(case)[2] == max(wards, key=lambda ward: wards[ward][4] / wards[ward][2])
    assert right(case)[7] == sorted(old, key=lambda ward: old[ward][2] / old[ward][1], reverse=True)
    assert numbers(case) == pytest.approx(
        {
            1: round(100 * (sum(row[2] for row in old.values()) / sum(row[1] for row in old.values()) - 1), 1),
            3: round(100 * wards["Surgery"][4] / wards["Surgery"][2], 1),
            4: round(sum(row[2] * row[3] for row in wards.values()) / sum(row[2] for row in wards.values()), 2),
            5: costs["Energy"] / 1000 - 0.64,
            6: round(100 * (costs["Staff"] - 1300) / (sum(costs.values()) - 1300), 1),
            8: round(100 * new[2] * new[3] / (new[0] * (date(2025, 1, 1) - date(2024, 7, 1)).days)),
            10: 212 * 3 / 4,
        }
    )


def test_every_kind_of_question_is_asked() -> None:
    asked = {question.kind for case in CASES.values() for question in gold(case).questions}
    assert asked == {*KINDS, "absent"}


@ALL
def test_a_case_asks_what_the_report_does_not_say_at_least_twice(case: Case) -> None:
    assert sum(question.kind == "absent" for question in gold(case).questions) >= 2
    assert len(gold(case).questions) == len(re.findall(r"^\d{1,2}\. ", case.prompt, re.MULTILINE))


@ALL
def test_not_stated_to_everything_earns_nothing(case: Case) -> None:
    assert check(case, written(case, dict.fromkeys(right(case), "not stated"))).score == 0


@ALL
def test_making_up_what_the_report_does_not_say_costs_more_than_leaving_it_out(case: Case) -> None:
    absent = [number for number, question in enumerate(gold(case).questions, start=1) if question.kind == "absent"]
    silent = check(case, written(case, {n: answer for n, answer in right(case).items() if n not in absent}))
    inventive = check(case, written(case, right(case) | dict.fromkeys(absent, 17)))
    assert inventive.score == pytest.approx(silent.score - gold(case).invented * len(absent))


@ALL
def test_each_answer_left_out_costs(case: Case) -> None:
    whole = right(case)
    assert check(case, written(case, whole)).score == 1.0
    for number in whole:
        assert check(case, written(case, {n: answer for n, answer in whole.items() if n != number})).score < 0.98


@ALL
def test_two_sets_of_answers_are_a_hedge(case: Case) -> None:
    other = right(case) | {1: 0}
    assert check(case, f"{written(case, other)}\n\n{written(case, right(case))}").score == pytest.approx(1 - RIVAL)


@ALL
def test_reading_the_prompt_back_earns_next_to_nothing(case: Case) -> None:
    assert check(case, case.prompt).score <= 0.05


ANSWER = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.lists(st.text(max_size=8), max_size=3)
)


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.dictionaries(st.integers(1, 12), ANSWER, max_size=12))
def test_any_answers_score_between_0_and_1(case: Case, answers: dict[int, Any]) -> None:
    answer = json.dumps({f"q{number}": value for number, value in answers.items()})
    assert 0 <= check(case, answer).score <= 1


@settings(deadline=None)
@given(st.sampled_from(list(CASES.values())), st.text(max_size=300))
def test_any_text_scores_between_0_and_1_and_the_same_twice(case: Case, answer: str) -> None:
    checked = check(case, answer)
    assert 0 <= checked.score <= 1
    assert checked == check(case, answer)
