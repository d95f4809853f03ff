"""The records of a trial: what was asked, which model, what came back, how it was graded.

The field names of `Response` and `Grade` are the columns of `raw_responses.jsonl` and `graded_results.jsonl`.
They are an interface: runs of the harness from which the formats come have the same names. So a field is
added here, never renamed.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import msgspec

TaskType = Literal[
    "translate_to",
    "translate_from",
    "predict_output",
    "complete_code",
    "write",
    "repair",
    "write_host",
]
"""What can be asked about a language; suite/task_types.py says what each means."""

ErrorType = Literal[
    "syntax_error",
    "type_error",
    "runtime_error",
    "wrong_output",
    "no_response",
    "api_error",
    "timeout",
    "refusal",
    "truncated",
    "unchecked",
    "crashed_checker",
    "not_scored",
]

UNCHECKED: ErrorType = "unchecked"
"""Our machine can't check answers now: neither right nor wrong, and kept to try again."""

CRASHED_CHECKER: ErrorType = "crashed_checker"
"""The check broke on this answer, and works on a trivial program: the answer is wrong, and counts."""


NOT_SCORED: ErrorType = "not_scored"
"""An earlier turn of a case, of which nothing is expected: asked and kept, and no answer to be graded."""


class ErrorKind(NamedTuple):
    """What an error type says about the answer."""

    final: bool  # it depends on the answer alone, not on the machine or its limits: the check is kept
    counts: bool = True  # else the trial was not asked, or its answer not checked: it stays out of every rate


ERROR_KINDS: dict[ErrorType, ErrorKind] = {
    "syntax_error": ErrorKind(final=True),
    "type_error": ErrorKind(final=True),
    "runtime_error": ErrorKind(final=True),
    "wrong_output": ErrorKind(final=True),
    "no_response": ErrorKind(final=True),
    "api_error": ErrorKind(final=False, counts=False),
    "timeout": ErrorKind(final=False),
    "refusal": ErrorKind(final=False),
    "truncated": ErrorKind(final=False),
    UNCHECKED: ErrorKind(final=False, counts=False),
    CRASHED_CHECKER: ErrorKind(final=False),
    NOT_SCORED: ErrorKind(final=False, counts=False),
}
FINAL_ERRORS: frozenset[str] = frozenset(name for name, kind in ERROR_KINDS.items() if kind.final)
UNASKED_ERRORS: frozenset[str] = frozenset(name for name, kind in ERROR_KINDS.items() if not kind.counts)
"""Error types that say nothing about the model."""


class ProgramTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One run of a program: what it reads, and what it must print."""

    stdout: str
    stdin: str = ""


class NumbersWithin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers of an output may differ by so much."""

    numbers: Annotated[
        float,
        msgspec.Meta(
            ge=0, le=1e9, description="the most that numbers may differ, such as 0.001; not below 0"
        ),
    ]


Rules = tuple[str, ...] | msgspec.UnsetType
"""Names of decisions of the language, as `rules` of language.yml has them. They reach no prompt and
no grade."""


# What is not set is in no encoding: a suite that does not use it keeps its fingerprint.
Compare = Literal["exact", "trimmed", "lines", "tokens"] | NumbersWithin | msgspec.UnsetType


class Task(msgspec.Struct, frozen=True):
    """One question of a suite, with the output that answers it."""

    id: str
    type: TaskType
    category: str
    goal: str = ""
    expected_output: str = ""
    """What is printed, where there is one run without input; else `tests` says."""
    material: str | None = None
    """What the question is about: a program, one of the host language, a template, or a broken one."""
    tests: tuple[ProgramTest, ...] = ()
    diagnostics: str | None = None
    """What the toolchain says of a broken program."""
    solution: str | None = None
    """A right answer, which proves that there is one. It reaches no prompt and no grade."""
    difficulty: str | int | None = None
    compare: Compare = msgspec.UNSET
    """When an output counts as the expected one; as `trimmed`, where neither task nor language says."""
    rules: Rules = msgspec.UNSET
    """The decisions of the language that it takes."""
    origin: str | msgspec.UnsetType = msgspec.UNSET
    """The task that it is a variant of: what is alike in them is counted once. It reaches no prompt and no
    grade."""

    @property
    def runs(self) -> tuple[ProgramTest, ...]:
        """Every run that a program must pass."""
        return self.tests or (ProgramTest(self.expected_output),)


