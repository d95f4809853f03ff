"""Made-up comparisons, drawn answer by answer; nothing is taken from the code that tells power."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from probatio.core.statistics.pairs import TaskPairs
from probatio.core.statistics.power import Design


def drawn_answers(design: Design, tasks: int, random: np.random.Generator) -> np.ndarray:
    """Right or wrong, by side, task, condition and sample."""
    like = design.likeness
    lines = [NormalDist().inv_cdf(rate) for rate in (design.rate, design.rate + design.delta)]
    of_task = _two(random, (tasks, 1, 1), like.within, like.across)
    of_condition = _two(
        random, (tasks, design.conditions, 1), like.repeated - like.within, like.paired - like.across
    )
    alone = random.normal(size=(2, tasks, design.conditions, design.samples)) * sqrt(1 - like.repeated)
    return np.array([lines[side] + of_task[side] + of_condition[side] + alone[side] > 0 for side in (0, 1)])


def counted(right: np.ndarray) -> list[TaskPairs]:
    """The pairs of each task, counted as `compare` counts them."""
    one, two = (side.reshape(side.shape[0], -1) for side in right)
    columns = (one.sum(1), two.sum(1), (two & ~one).sum(1), (one & ~two).sum(1))
    return [
        TaskPairs(f"t{at}", one.shape[1], *counts)
        for at, counts in enumerate(zip(*(c.tolist() for c in columns), strict=True))
    ]


def _two(
    random: np.random.Generator, shape: tuple[int, ...], variance: float, covariance: float
) -> np.ndarray:
    """Two correlated normal numbers in each place, by the square root of their covariance matrix."""
    values, vectors = np.linalg.eigh(np.array([[variance, covariance], [covariance, variance]]))
    root = vectors * np.sqrt(np.clip(values, 0, None))
    return np.tensordot(root, random.normal(size=(2, *shape)), axes=1)
