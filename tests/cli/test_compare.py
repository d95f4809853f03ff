"""`probatio study compare`: what it prints, and its gate."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from commandline import Done, probatio
from double import Double
from learn.runs import make_run, write_made_up_run, write_suite
from probatio.core.records import ErrorType, TrialKey
from probatio.runs.store.layout import GRADES
from watch.day.days import DAY, EXTRACTION, gold_script, run, small_suite

STORY = Path(__file__).parents[2] / "examples" / "story"


def compared(*arguments: object, cwd: Path | None = None) -> Done:
    return probatio("study", "compare", *arguments, cwd=cwd)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Model b passes three tasks fewer than a."""
    lost = {"task_01", "task_02", "task_03"}
    return make_run(
        tmp_path, 20, lambda key: key.model == "a" or key.task_id not in lost, "results/r", models=("a", "b")
    ).parent


def test_the_difference_comes_with_its_interval_p_and_the_tasks_that_flipped(results: Path) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results)
    assert done.returncode == 0
    first, *rest = done.output.splitlines()
    assert first.startswith(
        "r:model=b passes 15.0 points less than r:model=a (95 % interval: 34.0 less to 6.7 more; "
    )
    assert first.endswith(" more; p 0.178): no difference is shown.")
    assert "20 pairs, clustered by 20 tasks. Only B passes 0, only A passes 3." in rest
    assert "p and the interval are of one test over tasks: answers to one task resemble each other." in rest
    assert "  worse   task_01: 1/1 → 0/1" in done.output


def gate(results: Path, *words: object) -> tuple[int, dict[str, Any]]:
    """The gate's exit code and what it said, over sides `r:model=a` and `r:model=b`."""
    done = compared("r:model=a", "r:model=b", "--results", results, "--fail-on", "worse", "--json", *words)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def run_of(tmp_path: Path, tasks: int, lost: int, passed: int | None = None) -> Path:
    """Model a passes the first tasks, b so many fewer; all of them unless said."""
    passed = tasks if passed is None else passed
    passes = {"a": passed, "b": passed - lost}
    return make_run(
        tmp_path, tasks, lambda key: int(key.task_id[5:]) < passes[key.model], "results/r", models=("a", "b")
    ).parent


def test_a_build_fails_where_the_whole_interval_lies_below_zero(tmp_path: Path) -> None:
    code, found = gate(run_of(tmp_path, 60, 12))
    assert (code, found["gate"]["answer"], found["high"] < 0) == (1, "worse", True)
    assert found["gate"]["sentence"].startswith(
        "Worse: r:model=b passes 20.0 points less than r:model=a (95 % interval: "
    )


def test_a_tolerated_loss_fails_only_if_more_than_that_is_shown(tmp_path: Path) -> None:
    results = run_of(tmp_path, 60, 12)
    _, found = gate(results)
    edge = -found["high"]
    code, below = gate(results, "--by", edge - 0.1)
    assert (code, below["gate"]["sentence"].startswith("Worse by more than ")) == (1, True)
    code, above = gate(results, "--by", edge + 0.1, "--rule-out", 60)
    assert (code, above["gate"]["answer"]) == (0, "not worse")


def test_a_build_passes_where_no_loss_is_shown_and_a_large_one_is_ruled_out(tmp_path: Path) -> None:
    code, found = gate(run_of(tmp_path, 60, 1))
    assert (code, found["gate"]["answer"], found["gate"]["passed"]) == (0, "not worse", True)
    assert found["gate"]["sentence"].startswith("No loss is shown, and one of 20 points or more is ruled out")


def test_too_few_tasks_pass_no_gate_and_it_is_said_how_many_it_takes(results: Path) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results, "--fail-on", "worse")
    assert done.returncode == 1
    sentence = done.stdout.splitlines()[-1]
    assert sentence.startswith("Gate: It can't be told whether it is worse: ")
    needed = re.search(r"That takes about (\d+) tasks; there are 20", sentence)
    assert needed and 20 < int(needed[1]) < 200


