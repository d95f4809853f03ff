"""Answers that a ready grader runs, graded as a day grades them: in a worker, and from there in the jail."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from probatio import jail
from probatio.builtin.daily.graders import PROGRAMS, TEXTS, check, facts_of, starts_processes, trivial_answer
from probatio.core.errors import CannotCheck
from probatio.core.records import Assessment, SampleAnswer
from probatio.grading.checked import close_checked
from probatio.grading.samples import Grading
from probatio.jail import NoIsolation
from probatio.suites.daily_suite import Case, DailySuite, load_daily
from probatio.suites.ready_graders import make_gold, read_expectations

pytestmark = pytest.mark.slow  # starts processes

CODE = """cases:
  - id: add
    prompt: "Write add(a, b) in Python."
    expect:
      - python: {tests: ["add(1, 2) == 3", "add('a', 1) raises TypeError"]}
        weight: 3
      - not-contains: sorry
"""
TEXT = 'cases:\n  - id: sso\n    prompt: "Which plan?"\n    expect: {contains: Enterprise}\n'
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```"
ANSWERS = {
    "right": (RIGHT, 1.0),
    "half right": (RIGHT.replace("a + b", "3"), 0.625),
    "wrong": (RIGHT.replace("+", "*"), 0.25),
    "no code": ("It is a + b.", 0.25),
    "empty": ("", 0.0),
    "huge": (RIGHT + "\n" + "x" * 200_000, 1.0),
    "huge code": (RIGHT.replace("\n```", "\n#" + "x" * 200_000), 1.0),
    "never ends": (RIGHT.replace("return a + b", "while True: pass"), 0.25),
    "leaves": (f"```python\nimport os\nos._exit(0)\n{RIGHT[10:]}", 0.25),
    "equal to all": (
        "```python\nclass A:\n    __eq__ = lambda s, o: True\ndef add(a, b):\n    return A()\n```",
        0.25,
    ),
}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DailySuite]:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    yield load(tmp_path, CODE)
    close_checked()


def load(folder: Path, cases: str) -> DailySuite:
    place = folder / "cases.yml"
    place.write_text(cases)
    return load_daily(place)


def graded(suite: DailySuite, *answers: str) -> list[Assessment]:
    async def run() -> list[Assessment]:
        grading = Grading(suite, "auto")
        given = (SampleAnswer(case="add", model="m", response=each, finish_reason="stop") for each in answers)
        return [await grading.grade(each) for each in given]

    return asyncio.run(run())


def test_an_answer_gets_what_its_code_earns_and_the_same_at_every_grading(suite: DailySuite) -> None:
    answers = [answer for answer, _ in ANSWERS.values()]
    first = graded(suite, *answers)
    assert dict(zip(ANSWERS, [each.score for each in first], strict=True)) == {
        name: score for name, (_, score) in ANSWERS.items()
    }
    assert not {"api_error", "unchecked", "crashed_checker"} & {each.error_type for each in first}
    assert [each.score for each in graded(suite, *answers)] == [each.score for each in first]


@pytest.mark.parametrize(
    "tests", [["add(1, 2) == 3"], ["f() == 1", "g(1)", "f() == {2}", "f() raises NoMore"]]
)
def test_a_right_answer_is_made_of_tests_that_stand_alone(tests: list[str]) -> None:
    gold = make_gold(read_expectations({"python": tests}))
    assert gold is not None
    case = Case("gold", "x", expect=read_expectations({"python": tests}))
    assert check(case, gold, grader="expect").score == 1


def test_only_a_use_case_that_runs_answers_needs_a_jail(suite: DailySuite, tmp_path: Path) -> None:
    (code,) = suite.use_cases.values()
    (text,) = load(tmp_path, TEXT).use_cases.values()
    assert (starts_processes(code), starts_processes(text)) == (True, False)
    assert [facts_of("expect", each.cases[0]).lane for each in (code, text)] == [PROGRAMS, TEXTS]


def test_where_no_jail_can_be_built_nothing_is_known_of_the_answer(
    suite: DailySuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(choice: str) -> None:
        raise NoIsolation("No isolation works here, so no model's code is run.")

    monkeypatch.setattr(jail, "find_isolation", none)
    with pytest.raises(CannotCheck, match="No isolation works here"):
        check(suite.cases["add"], RIGHT, grader="expect")


def test_the_trivial_answer_of_a_case_that_runs_answers_is_run(suite: DailySuite, tmp_path: Path) -> None:
    parts = check(suite.cases["add"], trivial_answer(suite.cases["add"], "expect"), grader="expect").parts
    assert [part.detail for part in parts[:2]] == ["3 expected, 1 returned", "TypeError expected, 1 returned"]
    assert trivial_answer(load(tmp_path, TEXT).cases["sso"], "expect") == "1"
