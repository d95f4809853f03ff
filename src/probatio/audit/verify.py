"""Verifying: ledger, files, grades, scores and verdicts are made again from what stands before them, differences named."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from probatio.audit.regrade import Regraded, regrade_day
from probatio.day.samples import read_samples
from probatio.day.scores import score_day
from probatio.errors import ProbatioError
from probatio.ledger.chain import Finding, chain_findings, file_findings, head_findings, unrecorded
from probatio.ledger.difference import first_difference
from probatio.ledger.ledger import LedgerRecord, Line, code_version, read_ledger
from probatio.records import Constants, DailyScore, Day, ModelVerdict
from probatio.sandbox import Choice
from probatio.store.days import read_day, suite_folder
from probatio.store.layout import DAILY, LEDGER, SCORES
from probatio.suite.daily_suite import DailySuite, constants_of, load_daily
from probatio.verdict.days import Days
from probatio.verdict.expectation import Expectation
from probatio.verdict.verdicts import verdicts


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
    notes: list[str]  # what could not be made again here, and why


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
    standing = _standing(lines)
    findings += unrecorded(results, standing)
    wanted = sorted(date for date in standing if dates is None or date in dates)
    counts = {"files": 0, "grades": 0, "scores": 0, "verdicts": 0}
    notes: list[str] = []
    readable: list[Day] = []
    for date in sorted(standing):
        line, record = standing[date]
        if date in wanted:
            counts["files"] += len(record.files)
            findings += file_findings(results, line, record)
        try:
            readable.append(read_day(results / DAILY / date))
        except (ProbatioError, FileNotFoundError) as error:
            if (results / DAILY / date).is_dir():
                findings.append(Finding(f"{DAILY}/{date}", None, None, str(error)))
    days = Days(readable)
    for day in readable if grades else ():
        if day.date in wanted:
            suite, why = _suite_of(results, day)
            if suite is None:
                notes.append(why)
                continue
            regraded = regrade_day(results / DAILY / day.date, day, suite, sandbox)
            notes += regraded.notes
            counts["grades"] += regraded.graded
            findings += regraded.findings
            counts["scores"] += len(day.scores)
            findings += _scores(results, day, suite, days)
    findings += _verdicts(days, {date: standing[date] for date in wanted})
    counts["verdicts"] = sum(len(standing[date][1].verdicts) for date in wanted)
    return Report(
        records=len(lines),
        head=lines[-1].sha256 if lines else None,
        days=len(wanted),
        findings=findings,
        notes=list(dict.fromkeys(notes)),
        **counts,
    )


def changed_grades(results: Path, day: Day, sandbox: Choice = "auto") -> dict[str, int]:
    """Use case → how many of a day's stored answers today's graders grade otherwise than that day's did."""
    suite, _ = _suite_of(results, day)
    if suite is None:
        return {}
    regraded: Regraded = regrade_day(results / DAILY / day.date, day, suite, sandbox)
    return regraded.changed


def _standing(lines: list[Line]) -> dict[str, tuple[Line, LedgerRecord]]:
    """Date → the record that counts, as far as the lines can be read; those that can't are the chain's to name."""
    standing: dict[str, tuple[Line, LedgerRecord]] = {}
    for line in lines:
        try:
            record = line.record()
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        standing[record.date] = line, record
    return standing


def _suite_of(results: Path, day: Day) -> tuple[DailySuite | None, str]:
    """The suite a day was asked from, under the version it recorded; None with the reason where it is gone."""
    if day.record.simulated:
        return None, "Simulated days were not graded again: they hold no answers."
    suite = load_daily(suite_folder(results, day.record))
    asked = day.record.suite_version
    if suite.version.partition("+")[0] != asked.partition("+")[0]:
        return None, f"Days of suite version {asked} were not graded again: here is version {suite.version}."
    return msgspec.structs.replace(suite, manifest=msgspec.structs.replace(suite.manifest, version=asked)), ""


def _scores(results: Path, day: Day, suite: DailySuite, days: Days) -> Iterator[Finding]:
    """The scores, made again from the recorded grades."""
    folder, where = results / DAILY / day.date, f"{DAILY}/{day.date}/{SCORES}"
    earlier = Days(each for each in days.days if each.date < day.date)
    past = Expectation(earlier, constants_of(suite.manifest), suite.manifest.version, day.date)
    wanted = {model: list(lines) for model, lines in day.lines.items()}
    # Why a model could not be asked to the end stands in its gap lines and nowhere else.
    refused = {
        model: next(iter(lines.values())).gap or ""
        for model, lines in day.lines.items()
        if all(line.score is None for line in lines.values())
    }
    try:
        samples = read_samples(folder, suite)
        scored = score_day(day.record, suite, past, samples, wanted, {})
        if scored.missing:
            reasons = {model: reason for model, reason in refused.items() if model in scored.missing}
            scored = score_day(day.record, suite, past, samples, wanted, reasons)
    except ProbatioError as error:
        yield Finding(where, None, None, f"the scores can't be made again: {error}")
        return
    computed: dict[tuple[str, str], DailyScore] = {(line.model, line.use_case): line for line in scored.scores}
    for number, stored in enumerate(day.scores, start=1):
        again = computed.pop((stored.model, stored.use_case), None)
        sample = f"{stored.model} · {stored.use_case}"
        if again is None:
            yield Finding(where, number, sample, "the grades of the day give no such score")
        elif unequal := first_difference(stored, again):
            yield Finding(where, number, sample, str(unequal))
    for model, use_case in computed:
        yield Finding(
            where, None, f"{model} · {use_case}", "the grades of the day give a score that is not in the file"
        )


def _verdicts(days: Days, standing: Mapping[str, tuple[Line, LedgerRecord]]) -> Iterator[Finding]:
    """The verdicts, made again from the recorded scores with the constants each record carries."""
    by_constants: dict[Constants, set[str]] = {}
    for date, (_, record) in standing.items():
        if date in days.dates:
            by_constants.setdefault(record.constants, set()).add(date)
    computed: dict[str, list[ModelVerdict]] = {}
    for constants, dates in by_constants.items():
        for verdict in verdicts(days.until(max(dates)), constants, dates=dates):
            computed.setdefault(verdict.date, []).append(verdict)
    for date in sorted(date for dates in by_constants.values() for date in dates):
        line, record = standing[date]
        yield from _of_record(line, record, computed.get(date, []))


def _of_record(line: Line, record: LedgerRecord, computed: list[ModelVerdict]) -> Iterator[Finding]:
    where, again = f"{DAILY}/{LEDGER}", {verdict.model: verdict for verdict in computed}
    other = "" if record.code == code_version() else f" (recorded by {record.code}, made again by {code_version()})"
    for stored in record.verdicts:
        verdict = again.pop(stored.model, None)
        sample = f"{record.date} · {stored.model}"
        if verdict is None:
            yield Finding(where, line.number, sample, f"the scores of the day give no such verdict{other}")
        elif unequal := first_difference(stored, verdict):
            yield Finding(where, line.number, sample, f"{unequal}{other}")
    for model in again:
        yield Finding(where, line.number, f"{record.date} · {model}", f"a verdict is missing from the record{other}")
