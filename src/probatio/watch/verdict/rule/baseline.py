"""Baseline: what a score usually is, from its own recent days; and how far a score is from it. Arrays of any
shape.

z and drop are rounded to nine decimals before they meet a threshold, so that a z of exactly −2 fires however
its sums were taken. Nothing is rounded before them: a rounded mean moves a drop across its threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probatio.core.records import Grading, RuleConstants

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Rule:
    """The manifest's constants, spread over the use cases: arrays are [use_cases]."""

    constants: RuleConstants
    judged: Bools  # hybrid included
    sd_floor: Floats
    suspicious_z: Floats
    suspicious_drop: Floats
    cooked_z: Floats
    cooked_drop: Floats
    collapse: Floats


def rule_for(constants: RuleConstants, gradings: Sequence[Grading]) -> Rule:
    """The rule for use cases graded so, in this order."""
    limits = [constants.thresholds(grading) for grading in gradings]
    return Rule(
        constants,
        np.array([grading != "deterministic" for grading in gradings], dtype=bool),
        np.array([each.sd_floor for each in limits], dtype=float),
        np.array([each.suspicious.z for each in limits], dtype=float),
        np.array([each.suspicious.drop for each in limits], dtype=float),
        np.array([each.cooked.z for each in limits], dtype=float),
        np.array([each.cooked.drop for each in limits], dtype=float),
        np.array([each.collapse for each in limits], dtype=float),
    )


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is expected: arrays of one shape; `mean` and `sd` are NaN where no day counts."""

    mean: Floats
    sd: Floats  # sample sd, never below the floor
    days: Ints


def baseline(scores: Floats, counted: Bools, sd_floor: Floats) -> Baseline:
    """Mean and sd over the first axis (days) of `scores`, where `counted`."""
    days = counted.sum(axis=0)
    kept = np.where(counted, scores, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = kept.sum(axis=0) / days
        off = np.where(counted, kept - mean, 0.0)
        sd = np.sqrt((off * off).sum(axis=0) / np.maximum(days - 1, 1))
    return Baseline(mean, np.where(days > 0, np.maximum(sd, sd_floor), np.nan), days)


def compare(score: Floats, expected: Baseline) -> tuple[Floats, Floats]:
    """z and drop (a share of the mean). NaN without a score or a baseline; no drop from a mean of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (score - expected.mean) / expected.sd
        drop = np.where(expected.mean > 0, (expected.mean - score) / expected.mean, np.nan)
    return _exact(z), _exact(drop)


def suspicious(rule: Rule, score: Floats, expected: Baseline) -> Bools:
    """Which scores meet the SUSPICIOUS test; without a baseline none does. Last axis: the rule's use
    cases."""
    z, drop = compare(score, expected)
    met = (z <= rule.suspicious_z) | (drop >= rule.suspicious_drop)
    return np.asarray(met & (expected.days >= rule.constants.baseline_min))


def _exact(values: Floats) -> Floats:
    return np.round(values, DECIMALS)
