"""`probatio daily calibrate`: the shift shown per answer and in total, the gate, and pinning."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from commandline import Done, probatio
from double import Double
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.suites.daily_suite import load_daily
from watch.day.days import FROZEN, environment, gold_script, marks_as_worth, small_suite


def calibrate(root: Path, double: Double, *flags: str, judge: bool = True) -> Done:
    if not (root / "suite").exists():
        small_suite(root / "suite")
    return probatio(
        "daily",
        "calibrate",
        "--suite",
        root / "suite",
        *flags,
        env=environment(double, judge=judge),
        cwd=root,
    )


def stern() -> Double:
    return Double(reply=gold_script(judge=lambda prompt: marks_as_worth(prompt, {"clarity": -1})))


def test_the_shift_is_shown_per_answer_and_in_total(tmp_path: Path) -> None:
    with Double(reply=gold_script()) as double:
        done = calibrate(tmp_path, double)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("  +0.00\n") == 2 * FROZEN
    assert "mean shift +0.000, within the bar" in done.stdout


def test_a_judge_beyond_the_bar_fails_the_gate(tmp_path: Path) -> None:
    with stern() as double:
        done = calibrate(tmp_path, double, "--json")
    assert done.returncode == 1
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["item"] * 2 * FROZEN + ["calibration"]
    assert (events[-1]["shift"], events[-1]["barred"]) == (-0.5, True)
    assert events[0]["mark"] - events[0]["reference"] == -0.5


def test_pinning_sets_the_references_and_bumps_version_and_fingerprint_and_nothing_else(
    tmp_path: Path,
) -> None:
    with stern() as double:
        before = yaml.safe_load((small_suite(tmp_path / "suite") / "calibration.yml").read_text())
        done = calibrate(tmp_path, double, "--pin")
        assert done.returncode == 0, done.stderr
        assert calibrate(tmp_path, double).returncode == 0  # the stern judge is now where the reference is
    after = yaml.safe_load((tmp_path / "suite" / "calibration.yml").read_text())
    for old, new in zip(before["items"], after["items"], strict=True):
        assert new["marks"] == {"clarity": old["marks"]["clarity"] - 1, "fit": old["marks"]["fit"]}
        assert {**new, "marks": None} == {**old, "marks": None}
    assert (tmp_path / "suite" / "calibration.yml").read_text().startswith("# frozen\n")
    assert (tmp_path / "suite" / "suite.yml").read_text().startswith("# the manifest\n")
    suite = load_daily(tmp_path / "suite")
    assert (suite.version, suite.manifest.fingerprint) == ("0.1.1", daily_fingerprint(suite))


def test_an_answer_that_could_not_be_judged_leaves_everything_as_it_was(tmp_path: Path) -> None:
    odd = gold_script(judge=lambda prompt: "?" if "[mark 2]" in prompt else marks_as_worth(prompt))
    suite = small_suite(tmp_path / "suite")
    before = {path: path.read_bytes() for path in suite.glob("*.yml")}
    with Double(reply=odd) as double:
        done = calibrate(tmp_path, double, "--pin")
    assert done.returncode == 3
    assert "could not be" in done.stderr
    assert {path: path.read_bytes() for path in suite.glob("*.yml")} == before


def test_without_a_key_it_is_a_sentence(tmp_path: Path) -> None:
    with Double() as double:
        done = calibrate(tmp_path, double, judge=False)
    assert (done.returncode, "JUDGE_KEY" in done.stderr) == (2, True)
