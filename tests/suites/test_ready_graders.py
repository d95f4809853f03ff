"""The ready graders: what right, wrong, empty, huge and hostile answers get, and how a suite has them."""

from __future__ import annotations

import asyncio
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.errors import UsageError
from probatio.core.records import Assessment, SampleAnswer
from probatio.grading.samples import Grading
from probatio.suites.daily_proofs import read_proofs
from probatio.suites.daily_suite import constants_of, load_daily, read_manifest
from probatio.suites.ready_graders import (
    ALIASES,
    GRADERS,
    JUDGE,
    count_rungs,
    grade_expectations,
    make_gold,
    read_expectations,
)

SCHEMA = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
NUMBER = {"value": 90, "unit": ["km/h", "kph"], "tolerance": 0.5}
MONEY = {"value": 1234.5, "unit": "$", "tolerance": "1%"}
CHOICE = {"right": "Pro", "of": ["Free", "Pro", "Pro Plus"]}
TESTS = {"tests": ["add(1, 2) == 3", "add('a', 1) raises TypeError"]}
ADD = "```python\ndef add(a, b):\n    return a + b\n```"
EQUAL = "__eq__ = lambda self, other: True"
FIELDS = {"fields": {"name": "Ada", "born.year": 1815}, "weights": {"born.year": 3}}

GRADED: list[tuple[str, Any, str, float]] = [
    ("exact", "Pro", " Pro\n", 1),
    ("exact", "Pro", "pro", 0),
    ("exact", "Pro", "Pro or Free", 0),
    ("equals", "Pro", "Pro", 1),
    ("contains", "Enterprise", "It is Enterprise.", 1),
    ("contains", "Enterprise", "It is enterprise.", 0),
    ("icontains", "Enterprise", "It is ENTERPRISE.", 1),
    ("icontains", "Enterprise", "It is Pro.", 0),
    ("starts-with", "Yes", "Yes, it does.", 1),
    ("starts-with", "Yes", "No. Yes.", 0),
    ("contains-all", ["a", "b"], "a and b", 1),
    ("contains-all", ["a", "b"], "only a", 0),
    ("contains-any", ["x", "b"], "only b", 1),
    ("contains-any", ["x", "z"], "only b", 0),
    ("icontains-all", ["A", "b"], "a and B", 1),
    ("icontains-any", ["X", "B"], "only b", 1),
    ("not-contains", "sorry", "Here you are.", 1),
    ("not-contains", "sorry", "I am sorry.", 0),
    ("not", {"icontains": "sorry"}, "Sorry!", 0),
    ("regex", r"^\d{4}-\d\d$", "2026-03", 1),
    ("regex", r"^\d{4}-\d\d$", "March 2026", 0),
    ("number", 42, "42", 1),
    ("number", 42, "The answer is **42**.", 1),
    ("number", 42, "6 × 7 = 42", 1),
    ("number", 42, "1. six\n2. seven\n\n42.0", 1),
    ("number", 42, "41, 42 or 43", 0),
    ("number", 42, "-42", 0),
    ("number", -42, "It is −42", 1),
    ("number", 1200000, "1,200,000", 1),
    ("number", 1200000, "1.2e6", 1),
    ("number", 0.1, "0.1000", 1),
    ("number", 42, "v42", 0),
    ("number", 42, "9" * 5000, 0),
    ("number", NUMBER, "It drives at 90.4 km/h.", 1),
    ("number", NUMBER, "25 m/s, so 90kph", 1),
    ("number", NUMBER, "90", 0),
    ("number", NUMBER, "90.6 km/h", 0),
    ("number", {"value": 5, "unit": "m"}, "5 m/s", 0),
    ("number", MONEY, "About $1,240", 1),
    ("number", MONEY, "About €1,240", 0),
    ("choice", CHOICE, "**pro**", 1),
    ("choice", CHOICE, "Pro Plus", 0),
    ("choice", CHOICE, "Free or Pro", 0),
    ("choice", CHOICE, "Professional", 0),
    ("json", FIELDS, 'So: ```json\n{"name": "Ada", "born": {"year": 1815.0}}\n```', 1),
    ("json", FIELDS, '{"name": "Bob", "born": {"year": 1815}}', 0.75),
    ("json", FIELDS, '{"name": "Ada"}', 0.25),
    ("json", FIELDS, '{"name": "Ada", "born": {"year": true}}', 0.25),
    ("json", FIELDS, '{"name": "Ada", "born": {"year": 1815}} or {"name": "Bob"}', 0),
    ("json", FIELDS, "Ada, 1815", 0),
    ("json", {"schema": SCHEMA}, 'x {"name": "Ada"}', 1),
    ("contains-json", True, "x [1]", 1),
    ("contains-json", SCHEMA, '{"name": 3}', 0),
    ("is-json", True, '{"a": 1}', 1),
    ("is-json", True, 'x {"a": 1}', 0),
    ("is-json", True, "NaN", 0),
    ("is-json", True, '{"a": 1} {"a": 1}', 0),
    ("is-json", SCHEMA, '{"name": 3, "name": {"score": 1}}', 0),
    ("is-json", SCHEMA, '{"name": "Ada"}', 1),
    ("is-json", SCHEMA, "{}", 0),
    ("is-json", {"additionalProperties": False, "properties": {"a": {"enum": [1]}}}, '{"a": true}', 0),
    ("is-json", {"items": {"type": "integer", "minimum": 2}}, "[2, 3.0]", 1),
    ("is-json", {"items": {"type": "integer", "minimum": 2}}, "[2, 1]", 0),
    ("similar", "the quick brown fox", "The quick, brown FOX!", 1),
    ("similar", "the quick brown fox", "the quick red fox", 0.7),
    ("similar", "the quick brown fox", "a lazy dog", 0),
    ("similar", "the quick brown fox", "the quick brown fox " * 50, 0),
    ("similar", "the quick brown fox", "the quick brown fox or not: a lazy dog, a red cat", 0.5),
    ("similar", {"to": "the quick brown fox", "measure": "pairs"}, "fox brown quick the", 0),
    ("python", TESTS, ADD, 1),
    ("python", TESTS["tests"], ADD.replace("+", "*"), 0),
    ("python", TESTS, ADD.replace("a + b", "3"), 0.5),
    ("python", "add(1, 2) == 3", "The sum is 3.", 0),
    ("python", TESTS, f"```python\nclass A:\n    {EQUAL}\ndef add(a, b):\n    return A()\n```", 0),
    ("not-python", "add(1, 2) == 3", ADD, 0),
]