class Example(msgspec.Struct, frozen=True):
    """One few-shot example: a program, what it prints, and perhaps the same program in the host language."""

    id: str
    program: str
    host: str | None = None
    explanation: str = ""
    output: str = ""
    stdin: str | msgspec.UnsetType = msgspec.UNSET
    """What it reads; not set, it is in no encoding, as above."""
    rules: Rules = msgspec.UNSET
    """The decisions of the language that it shows."""


class Auth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The header that carries a key, and what stands in it before the key. Raises ValueError for a header
    that is not ours to set."""

    header: str = "Authorization"
    prefix: str | None = None
    """None: `Bearer ` in Authorization, nothing in another header."""

    def __post_init__(self) -> None:
        if not _HEADER_NAME.fullmatch(self.header):
            raise ValueError(f"{self.header[:40]!r} is not the name of a header, such as x-api-key")
        if _TAKEN_HEADER.fullmatch(self.header):
            raise ValueError(f"the header {self.header} is not for a key; use Authorization or x-api-key")
        if not re.fullmatch(r"[ -~]{0,100}", self.prefix or ""):
            raise ValueError("the prefix of a key is at most 100 characters of ASCII on one line")

    def __str__(self) -> str:
        return f"{self.header}: {self.write('…')}"

    def write(self, key: str) -> str:
        """The value of the header."""
        usual = "Bearer " if self.header.lower() == "authorization" else ""
        return (usual if self.prefix is None else self.prefix) + key


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_TAKEN_HEADER = re.compile(
    "host|connection|keep-alive|upgrade|te|trailer|expect|range|date|origin|referer|user-agent|x-title|via"
    "|(set-)?cookie2?|accept(-.*)?|content-.*|transfer-.*|proxy-.*|sec-.*|if-.*|x-forwarded-.*",
    re.IGNORECASE,
)
"""What a request says for itself, or what a proxy on the way acts on."""


class Model(msgspec.Struct, frozen=True):
    """Who we ask about. Who serves it is a `Route`."""

    id: str
    name: str
    provider: str = "openrouter"
    cost_per_1m_input: float | None = None
    cost_per_1m_output: float | None = None
    route: tuple[str, ...] = ()
    reasoning: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    auth: Auth | None = None  # None: as its provider wants it
    reproducible: bool = False


UNKNOWN_DIALECT = "unknown"
"""The dialect of a line that names none. A study takes the first dialect of its suite's language."""


class TrialKey(NamedTuple):
    """What makes a trial the one it is; unique within a run."""

    task_id: str
    model: str
    n_shot: int
    dialect: str
    context: str
    sample: int
    attempt: int = 1
    """The first answer, or a later one to the same task after it was told what was wrong."""

    def __str__(self) -> str:
        first = " · ".join(map(str, tuple(self)[:-1]))
        return first if self.attempt == 1 else f"{first} · attempt {self.attempt}"


class Keyed:
    """What every line about one trial has in common: the fields of its key."""

    __slots__ = ()

    task_id: str
    model: str
    n_shot: int
    dialect: str
    context: str
    sample: int
    attempt: int

    @property
    def key(self) -> TrialKey:
        # made for every line of every file that is read; the class itself takes twice as long
        key = (self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample, self.attempt)
        return tuple.__new__(TrialKey, key)


class KeyLine(msgspec.Struct, Keyed):
    """The fields that name a trial. A reader adds the few more it wants: reading fewer is faster."""

    task_id: str
    model: str
    n_shot: int
    context: str
    dialect: str = UNKNOWN_DIALECT
    sample: int = 0
    attempt: int = 1


class Stamp(msgspec.Struct, frozen=True):
    """What every line of a run's files carries."""

    run_id: str
    framework_version: str
    git_sha: str | None
    grader_version: str


