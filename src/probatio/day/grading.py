"""Grading a sample: the part checked by code, the part marked by the judge, and the assessment both make together."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from probatio.ask.gate import GateClosed
from probatio.builtin.daily.graders import blend
from probatio.day.examining import Examined, PackedCase, examine
from probatio.errors import CannotCheck
from probatio.grade.apart import unchecked
from probatio.grade.check_result import CheckResult, Part
from probatio.grade.length import cut_note
from probatio.grade.unanswered import unanswered
from probatio.judge.asking import Judge, NoJudgement
from probatio.judge.protocol import Marks, judged_score
from probatio.records import Assessment, ErrorType, Response
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case, DailySuite, UseCase
from probatio.workers import Unchecked, shared

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
        self._pool = shared()
        self._packed: dict[str, PackedCase] = {}
        self._checks: OrderedDict[tuple[str, bytes], asyncio.Task[Examined]] = OrderedDict()

    def close(self) -> None:
        """Drop what is still being checked; the workers stay for whoever grades next."""
        for check in self._checks.values():
            if not check.done() and not check.get_loop().is_closed():
                check.cancel()
        self._checks.clear()

    async def grade(self, response: Response) -> Assessment:
        """How a sample is graded. Raises `GateClosed` where the run is stopping and this is left to the next."""
        case = self._cases[response.task_id]
        use_case = self._use_cases[case.use_case]
        if response.response is None and (nothing := unanswered(response)):
            return _unanswered(use_case, nothing)
        try:
            examined = await self._examined(use_case, case, response)
            if examined.nothing:
                return _unanswered(use_case, examined.nothing)
            judged = use_case.grading != "deterministic"
            marks = await self._marks(response, use_case, case, examined.text) if judged else None
        except Unchecked as error:
            return unchecked(str(error), level_a=True, breakdown={"use_case": use_case.id})
        except (CannotCheck, NoJudgement) as error:
            return Assessment(True, False, False, "api_error", str(error), breakdown={"use_case": use_case.id})
        return assessment(use_case, response, examined, marks, self.no_judge)

    async def _examined(self, use_case: UseCase, case: Case, response: Response) -> Examined:
        """The same answer to the same case is checked once, by however many samples it is given. A check that has something to
        remark may owe it to a busy machine, and is made anew."""
        text = f"{response.finish_reason}\0{response.response}"
        key = (case.id, hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest())
        check = self._checks.get(key)
        if check is None or (check.done() and not _settled(check)):
            checked = use_case.grading != "judge"
            packed = self._packed.get(case.id)
            if packed is None:
                packed = self._packed[case.id] = PackedCase.of(case, use_case.grader)
            check = asyncio.create_task(
                examine(self._pool, packed, response, checked=checked, choice=self._isolation, before=self._go_on)
            )
            check.add_done_callback(_heard)
            self._checks[key] = check
            while len(self._checks) > REMEMBERED:
                self._checks.popitem(last=False)
        return await asyncio.shield(check)

    def _go_on(self) -> None:
        if self.stopping():  # a hundred pages may wait for a browser; the next process opens them
            raise GateClosed

    async def _marks(self, response: Response, use_case: UseCase, case: Case, answer: str) -> Marks | None:
        if self.judge is None or use_case.rubric is None:
            return None
        return await self.judge.marks(response.key, use_case.rubric, case, answer)


def _heard(check: asyncio.Task[Examined]) -> None:
    """Whoever waited for it may be gone; its fault is no news for stderr."""
    if not check.cancelled():
        check.exception()


def _settled(check: asyncio.Task[Examined]) -> bool:
    if check.cancelled() or check.exception() is not None:
        return False
    checked = check.result().checked
    return checked is None or checked.note is None


def assessment(
    use_case: UseCase, response: Response, examined: Examined, marks: Marks | None, no_judge: str
) -> Assessment:
    """The assessment of an answer from its parts. An answer the judge has not seen keeps its checked part and no more."""
    checked: CheckResult | None = examined.checked
    judged = None if marks is None or use_case.rubric is None else judged_score(marks, use_case.rubric)
    score = round(blend(use_case, None if checked is None else checked.score, judged), 6)
    breakdown: dict[str, Any] = {
        "use_case": use_case.id,
        "checked": None if checked is None else round(checked.score, 6),
        "judged": None if judged is None else round(judged, 6),
        "parts": [_part(part) for part in (checked.parts if checked else ())],
        "penalty": checked.penalty if checked else 0.0,
        "marks": {name: {"mark": each.mark, "reason": each.reason} for name, each in (marks or {}).items()},
        "note": checked.note if checked else None,
    }
    if examined.cut is not None:
        breakdown["cut"] = cut_note(examined.cut)
    detail = f"no judge: {no_judge}" if marks is None and use_case.grading != "deterministic" else None
    label = None if score >= 1 else _label(response, examined, score)
    return Assessment(True, score > 0, score >= 1, label, detail, score, breakdown)


def _part(part: Part) -> dict[str, Any]:
    told: dict[str, Any] = {"name": part.name, "score": part.score, "weight": part.weight, "detail": part.detail}
    return told | ({"rung": part.rung} if part.rung else {})


def _label(response: Response, examined: Examined, score: float) -> ErrorType | None:
    """What an imperfect answer is called where it was cut off or refuses; it keeps the score it has."""
    if response.finish_reason == "length":
        return "truncated"
    return "refusal" if score < REFUSAL_BELOW and examined.refuses else None


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
