"""A run of trials that chooses its questions as the answers come in (search.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from probatio.core.records import UNASKED_ERRORS, Model, TrialKey
from probatio.learn.search import Search
from probatio.runs.record import RunRecord
from probatio.runs.trials import TrialJob
from probatio.suites.language_suite import Suite


class SearchJob(TrialJob):
    """A run of trials that asks, batch by batch, what tells most."""

    def __init__(self, folder: Path, record: RunRecord, suite: Suite, *args: Any, **flags: Any) -> None:
        super().__init__(folder, record, suite, *args, **flags)
        self._search = Search(record, suite)
        self._outcomes: dict[TrialKey, bool | None] = {}

    def total(self) -> int:
        """What is answered already, graded or not; what is chosen is added batch by batch."""
        return sum(map(bool, self._standings))

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        yield []  # the first round counts as known before
        while batch := self._search.next_questions(model.id, self._outcomes):
            numbers = [self.number(key) for key in batch]
            yield [number for number in numbers if number is not None]
            if any(key not in self._outcomes for key in batch):
                return  # the run is stopping

    def _note(self, key: TrialKey, correct: bool, error_type: str | None) -> None:
        super()._note(key, correct, error_type)
        self._outcomes[key] = None if error_type in UNASKED_ERRORS else correct
