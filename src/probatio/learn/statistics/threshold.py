"""The level from which a share of the tasks is right, found with few questions.

A level is a way of teaching, from few tokens to many; a question is a task at a level. Every answer moves a
small model: the logit of a right answer is the ability at the level less the difficulty of the task.
Abilities are a random walk over the levels that tends upwards but may fall, difficulties are normal. From its
posterior (a normal one around the mode) whole grids of answers are drawn: known answers stay, the others are
tossed. In each grid the level from which the share holds can be read off, and whether the share falls again
after it was reached. So the level is one of this suite's tasks, and with all questions asked it is certain.

The next questions are asked where an answer tells most about both (mutual information over the draws). A
share that is to hold has to hold at all larger levels, so these are asked, too; so a fall is noticed.

Worked: 8 levels of 40 tasks, a model that passes nothing up to level 3 and nearly all from level 4 on. After
about 85 of 320 questions, level 4 has 95 % of the draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Grid = NDArray[np.bool_]
else:
    Floats = Grid = object

DRAWS = 600
SEED = 20261119
"""Any number will do; it only has to stay the same."""

START, START_SD = -1.0, 2.5
RISE, RISE_SD = 0.5, 1.2
TASKS_SD = 1.5
"""Of the abilities and difficulties before anything is known, in logits. An answer or two outweighs them."""

FALL_DOUBT = 0.1
"""A fall is neither called nor denied while its chance lies between this and one less it."""

SURE, STATED = 0.95, 0.9
"""The chance of a bracket, by the model of answers, at which it is told, and what is said of it. In
simulations it is right as often as is said (bench/learn_search.py): other answers fit the model less well."""

PROBED, PROBES = 8, 2
"""So many levels get so many answers at least."""

_STEPS, _LONGEST_STEP, _SMALL = 30, 2.0, 1e-5


class Seen(NamedTuple):
    """What the answers so far tell. Places of levels; the number of levels stands for never."""

    chances: Floats  # of each level, and of never
    fall: float  # the chance that the share is reached and lost again
    shares: Floats  # of right answers at each level: the mean of the draws
    low: Floats
    high: Floats
    gains: Floats  # level by task: what an answer would tell; below zero where it is known


class Window(NamedTuple):
    """Neighbouring levels, the first and the last, and the chance that the level is one of them."""

    first: int
    last: int
    chance: float


def look(right: Grid, asked: Grid, closed: Grid, share: float) -> Seen:
    """`closed`: questions that can't be asked. Pure: the draws depend on what is given."""
    import numpy as np

    chance = np.random.default_rng([SEED, int(asked.sum()), int(right.sum())])
    levels, tasks = asked.shape
    drawn = _draw(right, asked, chance)
    holds = drawn.sum(1) >= np.ceil(share * tasks - 1e-9)
    from_here = np.logical_and.accumulate(holds[::-1], axis=0)[::-1]
    level = np.where(from_here.any(0), from_here.argmax(0), levels)
    falls = (np.logical_or.accumulate(holds, axis=0)[:-1] & ~holds[1:]).any(0)
    shares = drawn.mean(1)
    low, high = np.quantile(shares, (0.025, 0.975), axis=1)
    gains = np.where(asked | closed, -1.0, _tell(drawn, 2 * level + falls))
    chances = np.bincount(level, minlength=levels + 1) / DRAWS
    return Seen(chances, float(falls.mean()), shares.mean(1), low, high, gains)


def find_window(chances: Floats, sure: float) -> Window:
    """The fewest neighbouring levels that hold the level so surely; of as many, the likeliest."""
    count = len(chances)
    windows = [
        Window(first, first + size - 1, float(chances[first : first + size].sum()))
        for size in range(1, count + 1)
        for first in range(count - size + 1)
    ]
    enough = [window for window in windows if window.chance >= sure - 1e-9]
    return min(enough, key=lambda window: (window.last - window.first, -window.chance))


