"""A small project as a stranger would send it: suites, results, configuration. All of it is valid; `changes`
breaks it.

It is made once by the real commands and kept in memory. Its own path stands in its files as WORLD, so that it
can be laid out anywhere.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from commandline import probatio
from fuzz import canary
from learn.runs import write_made_up_run
from probatio.core.records import TrialKey
from probatio.grading import GRADER_VERSION
from probatio.suites.language_suite import load_suite
from probatio.suites.prompt import fingerprint_as_asked

WORLD = "@WORLD@"
PORT = "@PORT@"
RUN, PACKED = "run-1", "run-2"

MODELS: dict[str, Any] = {
    "models": [
        {"id": "m", "provider": "openrouter", "name": "m", "cost_per_1m_input": 1, "cost_per_1m_output": 1},
        {"id": "local", "provider": "ollama", "name": "local", "base_url": f"http://127.0.0.1:{PORT}/v1"},
    ],
    "trials": {"n_shots": [0], "temperature": 0.0, "max_tokens": 100},
    "daily": {"models": ["m"]},
    "alerts": [{"name": "team", "url": "${TEAM_ALERTS}", "severity": "suspicious"}],
}
ENV = f"OPENROUTER_API_KEY={canary.SECRET}\nTEAM_ALERTS=json://127.0.0.1:1/x\n"
ANSWERS = [
    {"date": "2026-03-01", "model": "m", "case": "order_chairs", "answer": '{"a": 1}'},
    {"date": "2026-03-01", "model": "m", "case": "order_chairs", "score": 0.5},
]


def make_world() -> dict[str, tuple[bytes, int]]:
    """Every file by its path, with its content and its mode."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "world"
        _fill(root, Path(folder).resolve() / "home")
        return {
            str(path.relative_to(root)): (
                path.read_bytes().replace(str(root).encode(), WORLD.encode()),
                stat.S_IMODE(path.stat().st_mode),
            )
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }


def _fill(root: Path, home: Path) -> None:
    root.mkdir()

    def command(*words: str) -> None:
        # A home of its own: no word of this machine's user goes with these folders.
        done = probatio(*words, cwd=root, env=own_home(home))
        assert done.returncode == 0, done.output

    command("suite", "new", "lang")
    command("suite", "new", "--daily", "watch")
    (root / "config").mkdir()
    (root / "config" / "models.yml").write_text(yaml.safe_dump(MODELS), encoding="utf-8")
    (root / "answers.jsonl").write_text(
        "".join(json.dumps(each) + "\n" for each in ANSWERS), encoding="utf-8"
    )
    command("suite", "rehearse", "watch", "--days", "3", "--worse-from", "2", "--models", "2",
            "--until", "2026-03-10", "--results", "results")  # fmt: skip
    for name in (RUN, PACKED):
        write_made_up_run(root / "results" / name, root / "lang", _outcome, contexts=("brief",),
        n_shots=(0, 1),
                          dialects=("standard",), models=("local",))  # fmt: skip
        _make_resumable(root / "results" / name / "run.json", root / "lang")
    command("study", "pack", PACKED)
    (root / ".env").write_text(ENV, encoding="utf-8")


def _make_resumable(record: Path, suite: Path) -> None:
    """The run is of today's grader, and its model is the local one of models.yml."""
    run = json.loads(record.read_bytes())
    run["models"] = [MODELS["models"][1]]
    run["grader_version"] = GRADER_VERSION
    run["suite_fingerprint"] = fingerprint_as_asked(load_suite(suite), GRADER_VERSION)
    record.write_text(json.dumps(run), encoding="utf-8")


def own_home(home: Path) -> dict[str, str]:
    """The environment in which nothing of this user's is found."""
    places = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    return {"HOME": str(home), **{name: str(home / name.lower()) for name in places}}


def _outcome(key: TrialKey) -> bool:
    return (len(key.task_id) + key.n_shot) % 3 != 0


def lay_out(world: Mapping[str, tuple[bytes, int]], at: Path, port: int) -> None:
    """Write the files to a folder that is not there yet."""
    made: set[str] = set()
    for name, (data, mode) in world.items():
        path = os.path.join(at, name)  # noqa: PTH118 - sixty files for each of ten thousand worlds
        folder = os.path.dirname(path)  # noqa: PTH120
        if folder not in made:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
            made.add(folder)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        os.write(file, fill_in(data, at, port))
        os.close(file)


def fill_in(data: bytes, at: Path, port: int) -> bytes:
    """The real place, port and folder outside, put in."""
    data = data.replace(WORLD.encode(), str(at).encode()).replace(PORT.encode(), str(port).encode())
    return canary.fill_in(data)


def remove(at: Path) -> None:
    """Remove all of it, whatever became of it, and however deep: Python's own way is recursive."""
    if at.exists():
        subprocess.run(["rm", "-rf", str(at)], check=False)
