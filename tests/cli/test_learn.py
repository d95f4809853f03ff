"""`probatio learn`: the tokens a model needs, found with few questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from commandline import Done, probatio
from double import Double
from probatio.runs.store.layout import ANSWERS
from runs.trials import environment

TASKS, LEVELS = 24, 8
WORDS = [0, *(round(40 * 1.7**level) for level in range(LEVELS - 1))]


def write_language(folder: Path) -> Path:
    tasks = [
        {
            "id": f"task_{number:02}", "type": "predict_output", "category": "all", "difficulty": 1,
            "material": f"print {number}", "expected_output": "42",
        }
        for number in range(TASKS)
    ]  # fmt: skip
    for name in ("tasks", "contexts"):
        (folder / name).mkdir(parents=True)
    (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": tasks}))
    for level, words in enumerate(WORDS):
        (folder / "contexts" / f"level_{level}.md").write_text("word " * words)
    about = {
        "name": "Mini", "version": "1", "contexts": [f"level_{level}" for level in range(LEVELS)],
        "fences": ["mini"], "introduction": "Mini is a language.", "commands": {"run": ["cat", "{file}"]},
    }  # fmt: skip
    (folder / "language.yml").write_text(json.dumps(about))
    return folder


@contextmanager
def model(right: Callable[[int, int], bool]) -> Iterator[Double]:
    """A model that is right by level and task."""

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        task = int(prompt.split("print ")[1].split()[0].strip("`"))
        return "42" if right(WORDS.index(prompt.count("word ") + prompt.count("word\n")), task) else "no"

    with Double(reply=reply) as double:
        yield double


def learned(root: Path, double: Double, *words: object) -> Done:
    folder = root / "mini"
    where = folder if folder.exists() else write_language(folder)
    return probatio(
        "learn", where, "--model", "gpt-4o-mini", "--n-shot", "0", "--run-id", "r",
        "--results", root / "results", *words, cwd=root, env=environment(double),
    )  # fmt: skip


def found(done: Done) -> dict[str, Any]:
    events = [json.loads(line) for line in done.stdout.splitlines()]
    one: dict[str, Any]
    (one,) = [event for event in events if event["event"] == "found"]
    return one


def test_the_bracket_is_found_with_few_of_the_questions(tmp_path: Path) -> None:
    with model(lambda level, task: level >= 4 or (level == 3 and task % 2 == 0)) as double:
        done = learned(tmp_path, double, "--json")
    one = found(done)
    assert (done.returncode, one["settled"], one["falls"]) == (0, True, False), done.output
    assert (one["place"]["context"], one["levels"][4]["context"]) == ("level_4", "level_4")
    assert (one["tokens"]["above"], one["tokens"]["at_most"]) == tuple(
        one["levels"][at]["tokens"] for at in (3, 4)
    )
    assert one["chance"] >= 0.95
    assert one["asked"] == len(double.bodies) <= 0.4 * one["questions"]


def test_a_model_that_can_not_is_told_after_a_few_questions(tmp_path: Path) -> None:
    with model(lambda level, task: False) as double:
        done = learned(tmp_path, double)
    assert "has not learned 80 % with up to " in done.stdout and "; best " in done.stdout
    assert len(double.bodies) <= 26


def test_a_share_that_falls_again_is_called_so(tmp_path: Path) -> None:
    with model(lambda level, task: level in (2, 3, 4, 7)) as double:
        done = learned(tmp_path, double, "--json")
    one = found(done)
    assert one["falls"] is True
    assert one["place"]["context"] == "level_7"  # from there on it holds


def test_a_search_that_is_out_of_money_goes_on_where_it_stopped_and_asks_nothing_twice(
    tmp_path: Path,
) -> None:
    with model(lambda level, task: level >= 5) as double:
        first = learned(tmp_path, double, "--max-cost", "0.0015")
        assert first.returncode == 3 and "not settled yet" in first.stdout, first.output
        asked = len(double.bodies)
        assert 0 < asked < 30
        resumed = probatio(
            "trial", "--resume", "r", "--max-cost", "1", "--results", tmp_path / "results", cwd=tmp_path,
            env=environment(double),
        )  # fmt: skip
        assert resumed.returncode == 0, resumed.output
        prompts = [(body["messages"][-1]["content"]) for body in double.bodies]
        assert asked < len(prompts) == len(set(prompts)) < TASKS * LEVELS / 2
        once = learned(tmp_path / "again", double)
        assert "(level_5, 0-shot; " in probatio("study", "r", "--results", tmp_path / "results").stdout
    assert "(level_5, 0-shot; " in once.stdout


def test_what_a_search_asked_is_an_ordinary_run_and_is_taken_over(tmp_path: Path) -> None:
    with model(lambda level, task: level >= 4) as double:
        learned(tmp_path, double)
        asked = len(double.bodies)
        study = probatio("study", "r", "--results", tmp_path / "results")
        assert study.returncode == 0, study.output
        assert "takes more than " in study.stdout and "A search chose its questions" in study.stdout
        rest = probatio(
            "trial", "--suite", tmp_path / "mini", "--model", "gpt-4o-mini", "--n-shot", "0", "--reuse", "r",
            "--results", tmp_path / "results", cwd=tmp_path, env=environment(double),
        )  # fmt: skip
        assert rest.returncode == 0, rest.output
    assert len(double.bodies) == TASKS * LEVELS
    assert (tmp_path / "results" / "r" / ANSWERS).read_bytes().count(b"\n") == asked


def test_a_search_counts_what_it_takes_over_and_a_comparison_says_that_it_chose(tmp_path: Path) -> None:
    with model(lambda level, task: level >= 4) as double:
        learned(tmp_path, double)
        asked = len(double.bodies)
        second = learned(tmp_path, double, "--run-id", "second", "--reuse", "r")
    assert second.returncode == 0, second.output
    assert f"{asked} of {TASKS * LEVELS} answers are taken over from r." in second.output
    assert "not yet asked" not in second.output
    compared = probatio("study", "compare", "r", "second", "--results", tmp_path / "results")
    assert "r and second chose the questions that tell most" in compared.stdout, compared.output


def test_of_very_many_tasks_some_are_drawn_by_lot_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probatio.runs.preparation.MOST_TASKS", 10)
    with model(lambda level, task: False) as double:
        done = learned(tmp_path, double, "--json")
    assert "The search is about 10 of the 24 tasks, drawn by lot; --task names others." in done.output
    assert found(done)["questions"] == 10 * LEVELS


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--context", "level_1"], "at least two levels"),
        (["--task", "task_0[0-2]"], "at least 5 tasks"),
        (["--to", "0"], "1<=x<=99"),
        (["--dialect", "other"], "There is no dialect"),
    ],
)
def test_what_can_not_be_searched_is_a_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    with Double() as double:
        done = learned(tmp_path, double, *words)
    assert (done.returncode, sentence in done.output) == (2, True), done.output
    assert not double.bodies


GUIDE = """Mini is small.

