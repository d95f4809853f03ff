"""Programs: an answer that is code, graded on three levels: it typechecks, it runs, it prints what it should."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from probatio.grade.completion import completed
from probatio.grade.extract import program, unwrapped
from probatio.grade.prediction import trimmed
from probatio.grade.unanswered import why_wrong
from probatio.languages import faber, typescript
from probatio.records import Assessment, ErrorType, Response, Task
from probatio.sandbox import Choice, ProgramOutcome
from probatio.suite.dialect import template_in

FABER_FENCES = frozenset({"faber", "fab"})
TYPESCRIPT_FENCES = frozenset({"typescript", "ts", "javascript", "js", "tsx", "jsx", "mts", "deno"})


class ProgramRun(msgspec.Struct, frozen=True):
    """How far a program got: whether it passed the check, and what running it gave."""

    level_a: bool
    outcome: ProgramOutcome | None = None
    error_type: ErrorType | None = None
    detail: str | None = None


def assess_faber(task: Task, response: Response, isolation: Choice) -> Assessment:
    """A Faber program, in the dialect it was asked for in."""
    return _assess(task, response, program(response.response or "", FABER_FENCES), run_faber, isolation)


def assess_completion(task: Task, response: Response, isolation: Choice) -> Assessment:
    """A Faber program with one part missing, completed by the answer."""
    answer = unwrapped(program(response.response or "", FABER_FENCES))
    template = template_in((task.input or task.input_faber or "").strip(), response.dialect)
    return _assess(task, response, completed(template, answer), run_faber, isolation)


def assess_typescript(task: Task, response: Response, isolation: Choice) -> Assessment:
    """A TypeScript program."""
    return _assess(task, response, program(response.response or "", TYPESCRIPT_FENCES), run_typescript, isolation)


def run_faber(source: str, dialect: str, isolation: Choice = "auto") -> ProgramRun:
    """Level A is the check; a program that passes it is compiled and run like any TypeScript."""
    if diagnostics := faber.check(source, dialect):
        detail = "; ".join(str(diagnostic) for diagnostic in diagnostics[:3])
        return ProgramRun(level_a=False, error_type=faber.error_class(diagnostics), detail=detail)
    try:
        outcome = faber.run(source, dialect, isolation)
    except faber.Rejected as error:  # the check accepts it, but no program can be made of it
        outcome = ProgramOutcome(exit=1, stdout="", stderr=f"error: {error}", stopped=None, seconds=0.0, started=False)
    return ProgramRun(level_a=True, outcome=outcome)


def run_typescript(source: str, dialect: str = "", isolation: Choice = "auto") -> ProgramRun:
    """Level A: it parses and starts."""
    outcome = typescript.run(source, isolation=isolation)
    if not outcome.started:
        return ProgramRun(level_a=False, error_type="syntax_error", detail=_error_line(outcome.stderr))
    return ProgramRun(level_a=True, outcome=outcome)


def _assess(
    task: Task,
    response: Response,
    source: str,
    run_program: Callable[[str, str, Choice], ProgramRun],
    isolation: Choice,
) -> Assessment:
    breakdown = {"program": source[:20_000]}
    if not source.strip():
        return Assessment(False, False, False, why_wrong(response, "no_response"), "there is no program in the answer")
    program_run = run_program(source, response.dialect, isolation)
    outcome = program_run.outcome
    if outcome is None:
        error = why_wrong(response, program_run.error_type or "syntax_error")
        return Assessment(False, False, False, error, program_run.detail, breakdown=breakdown)
    ran = outcome.exit == 0
    right = ran and trimmed(outcome.stdout) == trimmed(task.expected_output)
    kind, detail = (None, None) if right else _why(task, outcome)
    return Assessment(
        level_a=True,
        level_b=ran,
        level_c=right,
        error_type=why_wrong(response, kind) if kind else None,
        error_detail=detail,
        score=float(right),
        breakdown=breakdown
        if right
        else {**breakdown, "stdout": outcome.stdout[:2000], "stderr": outcome.stderr[:2000]},
    )


def _why(task: Task, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
    if outcome.stopped in ("time", "cpu"):
        return "timeout", f"stopped at the limit of {outcome.stopped}"
    if outcome.stopped:
        return "runtime_error", f"stopped at the limit of {outcome.stopped}"
    if outcome.exit != 0:
        return "runtime_error", f"exit {outcome.exit}: {_error_line(outcome.stderr)}"
    return (
        "wrong_output",
        f"expected {trimmed(task.expected_output)[:200]!r}, printed {trimmed(outcome.stdout)[:200]!r}",
    )


def _error_line(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return next((line for line in lines if "rror" in line), lines[0] if lines else "no message")[:300]