class Sampling(msgspec.Struct, frozen=True):
    """How an answer is drawn."""

    temperature: float = 0.0
    max_tokens: int = 1000
    seed: int | None = 42


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds until we give up."""

    connect: float = 10.0
    attempt: float = 300.0  # a reasoning model thinks for minutes before the first byte of a plain reply
    trial: float = 900.0  # all attempts and our own waiting between them
    wait: float = 600.0  # the longest wait that a server may ask for (--max-wait)


class Turn(msgspec.Struct, frozen=True):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Conversation(msgspec.Struct, frozen=True):
    """What a model is asked under a system prompt or after earlier answers: all that was said, and our last
    word."""

    turns: tuple[Turn, ...]

    @property
    def last(self) -> str:
        return self.turns[-1].content


Prompt = str | Conversation
"""What a model is asked: a question, or a conversation that ends with one."""

Feedback = Literal["none", "verdict", "diagnostics"]
"""What a model is told of a wrong answer before it may try again."""


class Answer(msgspec.Struct, frozen=True):
    """What came back from asking: a text, or the reason there is none."""

    text: str | None
    error: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    tries: int = 1
    cost: float | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None
    reasoning: str | None = None
    usage_fault: str | None = None  # what the reply says of its tokens or its price and can't be believed
    text_fault: str | None = None  # what of its text could not be decoded as it came


class TrialLine(msgspec.Struct, Keyed, frozen=True, kw_only=True):
    """The fields with which the lines of both files begin."""

    timestamp: str
    run_id: str
    framework_version: str
    git_sha: str | None = None
    task_id: str
    model: str
    n_shot: int
    dialect: str = UNKNOWN_DIALECT
    context: str


class Response(TrialLine, frozen=True, kw_only=True):
    """A line of `raw_responses.jsonl`."""

    prompt: str = ""
    response: str | None
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    sample: int = 0
    attempt: int = 1
    tries: int = 1  # requests that were sent until the server gave this answer
    finish_reason: str | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None
    reasoning: str | None = None
    error: str | None = None
    usage_fault: str | None = None
    """Impossible tokens or cost in the reply; they count as unknown."""
    text_fault: str | None = None  # what of its text could not be decoded as it came
    reused: str | None = None  # the run that asked and paid for it, if it was not this one


class Answered(Protocol):
    """What grading needs to know of an answer, to a trial or of a day."""

    @property
    def response(self) -> str | None: ...

    @property
    def finish_reason(self) -> str | None: ...

    @property
    def error(self) -> str | None: ...


class Assessment(msgspec.Struct, frozen=True):
    """How one answer was judged: the part of a `Grade` that depends on task and answer alone."""

    level_a: bool
    level_b: bool
    level_c: bool
    error_type: ErrorType | None = None
    error_detail: str | None = None
    score: float = 0.0
    breakdown: dict[str, Any] = {}
    timely: bool = True  # False: a limit of time may have had a part in it, so it is not kept for later
    doubt: bool = False  # True: our machine may be at fault; a trivial program decides

    @property
    def correct(self) -> bool:
        return self.level_a and self.level_b and self.level_c

    def grade_fields(self) -> dict[str, Any]:
        """What a line of grades takes from it."""
        fields = {**msgspec.structs.asdict(self), "correct": self.correct}
        del fields["timely"], fields["doubt"]
        return fields


class Grade(TrialLine, frozen=True, kw_only=True):
    """A line of `graded_results.jsonl`."""

    level_a: bool
    level_b: bool
    level_c: bool
    correct: bool
    error_type: ErrorType | None = None
    error_detail: str | None = None
    sample: int = 0
    attempt: int = 1
    score: float = 0.0
    breakdown: dict[str, Any] = {}
    grader_version: str = ""
    question: str = ""
    """The digest of the prompt."""
    graded: str = ""
    """The digest of all that this grade depends on, but the answer. With both equal, two runs asked the same
    question."""
    reused: str | None = None  # the run whose answer it is, if not this one
