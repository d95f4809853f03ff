"""Two versions of a language beside each other: what differs, where the difference lies, and the sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import Done, probatio
from double import Double
from runs.trials import environment

CONTEXTS = {"brief": "", "guide": "word " * 100, "full": "word " * 300}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Version 2 of a language has two easier tasks in each category `order`, and a longer guide. A model
    answers by what it is told: the easy ones from `guide` on, all of them with `full`."""
    root = tmp_path_factory.mktemp("versions")

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        words = prompt.count("word")
        return "42" if words >= (100 if "easy" in prompt else 300) else "no"

    with Double(reply=reply) as double:
        for version, easy in (("1", 0), ("2", 12)):
            folder = write_language(root / f"v{version}" / "mini", version, easy)
            command = ("trial", "--suite", folder, "--model", "gpt-4o-mini", "--n-shot", "0")
            done = probatio(
                *command,
                "--run-id",
                f"v{version}",
                "--results",
                root / "results",
                cwd=root,
                env=environment(double),
            )
            assert done.returncode == 0, done.output
    yield root / "results"


def write_language(folder: Path, version: str, easy: int) -> Path:
    tasks = [
        {
            "id": f"task_{number:02}", "type": "predict_output", "difficulty": 1,
            "category": "order" if number < 12 else "loops",
            "material": f"print {number}{' easy' if number < easy else ''}", "expected_output": "42",
        }
        for number in range(24)
    ]  # fmt: skip
    (folder / "tasks").mkdir(parents=True)
    (folder / "contexts").mkdir()
    (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": tasks}))
    for name, text in CONTEXTS.items():
        more = " And more." if (name, version) == ("guide", "2") else ""
        (folder / "contexts" / f"{name}.md").write_text(f"{text}{more}")
    about = {
        "name": "Mini", "version": version, "contexts": [*CONTEXTS], "fences": ["mini"],
        "introduction": "Mini is a language.", "commands": {"run": ["cat", "{file}"]},
    }  # fmt: skip
    (folder / "language.yml").write_text(json.dumps(about))
    return folder


def compared(results: Path, *words: object) -> Done:
    return probatio("study", "compare", *words, "--results", results)


def test_two_versions_of_a_language_end_in_one_sentence(results: Path) -> None:
    done = compared(results, "v1", "v2")
    assert done.returncode == 0, done.output
    lines = done.stdout.splitlines()
    assert "across versions of the suite, 1 (" in lines[0]
    assert any(line.startswith("What differs: context guide; tasks task_00, task_01") for line in lines)
    (touched,) = [line for line in lines if line.startswith("On the 12 tasks that were changed: ")]
    (untouched,) = [line for line in lines if line.startswith("On the 12 tasks that were not: ")]
    assert "+33.3 points" in touched and "+0.0 points" in untouched
    assert lines[-1].startswith("v2 is learned 16.7 points better than v1 (")
    assert (
        "gpt-4o-mini takes more than " in lines[-1] and " tokens for 80 % (full, 0-shot) in v2" in lines[-1]
    )
    assert lines[-1].endswith("; most is gained in order.")


def test_the_parts_of_the_difference_are_in_json(results: Path) -> None:
    found = json.loads(compared(results, "v1", "v2", "--json").stdout)["versions"]
    assert (found["touched"]["tasks"], found["untouched"]["tasks"]) == (12, 12)
    assert found["untouched"]["difference"] == 0
    assert [part["name"] for part in found["categories"]] == ["order", "loops"]
    (reached,) = found["reached"]
    assert reached["a"]["fitted"]["context"] == reached["b"]["fitted"]["context"] == "full"


def test_a_worse_version_says_so_and_two_runs_of_one_version_have_no_such_sentence(results: Path) -> None:
    last = compared(results, "v2", "v1").stdout.splitlines()[-1]
    assert last.startswith("v1 is learned 16.7 points worse than v2 (") and last.endswith(
        "; most is lost in order."
    )
    same = compared(results, "v1:context=brief", "v1:context=full").stdout
    assert "learned" not in same and "What differs" not in same


def test_a_gate_does_not_compare_two_versions_by_itself(results: Path) -> None:
    gate = json.loads(compared(results, "v1", "v2", "--fail-on", "worse", "--json").stdout)["gate"]
    assert gate["answer"] == "unlike" and "trials of v1 are other questions now" in gate["sentence"]


def test_a_language_that_names_its_rules_is_told_which_of_them_gained(tmp_path: Path) -> None:
    """All tasks that became easy take the rule."""

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        return "42" if "easy" in prompt else "no"

    with Double(reply=reply) as double:
        for version, easy in (("1", 0), ("2", 12)):
            folder = write_language(tmp_path / f"v{version}" / "mini", version, easy)
            about = json.loads((folder / "language.yml").read_text())
            about |= {"rules": {"from the left": "Operators run from the left."}, "contexts": ["brief"]}
            for name in ("guide", "full"):
                (folder / "contexts" / f"{name}.md").unlink()
            (folder / "language.yml").write_text(json.dumps(about))
            tasks = json.loads((folder / "tasks" / "all.yml").read_text())["tasks"]
            for task in tasks[:12]:
                task["rules"] = ["from the left"]
            (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": tasks}))
            command = ("trial", "--suite", folder, "--model", "gpt-4o-mini", "--n-shot", "0")
            run = ("--run-id", f"v{version}", "--results", tmp_path / "results")
            done = probatio(*command, *run, cwd=tmp_path, env=environment(double))
            assert done.returncode == 0, done.output
    lines = compared(tmp_path / "results", "v1", "v2").stdout.splitlines()
    assert any(line.startswith("By rule: from the left +100.0 points") for line in lines)
    assert lines[-1].endswith("; most is gained in from the left.")


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """As designers keep them: `v1` and `v2` side by side. The run of v2 takes over what was asked before."""
    with Double(reply=lambda body: "42") as double:
        for version, *reuse in (("1",), ("2", "--reuse", "v1")):
            folder = write_language(tmp_path / f"v{version}", version, 0)
            run = ("--run-id", f"v{version}", "--results", tmp_path / "results", *reuse)
            command = ("trial", "--suite", folder, "--model", "gpt-4o-mini", "--n-shot", "0", *run)
            done = probatio(*command, cwd=tmp_path, env=environment(double))
            assert done.returncode == 0, done.output
        assert len(double.bodies) == 24 * 3 + 24  # of v2 only the guide is new
    return tmp_path / "results"


def test_two_folders_of_a_language_are_compared_by_the_tasks_they_share(folders: Path) -> None:
    done = compared(folders, "v1", "v2")
    assert done.returncode == 0, done.output
    assert "across versions of the suite, v1 1 (" in done.stdout and " and v2 2 (" in done.stdout


def test_an_answer_that_was_taken_over_is_a_pair_with_its_original(folders: Path) -> None:
    assert "72 pairs, clustered by 24 tasks." in compared(folders, "v1", "v2").stdout


def test_suites_that_share_no_task_are_not_compared(folders: Path, tmp_path: Path) -> None:
    record = tmp_path / "results" / "v2" / "run.json"
    about = json.loads(record.read_text())
    about["content"]["tasks"] = {"other": "0"}
    record.write_text(json.dumps(about))
    done = compared(folders, "v1", "v2")
    assert (done.returncode, "can't be read together, their suite differs" in done.output) == (2, True)
