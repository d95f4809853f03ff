"""Fresh tasks from those of a folder: other literals, new output from its own runner, and every claim proven
again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import UNSET, structs

from authoring.folders import checked, made
from commandline import probatio
from probatio.authoring.literals import count_literals, exchange, exchange_in_prose
from probatio.authoring.vary import FAILS, NOTHING, SAME, find_traceable, vary, write_varied
from probatio.core.records import ProgramTest, Task
from probatio.suites.language_suite import load_suite
from probatio.suites.prompt import fingerprint_as_asked
from probatio.suites.questions import digest_content

AWK = {
    "name": "AWK", "introduction": "AWK.", "fences": ["awk"], "commands": {"run": ["awk", "-f", "{file}"],
    "suffix": ".awk"},
}  # fmt: skip


def folder(root: Path, *tasks: Mapping[str, object]) -> Path:
    (root / "tasks").mkdir(parents=True)
    (root / "language.yml").write_text(json.dumps(AWK), encoding="utf-8")
    listed = [{"category": "c", "difficulty": 1, "goal": "", **task} for task in tasks]
    (root / "tasks" / "all.yml").write_text(json.dumps({"tasks": listed}), encoding="utf-8")
    return root


def test_literals_are_numbers_and_quoted_words_and_nothing_else() -> None:
    program = 'x1 = 12 + $3 # 40 here\ny = "Rome" "a b" 0x1F 2.50 1\nz[7] = 12px 3..9'
    assert count_literals(program) == {"12": 1, "Rome": 1, "2.50": 1, "7": 1}
    assert exchange(program, {"12": "13", "7": "8", "Rome": "Pisa"}).splitlines()[1:] == [
        'y = "Pisa" "a b" 0x1F 2.50 1',
        "z[8] = 12px 3..9",
    ]
    assert exchange_in_prose("5 and 15, then 5.", {"5": "15", "15": "5"}) == "15 and 5, then 15."


@pytest.mark.parametrize(
    ("task", "found"),
    [
        (Task("a", "write", "c", "Print 12 times 5.", "60", solution="print 12 * 5"), ["12", "5"]),
        (
            Task("a", "write", "c", "Print 12 times five.", "60", solution="print 12 * 5"),
            [],
        ),  # 5 is said in words
        (
            Task("a", "write", "c", "Print 12 doubled.", "24", solution="print 12 * 2"),
            [],
        ),  # 2 is not said at all
        (
            Task("a", "write", "c", "Print 60, which is 12 times 5.", "60", solution="print 12 * 5"),
            [],
        ),  # 60 follows
        (
            Task("a", "write", "c", 'Print the word "knock" here.', "knock", solution='print "knock"'),
            ["knock"],
        ),
        (Task("a", "write", "c", "Print a default here.", "default", solution='print "default"'), []),
        (Task("a", "translate_to", "c", "", "1", material="f(3, 3, 4)", solution="f 3 4"), ["4"]),
        (Task("a", "predict_output", "c", "", "1", material="f(3, 3, 4)"), ["3", "4"]),
        (Task("a", "repair", "c", "", "1", material="f 3 (4", solution="f 3 4", diagnostics="near 4"), ["3"]),
        (Task("a", "predict_output", "c", "", "1", material='Rome = 1; print "Rome"'), []),  # a name, too
    ],
)
def test_only_literals_that_can_be_traced_are_changed(task: Task, found: list[str]) -> None:
    assert find_traceable(task) == found


def test_the_runner_makes_the_new_output_and_what_does_not_change_it_is_dropped_and_counted(
    tmp_path: Path,
) -> None:
    suite = load_suite(
        folder(
            tmp_path / "s",
            {"id": "sum", "type": "predict_output", "material": "BEGIN { print 20 + 22 }",
            "expected_output": "42"},
            {"id": "idle", "type": "predict_output", "material": 'BEGIN { x = 50; print "a" "b" }',
            "expected_output": "ab"},
            {"id": "bare", "type": "predict_output", "material": 'BEGIN { print "a" "b" }',
            "expected_output": "ab"},
            {
                "id": "double", "type": "write", "goal": "Print each number doubled.",
                "solution": "{ print 2 * $1 }",
                "tests": [{"stdin": "30\n41\n", "stdout": "60\n82"}],
            },
        )
    )  # fmt: skip
    made = vary(suite, 7, 6, "auto")
    assert made.dropped == {NOTHING: 1, SAME: 3}
    assert made.barren == ("idle", "bare")
    assert made.sources == 2
    assert [task.origin for task in made.tasks] == [task.id.partition("-s7-")[0] for task in made.tasks]
    sums = [task for task in made.tasks if task.id.startswith("sum-s7-")]
    assert len({task.material for task in sums}) == len(sums) == 3
    for task in sums:
        first, second = (int(word) for word in (task.material or "").split() if word.isdigit())
        assert task.expected_output == str(first + second) != "42"
    doubled = next(task for task in made.tasks if task.id.startswith("double"))
    assert doubled.solution == "{ print 2 * $1 }"
    (test,) = doubled.tests
    assert test != ProgramTest("60\n82", "30\n41\n")
    assert test.stdout.split() == [str(2 * int(number)) for number in test.stdin.split()]


def test_a_seed_gives_the_same_tasks_and_another_seed_others(tmp_path: Path) -> None:
    task = {
        "id": "sum",
        "type": "predict_output",
        "material": "BEGIN { print 20 + 22 }",
        "expected_output": "42",
    }
    suite = load_suite(folder(tmp_path / "s", task))
    one, again, other = (vary(suite, seed, 3, "auto").tasks for seed in (1, 1, 2))
    assert one == again
    assert not {task.material for task in one} & {task.material for task in other}


def test_a_variant_that_fails_is_dropped(tmp_path: Path) -> None:
    source = "BEGIN { if (30 * 31 != 930) exit 3; print 70 }"
    task = {"id": "t", "type": "predict_output", "material": source, "expected_output": "70"}
    made = vary(load_suite(folder(tmp_path / "s", task)), 1, 4, "auto")
    assert made.dropped[FAILS] >= 3
    for one in made.tasks:
        assert (one.material or "").startswith("BEGIN { if (30 * 31 != 930) exit 3; print")


def test_a_variant_names_the_first_task_it_comes_from_and_that_reaches_no_fingerprint(tmp_path: Path) -> None:
    task = {"id": "sum", "type": "predict_output", "material": "BEGIN { print 20 + 22 }"}
    suite = load_suite(folder(tmp_path / "s", {**task, "expected_output": "42"}))
    write_varied(suite, vary(suite, 1, 2, "auto"), 1, tmp_path / "first")
    first = load_suite(tmp_path / "first")
    second = vary(first, 2, 2, "auto")
    assert {each.origin for each in (*first.tasks.values(), *second.tasks)} == {"sum"}
    tasks = {name: structs.replace(each, origin=UNSET) for name, each in first.tasks.items()}
    unmarked = structs.replace(first, tasks=tasks)
    assert fingerprint_as_asked(first, "1") == fingerprint_as_asked(unmarked, "1")
    assert digest_content(first, tasks, ()) == digest_content(unmarked, tasks, ())


def test_the_tasks_that_can_not_be_varied_are_named(tmp_path: Path) -> None:
    sum_ = {"id": "sum", "material": "BEGIN { print 20 + 22 }", "expected_output": "42"}
    bare = {"id": "bare", "material": 'BEGIN { print "a" "b" }', "expected_output": "ab"}
    folder(tmp_path / "s", *({"type": "predict_output", **task} for task in (sum_, bare)))
    done = probatio("suite", "vary", "s", "--count", "3", "--out", "fresh", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no variant of: bare\n" in done.stdout


@pytest.mark.slow
def test_a_folder_of_commands_becomes_one_that_passes_its_check(tmp_path: Path) -> None:
    made(tmp_path / "awk")
    done = probatio(
        "suite", "vary", "awk", "--seed", "3", "--count", "12", "--out", "fresh", "--json", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tasks"] == 12
    report = checked(tmp_path / "fresh")
    assert report.passed
    assert report.version == "0.1.0-varied-3"
    taken = probatio("suite", "vary", "awk", "--out", "fresh", cwd=tmp_path)
    assert taken.returncode == 2
    assert "is not empty" in taken.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("faber", 4),
        ("strues", 4),
        *(pytest.param(name, 30, marks=pytest.mark.soak) for name in ("faber", "kcl", "strues")),
    ],
)
def test_every_built_in_language_can_be_varied_and_checked(name: str, count: int, tmp_path: Path) -> None:
    suite = load_suite(name)
    varied = vary(suite, 11, count, "auto")
    assert len(varied.tasks) == count
    write_varied(suite, varied, 11, tmp_path / name)
    assert checked(tmp_path / name).passed