HUGE = {
    "text": "Lorem ipsum. " * 16_000,
    "letters": "a" * 1_000_000,
    "words": "the quick " * 100_000,
    "numbers": "1 " * 500_000,
    "digits": "9" * 1_000_000,
    "lines": "1=\n" * 300_000,
    "brackets": "[" * 1_000_000,
    "braces": '{"a":' * 200_000,
    "lists": "[1]" * 300_000,
    "choices": "Pro Free " * 100_000,
    "halves": "\ud800" * 10,
    "code": ADD + "\n```\nx = '" + "a" * 200_000,
    "functions": "def add(a, b): pass\n" * 10_000,
    "controls": "\x00\x1b[2J\u202e" * 1000,
}


def score(name: str, value: Any, answer: str) -> float:
    return grade_expectations(read_expectations({name: value}), answer).score


@pytest.mark.parametrize(("name", "value", "answer", "expected"), GRADED)
def test_an_answer_gets_the_score_it_should(name: str, value: Any, answer: str, expected: float) -> None:
    """These are pinned: who changes one raises VERSION."""
    assert score(name, value, answer) == expected


def test_every_grader_has_right_and_wrong_answers_here() -> None:
    for want in (1, 0):
        tried = {name.removeprefix("not-") for name, _, _, given in GRADED if given == want}
        missing = {*GRADERS, *ALIASES} - tried
        assert missing <= ({"equals", "icontains-all", "icontains-any"} if want == 0 else set())


