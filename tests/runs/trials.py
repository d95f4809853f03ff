"""A small suite on disk, `probatio trial` against a double, and what it left behind."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

from commandline import PROCESS, Done, probatio
from double import Double
from probatio.core.records import Grade, Response, TrialKey
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.runs.store.lines import read_lines


def suite(folder: Path, tasks: int = 10) -> Path:
    entries = [
        {
            "id": f"predict_{number}", "type": "predict_output",
            "category": "loops" if number % 2 else "strings",
            "goal": "Predict", "input_faber": f"scribe {number}",
            "expected_output": "42" if number % 3 else "no",
        }
        for number in range(tasks)
    ]  # fmt: skip
    (folder / "tasks").mkdir(parents=True)
    (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": entries}), encoding="utf-8")
    return folder


def environment(double: Double) -> dict[str, str]:
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENROUTER", "OPENAI"))
    }
    return {**clean, "OPENROUTER_API_KEY": "key", "OPENROUTER_BASE_URL": double.base_url}


def argv(root: Path, *flags: str) -> list[str]:
    return [*PROCESS, "trial", "--results", str(root / "results"), *flags]


def new_run(root: Path, *flags: str) -> list[str]:
    where = root / "suite" if (root / "suite").exists() else suite(root / "suite")
    given = [
        "--suite",
        str(where),
        "--model",
        "gpt-4o-mini",
        "--context",
        "examples-only",
        "--n-shot",
        "0",
        "--run-id",
        "r",
    ]
    return argv(root, *given, *flags)


def finished(command: list[str], double: Double, root: Path) -> Done:
    """The command, in this process."""
    return probatio(*command, env=environment(double), cwd=root)


def asked(root: Path, run: str = "r") -> Counter[TrialKey]:
    return Counter(line.key for line in read_lines(root / "results" / run / ANSWERS, Response))


def graded(root: Path, run: str = "r") -> Counter[TrialKey]:
    return Counter(line.key for line in read_lines(root / "results" / run / GRADES, Grade))


def grades(root: Path, run: str = "r") -> list[Grade]:
    return list(read_lines(root / "results" / run / GRADES, Grade))
