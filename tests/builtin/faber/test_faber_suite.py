"""The suite `faber`: what `suite check` does not prove of it (test_suite_check.py): its coverage, and its
other dialects."""

from __future__ import annotations

import re
from collections import Counter
from typing import get_args

import pytest

import faber
from probatio.core.records import Assessment, Response, Task, TaskType
from probatio.grading import assess as assess_in
from probatio.languages import typescript
from probatio.suites.language_suite import load_suite
from probatio.suites.prompt import render_question

pytestmark = pytest.mark.slow  # every answer of the suite is run

SUITE = load_suite()
TASKS = list(SUITE.tasks.values())
SOLUTIONS = {task.id: task.solution for task in TASKS if task.solution}

DIALECTS = ("latin", "english", "symbols", "scrambled")
CATEGORIES = {
    "declarations", "conditionals", "functions", "loops", "arithmetic", "boolean", "error_handling",
    "control_flow", "data_structures", "types", "operators", "strings", "modules", "entry_point",
}  # fmt: skip


def of_type(*types: TaskType) -> list[Task]:
    return [task for task in TASKS if task.type in types]


def answered(task: Task, text: str, dialect: str = "latin") -> Response:
    return Response(
        timestamp="",
        run_id="reference",
        framework_version="2",
        task_id=task.id,
        model="reference",
        n_shot=0,
        dialect=dialect,
        context="complete",
        response=text,
    )


def assess(task: Task, response: Response) -> Assessment:
    return assess_in(task, response, SUITE.answer_language(task))


def program_of(task: Task) -> str:
    """The whole Faber program of a task: the one it shows, or the one that solves it."""
    if task.type == "complete_code":
        return (task.material or "").replace("___", SOLUTIONS[task.id])
    if task.type in ("translate_from", "predict_output"):
        return task.material or ""
    return SOLUTIONS[task.id]


def test_the_suite_covers_every_type_and_category_at_every_difficulty() -> None:
    assert len(TASKS) >= 100
    assert {task.type for task in TASKS} == set(get_args(TaskType)) - {"repair"}
    categories = Counter(task.category for task in TASKS)
    assert set(categories) == CATEGORIES
    assert min(categories.values()) >= 5
    difficulties = Counter(task.difficulty for task in TASKS)
    assert set(difficulties) == {1, 2, 3}
    assert difficulties[3] * 3 >= len(TASKS)
    assert difficulties[1] >= 12


def test_no_two_tasks_ask_the_same() -> None:
    asked = Counter(render_question(SUITE, task, "latin") for task in TASKS)
    assert [text for text, times in asked.items() if times > 1] == []


def test_every_solution_belongs_to_a_task_and_every_task_to_a_solution() -> None:
    predicted = {task.id for task in of_type("predict_output")}
    assert set(SOLUTIONS) == set(SUITE.tasks) - predicted


def test_the_expected_output_is_the_right_prediction() -> None:
    asked = of_type("predict_output")
    assert [task.id for task in asked if not assess(task, answered(task, task.expected_output)).correct] == []


def test_a_prediction_cannot_be_copied_from_the_program() -> None:
    hard = [task for task in of_type("predict_output") if task.difficulty != 1]
    assert [task.id for task in hard if task.expected_output.strip() in (task.material or "")] == []


def test_a_blank_that_is_not_filled_fails() -> None:
    for task in of_type("complete_code"):
        template = task.material or ""
        assert template.count("___") == 1
        for answer in ("___", f"```faber\n{template.replace('___', ' ')}\n```"):
            assert not assess(task, answered(task, answer)).correct, task.id


FABER_TASKS = [task for task in TASKS if task.type != "write_host"]
PROGRAMS_SHOWN = [
    block
    for file in sorted((SUITE.folder / "contexts").glob("*.md"))
    for block in re.findall(r"```faber\n(.*?)\n```", file.read_text(encoding="utf-8"), re.DOTALL)
]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_program_means_the_same_in_every_dialect(dialect: str) -> None:
    """Tasks, examples and contexts: the same TypeScript comes of it, and the same text on the way back."""
    shown = [*map(program_of, FABER_TASKS), *(example.program for example in SUITE.examples), *PROGRAMS_SHOWN]
    for program in shown:
        there = faber.convert(program, "latin", dialect)
        assert (there.diagnostics, there.renamed) == ([], {})
        assert faber.check(there.text, dialect) == []
        assert faber.compile(there.text, dialect) == faber.compile(program, "latin")
        assert faber.format(there.text, dialect, "latin") == faber.format(program, "latin", "latin")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_completion_fits_its_template_in_every_dialect(dialect: str) -> None:
    for task in of_type("complete_code"):
        template = SUITE.language.template_in(task.material or "", dialect)
        whole = template.replace("___", SUITE.language.template_in(SOLUTIONS[task.id], dialect))
        assert faber.compile(whole, dialect) == faber.compile(program_of(task), "latin"), task.id


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["translate_to", "write", "complete_code"])
def test_an_answer_passes_in_the_dialect_it_was_asked_for(kind: TaskType, dialect: str) -> None:
    """One task of each type through the grader; that the others compile to the same is proven above."""
    task = of_type(kind)[0]
    if kind == "complete_code":
        answers = [
            SUITE.language.template_in(SOLUTIONS[task.id], dialect),
            faber.format(program_of(task), "latin", dialect),
        ]
    else:
        answers = [faber.format(SOLUTIONS[task.id], "latin", dialect)]
    for answer in (*answers, f"```faber\n{answers[-1]}\n```"):
        assessment = assess(task, answered(task, answer, dialect))
        assert assessment.correct, assessment.error_detail


def test_there_are_enough_examples_for_ten_shots() -> None:
    assert 12 <= len(SUITE.examples) <= 14


def test_an_example_is_no_task() -> None:
    def words(source: str) -> list[str]:
        return re.findall(r"\w+|[^\w\s]", source)

    known = [words(program) for task in FABER_TASKS for program in (task.material or "", program_of(task))]
    for example in SUITE.examples:
        assert words(example.program) not in known
        assert words(example.host or "") not in known


def test_a_program_shown_in_a_context_prints_something() -> None:
    """`suite check` proves that it passes the checker."""
    for program in PROGRAMS_SHOWN:
        outcome = typescript.run(faber.compile(program, "latin"))
        assert outcome.exit == 0, outcome.stderr
        assert outcome.stdout.strip()
