"""Simulated learners, and a search that asks them: for tests of learn/statistics/threshold.py and bench."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probatio.learn.search import BATCH
from probatio.learn.statistics.threshold import FALL_DOUBT, SURE, choose, find_window, look, probe

LEVELS, TASKS = 8, 40
KINDS = ("steep", "shallow", "never", "nearly", "always", "not monotone")

Grid = NDArray[np.bool_]


class Searched(NamedTuple):
    asked: int
    inside: bool  # the level from which the share holds is the one that was found
    falls: bool
    truly_falls: bool


def simulate_learner(kind: str, seed: int) -> Grid:
    """Right answers, level by task. Tasks differ in difficulty; half of the learners answer a task at
    all levels by the same toss, as at temperature 0, the others toss again."""
    chance = np.random.default_rng(seed)
    at = np.arange(LEVELS)
    ability = {
        "steep": np.where(at >= chance.integers(1, LEVELS), 3.0, -3.0),
        "shallow": -1.0 + chance.uniform(0.3, 0.7) * at,
        "never": -3.0 + 0.2 * at,
        "nearly": -1.5 + 0.25 * at,
        "always": 3.0 + 0.1 * at,
        "not monotone": np.where(at == chance.integers(5, LEVELS), -0.5, np.where(at >= 3, 2.8, -2.0)),
    }[kind] + chance.normal(0, 0.1, LEVELS)
    logits = ability[:, None] - chance.normal(0, 1, TASKS)[None, :]
    tosses = chance.random((LEVELS, TASKS)) if seed % 2 else chance.random((1, TASKS))
    return tosses < 1 / (1 + np.exp(-logits))


def search(truth: Grid, share: float = 0.8) -> Searched:
    """Ask until the answer is one level and it is clear whether the share falls."""
    right, asked = np.zeros_like(truth), np.zeros_like(truth)
    while True:
        seen = look(right, asked, np.zeros_like(truth), share)
        window = find_window(seen.chances, SURE)
        clear = not FALL_DOUBT < seen.fall < 1 - FALL_DOUBT
        settled = window.first == window.last and clear
        places = probe(seen, asked) if settled else choose(seen, BATCH)
        if not places:
            break
        for place in places:
            asked[place], right[place] = True, truth[place]
    holds = truth.sum(1) >= np.ceil(share * truth.shape[1] - 1e-9)
    from_here = [bool(holds[level:].all()) for level in range(len(holds))]
    level = from_here.index(True) if any(from_here) else len(holds)
    falls = any(holds[one] and not holds[two] for one in range(len(holds)) for two in range(one, len(holds)))
    return Searched(
        int(asked.sum()), window.first <= level <= window.last, seen.fall >= 1 - FALL_DOUBT, falls
    )
