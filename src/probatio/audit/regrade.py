"""Grading a day's stored answers again: by code from the answers, by the judge's kept replies, with no call to anyone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from probatio.day.grading import Grading
from probatio.errors import ProbatioError
from probatio.judge.asking import JudgeReply, recorded_judge
from probatio.judge.calibration import calibrate, calibration_set
from probatio.ledger.chain import Finding
from probatio.ledger.difference import first_difference
from probatio.records import UNASKED_ERRORS, Assessment, Day, Grade, Response, TrialKey
from probatio.run.regrade import assess_again
from probatio.sandbox import Choice
from probatio.store.layout import ANSWERS, DAILY, DAY_FILE, GRADES, JUDGE_REPLIES
from probatio.store.lines import all_at_once, numbered_lines
from probatio.suite.daily_suite import DailySuite

T = TypeVar("T")

COMPARED = ("score", "error_type", "breakdown", "level_a", "level_b", "level_c", "correct")


class Regraded(msgspec.Struct, frozen=True):
    """What came of it."""

    graded: int
    findings: list[Finding]
    changed: dict[str, int]  # use case → answers that are graded otherwise


def regrade_days(
    days: Iterable[tuple[Path, Day, DailySuite]], sandbox: Choice = "auto"
) -> Iterator[tuple[Day, DailySuite, Regraded | ProbatioError]]:
    """Grade every answer of these days and compare with the grade that counts: the last of its key. Days come out in order; the
    answers of the next ones are graded while the last of a day are waited for. A day that can't be graded gives the reason."""

    def lines() -> Iterator[tuple[_Again, int, Response | None]]:
        for folder, day, suite in days:
            again = _Again(folder, day, suite, sandbox)
            yield from ((again, number, response) for number, response in again.known.items())
            yield again, 0, None  # the day's end

    async def assess(line: tuple[_Again, int, Response | None]) -> Assessment | ProbatioError | None:
        again, _, response = line
        try:
            return await (again.grading.grade(response) if response is not None else again.calibrate())
        except ProbatioError as error:
            return error

    for (again, number, response), assessed in assess_again(lines(), assess):
        if isinstance(assessed, ProbatioError):
            again.failed = again.failed or assessed
        elif response is not None and assessed is not None:
            again.compare(number, response, assessed)
        if response is None:
            regraded = again.close()
            yield again.day, again.suite, again.failed or regraded


def regrade_day(folder: Path, day: Day, suite: DailySuite, sandbox: Choice = "auto") -> Regraded:
    """The same for one day; raises the reason."""
    (_, _, regraded) = next(regrade_days([(folder, day, suite)], sandbox))
    if isinstance(regraded, ProbatioError):
        raise regraded
    return regraded


