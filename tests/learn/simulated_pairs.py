"""Made-up comparisons, drawn answer by answer; nothing is taken from the code that tells power."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from probatio.learn.statistics.pairs import TaskPairs
from probatio.learn.statistics.power import Design


def drawn_answers(design: Design, tasks: int, random: np.random.Generator) -> np.ndarray:
    """Right or wrong, by side, task, condition and sample. The last side is the one that differs."""
    like, sides = design.likeness, design.sides
    rates = [*[design.rate] * (sides - 1), design.rate + design.delta]
    lines = [NormalDist().inv_cdf(rate) for rate in rates]
    of_task = _correlated(random, (sides, tasks, 1, 1), like.within, like.across)
    of_condition = _correlated(
        random, (sides, tasks, design.conditions, 1), like.repeated - like.within, like.paired - like.across
    )
    alone = random.normal(size=(sides, tasks, design.conditions, design.samples)) * sqrt(1 - like.repeated)
    return np.array([lines[at] + of_task[at] + of_condition[at] + alone[at] > 0 for at in range(sides)])


def counted(right: np.ndarray) -> list[TaskPairs]:
    """The pairs of each task, counted as `compare` counts them."""
    one, two = (side.reshape(side.shape[0], -1) for side in right)
    columns = (one.sum(1), two.sum(1), (two & ~one).sum(1), (one & ~two).sum(1))
    return [
        TaskPairs(f"t{at}", one.shape[1], *counts)
        for at, counts in enumerate(zip(*(c.tolist() for c in columns), strict=True))
    ]


def _correlated(
    random: np.random.Generator, shape: tuple[int, ...], variance: float, covariance: float
) -> np.ndarray:
    """Correlated normal numbers, one for each side in each place, by the root of their covariance matrix."""
    matrix = np.full((shape[0], shape[0]), covariance) + (variance - covariance) * np.eye(shape[0])
    values, vectors = np.linalg.eigh(matrix)
    return np.tensordot(vectors * np.sqrt(np.clip(values, 0, None)), random.normal(size=shape), axes=1)
