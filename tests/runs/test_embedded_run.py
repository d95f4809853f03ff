"""The main job for real: the smallest embedded model answers trials, with no key and no server of anybody
else's."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from commandline import PROCESS
from probatio.ask.embedded import catalogue
from runs.trials import asked, graded, suite


@pytest.mark.slow
def test_a_run_on_the_embedded_model_is_asked_graded_and_says_which_file_answered(
    tmp_path: Path, smallest: Path
) -> None:
    command = [
        *PROCESS,
        "trial",
        "--model",
        "smollm2-135m",
        "--suite",
        str(suite(tmp_path / "suite", tasks=3)),
    ]
    flags = [
        "--context",
        "examples-only",
        "--n-shot",
        "0",
        "--results",
        str(tmp_path / "results"),
        "--run-id",
        "r",
    ]
    (tmp_path / "config").mkdir()
    config = tmp_path / "config" / "models.yml"
    model = {"id": "smollm2-135m", "provider": "embedded", "name": "smollm2-135m"}
    config.write_text(json.dumps({"models": [model], "trials": {"max_tokens": 24}}))
    env = {name: value for name, value in os.environ.items() if not name.startswith(("OPENROUTER", "OPENAI"))}
    done = subprocess.run(
        [*command, *flags], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(asked(tmp_path)) == len(graded(tmp_path)) == 3
    record = json.loads((tmp_path / "results" / "r" / "run.json").read_text())
    assert record["embedded"]["smollm2-135m"]["sha256"] == catalogue.resolve("smollm2-135m").sha256
    raw = [
        json.loads(line)
        for line in (tmp_path / "results" / "r" / "raw_responses.jsonl").read_text().splitlines()
    ]
    assert all(line["tokens_in"] > 0 and line["cost"] == 0 and line["provider"] is None for line in raw)
