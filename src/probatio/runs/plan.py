"""The plan: which trials a run consists of, in which order, without ever holding them all.

A plan is a product of axes, so a trial is a number and a number is a trial. The last axis turns fastest:
trials that share model, dialect, context and n-shot follow each other, and so a server can cache their prompt
prefix.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from math import prod

import msgspec

from probatio.core.records import TrialKey


class Plan(msgspec.Struct, frozen=True):
    """The axes of a run. Everything else about its trials follows from them."""

    models: tuple[str, ...]
    dialects: tuple[str, ...]
    contexts: tuple[str, ...]
    n_shots: tuple[int, ...]
    tasks: tuple[str, ...]
    samples: int = 1
    limit: int | None = None
    attempts: int = 1
    """How often a task may be answered until it is right. Only first attempts are certain and counted
    here."""
    shared: bool = False
    """The limit is shared among the models. Records without this word: the first ones use it up."""

    def __len__(self) -> int:
        return sum(self.per_model(number) for number in range(len(self.models)))

    @property
    def block(self) -> int:
        """Trials of one model."""
        return prod(
            (len(self.dialects), len(self.contexts), len(self.n_shots), len(self.tasks), self.samples)
        )

    def per_model(self, model_number: int) -> int:
        """Trials of one model under the limit."""
        if self.limit is None:
            return self.block
        if self.shared:
            each, left = divmod(self.limit, len(self.models))
            return min(self.block, each + (model_number < left))
        return min(self.block, max(0, self.limit - model_number * self.block))

    def __getitem__(self, number: int) -> TrialKey:
        rest, sample = divmod(self._place(number), self.samples)
        rest, task = divmod(rest, len(self.tasks))
        rest, n_shot = divmod(rest, len(self.n_shots))
        rest, context = divmod(rest, len(self.contexts))
        model, dialect = divmod(rest, len(self.dialects))
        if number < 0:
            raise IndexError(number)
        return TrialKey(
            self.tasks[task],
            self.models[model],
            self.n_shots[n_shot],
            self.dialects[dialect],
            self.contexts[context],
            sample,
        )

    def __iter__(self) -> Iterator[TrialKey]:
        return (self[number] for number in range(len(self)))

    def of_model(self, model: str) -> range:
        """The numbers of one model's trials."""
        at = self.models.index(model)
        start = sum(self.per_model(before) for before in range(at))
        return range(start, start + self.per_model(at))

    def _place(self, number: int) -> int:
        """Where a trial stands in the product. A shared limit takes the first ones of each model."""
        if not self.shared or self.limit is None:
            return number
        for model in range(len(self.models)):
            if number < self.per_model(model):
                return model * self.block + number
            number -= self.per_model(model)
        raise IndexError(number)


class Numbering:
    """The trials of one plan or of several, numbered through: what is asked is a number, and back.

    What is answered then takes one byte each, and a large run costs no more memory than a small one.
    """

    def __init__(self, *plans: Plan) -> None:
        self._plans = plans
        self._sizes = [len(plan) for plan in plans]
        self._starts = [
            0,
            *accumulate(size * plan.attempts for size, plan in zip(self._sizes, plans, strict=True)),
        ]
        self._axes = [_Axes(plan) for plan in plans]

    def __len__(self) -> int:
        return self._starts[-1]

    def key(self, number: int) -> TrialKey:
        at = bisect_right(self._starts, number) - 1
        attempt, trial = divmod(number - self._starts[at], self._sizes[at])
        key = self._plans[at][trial]
        return key._replace(attempt=attempt + 1) if attempt else key

    def number(self, key: TrialKey) -> int | None:
        """The number of a trial; None if no plan has it."""
        for start, axes in zip(self._starts, self._axes, strict=False):
            number = axes.number(key)
            if number is not None:
                return start + number
        return None

    def of_model(self, model: str, plan: int = 0, attempt: int = 1) -> range:
        """The numbers of one model's trials in one of the plans: its first attempts, or later ones."""
        places, start = (
            self._plans[plan].of_model(model),
            self._starts[plan] + (attempt - 1) * self._sizes[plan],
        )
        return range(start + places.start, start + places.stop)


class _Axes:
    """Where each name stands on its axis of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._size = len(plan)
        self._models = {model: plan.of_model(model) for model in plan.models}
        self._names = [
            {name: place for place, name in enumerate(axis)}
            for axis in (plan.dialects, plan.contexts, plan.n_shots, plan.tasks)
        ]

    def number(self, key: TrialKey) -> int | None:
        dialects, contexts, n_shots, tasks = self._names
        try:
            of_model = self._models[key.model]
            place = dialects[key.dialect]
            place = place * len(contexts) + contexts[key.context]
            place = place * len(n_shots) + n_shots[key.n_shot]
            place = place * len(tasks) + tasks[key.task_id]
        except KeyError:
            return None
        place = place * self._plan.samples + key.sample
        if not (
            0 <= key.sample < self._plan.samples
            and place < len(of_model)
            and 1 <= key.attempt <= self._plan.attempts
        ):
            return None
        return of_model.start + place + (key.attempt - 1) * self._size
