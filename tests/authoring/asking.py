"""Commands as real processes, and a double that answers the tasks of a folder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from double import Double
from probatio.suite.language_suite import load_suite
from run.trials import COMMAND, environment

CONFIG = "models: [{id: m, name: m, cost_per_1m_input: 1, cost_per_1m_output: 1}]"


def probatio(root: Path, *words: str, double: Double | None = None) -> subprocess.CompletedProcess[str]:
    """A command in the folder `root`."""
    env = environment(double) if double else None
    return subprocess.run([*COMMAND, *words], cwd=root, env=env, capture_output=True, text=True, timeout=300)


def trial(root: Path, double: Double, suite: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """A run `r` of all tasks in the fullest context without examples."""
    (root / "models.yml").write_text(CONFIG, encoding="utf-8")
    given = ("--suite", suite, "--config", "models.yml", "--model", "m", "--n-shot", "0", "--run-id", "r", *flags)
    return probatio(root, "trial", *given, double=double)


def answering(suite: Path, answers: Callable[[str], str]) -> Callable[[dict[str, Any]], str]:
    """A double's reply: `answers` of the id of the task that the prompt asks."""
    tasks = load_suite(suite).tasks.values()

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][-1]["content"]
        asked = [task for task in tasks if (task.material or task.goal).strip() in prompt]
        return answers(max(asked, key=lambda task: len(task.material or task.goal)).id)

    return reply