def test_what_is_said_to_be_enough_tasks_is_enough(tmp_path: Path) -> None:
    """Sides that do not differ by much: the number is told by few tasks, and holds for so many."""
    _, found = gate(run_of(tmp_path / "few", 15, 1))
    needed = int(re.search(r"about (\d+) tasks", found["gate"]["sentence"])[1])  # type: ignore[index]
    assert gate(run_of(tmp_path / "many", needed, round(needed / 15)))[0] == 0


def test_four_tasks_can_never_answer(tmp_path: Path) -> None:
    code, found = gate(run_of(tmp_path, 4, 0), "--rule-out", 99)
    assert (code, found["gate"]["answer"]) == (1, "too few tasks")
    assert "takes about 5 tasks; there are 4" in found["gate"]["sentence"]


def test_a_baseline_that_passes_too_little_to_lose_so_much_is_no_pass(tmp_path: Path) -> None:
    code, found = gate(run_of(tmp_path, 60, 0, passed=6))
    assert (code, found["gate"]["answer"]) == (1, "too few tasks")
    assert "passes 10.0 %, so a loss of 20 points can't happen" in found["gate"]["sentence"]


def test_a_better_side_passes_however_little_the_baseline_passed(tmp_path: Path) -> None:
    code, found = gate(run_of(tmp_path, 60, -20, passed=6))
    assert (code, found["gate"]["answer"]) == (0, "better")


@pytest.mark.parametrize(("failing", "code", "answer"), [("a", 0, "not worse"), ("b", 1, "incomplete")])
def test_a_failed_answer_of_the_new_side_is_no_pass_but_one_of_the_baseline_is(
    tmp_path: Path, failing: str, code: int, answer: str
) -> None:
    def outcome(key: TrialKey) -> bool | ErrorType:
        return "api_error" if (key.model, key.task_id) == (failing, "task_07") else True

    done, found = gate(make_run(tmp_path, 60, outcome, "results/r", models=("a", "b")).parent)
    assert (done, found["gate"]["answer"]) == (code, answer)


def test_a_baseline_of_another_suite_version_is_said_and_passes_no_gate(tmp_path: Path) -> None:
    make_run(tmp_path, 60, lambda key: True, "results/before")
    suite = write_suite(tmp_path / "suite", 60, version="2.0.0")
    write_made_up_run(tmp_path / "results" / "now", suite, lambda key: True)
    words = ("before", "now", "--results", tmp_path / "results")
    done = compared(*words, "--fail-on", "worse", "--json")
    found = json.loads(done.stdout)["gate"]
    assert (done.returncode, found["answer"]) == (1, "unlike")
    assert "their suite version differs (1.0.0 and 2.0.0)" in found["sentence"]
    assert "across versions of the suite, 1.0.0 (" in compared(*words).output
    across = compared(*words, "--fail-on", "worse", "--across-versions")
    assert across.returncode == 0, across.output
    sentence = across.stdout.splitlines()[-1]
    assert re.search(r"across versions of the suite, 1\.0\.0 \(\w{8}\) and 2\.0\.0 \(\w{8}\)", sentence)


def test_a_task_that_was_taken_out_of_the_suite_is_missing_and_passes_no_gate(tmp_path: Path) -> None:
    make_run(tmp_path, 60, lambda key: True, "results/before")
    shutil.rmtree(tmp_path / "suite")
    suite = write_suite(tmp_path / "suite", 58, version="2.0.0")
    write_made_up_run(tmp_path / "results" / "now", suite, lambda key: True)
    words = ("before", "now", "--results", tmp_path / "results", "--fail-on", "worse", "--across-versions")
    found = json.loads(compared(*words, "--json").stdout)
    assert (found["gate"]["answer"], found["missing"]) == ("incomplete", 2)


@pytest.mark.parametrize(("days", "code"), [(1, 1), (100_000, 0)])
def test_a_baseline_older_than_allowed_passes_no_gate(tmp_path: Path, days: int, code: int) -> None:
    done, found = gate(run_of(tmp_path, 60, 0), "--max-age", days)
    assert (done, "days old (2026-01-05)" in found["gate"]["sentence"]) == (code, bool(code))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--fail-on", "worse", "--by", "30", "--rule-out", "20"], "has to be more than --by 30"),
        (["--by", "2"], "go with --fail-on worse"),
        (["r:model=a", "--fail-on", "worse"], "3 were given"),
    ],
)
def test_a_gate_that_makes_no_sense_is_bad_usage(results: Path, words: list[str], says: str) -> None:
    done = compared("r:model=a", "r:model=b", "--results", results, *words)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr


