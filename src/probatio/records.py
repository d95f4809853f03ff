"""The records that cross package borders: what was asked, who was asked, what came back, how it was judged.

The field names of `Response` and `Grade` are the columns of `raw_responses.jsonl` and `graded_results.jsonl`. They are an
interface: runs made by the first harness carry the same names, so a field is added here, never renamed.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec

TaskType = Literal[
    "translate_ts_to_faber",
    "translate_faber_to_ts",
    "predict_output",
    "complete_code",
    "write_faber",
    "write_typescript",
]

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
]

UNASKED_ERRORS: frozenset[str] = frozenset({"api_error"})
"""Error types that say nothing about the model: the trial could not be asked. They stay out of every rate."""


class Task(msgspec.Struct, frozen=True):
    """One question of a suite, with the output that answers it."""

    id: str
    type: TaskType
    category: str
    goal: str
    expected_output: str
    input: str | None = None
    input_faber: str | None = None
    expected_completion: str | None = None
    difficulty: str | int | None = None


class Example(msgspec.Struct, frozen=True):
    """One few-shot example: the same program in both languages, and what it prints."""

    id: str
    typescript: str
    faber: str
    explanation: str = ""
    output: str = ""


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
    reproducible: bool = False


NO_DIALECT = "none"
"""What a sample of the daily suite has in place of a dialect."""


class TrialKey(NamedTuple):
    """What makes a trial the one it is; unique within a run."""

    task_id: str
    model: str
    n_shot: int
    dialect: str
    context: str
    sample: int


class Sampling(msgspec.Struct, frozen=True):
    """How an answer is drawn."""

    temperature: float = 0.0
    max_tokens: int = 1000
    seed: int | None = 42


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds until we give up."""

    connect: float = 10.0
    attempt: float = 300.0  # a reasoning model thinks for minutes before the first byte of a plain reply
    trial: float = 900.0  # all attempts and the waiting between them


class Answer(msgspec.Struct, frozen=True):
    """What came back from asking: a text, or the reason there is none."""

    text: str | None
    error: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    attempts: int = 1
    cost: float | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None
    reasoning: str | None = None


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `raw_responses.jsonl`."""

    timestamp: str
    run_id: str
    framework_version: str
    git_sha: str | None = None
    task_id: str
    model: str
    n_shot: int
    dialect: str = "latin"
    context: str
    prompt: str = ""
    response: str | None
    tokens_in: int = 0
    tokens_out: int = 0
    latency_ms: float = 0.0
    sample: int = 0
    attempts: int = 1
    finish_reason: str | None = None
    provider: str | None = None
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None
    reasoning: str | None = None
    error: str | None = None

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample)


class Judgement(msgspec.Struct, frozen=True):
    """How one answer was judged: the part of a `Grade` that depends on task and answer alone."""

    level_a: bool
    level_b: bool
    level_c: bool
    error_type: ErrorType | None = None
    error_detail: str | None = None
    score: float = 0.0
    breakdown: dict[str, Any] = {}

    @property
    def correct(self) -> bool:
        return self.level_a and self.level_b and self.level_c


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `graded_results.jsonl`."""

    timestamp: str
    run_id: str
    framework_version: str
    git_sha: str | None = None
    task_id: str
    model: str
    n_shot: int
    dialect: str = "latin"
    context: str
    level_a: bool
    level_b: bool
    level_c: bool
    correct: bool
    error_type: ErrorType | None = None
    error_detail: str | None = None
    sample: int = 0
    score: float = 0.0
    breakdown: dict[str, Any] = {}
    grader_version: str = ""

    @property
    def key(self) -> TrialKey:
        return TrialKey(self.task_id, self.model, self.n_shot, self.dialect, self.context, self.sample)


Grading = Literal["deterministic", "hybrid", "judge"]
"""How a use case of the daily suite is graded: by code, by code and judge, by the judge alone."""

Status = Literal["OK", "SUSPICIOUS", "COOKED", "CALIBRATING", "GAP"]
"""What the published rule says of a use case or a model on a day."""

Evidence = Literal["CALIBRATING", "QUIET", "SUSPECTED", "CONFIRMED", "RECOVERED"]
"""What the evidence layer says of a model on a day; CALIBRATING while its reference is not complete."""

Cause = Literal["MODEL", "JUDGE", "HARNESS", "GRADER", "ROUTE", "INFRA"]
"""Whom a change is put down to."""


