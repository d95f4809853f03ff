"""The gold of the ladders of Report Analysis follows from their prompts: tables, notes and questions are read
there by rules of their own, and every answer is worked out anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from builtin.daily.cases import cases
from probatio.builtin.daily.report_analysis.grader import ReportGold, check
from probatio.suites.daily_suite import Case

CASES = cases("report_analysis")
ALL = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))

Place = dict[str, Any]


def gold(case: Case) -> ReportGold:
    return msgspec.convert(case.gold, ReportGold)


class Reading:
    """A report as somebody reads it who heeds every note."""

    def __init__(self, prompt: str) -> None:
        tables = [
            [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
            for block in re.findall(r"(?:^\|.*\|$\n?)+", prompt, re.MULTILINE)
        ]
        places, kinds, regions = tables
        self.place, self.region, self.kind, self.units, self.second = (head.lower() for head in places[0])
        self.places: dict[str, Place] = {
            row[0]: {"region": row[1], "kind": row[2], "units": int(row[3]), "second": int(row[4])}
            for row in places[2:]
        }
        self.shown = {name: dict(place) for name, place in self.places.items()}
        self.prices = {kind: int(price) for kind, price in kinds[2:]}
        self.offices = {
            name: {"town": town, "head": head, "fee": int(fee)} for name, town, head, fee in regions[2:]
        }
        self.notes = re.findall(r"^\[\d+\] (.+)$", prompt, re.MULTILINE)
        for late in (False, True):  # what is added in a region is added to those that are there
            for note in self.notes:
                if note.startswith("Add ") == late:
                    self.heed(note)

    def heed(self, note: str) -> None:
        def says(pattern: str) -> tuple[str, ...] | None:
            found = re.fullmatch(pattern, note)
            return found.groups() if found else None

        units = self.units
        if words := says(rf"The {units} of (\w+) are (\d+), not (\d+)\."):
            assert self.places[words[0]]["units"] == int(words[2])
            self.places[words[0]]["units"] = int(words[1])
        elif words := says(
            rf"The {units} of (\w+) were first corrected from (\d+) to \d+, and then, for good, to (\d+)\."
        ):
            assert self.places[words[0]]["units"] == int(words[1])
            self.places[words[0]]["units"] = int(words[2])
        elif words := says(r"(\w+) is in (\w+), not in (\w+)\."):
            assert self.places[words[0]]["region"] == words[2]
            self.places[words[0]]["region"] = words[1]
        elif words := says(rf"The {units} of (\w+(?: and \w+)*) are given in dozens; multiply them by 12\."):
            for name in words[0].split(" and "):
                self.places[name]["units"] *= 12
        elif words := says(r"(\w+) was closed all year; leave it out of every count, sum and comparison\."):
            del self.places[words[0]]
        elif words := says(rf"Add (\d+) to the {self.second} of every {self.place} in (\w+)\."):
            for place in self.places.values():
                place["second"] += int(words[0]) * (place["region"] == words[1])
        elif words := says(r"The price of (\w+) is (\d+), not (\d+)\."):
            assert self.prices[words[0]] == int(words[2])
            self.prices[words[0]] = int(words[1])
        else:
            raise AssertionError(note)

    def which(self, test: Callable[[Place], bool]) -> dict[str, Place]:
        return {name: place for name, place in self.places.items() if test(place)}

    def total(self, test: Callable[[Place], bool]) -> int:
        return sum(place["units"] for place in self.which(test).values())

    def money(self, test: Callable[[Place], bool], fee: bool) -> int:
        return sum(
            place["units"] * self.prices[place["kind"]] - fee * self.offices[place["region"]]["fee"]
            for place in self.which(test).values()
        )

    def scores(self, without: set[str]) -> int:
        """Price by price and fee by fee, as it is summed by nobody else."""
        times = [(x, x["second"]) for x in self.places.values() if x["region"] not in without]
        taken = sum(
            price * sum(x["units"] * n for x, n in times if x["kind"] == kind)
            for kind, price in self.prices.items()
        )
        paid = sum(
            of["fee"] * sum(n for x, n in times if x["region"] == region)
            for region, of in self.offices.items()
        )
        return int(taken - paid)

    def headed(self, heads: str) -> set[str]:
        return {name for name, office in self.offices.items() if office["head"] in heads.split(" and ")}

    def answer(self, question: str) -> Any:
        """What the report says; None where it says nothing."""
        of, p, units, second, places = self.offices, self.places, self.units, self.second, self.place + "s"
        forms: dict[str, Callable[..., Any]] = {
            rf"How many {units} does (\w+) have\?": lambda name: p[name]["units"],
            rf"How many {second} does (\w+) have\?": lambda name: p[name]["second"],
            rf"Which {self.region} is (\w+) in\?": lambda name: p[name]["region"],
            rf"Which {self.kind} does (\w+) have\?": lambda name: p[name]["kind"],
            r"What is the price of (\w+)\?": lambda kind: self.prices[kind],
            r"In which town is the office of (\w+)\?": lambda region: of[region]["town"],
            r"Who heads (\w+)\?": lambda region: of[region]["head"],
            r"What is the fee of (\w+)\?": lambda region: of[region]["fee"],
            r"How many people live in (\w+)\?": lambda _: None,
            rf"How many {units} did (\w+) have in the year before\?": lambda _: None,
            (
                rf"How many more {units} does (\w+) have than (\w+)\?"
            ): lambda one, two: p[one]["units"] - p[two]["units"],
            (
                rf"How many {units} do (\w+) and (\w+) have together\?"
            ): lambda one, two: p[one]["units"] + p[two]["units"],
            rf"Who heads the {self.region} that (\w+) is in\?": lambda name: of[p[name]["region"]]["head"],
            rf"Which {self.place} in (\w+) has the most {units}\?": lambda region: self.most(region),
            rf"How many {places} in (\w+) have (\w+)\?": lambda region, kind: len(
                self.which(lambda x: (x["region"], x["kind"]) == (region, kind))
            ),
            (
                rf"Which {places} in (\w+) have fewer than (\d+) {second}\? Names separated by commas\."
            ): lambda region, limit: set(
                self.which(lambda x: x["region"] == region and x["second"] < int(limit))
            ),
            (
                rf"How many {units} do all {places} in (\w+) with (\w+) have together\?"
            ): lambda region, kind: self.total(
                lambda x: (x["region"], x["kind"]) == (region, kind)
            ),
            (
                rf"How many {units} do all {places} with more than (\d+) {second} and with (\w+(?: or "
                r"\w+)*) have together\?"
            ):
                lambda limit, kinds: self.total(lambda x: x[(
                    "kind"
                )] in kinds.split(" or ") and x["second"] > int(limit)),
            (
                rf"What are the takings of all {places} with more than (\d+) {second} and with (\w+(?: or "
                r"\w+)*) together\?"
            ):
                lambda limit, kinds: self.money(
                    lambda x: x["kind"] in kinds.split(" or ") and x["second"] > int(limit), fee=False
                ),
            (
                rf"What are the takings of all {places} with more than (\d+) {second} together\?"
            ): lambda limit: self.money(
                lambda x: x["second"] > int(limit), fee=False
            ),
            (
                rf"What are the takings of all {places} in (\w+(?: and \w+)*) together\?"
            ): lambda regions: self.money(
                lambda x: x["region"] in regions.split(" and "), fee=False
            ),
            (
                rf"What are the profits of all {places} with at least (\d+) {second} in the \w+ of (\w+(?: "
                r"and \w+)*) together\?"
            ):
                lambda limit, heads: self.money(
                    lambda x: x["second"] >= int(limit) and x["region"] in self.headed(heads), fee=True
                ),
            (
                rf"What are the scores of all {places} outside (\w+) together\?"
            ): lambda region: self.scores({region}),
            rf"What are the scores of all {places} together\?": lambda: self.scores(set()),
        }  # fmt: skip
        found = [
            work(*match.groups()) for form, work in forms.items() if (match := re.fullmatch(form, question))
        ]
        assert len(found) == 1, question
        return found[0]

    def most(self, region: str) -> str:
        there = self.which(lambda x: x["region"] == region)
        (best,) = [name for name in there if there[name]["units"] == max(x["units"] for x in there.values())]
        return best


def asked(case: Case) -> list[str]:
    return re.findall(r"^\d{1,2}\. (.+)$", case.prompt, re.MULTILINE)


@ALL
def test_the_gold_is_what_the_report_and_its_notes_say(case: Case) -> None:
    report = Reading(case.prompt)
    read = [report.answer(question) for question in asked(case)]
    expected = [set(each.value) if each.kind == "set" else each.value for each in gold(case).questions]
    assert read == expected
    assert [answer is None for answer in read] == [each.kind == "absent" for each in gold(case).questions]


@ALL
def test_an_added_figure_reaches_no_place_that_a_note_moves(case: Case) -> None:
    """So it does not matter which note is heeded first."""
    report = Reading(case.prompt)
    adding = {match[1] for note in report.notes if (match := re.search(r"^Add .* in (\w+)\.$", note))}
    for name, place in report.places.items():
        before = report.shown[name]["region"]
        assert before == place["region"] or not {before, place["region"]} & adding


@ALL
def test_the_notes_matter_for_the_top_third(case: Case) -> None:
    """Who overlooks any one of them has another answer to at least one question."""
    report = Reading(case.prompt)
    for note in report.notes:
        careless = Reading(case.prompt.replace(note, ""))
        assert [careless.answer(q) for q in asked(case)[-5:]] != [
            report.answer(q) for q in asked(case)[-5:]
        ], note


@ALL
def test_every_rung_weighs_the_same_and_stands_in_its_order(case: Case) -> None:
    questions = gold(case).questions
    weights = [
        sum(each.weight for each in questions if each.rung == rung) for rung in range(1, case.rungs + 1)
    ]
    assert weights == [1.0] * case.rungs
    assert [each.rung for each in questions] == sorted(each.rung for each in questions)


@ALL
def test_a_part_says_which_rung_it_belongs_to(case: Case) -> None:
    assert [part.rung for part in check(case, "").parts] == [*(each.rung for each in gold(case).questions), 0]


@ALL
def test_the_names_a_question_may_be_answered_with_are_known(case: Case) -> None:
    report = Reading(case.prompt)
    offices = report.offices.values()
    assert set(gold(case).names) == {
        *report.shown, *report.prices, *report.offices, *(x[(
            "town"
        )] for x in offices), *(x["head"] for x in offices),
    }  # fmt: skip


@ALL
def test_half_an_effort_with_silence_for_the_rest_earns_no_more_than_its_answers(case: Case) -> None:
    """Not stated to all but a few questions: the credit for silence shrinks with them."""
    questions = gold(case).questions
    few = 4
    answers = {n: each.value if n <= few else "not stated" for n, each in enumerate(questions, start=1)}
    text = "\n".join(f"{number}. {answer}" for number, answer in answers.items())
    right = sum(each.weight for each in questions[:few])
    whole = sum(each.weight for each in questions) + 0.5
    effort = 2 * few / sum(each.kind != "absent" for each in questions)
    form = 0.5 if gold(case).form == "lines" else 0.0
    assert check(case, text).score == pytest.approx((right + effort * (1.0 + form)) / whole)
