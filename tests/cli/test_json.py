"""`--json`: every command whose result a script wants prints it as JSON. And a slip after `study`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest

from cli.test_models_catalogue import catalogued
from commandline import probatio
from double import Double
from double.openrouter import GPT, catalogue
from probatio.ask.embedded.catalogue import resolve
from probatio.ask.embedded.weights import make_note, write_note
from probatio.cli import COMMANDS, root
from probatio.cli.grammar import find_below
from probatio.watch.ledger.ledger import record_day
from watch.verdict.made_up import CONSTANTS, steady, write_days

WITHOUT = {"site serve", "completion"}
"""A server, and a script for a shell."""


def read(*words: object, **given: Any) -> dict[str, Any]:
    done = probatio(*words, "--json", **given)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_gives_a_result_has_json(name: str) -> None:
    command = root.get_command(click.Context(root), name)
    assert command is not None
    flags = {flag for param in command.params for flag in param.opts}
    assert ("--json" in flags) == (name not in WITHOUT and not (find_below(name, COMMANDS) and not flags))


def test_a_new_suite_names_its_folder_its_counts_and_what_comes_next(tmp_path: Path) -> None:
    assert read("suite", "new", "mine", cwd=tmp_path) == {
        "event": "written",
        "folder": "mine",
        "tasks": 9,
        "next": [
            "probatio suite check mine",
            "probatio trial --suite mine --dry-run",
            "probatio trial --suite mine",
        ],
    }
    daily = read("suite", "new", "--daily", "watch", cwd=tmp_path)
    assert daily["use_cases"] > 0 and daily["cases"] >= daily["use_cases"]


def test_an_exported_suite_names_its_folder_and_tasks(tmp_path: Path) -> None:
    copied = read("suite", "export", "strues", "copy", cwd=tmp_path)
    assert (copied["event"], copied["folder"], copied["suite"]) == ("written", "copy", "strues")
    assert copied["tasks"] > 9


def test_added_models_are_listed_as_they_stand_in_the_file(tmp_path: Path) -> None:
    with Double(catalogue=catalogue()) as double:
        done = catalogued(tmp_path, double, "add", GPT, "--json")
    added = json.loads(done.stdout)
    assert (added["event"], added["file"]) == ("added", "config/models.yml")
    assert [(each["id"], each["name"]) for each in added["models"]] == [("gpt-5", GPT)]
    assert added["remarks"]


def test_weights_are_found_and_removed_with_their_path_and_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path))
    weights = resolve("smollm2-135m")
    assert weights.sha256 is not None
    weights.path.parent.mkdir(parents=True)
    with weights.path.open("wb") as file:
        file.truncate(weights.size)
    write_note(weights.path, make_note(weights.path, weights.sha256, "made up"))
    pulled = read("models", "pull", weights.id, cwd=tmp_path)
    assert (pulled["id"], pulled["was_here"], pulled["sha256"]) == (weights.id, True, weights.sha256)
    found = read("models", "path", weights.id, cwd=tmp_path)
    assert found == {"event": "path", "id": weights.id, "path": str(weights.path)}
    removed = read("models", "remove", weights.id, cwd=tmp_path)
    assert removed == {"event": "removed", "id": weights.id, "freed": weights.size}
    assert probatio("models", "path", weights.id, "--json", cwd=tmp_path)[:2] == (3, "")


@pytest.mark.slow
def test_an_acceptance_says_who_why_and_from_when(tmp_path: Path) -> None:
    days = steady(30, ["m"], ["a", "b", "c"])
    write_days(tmp_path, days)
    for day in days:
        record_day(tmp_path, day.date, CONSTANTS, "2026-12-31T00:00:00.000Z")
    words = ("verdict", "accept", "m", "--by", "anna", "--results", tmp_path, "--yes")
    accepted = read(*words, "--why", "on purpose")
    levels = {"level_before": 90.0, "level_now": 90.0, "was": "OK"}
    assert accepted == {
        "event": "accepted",
        "model": "m",
        "date": days[-1].date,
        "by": "anna",
        "why": "on purpose",
        **levels,
        "record": len(days),
        "corrected": 1,
    }
    undone = read(*words, "--undo")
    assert undone == {
        **accepted,
        "event": "taken_back",
        "why": "",
        "was": "CALIBRATING",
        "record": len(days) + 2,
    }


@pytest.mark.slow
def test_a_demo_names_its_folder_days_and_runs(tmp_path: Path) -> None:
    made = read("site", "demo", "--results", tmp_path / "demo", "--days", "1", "--until", "2026-03-31")
    assert (made["event"], made["folder"], made["days"]) == ("demo", str(tmp_path / "demo"), 1)
    assert made["until"] == "2026-03-31" and made["samples"] > 0 and len(made["runs"]) == 3


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("campare", "Did you mean `probatio study compare`?"),
        ("2026-x", "The commands below `study` are compare, baseline, plan, items, export, pack;"),
    ],
)
def test_a_word_after_study_that_is_no_run_may_be_a_slip(tmp_path: Path, word: str, sentence: str) -> None:
    done = probatio("study", word, cwd=tmp_path)
    assert done.returncode == 2
    assert f"There is no run `{word}`" in done.stderr and sentence in done.stderr
