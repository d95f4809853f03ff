"""A rehearsal: simulated days through the real machinery, marked as such, never beside real ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from commandline import Done, probatio
from probatio.authoring.new import STARTERS
from probatio.core.records import DayRecord
from probatio.watch.ledger.ledger import read_ledger
from watch.alerts.hooks import Hook

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

SHORT = ("--days", "8", "--worse-from", "7", "--models", "2", "--until", "2026-03-10")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One use case with a built-in grader: the jail is tried elsewhere."""
    folder = shutil.copytree(STARTERS / "daily", tmp_path_factory.mktemp("watch") / "suite")
    manifest = yaml.safe_load((folder / "suite.yml").read_text())
    manifest["use_cases"] = manifest["use_cases"][:1]
    manifest["rule"] = {"improved_z": 3.5}
    (folder / "suite.yml").write_text(yaml.safe_dump(manifest))
    return folder


@pytest.fixture(scope="module")
def rehearsed(suite: Path) -> tuple[Path, Done]:
    config = suite.parent / "models.yml"
    with Hook() as hook:
        config.write_text(yaml.safe_dump({"alerts": [{"url": hook.url, "name": "hook"}]}))
        results = suite.parent / "rehearsal"
        done = probatio(
            "suite", "rehearse", str(suite), *SHORT, "--results", str(results), "--config", str(config)
        )
        assert hook.asked == 0
    assert done.returncode == 0, done.output
    return results, done


def test_the_model_made_worse_is_found_on_its_day_and_the_other_is_not(rehearsed: tuple[Path, Done]) -> None:
    results, done = rehearsed
    event = json.loads(probatio("verdict", "--results", str(results), "--json").stdout)
    headlines = {each["model"]: each["headline"] for each in event["verdicts"]}
    assert headlines["model-1"] == "OK"
    assert headlines["model-2"] in ("SUSPICIOUS", "COOKED")
    assert event["simulated"] is True
    assert "day   7" in done.output


def test_alerts_are_shown_and_not_sent_without_a_word(rehearsed: tuple[Path, Done]) -> None:
    output = rehearsed[1].output
    assert "to hook, shown and not sent: SIMULATED model-2: COOKED" in output
    assert "    SIMULATED: a rehearsal. No model was asked." in output


def test_every_record_is_marked_simulated_and_verifies(rehearsed: tuple[Path, Done]) -> None:
    results, _ = rehearsed
    days = [
        msgspec.json.decode(path.read_bytes(), type=DayRecord)
        for path in sorted(results.glob("daily/*/day.json"))
    ]
    assert len(days) == 8
    assert all(day.simulated for day in days)
    assert all(line.record().simulated for line in read_ledger(results))
    verified = probatio("verify", "--results", str(results))
    assert verified.returncode == 0, verified.output
    assert "8 days are SIMULATED" in verified.output
    assert probatio("verdict", "--results", str(results)).output.startswith("SIMULATED")
    site = results.parent / "site"
    built = probatio("site", "build", "--results", str(results), "--out", str(site))
    assert built.returncode == 0, built.output
    assert "SIMULATED" in (site / "index.html").read_text()
    page = (site / "methodology" / "index.html").read_text()
    assert '<th scope="row">rule.improved_z</th><td>3.5</td><td>3.0</td>' in page


def test_a_dry_run_names_the_constants_of_its_own(suite: Path, tmp_path: Path) -> None:
    config = tmp_path / "models.yml"
    config.write_text(
        yaml.safe_dump({"models": [{"id": "m", "name": "m", "base_url": "http://127.0.0.1:9/v1"}]})
    )
    done = probatio("daily", "--suite", str(suite), "--config", str(config), "--dry-run", cwd=tmp_path)
    assert "Constants of its own: rule.improved_z 3.5 (built-in 3.0)" in done.output


def test_real_and_simulated_days_never_share_a_folder(rehearsed: tuple[Path, Done], suite: Path) -> None:
    results, _ = rehearsed
    before = sorted(results.rglob("*"))
    config = suite.parent / "real.yml"
    config.write_text(
        yaml.safe_dump({"models": [{"id": "m", "name": "m", "base_url": "http://127.0.0.1:9/v1"}]})
    )
    real = probatio(
        "daily", "--suite", str(suite), "--config", str(config), "--model", "m", "--results", str(results)
    )
    assert "holds simulated days" in real.stderr
    again = probatio("suite", "rehearse", str(suite), *SHORT, "--results", str(results))
    assert "begins in a folder of its own" in again.stderr
    assert sorted(results.rglob("*")) == before


@pytest.mark.parametrize(
    ("flags", "said"),
    [(("--worse-from", "9"), "a day from 1 to 8"), (("--send",), "--send needs a channel")],
)
def test_what_cannot_be_rehearsed_is_a_sentence(
    suite: Path, tmp_path: Path, flags: tuple[str, ...], said: str
) -> None:
    config = tmp_path / "none.yml"
    config.write_text("models: []\n")
    done = probatio(
        "suite", "rehearse", str(suite), *SHORT, *flags, "--results", str(tmp_path / "r"), "--config",
        str(config)
    )  # fmt: skip
    assert said in done.stderr
    assert not (tmp_path / "r").exists()


def test_a_judged_suite_is_rehearsed_with_its_frozen_answers(tmp_path: Path) -> None:
    suite = judged_suite(tmp_path / "suite")
    results = tmp_path / "rehearsal"
    done = probatio("suite", "rehearse", str(suite), *SHORT, "--results", str(results), "--json")
    assert done.returncode == 0, done.output
    events = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
    assert events[-1]["headlines"]["model-1"] == "OK"
    assert events[-1]["headlines"]["model-2"] == "COOKED, not proven"
    assert probatio("verify", "--results", str(results)).returncode == 0


def judged_suite(folder: Path) -> Path:
    """One use case that a judge marks, by a rubric and with frozen answers of one's own."""
    (folder / "letters").mkdir(parents=True)
    anchors = {n: f"anchor {n}" for n in range(1, 6)}
    rubric: dict[str, Any] = {
        "criteria": [{"id": "tone", "question": "How is its tone?", "anchors": anchors}]
    }
    cases = [{"id": f"letter_{n}", "prompt": f"Write letter number {n}."} for n in range(3)]
    items = [
        {"id": f"i{n}", "use_case": "letters", "case": f"letter_{n % 3}", "answer": f"Dear reader {n}.",
        "marks": {"tone": mark}}
        for n, mark in enumerate((1, 1, 1, 2, 2, 2, 4, 4, 4, 5, 5, 5))
    ]  # fmt: skip
    (folder / "letters" / "cases.yml").write_text(yaml.safe_dump({"cases": cases}))
    (folder / "letters" / "rubric.yml").write_text(yaml.safe_dump(rubric))
    (folder / "calibration.yml").write_text(yaml.safe_dump({"items": items}))
    (folder / "suite.yml").write_text('name: letters\nversion: "1.0.0"\nuse_cases: [letters]\n')
    return folder
