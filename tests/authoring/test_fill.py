"""`suite check --fill`: what programs print is written where nothing is expected yet, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from authoring.folders import made
from commandline import probatio
from probatio.core.yamlfile import insert_key, open_yaml

pytestmark = pytest.mark.slow  # starts processes

TASKS = "tasks/first.yml"


def tasks(folder: Path) -> dict[str, dict[str, object]]:
    return {task["id"]: task for task in yaml.safe_load((folder / TASKS).read_text())["tasks"]}


def without(folder: Path, task: str, *keys: str) -> str:
    """Take keys out of a task; the file's text after it."""
    path = folder / TASKS
    lines, kept, inside, dropping = path.read_text().splitlines(keepends=True), [], False, False
    for line in lines:
        if line.startswith("  - id: "):
            inside = line.strip() == f"- id: {task}"
        if inside and line.startswith("    ") and not line.startswith("     "):
            dropping = line.strip().partition(":")[0] in keys
        elif line.startswith("  - id: ") or not line.startswith("      "):
            dropping = False
        kept += [] if dropping else [line]
    path.write_text("".join(kept))
    return path.read_text()


def test_what_is_missing_is_written_and_all_else_stays_to_the_letter(tmp_path: Path) -> None:
    folder = made(tmp_path / "l")
    whole = tasks(folder)
    without(folder, "predict_remainders", "expected_output")
    before = without(folder, "repair_sum", "diagnostics")
    refused = probatio("suite", "check", folder)
    assert refused.returncode == 2 and "`probatio suite check --fill`" in refused.output
    done = probatio("suite", "check", folder, "--fill")
    assert done.returncode == 0, done.output
    assert "first.yml: predict_remainders: expected_output is" in done.stderr
    assert "Read what was written" in done.stderr
    now = tasks(folder)
    assert (
        str(now["predict_remainders"]["expected_output"]).strip()
        == str(whole["predict_remainders"]["expected_output"]).strip()
    )
    assert now["repair_sum"]["diagnostics"] == whole["repair_sum"]["diagnostics"]
    after = (folder / TASKS).read_text()
    added = [line for line in after.splitlines() if line not in before.splitlines()]
    assert all(line in after for line in before.splitlines())
    assert len(added) <= 6
    again = probatio("suite", "check", folder, "--fill")
    assert again.stderr == "" or "is '" not in again.stderr
    assert (folder / TASKS).read_text() == after


def test_a_broken_program_is_diagnosed_by_the_output_that_was_just_written(tmp_path: Path) -> None:
    folder = made(tmp_path / "l")
    whole = tasks(folder)
    without(folder, "repair_sum", "expected_output", "diagnostics")
    done = probatio("suite", "check", folder, "--fill")
    assert done.returncode == 0, done.output
    now = tasks(folder)["repair_sum"]
    assert (now["expected_output"], now["diagnostics"]) == ("15", whole["repair_sum"]["diagnostics"])


@pytest.mark.parametrize("text", ["1\n2", "a \nb", "  1\n2", "1\n\n2", "x: [y] # z", "\ta\n", ""])
def test_a_text_is_written_so_that_it_is_read_back_to_the_letter(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tasks.yml"
    path.write_text("tasks:\n  - id: a  # first\n    type: write\n\n  - {id: b, type: write}\n")
    written = insert_key(open_yaml(path), ("tasks", 0), "expected_output", text)
    assert written is not None and b"# first" in written
    assert yaml.safe_load(written)["tasks"][0]["expected_output"] == text
    assert insert_key(open_yaml(path), ("tasks", 1), "expected_output", text) is None


def test_what_can_not_be_made_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    folder = made(tmp_path / "l", (TASKS, "i % 4 == 1", "i % 4 == 1 {{"))
    before = without(folder, "predict_remainders", "expected_output")
    done = probatio("suite", "check", folder, "--fill")
    assert done.returncode == 2
    assert "predict_remainders has no `expected_output`, and none can be made: its program" in done.output
    assert (folder / TASKS).read_text() == before


def test_a_built_in_suite_is_not_written_to(tmp_path: Path) -> None:
    done = probatio("suite", "check", "strues", "--fill", cwd=tmp_path)
    assert (done.returncode, "a folder of yours" in done.output) == (2, True)
