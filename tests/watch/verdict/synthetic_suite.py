"""A small suite for the evidence's tests: streams, constants, and days that are all the same."""

from __future__ import annotations

import numpy as np

from probatio.suites.daily_suite import read_manifest
from probatio.watch.verdict.evidence import evidence
from probatio.watch.verdict.evidence.evidence import EvidenceDay, EvidenceOutcome, EvidenceState
from probatio.watch.verdict.evidence.streams import streams_of

MANIFEST = read_manifest()
CONSTANTS = MANIFEST.evidence
STREAMS = streams_of({"extract": ["e1", "e2", "e3"], "write": None, "math": ["m1", "m2"], "design": None})
CASES, JUDGED = len(STREAMS.cases), len(STREAMS.judged)


def steady(models: int = 1, *, case: float = 1.0, judged: float = 85.0, number: int = 0) -> EvidenceDay:
    return EvidenceDay(number, np.full((models, CASES), case), np.full((models, JUDGED), judged))


def folded(
    days: list[EvidenceDay], state: EvidenceState | None = None
) -> tuple[EvidenceState, list[EvidenceOutcome]]:
    state = state or evidence.start(len(days[0].cases), STREAMS, CONSTANTS)
    outcomes = []
    for day in days:
        state, outcome = evidence.step(state, day)
        outcomes.append(outcome)
    return state, outcomes


def noisy(
    rng: np.random.Generator,
    models: int,
    days: int,
    *,
    rate: float = 0.9,
    judged: float = 85.0,
    sd: float = 3.0,
    first: int = 0,
) -> list[EvidenceDay]:
    """Independent yes/no cases and Gaussian judged scores."""
    return [
        EvidenceDay(
            first + day,
            (rng.random((models, CASES)) < rate).astype(float),
            judged + sd * rng.standard_normal((models, JUDGED)),
        )
        for day in range(days)
    ]


def referenced(seed: int = 0, models: int = 1, rate: float = 0.9) -> EvidenceState:
    """After the reference of noisy models."""
    return folded(noisy(np.random.default_rng(seed), models, CONSTANTS.reference_days, rate=rate))[0]
