"""A day with no key at all: the embedded model, really asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from commandline import PROCESS
from double import Double
from watch.day.days import DAY, EXTRACTION, asked, environment, record, scores, small_suite


@pytest.mark.slow
def test_with_no_key_the_embedded_model_is_scored_where_no_judge_is_needed(
    tmp_path: Path, smallest: Path
) -> None:
    suite = small_suite(tmp_path / "suite", cases=1)
    manifest = yaml.safe_load((suite / "suite.yml").read_text())
    for entry in manifest["use_cases"]:
        entry["max_tokens"] = 12
    (suite / "suite.yml").write_text(yaml.safe_dump(manifest))
    for file in suite.glob("*/cases.yml"):  # short questions: a small model reads long ones for a minute
        cases = [{**case, "prompt": "Say yes."} for case in yaml.safe_load(file.read_text())["cases"]]
        file.write_text(yaml.safe_dump({"cases": cases}))
    command = [*PROCESS, "daily", "--suite", str(suite), "--model", "smollm2-135m", "--date", DAY]
    with Double() as double:
        clean = {
            name: value
            for name, value in environment(double, judge=False).items()
            if "OPENROUTER" not in name
        }
        done = subprocess.run(
            command, env=clean, cwd=tmp_path, capture_output=True, text=True, timeout=500, check=False
        )
        assert not double.served
    assert done.returncode == 0, done.stderr
    found = scores(tmp_path)
    assert found[EXTRACTION].score is not None
    assert list(found) == [EXTRACTION]
    assert "only a judge can score them: Summarization, Creative Writing" in done.stdout
    assert len(asked(tmp_path)) == 3  # nobody is asked what nobody could judge
    assert record(tmp_path).embedded["smollm2-135m"]["sha256"]
