"""Trials under a twist, and the price of the rule: one double reads what it is shown, another repeats what it
knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from double import Double
from probatio.languages.faber import LANGUAGE
from probatio.learn.analysis import study_of, write_study
from probatio.runs.record import read_run
from probatio.suites.language_suite import load_suite
from probatio.suites.prompt import render_question
from probatio.suites.task_types import KINDS
from runs.trials import argv, finished

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

SUITE = load_suite("faber")
TWISTED = "latin+ranges-swapped"
TASKS = ("predict_range_squares", "predict_collatz", "predict_nested_ranges", "write_faber_count",
         "faber_to_ts_range", "predict_bits")  # fmt: skip
UNTOUCHED = "predict_number"
MODELS = "models: [{id: reader, name: reader}, {id: reciter, name: reciter}]"


def right(task_id: str, dialect: str) -> str:
    """The right answer to a task in a dialect."""
    import faber

    task = SUITE.task(task_id, dialect)
    match KINDS[task.type].judged:
        case "text":
            return task.expected_output
        case "host program":
            return f"```typescript\n{faber.compile(task.material or '', dialect)}\n```"
    return f"```faber\n{task.solution}\n```"


def reply(body: dict[str, Any]) -> str:
    prompt = body["messages"][-1]["content"]
    asked = next(
        each
        for each in (*TASKS, UNTOUCHED)
        if prompt.endswith(render_question(SUITE, SUITE.tasks[each], "latin"))
    )
    told = LANGUAGE.rule(TWISTED) in prompt
    return right(asked, TWISTED if body["model"] == "reader" and told else "latin")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("twisted")
    (root / "models.yml").write_text(MODELS, encoding="utf-8")
    flags = (
        "--config",
        "models.yml",
        "--model",
        "*",
        "--run-id",
        "r",
        "--dialect",
        f"latin,{TWISTED}",
        "--n-shot",
        "0",
    )
    tasks = ",".join((*TASKS, UNTOUCHED))
    with Double(reply=reply) as double:
        done = finished(
            argv(root, *flags, "--task", tasks, "--context", "examples-only,minimal"), double, root
        )
    assert done.returncode == 0, done.stderr
    return root / "results" / "r"


def test_a_reader_pays_only_where_it_is_told_nothing_and_a_reciter_pays_everywhere(run: Path) -> None:
    prices = {price.model: price for price in study_of([run]).prices}
    reader, reciter = prices["reader"], prices["reciter"]
    assert (reader.tasks, reader.pairs, reader.twist) == (len(TASKS), 2 * len(TASKS), "ranges-swapped")
    assert [(at.context, at.lost) for at in reader.conditions] == [("examples-only", 100.0), ("minimal", 0.0)]
    assert [(at.context, at.lost) for at in reciter.conditions] == [
        ("examples-only", 100.0),
        ("minimal", 100.0),
    ]
    assert (reader.lost, reciter.lost) == (50.0, 100.0)
    assert reader.low < 50 < reader.high
    assert reader.regained is not None
    assert reader.regained.context == "minimal"
    assert reader.regained.tokens > (reader.conditions[0].tokens or 0)
    assert reciter.regained is None


def test_tasks_that_the_rule_does_not_touch_are_a_control_and_cost_nothing(run: Path) -> None:
    for price in study_of([run]).prices:
        assert price.control_tasks == 1
        assert price.control is not None
        assert price.control[0] == 0.0


def test_the_analysis_has_a_section_for_it(run: Path, tmp_path: Path) -> None:
    study = study_of([run])
    text = write_study(study, tmp_path)[0].read_text(encoding="utf-8")
    section = text.split("## The price of a rule")[1].split("\n## ")[0]
    assert SUITE.twists["ranges-swapped"].rule in section
    assert "| reciter | latin+ranges-swapped | 6 | 12 |" in section
    assert "not regained" in section
    assert "minimal, 0-shot (" in section
    assert study.notes == []  # the fingerprint of a twisted run is the one that is computed again


def test_trials_that_ask_for_inference_are_reported_apart(run: Path, tmp_path: Path) -> None:
    study = study_of([run])
    told = {(one.model, one.context): one for one in study.told}
    bare, minimal = told["reader", "examples-only"], told["reader", "minimal"]
    assert (bare.shown.asked, bare.inferred.asked) == (0, 2 * 7)  # seven tasks in two dialects
    assert (minimal.shown.asked, minimal.inferred.asked) == (
        2,
        12,
    )  # `scribe 7` alone needs no more than minimal has
    assert minimal.shown.passed == 2
    assert minimal.lacking["usque keeps its end"] > 0
    text = write_study(study, tmp_path)[0].read_text(encoding="utf-8")
    assert "## Told or inferred" in text


def test_a_run_without_a_twist_has_the_fingerprint_it_always_had(run: Path) -> None:
    from probatio.grading import GRADER_VERSION
    from probatio.suites.prompt import fingerprint_as_asked

    plain = fingerprint_as_asked(SUITE, GRADER_VERSION, ("latin", "english"))
    assert plain == fingerprint_as_asked(SUITE, GRADER_VERSION)
    assert (
        read_run(run).suite_fingerprint
        == fingerprint_as_asked(SUITE, GRADER_VERSION, ("latin", TWISTED))
        != plain
    )


def planned(root: Path, *flags: str) -> tuple[int, dict[str, Any], str]:
    (root / "models.yml").write_text(MODELS, encoding="utf-8")
    given = (
        "--config",
        "models.yml",
        "--model",
        "reader",
        "--n-shot",
        "0",
        "--context",
        "minimal",
        "--dry-run",
        "--json",
    )
    with Double() as double:
        done = finished(argv(root, *given, *flags), double, root)
    return done.returncode, json.loads(done.stdout.splitlines()[0]) if done.stdout else {}, done.stderr


def test_under_a_twist_the_tasks_it_touches_are_asked_in_every_dialect_and_a_star_means_no_twist(
    tmp_path: Path,
) -> None:
    touched = len(SUITE.twists["ranges-swapped"].touched)
    code, plan, said = planned(tmp_path, "--dialect", f"latin,{TWISTED}")
    assert code == 0, said
    assert plan["trials"] == 2 * touched
    assert f"{touched} of {len(SUITE.tasks)} tasks are asked" in said
    assert planned(tmp_path, "--dialect", "*")[1]["trials"] == len(SUITE.tasks) * len(LANGUAGE.dialects)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--dialect", "latin+one-basd"), "There is no dialect `latin+one-basd`"),
        (("--dialect", "latin+x", "--suite", "strues"), "has no tasks under a twist"),
        (("--dialect", TWISTED, "--task", "complete_step"), "None of these tasks"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_sentence(
    tmp_path: Path, flags: tuple[str, ...], sentence: str
) -> None:
    code, _, said = planned(tmp_path, *flags)
    assert code == 2
    assert sentence in said
