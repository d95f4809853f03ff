"""The suite `kcl`: what `suite check` does not prove of it (test_suite_check.py)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from builtin.kcl.kcl_folder import EXAMPLES, FOLDER, LANGUAGE, TASKS, Toolchain
from probatio.suites.language_suite import load_suite

pytestmark = pytest.mark.slow  # every answer of the suite is run

FIELDS = {
    "write": {"solution"},
    "predict_output": {"material"},
    "complete_code": {"material", "solution"},
    "repair": {"material", "solution", "diagnostics"},
    "translate_to": {"material", "solution"},
    "translate_from": {"material", "solution"},
}
CONTEXT_TOKENS = {
    "examples-only": (0, 0),
    "brief": (200, 320),
    "guide": (800, 1000),
    "reference": (2200, 2700),
}


@pytest.fixture
def toolchain(tmp_path: Path) -> Toolchain:
    return Toolchain(tmp_path)


def test_there_is_enough_of_everything() -> None:
    assert len(TASKS) >= 44
    assert len(EXAMPLES) == 10
    assert {task["type"] for task in TASKS} == set(FIELDS)
    cells = Counter((task["category"], task["difficulty"]) for task in TASKS)
    categories = {category for category, _ in cells}
    assert len(categories) >= 6
    assert [
        (category, level) for category in categories for level in (1, 2, 3) if not cells[category, level]
    ] == []


def test_a_task_has_what_its_type_asks_for() -> None:
    for task in TASKS:
        judged = {"tests"} if "tests" in task else {"expected_output"}
        asked = set(task) - {"rules"}  # a task may take none
        assert asked == {"id", "type", "category", "difficulty", "goal"} | FIELDS[task["type"]] | judged
        assert task["goal"].endswith((".", "?"))
        assert task["type"] != "complete_code" or task["material"].count("___") == 1
    assert all(set(example) - {"rules"} == {"id", "program", "output", "explanation"} for example in EXAMPLES)
    names = [entry["id"] for entry in [*TASKS, *EXAMPLES]]
    assert len(set(names)) == len(names)


def test_a_goal_does_not_give_the_answer_away() -> None:
    for task in (task for task in TASKS if "solution" in task):
        words = re.sub(r"\s+", " ", task["goal"])
        answer = re.sub(r"\s+", " ", task["solution"].strip())
        assert not re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", words) or len(answer) == 1, task["id"]


def test_a_broken_program_fails_with_exactly_the_diagnostics_that_are_shown(toolchain: Toolchain) -> None:
    for task in (task for task in TASKS if task["type"] == "repair"):
        assert toolchain.run(task["material"]) == (1, "", task["diagnostics"].strip()), task["id"]


def test_an_answer_by_heart_fails_another_test() -> None:
    for task in (task for task in TASKS if "tests" in task):
        assert len({test["stdout"].strip() for test in task["tests"]}) > 1, task["id"]


def test_the_contexts_are_those_of_the_language_and_have_their_size() -> None:
    sizes = {name: len(text) / 3.5 for name, text in load_suite(FOLDER).contexts.items()}
    assert list(sizes) == LANGUAGE["contexts"]
    assert {file.stem for file in (FOLDER / "contexts").glob("*")} == set(sizes)
    assert {
        name for name, size in sizes.items() if not CONTEXT_TOKENS[name][0] <= size <= CONTEXT_TOKENS[name][1]
    } == set()


@pytest.mark.parametrize("name", [name for name in LANGUAGE["contexts"] if name != "examples-only"])
def test_every_program_in_a_context_prints_what_stands_below_it(name: str, toolchain: Toolchain) -> None:
    fences = re.findall(
        r"^```(\w*)\n(.*?)^```$", (FOLDER / "contexts" / f"{name}.md").read_text("utf-8"), re.M | re.S
    )
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
