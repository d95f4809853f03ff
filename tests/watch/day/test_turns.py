"""Cases of several turns: what is sent, kept and scored; killed, resumed, failed, verified."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double, RawReply
from probatio.core.errors import UsageError
from probatio.core.records import NOT_SCORED, DailyScore, SampleAnswer, SampleGrade
from probatio.learn.trials import open_trials
from probatio.runs.store.lines import read_lines
from probatio.suites.daily_suite import load_daily
from probatio.watch.day.forms import narrow

DAY = "2026-03-10"
TRIP: dict[str, Any] = {
    "id": "trip",
    "system": "You plan trips.",
    "turns": ["I go to Lima.", "For how long?", "Which currency do they have there?"],
    "expect": {"contains": "sol"},
}
EACH: dict[str, Any] = {
    "id": "sum",
    "turns": [{"prompt": "What is 2 + 3?", "expect": {"number": 5}}, "Double it."],
    "expect": {"number": 10},
}
PLAIN: dict[str, Any] = {"id": "sso", "prompt": "Which plan has SSO?", "expect": {"contains": "Enterprise"}}
ANSWERS = {
    "I go to Lima.": "<think>A city.</think>Good.",
    "For how long?": "A week.",
    "Which currency do they have there?": "The sol.",
    "What is 2 + 3?": "6",
    "Double it.": "10",
    "Which plan has SSO?": "Enterprise",
}
DATED = ("--date", DAY, "--replay")


def reply(body: dict[str, Any]) -> str:
    return ANSWERS[body["messages"][-1]["content"]]


class Talks:
    """A suite with turns on disk, and one model that answers."""

    def __init__(self, root: Path, cases: list[dict[str, Any]]) -> None:
        self.results, self.suite, self.config = root / "results", root / "talks.yml", root / "models.yml"
        self.suite.write_text(yaml.safe_dump({"cases": cases}, sort_keys=False))

    def command(self, double: Double) -> list[str]:
        priced = {"cost_per_1m_input": 1, "cost_per_1m_output": 1}
        models = [{"id": "one", "name": "one", "base_url": double.base_url, **priced}]
        self.config.write_text(yaml.safe_dump({"models": models}))
        return ["daily", *DATED, "--suite", str(self.suite), "--config", str(self.config),
                "--results", str(self.results)]  # fmt: skip

    def day(self, double: Double, *more: str) -> Done:
        return probatio(*self.command(double), *more)

    def read(self, name: str, shape: type) -> list[Any]:
        return list(read_lines(self.results / "daily" / DAY / name, shape))

    def grades(self) -> dict[str, SampleGrade]:
        return {grade.case: grade for grade in self.read("graded_results.jsonl", SampleGrade)}


def said(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["role"], each["content"]) for each in body["messages"]]


def test_the_answer_to_a_turn_stands_in_the_next_request(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP, PLAIN])
    with Double(reply=reply) as double:
        done = talks.day(double)
    assert done.returncode == 0, done.output
    longest = max(map(said, double.bodies), key=len)
    assert longest == [
        ("system", "You plan trips."),
        ("user", "I go to Lima."),
        ("assistant", "Good."),
        ("user", "For how long?"),
        ("assistant", "A week."),
        ("user", "Which currency do they have there?"),
    ]
    kept = {line.case: line for line in talks.read("raw_responses.jsonl", SampleAnswer)}
    assert kept["trip.3"].after == "trip.2"
    assert kept["trip.3"].prompt == "Which currency do they have there?"
    assert kept["trip.2"].response == "A week."


def test_a_turn_of_which_nothing_is_expected_is_in_no_score(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP, PLAIN])
    with Double(reply=reply) as double:
        done = talks.day(double)
    assert done.returncode == 0, done.output
    grades = talks.grades()
    assert {name for name, grade in grades.items() if grade.error_type == NOT_SCORED} == {"trip.1", "trip.2"}
    (score,) = talks.read("scores.jsonl", DailyScore)
    assert score.score == 100
    assert set(score.cases) == {"trip.3", "sso"}
    assert score.cost == pytest.approx(0.0001 * len(double.bodies))
    verified = probatio("verify", "--results", talks.results, "--fresh")
    assert verified.returncode == 0, verified.output
    again = talks.day(double)
    assert again.returncode == 0, again.output


def test_each_turn_with_an_expectation_is_scored(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [EACH])
    with Double(reply=reply) as double:
        assert talks.day(double).returncode == 0
    assert {name: grade.score for name, grade in talks.grades().items()} == {"sum.1": 0.0, "sum.2": 1.0}
    (score,) = talks.read("scores.jsonl", DailyScore)
    assert score.score == 50


def test_a_closed_day_asks_nothing_again(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP, EACH])
    with Double(reply=reply) as double:
        assert talks.day(double).returncode == 0
        count = len(double.bodies)
        assert talks.day(double).returncode == 0
        assert len(double.bodies) == count


@pytest.mark.parametrize("until", [2, 5, 8, 11])
def test_a_day_killed_between_turns_asks_no_turn_twice(tmp_path: Path, until: int) -> None:
    talks = Talks(tmp_path, [TRIP, EACH])
    child: subprocess.Popen[bytes] | None = None
    count = 0

    def kill(body: dict[str, Any]) -> str:
        nonlocal count
        count += 1
        if child and count == until:
            child.send_signal(signal.SIGKILL)
        return reply(body)

    with Double(reply=kill) as double:
        command = [sys.executable, "-m", "probatio", *talks.command(double), "--max-connections", "1"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ})
        assert child.wait(120) == -signal.SIGKILL
        kept = {line.key for line in talks.read("raw_responses.jsonl", SampleAnswer)}
        child, before = None, len(double.bodies)
        done = talks.day(double)
    assert done.returncode == 0, done.output
    lines = talks.read("raw_responses.jsonl", SampleAnswer)
    assert len({line.key for line in lines}) == len(lines)
    assert len(double.bodies) - before == len(lines) - len(kept)
    verified = probatio("verify", "--results", talks.results, "--fresh")
    assert verified.returncode == 0, verified.output


def test_a_turn_after_one_without_an_answer_is_missing_and_not_wrong(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP, *({**PLAIN, "id": f"p{number}"} for number in range(9))])
    refuses = True

    def refuse(body: dict[str, Any], headers: dict[str, str]) -> RawReply | None:
        if refuses and body["messages"][-1]["content"] == "For how long?":
            return RawReply(b'{"error": {"message": "no"}}', status=400)
        return None

    with Double(reply=reply, hostile=refuse) as double:
        talks.day(double)
        asked = [said(body)[-1][1] for body in double.bodies]
        assert "Which currency do they have there?" not in asked
        grade = talks.grades()["trip.3"]
        assert (grade.error_type, grade.error_detail) == (
            "api_error",
            "the turn before it, `trip.2`, has no answer",
        )
        refuses = False
        count = len(double.bodies)
        done = talks.day(double)
        assert done.returncode == 0, done.output
        again = [said(body)[-1][1] for body in double.bodies[count:]]
    assert set(again) == {"For how long?", "Which currency do they have there?"}
    assert talks.grades()["trip.3"].score == 1
    verified = probatio("verify", "--results", talks.results, "--fresh")
    assert verified.returncode == 0, verified.output


def test_a_dry_run_and_a_check_count_the_turns(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP, PLAIN])
    with Double() as double:
        planned = talks.day(double, "--dry-run")
    assert planned.returncode == 0, planned.output
    samples = load_daily(talks.suite).use_cases["talks"].base_samples
    assert f"one: {4 * samples} samples" in planned.stdout
    assert "2 questions are later turns" in planned.stdout
    checked = probatio("suite", "check", talks.suite, "--json")
    assert checked.returncode == 0, checked.output
    assert [row["cases"] for row in json.loads(checked.stdout)["use_cases"]] == [2]


def test_a_suite_of_turns_is_rehearsed(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP, EACH, PLAIN])
    days = ("--days", "3", "--worse-from", "2")
    done = probatio("suite", "rehearse", talks.suite, *days, "--results", talks.results)
    assert done.returncode == 0, done.output


def test_an_import_takes_answers_to_scored_turns_alone(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP])
    file = tmp_path / "past.jsonl"
    line = {"date": "2026-03-01", "model": "one", "case": "trip.3", "answer": "The sol."}
    file.write_text(json.dumps(line) + "\n" + json.dumps({**line, "case": "trip.1"}) + "\n")
    bring = ("daily", "import", file, "--suite", talks.suite, "--results", talks.results)
    refused = probatio(*bring)
    assert refused.returncode == 2
    assert "line 2: the turn `trip.1` has no score" in refused.stderr
    file.write_text(json.dumps(line) + "\n")
    done = probatio(*bring)
    assert done.returncode == 0, done.output


def test_a_comparison_of_days_takes_an_unscored_turn_for_no_trial(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP, PLAIN])
    with Double(reply=reply) as double:
        assert talks.day(double).returncode == 0
    with open_trials([talks.results / "daily" / DAY]) as trials:
        assert set(trials.rows("select distinct task_id from graded")) == {("trip.3",), ("sso",)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite that is a folder, with turns in its one use case."""
    (tmp_path / "mine/talks").mkdir(parents=True)
    (tmp_path / "mine/talks/cases.yml").write_text(yaml.safe_dump({"cases": [TRIP, EACH, PLAIN]}))
    return tmp_path / "mine"


