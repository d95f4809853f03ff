"""A job: what a session carries out. A run of trials is one, a day of the watch is another.

A session calls these in turn; between `open` and `end` the engine asks the job's questions:

    begin   the record is written, while the folder is locked
    open    what has to be ready before the first question: for a day its judge
    end     what follows from the answers: for a day its scores and verdicts
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from probatio.core.records import Answer, Assessment, KeyLine, Model, Prompt, Sampling, Timeouts

if TYPE_CHECKING:
    from probatio.runs.session import Ending, Session
    from probatio.runs.store.journal import Journal


class AnswerLine(KeyLine):
    """As much of an answer's line as a resume needs."""

    cost: float | None = None
    error: str | None = None


class GradeLine(KeyLine):
    """As much of a grade's line as a resume needs."""

    correct: bool = False
    error_type: str | None = None


class Job(Protocol):
    """A folder, its questions, the order they are asked in, and how an answer is graded."""

    @property
    def folder(self) -> Path: ...

    @property
    def models(self) -> tuple[Model, ...]: ...

    @property
    def max_connections(self) -> int: ...

    @property
    def max_cost(self) -> float | None: ...

    @property
    def timeouts(self) -> Timeouts | None:
        """Of routes over the network, where models.yml sets them."""
        ...

    @property
    def retry_errors(self) -> bool:
        """Whether questions that could not be asked are asked again."""
        ...

    @property
    def answer_type(self) -> type[Any]:
        """The record of an answer, in full."""
        ...

    @property
    def answer_line(self) -> type[Any]:
        """How a line of the answers is read on resume: `AnswerLine`, or a record with more fields."""
        ...

    @property
    def grade_line(self) -> type[Any]:
        """How a line of the grades is read on resume: `GradeLine`, or a record with more fields."""
        ...

    @property
    def ends_alone(self) -> bool:
        """Whether a model whose key is refused ends alone, while the others go on."""
        ...

    def begin(self) -> None: ...

    async def open(self, session: Session) -> None: ...

    def record_file(self, model: Model, file: dict[str, Any]) -> None:
        """Note which file answers for an embedded model."""
        ...

    def end(self, ending: Ending, journal: Journal) -> None: ...

    def __len__(self) -> int:
        """How many questions there can be."""
        ...

    def number(self, key: Any) -> int | None:
        """The number of a question; None if it is not of this job."""
        ...

    def key(self, number: int) -> Any: ...

    def total(self) -> int:
        """How many questions are certain; later rounds are added. Called when the resume is done."""
        ...

    def rounds(self, model: Model) -> Iterator[Collection[int]]:
        """The questions of a model, round by round; a round begins when the one before is graded."""
        ...

    def prompt(self, key: Any) -> Prompt:
        """What is asked. Raises `CannotAsk` where that follows from an answer that is not there."""
        ...

    def sampling(self, key: Any) -> Sampling: ...

    def answer_record(self, key: Any, prompt: str, answer: Answer, cost: float | None) -> Any:
        """The line of the answers for what came back."""
        ...

    async def assess(self, response: Any) -> Assessment: ...

    def grade_record(self, response: Any, assessment: Assessment) -> Any:
        """The line of the grades for an answer and how it was judged."""
        ...

    def recall_answer(self, line: Any) -> None:
        """Note an answer of an earlier process; it may belong to another job."""
        ...

    def recall_grade(self, line: Any) -> bool:
        """Note a grade of an earlier process; False if the answer must be graded again."""
        ...

    def note_answer(self, response: Any) -> None:
        """An answer is kept, and not graded yet."""
        ...

    def note_grade(self, response: Any, grade: Any) -> None:
        """An answer was graded and the grade is kept."""
        ...


class CannotAsk(Exception):
    """A question that can't be asked now; the message is a clause that says why."""

    def __init__(self, prompt: str, why: str) -> None:
        super().__init__(why)
        self.prompt = prompt


def answer_fields(answer: Answer, cost: float | None) -> dict[str, Any]:
    """What the line of an answer takes over from what came back."""
    fields = msgspec.structs.asdict(answer)
    fields["response"], fields["cost"] = fields.pop("text"), cost
    return fields
