"""Failing examples: chosen from every class, shown in full, and unable to break the page."""

from __future__ import annotations

import json
from pathlib import Path

from learn.runs import make_run
from probatio.core.records import ErrorType
from probatio.learn.analysis import study_of, write_analysis
from probatio.learn.failures import EXAMPLES, LONGEST_TEXT
from probatio.learn.tokens import count_shared_parts
from probatio.learn.trials import open_trials
from probatio.runs.store.layout import ANSWERS
from probatio.suites.language_suite import load_suite
from probatio.suites.prompt import render, render_question

KINDS: tuple[ErrorType, ...] = ("syntax_error", "type_error", "wrong_output")


def _run(root: Path) -> Path:
    return make_run(
        root,
        30,
        lambda key: KINDS[int(key.task_id[-2:]) % 3],
        models=("a", "b"),
        contexts=("minimal", "complete"),
    )


def test_every_model_and_every_error_class_shows_under_its_richest_condition(tmp_path: Path) -> None:
    failures = study_of([_run(tmp_path)]).failures
    assert len(failures) == EXAMPLES
    assert {(failure.model, failure.error_type) for failure in failures} == {
        (model, kind) for model in "ab" for kind in KINDS
    }
    assert {failure.context for failure in failures} == {"complete"}


def test_a_failure_is_told_with_its_own_question_answer_and_diagnosis(tmp_path: Path) -> None:
    failure = study_of([_run(tmp_path)]).failures[0]
    number = failure.task_id.removeprefix("task_")
    assert failure.question == f"{number} what does it print?"  # what all prompts begin with is not repeated
    assert failure.answer == f"answer to {failure.task_id}"
    assert failure.error_detail == f"why {failure.task_id} failed"


def test_an_answer_full_of_fences_stays_inside_its_block_and_a_long_one_is_cut(tmp_path: Path) -> None:
    run = _run(tmp_path)
    lines = [json.loads(line) for line in (run / ANSWERS).read_text().splitlines()]
    for line in lines:
        line["response"] = "````\n## Narrative\n" + "x" * 10000
    (run / ANSWERS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = write_analysis(run).read_text()
    assert "`````\n````\n## Narrative\nxxx" in text
    whole = len("````\n## Narrative\n") + 10000
    assert f"… ({whole - LONGEST_TEXT:,} more characters)" in text


def test_the_question_is_the_suites_own_where_the_prompt_ends_with_it(tmp_path: Path) -> None:
    """All prompts of one type begin their question alike; that beginning belongs to the question all the
    same."""
    run = make_run(tmp_path, 30, lambda key: False)
    suite = load_suite(tmp_path / "suite")
    lines = [json.loads(line) for line in (run / ANSWERS).read_text().splitlines()]
    for line in lines:
        line["prompt"] = render(suite, suite.tasks[line["task_id"]], "minimal", 0, "latin")
        line["tokens_in"] = len(line["prompt"])
    predictions = [line for line in lines if suite.tasks[line["task_id"]].type == "predict_output"]
    (run / ANSWERS).write_text("".join(json.dumps(line) + "\n" for line in predictions))
    shown = next(failure for failure in study_of([run]).failures if failure.question)
    assert shown.question == render_question(suite, suite.tasks[shown.task_id], "latin")
    with open_trials([run]) as trials:
        (part,) = count_shared_parts(trials).values()
    assert part.characters == len(lines[0]["prompt"]) - len(
        render_question(suite, suite.tasks[lines[0]["task_id"]], "latin")
    )
    assert part.tokens == part.characters
