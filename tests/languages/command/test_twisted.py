"""A second set of commands in language.yml is a twist: asked, graded and priced as any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commandline import probatio
from double import Double
from probatio.core.errors import UsageError
from probatio.languages.contract import Twisting
from probatio.suites.contexts import context_text
from probatio.suites.language_suite import load_suite
from runs.trials import environment

RUNNER = "import sys\nwords = open(sys.argv[1]).read().split()\n{}\n"
USUAL = "print(eval(' '.join(words)))"
TWISTED = """
total = int(words[0])
for sign, number in zip(words[1::2], words[2::2]):
    total = total * int(number) if sign == '*' else total + int(number)
print(total)
"""
SENTENCE = "`*` binds stronger than `+`."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "sums"
    for name in ("tasks", "contexts"):
        (root / name).mkdir(parents=True)
    (root / "usual.py").write_text(RUNNER.format(USUAL))
    (root / "twisted.py").write_text(RUNNER.format(TWISTED))
    (root / "contexts" / "guide.md").write_text(f"A program is a sum. {SENTENCE}")
    about = {
        "name": "Sums", "version": "1", "fences": ["sums"], "contexts": ["guide"], "introduction": "Sums.",
        "commands": {
            "run": ["{python}", "{folder}/usual.py", "{file}"],
            "twists": {
                "left_to_right": {
                    "rule": "Operators are applied from left to right.",
                    "run": ["{python}", "{folder}/twisted.py", "{file}"],
                    "replaces": [SENTENCE],
                }
            },
        },
    }  # fmt: skip
    (root / "language.yml").write_text(json.dumps(about))
    tasks = [
        {"id": name, "type": "predict_output", "category": "sums", "difficulty": 1, "material": text,
         "expected_output": str(eval(text))}
        for name, text in (("mixed", "1 + 2 * 3"), ("mixed_more", "2 + 2 * 5"), ("plain", "1 + 2 + 3"))
    ]  # fmt: skip
    (root / "tasks" / "all.yml").write_text(json.dumps({"tasks": tasks}))
    return root


def test_the_tasks_are_run_under_the_twist_and_a_context_states_its_rule(folder: Path) -> None:
    done = probatio("suite", "twist", folder, "--json")
    assert done.returncode == 0, done.output
    suite = load_suite(folder)
    assert isinstance(suite.language, Twisting)
    twist = suite.twists["left_to_right"]
    assert {task.id: task.expected_output for task in twist.tasks} == {"mixed": "9", "mixed_more": "20"}
    assert twist.untouched == ("plain",)
    dialect = "standard+left_to_right"
    told = context_text(suite, "guide", dialect)
    assert SENTENCE not in told and "- Operators are applied from left to right." in told
    assert SENTENCE in context_text(suite, "guide", "standard")
    checked = probatio("suite", "check", folder)
    assert checked.returncode == 0, checked.output


def test_a_trial_under_the_twist_is_graded_by_its_commands_and_has_a_price(folder: Path) -> None:
    probatio("suite", "twist", folder)

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        return next(str(eval(text)) for text in ("1 + 2 * 3", "2 + 2 * 5", "1 + 2 + 3") if text in prompt)

    with Double(reply=reply) as double:
        done = probatio(
            "trial", "--suite", folder, "--model", "gpt-4o-mini", "--n-shot", "0", "--run-id", "r",
            "--dialect", "standard,standard+left_to_right", "--results", folder.parent / "results",
            cwd=folder.parent, env=environment(double),
        )  # fmt: skip
    assert done.returncode == 0, done.output
    study = json.loads(probatio("study", "r", "--json", "--results", folder.parent / "results").stdout)
    (price,) = study["prices"]
    assert (price["twist"], price["lost"]) == ("left_to_right", 100.0)


def test_the_version_of_a_language_holds_the_commands_of_its_twists(folder: Path) -> None:
    before = load_suite(folder).language.version()
    (folder / "twisted.py").write_text(RUNNER.format("print(0)"))
    from probatio.languages import finding

    finding._language.cache_clear()
    assert load_suite(folder).language.version() != before


def test_an_unknown_twist_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="no twist `other`; it has left_to_right"):
        load_suite(folder).language.run("1 + 1", "standard+other", "", "auto")