def choose(seen: Seen, most: int) -> list[tuple[int, int]]:
    """The next questions (level, task): at the level of the one that tells most, half of them those that tell
    most and half drawn by lot. Chosen ones alone would be the hard tasks, and a model of answers that is a
    little wrong would take a level for worse than it is."""
    import numpy as np

    if (seen.gains < 0).all():
        return []
    level = int(seen.gains.max(1).argmax())
    is_open = seen.gains[level] >= 0
    lot = np.random.default_rng([SEED, level]).permutation(len(is_open))
    drawn = [int(task) for task in lot if is_open[task]][: most // 2]
    best = [int(task) for task in np.argsort(-seen.gains[level], kind="stable") if is_open[task]]
    return [(level, task) for task in list(dict.fromkeys([*drawn, *best]))[:most]]


def probe(seen: Seen, asked: Grid) -> list[tuple[int, int]]:
    """Questions at levels that were hardly asked, before a search ends: a share that was reached and lost
    again below the level that it found would not be noticed."""
    import numpy as np

    levels = np.unique(np.linspace(0, len(asked) - 1, min(PROBED, len(asked))).round().astype(int))
    found = []
    for level in map(int, levels):
        lot = np.random.default_rng([SEED, level]).permutation(asked.shape[1])
        missing = max(0, PROBES - int(asked[level].sum()))
        found += [(level, int(task)) for task in lot if seen.gains[level, task] >= 0][:missing]
    return found


def _draw(right: Grid, asked: Grid, chance: np.random.Generator) -> Grid:
    """Grids of answers, level by task by draw."""
    import numpy as np

    levels, tasks = asked.shape
    mode, curvature = _fit(right, asked)
    noise = chance.standard_normal((levels + tasks, DRAWS))
    drawn = mode[:, None] + np.linalg.solve(np.linalg.cholesky(curvature).T, noise)
    logits = drawn[:levels, None, :] - drawn[None, levels:, :]
    tossed = chance.random(logits.shape) < 1 / (1 + np.exp(-logits))
    return np.where(asked[:, :, None], right[:, :, None], tossed)


def _fit(right: Grid, asked: Grid) -> tuple[Floats, Floats]:
    """The likeliest abilities and difficulties, and the curvature there: Newton's steps."""
    import numpy as np

    levels, tasks = asked.shape
    prior, pull = _prior(levels, tasks)
    at = np.linalg.solve(prior, pull)
    curvature = prior
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(at[None, levels:] - at[:levels, None]))
        weights, left = chances * (1 - chances) * asked, (right - chances) * asked
        curvature = prior.copy()
        curvature[range(levels), range(levels)] += weights.sum(1)
        ends = range(levels, levels + tasks)
        curvature[ends, ends] += weights.sum(0)
        curvature[:levels, levels:] -= weights
        curvature[levels:, :levels] -= weights.T
        slope = np.concatenate([left.sum(1), -left.sum(0)]) - prior @ at + pull
        step = np.linalg.solve(curvature, slope)
        longest = float(np.abs(step).max())
        at = at + step * min(1.0, _LONGEST_STEP / longest if longest else 1.0)
        if longest < _SMALL:
            break
    mode: Floats = at.astype(np.float64)
    return mode, curvature


def _prior(levels: int, tasks: int) -> tuple[Floats, Floats]:
    """The precision of abilities and difficulties, and the precision times their mean."""
    import numpy as np

    precision, pull = np.zeros((levels + tasks, levels + tasks)), np.zeros(levels + tasks)
    precision[0, 0], pull[0] = START_SD**-2, START * START_SD**-2
    for level in range(levels - 1):
        pair = [level, level + 1]
        precision[np.ix_(pair, pair)] += RISE_SD**-2 * np.array([[1, -1], [-1, 1]])
        pull[pair] += RISE * RISE_SD**-2 * np.array([-1, 1])
    ends = range(levels, levels + tasks)
    precision[ends, ends] = TASKS_SD**-2
    return precision, pull


def _tell(drawn: Grid, outcome: NDArray[np.int_]) -> Floats:
    """The mutual information of each answer and the outcome, in nats."""
    import numpy as np

    left = np.zeros(drawn.shape[:2])
    for one in np.unique(outcome):
        there = outcome == one
        left += there.mean() * _entropy(drawn[:, :, there].mean(2))
    return np.maximum(0.0, _entropy(drawn.mean(2)) - left)


def _entropy(chances: Floats) -> Floats:
    import numpy as np

    inside = np.clip(chances, 1e-9, 1 - 1e-9)
    entropy: Floats = -(inside * np.log(inside) + (1 - inside) * np.log(1 - inside))
    return entropy
