"""Programs: an answer that is code, graded on three levels: it passes the check, it runs, it prints what it should."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from probatio.grade.completion import completed
from probatio.grade.extract import unwrapped
from probatio.grade.prediction import trimmed
from probatio.grade.program_text import program
from probatio.grade.unanswered import why_wrong
from probatio.languages.contract import Language, LanguageSpec
from probatio.languages.finding import language
from probatio.records import Assessment, ErrorType, ProgramTest, Response, Task
from probatio.sandbox import Choice, ProgramOutcome


class ProgramRun(msgspec.Struct, frozen=True):
    """One run of an answer, beside what it should have printed. No outcome: it was not run any more."""

    test: ProgramTest
    outcome: ProgramOutcome | None

    @property
    def ran(self) -> bool:
        return self.outcome is not None and self.outcome.exit == 0

    @property
    def right(self) -> bool:
        return self.ran and self.outcome is not None and trimmed(self.outcome.stdout) == trimmed(self.test.stdout)


def assess_program(task: Task, response: Response, spec: LanguageSpec, isolation: Choice) -> Assessment:
    """A whole program, in the dialect it was asked for in."""
    return _assess(task, response, program(response.response or "", spec.fences, spec.keywords), spec, isolation)


def assess_completion(task: Task, response: Response, spec: LanguageSpec, isolation: Choice) -> Assessment:
    """A program with one part missing, completed by the answer. Quotation marks round it may be part of it, or not."""
    answer = program(response.response or "", spec.fences, spec.keywords)
    template = language(spec).template_in((task.material or "").strip(), response.dialect)
    meant = dict.fromkeys((unwrapped(answer, quotes=False), unwrapped(answer)))
    for part in meant:
        assessment = _assess(task, response, completed(template, part), spec, isolation)
        if assessment.correct:
            break
    return assessment


def run_tests(
    under_test: Language, source: str, dialect: str, tests: Iterable[ProgramTest], isolation: Choice
) -> list[ProgramRun]:
    """Every test in turn. A program that hangs on one is not run any more: each further run would take as long."""
    runs: list[ProgramRun] = []
    for test in tests:
        hung = any(each.outcome is None or each.outcome.stopped in ("time", "cpu") for each in runs)
        runs.append(ProgramRun(test, None if hung else under_test.run(source, dialect, test.stdin, isolation)))
    return runs


def _assess(task: Task, response: Response, source: str, spec: LanguageSpec, isolation: Choice) -> Assessment:
    if not source.strip():
        return Assessment(False, False, False, why_wrong(response, "no_response"), "there is no program in the answer")
    under_test = language(spec)
    breakdown: dict[str, object] = {"program": source[:20_000]}
    checked = under_test.check(source, response.dialect, isolation)
    if checked.error_type:
        error = why_wrong(response, checked.error_type)
        return Assessment(False, False, False, error, checked.detail, breakdown=breakdown)
    runs = run_tests(under_test, source, response.dialect, task.runs, isolation)
    first = runs[0].outcome
    if first is not None and not first.started:
        error, detail = under_test.failed(first)
        return Assessment(False, False, False, why_wrong(response, error), detail, breakdown=breakdown)
    wrong = next((run for run in runs if not run.right), None)
    if task.tests:
        breakdown["tests"] = [run.right for run in runs]
    if wrong is None:
        return Assessment(True, True, True, score=1.0, breakdown=breakdown)
    assert wrong.outcome is not None  # only runs after a wrong one are left out
    kind, detail = _why(under_test, wrong.test, wrong.outcome)
    return Assessment(
        level_a=True,
        level_b=all(run.ran for run in runs),
        level_c=False,
        error_type=why_wrong(response, kind),
        error_detail=detail if len(runs) == 1 else f"test {runs.index(wrong) + 1} of {len(runs)}: {detail}",
        score=sum(run.right for run in runs) / len(runs),
        breakdown={**breakdown, "stdout": wrong.outcome.stdout[:2000], "stderr": wrong.outcome.stderr[:2000]},
    )


def _why(under_test: Language, test: ProgramTest, outcome: ProgramOutcome) -> tuple[ErrorType, str]:
    if outcome.stopped or outcome.exit != 0:
        return under_test.failed(outcome)
    return "wrong_output", f"expected {trimmed(test.stdout)[:200]!r}, printed {trimmed(outcome.stdout)[:200]!r}"
