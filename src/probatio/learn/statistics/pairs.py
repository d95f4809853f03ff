"""Pairs counted by task, what they tell together, and Holm's correction. Pure; power.py draws such counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from probatio.core.statistics.intervals import PairedDifference, estimate_paired_difference


class TaskPairs(NamedTuple):
    """The pairs of one task, both sides asked."""

    task_id: str
    pairs: int
    passed_a: int
    passed_b: int
    gained: int  # pairs that only B passes
    lost: int  # pairs that only A passes
    origin: str = ""  # the task that it is a variant of, if it is one

    @property
    def cluster(self) -> str:
        return self.origin or self.task_id


def join_variants(tasks: Sequence[TaskPairs]) -> list[TaskPairs]:
    """The variants of one task as one: what they have in common is no evidence twice."""
    counts: dict[str, tuple[int, ...]] = {}
    for task in tasks:
        before = counts.get(task.cluster, (0,) * 5)
        counts[task.cluster] = tuple(one + more for one, more in zip(before, task[1:6], strict=True))
    return [TaskPairs._make((cluster, *each, "")) for cluster, each in counts.items()]


def measure_difference(tasks: Sequence[TaskPairs]) -> PairedDifference:
    joined = join_variants(tasks)
    return estimate_paired_difference((task.gained, task.lost, task.pairs) for task in joined)


def holm(ps: Sequence[float]) -> list[float]:
    """Each p corrected for being one of several (Holm): the least counts for all, the next for one less."""
    corrected = [0.0] * len(ps)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        least = corrected[place] = max(least, min(1.0, (len(ps) - rank) * ps[place]))
    return corrected
