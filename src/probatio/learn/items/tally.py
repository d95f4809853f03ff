"""The tally: credit by item, model and day, counted as it is read; and the interval of a mean credit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from probatio.core.statistics.intervals import critical, effective_trials, wilson
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
        self._tokens: dict[tuple[str, str], tuple[float, int]] = {}
        self._stretches: dict[tuple[str, str, str], tuple[int, int]] = {}  # answers, sum of squared lengths

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

    def add_to_stretch(self, key: ItemKey, model: str, length: int) -> None:
        """An answer that makes a stretch of equal answers, day after day, this long."""
        answers, squares = self._stretches.get((key.pool, key.item, model), (0, 0))
        self._stretches[key.pool, key.item, model] = answers + 1, squares + 2 * length - 1

    def freshness(self, key: ItemKey, model: str) -> float:
        """Draws per answer, where a stretch of equal answers is one draw: 1 if every answer is a new one.

        Stretches of unequal length are worth fewer draws than they are: 12, 1 and 1 days are 14² / 146 = 1.3.
        """
        answers, squares = self._stretches.get((key.pool, key.item, model), (1, 1))
        return answers / squares

    @property
    def models(self) -> set[str]:
        return {model for by_model in self.counts.values() for model in by_model}

    def credit(self, key: ItemKey, model: str, rungs: int = 0) -> Credit | None:
        """The mean credit of a model on an item; `rungs`: of its case, 0 if that is no ladder. A rung gets an
        even share of the tokens of its case: no one can see which token was spent on which rung."""
        counts = [count for count in self.counts[key].get(model, {}).values() if count[1]]
        if not counts:
            return None
        tokens = self.tokens(key.item, model)
        if key.rung and tokens is not None:
            tokens /= rungs
        fresh = self.freshness(key, model)
        if rungs and not key.rung:
            return ladder_credit(counts, rungs, tokens, fresh)
        return mean_credit(counts, clustered=self.clustered, tokens=tokens, fresh=fresh)

    def pool_ladders(self, keys: Sequence[ItemKey], model: str, rungs: Mapping[str, int]) -> Credit:
        """The mean over ladders, each counted once, with Student's interval over days: what all ladders do
        alike on a day is one departure."""
        departures: dict[str, float] = defaultdict(float)
        shares, answers, least, repeated = [], 0, 0.0, 0.0
        for key in keys:
            days = {day: count for day, count in self.counts[key].get(model, {}).items() if count[1]}
            asked = sum(count[1] for count in days.values())
            shares.append(sum(count[0] for count in days.values()) / asked)
            for day, (earned, of) in days.items():
                departures[day] += (earned - shares[-1] * of) / asked / len(keys)
            fresh = self.freshness(key, model)
            answers += asked
            repeated += asked / fresh
            least += one_rung(rungs[key.item]) ** 2 / (len(days) * fresh) / len(keys) ** 2
        share = min(1.0, sum(shares) / len(shares))
        variance = sum(departure**2 for departure in departures.values())
        known = [tokens for key in keys if (tokens := self.tokens(key.item, model)) is not None]
        tokens = sum(known) / len(known) if known else None
        fresh = answers / repeated
        ends = _over_days(share, variance, least, len(departures), fresh)
        return Credit(answers, share, *ends, tokens, answers * fresh)


def mean_credit(
    counts: Sequence[tuple[float, int]], *, clustered: bool, tokens: float | None = None, fresh: float = 1.0
) -> Credit:
    """The mean credit of clusters, each given as (credit, answers), with Wilson's interval: for what is right
    or wrong.

    Credit between 0 and 1 scatters no more than right and wrong of the same mean do, so the interval is wide
    enough for partial credit too. Where answers are clustered it is taken at the number of answers they are
    worth; `fresh`: draws per answer.
    """
    earned, answers = sum(count[0] for count in counts), sum(count[1] for count in counts)
    share = min(1.0, earned / answers)
    worth = float(answers)
    if clustered and len(counts) < answers:
        worth = effective_trials(counts)
    worth *= fresh
    return Credit(answers, share, *wilson(share * worth, worth), tokens, answers * fresh)


def ladder_credit(
    days: Sequence[tuple[float, int]], rungs: int, tokens: float | None = None, fresh: float = 1.0
) -> Credit:
    """The mean credit of a ladder, days given as (credit, answers), with Student's interval over days.

    A ladder of ten rungs scatters far less than right and wrong of the same mean. Days of equal credit would
    leave no width, so a day's standard deviation is taken as one rung at least. Worked: 14 days with 7 of 10
    rungs are 70 % ± 2.16 · 0.1/√14, 64–76; Wilson's of 14 answers is 45–87. `fresh`: draws per answer; the
    days are worth so many fewer.
    """
    earned, answers = sum(day[0] for day in days), sum(day[1] for day in days)
    share = min(1.0, earned / answers)
    variance = sum((one - share * of) ** 2 for one, of in days) / answers**2
    least = one_rung(rungs) ** 2 / (len(days) * fresh)
    return Credit(
        answers, share, *_over_days(share, variance, least, len(days), fresh), tokens, answers * fresh
    )


def one_rung(rungs: int) -> float:
    """The least standard deviation of a day's credit: a ladder of one rung is right or wrong, ½ at most."""
    return min(0.5, 1 / rungs)


def _over_days(
    share: float, variance: float, least: float, days: int, fresh: float
) -> tuple[float | None, float | None]:
    """Student's interval; None for both ends where it would hold everything or there are not two draws."""
    draws = days * fresh
    whole = int(draws + 1e-9)
    if whole < 2:
        return None, None
    half = critical(whole) * sqrt(max(least, variance * days / (draws - 1)))
    low, high = max(0.0, share - half), min(1.0, share + half)
    return (low, high) if low > 0 or high < 1 else (None, None)


def pool_credit(credits: Iterable[Credit]) -> Credit:
    """The mean over items, each counted once. The items are the whole suite and no sample, so only the
    answers are uncertain."""
    parts = list(credits)
    answers, share = sum(part.answers for part in parts), sum(part.share for part in parts) / len(parts)
    draws = [part.answers if part.draws is None else part.draws for part in parts]
    scatter = sum(part.scatter / of for part, of in zip(parts, draws, strict=True)) / len(parts) ** 2
    worth = min(sum(draws), share * (1 - share) / scatter) if scatter else float(len(parts))
    known = [part.tokens for part in parts if part.tokens is not None]
    tokens = sum(known) / len(known) if known else None
    return Credit(answers, share, *wilson(share * worth, worth), tokens, sum(draws))