<!-- tell: 2 -->
## Printing
printing printing printing

<!-- tell: 1 -->
## Numbers
numbers numbers numbers numbers

<!-- tell: 3 -->
## History
history history
"""


def test_each_section_of_a_document_is_a_level_and_is_told_what_it_buys(tmp_path: Path) -> None:
    """The model needs the sections on numbers and on printing, and no history."""
    folder = write_language(tmp_path / "mini")
    for file in (folder / "contexts").iterdir():
        file.unlink()
    (folder / "contexts" / "guide.md").write_text(GUIDE)
    about = json.loads((folder / "language.yml").read_text()) | {"contexts": ["guide"]}
    (folder / "language.yml").write_text(json.dumps(about))

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        assert "tell:" not in prompt
        return "42" if "numbers" in prompt and "printing" in prompt else "no"

    with Double(reply=reply) as double:
        done = learned(tmp_path, double, "--ablate", "--json")
        bodies = len(double.bodies)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    one = found(done)
    assert done.returncode == 0, done.output
    assert [level["context"] for level in one["levels"]] == ["guide@0", "guide@1", "guide@2", "guide"]
    assert one["place"]["context"] == "guide@2"
    worth = {event["section"]: event for event in events if event["event"] == "section"}
    assert worth.keys() == {"Numbers", "Printing"}
    assert all(each["low"] > 0 and each["points"] > 80 and each["tokens"] > 0 for each in worth.values())
    assert bodies < 4 * TASKS + 3 * TASKS  # what the search asked is not asked again
    with Double(reply=reply) as double:
        told = learned(
            tmp_path, double, "--context", "guide@1", "--context", "guide", "--run-id", "s", "--ablate"
        )
    *_, history = told.stdout.splitlines()
    assert history.startswith("gpt-4o-mini: History: it is not shown to buy anything (+0.0 points, 95 % ")