def test_json_holds_the_comparison_and_the_gate(results: Path) -> None:
    code, found = gate(results)
    assert code == 1
    assert (found["event"], found["difference"], found["gate"]["passed"]) == ("comparison", -15.0, False)
    assert [flip["task_id"] for flip in found["flips"]] == ["task_01", "task_02", "task_03"]


@pytest.fixture
def four(tmp_path: Path) -> Path:
    """Models that pass the first 20, 18, 10 and 2 of 20 tasks."""
    passes = {"a": 20, "b": 18, "c": 10, "d": 2}
    suite = write_suite(tmp_path / "suite", 20)
    write_made_up_run(
        tmp_path / "results" / "r",
        suite,
        lambda key: int(key.task_id[-2:]) < passes[key.model],
        models=tuple(passes),
    )  # fmt: skip
    return tmp_path / "results"


def test_every_two_of_several_are_compared_and_the_correction_is_said(four: Path) -> None:
    done = compared("r", "--each", "model", "--results", four)
    *sentences, last = done.output.splitlines()
    assert len(sentences) == 6
    assert sentences[0].startswith("r:model=d passes 90.0 points less than r:model=a (95 % interval: ")
    assert sentences[0].endswith("p < 0.001, corrected).")
    assert sentences[-1].startswith("r:model=b passes 10.0 points less than r:model=a")
    assert sentences[-1].endswith("p 0.319, corrected): no difference is shown.")
    assert "corrected together (Holm)" in last
    assert " 5 of them show a difference." in last


def test_several_sides_are_each_compared_with_the_first(four: Path) -> None:
    sides = [f"r:model={model}" for model in "abc"]
    found = json.loads(compared(*sides, "--to-first", "--results", four, "--json").stdout)
    assert found["corrected"] == "holm"
    assert [(one["a"], one["b"]) for one in found["comparisons"]] == [
        (sides[0], sides[1]),
        (sides[0], sides[2]),
    ]


@pytest.mark.parametrize(
    ("words", "says"), [(["r"], "--each model"), (["r", "s", "--each", "model"], "takes one run")]
)
def test_what_is_missing_is_said(four: Path, words: list[str], says: str) -> None:
    refused = probatio("study", "compare", *words, "--results", str(four))
    assert says in refused.stderr


def test_a_pinned_baseline_that_changed_passes_no_gate_and_is_said_to_have_changed(tmp_path: Path) -> None:
    results = run_of(tmp_path, 60, 0)
    pinned = probatio("study", "baseline", "r:model=a", "--as", "main", "--results", results)
    assert (pinned.returncode, pinned.stdout) == (0, "Baseline main: r:model=a\n")
    again = probatio("study", "baseline", "r:model=a", "--as", "main", "--results", results, "--json")
    assert json.loads(again.stdout)["before"]["selection"] == "r:model=a"
    words = ("main", "r:model=b", "--results", results)
    assert compared(*words, "--fail-on", "worse").returncode == 0
    grades = results / "r" / "graded_results.jsonl"
    grades.write_bytes(grades.read_bytes().replace(b'"score":1.0', b'"score":0.9', 1))
    failed = compared(*words, "--fail-on", "worse", "--json")
    assert (failed.returncode, json.loads(failed.stdout)["gate"]["answer"]) == (1, "changed")
    shown = compared(*words)
    assert (shown.returncode, "main (r:model=a) has changed since" in shown.stderr) == (0, True)


