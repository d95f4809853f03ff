"""Grade a day's stored answers again: by code, and by the judge's kept replies. Nothing is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from probatio.core import jsonfile
from probatio.core.errors import ProbatioError
from probatio.core.records import NOT_SCORED, UNASKED_ERRORS, Assessment, Day, SampleAnswer, SampleGrade
from probatio.grading.judge.asking import JudgeReply, recall_judge
from probatio.grading.judge.calibration import calibrate, calibration_set
from probatio.grading.samples import Grading
from probatio.jail import Choice
from probatio.runs.regrade import assess_again
from probatio.runs.store.layout import ANSWERS, DAY_FILE, GRADES, JUDGE_REPLIES
from probatio.runs.store.lines import all_at_once, number_lines
from probatio.suites.daily_suite import DailySuite
from probatio.watch.ledger.chain import Finding, find_in_day
from probatio.watch.ledger.difference import first_difference

T = TypeVar("T")

COMPARED = ("score", "error_type", "breakdown", "level_a", "level_b", "level_c", "correct")


class Regraded(msgspec.Struct, frozen=True):
    """The result of grading a day again."""

    graded: int
    findings: list[Finding]
    changed: dict[str, int]  # use case → answers that are graded otherwise


def regrade_days(
    days: Iterable[tuple[Path, Day, DailySuite]], sandbox: Choice = "auto"
) -> Iterator[tuple[Day, DailySuite, Regraded | ProbatioError]]:
    """Grade every answer of these days and compare with its last grade, which counts.

    Days come out in order. While the last answers of a day are graded, those of the next begin. A day that
    can't be graded gives the reason.
    """

    def lines() -> Iterator[tuple[_Again, int, SampleAnswer | None]]:
        for folder, day, suite in days:
            again = _Again(folder, day, suite, sandbox)
            yield from ((again, number, response) for number, response in again.known.items())
            yield again, 0, None  # the day's end

    async def assess(line: tuple[_Again, int, SampleAnswer | None]) -> Assessment | ProbatioError | None:
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


class _Again:
    """A day while it is graded again."""

    def __init__(self, folder: Path, day: Day, suite: DailySuite, sandbox: Choice) -> None:
        self.day, self.suite = day, suite
        self.failed: ProbatioError | None = None
        self._findings: list[Finding] = []
        self._changed: Counter[str] = Counter()
        self._ungraded: Counter[str] = Counter()
        self._graded = 0
        responses = _read(folder / ANSWERS, SampleAnswer, self._findings)
        self._grades = {
            grade.key: (number, grade)
            for number, grade in _read(folder / GRADES, SampleGrade, self._findings).items()
        }
        self._replies = list(_read(folder / JUDGE_REPLIES, JudgeReply, self._findings).values())
        # A score that was taken in without its answer has nothing that could be graded.
        if day.record.imported:
            believed = {number for number, response in responses.items() if response.response is None}
            for number in believed:
                self._grades.pop(responses.pop(number).key, None)
        self.known = {
            number: response for number, response in responses.items() if response.case in suite.cases
        }
        for number, response in responses.items():
            if number not in self.known:
                what = "the suite has no such case"
                self._findings.append(find_in_day(day.date, what, ANSWERS, number, str(response.key)))
        self.grading, calibration = Grading(suite, sandbox), day.record.calibration
        if calibration is not None and not calibration.error:
            self.grading.judge = recall_judge(suite.manifest.judge, self._replies)
        self.grading.no_judge = (calibration and calibration.error) or self.grading.no_judge

    async def calibrate(self) -> None:
        """Make the judge's calibration of that day again from its kept replies."""
        stored, suite = self.day.record.calibration, self.suite
        if stored is None or stored.error:
            return
        judge = recall_judge(suite.manifest.judge, self._replies)
        again = await calibrate(judge, suite, calibration_set(suite))
        given = "judge" in suite.version.partition("+")[2]
        fields = ("items", "shift") if given else ("items", "shift", "barred")
        was, now = ({name: getattr(each, name) for name in fields} for each in (stored, again))
        if unequal := first_difference(was, now):
            finding = find_in_day(self.day.date, str(unequal), DAY_FILE, sample="calibration")
            self._findings.append(finding)

    def compare(self, number: int, response: SampleAnswer, assessment: Assessment) -> None:
        sample = str(response.key)
        self._graded += 1
        place, stored = self._grades.pop(response.key, (None, None))
        if stored is None:
            what = "the answer has no grade"
            self._findings.append(find_in_day(self.day.date, what, ANSWERS, number, sample))
        elif assessment.error_type in UNASKED_ERRORS - {NOT_SCORED} and assessment.level_a:
            # no browser here, no reply of the judge, no end within the limits
            if stored.error_type not in UNASKED_ERRORS:
                self._ungraded[(assessment.error_detail or "unknown").rstrip(".")] += 1
        elif unequal := first_difference(_comparable_fields(stored), _comparable_fields(assessment)):
            self._changed[self.suite.cases[response.case].use_case] += 1
            what = f"{unequal} (the answer is line {number} of {ANSWERS})"
            self._findings.append(find_in_day(self.day.date, what, GRADES, place, sample))

    def close(self) -> Regraded:
        date, findings = self.day.date, self._findings
        for key, (place, _) in self._grades.items():
            what = f"the grade has no answer in {ANSWERS}"
            findings.append(find_in_day(date, what, GRADES, place, str(key)))
        findings.sort(key=lambda each: (each.file, each.line or 0))
        if self._ungraded:
            why, _ = self._ungraded.most_common(1)[0]
            what = f"{self._ungraded.total()} of its answers could not be graded again here: {why}"
            findings.append(find_in_day(date, what))
        return Regraded(self._graded, findings, dict(self._changed))


def _read(path: Path, shape: type[T], findings: list[Finding]) -> dict[int, T]:
    """Line number → record. An unreadable line is a finding."""
    if (at_once := all_at_once(path, shape, strict=True)) is not None:
        return dict(enumerate(at_once, 1))
    records: dict[int, T] = {}
    decode = jsonfile.Decoder(shape).decode
    for number, line in number_lines(path):
        try:
            records[number] = decode(line)
        except msgspec.DecodeError as error:
            what = f"the line can't be read: {error}"
            findings.append(find_in_day(path.parent.name, what, path.name, number))
    return records


def _comparable_fields(graded: SampleGrade | Assessment) -> dict[str, Any]:
    """The parts of a grade that depend on the answer alone."""
    fields = {name: getattr(graded, name) for name in COMPARED}
    if graded.error_type in UNASKED_ERRORS:
        fields["breakdown"] = {}
    return fields