def write_manifest(folder: Path, **more: Any) -> None:
    manifest = {"name": "talks", "version": "1", "use_cases": ["talks"], **more}
    (folder / "suite.yml").write_text(yaml.safe_dump(manifest))


def test_a_form_asks_the_turns_before_its_cases_and_no_others(folder: Path) -> None:
    write_manifest(folder, forms={"short": {"cases": ["trip.3", "sso"]}})
    suite = load_daily(folder)
    (use_case,) = narrow(suite.use_cases.values(), suite.forms["short"])
    assert [case.id for case in use_case.asked] == ["trip.1", "trip.2", "trip.3", "sso"]


@pytest.mark.parametrize(
    ("cases", "told"),
    [(["trip.1"], "the turn `trip.1`, which has no score"), (["sum.2"], "`sum.2` without `sum.1` before it")],
)
def test_a_form_that_cuts_a_talk_is_refused(folder: Path, cases: list[str], told: str) -> None:
    write_manifest(folder, forms={"short": {"cases": cases}})
    with pytest.raises(UsageError) as error:
        load_daily(folder)
    assert told in str(error.value)


def test_a_judge_is_given_no_turns(folder: Path) -> None:
    write_manifest(folder, use_cases=[{"id": "talks", "title": "Talks", "grading": "hybrid"}])
    with pytest.raises(UsageError) as error:
        load_daily(folder)
    assert "is one of several turns, and the judge of `talks` is shown one question alone" in str(error.value)