def test_a_comment_says_first_whether_it_is_worse_and_then_what_changed(
    tmp_path: Path,
) -> None:
    words = ("r:model=a", "r:model=b", "--results", run_of(tmp_path, 60, 12), "--format", "markdown")
    done = compared(*words, "--fail-on", "worse")
    first, empty, head, _, *rest = done.stdout.splitlines()
    assert (done.returncode, empty) == (1, "")
    assert first.startswith("Worse: r:model=b passes 20.0 points less than r:model=a (95 % interval: ")
    assert first.count(". ") == 0
    assert head.startswith("|  | side | passes |")
    assert "| B | r:model=b | 48/60 | 80.0 | 68.2 to 88.2 |" in rest
    assert "| task_59 | worse | 1/1 | 0/1 |" in rest
    assert "no difference is shown" not in compared(*words).stdout


def test_a_comment_about_what_can_not_be_compared_is_that_sentence(tmp_path: Path) -> None:
    make_run(tmp_path, 60, lambda key: True, "results/before")
    suite = write_suite(tmp_path / "suite", 60, version="2.0.0")
    write_made_up_run(tmp_path / "results" / "now", suite, lambda key: True)
    words = ("before", "now", "--results", tmp_path / "results", "--fail-on", "worse")
    done = compared(*words, "--format", "markdown", "--junit", tmp_path / "gate.xml")
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 1)
    assert "their suite version differs" in done.stdout
    (fault,) = ElementTree.parse(tmp_path / "gate.xml").iter("error")
    assert (fault.get("type"), "their suite version differs" in fault.get("message", "")) == ("unlike", True)


HOSTILE = "@octocat #12 [x](https://evil.example)|<img src=x>\n# Not worse"


def test_names_of_models_and_tasks_do_nothing_in_a_comment_or_a_report(tmp_path: Path) -> None:
    made = make_run(tmp_path, 20, lambda key: key.model == "a", "results/r", models=("a", "b"))
    for file in (*made.glob("*.jsonl"), made / "run.json"):
        text = file.read_text().replace("task_07", json.dumps(HOSTILE)[1:-1])
        file.write_text(text.replace('"b"', json.dumps(HOSTILE)))
    words = ("r:model=a", f"r:model={HOSTILE}", "--results", made.parent, "--fail-on", "worse")
    done = compared(*words, "--format", "markdown", "--junit", tmp_path / "gate.xml")
    assert done.returncode == 1, done.output
    assert "@octocat" not in done.stdout and "#12" not in done.stdout
    assert not re.search(r"(?<!\\)\]\(", done.stdout)
    assert "<img" not in done.stdout and "https://" not in done.stdout
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith("#")]
    assert {line.replace("\\|", "").count("|") for line in lines if line.startswith("|")} == {5, 6}
    root = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (root.get("failures"), root.get("errors")) == ("1", "0")


