"""The suite `faber`: every task can be solved, every expected output was really printed, every program shown is right."""

from __future__ import annotations

import re
from collections import Counter
from typing import get_args

import pytest

from probatio.grade import assess as assess_in
from probatio.languages import faber, typescript
from probatio.records import Assessment, Example, Response, Task, TaskType
from probatio.suite.language_suite import load_suite
from probatio.suite.prompt import question

pytestmark = pytest.mark.slow  # every answer of the suite is run

SUITE = load_suite()
TASKS = list(SUITE.tasks.values())
SOLUTIONS = {task.id: task.solution for task in TASKS if task.solution}

DIALECTS = ("latin", "english", "symbols", "scrambled")
CATEGORIES = {
    "declarations", "conditionals", "functions", "loops", "arithmetic", "boolean", "error_handling",
    "control_flow", "data_structures", "types", "operators", "strings", "modules", "entry_point",
}  # fmt: skip
FENCES = {
    "translate_to": "faber",
    "write": "faber",
    "translate_from": "typescript",
    "write_host": "typescript",
}


def of_type(*types: TaskType) -> list[Task]:
    return [task for task in TASKS if task.type in types]


def each(tasks: list[Task]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("task", tasks, ids=[task.id for task in tasks])


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


def printed_by_typescript(source: str) -> str:
    outcome = typescript.run(source)
    assert outcome.exit == 0, outcome.stderr
    return outcome.stdout.strip()


def printed_by_faber(source: str, dialect: str = "latin") -> str:
    assert faber.check(source, dialect) == []
    return printed_by_typescript(faber.compile(source, dialect))


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
    asked = Counter(question(SUITE, task, "latin") for task in TASKS)
    assert [text for text, times in asked.items() if times > 1] == []


def test_every_solution_belongs_to_a_task_and_every_task_to_a_solution() -> None:
    predicted = {task.id for task in of_type("predict_output")}
    assert set(SOLUTIONS) == set(SUITE.tasks) - predicted


@each([task for task in TASKS if task.type != "predict_output"])
def test_the_reference_solution_passes_all_three_levels(task: Task) -> None:
    solution = SOLUTIONS[task.id]
    fence = FENCES.get(task.type)
    assessment = assess(task, answered(task, f"```{fence}\n{solution}\n```" if fence else solution))
    assert (assessment.level_a, assessment.level_b, assessment.level_c) == (True, True, True), assessment.error_detail


@each(of_type("predict_output"))
def test_the_real_output_is_the_right_prediction(task: Task) -> None:
    assessment = assess(task, answered(task, printed_by_faber(task.material or "")))
    assert assessment.correct, assessment.error_detail


@each(of_type("translate_to"))
def test_the_typescript_to_translate_prints_what_is_expected(task: Task) -> None:
    assert printed_by_typescript(task.material or "") == task.expected_output.strip()


@each(of_type("translate_from"))
def test_the_faber_to_translate_prints_what_is_expected(task: Task) -> None:
    assert printed_by_faber(task.material or "") == task.expected_output.strip()


@each([task for task in of_type("predict_output") if task.difficulty != 1])
def test_a_prediction_cannot_be_copied_from_the_program(task: Task) -> None:
    assert task.expected_output.strip() not in (task.material or "")


@each(of_type("complete_code"))
def test_a_blank_that_is_not_filled_fails(task: Task) -> None:
    template = task.material or ""
    assert template.count("___") == 1
    assert not assess(task, answered(task, "___")).correct
    assert not assess(task, answered(task, f"```faber\n{template.replace('___', ' ')}\n```")).correct


@each(of_type("complete_code"))
def test_a_completion_is_right_alone_and_within_its_program(task: Task) -> None:
    assert assess(task, answered(task, f"```faber\n{program_of(task)}\n```")).correct


FABER_TASKS = [task for task in TASKS if task.type != "write_host"]


@each(FABER_TASKS)
def test_a_program_means_the_same_in_every_dialect(task: Task) -> None:
    program = program_of(task)
    canonical = faber.format(program, "latin", "latin")
    for dialect in DIALECTS:
        there = faber.conversion(program, "latin", dialect)
        assert (there.diagnostics, there.renamed) == ([], {})
        assert faber.format(there.text, dialect, "latin") == canonical
    english = faber.format(program, "latin", "english")
    assert printed_by_faber(english, "english") == task.expected_output.strip()


@each(of_type("translate_to", "write"))
def test_a_solution_in_another_dialect_passes_when_that_dialect_was_asked_for(task: Task) -> None:
    english = faber.format(SOLUTIONS[task.id], "latin", "english")
    assert assess(task, answered(task, f"```faber\n{english}\n```", "english")).correct


@pytest.mark.parametrize("dialect", DIALECTS)
@each(of_type("complete_code"))
def test_a_completion_passes_in_the_dialect_of_its_template(task: Task, dialect: str) -> None:
    completion = SUITE.language.template_in(SOLUTIONS[task.id], dialect)
    assessment = assess(task, answered(task, completion, dialect))
    assert assessment.correct, assessment.error_detail


each_example = pytest.mark.parametrize("example", SUITE.examples, ids=[example.id for example in SUITE.examples])


def test_there_are_enough_examples_for_ten_shots() -> None:
    assert 12 <= len(SUITE.examples) <= 14
    assert len({example.id for example in SUITE.examples}) == len(SUITE.examples)


@each_example
def test_both_programs_of_an_example_print_its_output(example: Example) -> None:
    assert printed_by_typescript(example.host or "") == example.output.strip()
    assert printed_by_faber(example.program) == example.output.strip()


@each_example
def test_an_example_needs_no_other_names_in_any_dialect(example: Example) -> None:
    for dialect in DIALECTS:
        there = faber.conversion(example.program, "latin", dialect)
        assert (there.diagnostics, there.renamed) == ([], {})
        assert printed_by_faber(there.text, dialect) == example.output.strip()


@each_example
def test_an_example_is_no_task(example: Example) -> None:
    def words(source: str) -> list[str]:
        return re.findall(r"\w+|[^\w\s]", source)

    known = [words(program) for task in FABER_TASKS for program in (task.material or "", program_of(task))]
    assert words(example.program) not in known
    assert words(example.host or "") not in known


PROGRAMS_SHOWN = [
    pytest.param(block, id=f"{file.stem}-{number}")
    for file in sorted((SUITE.folder / "contexts").glob("*.md"))
    for number, block in enumerate(re.findall(r"```faber\n(.*?)\n```", file.read_text(encoding="utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("program", PROGRAMS_SHOWN)
def test_a_program_shown_in_a_context_runs_in_every_dialect(program: str) -> None:
    printed = printed_by_faber(program)
    assert printed
    for dialect in DIALECTS:
        there = faber.conversion(program, "latin", dialect)
        assert (there.diagnostics, there.renamed) == ([], {})
        assert printed_by_faber(there.text, dialect) == printed
