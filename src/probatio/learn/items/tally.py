"""The tally: credit by item, model and day, counted as it is read; and the interval of a mean credit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from probatio.core.statistics.intervals import effective_trials, wilson
from probatio.learn.items.records import Credit


class ItemKey(NamedTuple):
    """Which item: a task, a case, or one rung of it."""

    pool: str
    item: str
    rung: int = 0


Counts = dict[str, tuple[float, int]]
"""Cluster → credit and answers. Answers of one day resemble each other; trials of one run are each a
cluster of their own."""


class ItemTally:
    """Credits and tokens of every item by model."""

    def __init__(self, *, clustered: bool) -> None:
        self.clustered = clustered
        self.counts: dict[ItemKey, dict[str, Counts]] = {}
        self.levels: dict[str, str] = {}  # item → the difficulty that its suite states
        self._tokens: dict[tuple[str, str], tuple[float, int]] = {}

    def add(self, key: ItemKey, model: str, credit: float, answers: int = 1, cluster: str = "") -> None:
        models = self.counts.get(key)
        if models is None:
            models = self.counts[key] = {}
        clusters = models.get(model)
        if clusters is None:
            clusters = models[model] = {}
        before = clusters.get(cluster)
        clusters[cluster] = (credit, answers) if before is None else (before[0] + credit, before[1] + answers)

    def add_tokens(self, item: str, model: str, tokens: float, answers: int = 1) -> None:
        before, asked = self._tokens.get((item, model), (0.0, 0))
        self._tokens[item, model] = before + tokens, asked + answers

    def tokens(self, item: str, model: str) -> float | None:
        tokens, answers = self._tokens.get((item, model), (0.0, 0))
        return tokens / answers if answers else None

    @property
    def models(self) -> set[str]:
        return {model for by_model in self.counts.values() for model in by_model}

    def credit(self, key: ItemKey, model: str, rungs: int = 1) -> Credit | None:
        """The mean credit of a model on an item. A rung gets an even share of the tokens of its case: no one
        can see which token was spent on which rung."""
        counts = [count for count in self.counts[key].get(model, {}).values() if count[1]]
        if not counts:
            return None
        tokens = self.tokens(key.item, model)
        return mean_credit(
            counts, clustered=self.clustered, tokens=None if tokens is None else tokens / rungs
        )


def mean_credit(
    counts: Sequence[tuple[float, int]], *, clustered: bool, tokens: float | None = None
) -> Credit:
    """The mean credit of clusters, each given as (credit, answers), with Wilson's interval.

    Credit between 0 and 1 scatters no more than right and wrong of the same mean do, so the interval is wide
    enough for partial credit too. Where answers are clustered it is taken at the number of answers they are
    worth.
    """
    earned, answers = sum(count[0] for count in counts), sum(count[1] for count in counts)
    share = min(1.0, earned / answers)
    worth = float(answers)
    if clustered and len(counts) < answers:
        worth = effective_trials(counts)
    return Credit(answers, share, *wilson(share * worth, worth), tokens)


def pool_credit(credits: Iterable[Credit]) -> Credit:
    """The mean over items, each counted once. The items are the whole suite and no sample, so only the
    answers are uncertain."""
    parts = list(credits)
    answers, share = sum(part.answers for part in parts), sum(part.share for part in parts) / len(parts)
    scatter = sum(part.information / part.answers for part in parts) / len(parts) ** 2
    worth = min(float(answers), share * (1 - share) / scatter) if scatter else float(len(parts))
    known = [part.tokens for part in parts if part.tokens is not None]
    return Credit(answers, share, *wilson(share * worth, worth), sum(known) / len(known) if known else None)
