"""Grading a sample: the part checked by code, the part marked by the judge, and the assessment both make together."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from probatio.ask.gate import GateClosed
from probatio.builtin.daily.graders import STARTS_PROCESSES, blend, check
from probatio.errors import CannotCheck
from probatio.grade.check_result import CheckResult
from probatio.grade.extract import without_reasoning
from probatio.grade.unanswered import unanswered, why_wrong
from probatio.judge.asking import Judge, NoJudgement
from probatio.judge.protocol import Marks, judged_score
from probatio.records import Assessment, ErrorType, Response
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case, DailySuite, UseCase

REMEMBERED = 4096
"""Answers of a process whose check is kept: at temperature 0 the samples of a case are often the same to the letter, and a page
costs two seconds of a browser."""
REFUSAL_BELOW = 0.25
"""Only a poor answer is called a refusal by its words: a good reply to a customer may well say "I can't refund that"."""


class Grading:
    """Grades the samples of a day. `judge` is None while there is none; then hybrid answers keep their checked part."""

    def __init__(self, suite: DailySuite, isolation: Choice) -> None:
        self._use_cases = suite.use_cases
        self._cases: Mapping[str, Case] = suite.cases
        self._isolation = isolation
        self.judge: Judge | None = None
        self.no_judge = "there is no judge"
        self.stopping: Callable[[], bool] = lambda: False
        # What is computed in our own process gains nothing from a second thread, and its libraries need not bear one.
        self._computing = ThreadPoolExecutor(1, "daily-check")
        self._waiting = ThreadPoolExecutor(os.cpu_count() or 1, "daily-jail")
        self._checks: OrderedDict[tuple[str, bytes], asyncio.Future[CheckResult]] = OrderedDict()

    def close(self) -> None:
        self._computing.shutdown(wait=False, cancel_futures=True)
        self._waiting.shutdown(wait=False, cancel_futures=True)

    async def grade(self, response: Response) -> Assessment:
        """How a sample is graded. Raises `GateClosed` where the run is stopping and this is left to the next."""
        case = self._cases[response.task_id]
        use_case = self._use_cases[case.use_case]
        if nothing := unanswered(response):
            return _unanswered(use_case, nothing)
        answer = without_reasoning(response.response or "")
        try:
            checked = None if use_case.grading == "judge" else await self._check(case, answer)
            marks = None if use_case.grading == "deterministic" else await self._marks(response, use_case, case, answer)
        except (CannotCheck, NoJudgement) as error:
            return Assessment(True, False, False, "api_error", str(error), breakdown={"use_case": use_case.id})
        return assessment(use_case, response, checked, marks, self.no_judge)

    async def _check(self, case: Case, answer: str) -> CheckResult:
        """The same answer to the same case is checked once, by however many samples it is given. A check that has something to
        remark may owe it to a busy machine, and is made anew."""
        key = (case.id, hashlib.blake2b(answer.encode(errors="surrogatepass"), digest_size=16).digest())
        check = self._checks.get(key)
        if check is None or (check.done() and not _settled(check)):
            pool = self._waiting if case.use_case in STARTS_PROCESSES else self._computing
            check = asyncio.get_running_loop().run_in_executor(pool, self._checked, case, answer)
            self._checks[key] = check
            while len(self._checks) > REMEMBERED:
                self._checks.popitem(last=False)
        return await asyncio.shield(check)

    def _checked(self, case: Case, answer: str) -> CheckResult:
        if self.stopping():  # a hundred pages may wait for the browser; the next process opens them
            raise GateClosed
        return check(case, answer, self._isolation)

    async def _marks(self, response: Response, use_case: UseCase, case: Case, answer: str) -> Marks | None:
        if self.judge is None or use_case.rubric is None:
            return None
        return await self.judge.marks(response.key, use_case.rubric, case, answer)


def _settled(check: asyncio.Future[CheckResult]) -> bool:
    return not check.cancelled() and check.exception() is None and check.result().note is None


def assessment(
    use_case: UseCase, response: Response, checked: CheckResult | None, marks: Marks | None, no_judge: str
) -> Assessment:
    """The assessment of an answer from its parts. An answer the judge has not seen keeps its checked part and no more."""
    judged = None if marks is None or use_case.rubric is None else judged_score(marks, use_case.rubric)
    score = round(blend(use_case, None if checked is None else checked.score, judged), 6)
    breakdown: dict[str, Any] = {
        "use_case": use_case.id,
        "checked": None if checked is None else round(checked.score, 6),
        "judged": None if judged is None else round(judged, 6),
        "parts": [
            {"name": part.name, "score": part.score, "weight": part.weight, "detail": part.detail}
            for part in (checked.parts if checked else ())
        ],
        "penalty": checked.penalty if checked else 0.0,
        "marks": {name: {"mark": each.mark, "reason": each.reason} for name, each in (marks or {}).items()},
        "note": checked.note if checked else None,
    }
    detail = f"no judge: {no_judge}" if marks is None and use_case.grading != "deterministic" else None
    label = None if score >= 1 else _label(response, score)
    return Assessment(True, score > 0, score >= 1, label, detail, score, breakdown)


def _label(response: Response, score: float) -> ErrorType | None:
    """What an imperfect answer is called where it was cut off or refuses; it keeps the score it has."""
    if response.finish_reason == "length":
        return "truncated"
    return "refusal" if score < REFUSAL_BELOW and why_wrong(response, "wrong_output") == "refusal" else None


def _unanswered(use_case: UseCase, nothing: Assessment) -> Assessment:
    """An error stays one; silence and refusals are answers, and worth nothing in every part."""
    if nothing.error_type == "api_error":
        breakdown: dict[str, Any] = {"use_case": use_case.id}
    else:
        breakdown = {
            "use_case": use_case.id,
            "checked": None if use_case.grading == "judge" else 0.0,
            "judged": None if use_case.grading == "deterministic" else 0.0,
            "parts": [],
            "penalty": 0.0,
            "marks": {},
            "note": nothing.error_detail,
        }
    return Assessment(False, False, False, nothing.error_type, nothing.error_detail, 0.0, breakdown)
