"""Verifying: ledger, files, grades, scores and verdicts are made again from what stands before them, differences named."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from probatio.audit.conduct import (
    acceptance_findings,
    closing_findings,
    constants_findings,
    kind_findings,
    lateness_findings,
    lateness_note,
    read_asked,
    suite_findings,
)
from probatio.audit.regrade import Regraded, regrade_day, regrade_days
from probatio.audit.scores import Scores
from probatio.audit.suites import Suites, Unavailable
from probatio.audit.verdicts import verdict_findings
from probatio.day.samples import ServedLine
from probatio.errors import ProbatioError
from probatio.ledger.chain import WHERE, Finding, chain_findings, file_findings, head_findings, unrecorded
from probatio.ledger.ledger import LedgerRecord, Line, head_of, read_ledger
from probatio.records import Day
from probatio.run.clock import today
from probatio.sandbox import Choice
from probatio.store.days import days_ahead, read_day, settled, told_ahead
from probatio.store.layout import DAILY
from probatio.suite.daily_suite import DailySuite
from probatio.verdict.days import Days


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was made again, and what came out otherwise."""

    records: int
    head: str | None  # SHA-256 of the last line
    days: int
    files: int
    grades: int
    scores: int
    verdicts: int
    findings: list[Finding]  # the first difference first
    notes: list[str]
    simulated: int = 0  # days of a rehearsal
    imported: int = 0  # days taken in from a file
    replayed: int = 0  # days under a set date, by their own record or by the ledger's
    late: int = 0  # days with a model that was asked on another date, and says so


def verify(
    results: Path,
    *,
    dates: Collection[str] | None = None,
    grades: bool = True,
    head: str | None = None,
    sandbox: Choice = "auto",
) -> Report:
    """Check the whole ledger, and of these dates (all, if None) files, grades, scores and verdicts."""
    lines = read_ledger(results)
    findings = [*chain_findings(lines), *head_findings(lines, head)]
    every = _recorded(lines)
    recorded = [(line, record) for line, record in every if record.kind != "acceptance"]
    standing = {record.date: (line, record) for line, record in recorded}
    accepted = [(line, record.acceptance) for line, record in every if record.acceptance is not None]
    findings += acceptance_findings(accepted, standing)
    findings += unrecorded(results, standing)
    wanted = {date for date in standing if dates is None or date in dates}
    counts = {"files": 0, "grades": 0, "scores": 0, "verdicts": 0}
    readable: list[Day] = []
    for date in sorted(standing):
        line, record = standing[date]
        if date in wanted:
            counts["files"] += len(record.files)
            findings += file_findings(results, line, record)
        try:
            day = read_day(results / DAILY / date)
            readable.append(_as_declared(day, record))
        except (ProbatioError, FileNotFoundError) as error:
            if (results / DAILY / date).is_dir():
                findings.append(Finding(f"{DAILY}/{date}", None, None, str(error)))
    days, suites = Days(readable, (each for _, each in accepted)), Suites(results)
    with settled():
        conduct = [
            *kind_findings(readable),
            *suite_findings(readable, standing),
            *constants_findings(readable, standing, suites.constants),
        ]
        conduct = [each for each in conduct if _date_of(each) in wanted]
        again: list[Finding] = []
        notes: list[str] = []
        if ahead := [date for date in days_ahead(results, today()) if date in wanted]:
            notes.append(told_ahead(ahead, today()))
        scores, of_date = Scores(results, days), _by_date(recorded)
        served: dict[str, list[ServedLine] | None] = {}  # of the days that are being graded

        def gradable() -> Iterator[tuple[Path, Day, DailySuite]]:
            """The days to be graded, each when its turn comes; how it was run is looked at on the way, so that its answers are
            read once."""
            for day in readable:
                if day.date not in wanted:
                    continue
                folder = results / DAILY / day.date
                asked, of_day = read_asked(folder)
                conduct.extend(lateness_findings(day, asked))
                conduct.extend(closing_findings(results, day, of_date[day.date], asked, suites.use_cases))
                notes.extend([note] if (note := lateness_note(day, asked)) else [])
                if grades:
                    try:
                        suite = suites.of(day)
                    except ProbatioError as error:
                        again.append(_ungradable(day, error))
                        continue
                    served[day.date] = of_day
                    yield folder, day, suite

        for day, suite, regraded in regrade_days(gradable(), sandbox):
            answers = served.pop(day.date)
            if isinstance(regraded, ProbatioError):
                again.append(_ungradable(day, regraded))
                continue
            counts["grades"] += regraded.graded
            again += regraded.findings
            counts["scores"] += len(day.scores)
            again += scores.findings(day, suite, answers)
        findings += [*conduct, *again, *verdict_findings(days, {date: standing[date] for date in wanted})]
    counts["verdicts"] = sum(len(standing[date][1].verdicts) for date in wanted)
    return Report(
        records=len(lines),
        head=head_of(lines),
        days=len(wanted),
        findings=findings,
        notes=[
            *notes,
            *(
                f"{each.model} was accepted as it is from {each.begins} on, by {each.by}: {each.why}"
                for _, each in accepted
            ),
        ],
        simulated=sum(day.record.simulated for day in readable),
        imported=sum(bool(day.record.imported) for day in readable),
        replayed=sum(day.record.replayed for day in readable),
        late=sum(bool(day.record.asked_late) for day in readable),
        **counts,
    )


def _ungradable(day: Day, why: ProbatioError) -> Finding:
    return Finding(f"{DAILY}/{day.date}", None, None, f"it could not be graded again: {why}")


def changed_grades(results: Path, day: Day, sandbox: Choice = "auto") -> dict[str, int]:
    """Use case → how many of a day's stored answers today's graders grade otherwise than that day's did."""
    try:
        suite = Suites(results).of(day)
    except Unavailable:
        return {}
    regraded: Regraded = regrade_day(results / DAILY / day.date, day, suite, sandbox)
    return regraded.changed


def _recorded(lines: list[Line]) -> list[tuple[Line, LedgerRecord]]:
    """The records, as far as the lines can be read; those that can't are the chain's to name."""
    recorded: list[tuple[Line, LedgerRecord]] = []
    for line in lines:
        try:
            recorded.append((line, line.record()))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return recorded


def _as_declared(day: Day, record: LedgerRecord) -> Day:
    """The day with what the ledger has declared of it since."""
    if not record.replayed or day.record.replayed:
        return day
    return Day(msgspec.structs.replace(day.record, replayed=True), day.scores)


def _by_date(recorded: list[tuple[Line, LedgerRecord]]) -> dict[str, list[LedgerRecord]]:
    """Date → its records, the one that counts last."""
    of_date: dict[str, list[LedgerRecord]] = {}
    for _, record in recorded:
        of_date.setdefault(record.date, []).append(record)
    return of_date


def _date_of(finding: Finding) -> str | None:
    """The day that a finding about the conduct is of."""
    return finding.sample if finding.file == WHERE else finding.file.split("/")[1]