def one_of_each() -> list[tuple[str, Any, str, float]]:
    """The first row of each grader."""
    return list({row[0]: row for row in reversed(GRADED)}.values())


@pytest.mark.parametrize(("name", "value"), [row[:2] for row in one_of_each()])
def test_an_empty_answer_earns_nothing_and_no_answer_breaks_a_grader(name: str, value: Any) -> None:
    assert score(name, value, "") == score(name, value, " \n") == 0
    for answer in HUGE.values():
        first = grade_expectations(read_expectations({name: value}), answer)
        assert first == grade_expectations(read_expectations({name: value}), answer)
        assert 0 <= first.score <= 1
        assert all(len(part.detail) <= 500 for part in first.parts)


def test_several_expectations_share_the_score_by_their_weights() -> None:
    expected = read_expectations(
        [{"contains": "A"}, {"not-contains": "B", "weight": 2}, {"json": FIELDS, "weight": 1}]
    )
    assert grade_expectations(expected, 'A {"name": "Ada"}').score == pytest.approx((1 + 2 + 0.25) / 4)
    assert grade_expectations(expected, "B").score == 0
    assert grade_expectations(expected, "").score == 0


@pytest.mark.parametrize(
    ("written", "rungs"),
    [
        ({"contains": "x"}, 0),
        ({"number": 1}, 0),
        ({"json": FIELDS}, 2),
        ({"json": {"schema": SCHEMA}}, 0),
        ({"similar": "one two"}, 10),
        ({"not-similar": "one two"}, 10),
        ([{"contains": "x"}, {"not-contains": "y"}], 2),
        ([{"json": FIELDS}, {"similar": "one two"}], 12),
        ({"python": TESTS}, 2),
        ({"python": "add(1, 2) == 3"}, 0),
        ([{"python": TESTS}, {"contains": "def"}], 3),
    ],
)
def test_the_rungs_are_those_of_all_expectations(written: Any, rungs: int) -> None:
    assert count_rungs(read_expectations(written)) == rungs


