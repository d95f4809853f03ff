"""Grade a sample: the part checked by code, the part marked by the judge, and the assessment of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from probatio.ask.gate import GateClosed
from probatio.builtin.daily.graders import blend
from probatio.core.clock import now_text
from probatio.core.errors import CannotCheck
from probatio.core.records import (
    CRASHED_CHECKER,
    NOT_SCORED,
    Assessment,
    ErrorType,
    SampleAnswer,
    SampleGrade,
)
from probatio.grading.checking import BreaksCheck
from probatio.grading.daily_answers import Examined, PackedCase, examine
from probatio.grading.extract import assess_unanswered, cut_note
from probatio.grading.judge.asking import Judge, NoJudgement
from probatio.grading.judge.protocol import Marks, score_marks
from probatio.grading.trial_answers import assess_unchecked
from probatio.jail import Choice
from probatio.jail.workers import Unchecked, get_pool
from probatio.suites.daily_suite import Case, DailySuite, UseCase

REFUSAL_BELOW = 0.25
"""Only a poor answer can be a refusal by its words: a good reply to a customer may say "I can't refund
that"."""


class Grading:
    """Grades the samples of a day. Without a judge, hybrid answers keep their checked part."""

    def __init__(
        self, suite: DailySuite, isolation: Choice, stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self._use_cases = suite.use_cases
        self._cases: Mapping[str, Case] = suite.cases
        self._isolation = isolation
        self.judge: Judge | None = None
        self.no_judge = "there is no judge"
        self._stopping = stopping
        self._pool = get_pool()
        self._packed: dict[str, PackedCase] = {}

    async def grade(self, response: SampleAnswer) -> Assessment:
        """Grade a sample. Raises `GateClosed` if the run is stopping: the next run grades it."""
        case = self._cases[response.case]
        use_case = self._use_cases[case.use_case]
        if response.response is None and (nothing := assess_unanswered(response)):
            return _assess_no_answer(use_case, case, nothing)
        if case.unscored:
            return Assessment(True, False, False, NOT_SCORED, None, breakdown={"use_case": use_case.id})
        if (packed := self._packed.get(case.id)) is None:
            packed = self._packed[case.id] = PackedCase.of(case, use_case.grader)
        try:
            examined = await examine(
                self._pool,
                packed,
                response,
                checked=use_case.checked_weight_of(case) > 0,
                choice=self._isolation,
                before=self._go_on,
            )
            if examined.nothing:
                return _assess_no_answer(use_case, case, examined.nothing)
            marks: Marks | None = None
            rubric = use_case.rubric_of(case)
            if self.judge is not None and rubric is not None:
                marks = await self.judge.marks(response.key, rubric, case, examined.text)
        except BreaksCheck as error:
            why = f"the answer ended its grader twice: {error}"
            return _assess_nothing_right(use_case, case, CRASHED_CHECKER, why, level_a=True)
        except Unchecked as error:
            return assess_unchecked(str(error), level_a=True, breakdown={"use_case": use_case.id})
        except (CannotCheck, NoJudgement) as error:
            return Assessment(
                True, False, False, "api_error", str(error), breakdown={"use_case": use_case.id}
            )
        return assess_parts(use_case, case, response, examined, marks, self.no_judge)

    def _go_on(self) -> None:
        if self._stopping():  # a hundred pages may wait for a browser; the next process opens them
            raise GateClosed


def assess_parts(
    use_case: UseCase,
    case: Case,
    response: SampleAnswer,
    examined: Examined,
    marks: Marks | None,
    no_judge: str,
) -> Assessment:
    """The assessment of an answer from its parts. Without the judge's marks it has only the checked part."""
    checked, rubric = examined.checked, use_case.rubric_of(case)
    judged = None if marks is None or rubric is None else score_marks(marks, rubric)
    weight = use_case.checked_weight_of(case)
    score = round(blend(weight, None if checked is None else checked.score, judged), 6)
    breakdown: dict[str, Any] = {
        "use_case": use_case.id,
        "checked": None if checked is None else round(checked.score, 6),
        **describe_judged(use_case, case, None if judged is None else round(judged, 6)),
        "parts": [
            {"name": part.name, "score": part.score, "weight": part.weight, "detail": part.detail}
            | ({"rung": part.rung} if part.rung else {})
            for part in (checked.parts if checked else ())
        ],
        "penalty": checked.penalty if checked else 0.0,
        "marks": {name: {"mark": each.mark, "reason": each.reason} for name, each in (marks or {}).items()},
        "note": checked.note if checked else None,
    }
    if examined.cut is not None:
        breakdown["cut"] = cut_note(examined.cut)
    detail = f"no judge: {no_judge}" if marks is None and rubric is not None else None
    label = None if score >= 1 else _label(response, examined, score)
    return Assessment(True, score > 0, score >= 1, label, detail, score, breakdown)


def describe_judged(use_case: UseCase, case: Case, judged: float | None) -> dict[str, float | None]:
    """The judged part as a breakdown has it. None waits for a judge; where only other cases of the use case
    are judged, there is none to wait for, and no entry."""
    if use_case.grading == "deterministic":
        return {"judged": None}
    return {} if use_case.rubric_of(case) is None else {"judged": judged}


def make_grade(response: SampleAnswer, assessment: Assessment, grader_version: str) -> SampleGrade:
    """The line of `graded_results.jsonl` for a sample."""
    return SampleGrade(
        **response.key._asdict(),
        use_case=response.use_case,
        timestamp=now_text(),
        date=response.date,
        suite_version=response.suite_version,
        git_sha=response.git_sha,
        **assessment.grade_fields(),
        grader_version=grader_version,
    )


def _label(response: SampleAnswer, examined: Examined, score: float) -> ErrorType | None:
    """The label of an imperfect answer that was cut off or refuses. It keeps its score."""
    if response.finish_reason == "length":
        return "truncated"
    return "refusal" if score < REFUSAL_BELOW and examined.refuses else None


def _assess_no_answer(use_case: UseCase, case: Case, nothing: Assessment) -> Assessment:
    """Assess a response without an answer. An error stays an error; silence and refusals are answers worth 0
    in every part."""
    if nothing.error_type == "api_error":
        breakdown: dict[str, Any] = {"use_case": use_case.id}
        return Assessment(False, False, False, "api_error", nothing.error_detail, 0.0, breakdown)
    return _assess_nothing_right(use_case, case, nothing.error_type, nothing.error_detail)


def _assess_nothing_right(
    use_case: UseCase, case: Case, error_type: ErrorType | None, why: str | None, *, level_a: bool = False
) -> Assessment:
    """0 in every part: the code's, and the judge's without asking it."""
    breakdown: dict[str, Any] = {
        "use_case": use_case.id,
        "checked": 0.0 if use_case.checked_weight_of(case) > 0 else None,
        **describe_judged(use_case, case, 0.0),
        "parts": [],
        "penalty": 0.0,
        "marks": {},
        "note": why,
    }
    return Assessment(level_a, False, False, error_type, why, 0.0, breakdown)
