"""The proof by draws: against the examples of its text, a plain version of it, and Student's transform."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from probatio.core.records import EvidenceConstants
from probatio.watch.verdict.evidence.answered_days import (
    NONE,
    AnsweredDays,
    SharedDays,
    no_reference_yet,
    units_of,
)
from probatio.watch.verdict.evidence.draws import Proof, prove, refer
from probatio.watch.verdict.evidence.streams import Floats, Ints, Streams, streams_of
from watch.verdict.plain_draws import plain_proof

EXAMPLES = Path(__file__).parent / "draws_examples.json"
REFERENCE, LAG = 28, 4


def streams_for(use_cases: list[str], rungs: list[int]) -> Streams:
    cases: dict[str, list[str]] = {}
    for number, name in enumerate(use_cases):
        cases.setdefault(name, []).append(f"{name}{number}")
    return streams_of(cases, {f"{name}{at}": rungs[at] for at, name in enumerate(use_cases)})


def number_by_score(scores: Floats) -> Ints:
    """[m, n, P] the answers of each case by their score, as they first came."""
    codes = np.full(scores.shape, NONE, dtype=np.int64)
    for model, case in np.ndindex(scores.shape[0], scores.shape[2]):
        seen: dict[int, int] = {}
        for day, score in enumerate(scores[model, :, case]):
            if not np.isnan(score):
                codes[model, day, case] = seen.setdefault(round(score / 1e-6), len(seen))
    return codes


def proof_of(scores: Floats, streams: Streams) -> Proof:
    """All days are scored and follow each other; the first ones are the reference."""
    models, days, _ = scores.shape
    codes, constants, lag = number_by_score(scores), EvidenceConstants(), np.full(len(scores), LAG)
    units = units_of(streams, constants)
    other, squares = np.zeros(scores.shape, dtype=bool), np.zeros(scores.shape)
    other[:, 1:] = (codes[:, 1:] != codes[:, :-1]) & (codes[:, 1:] != NONE) & (codes[:, :-1] != NONE)
    squares[:, 1:] = np.where(other[:, 1:], (scores[:, 1:] - scores[:, :-1]) ** 2 / 4, 0.0)
    member = np.broadcast_to(np.arange(days) < REFERENCE, (models, days))
    every = AnsweredDays(
        scores,
        codes,
        squares,
        other,
        member,
        np.full(models, days),
        np.zeros(models),
        no_reference_yet(models, units),
    )
    referred = refer(every, units, constants.draws, lag)
    last = min(days, max(constants.draws.windows) + 1)  # the others are in `referred`, if there are any
    part = replace(
        every,
        means=scores[:, -last:],
        codes=codes[:, -last:],
        squares=squares[:, -last:],
        other=other[:, -last:],
        member=member[:, -last:],
        referred=referred,
    )

    def share(rows: Ints, weights: Floats) -> Floats:
        return SharedDays.of(every.rows(rows), lag[rows]).beyond(weights)

    return prove(part, units, constants.draws, share)


def places_of(streams: Streams) -> list[int]:
    """Each use case, then the pool of the deterministic ones."""
    return [*range(len(streams.use_cases)), len(streams.use_cases) + 1]


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("day", ["last_day", "day_35"])
def test_the_examples_of_the_text_agree_to_nine_digits(number: int, day: str) -> None:
    example: dict[str, Any] = json.loads(EXAMPLES.read_text())[number]
    rows = example["scores"] if day == "last_day" else example["scores"][:36]
    scores = np.array([[np.nan if each is None else each for each in row] for row in rows])
    streams = streams_for(example["use_case"], example["rungs"])
    found = proof_of(scores[None], streams)
    for place, expected in zip(places_of(streams), example[day].values(), strict=True):
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
    streams = streams_for(use_cases, rungs)
    found = proof_of(np.stack([scores for scores, _, _ in made]), streams)
    for row, (scores, _, _) in enumerate(made):
        plain = plain_proof(scores, use_cases, rungs, REFERENCE, LAG)
        for place, expected in zip(places_of(streams), plain.values(), strict=True):
            got = [float(part[row, place]) for part in (found.z, found.fall, found.error, found.freedom)]
            assert got == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("freedom", [4, 17, 60, 200])
@pytest.mark.parametrize("t", [-2.0, 0.5, 3.0, 5.0])
def test_z_is_students_t_as_a_normal_number(freedom: float, t: float) -> None:
    z = np.sign(t) * (8 * freedom + 1) / (8 * freedom + 3) * np.sqrt(freedom * np.log1p(t * t / freedom))
    assert z == pytest.approx(norm.isf(student.sf(t, freedom)), abs=0.02 if freedom > 4 else 0.06)
