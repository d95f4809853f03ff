"""A sample of a day: what a model answered to a case, and its grade, as the lines of the day's files."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from probatio.core.records.trial import ErrorType


class SampleKey(NamedTuple):
    """What makes a sample the one it is; unique within a day."""

    case: str
    model: str
    round: str
    sample: int

    def __str__(self) -> str:
        return f"{self.model} · {self.case} · {self.round} {self.sample}"


class SampleLine(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that name a sample. A reader adds the few more it wants: reading fewer is faster.

    A line that calls the case `task_id` and the round `context`, as a trial does, is read too.
    """

    case: str = ""
    model: str
    round: str = ""
    sample: int = 0
    task_id: str | msgspec.UnsetType = msgspec.UNSET
    context: str | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        for name, other in (("case", "task_id"), ("round", "context")):
            value = getattr(self, other)
            if value is not msgspec.UNSET:
                msgspec.structs.force_setattr(self, name, value)
                msgspec.structs.force_setattr(self, other, msgspec.UNSET)
        if not self.case:
            raise ValueError("Object missing required field `case`")

    @property
    def key(self) -> SampleKey:
        # made for every line of every file that is read; the class itself takes twice as long
        return tuple.__new__(SampleKey, (self.case, self.model, self.round, self.sample))


class SampleAnswer(SampleLine, frozen=True, kw_only=True):
    """A line of a day's `raw_responses.jsonl`."""

    use_case: str = ""
    timestamp: str = ""
    date: str = ""
    suite_version: str = ""
    git_sha: str | None = None
    prompt: str = ""
    system: str | msgspec.UnsetType = msgspec.UNSET  # the system prompt that was sent before it
    after: str | msgspec.UnsetType = msgspec.UNSET  # the case that is the turn before it: what was said there
    response: str | None
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    tries: int = 1  # requests that were sent until the server gave this answer
    finish_reason: str | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None
    reasoning: str | None = None
    error: str | None = None
    usage_fault: str | None = None  # impossible tokens or cost in the reply
    text_fault: str | None = None  # what of its text could not be decoded as it came


class SampleGrade(SampleLine, frozen=True, kw_only=True):
    """A line of a day's `graded_results.jsonl`."""

    use_case: str = ""
    timestamp: str = ""
    date: str = ""
    suite_version: str = ""
    git_sha: str | None = None
    level_a: bool
    level_b: bool
    level_c: bool
    correct: bool
    error_type: ErrorType | None = None
    error_detail: str | None = None
    score: float = 0.0
    breakdown: dict[str, Any] = {}
    grader_version: str = ""
