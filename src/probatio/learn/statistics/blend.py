"""Results of several tests on one scale, where not everyone has taken every test. Pure.

A test that only strong models have taken must not pull them down because it is strict, nor because among
themselves they are average. So each test is standardised over the models that have it, to the mean and the
spread that the same models have in their other tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean, pstdev

Figures = Mapping[str, Mapping[str, float]]
"""Test → model → figure."""

SWEEPS = 30
"""Each test leans on the others, so they are fitted again and again."""


def put_on_one_scale(figures: Figures, weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Every figure on a scale on which the models' blends have mean 0 and standard deviation 1. A test that
    all its models did alike, or that one model alone has, moves no one."""
    within = {test: _standardise(of_test) for test, of_test in figures.items()}
    scaled = within
    for _ in range(SWEEPS):
        scaled = {test: _lean(test, alone, scaled, weights) for test, alone in within.items()}
        models = {model for of_test in scaled.values() for model in of_test}
        blends = [blend(scaled, weights, model) or 0.0 for model in models]
        mean, spread = (fmean(blends), pstdev(blends) or 1.0) if blends else (0.0, 1.0)
        scaled = {
            test: {model: (value - mean) / spread for model, value in of_test.items()}
            for test, of_test in scaled.items()
        }
    return scaled


def blend(
    scaled: Figures, weights: Mapping[str, float], model: str, without: str | None = None
) -> float | None:
    """The weighted mean of a model's figures; None if it has none."""
    own = [test for test in scaled if test != without and model in scaled[test] and weights[test] > 0]
    total = sum(weights[test] for test in own)
    return sum(weights[test] * scaled[test][model] for test in own) / total if own else None


def _standardise(figures: Mapping[str, float]) -> dict[str, float]:
    mean, spread = fmean(figures.values()) if figures else 0.0, pstdev(figures.values()) if figures else 0.0
    return {model: (value - mean) / spread if spread else 0.0 for model, value in figures.items()}


def _lean(
    test: str, alone: Mapping[str, float], scaled: Figures, weights: Mapping[str, float]
) -> dict[str, float]:
    """The test's figures with the mean and spread that its models have in the other tests."""
    others = [value for model in alone if (value := blend(scaled, weights, model, test)) is not None]
    mean, spread = (fmean(others), pstdev(others)) if others else (0.0, 1.0)
    return {model: mean + spread * value for model, value in alone.items()}
