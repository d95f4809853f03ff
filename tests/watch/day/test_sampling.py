"""Adaptive sampling and the route flag: what the days before make of today's samples."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from double import Double
from probatio.core.records import SampleAnswer
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import read_lines
from watch.day.days import (
    DAY,
    EXTRACTION,
    MODEL,
    STORY,
    asked,
    gold_script,
    history,
    is_judge,
    marks_as_worth,
    run,
    scores,
    small_suite,
)

pytestmark = pytest.mark.slow  # every test runs a day

STEADY = [100.0, 99.0, 100.0, 99.0, 100.0]


@pytest.fixture
def extraction(tmp_path: Path) -> Path:
    small_suite(tmp_path / "suite", EXTRACTION)
    return tmp_path


def rounds(root: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for key in asked(root):
        found[key.round] = found.get(key.round, 0) + 1
    return found


def always(provider: str) -> Callable[[int], str]:
    return lambda number: provider


def poor_where(which: Any) -> Any:
    """Gold answers, but nonsense where `which` says so of the request."""
    gold = gold_script(EXTRACTION)
    return lambda body: "{}" if which(body) and not is_judge(body) else gold(body)


def test_a_steady_day_takes_base_samples_only(extraction: Path) -> None:
    history(extraction, {EXTRACTION: STEADY})
    with Double(reply=gold_script(EXTRACTION)) as double:
        assert run(extraction, double).returncode == 0
    assert rounds(extraction) == {"base": 2}
    score = scores(extraction)[EXTRACTION]
    assert (score.score, score.n, score.full_power, score.trigger) == (100, 2, False, None)


def test_a_suspicious_score_is_re_run_at_full_count_with_fresh_samples_that_count_alone(
    extraction: Path,
) -> None:
    history(extraction, {EXTRACTION: STEADY})
    with Double(reply=poor_where(lambda body: body["seed"] < 1000)) as double:
        assert run(extraction, double).returncode == 0
        assert sorted(body["seed"] for body in double.bodies) == [42, 42, 1042, 1042, 1043, 1043, 1044, 1044]
    score = scores(extraction)[EXTRACTION]
    assert rounds(extraction) == {"base": 2, "full": 6}
    assert (score.score, score.n, score.full_power) == (100, 6, True)
    assert (score.base_n, score.base_score is not None and score.base_score < 20) == (2, True)
    assert "base score" in str(score.trigger)
    assert "against 99.6 ± 2.0" in str(score.trigger)


def test_a_real_drop_is_confirmed_by_its_re_run(extraction: Path) -> None:
    history(extraction, {EXTRACTION: STEADY})
    with Double(reply=poor_where(lambda body: True)) as double:
        run(extraction, double)
    score = scores(extraction)[EXTRACTION]
    assert score.score is not None
    assert score.score < 20
    assert (score.n, score.full_power) == (6, True)


def test_what_is_calibrating_runs_at_full_count_at_once(extraction: Path) -> None:
    history(extraction, {EXTRACTION: STEADY[:4]})
    with Double(reply=gold_script(EXTRACTION)) as double:
        run(extraction, double)
    assert rounds(extraction) == {"full": 6}
    assert scores(extraction)[EXTRACTION].trigger == "calibrating"


def test_what_was_flagged_yesterday_runs_at_full_count_at_once(extraction: Path) -> None:
    history(extraction, {EXTRACTION: [*STEADY, 60.0]})
    with Double(reply=gold_script(EXTRACTION)) as double:
        run(extraction, double)
    assert rounds(extraction) == {"full": 6}
    assert scores(extraction)[EXTRACTION].trigger == "flagged yesterday"


@pytest.mark.slow
def test_a_day_that_began_with_base_samples_stays_so_when_its_past_is_rewritten(extraction: Path) -> None:
    history(extraction, {EXTRACTION: STEADY})
    with Double(reply=gold_script(EXTRACTION)) as double:
        run(extraction, double)
        for day in (extraction / "results" / "daily").glob("2026-03-0*"):
            (day / "scores.jsonl").unlink()
        served = double.served["answer"]
        run(extraction, double)
        assert double.served["answer"] == served
    assert rounds(extraction) == {"base": 2}


def test_days_of_another_suite_version_are_no_baseline(extraction: Path) -> None:
    history(extraction, {EXTRACTION: STEADY})
    for day in (extraction / "results" / "daily").iterdir():
        for name in ("day.json", "scores.jsonl"):
            path = day / name
            path.write_text(path.read_text().replace("0.1.0", "0.0.9"))
    with Double(reply=gold_script(EXTRACTION)) as double:
        run(extraction, double)
    assert scores(extraction)[EXTRACTION].trigger == "calibrating"


def test_a_barred_judge_triggers_no_re_run(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", STORY)
    history(tmp_path, {STORY: STEADY})
    with Double(reply=gold_script(judge=lambda prompt: marks_as_worth(prompt, {"clarity": -2}))) as double:
        run(tmp_path, double)
    story = scores(tmp_path)[STORY]
    assert (story.score, story.barred, story.full_power) == (75, True, False)


def test_another_provider_than_usual_flags_the_day(extraction: Path) -> None:
    history(extraction, {EXTRACTION: STEADY}, route="UsualCo")
    with Double(
        reply=gold_script(EXTRACTION), provider=lambda number: "OtherCo" if number else "UsualCo"
    ) as double:
        done = run(extraction, double)
    score = scores(extraction)[EXTRACTION]
    assert (score.routing_changed, score.providers) == (True, {"OtherCo": 1, "UsualCo": 1})
    assert "routing changed" in done.stdout


def test_the_usual_provider_raises_no_flag(extraction: Path) -> None:
    history(extraction, {EXTRACTION: STEADY}, route="DoubleCo")
    with Double(reply=gold_script(EXTRACTION)) as double:
        run(extraction, double)
    score = scores(extraction)[EXTRACTION]
    assert (score.routing_changed, score.route) == (False, "DoubleCo")


@pytest.mark.slow
def test_a_pinned_route_is_sent_with_fallbacks_off_and_another_provider_flags_the_day(
    extraction: Path,
) -> None:
    config = extraction / "models.yml"
    config.write_text(json.dumps({"models": [{"id": MODEL, "name": "v/m", "route": "deepinfra/fp8"}]}))
    for provider, changed in (("DeepInfra", False), ("Together", True)):
        day = DAY if changed else "2026-03-09"
        with Double(reply=gold_script(EXTRACTION), provider=always(provider)) as double:
            done = run(extraction, double, "--config", str(config), day=day)
        assert done.returncode == 0, done.stderr
        assert double.bodies[0]["provider"] == {"order": ["deepinfra/fp8"], "allow_fallbacks": False}
        assert scores(extraction, day)[EXTRACTION].routing_changed is changed


def test_every_sample_keeps_who_served_it(extraction: Path) -> None:
    with Double(reply=gold_script(EXTRACTION), provider=lambda number: f"P{number % 2}") as double:
        run(extraction, double)
    lines = list(read_lines(extraction / "results" / "daily" / DAY / ANSWERS, SampleAnswer))
    assert {line.provider for line in lines} == {"P0", "P1"}
    assert {(line.resolved_model, line.system_fingerprint) for line in lines} == {
        (f"openai/{MODEL}", "fp_double")
    }
