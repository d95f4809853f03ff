"""Further attempts: what a model answered before, what it is told of that, and so the conversation it goes on with.

Earlier answers and grades are read from the run's files when they are needed, so that a run of any length takes little memory and
a resumed run asks exactly what it would have asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from probatio.grade.extract import without_reasoning
from probatio.records import Conversation, Feedback, Grade, KeyLine, Response, TrialKey, Turn
from probatio.store.layout import ANSWERS, GRADES
from probatio.store.lines import Span, line_at, placed_lines
from probatio.suite.feedback import feedback
from probatio.suite.language_suite import Suite


class EarlierAttempts:
    """The answers to the trials of a round, and their grades, by their places in the files."""

    def __init__(self, folder: Path, suite: Suite, told: Feedback) -> None:
        self._folder = folder
        self._suite = suite
        self._told: Feedback = told
        self._answers: dict[TrialKey, Span] = {}
        self._grades: dict[TrialKey, Span] = {}

    def take_up(self, wrong: Iterable[TrialKey]) -> None:
        """Find the lines about these trials and about the attempts before them; a round of a model begins."""
        wanted = {key._replace(attempt=attempt) for key in wrong for attempt in range(1, key.attempt + 1)}
        if not wanted:
            return
        for span, line in placed_lines(self._folder / ANSWERS, KeyLine):
            if line.key in wanted:
                self._answers.setdefault(line.key, span)  # the first answer counts
        for span, line in placed_lines(self._folder / GRADES, KeyLine):
            if line.key in wanted:
                self._grades[line.key] = span  # and the last grade

    def conversation(self, key: TrialKey, question: str) -> Conversation:
        """All that was said before this attempt, and what is wrong with the last answer."""
        task = self._suite.task(key.task_id, key.dialect)
        shows_output = "{must_print}" in self._suite.questions[task.type]
        turns = [Turn("user", question)]
        for attempt in range(1, key.attempt):
            earlier = key._replace(attempt=attempt)
            answer = line_at(self._folder / ANSWERS, self._answers[earlier], Response)
            grade = line_at(self._folder / GRADES, self._grades[earlier], Grade)
            # Servers drop a model's reasoning from what it is shown again; so do we.
            text = without_reasoning(answer.response or "") or answer.response or ""
            turns += [
                Turn("assistant", text),
                Turn("user", feedback(task, grade, self._told, shows_output=shows_output)),
            ]
        return Conversation(tuple(turns))