def test_the_page_of_the_samples_says_which_turn_came_before(tmp_path: Path) -> None:
    talks = Talks(tmp_path, [TRIP])
    with Double(reply=reply) as double:
        assert talks.day(double).returncode == 0
    built = probatio("site", "build", "--results", talks.results, "--out", tmp_path / "site")
    assert built.returncode == 0, built.output
    pages = "".join(page.read_text() for page in (tmp_path / "site").glob(f"models/one/{DAY}/talks/*.html"))
    assert "Sent after trip.2 of the same sample" in pages
    assert "an earlier turn, which has no score" in pages


def test_turns_are_filled_from_a_table(tmp_path: Path) -> None:
    case = {**TRIP, "id": "to_{{city}}", "turns": ["I go to {{city}}.", {"prompt": "{{city}}?"}]}
    talks = Talks(tmp_path, [{**case, "table": [{"city": "Lima"}, {"city": "Rome"}]}])
    assert [(case.id, case.written[1:]) for case in load_daily(talks.suite).cases.values()] == [
        ("to_Lima.1", ("I go to Lima.",)),
        ("to_Rome.1", ("I go to Rome.",)),
        ("to_Lima.2", ("I go to Lima.", "Lima?")),
        ("to_Rome.2", ("I go to Rome.", "Rome?")),
    ]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"turns": ["One."], "expect": {"contains": "a"}}, "two or more texts"),
        ({"turns": ["One.", " "], "expect": {"contains": "a"}}, "none of them empty"),
        ({"turns": ["a", "b"], "prompt": "c", "expect": {"contains": "a"}}, "a `prompt`, or `turns`"),
        ({"expect": {"contains": "a"}}, "a `prompt`, or `turns`"),
        ({**EACH, "turns": ["a", {"prompt": "b", "expect": {"number": 1}}]}, "both have `expect`"),
    ],
)
def test_turns_that_make_no_case_are_named_with_their_line(
    tmp_path: Path, case: dict[str, Any], said: str
) -> None:
    talks = Talks(tmp_path, [case])
    with pytest.raises(UsageError) as error:
        load_daily(talks.suite)
    assert f"{talks.suite}, line " in str(error.value)
    assert said in str(error.value)
