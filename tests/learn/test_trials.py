"""Reading runs: our own, another harness's, torn, repeated, and of different suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from learn.runs import make_run, write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.core.records import UNKNOWN_DIALECT, ErrorType
from probatio.learn.analysis import study_of
from probatio.learn.findings import Study
from probatio.learn.selection import find_folders
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.suites.language_suite import load_suite


def _other_harness(folder: Path, grades: list[dict[str, object]]) -> Path:
    """A run as another harness leaves it: no run.json, no sample, no score."""
    folder.mkdir()
    same = {
        "timestamp": "t",
        "run_id": "old",
        "framework_version": "1.1",
        "git_sha": None,
        "n_shot": 3,
        "dialect": "latin",
    }
    graded = [
        {
            "context": "basic",
            "model": "m",
            "level_a": True,
            "level_b": True,
            "level_c": True,
            "correct": True,
            "error_type": None,
        }
        | same
        | line
        for line in grades
    ]
    raw = [
        {**line, "prompt": "", "response": f"answer {number}", "tokens_in": 0}
        for number, line in enumerate(graded)
    ]
    for name, lines in ((GRADES, graded), (ANSWERS, raw)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_a_run_of_the_other_harness_is_studied_as_it_is(tmp_path: Path) -> None:
    wrong = {"level_c": False, "correct": False, "error_type": "wrong_output"}
    folder = _other_harness(tmp_path / "old", [{"task_id": "a"}, {"task_id": "b"}, {"task_id": "c", **wrong}])
    study = study_of([folder])
    assert (study.overall.passed, study.overall.asked) == (2, 3)
    assert [axis.name for axis in study.axes] == ["model", "context", "n_shot", "dialect"]
    assert any("--suite" in note for note in study.notes)
    assert study.no_curves is not None
    assert "tokens of context and examples are not known" in study.no_curves
    assert study.failures[0].answer == "answer 2"


def test_a_repeated_line_of_the_other_harness_is_another_sample(tmp_path: Path) -> None:
    wrong = {"level_c": False, "correct": False, "error_type": "wrong_output"}
    study = study_of([_other_harness(tmp_path / "old", [{"task_id": "a"}, {"task_id": "a", **wrong}])])
    assert (study.overall.passed, study.overall.asked) == (1, 2)
    assert (study.failures[0].sample, study.failures[0].answer) == (1, "answer 1")


def test_grading_an_old_run_again_loses_none_of_its_repeats(tmp_path: Path) -> None:
    """Our grader gives every line of an old run the sample 0."""
    study = study_of([_other_harness(tmp_path / "old", [{"task_id": "a", "sample": 0}] * 3)])
    assert study.overall.asked == 3


def test_a_line_without_a_dialect_is_of_the_first_dialect_of_the_suite(tmp_path: Path) -> None:
    wrong = {"level_c": False, "correct": False, "error_type": "wrong_output"}
    folder = _other_harness(tmp_path / "old", [{"task_id": "a"}, {"task_id": "b", **wrong}])
    for name in (GRADES, ANSWERS):
        lines = [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for line in lines:
            del line["dialect"]
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    suite = load_suite("faber")
    for given, dialect in ((None, UNKNOWN_DIALECT), (suite.folder, suite.language.dialects[0])):
        study = study_of([folder], given)
        assert [(each.dialect, each.answer) for each in study.failures] == [(dialect, "answer 1")]


def test_a_suite_beside_old_grades_gives_types_and_categories(tmp_path: Path) -> None:
    folder = _other_harness(tmp_path / "old", [{"task_id": "task_00"}, {"task_id": "elsewhere"}])
    write_suite(folder, 1)
    study = study_of([folder])
    assert "category" in [axis.name for axis in study.axes]
    assert any(note.startswith("1 tasks are not in the suite") for note in study.notes)


def test_answers_of_real_models_recorded_by_the_other_harness_are_read(tmp_path: Path, shared: Path) -> None:
    """Their grades are made from the reference levels beside them; the tally is made by hand here."""
    raw = [json.loads(line) for line in (shared / "recorded" / ANSWERS).read_text().splitlines()]
    reference = [
        json.loads(line) for line in (shared / "recorded" / "reference.jsonl").read_text().splitlines()
    ]
    folder = tmp_path / "old"
    folder.mkdir()
    lines, passed = [], 0
    for line, known in zip(raw, reference, strict=True):
        levels = known["levels"] or [False] * 3
        passed += all(levels)
        kept = {
            name: line[name]
            for name in (
                "timestamp",
                "run_id",
                "framework_version",
                "git_sha",
                "task_id",
                "model",
                "n_shot",
                "dialect",
                "context",
            )
        }
        lines.append({**kept, **dict(zip(("level_a", "level_b", "level_c"), levels, strict=True)),
        "correct": all(levels),
                      "error_type": None if all(levels) else (
                          "wrong_output"
                      ), "error_detail": None})  # fmt: skip
    (folder / GRADES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / ANSWERS).write_bytes((shared / "recorded" / ANSWERS).read_bytes())
    study = study_of([folder], shared / "recorded")
    assert study.control_rate is not None  # 11 answers in TypeScript, shown beside
    assert study.overall.passed + study.control_rate.passed == passed
    assert (study.overall.asked, study.control_rate.asked) == (len(raw) - 11, 11)
    assert len(study.funnels) == len({line["model"] for line in raw})
    assert study.factors is not None


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    run = make_run(tmp_path, 5, lambda key: True)
    whole = study_of([run])
    with (run / GRADES).open("ab") as file:
        file.write(b'{"timestamp":"x","task_id":"task_0')
    assert study_of([run]) == whole


def test_a_bad_line_elsewhere_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path, 5, lambda key: True)
    lines = (run / GRADES).read_text().splitlines()
    lines[2] = lines[2][:40]
    (run / GRADES).write_text("\n".join(lines) + "\n")
    study = study_of([run])
    assert study.overall.asked == 4
    assert study.notes == ["1 lines of r/graded_results.jsonl are not grades and were left out."]


def test_the_last_grade_of_a_trial_counts(tmp_path: Path) -> None:
    run = make_run(tmp_path, 5, lambda key: True)
    first = [json.loads(line) for line in (run / GRADES).read_text().splitlines()]
    again = {
        **first[0],
        "correct": False,
        "level_c": False,
        "error_type": "wrong_output",
        "error_detail": "graded again",
    }
    with (run / GRADES).open("a", encoding="utf-8") as file:
        file.write(json.dumps(again) + "\n")
    study = study_of([run])
    assert (study.overall.passed, study.overall.asked) == (4, 5)
    assert [(failure.task_id, failure.error_detail) for failure in study.failures] == [
        ("task_00", "graded again")
    ]


def test_a_line_written_twice_counts_once(tmp_path: Path) -> None:
    run = make_run(tmp_path, 5, lambda key: True)
    lines = (run / GRADES).read_text()
    (run / GRADES).write_text(lines + lines)
    assert study_of([run]).overall.asked == 5


def test_trials_that_could_not_be_asked_are_in_no_rate_and_counted_apart(tmp_path: Path) -> None:
    outcomes: dict[str, ErrorType] = {
        "task_00": "api_error",
        "task_01": "syntax_error",
        "task_02": "truncated",
    }
    run = make_run(tmp_path, 5, lambda key: outcomes.get(key.task_id, True))
    study = study_of([run])
    assert (study.overall.passed, study.overall.asked, study.unasked) == (2, 4, 1)
    assert all(sum(level.rate.asked for level in axis.levels) == 4 for axis in study.axes)
    assert study.funnels[0].errors == {"syntax_error": 1, "truncated": 1}
    assert {failure.task_id for failure in study.failures} == {"task_01", "task_02"}


def test_the_funnel_narrows_level_by_level(tmp_path: Path) -> None:
    outcomes: dict[str, ErrorType] = {
        "task_00": "syntax_error",
        "task_01": "runtime_error",
        "task_02": "wrong_output",
    }
    run = make_run(tmp_path, 6, lambda key: outcomes.get(key.task_id, True))
    (funnel,) = study_of([run]).funnels
    assert (funnel.asked, funnel.level_a, funnel.level_b, funnel.level_c) == (6, 5, 4, 3)


def test_a_level_counts_only_behind_the_levels_before_it(tmp_path: Path) -> None:
    odd = {"level_a": False, "level_b": True, "level_c": True, "correct": False, "error_type": "type_error"}
    (funnel,) = study_of(
        [_other_harness(tmp_path / "old", [{"task_id": "a"}, {"task_id": "b", **odd}])]
    ).funnels
    assert (funnel.level_a, funnel.level_b, funnel.level_c) == (1, 1, 1)


def test_runs_of_one_suite_are_pooled(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 5)
    runs = [
        write_made_up_run(tmp_path / "a", suite, lambda key: True),
        write_made_up_run(tmp_path / "b", suite, lambda key: False),
    ]
    study = study_of(runs)
    assert (study.overall.passed, study.overall.asked, study.overall.tasks) == (5, 10, 5)


@pytest.mark.parametrize("change", [{"tasks": 6}, {"version": "1.0.1"}])
def test_runs_of_two_suite_versions_are_never_pooled(tmp_path: Path, change: dict[str, Any]) -> None:
    one = write_made_up_run(tmp_path / "a", write_suite(tmp_path / "one", 5), lambda key: True)
    two = write_made_up_run(
        tmp_path / "b", write_suite(tmp_path / "two", **{"tasks": 5, **change}), lambda key: True
    )
    with pytest.raises(UsageError, match="nothing is compared across suite versions"):
        study_of([one, two])


def test_runs_of_two_graders_are_never_pooled(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 5)
    one, two = (write_made_up_run(tmp_path / name, suite, lambda key: True) for name in "ab")
    (two / GRADES).write_text(
        (two / GRADES).read_text().replace('"grader_version":"1"', '"grader_version":"2"')
    )
    with pytest.raises(UsageError, match="probatio grade"):
        study_of([one, two])


def test_a_suite_that_has_changed_since_is_told(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 5)
    run = write_made_up_run(tmp_path / "r", suite, lambda key: True)
    write_suite(suite, 6)
    assert any("has changed since the run" in note for note in study_of([run]).notes)


def test_a_suite_that_is_gone_costs_only_what_came_from_it(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 5)
    run = write_made_up_run(tmp_path / "r", suite, lambda key: True)
    (suite / "tasks" / "all.yml").unlink()
    study = study_of([run])
    assert study.overall.asked == 5
    assert any("can't be read" in note for note in study.notes)


def test_a_run_without_any_grade_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path, 5, lambda key: True)
    (run / GRADES).write_text("")
    study: Study = study_of([run])
    assert study.overall.share is None
    assert study.funnels == []


def test_answers_without_grades_are_sent_to_the_grader(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / ANSWERS).write_text("{}\n")
    with pytest.raises(UsageError, match="probatio grade"):
        find_folders([str(tmp_path / "old")], tmp_path)


def test_an_unknown_run_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no run `x`"):
        find_folders(["x"], tmp_path)