def test_the_report_of_a_gate_passes_where_the_build_does(tmp_path: Path) -> None:
    words = ("r:model=a", "r:model=b", "--results", run_of(tmp_path, 60, 1), "--fail-on", "worse")
    assert compared(*words, "--junit", tmp_path / "new" / "gate.xml").returncode == 0
    root = ElementTree.parse(tmp_path / "new" / "gate.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "0")
    (said,) = root.iter("system-out")
    assert "worse   task_59: 1/1 → 0/1" in (said.text or "")


@pytest.mark.parametrize("words", [["--junit", "x.xml"], ["--format", "markdown", "--json"]])
def test_a_report_that_makes_no_sense_is_bad_usage(results: Path, words: list[str]) -> None:
    assert compared("r:model=a", "r:model=b", "--results", results, *words).returncode == 2


def days_of_two(results: Path, days: int = 6) -> list[str]:
    """Days of model `a`, which the story recorded, and of `b`, asked on all but the first of them, which
    gives the same answers but for one use case."""
    there = sorted((STORY / "daily").glob("2*"))[:days]
    for number, day in enumerate(there):
        made = results / "daily" / day.name
        shutil.copytree(day, made)
        lines = []
        for line in (made / GRADES).read_text().splitlines():
            grade = json.loads(line)
            lines.append({**grade, "model": "a"})
            if number:
                right = grade["correct"] and grade["breakdown"]["use_case"] != "structured_extraction"
                lines.append({**grade, "model": "b", "correct": right})
        (made / GRADES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [day.name for day in there]


def test_two_models_are_compared_by_case_and_day_in_one_sentence_that_says_the_days(tmp_path: Path) -> None:
    dates = days_of_two(tmp_path / "results")
    done = compared("daily:model=a", "daily:model=b", cwd=tmp_path)
    first = done.stdout.splitlines()[0]
    assert re.match(
        rf"daily:model=b passes \d+\.\d points less than daily:model=a on 5 days, {dates[1]} to {dates[-1]} "
        r"\(95 % interval: ",
        first,
    )
    # `b` gives the answers of `a`: paired by day, nothing but the spoilt use case differs.
    flips = json.loads(compared("daily:model=a", "daily:model=b", "--json", cwd=tmp_path).stdout)
    assert (flips["gained"], flips["lost"] > 0, flips["days_a"]) == (0, True, dates[1:])
    assert compared("daily", "--each", "model", cwd=tmp_path).stdout.splitlines()[0] == first


def test_two_ranges_of_days_say_the_days_of_each(tmp_path: Path) -> None:
    dates = days_of_two(tmp_path / "results")
    sides = [f"daily:model=a,date={one}..{two}" for one, two in ((dates[0], dates[2]), (dates[3], dates[5]))]
    first = compared(*sides, cwd=tmp_path).stdout.splitlines()[0]
    assert f", A on 3 days, {dates[0]} to {dates[2]}; B on 3 days, {dates[3]} to {dates[5]} (95 %" in first


def test_a_gate_over_days_fails_for_the_model_that_is_worse_or_has_fewer_cases(tmp_path: Path) -> None:
    dates = days_of_two(tmp_path / "results")
    assert probatio("study", "baseline", "daily:model=a", "--as", "main", cwd=tmp_path).returncode == 0
    words = ("--fail-on", "worse", "--rule-out", 45, "--format", "markdown")
    same = compared("main", f"daily:model=a,date={dates[0]}..{dates[1]}", *words, cwd=tmp_path)
    assert same.returncode == 2  # the same trials
    fewer = compared("main", "daily:model=b,task=easy_*", *words, cwd=tmp_path)
    assert fewer.returncode == 1, fewer.output
    spoilt = json.loads(compared("main", "daily:model=b", "--json", *words[:4], cwd=tmp_path).stdout)
    assert spoilt["gate"]["answer"] in ("worse", "too few tasks")
    assert f"5 days, {dates[1]} to {dates[-1]}" in spoilt["gate"]["sentence"]


@pytest.mark.parametrize("place", ["daily", "results/daily", "results", "results/daily/{}", "daily:model=a"])
def test_study_of_days_names_the_commands_for_days_and_writes_nothing(tmp_path: Path, place: str) -> None:
    dates = days_of_two(tmp_path / "results")
    place = place.format(dates[1])
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = probatio("study", place, cwd=tmp_path)
    assert done.returncode == 2
    assert "`probatio verdict` says which model got worse" in done.stderr
    assert "The commands below `study`" not in done.stderr
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    (named,) = re.findall(r"`(probatio study compare [^`]*)`", done.stderr)
    assert probatio(*named.split()[1:], cwd=tmp_path).returncode == 0


def test_days_of_two_suite_versions_say_how_to_choose_those_of_one(tmp_path: Path) -> None:
    dates = days_of_two(tmp_path / "results")
    record = tmp_path / "results" / "daily" / dates[0] / "day.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "suite_version": "0.0.1"}))
    refused = compared("daily:model=a", "daily:model=b", cwd=tmp_path)
    assert (refused.returncode, ":date=FIRST..LAST" in refused.stderr) == (2, True)
    chosen = [f"daily:model={model},date={dates[1]}..{dates[-1]}" for model in "ab"]
    assert compared(*chosen, cwd=tmp_path).returncode == 0


def test_a_day_as_it_is_recorded_now_is_read(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    with Double(reply=gold_script(EXTRACTION)) as double:
        assert run(tmp_path, double).returncode == 0
    sides = [f"daily:use_case={EXTRACTION},sample={number}" for number in (0, 1)]
    found = json.loads(compared(*sides, "--json", cwd=tmp_path).stdout)
    assert (found["pairs"], found["days_a"], found["rate_a"]["passed"]) == (2, [DAY], 2)