@pytest.mark.parametrize(
    ("written", "gold"),
    [
        ({"exact": "Pro"}, "Pro"),
        ({"contains": "Pro"}, "Pro"),
        ({"contains-all": ["a", "b"]}, "a b"),
        ({"number": NUMBER}, "90 km/h"),
        ({"number": MONEY}, "$1234.5"),
        ({"choice": CHOICE}, "Pro"),
        ({"similar": "one two"}, "one two"),
        ([{"contains": "a"}, {"contains": "b"}, {"not-contains": "c"}], "a b"),
        ([{"contains": "a"}, {"not-contains": "a"}], None),
        ({"regex": "a"}, None),
        ([{"contains": "aaaa"}, {"regex": "(a+)+$"}], None),
        ({"not-contains": "a"}, None),
        ({"is-json": True}, None),
        ({"not-python": TESTS}, None),
        ([{"python": TESTS}, {"contains": "def"}], None),
    ],
)
def test_gold_is_made_where_it_can_be(written: Any, gold: str | None) -> None:
    assert make_gold(read_expectations(written)) == gold


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"contain": "x"}, "no ready grader `contain`. Near matches: contains"),
        ({"contains": 3}, "`contains`: the value has to be a text; put 3 in quotes"),
        ({"contains": " "}, "the value is empty"),
        ({"contains-all": "x"}, "has to be a list of texts"),
        ("Pro", "a grader with its value"),
        (["Pro"], "a grader with its value"),
        ([], "`expect` is empty"),
        ({"contains": "x", "regex": "y"}, "give several as a list"),
        ({"contains": "x", "weight": 0}, "`weight` has to be a number above 0, not 0"),
        ({"contains": "x", "weight": True}, "`weight` has to be a number above 0"),
        ({"not": {"contains": "x", "regex": "y"}}, "give several as a list"),
        ({"regex": "("}, "is no pattern: missing )"),
        ({"regex": "a" * 2000}, "at most 1000 characters"),
        ({"number": "x"}, "'x' is no number"),
        ({"number": True}, "is no number"),
        ({"number": {"tolerance": 1}}, "it needs a `value`"),
        ({"number": {"value": 1, "units": "m"}}, "unknown key `units`"),
        ({"number": {"value": 1, "tolerance": -1}}, "not below 0"),
        ({"choice": {"right": "D", "of": ["A"]}}, "`right` is one of them"),
        ({"choice": "A"}, "the keys `right` and `of`"),
        ({"json": {"name": "Ada"}}, "it has `fields`"),
        ({"json": {"fields": {"a": 1}, "weights": {"b": 1}}}, "`weights` names `b`"),
        ({"json": {"fields": {"a": 1}, "weights": {"a": 0}}}, "a number above 0"),
        ({"json": {"fields": {"a": float("nan")}}}, "what JSON has not"),
        ({"is-json": {"const": date(2026, 3, 1)}}, "put dates in quotes"),
        ({"is-json": {"pattern": "x"}}, "the schema has the keyword `pattern`"),
        ({"is-json": {"type": "text"}}, "the schema's `type` is one of"),
        ({"is-json": {"minimum": "1"}}, "the schema's `minimum` can't be '1'"),
        ({"is-json": 1}, "the schema has to be a table"),
        ({"similar": {"to": "x", "measure": "meaning"}}, "words or pairs"),
        ({"similar": {"to": "x", "measure": "pairs"}}, "the reference text has no pairs"),
        ({"python": {"test": ["f() == 1"]}}, "`python`: it has the key `tests`"),
        ({"python": []}, "a list of texts"),
        ({"python": [True]}, "put True in quotes"),
        ({"python": ["f() == 1", "f() == 1"]}, "the test f() == 1 stands there twice"),
        ({"python": [f"f({n})" for n in range(101)]}, "at most 100 tests, not 101"),
        ({"python": "print(x)"}, "'print(x)' is no test; a test is a call with what it gives"),
        ([{"python": "f()"}, {"not-python": "g()"}], "put all tests into one"),
    ],
)
def test_a_wrong_expectation_is_told_in_a_sentence(written: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_expectations(written)


CASES = """cases:
  - prompt: "Which plan includes SSO? One word."
    expect: {contains: Enterprise}
  - id: ada
    prompt: "Ada as JSON."
    expect: {json: {fields: {name: Ada, year: 1815}}}
"""


def folder_suite(folder: Path, cases: str = CASES, use_case: str = "plans") -> Path:
    (folder / "plans").mkdir(parents=True)
    (folder / "suite.yml").write_text(f'name: mine\nversion: "1.0.0"\nuse_cases: [{use_case}]\n')
    (folder / "plans" / "cases.yml").write_text(cases)
    return folder


@pytest.mark.parametrize("as_file", [False, True])
def test_expectations_are_all_that_a_suite_needs(tmp_path: Path, as_file: bool) -> None:
    place = tmp_path / "plans.yml"
    place.write_text(CASES)
    suite = load_daily(place if as_file else folder_suite(tmp_path / "mine"))
    assert suite.manifest.name == ("plans" if as_file else "mine")
    (use_case,) = suite.use_cases.values()
    assert (use_case.id, use_case.grading, use_case.grader) == ("plans", "deterministic", "expect")
    sso, ada = use_case.cases
    assert re.fullmatch(r"which_plan_includes_sso_one_[0-9a-f]{8}", sso.id)
    assert (sso.rungs, ada.rungs) == (0, 2)
    assert {proof.case: proof.answer for proof in read_proofs(suite, use_case)} == {
        sso.id: "Enterprise",
        "ada": '{"name": "Ada", "year": 1815}',
    }


@pytest.mark.parametrize("as_file", [False, True])
def test_the_verdict_reads_the_rungs_of_expectations_from_the_manifest_alone(
    tmp_path: Path, as_file: bool
) -> None:
    place = tmp_path / "plans.yml"
    place.write_text(CASES)
    folder = place if as_file else folder_suite(tmp_path / "mine")
    assert constants_of(read_manifest(folder)).rungs == (("ada", 2),)
    assert constants_of(load_daily(folder).manifest) == constants_of(read_manifest(folder))


def test_the_verdict_reads_the_rungs_of_each_grader(tmp_path: Path) -> None:
    place = tmp_path / "each.yml"
    each = {name: {name: value} for name, value, _, _ in one_of_each()}
    cases = [{"id": name, "prompt": "x", "expect": expect} for name, expect in each.items()]
    place.write_text(yaml.safe_dump({"cases": cases}))
    counted = {name: count_rungs(read_expectations(expect)) for name, expect in each.items()}
    assert {name: count for name, count in counted.items() if count} == {
        "json": 2,
        "similar": 10,
        "python": 2,
    }
    assert dict(constants_of(read_manifest(place)).rungs) == {name: n for name, n in counted.items() if n}


@pytest.mark.slow
def test_a_huge_and_an_empty_answer_cost_in_a_worker_no_more_than_their_grade(tmp_path: Path) -> None:
    place = tmp_path / "each.yml"
    cases = [{"id": n, "prompt": "x", "expect": {n: value}} for n, value, _, _ in one_of_each()]
    place.write_text(yaml.safe_dump({"cases": cases}))
    suite = load_daily(place)
    asked = [(case, answer) for case in suite.cases for answer in (HUGE["text"], HUGE["code"], "")]

    async def grade() -> list[Assessment]:
        grading = Grading(suite, "auto")
        return await asyncio.gather(
            *(grading.grade(SampleAnswer(case=case, model="m", response=answer)) for case, answer in asked)
        )

    first = asyncio.run(grade())
    for (case, answer), found in zip(asked, first, strict=True):
        assert found.error_type in {None, "no_response"}, (case, found)
        assert answer or found.score == 0
    assert asyncio.run(grade()) == first


def test_an_expectation_and_the_version_of_the_graders_are_in_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fingerprint(name: str, cases: str) -> str:
        place = tmp_path / name / "plans.yml"
        place.parent.mkdir()
        place.write_text(cases)
        return daily_fingerprint(load_daily(place))

    first = fingerprint("a", CASES)
    assert first == fingerprint("b", CASES)
    assert first != fingerprint("c", CASES.replace("Enterprise", "Pro"))
    assert first != fingerprint("d", CASES.replace("contains", "icontains"))
    monkeypatch.setattr("probatio.builtin.daily.graders.READY_VERSION", 2)
    assert first != fingerprint("e", CASES)
    built_in = load_daily()
    assert daily_fingerprint(built_in) == built_in.manifest.fingerprint


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (CASES.replace("{contains:", "{contain:"), "cases.yml, line 3: There is no ready grader `contain`"),
        (CASES.replace("    expect: {contains: Enterprise}\n", ""), "all cases have it, or none"),
        (CASES.replace("id: ada", "id: ada\n    rungs: 3"), "`rungs` come of `expect`"),
        ("cases:\n  - prompt: x\n", "has no grader"),
        (CASES.replace("expect:", "expects:", 1), "did you mean `expect`?"),
    ],
)
def test_what_is_wrong_in_a_case_is_told_with_its_place(tmp_path: Path, cases: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        load_daily(folder_suite(tmp_path / "mine", cases))


def test_a_use_case_has_expectations_or_a_grader_and_not_both(tmp_path: Path) -> None:
    folder = folder_suite(tmp_path / "mine", use_case="{id: plans, grader: structured_extraction}")
    with pytest.raises(UsageError, match="remove one of the two"):
        load_daily(folder)
    folder = folder_suite(tmp_path / "other")
    (folder / "plans" / "grader.py").write_text("")
    with pytest.raises(UsageError, match="remove one of the two"):
        load_daily(folder)


def test_a_file_of_cases_without_expectations_is_told_what_it_lacks(tmp_path: Path) -> None:
    place = tmp_path / "plans.yml"
    place.write_text("cases:\n  - prompt: x\n")
    with pytest.raises(UsageError, match="has no `expect`"):
        load_daily(place)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "criterion 1 has to be a sentence"),
        ([], "1 to 20 criteria, not 0"),
        (["x"] * 21, "1 to 20 criteria, not 21"),
        (True, "criterion 1 has to be a sentence"),
        ({"question": "x", "weight": -1}, "criterion 1: Expected `float` >= 0.0"),
        ({"question": "x", "weight": 0}, "add up to a number above 0"),
        ({"question": "x", "anchors": {1: "a"}}, "each mark from 1 to 5"),
        ({"question": "x", "anchor": {}}, "unknown field `anchor`"),
        ([{"question": "x", "id": "a"}, {"question": "y", "id": "a"}], "`a` stands there twice"),
    ],
)
def test_a_rubric_of_a_case_that_says_nothing_is_refused_with_a_sentence(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_expectations({"judge": value})


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"not-judge": "x"}, "`judge` has no `not`"),
        ([{"judge": "x"}, {"judge": "y"}], "`judge` stands there twice"),
        ({"jugde": "x"}, "There is no ready grader `jugde`"),
    ],
)
def test_a_judge_stands_in_a_case_once_and_as_it_is(written: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_expectations(written)


@pytest.mark.parametrize("key", ["grading: deterministic", "checked: 0.2"])
def test_a_use_case_says_nothing_that_the_weights_of_its_judged_cases_say(tmp_path: Path, key: str) -> None:
    cases = CASES.replace("{contains: Enterprise}", "{judge: Is kind.}")
    with pytest.raises(UsageError, match="take `grading` and `checked` out of the use case `plans`"):
        load_daily(folder_suite(tmp_path / "mine", cases, f"{{id: plans, {key}}}"))
    folder = folder_suite(tmp_path / "other", cases)
    (folder / "plans" / "rubric.yml").write_text("criteria: []\n")
    with pytest.raises(UsageError, match="remove one of the two"):
        load_daily(folder)


PAGE = (Path(__file__).parents[2] / "docs" / "graders.md").read_text(encoding="utf-8")


def test_the_page_has_an_example_of_every_grader_and_each_is_understood() -> None:
    table = PAGE.partition("| grader |")[2].partition("\n\n")[0]
    rows = [row.split(" | ") for row in table.splitlines() if row.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row[0])}
    assert named == {*GRADERS, JUDGE}
    assert all(f"| `{alias}` | an alias of `{name}`" in PAGE for alias, name in ALIASES.items())
    for row in rows:
        expected = read_expectations(yaml.safe_load(row[2].strip("`")))
        assert expected[0].grader in row[0]
        rungs = row[3].strip(" |")
        steps = {"1": 0, "–": 0, "10": 10, "its fields": 2, "its tests": 2}  # of the example
        assert count_rungs(expected) == steps[rungs]
    for example in re.findall(r"`([{\[].*?[}\]])`", PAGE):
        if "…" not in example:
            read_expectations(yaml.safe_load(example))


def test_the_file_of_the_page_is_a_suite(tmp_path: Path) -> None:
    (tmp_path / "plans.yml").write_text(PAGE.partition("```yaml\n")[2].partition("```")[0])
    suite = load_daily(tmp_path / "plans.yml")
    assert len(read_proofs(suite, suite.use_cases["plans"])) == len(suite.cases) == 3


def test_a_judge_marks_beside_expectations_where_the_use_case_is_hybrid(tmp_path: Path) -> None:
    rubric = {
        "criteria": [{"id": "tone", "question": "How is it?", "anchors": dict.fromkeys(range(1, 6), "x")}]
    }
    for name, entry in (("judged", "plans"), ("hybrid", "{id: plans, grading: hybrid}")):
        folder = folder_suite(tmp_path / name, use_case=entry)
        (folder / "plans" / "rubric.yml").write_text(yaml.safe_dump(rubric))
    with pytest.raises(UsageError, match="give it `grading: hybrid`"):
        load_daily(tmp_path / "judged")
    use_case = load_daily(tmp_path / "hybrid").use_cases["plans"]
    assert (use_case.grader, use_case.checked_weight) == ("expect", 0.6)
