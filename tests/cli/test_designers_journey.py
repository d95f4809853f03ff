"""The way of a designer with two versions of a language, by the command line: check, learn, study, compare.
The answers are recorded (tests/frontier/abaco); what is asserted is what a designer reads at the end."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import probatio
from double import Double, RawReply, completion

REPOSITORY = Path(__file__).parents[2]
RECORDED = REPOSITORY / "tests" / "frontier" / "abaco"
MODELS = ("strong", "small")
JOURNEY = (
    "suite check v1",
    "learn v1 --model strong --run-id tokens",
    "trial --suite v1 --model strong --reuse tokens --run-id v1",
    "study v1",
    "suite check v2",
    "trial --suite v2 --model strong --reuse v1 --run-id v2",
    "study compare v1 v2",
    "trial --suite v1 --context brief,guide --model small --run-id small",
    "study small",
)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What each command of the journey printed."""
    root = tmp_path_factory.mktemp("designer")
    shutil.copytree(REPOSITORY / "examples" / "abaco", root, dirs_exist_ok=True)
    answers = {
        (model, line["prompt"]): line["answer"]
        for model in MODELS
        for line in map(json.loads, (RECORDED / f"{model}.jsonl").read_text("utf-8").splitlines())
    }

    def reply(body: dict[str, Any], headers: dict[str, str]) -> RawReply:
        prompt = body["messages"][-1]["content"]
        answer = answers[body["model"], hashlib.sha256(prompt.encode()).hexdigest()[:16]]
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(answer) // 4}
        return RawReply(json.dumps(completion(answer, usage=usage)).encode())

    with Double(hostile=reply) as double:
        listed = [{"id": id, "provider": "kept", "name": id, "base_url": double.base_url} for id in MODELS]
        (root / "config").mkdir()
        (root / "config" / "models.yml").write_text(json.dumps({"models": listed}))
        printed = {}
        for command in JOURNEY:
            done = probatio(*command.split(), cwd=root, env={})
            assert done.returncode == 0, f"{command}: {done.output}"
            printed[command] = done.stdout
        yield printed


def lines(read: dict[str, str], command: str) -> list[str]:
    (chosen,) = [each for each in JOURNEY if each.startswith(command)]
    return read[chosen].strip().splitlines()


def test_every_solution_of_both_versions_is_right(read: dict[str, str]) -> None:
    for version in ("v1", "v2"):
        assert "proofs hold" in lines(read, f"suite check {version}")[-1]


def test_the_tokens_it_takes_are_a_bracket_found_with_few_questions(read: dict[str, str]) -> None:
    assert lines(read, "learn v1")[-1] == (
        "strong takes more than 107, at most 376 tokens for 80 % (guide, 0-shot; 90 % sure). "
        "28 of 72 questions were asked."
    )
    assert "strong: 80 % with more than 107, at most 376 tokens (guide, 0-shot; " in read["study v1"]


def test_whether_models_learn_it_is_told_with_the_best_share_where_they_do_not(read: dict[str, str]) -> None:
    assert "small: 80 % not learned with up to 376 tokens; best 0 % (" in read["study small"]
    assert "No decision is shown to cost small points against tasks as hard.\n" in read["study small"]


def test_the_decision_that_costs_most_is_the_last_thing_a_study_says(read: dict[str, str]) -> None:
    assert lines(read, "study v1")[-2] == (
        "No decision is shown to cost strong points against tasks as hard; nearest is functions: "
        "21.0 points less (95 % -14.3 to 51.5); most often: `…` begins no statement: 8 of 10."
    )


def test_what_a_version_gained_and_in_which_decision_is_one_sentence(read: dict[str, str]) -> None:
    assert lines(read, "study compare")[-1] == (
        "v2 is learned 18.1 points better than v1 (4.5 to 30.1 more); strong takes more than 13, at most "
        "107 tokens for 80 % (brief, 0-shot) in v2, takes more than 107, at most 376 tokens for 80 % "
        "(guide, 0-shot) in v1; most is gained in order."
    )


def test_no_question_is_asked_twice(read: dict[str, str]) -> None:
    assert "72 pairs, clustered by 24 tasks." in read["study compare v1 v2"]