class _Again:
    """One day while it is graded again."""

    def __init__(self, folder: Path, day: Day, suite: DailySuite, sandbox: Choice) -> None:
        self.day, self.suite = day, suite
        self.failed: ProbatioError | None = None
        self._findings: list[Finding] = []
        self._changed: Counter[str] = Counter()
        self._ungraded: Counter[str] = Counter()
        self._graded = 0
        responses = _read(folder / ANSWERS, Response, self._findings)
        self._grades = {
            grade.key: (number, grade) for number, grade in _read(folder / GRADES, Grade, self._findings).items()
        }
        self._replies = list(_read(folder / JUDGE_REPLIES, JudgeReply, self._findings).values())
        if day.record.imported:  # a score that was taken in without its answer has nothing that could be graded
            believed = {number for number, response in responses.items() if response.response is None}
            for number in believed:
                self._grades.pop(responses.pop(number).key, None)
        self.known = {number: response for number, response in responses.items() if response.task_id in suite.cases}
        for number, response in responses.items():
            if number not in self.known:
                what = "the suite has no such case"
                self._findings.append(_finding(day, ANSWERS, number, _sample(response.key), what))
        self.grading = _grading(day, suite, sandbox, self._replies)

    async def calibrate(self) -> None:
        self._findings += await _calibration_findings(self.day, self.suite, self._replies)

    def compare(self, number: int, response: Response, assessment: Assessment) -> None:
        sample = _sample(response.key)
        self._graded += 1
        place, stored = self._grades.pop(response.key, (None, None))
        if stored is None:
            self._findings.append(_finding(self.day, ANSWERS, number, sample, "the answer has no grade"))
        elif assessment.error_type in UNASKED_ERRORS and assessment.level_a:
            # no browser here, no reply of the judge, no end within the limits
            if stored.error_type not in UNASKED_ERRORS:
                self._ungraded[(assessment.error_detail or "unknown").rstrip(".")] += 1
        elif unequal := first_difference(_comparable(stored), _comparable(assessment)):
            self._changed[self.suite.cases[response.task_id].use_case] += 1
            what = f"{unequal} (the answer is line {number} of {ANSWERS})"
            self._findings.append(_finding(self.day, GRADES, place, sample, what))

    def close(self) -> Regraded:
        day, findings = self.day, self._findings
        self.grading.close()
        for key, (place, _) in self._grades.items():
            findings.append(_finding(day, GRADES, place, _sample(key), f"the grade has no answer in {ANSWERS}"))
        findings.sort(key=lambda each: (each.file, each.line or 0))
        if self._ungraded:
            why, _ = self._ungraded.most_common(1)[0]
            what = f"{self._ungraded.total()} of its answers could not be graded again here: {why}"
            findings.append(Finding(f"{DAILY}/{day.date}", None, None, what))
        return Regraded(self._graded, findings, dict(self._changed))


async def _calibration_findings(day: Day, suite: DailySuite, replies: Sequence[JudgeReply]) -> list[Finding]:
    """The judge's calibration of that day, made again from what it said of the frozen answers."""
    stored = day.record.calibration
    if stored is None or stored.error:
        return []
    judge = recorded_judge(suite.manifest.judge, replies)
    again = await calibrate(judge, suite, calibration_set(suite))
    fields = ("items", "shift") if "judge" in suite.version.partition("+")[2] else ("items", "shift", "barred")
    unequal = first_difference(*({name: getattr(each, name) for name in fields} for each in (stored, again)))
    return [Finding(f"{DAILY}/{day.date}/{DAY_FILE}", None, "calibration", str(unequal))] if unequal else []


def _grading(day: Day, suite: DailySuite, sandbox: Choice, replies: Sequence[JudgeReply]) -> Grading:
    grading = Grading(suite, sandbox)
    calibration = day.record.calibration
    if calibration is not None and not calibration.error:
        grading.judge = recorded_judge(suite.manifest.judge, replies)
    grading.no_judge = (calibration and calibration.error) or grading.no_judge
    return grading


def _read(path: Path, shape: type[T], findings: list[Finding]) -> dict[int, T]:
    """Line number → record; a line that can't be read is a finding."""
    if (at_once := all_at_once(path, shape, strict=True)) is not None:
        return dict(enumerate(at_once, 1))
    records: dict[int, T] = {}
    decode = msgspec.json.Decoder(shape).decode
    for number, line in numbered_lines(path):
        try:
            records[number] = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            where = f"{DAILY}/{path.parent.name}/{path.name}"
            findings.append(Finding(where, number, None, f"the line can't be read: {error}"))
    return records


def _comparable(graded: Grade | Assessment) -> dict[str, Any]:
    """What of a grade depends on the answer alone."""
    fields = {name: getattr(graded, name) for name in COMPARED}
    if graded.error_type in UNASKED_ERRORS:
        fields["breakdown"] = {}
    return fields


def _finding(day: Day, name: str, line: int | None, sample: str, what: str) -> Finding:
    return Finding(f"{DAILY}/{day.date}/{name}", line, sample, what)


def _sample(key: TrialKey) -> str:
    return f"{key.model} · {key.task_id} · {key.context} {key.sample}"
