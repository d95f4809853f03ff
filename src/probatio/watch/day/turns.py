"""Cases of several turns: each is asked when the one before is answered, and is sent what was said before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from probatio.core.records import Conversation, SampleAnswer, SampleKey
from probatio.core.records.sample import SampleLine
from probatio.grading.extract import without_reasoning
from probatio.runs.job import CannotAsk
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import Span, line_at, read_placed
from probatio.suites.daily_suite import Case, DailySuite


class TurnsOfDay:
    """The turns of a day. Answers are read from the file when the turns after them are asked, so a resumed
    day asks what it would have asked."""

    def __init__(self, folder: Path, suite: DailySuite) -> None:
        self._file = folder / ANSWERS
        self._suite = suite
        self._answers: dict[SampleKey, Span] = {}

    def is_first(self, key: SampleKey) -> bool:
        return not self._suite.cases[key.case].earlier

    def in_order(self, samples: Iterable[tuple[int, SampleKey]]) -> Iterator[list[int]]:
        """The numbers of the samples, first turns first. A batch is asked when the one before is graded."""
        batches: dict[int, list[tuple[int, SampleKey]]] = {0: []}
        for number, key in samples:
            batches.setdefault(len(self._suite.cases[key.case].earlier or ()), []).append((number, key))
        for place in sorted(batches):
            if place:
                self._take_up([key for _, key in batches[place]])
            yield [number for number, _ in batches[place]]

    def converse(self, case: Case, key: SampleKey) -> Conversation:
        """What is sent. Raises `CannotAsk` where a turn before it has no answer."""
        return case.converse(
            [self._find_answer(case, key._replace(case=each.id)) for each in case.earlier or ()]
        )

    def _find_answer(self, case: Case, before: SampleKey) -> str:
        span = self._answers.get(before)
        answer = None if span is None else line_at(self._file, span, SampleAnswer).response
        if answer is None:
            raise CannotAsk(case.prompt, f"the turn before it, `{before.case}`, has no answer")
        # Servers drop a model's reasoning from what it is shown again; so do we.
        return without_reasoning(answer) or answer

    def _take_up(self, keys: Sequence[SampleKey]) -> None:
        """Find the answers to the turns before these."""
        wanted = {
            key._replace(case=each.id) for key in keys for each in self._suite.cases[key.case].earlier or ()
        }
        for span, line in read_placed(self._file, SampleLine) if self._file.exists() else ():
            if line.key in wanted:
                self._answers.setdefault(line.key, span)  # the first answer counts
