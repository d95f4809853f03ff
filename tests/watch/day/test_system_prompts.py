"""A system prompt of a case: what is sent, kept, counted and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.records import SampleAnswer
from probatio.grading.judge.protocol import judge_prompt
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import Case, load_daily
from probatio.suites.rubrics import Rubric

DAY = "2026-03-10"
OF_ALL = "You are the help desk of Acme. Answer in one word."
CASES: list[dict[str, Any]] = [
    {"id": "sso", "prompt": "Which plan includes SSO?", "expect": {"contains": "Enterprise"}},
    {
        "id": "free",
        "system": "Answer in capitals.",
        "prompt": "Which plan is free?",
        "expect": {"contains": "STARTER"},
    },
    {"id": "limit", "prompt": "How many seats has Pro?", "expect": {"number": 20}},
]
RIGHT = {"sso": "Enterprise", "free": "STARTER", "limit": "20"}


def write(folder: Path, system: str | None = OF_ALL) -> Path:
    suite = folder / "plans.yml"
    suite.write_text(yaml.safe_dump({**({"system": system} if system else {}), "cases": CASES}))
    return suite


def reply(body: dict[str, Any]) -> str:
    asked = body["messages"][-1]["content"]
    return next(RIGHT[case["id"]] for case in CASES if case["prompt"] == asked)


def ask(folder: Path, double: Double, *more: str) -> Done:
    config = folder / "models.yml"
    priced = {"cost_per_1m_input": 1, "cost_per_1m_output": 1}
    models = [{"id": "one", "name": "one", "base_url": double.base_url, **priced}]
    config.write_text(yaml.safe_dump({"models": models}))
    return probatio(
        *("daily", "--date", DAY, "--replay", "--suite", folder / "plans.yml"),
        *("--config", config, "--results", folder / "results", *more),
    )


def test_the_system_prompt_is_sent_first_and_kept_with_the_answer(tmp_path: Path) -> None:
    write(tmp_path)
    with Double(reply=reply) as double:
        done = ask(tmp_path, double)
    assert done.returncode == 0, done.output
    sent = {tuple((each["role"], each["content"]) for each in body["messages"]) for body in double.bodies}
    assert sent == {(("system", case.get("system", OF_ALL)), ("user", case["prompt"])) for case in CASES}
    lines = read_lines(tmp_path / "results/daily" / DAY / "raw_responses.jsonl", SampleAnswer)
    assert {(line.system, line.prompt) for line in lines} == {
        (case.get("system", OF_ALL), case["prompt"]) for case in CASES
    }
    verified = probatio("verify", "--results", tmp_path / "results", "--fresh")
    assert verified.returncode == 0, verified.output


def test_a_case_without_one_is_sent_and_kept_as_before(tmp_path: Path) -> None:
    write(tmp_path, None)
    with Double(reply=reply) as double:
        assert ask(tmp_path, double).returncode == 0
    roles = {tuple(each["role"] for each in body["messages"]) for body in double.bodies}
    assert roles == {("user",), ("system", "user")}
    text = (tmp_path / "results/daily" / DAY / "raw_responses.jsonl").read_text()
    kept = {line["case"]: line for line in map(json.loads, text.splitlines())}
    assert "system" not in kept["sso"]
    assert kept["free"]["system"] == "Answer in capitals."


def test_another_system_prompt_is_another_suite(tmp_path: Path) -> None:
    before = load_daily(write(tmp_path))
    after = load_daily(write(tmp_path, "Answer at length."))
    assert before.version != after.version
    assert daily_fingerprint(before) != daily_fingerprint(after)


def test_a_dry_run_says_it_and_counts_its_tokens(tmp_path: Path) -> None:
    suite = write(tmp_path)
    with Double() as double:
        done = ask(tmp_path, double, "--dry-run")
        assert done.returncode == 0, done.output
        suite.write_text(suite.read_text().replace(OF_ALL, OF_ALL * 500))
        longer = ask(tmp_path, double, "--dry-run")
    assert "3 of the 3 cases are asked with a system prompt." in done.stdout
    costs = [float(each.stdout.partition("about $")[2].split()[0]) for each in (done, longer)]
    assert costs[1] > 2 * costs[0]


def test_the_page_of_the_samples_shows_it(tmp_path: Path) -> None:
    write(tmp_path)
    with Double(reply=reply) as double:
        assert ask(tmp_path, double).returncode == 0
    built = probatio("site", "build", "--results", tmp_path / "results", "--out", tmp_path / "site")
    assert built.returncode == 0, built.output
    pages = [page.read_text() for page in (tmp_path / "site").glob(f"models/one/{DAY}/plans/*.html")]
    assert any("<summary>System prompt</summary>" in page and OF_ALL in page for page in pages)


def test_the_judge_is_shown_what_the_model_was_told() -> None:
    case, rubric = Case("a", "Greet me.", system="Speak like a pirate."), Rubric(())
    assert "Speak like a pirate." in judge_prompt(case, rubric, "Ahoy")
    plain = Case("a", "Greet me.")
    assert "system" not in judge_prompt(plain, rubric, "Ahoy")


@pytest.mark.parametrize("value", ["''", "[a]", "3"])
def test_a_system_prompt_that_is_no_text_is_named_with_its_line(tmp_path: Path, value: str) -> None:
    suite = tmp_path / "plans.yml"
    suite.write_text(f"cases:\n  - prompt: Which?\n    system: {value}\n    expect: {{contains: a}}\n")
    done = probatio("suite", "check", suite)
    assert done.returncode == 2
    assert f"{suite}, line 3" in done.stderr, done.stderr
    assert "system" in done.stderr
