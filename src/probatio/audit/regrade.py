"""Grading a day's stored answers again: by code from the answers, by the judge's kept replies, with no call to anyone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from probatio.day.grading import Grading
from probatio.judge.calibration import calibrate, calibration_set
from probatio.judge.judge import Judge, JudgeReply, NoJudgement
from probatio.ledger.chain import Finding
from probatio.ledger.difference import first_difference
from probatio.records import Assessment, Day, Grade, Response, Sampling, TrialKey
from probatio.run.budget import Budget
from probatio.run.job import Stamp
from probatio.sandbox import Choice
from probatio.store.layout import ANSWERS, DAILY, DAY_FILE, GRADES, JUDGE_REPLIES
from probatio.suite.daily import DailySuite, JudgeEntry

T = TypeVar("T")

BATCH = 64
COMPARED = ("score", "error_type", "breakdown", "level_a", "level_b", "level_c", "correct")


class Regraded(msgspec.Struct, frozen=True):
    """What came of it."""

    graded: int
    findings: list[Finding]
    changed: dict[str, int]  # use case → answers that are graded otherwise
    notes: list[str]


class RecordedJudge(Judge):
    """The judge of a past day: it says what it said, and nothing new."""

    def __init__(self, entry: JudgeEntry, replies: Iterable[JudgeReply]) -> None:
        nobody = cast(Any, None)
        super().__init__(entry, nobody, Sampling(), nobody, Stamp("", "", None, ""), lambda _: None, Budget(None))
        self.recall(replies)

    async def _ask(self, key: TrialKey, attempt: int, prompt: str) -> JudgeReply:
        raise NoJudgement("no reply of the judge is kept")


def regrade_day(folder: Path, day: Day, suite: DailySuite, sandbox: Choice = "auto") -> Regraded:
    """Grade every answer of the day and compare with the grade that counts: the last of its key."""
    findings: list[Finding] = []
    responses = dict(_read(folder / ANSWERS, Response, findings))
    grades = {grade.key: (number, grade) for number, grade in _read(folder / GRADES, Grade, findings).items()}
    replies = list(_read(folder / JUDGE_REPLIES, JudgeReply, findings).values())
    findings += asyncio.run(_calibration(day, suite, replies))
    known = suite.cases
    changed: Counter[str] = Counter()
    unjudged = graded = 0
    for number, response, assessment in asyncio.run(_assessments(responses, day, suite, sandbox, replies)):
        sample = _sample(response.key)
        if assessment is None:
            findings.append(_finding(day, ANSWERS, number, sample, "the suite has no such case"))
            continue
        graded += 1
        place, stored = grades.pop(response.key, (None, None))
        if stored is None:
            findings.append(_finding(day, ANSWERS, number, sample, "the answer has no grade"))
        elif assessment.error_type == "api_error" and assessment.level_a:
            unjudged += 1  # nothing to compare with here: no browser, no reply of the judge
        elif unequal := first_difference(_told(stored), _told(assessment)):
            changed[known[response.task_id].use_case] += 1
            findings.append(
                _finding(day, GRADES, place, sample, f"{unequal} (the answer is line {number} of {ANSWERS})")
            )
    for key, (place, _) in grades.items():
        findings.append(_finding(day, GRADES, place, _sample(key), f"the grade has no answer in {ANSWERS}"))
    notes = [f"{day.date}: {unjudged} answers could not be graded again here."] if unjudged else []
    return Regraded(graded, sorted(findings, key=lambda each: (each.file, each.line or 0)), dict(changed), notes)


async def _calibration(day: Day, suite: DailySuite, replies: Sequence[JudgeReply]) -> list[Finding]:
    """How the judge stood that day, from what it said of the frozen answers."""
    standing = day.record.calibration
    if standing is None or standing.error:
        return []
    again = await calibrate(RecordedJudge(suite.manifest.judge, replies), suite, calibration_set(suite))
    told = ("items", "shift") if "judge" in suite.version.partition("+")[2] else ("items", "shift", "barred")
    unequal = first_difference(*({name: getattr(each, name) for name in told} for each in (standing, again)))
    return [Finding(f"{DAILY}/{day.date}/{DAY_FILE}", None, "calibration", str(unequal))] if unequal else []


async def _assessments(
    responses: dict[int, Response], day: Day, suite: DailySuite, sandbox: Choice, replies: Iterable[JudgeReply]
) -> list[tuple[int, Response, Assessment | None]]:
    grading = Grading(suite, sandbox)
    standing = day.record.calibration
    if standing is not None and not standing.error:
        grading.judge = RecordedJudge(suite.manifest.judge, replies)
    grading.no_judge = (standing and standing.error) or grading.no_judge
    known, found = suite.cases, []

    async def one(number: int, response: Response) -> tuple[int, Response, Assessment | None]:
        return number, response, await grading.grade(response) if response.task_id in known else None

    try:
        lines = list(responses.items())
        for first in range(0, len(lines), BATCH):
            found += await asyncio.gather(*(one(*line) for line in lines[first : first + BATCH]))
    finally:
        grading.close()
    return found


def _read(path: Path, kind: type[T], findings: list[Finding]) -> dict[int, T]:
    """Line number → record; a line that can't be read is a finding."""
    found: dict[int, T] = {}
    decode = msgspec.json.Decoder(kind).decode
    for number, line in _lines(path):
        try:
            found[number] = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            where = f"{DAILY}/{path.parent.name}/{path.name}"
            findings.append(Finding(where, number, None, f"the line can't be read: {error}"))
    return found


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    if path.exists():
        with path.open("rb") as file:
            yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())


def _told(graded: Grade | Assessment) -> dict[str, Any]:
    """What of a grade depends on the answer alone."""
    told = {name: getattr(graded, name) for name in COMPARED}
    if graded.error_type == "api_error":
        told["breakdown"] = {}
    return told


def _finding(day: Day, name: str, line: int | None, sample: str, what: str) -> Finding:
    return Finding(f"{DAILY}/{day.date}/{name}", line, sample, what)


def _sample(key: TrialKey) -> str:
    return f"{key.model} · {key.task_id} · {key.context} {key.sample}"
