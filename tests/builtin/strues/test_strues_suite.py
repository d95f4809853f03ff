"""The suite `strues`: what `suite check` does not prove of it (test_suite_check.py)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from builtin.strues.strues import FOLDER, Run, run_command, run_inside

LANGUAGE: dict[str, Any] = yaml.safe_load((FOLDER / "language.yml").read_text(encoding="utf-8"))
CONTEXTS = {
    name: (FOLDER / "contexts" / f"{name}.md").read_text(encoding="utf-8") for name in LANGUAGE["contexts"]
}
PAGE = (Path(__file__).parents[3] / "docs" / "strues.md").read_text(encoding="utf-8")


def entries(folder: str) -> list[dict[str, Any]]:
    files = sorted((FOLDER / folder).glob("*.yml"))
    return [entry for file in files for entry in yaml.safe_load(file.read_text(encoding="utf-8"))[folder]]


EXAMPLES, TASKS = entries("examples"), entries("tasks")
TYPES = {"translate_to", "translate_from", "predict_output", "complete_code", "write", "repair"}
FIELDS = {
    "id",
    "type",
    "category",
    "rules",
    "difficulty",
    "goal",
    "material",
    "solution",
    "expected_output",
    "tests",
    "diagnostics",
}


def test_a_broken_program_fails_with_exactly_its_diagnostics() -> None:
    for task in (task for task in TASKS if task["type"] == "repair"):
        stdin = (task.get("tests") or [{"stdin": ""}])[0]["stdin"]
        broken = run_inside(task["material"], stdin)
        assert (broken.code, broken.stderr.strip()) == (1, task["diagnostics"]), task["id"]


def test_every_program_in_a_context_and_in_the_docs_prints_what_is_said() -> None:
    for text in (*CONTEXTS.values(), PAGE):
        shown = re.findall(r"```strues\n(.*?)\n```\nprints\n```\n(.*?)\n```", text, re.DOTALL)
        assert len(shown) == text.count("```strues")
        for program, output in shown:
            assert run_inside(program) == Run(0, output + "\n", "")


def test_the_reference_names_every_word_and_only_words_that_are() -> None:
    from builtin.strues.strues import toolchain

    table = "".join(
        line for line in CONTEXTS["reference"].splitlines(keepends=True) if line.startswith("| `")
    )
    named = {word for row in table.splitlines() for word in re.findall(r"`([a-z]+)`", row.split("|")[1])}
    assert named == set(toolchain.WORDS)


def test_contexts_grow_from_nothing_to_the_whole_language() -> None:
    tokens = [len(text) / 3.5 for text in CONTEXTS.values()]  # the rough rule of prompts
    for count, (low, high) in zip(tokens, [(0, 0), (150, 350), (500, 1000), (1200, 2200)], strict=True):
        assert low <= count <= high


def test_no_answer_stands_in_a_context_or_an_example() -> None:
    shown = "\n".join(
        [*CONTEXTS.values(), *(f"{example['program']}\n{example['host']}" for example in EXAMPLES)]
    )
    for task in TASKS:
        answer = task["material"] if task["type"] == "predict_output" else task["solution"]
        assert task["type"] == "complete_code" or answer not in shown, task["id"]


def test_tasks_cover_types_categories_and_difficulties() -> None:
    counts = Counter((task["category"], task["difficulty"]) for task in TASKS)
    categories = {task["category"] for task in TASKS}
    for category in sorted(categories):
        print(category, [counts[category, difficulty] for difficulty in (1, 2, 3)])
        assert all(counts[category, difficulty] >= 2 for difficulty in (1, 2, 3))
    assert len(TASKS) >= 48 and len(categories) >= 6 and {task["type"] for task in TASKS} == TYPES
    for kind in TYPES:
        assert {task["difficulty"] for task in TASKS if task["type"] == kind} >= {2, 3}
    tested = sum(len(task.get("tests", [])) == 6 for task in TASKS)
    assert tested >= 8
    assert re.search(rf"{len(TASKS)} tasks in .*; {tested} of them", PAGE), (
        "docs/strues.md tells other figures"
    )


def test_entries_have_known_fields_and_unique_ids() -> None:
    for each in (TASKS, EXAMPLES):
        assert len({entry["id"] for entry in each}) == len(each)
    for task in TASKS:
        assert set(task) <= FIELDS and ("tests" in task) != ("expected_output" in task), task["id"]
        assert ("diagnostics" in task) == (task["type"] == "repair")
        assert ("material" in task) == (task["type"] != "write") and ("solution" in task) == (
            task["type"] != "predict_output"
        )
        if task["type"] == "complete_code":
            assert task["material"].count("___") == 1
    assert len(EXAMPLES) == 10


def test_the_commands_of_language_yml_do_what_the_functions_do(tmp_path: Path) -> None:
    """A sample through real processes; the rest of this file calls the same functions inside one."""
    for task in TASKS[:: len(TASKS) // 8]:
        program = task["material"] if task["type"] in ("predict_output", "translate_from", "repair") else None
        if program is not None:
            stdin = (task.get("tests") or [{"stdin": ""}])[0]["stdin"]
            assert run_command(LANGUAGE["commands"]["run"], program, stdin, tmp_path) == run_inside(
                program, stdin
            )


def test_error_rules_tell_every_diagnostic_apart() -> None:
    rules = [rule for rule in LANGUAGE["commands"]["errors"] if rule["stage"] == "check"]
    classes = {}
    for task in TASKS:
        if task["type"] == "repair" and ": run: " not in task["diagnostics"]:
            fits = [rule["class"] for rule in rules if re.search(rule["message"], task["diagnostics"])]
            classes[task["id"]] = fits
    assert all(len(fits) == 1 for fits in classes.values())
    assert {fits[0] for fits in classes.values()} == {"syntax_error", "type_error"}
