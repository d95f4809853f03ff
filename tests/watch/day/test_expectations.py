"""A day of a suite that is only cases with what they expect: a file, or a folder without a grader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double
from probatio.core.records import CRASHED_CHECKER, DailyScore, SampleGrade
from probatio.runs.store.lines import read_lines

DAY = "2026-03-10"
CASES = [
    {"prompt": "Which plan includes SSO? One word.", "expect": {"contains": "Enterprise"}},
    {"prompt": "How fast is 25 m/s in km/h?", "expect": {"number": {"value": 90, "unit": "km/h"}}},
    {"prompt": "Ada as JSON.", "expect": {"json": {"fields": {"name": "Ada", "year": 1815}}}},
]
ANSWERS = ["It is Enterprise.", "90 km/h", '{"name": "Ada", "year": 1816}']


class Prompts:
    """Cases on disk, as a file or as a folder, and one model that answers them."""

    def __init__(self, folder: Path, as_file: bool, cases: list[dict[str, Any]] = CASES) -> None:
        self.results, self.config = folder / "results", folder / "models.yml"
        self.suite = folder / "plans.yml" if as_file else folder / "mine"
        self.cases = self.suite if as_file else self.suite / "plans" / "cases.yml"
        self.cases.parent.mkdir(parents=True, exist_ok=True)
        self.cases.write_text(yaml.safe_dump({"cases": cases}))
        if not as_file:
            manifest = {"name": "plans", "version": "1", "use_cases": ["plans"]}
            (self.suite / "suite.yml").write_text(yaml.safe_dump(manifest))
        self.answers = {case["prompt"]: answer for case, answer in zip(cases, ANSWERS, strict=False)}

    def reply(self, body: dict[str, Any]) -> str:
        return self.answers[body["messages"][0]["content"]]

    def day(self, double: Double) -> Done:
        models = [{"id": "one", "name": "one", "base_url": double.base_url}]
        self.config.write_text(yaml.safe_dump({"models": models}))
        return probatio(
            *("daily", "--date", DAY, "--replay", "--suite", self.suite),
            *("--config", self.config, "--results", self.results),
        )

    def read(self, name: str, shape: type) -> list[Any]:
        return list(read_lines(self.results / "daily" / DAY / name, shape))


@pytest.mark.parametrize("as_file", [True, False], ids=["file", "folder"])
def test_a_day_is_asked_graded_verified_and_judged(tmp_path: Path, as_file: bool) -> None:
    prompts = Prompts(tmp_path, as_file)
    checked = probatio("suite", "check", prompts.suite, "--json")
    assert checked.returncode == 0, checked.output
    assert [row["gold"] for row in json.loads(checked.stdout)["use_cases"]] == [3]
    with Double(reply=prompts.reply) as double:
        done = prompts.day(double)
    assert done.returncode == 0, done.output
    (score,) = prompts.read("scores.jsonl", DailyScore)
    assert score.use_case == "plans"
    assert score.score == pytest.approx(100 * 2.5 / 3, abs=0.01)
    grades = prompts.read("graded_results.jsonl", SampleGrade)
    assert {grade.score for grade in grades} == {1.0, 0.5}
    verified = probatio("verify", "--results", prompts.results, "--fresh")
    assert verified.returncode == 0, verified.output
    shown = probatio("verdict", "--results", prompts.results, "--date", DAY, "--json")
    assert shown.returncode == 0, shown.output
    assert not any("constants of the day's record" in line for line in shown.stderr.splitlines())
    again = probatio("verify", "--results", prompts.results, "--suite", prompts.suite)
    assert again.returncode == 0, again.output


def test_a_changed_expectation_is_another_suite(tmp_path: Path) -> None:
    prompts = Prompts(tmp_path, as_file=True)
    with Double(reply=prompts.reply) as double:
        assert prompts.day(double).returncode == 0
    prompts.cases.write_text(prompts.cases.read_text().replace("Enterprise", "Pro"))
    verified = probatio("verify", "--results", prompts.results)
    assert verified.returncode == 1
    assert "it was asked from suite version" in verified.output


@pytest.mark.slow  # two tries of 2 seconds of CPU for each of the hanging answers
def test_a_pattern_that_would_match_for_ever_costs_its_own_answer_alone(tmp_path: Path) -> None:
    cases = [{"prompt": "How many?", "expect": {"regex": "^(a+)+$"}}, CASES[0]]
    prompts = Prompts(tmp_path, True, cases)
    prompts.answers = {"How many?": "a" * 60 + "!", str(CASES[0]["prompt"]): "Enterprise"}
    with Double(reply=prompts.reply) as double:
        done = prompts.day(double)
    assert done.returncode == 0, done.output
    grades = prompts.read("graded_results.jsonl", SampleGrade)
    found = {(grade.case.startswith("how_many"), grade.score, grade.error_type) for grade in grades}
    assert found == {(True, 0.0, CRASHED_CHECKER), (False, 1.0, None)}
    verified = probatio("verify", "--results", prompts.results, "--fresh")
    assert verified.returncode == 0, verified.output


def test_cases_with_expectations_ask_for_no_word(tmp_path: Path) -> None:
    prompts = Prompts(tmp_path, as_file=False)
    asked = probatio("suite", "trust", prompts.suite, "--json")
    assert json.loads(asked.stdout)["asks"] == [], asked.output


def test_suite_check_names_the_cases_of_which_no_gold_can_be_made(tmp_path: Path) -> None:
    cases = [{"id": "month", "prompt": "Which month?", "expect": {"regex": r"^\d{4}-\d\d$"}}, *CASES]
    checked = probatio("suite", "check", Prompts(tmp_path, as_file=False, cases=cases).suite)
    assert checked.returncode == 0, checked.output
    said = "month: what it expects makes no gold answer; write one into plans/proofs.yml."
    assert said in checked.output


def test_suite_check_refuses_an_expectation_that_the_question_meets(tmp_path: Path) -> None:
    cases = [{"id": "plan", "prompt": "Pro or Enterprise?", "expect": {"contains": "Enterprise"}}]
    checked = probatio("suite", "check", Prompts(tmp_path, as_file=True, cases=cases).suite)
    assert checked.returncode == 1, checked.output
    assert "case plan: an answer that copies the question gets full marks" in checked.output


def test_a_file_has_no_place_for_the_figures_of_a_simulation(tmp_path: Path) -> None:
    done = probatio("suite", "simulate", Prompts(tmp_path, as_file=True).suite)
    assert done.returncode == 2
    assert "is one file, without a place for figures" in done.stderr
