"""Power: the chance that a comparison shows a difference, before anything is spent on it.

From the pass rates and the likeness of answers (likeness.py) follows how many pairs of one task only B
passes, and how many only A. Whole comparisons of so many tasks are drawn from that, and counted is how often
the interval that `compare` would give keeps clear of zero on the right side. Several sides are compared as a
family, corrected together (family.py). The draws are seeded: the same question gets the same figure.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, erf, factorial, sqrt
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from probatio.core.errors import UsageError
from probatio.core.statistics.intervals import critical
from probatio.learn.statistics.family import (
    MOST_SIDES,
    SideSpread,
    chance_in_family,
    first_threshold,
    list_family,
)
from probatio.learn.statistics.likeness import NORMAL, Likeness, both_right, make_sound, nodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 10_000
"""Comparisons drawn for one figure: it is off by less than a point, 95 times of 100."""
SEED = 20260118
"""Any number will do; it only has to stay the same."""
MOST_PAIRS, MOST_SAMPLES = 30, 3
"""Pairs of one task, and samples of one condition, that are counted; `_within_limits` makes up for more."""
FEWEST_TASKS, MOST_TASKS = 5, 100_000
CHANCE = 0.8
"""The chance that a study is usually planned for."""
_SEARCHES = 8
_NEAR = 0.005
"""A chance this near is the one wanted: the draws are no finer."""
_NEGLIGIBLE = 1e-10
_WEIGHTLESS = 1e-6


class Design(msgspec.Struct, frozen=True):
    """What will be compared: B against A, `delta` and `rate` as shares. More than two sides are A's like, but
    for B."""

    rate: float  # of A
    delta: float  # B less A
    likeness: Likeness
    conditions: int = 1  # under which both sides are asked each task
    samples: int = 1  # of each
    sides: int = 2
    to_first: bool = False  # each is compared with the first only

    @property
    def comparisons(self) -> int:
        return len(list_family(self.sides, to_first=self.to_first))


class Power(msgspec.Struct, frozen=True):
    """The answer to `probatio study plan`. Shares, but for the counts."""

    design: Design
    tasks: int
    chance: float  # to see the difference with so many tasks
    wanted: float  # the chance to plan for
    tasks_needed: int | None  # for the wanted chance; None where no number of tasks is enough
    seen: float | None = None
    """The difference that so many tasks show with the wanted chance; None if they show none."""


class _Tasks(NamedTuple):
    """How a task can come out, and the chance of each way."""

    chances: Floats
    gained: Floats
    lost: Floats
    pairs: int


def measure_power(design: Design, tasks: int, wanted: float = CHANCE) -> Power:
    """The chance to see the difference, and how many tasks the wanted chance takes."""
    _require(design, tasks)
    return Power(design, tasks, chance_to_see(design, tasks), wanted, count_tasks_needed(design, wanted))


def chance_to_see(design: Design, tasks: int) -> float:
    """The chance that the comparison shows the difference, on its true side: by its interval, or one of
    several by its corrected p."""
    import numpy as np

    ways = _ways(msgspec.structs.replace(design, sides=2, to_first=False))
    drawn = np.random.default_rng(SEED).multinomial(tasks, ways.chances, size=DRAWS)
    gained, lost = drawn @ ways.gained, drawn @ ways.lost
    centres, errors = estimate(gained, lost, drawn @ (ways.gained - ways.lost) ** 2, tasks, ways.pairs)
    distances = centres / errors if design.delta > 0 else -centres / errors
    if design.comparisons == 1:
        return float(np.mean(distances > critical(tasks)))
    return chance_in_family(
        as_normal(distances, tasks - 1), _spread(design), design.sides, to_first=design.to_first
    )


def count_tasks_needed(design: Design, wanted: float = CHANCE) -> int | None:
    """The number of tasks for the wanted chance. The distance from zero in standard errors grows with the
    root of the tasks."""
    tasks = 100.0
    best: int | None = None
    for _ in range(_SEARCHES):
        number = min(MOST_TASKS, max(FEWEST_TASKS, ceil(tasks)))
        chance = chance_to_see(design, number)
        if chance >= wanted - _NEAR and (best is None or number < best):
            best = number
        step = _stretch(chance, wanted, design.comparisons) ** 2
        if abs(chance - wanted) <= _NEAR or number == (MOST_TASKS if step > 1 else FEWEST_TASKS):
            break
        tasks = number * step
    return best


def find_smallest_seen(design: Design, tasks: int, wanted: float = CHANCE) -> float | None:
    """The smallest difference, in the direction asked about, that so many tasks show with that chance."""
    room = (1 - design.rate if design.delta > 0 else design.rate) - 0.001
    delta, best = min(room, abs(design.delta)), None
    for _ in range(_SEARCHES):
        signed = delta if design.delta > 0 else -delta
        chance = chance_to_see(msgspec.structs.replace(design, delta=signed), tasks)
        if chance >= wanted - _NEAR and (best is None or delta < best):
            best = delta
        step = _stretch(chance, wanted, design.comparisons)
        if abs(chance - wanted) <= _NEAR or (delta == room and step > 1):
            break
        delta = min(room, delta * step)
    return best


def _stretch(chance: float, wanted: float, comparisons: int) -> float:
    """How many times farther from zero the difference must lie, in standard errors, for the wanted chance."""
    line = first_threshold(comparisons)
    here, there = (NORMAL.inv_cdf(min(0.999, max(0.001, each))) + line for each in (chance, wanted))
    return min(10.0, max(0.1, there / max(0.1, here)))


def estimate(gained: Floats, lost: Floats, squares: Floats, tasks: int, pairs: int) -> tuple[Floats, Floats]:
    """The centres and standard errors of `estimate_paired_difference` for many comparisons at once, each of
    `tasks` tasks with `pairs` pairs; a test holds the two together.

    `squares` is the sum over tasks of (gained less lost) squared.
    """
    import numpy as np

    total = tasks * pairs
    difference = (gained - lost) / total
    worth = np.full(len(gained), float(total))
    if pairs > 1:
        alone = ((gained + lost) / total - difference**2) / total
        spread = squares - 2 * difference * pairs * (gained - lost) + difference**2 * tasks * pairs**2
        variance = tasks / (tasks - 1) * spread / total**2
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(variance > 0, np.minimum(total, total * alone / variance), total)
        worth = np.where(alone == 0, tasks, worth)
    up, down = (gained / total * worth + 1) / (worth + 2), (lost / total * worth + 1) / (worth + 2)
    return up - down, np.sqrt((up + down - (up - down) ** 2) / (worth + 2))


def as_normal(distances: Floats, df: int) -> Floats:
    """Where a normal number has the same p as Student's t has here: Wallace's formula, off by less than
    1 % from four degrees of freedom on."""
    import numpy as np

    far = np.sqrt(df * np.log1p(distances**2 / df)) * (8 * df + 1) / (8 * df + 3)
    return np.asarray(np.copysign(far, distances))


def _spread(design: Design) -> SideSpread:
    """How the rates of the sides on one task vary together, from the likeness of the answers."""
    like, rate, odd = design.likeness, design.rate, design.rate + design.delta
    conditions, samples = design.conditions, design.samples

    def variance(of: float) -> float:
        """Of the mean over conditions and samples."""
        answer, sample, condition = (
            both - of**2 for both in (of, both_right(like.repeated, of, of), both_right(like.within, of, of))
        )
        here = (answer + (samples - 1) * sample) / samples
        return (here + (conditions - 1) * condition) / conditions

    def covariance(one: float, two: float) -> float:
        partner, other = (both_right(alike, one, two) - one * two for alike in (like.paired, like.across))
        return (partner + (conditions - 1) * other) / conditions

    return SideSpread(variance(rate), variance(odd), covariance(rate, rate), covariance(rate, odd))


@lru_cache(maxsize=64)
def _ways(design: Design) -> _Tasks:
    """All ways one task can come out, counted as pairs gained and lost.

    A task's numbers on the two sides are integrated over, within it those of its conditions; the samples of a
    condition are independent given these. The conditions of a task add up, which is a power of the
    transformed distribution.
    """
    import numpy as np

    conditions, samples, like = _within_limits(design)
    pairs = samples * conditions
    of_task = _pair_of_normals(like.within, like.across)
    of_condition = _pair_of_normals(like.repeated - like.within, like.paired - like.across)
    rest = sqrt(1 - like.repeated)
    right = [
        _below((NORMAL.inv_cdf(rate) + of_task[side][:, None] + of_condition[side][None, :]) / rest)
        for side, rate in ((0, design.rate), (1, design.rate + design.delta))
    ]
    up, down = right[1] * (1 - right[0]), right[0] * (1 - right[1])
    sheet = np.zeros((len(up), pairs + 1, pairs + 1))
    for gained in range(samples + 1):
        for lost in range(samples + 1 - gained):
            same = samples - gained - lost
            ways = factorial(samples) // (factorial(gained) * factorial(lost) * factorial(same))
            chance = ways * up**gained * down**lost * (1 - up - down) ** same
            sheet[:, gained, lost] = chance @ of_condition[2]
    if conditions > 1:
        sheet = np.fft.irfft2(np.fft.rfft2(sheet) ** conditions, s=sheet.shape[1:])
    chances = np.clip(np.tensordot(of_task[2], sheet, axes=1), 0, None)
    gained_by, lost_by = np.nonzero(chances > _NEGLIGIBLE)
    kept = chances[gained_by, lost_by]
    # What is left out or rounded is made up by the commonest outcome, so that the chances add up to one.
    kept[kept.argmax()] += 1 - kept.sum()
    return _Tasks(kept, gained_by.astype(float), lost_by.astype(float), pairs)


def _within_limits(design: Design) -> tuple[int, int, Likeness]:
    """As many conditions and samples as are counted. Their likeness is lowered so far that the mean of
    these few varies as much as the mean of all does; an interval over tasks sees no more than that mean."""
    like = design.likeness
    samples = min(design.samples, MOST_SAMPLES if design.conditions > 1 else MOST_PAIRS)
    conditions = min(design.conditions, MOST_PAIRS // samples)
    repeated = _lower_sharing(like.repeated, 1.0, design.samples, samples)
    of_condition = repeated + (1 - repeated) / samples
    within = _lower_sharing(like.within, of_condition, design.conditions, conditions)
    across = _lower_sharing(like.across, like.paired, design.conditions, conditions)
    return conditions, samples, make_sound(like.paired, across, within, repeated)


def _lower_sharing(shared: float, each: float, many: int, few: int) -> float:
    """Shared variance at which the mean of `few` varies like that of `many`."""
    return shared if many == few else (shared + (each - shared) / many - each / few) / (1 - 1 / few)


def _pair_of_normals(variance: float, covariance: float) -> tuple[Floats, Floats, Floats]:
    """Points of two correlated normal numbers, and their weights, without those that hardly weigh."""
    import numpy as np

    if variance <= 0:
        return np.zeros(1), np.zeros(1), np.ones(1)
    points, weights = nodes()
    alike = min(1.0, covariance / variance)
    one, two = (grid.ravel() for grid in np.meshgrid(points, points, indexing="ij"))
    weight = np.outer(weights, weights).ravel()
    kept = weight > _WEIGHTLESS
    one, two, weight = one[kept], two[kept], weight[kept] / weight[kept].sum()
    return sqrt(variance) * one, sqrt(variance) * (alike * one + sqrt(1 - alike**2) * two), weight


@lru_cache(maxsize=1)
def _table() -> tuple[Floats, Floats]:
    import numpy as np

    at = np.linspace(-9, 9, 18_001)
    return at, np.array([(1 + erf(each / sqrt(2))) / 2 for each in at])


def _below(value: Floats) -> Floats:
    """The normal distribution, read from a table: exact to seven digits, and numpy has none."""
    import numpy as np

    return np.asarray(np.interp(value, *_table()))


def _require(design: Design, tasks: int) -> None:
    rate, delta = 100 * design.rate, 100 * design.delta
    if not 0 < design.rate < 1:
        raise UsageError(f"A pass rate of {rate:g} % leaves nothing to chance; name one between 0 and 100.")
    if not delta:
        raise UsageError("A difference of 0 points can't be seen; name another with --delta.")
    if not 0 < design.rate + design.delta < 1:
        room = 100 - rate if delta > 0 else rate
        raise UsageError(
            f"From {rate:g} % there is no room for {delta:+g} points: name less than {room:g}, another "
            "--rate, or the other sign."
        )
    if not 2 <= design.sides <= MOST_SIDES:
        raise UsageError(f"Plan for 2 to {MOST_SIDES} sides; {design.sides} were given.")
    if not FEWEST_TASKS <= tasks <= MOST_TASKS:
        raise UsageError(
            f"The number of tasks must be from {FEWEST_TASKS} to {MOST_TASKS:,}; {tasks} was given."
        )
