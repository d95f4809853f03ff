"""Further attempts: a wrong answer goes back with what was wrong, in a conversation, exactly once, whatever
kills the run."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from double import Double, Faults
from probatio.core.records import Grade, Response, TrialKey
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import read_lines
from runs.trials import argv, asked, environment, finished, graded, grades, new_run

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

LANGUAGE = {
    "name": "Awk", "introduction": "Awk is a language for lines of text.", "fences": ["awk"],
    "commands": {"run": ["awk", "-f", "{file}"], "suffix": ".awk"},
}  # fmt: skip
WRITE = {
    "id": "write", "type": "write", "category": "c", "difficulty": 1, "goal": "Double the number.",
    "tests": [{"stdin": f"{number}\n", "stdout": str(2 * number)} for number in (3, 4, 5, 6, 7, 8)],
    "solution": "{ print 2 * $1 }",
}  # fmt: skip
PREDICT = {
    "id": "predict", "type": "predict_output", "category": "c", "difficulty": 1,
    "material": "BEGIN { print 6 * 7 }", "expected_output": "42",
}  # fmt: skip


def language(root: Path, *tasks: dict[str, Any]) -> Path:
    folder = root / "suite"
    (folder / "tasks").mkdir(parents=True)
    (folder / "language.yml").write_text(json.dumps(LANGUAGE))
    (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": tasks}))
    return folder


def answers(root: Path) -> list[Response]:
    return list(read_lines(root / "results" / "r" / ANSWERS, Response))


def in_turn(*texts: str) -> Any:
    """Answers by how many turns the conversation has had."""
    return lambda body: texts[min(len(body["messages"]) // 2, len(texts) - 1)]


def fenced(program: str) -> str:
    return f"```awk\n{program}\n```"


def test_a_wrong_answer_goes_back_with_what_was_printed_and_a_right_one_ends_it(tmp_path: Path) -> None:
    language(tmp_path, WRITE)
    texts = (
        fenced("{ print $1 "),
        "<think>hm</think>" + fenced("{ print 3 * $1 }"),
        fenced("{ print 2 * $1 }"),
        "never",
    )
    with Double(reply=in_turn(*texts)) as double:
        done = finished(new_run(tmp_path, "--attempts", "5"), double, tmp_path)
    assert done.returncode == 0, done.stderr
    assert [(line.attempt, line.correct, line.score) for line in grades(tmp_path)] == [
        (1, False, 0.0),
        (2, False, 0.0),
        (3, True, 1.0),
    ]
    first, second, third = (body["messages"] for body in double.bodies)
    assert [len(first), len(second), len(third)] == [1, 3, 5]
    assert third[:3] == second
    assert second[0] == first[0]
    assert second[1] == {"role": "assistant", "content": texts[0]}
    assert "fails when it is run" in second[2]["content"]
    assert "program.awk" in second[2]["content"]
    assert third[3] == {
        "role": "assistant",
        "content": fenced("{ print 3 * $1 }"),
    }  # reasoning is not sent back
    told = third[4]["content"]
    assert "It printed:\n\n```\n9\n```" in told
    assert "It should print:\n\n```\n6\n```" in told
    kept = answers(tmp_path)
    assert [line.attempt for line in kept] == [1, 2, 3]
    assert kept[2].prompt == told


@pytest.mark.parametrize(
    ("feedback", "has", "has_not"),
    [
        ("none", "That is not right.", "right for"),
        ("verdict", "right for 1 of its 6 tests", "```"),
        ("diagnostics", "right for 1 of its 6 tests", "16"),
    ],
)
def test_feedback_says_as_much_as_was_asked_for_and_no_hidden_output(
    tmp_path: Path, feedback: str, has: str, has_not: str
) -> None:
    language(tmp_path, WRITE)
    with Double(reply=in_turn(fenced("{ print 6 }"))) as double:
        finished(new_run(tmp_path, "--attempts", "2", "--feedback", feedback), double, tmp_path)
    told = double.bodies[1]["messages"][2]["content"]
    assert has in told
    assert has_not not in told
    assert told.endswith("Try again. Answer in the same form as before.")


def test_of_a_wrong_prediction_nothing_is_told_but_that_it_is_wrong(tmp_path: Path) -> None:
    language(tmp_path, PREDICT)
    with Double(reply=in_turn("43")) as double:
        finished(new_run(tmp_path, "--attempts", "3"), double, tmp_path)
    told = [message["content"] for message in double.bodies[2]["messages"][2::2]]
    assert len(told) == 2
    assert all("42" not in text and "not what the program prints" in text for text in told)
    assert [line.attempt for line in grades(tmp_path)] == [1, 2, 3]


def test_what_could_not_be_asked_is_not_tried_again_as_an_attempt(tmp_path: Path) -> None:
    language(tmp_path, PREDICT)
    with Double(Faults(status={400: 1.0})) as double:
        finished(new_run(tmp_path, "--attempts", "3"), double, tmp_path)
    assert [(line.attempt, line.error_type) for line in grades(tmp_path)] == [(1, "api_error")]


def test_attempts_are_paid_for_within_max_cost(tmp_path: Path) -> None:
    language(tmp_path, *({**PREDICT, "id": f"p{number}"} for number in range(20)))
    with Double(reply=in_turn("43"), cost=0.01) as double:
        done = finished(
            new_run(tmp_path, "--attempts", "4", "--max-cost", "0.5", "--max-connections", "1"),
            double,
            tmp_path,
        )
    assert done.returncode == 3
    spent = sum(line.cost or 0 for line in answers(tmp_path))
    assert 0.45 <= spent <= 0.55
    assert {line.attempt for line in answers(tmp_path)} == {1, 2, 3}


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.soak)])
def test_three_attempts_with_faults_and_kills_each_exactly_once(tmp_path: Path, kills: int) -> None:
    """Every trial fails once or twice by its number, so what has to be asked is known beforehand."""
    tasks = [{**PREDICT, "id": f"p{number:03}", "goal": f"{number}"} for number in range(300)]
    for number, task in enumerate(tasks):
        task["material"] = f"BEGIN {{ print 6 * 7 }} # {number}"
    language(tmp_path, *tasks)

    def needed(number: int) -> int:
        return number % 4 + 1  # 1, 2, 3, or 4: one more than there is

    def reply(body: dict[str, Any]) -> str:
        number = int(body["messages"][0]["content"].split("# ")[1].split()[0])
        return "42" if len(body["messages"]) // 2 + 1 == needed(number) else f"wrong {number}"

    faults = Faults(too_many=0.03, server_error=0.05, reset=0.03, torn=0.02, bad_json=0.02)
    chance = random.Random(5)
    command = new_run(tmp_path, "--attempts", "3", "--max-connections", "8")
    with Double(faults, reply, latency=0.02, retry_after=0.05) as double:
        for _ in range(kills):
            served = sum(double.served.values())
            process = subprocess.Popen(
                command,
                env=environment(double),
                cwd=tmp_path,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            while sum(double.served.values()) == served and process.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, 0.8))
            process.kill()
            process.wait()
            if (tmp_path / "results" / "r" / "run.json").exists():
                command = argv(tmp_path, "--resume", "r")
        before = len(asked(tmp_path))
        done = finished(command, double, tmp_path)
    assert done.returncode == 0, done.stderr
    expected = Counter(
        TrialKey(f"p{number:03}", "gpt-4o-mini", 0, "standard", "examples-only", 0, attempt)
        for number in range(300)
        for attempt in range(1, min(needed(number), 3) + 1)
    )
    assert asked(tmp_path) == expected
    assert graded(tmp_path) == expected
    assert 0 < before < expected.total(), "the kills came too early or too late to prove anything"
    right: dict[TrialKey, Grade] = {line.key: line for line in grades(tmp_path)}
    assert all(right[key].correct == (key.attempt == needed(int(key.task_id[1:]))) for key in expected)
    for line in answers(tmp_path):  # each attempt answers the conversation it should
        assert line.response == (
            "42" if line.attempt == needed(int(line.task_id[1:])) else f"wrong {int(line.task_id[1:])}"
        )


def test_the_last_line_says_what_was_solved_at_once_and_within_all_attempts(tmp_path: Path) -> None:
    language(tmp_path, WRITE, PREDICT, {**PREDICT, "id": "again"})

    def reply(body: dict[str, Any]) -> str:
        if "6 * 7" in body["messages"][0]["content"]:
            return "42"
        return fenced("{ print 2 * $1 }") if len(body["messages"]) > 1 else fenced("{ print $1 }")

    with Double(reply=reply) as double:
        done = finished(new_run(tmp_path, "--attempts", "2"), double, tmp_path)
        again = finished(argv(tmp_path, "--resume", "r"), double, tmp_path)
    for each in (done, again):  # a resume, which asks nothing more, reads it from the files
        assert "2 of 3 at once (67 %), 3 of 3 within two (100 %)" in each.stdout, each.stdout + each.stderr
