"""The proof by draws: against the examples of its text, a plain version of it, and Student's transform."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from probatio.core.records import DrawsConstants, ProofConstants
from probatio.suites.daily_suite import load_daily
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.draws import Proof, codes_of, prove, units_of
from probatio.watch.verdict.evidence.streams import Floats, Streams, streams_of
from watch.verdict.plain_draws import plain_proof

EXAMPLES = Path(__file__).parent / "draws_examples.json"
REFERENCE, LAG = 28, 4


def streams_for(use_cases: list[str], rungs: list[int]) -> Streams:
    cases: dict[str, list[str]] = {}
    for number, name in enumerate(use_cases):
        cases.setdefault(name, []).append(f"{name}{number}")
    return streams_of(cases, {f"{name}{at}": rungs[at] for at, name in enumerate(use_cases)})


def proof_of(scores: Floats, streams: Streams) -> Proof:
    days = scores.shape[1]
    member = np.broadcast_to(np.arange(days) < REFERENCE, scores.shape[:2])
    numbers = np.broadcast_to(np.arange(days), scores.shape[:2])
    lag = np.full(len(scores), LAG)
    return prove(scores, codes_of(scores), numbers, member, units_of(streams), DrawsConstants(), lag)


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("day", ["last_day", "day_35"])
def test_the_examples_of_the_text_agree_to_nine_digits(number: int, day: str) -> None:
    example: dict[str, Any] = json.loads(EXAMPLES.read_text())[number]
    rows = example["scores"] if day == "last_day" else example["scores"][:36]
    scores = np.array([[np.nan if each is None else each for each in row] for row in rows])
    found = proof_of(scores[None], streams_for(example["use_case"], example["rungs"]))
    for place, expected in enumerate(example[day].values()):
        got = [float(part[0, place]) for part in (found.z, found.fall, found.error, found.freedom)]
        assert got == pytest.approx([expected[key] for key in ("z", "D", "se", "df")], abs=1e-9)


def made_up(seed: int, kind: str) -> tuple[Floats, list[str], list[int]]:
    """50 days of seven ladders: fresh, frozen, fallen, with holes."""
    chance = np.random.default_rng(seed)
    use_cases, rungs = ["a"] * 3 + ["b"] * 4, [14, 20, 12, 25, 14, 16, 30]
    steps = np.array(rungs)
    level = chance.uniform(0.3, 0.9, 7)

    def draw(fall: float) -> Floats:
        return np.asarray(
            np.round(np.clip(level - fall + 0.07 * chance.normal(size=7), 0, 1) * steps) / steps
        )

    kept, rows = draw(0.0), []
    for day in range(50):
        fall = 0.1 if "fallen" in kind and day >= 36 else 0.0
        again = chance.random(7) < (0.05 if "frozen" in kind else 1.0)
        if "fallen" in kind and day == 36:
            again[:] = True
        kept = np.where(again, draw(fall), kept)
        rows.append(np.where(chance.random(7) < 0.08, np.nan, kept) if "holes" in kind else kept)
    return np.array(rows), use_cases, rungs


@pytest.mark.parametrize(
    "kind", ["fresh", "fresh fallen", "fresh holes", "frozen", "frozen fallen", "frozen fallen holes"]
)
def test_it_is_what_the_text_says_worked_out_plainly(kind: str) -> None:
    made = [made_up(seed, kind) for seed in range(4)]
    _, use_cases, rungs = made[0]
    found = proof_of(np.stack([scores for scores, _, _ in made]), streams_for(use_cases, rungs))
    for row, (scores, _, _) in enumerate(made):
        plain = plain_proof(scores, use_cases, rungs, REFERENCE, LAG)
        for place, expected in enumerate(plain.values()):
            got = [float(part[row, place]) for part in (found.z, found.fall, found.error, found.freedom)]
            assert got == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("freedom", [4, 17, 60, 200])
@pytest.mark.parametrize("t", [-2.0, 0.5, 3.0, 5.0])
def test_z_is_students_t_as_a_normal_number(freedom: float, t: float) -> None:
    z = np.sign(t) * (8 * freedom + 1) / (8 * freedom + 3) * np.sqrt(freedom * np.log1p(t * t / freedom))
    assert z == pytest.approx(norm.isf(student.sf(t, freedom)), abs=0.02 if freedom > 4 else 0.06)


def confirmed(edition: ProofConstants | None, *, fall: float, days: int, models: int = 40) -> Floats:
    """The first day of CONFIRMED of models whose answers repeat, of 25 ladders of 14 rungs."""
    chance = np.random.default_rng(77)
    use_cases = {name: [f"{name}{number}" for number in range(5)] for name in "abcde"}
    streams = streams_of(use_cases, {case: 14 for cases in use_cases.values() for case in cases})
    state = evidence.start(models, streams, load_daily().manifest.evidence, improvement=False, proof=edition)
    level = chance.uniform(0.2, 0.9, (models, 25))

    def draw(lower: float) -> Floats:
        return np.asarray(
            np.round(np.clip(level - lower + 0.069 * chance.normal(size=level.shape), 0, 1) * 14) / 14
        )

    kept = draw(0.0)
    first = np.full(models, np.inf)
    for day in range(days):
        lower = fall if day >= 45 else 0.0
        again = chance.random(level.shape) < (1.0 if fall and day == 45 else 0.03)
        kept = np.where(again, draw(lower), kept)
        state, outcome = evidence.step(state, evidence.EvidenceDay(day, kept, np.empty((models, 0))))
        first[(outcome.status == evidence.CONFIRMED) & np.isinf(first)] = day
    return first


@pytest.mark.slow
def test_answers_that_repeat_prove_nothing_by_repeating() -> None:
    """Healthy models whose answers are drawn again now and then; the second edition calls some of them
    proven."""
    assert np.isfinite(confirmed(None, fall=0.0, days=200)).mean() > 0.1
    assert np.isfinite(confirmed(ProofConstants(), fall=0.0, days=200)).mean() == 0


@pytest.mark.slow
def test_a_fall_of_ten_points_is_proven_within_days_though_answers_repeat() -> None:
    first = confirmed(ProofConstants(), fall=0.1, days=60)
    assert (first < 45).sum() == 0
    assert (first <= 45 + 7).mean() > 0.9


@pytest.mark.parametrize("rungs", [14, 1])
def test_a_new_series_begins_with_nothing(rungs: int) -> None:
    """Ladders and yes/no cases; one model of three begins again on day 40, as after a new route or accept."""
    streams = streams_of({"a": ["a1", "a2"], "b": ["b1"]}, dict.fromkeys(["a1", "a2", "b1"], rungs))
    state = evidence.start(
        3, streams, load_daily().manifest.evidence, improvement=False, proof=ProofConstants()
    )
    chance = np.random.default_rng(3)
    for day in range(60):
        cases = np.round(chance.uniform(0.3, 0.9, (3, 3)) * rungs) / rungs
        restart = np.array([False, day == 40, False])
        state, outcome = evidence.step(
            state, evidence.EvidenceDay(day, cases, np.empty((3, 0)), restart=restart)
        )
        if day == 40:
            assert outcome.reference_days.tolist() == [28, 1, 28]
    assert [evidence.STATUSES[each] for each in outcome.status] == ["QUIET", "CALIBRATING", "QUIET"]
    assert state.provable.any(axis=1).tolist() == [rungs == 14, False, rungs == 14]