class DailyScore(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a day's `scores.jsonl`: one model in one use case on one day. All scores are 0–100 but those in `cases`."""

    date: str  # UTC, YYYY-MM-DD
    model: str
    use_case: str
    grading: Grading
    suite_version: str  # nothing is compared across two of these
    score: float | None  # the day's score: the re-run's where there was one; None is a gap, never a zero
    base_score: float | None = None  # of the base samples, kept beside it
    n: int = 0  # samples in `score`
    base_n: int = 0  # samples in `base_score`
    errored: int = 0  # samples that could not be asked or judged, in all rounds
    full_power: bool = False  # `score` comes from the full sample count
    trigger: str | None = None  # why it ran at full count: "calibrating", "flagged yesterday", or the base score's test
    checked: float | None = None  # the part graded by code, where it has one
    judged: float | None = None  # the part graded by the judge, where it has one
    cases: dict[str, float] = {}  # case id → mean of its base samples, 0–1: what the evidence bets on
    barred: bool = False  # the judge had shifted: shown, but unable to flip a verdict
    gap: str | None = None  # why there is no score, as a sentence
    routing_changed: bool = False  # of the model's day: a sample came from another than the pinned or usual provider
    route: str | None = None  # who served most of the model's samples that day
    providers: dict[str, int] = {}
    resolved_models: dict[str, int] = {}
    fingerprints: dict[str, int] = {}
    truncated: int = 0
    refused: int = 0
    latency_ms: float | None = None  # median
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None


class CalibrationItem(msgspec.Struct, frozen=True):
    """One frozen answer, the mark it should get and the mark it got (means over the rubric's criteria, 1–5)."""

    id: str
    use_case: str
    reference: float
    mark: float | None
    error: str | None = None


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How the judge stood before a day's run."""

    judge: str
    items: tuple[CalibrationItem, ...] = ()
    shift: float | None = None  # mean of mark − reference
    barred: bool = False
    error: str | None = None  # why there is no judge today, as a sentence
    resolved_model: str | None = None
    system_fingerprint: str | None = None
    cost: float | None = None


class DayRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`day.json`: what was asked of whom on a day, and with which judge."""

    date: str
    created: str
    suite_version: str
    suite_fingerprint: str
    grader_version: str
    models: tuple[Model, ...]
    sampling: Sampling
    suite: str = (
        "daily"  # a built-in suite's name, or the folder given with --suite, from the folder of runs or in full
    )
    git_sha: str | None = None
    calibration: Calibration | None = None
    skipped: dict[str, str] = {}  # model → why it was not asked
    versions: dict[str, str] = {}
    embedded: dict[str, Any] = {}  # model id → which file answered
    simulated: bool = False


class UseCaseVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the rule says of one use case, with every number that led there."""

    use_case: str
    status: Status
    score: float | None = None
    base_score: float | None = None
    n: int = 0
    mean: float | None = None  # of the baseline
    sd: float | None = None  # after the floor
    days: int = 0  # in the baseline
    z: float | None = None
    drop: float | None = None  # share of the mean
    fired: tuple[str, ...] = ()  # the tests that fired, by name: "suspicious z", "cooked drop", "collapse", …
    cooked_level: bool = False  # today alone is at cooked level, by either criterion
    held: str | None = None  # why yesterday's status is held: "barred" or "routing"
    recovered: bool = False  # within the days a recovery is marked
    improved: bool = False
    since: str | None = None  # first day of the present status
    evidence: float | None = None  # this use case's own M
    smallest_drop: float | None = None  # minimum detectable effect, share of the reference mean


class ModelVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What both layers say of one model on one day."""

    date: str
    model: str
    status: Status
    since: str | None = None
    suite_version: str = ""
    route: str | None = None
    routing_changed: bool = False
    barred: bool = False
    recovered: bool = False
    use_cases: tuple[UseCaseVerdict, ...] = ()
    evidence: Evidence = "CALIBRATING"
    evidence_value: float | None = None  # the model statistic M
    reference_days: int = 0
    changed_on: str | None = None  # after CONFIRMED: the dated change
    named: tuple[str, ...] = ()  # use cases whose own M passed the suspicion line
    improvement: bool = False  # the mirrored detector, for information
    cause: Cause | None = None  # where something moved
    cause_reason: str | None = None
    smallest_drop: float | None = None  # minimum detectable effect over all use cases, share of the reference mean
    reason: str = ""  # one sentence made from these numbers
