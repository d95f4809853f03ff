"""A day with no key at all: the embedded model, really asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from commandline import PROCESS
from double import Double
from watch.day.days import DAY, EXTRACTION, STORY, asked, environment, record, scores, small_suite


@pytest.mark.slow
def test_with_no_key_the_embedded_model_is_scored_where_no_judge_is_needed(
    tmp_path: Path, smallest: Path
) -> None:
    done = ask(tmp_path, short_suite(tmp_path / "suite", cases=1))
    found = scores(tmp_path)
    assert found[EXTRACTION].score is not None
    assert list(found) == [EXTRACTION]
    assert "only a judge can score them: Summarization, Creative Writing" in done.stdout
    assert len(asked(tmp_path)) == 3  # nobody is asked what nobody could judge
    assert record(tmp_path).embedded["smollm2-135m"]["sha256"]


@pytest.mark.slow
def test_an_embedded_model_is_asked_the_small_form_of_a_suite_that_has_one(
    tmp_path: Path, smallest: Path
) -> None:
    form = {"cases": ["extract_order", "story_1"], "samples": 1}
    done = ask(tmp_path, short_suite(tmp_path / "suite", EXTRACTION, STORY, cases=2, forms={"small": form}))
    assert "smollm2-135m: small form: 2 of 4 cases, one sample." in done.stdout
    assert {(key.case, key.sample) for key in asked(tmp_path)} == {("extract_order", 0)}
    assert record(tmp_path).forms["smollm2-135m"].cases == {
        EXTRACTION: ("extract_order",),
        STORY: ("story_1",),
    }
    assert {name: line.n for name, line in scores(tmp_path).items()} == {EXTRACTION: 1}


def short_suite(folder: Path, *use_cases: str, cases: int, **more: object) -> Path:
    """A small suite with short questions and answers: a small model reads long ones for a minute."""
    suite = small_suite(folder, *use_cases, cases=cases)
    manifest = {**yaml.safe_load((suite / "suite.yml").read_text()), **more}
    for entry in manifest["use_cases"]:
        entry["max_tokens"] = 12
    (suite / "suite.yml").write_text(yaml.safe_dump(manifest))
    for file in suite.glob("*/cases.yml"):
        short = [{**case, "prompt": "Say yes."} for case in yaml.safe_load(file.read_text())["cases"]]
        file.write_text(yaml.safe_dump({"cases": short}))
    return suite


def ask(root: Path, suite: Path) -> subprocess.CompletedProcess[str]:
    """A day of the smallest embedded model, without any key."""
    command = [*PROCESS, "daily", "--suite", str(suite), "--model", "smollm2-135m", "--date", DAY]
    with Double() as double:
        clean = {
            name: value
            for name, value in environment(double, judge=False).items()
            if "OPENROUTER" not in name
        }
        done = subprocess.run(
            command, env=clean, cwd=root, capture_output=True, text=True, timeout=500, check=False
        )
        assert not double.served
    assert done.returncode == 0, done.stderr
    return done
