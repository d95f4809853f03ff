"""The answers of recorded days as numbers: which samples gave an answer that was there before."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from probatio.core.records import DailyScore, Day
from probatio.watch.verdict.evidence.answered_days import NONE, Units
from probatio.watch.verdict.evidence.evidence import DayAnswers
from probatio.watch.verdict.rule.sampling import EVIDENCE


class AnswerNumbers:
    """Numbers the answers of each model and case as they first come. Read the days in order.

    An answer of a ladder is known by its score, any other by the digest of its text.
    """

    def __init__(self, models: Mapping[str, int], units: Units) -> None:
        self._models, self._samples = models, len(units.home)
        ends = [*units.starts[1:].tolist(), self._samples][: len(units.cases)]
        self._places: dict[str, dict[str, tuple[int, int, bool]]] = {}
        for (use_case, case), begin, end, ladder in zip(
            units.cases, units.starts.tolist(), ends, units.ladders.tolist(), strict=True
        ):
            self._places.setdefault(use_case, {})[case] = begin, end, ladder
        self._known: dict[tuple[int, int], dict[str | float, int]] = {}

    def read(self, day: Day) -> DayAnswers:
        """The base samples of a day, with scores as recorded."""
        shape = (len(self._models), self._samples)
        scores, codes = np.full(shape, np.nan), np.full(shape, NONE, dtype=np.int64)
        further, other = np.zeros(shape[0]), np.zeros(shape[0])
        for line in day.scores:
            model, places = self._models[line.model], self._places.get(line.use_case, {})
            further[model] += line.further
            other[model] += line.further_other
            for case, answers in _base_answers(line).items():
                if case not in places:
                    continue
                begin, end, ladder = places[case]
                known = self._known.setdefault((model, begin), {})
                for at, (text, score) in zip(range(begin, end), answers, strict=False):
                    answer = score if ladder else text
                    if answer != "":
                        scores[model, at] = score
                        codes[model, at] = known.setdefault(answer, len(known))
        with np.errstate(invalid="ignore"):
            return DayAnswers(scores, codes, other / further)


def _base_answers(line: DailyScore) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Of a record older than its field what the scores of the cases say, unless they are means of more
    samples."""
    if line.answers or line.trigger == EVIDENCE:
        return line.answers
    return {case: (("", score),) for case, score in line.cases.items()}
