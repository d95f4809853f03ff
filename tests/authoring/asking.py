"""A run of trials, and a double that answers the tasks of a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from commandline import Done, probatio
from double import Double
from probatio.suites.language_suite import load_suite
from runs.trials import environment

CONFIG = "models: [{id: m, name: m, cost_per_1m_input: 1, cost_per_1m_output: 1}]"


def trial(root: Path, double: Double, suite: str, *flags: str) -> Done:
    """A run `r` of all tasks in the fullest context without examples."""
    (root / "models.yml").write_text(CONFIG, encoding="utf-8")
    given = (
        "--suite",
        suite,
        "--config",
        "models.yml",
        "--model",
        "m",
        "--n-shot",
        "0",
        "--run-id",
        "r",
        *flags,
    )
    return probatio("trial", *given, env=environment(double), cwd=root)


def answering(suite: Path, answers: Callable[[str], str]) -> Callable[[dict[str, Any]], str]:
    """A double's reply: `answers` of the id of the task that the prompt asks."""
    tasks = load_suite(suite).tasks.values()

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        asked = [task for task in tasks if (task.material or task.goal).strip() in prompt]
        return answers(max(asked, key=lambda task: len(task.material or task.goal)).id)

    return reply
