"""The suite `kcl`: every task can be solved, every output was really printed, every program shown is right."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from builtin.kcl.kcl_folder import EXAMPLES, FOLDER, LANGUAGE, TASKS, Entry, Toolchain, cases, gold, solved

pytestmark = pytest.mark.slow  # every answer of the suite is run

FIELDS = {
    "write": {"solution"},
    "predict_output": {"material"},
    "complete_code": {"material", "solution"},
    "repair": {"material", "solution", "diagnostics"},
    "translate_to": {"material", "solution"},
    "translate_from": {"material", "solution"},
}
CONTEXT_TOKENS = {"examples-only": (0, 0), "brief": (200, 320), "guide": (800, 1000), "reference": (2200, 2700)}
WRONG = {"translate_from": "print('wrong')", "complete_code": "0"}
"""An answer that is a program, but not the right one; for other types a KCL program."""


def by_id(entries: list[Entry]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("task", entries, ids=[entry["id"] for entry in entries])


def of_type(*types: str) -> list[Entry]:
    return [task for task in TASKS if task["type"] in types]


@pytest.fixture
def toolchain(tmp_path: Path) -> Toolchain:
    return Toolchain(tmp_path)


def test_ids_are_unique() -> None:
    counts = Counter(entry["id"] for entry in [*TASKS, *EXAMPLES])
    assert [name for name, count in counts.items() if count > 1] == []


def test_there_is_enough_of_everything() -> None:
    assert len(TASKS) >= 44
    assert len(EXAMPLES) == 10
    assert {task["type"] for task in TASKS} == set(FIELDS)
    cells = Counter((task["category"], task["difficulty"]) for task in TASKS)
    categories = {category for category, _ in cells}
    assert len(categories) >= 6
    assert [(category, level) for category in categories for level in (1, 2, 3) if not cells[category, level]] == []


@by_id(TASKS)
def test_a_task_has_what_its_type_asks_for(task: Entry) -> None:
    judged = {"tests"} if "tests" in task else {"expected_output"}
    assert set(task) == {"id", "type", "category", "difficulty", "goal"} | FIELDS[task["type"]] | judged
    assert task["goal"].endswith((".", "?"))
    if task["type"] == "complete_code":
        assert task["material"].count("___") == 1


@by_id([task for task in TASKS if "solution" in task])
def test_a_goal_does_not_give_the_answer_away(task: Entry) -> None:
    words = re.sub(r"\s+", " ", task["goal"])
    answer = re.sub(r"\s+", " ", task["solution"].strip())
    assert not re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", words) or len(answer) == 1


@by_id(TASKS)
def test_the_gold_answer_is_right(task: Entry, toolchain: Toolchain) -> None:
    assert solved(toolchain, task, gold(task))


@by_id(TASKS)
def test_an_empty_and_a_wrong_answer_fail(task: Entry, toolchain: Toolchain) -> None:
    assert not solved(toolchain, task, "")
    assert not solved(toolchain, task, WRONG.get(task["type"], "wrong = 1"))


@by_id(of_type("predict_output", "translate_from"))
def test_a_program_that_is_shown_prints_what_is_expected(task: Entry, toolchain: Toolchain) -> None:
    assert toolchain.run(task["material"]) == (0, task["expected_output"].strip(), "")


@by_id(of_type("translate_to"))
def test_a_host_program_prints_what_is_expected(task: Entry, toolchain: Toolchain) -> None:
    assert toolchain.run_host(task["material"]) == (0, task["expected_output"].strip(), "")


@by_id(of_type("repair"))
def test_a_broken_program_fails_with_the_diagnostics_that_are_shown(task: Entry, toolchain: Toolchain) -> None:
    assert toolchain.run(task["material"]) == (1, "", task["diagnostics"].strip())


@by_id([task for task in TASKS if "tests" in task])
def test_an_answer_by_heart_fails_another_test(task: Entry) -> None:
    outputs = [output for _, output in cases(task)]
    assert len(outputs) > 1
    assert len(set(outputs)) > 1


@by_id(EXAMPLES)
def test_an_example_prints_its_output(task: Entry, toolchain: Toolchain) -> None:
    assert set(task) == {"id", "program", "output", "explanation"}
    assert toolchain.run(task["program"]) == (0, task["output"].strip(), "")


def test_the_contexts_are_those_of_the_language_and_have_their_size() -> None:
    sizes = {name: len((FOLDER / "contexts" / f"{name}.md").read_text("utf-8")) / 3.5 for name in LANGUAGE["contexts"]}
    assert {file.stem for file in (FOLDER / "contexts").glob("*")} == set(sizes)
    assert {
        name for name, size in sizes.items() if not CONTEXT_TOKENS[name][0] <= size <= CONTEXT_TOKENS[name][1]
    } == set()


@pytest.mark.parametrize("name", [name for name in LANGUAGE["contexts"] if name != "examples-only"])
def test_every_program_in_a_context_prints_what_stands_below_it(name: str, toolchain: Toolchain) -> None:
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", (FOLDER / "contexts" / f"{name}.md").read_text("utf-8"), re.M | re.S)
    assert [kind for kind, _ in fences] == ["kcl", "yaml"] * (len(fences) // 2)
    for (_, program), (_, output) in zip(fences[::2], fences[1::2], strict=True):
        assert toolchain.run(program) == (0, output.strip(), "")


def test_the_page_counts_the_tasks_as_they_are() -> None:
    page = (Path(__file__).parents[3] / "docs" / "kcl.md").read_text("utf-8")
    counts = Counter(task["type"] for task in TASKS)
    assert dict(re.findall(r"^\| (\w+) \| (\d+) \|", page, re.M)) == {
        name: str(count) for name, count in counts.items()
    }
    assert f"\n{len(TASKS)} tasks in " in page
