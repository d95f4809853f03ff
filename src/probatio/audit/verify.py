"""Verifying: ledger, files, grades, scores and verdicts are made again from what stands before them, differences named."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
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
from probatio.day.samples import read_samples
from probatio.day.scores import score_day
from probatio.errors import ProbatioError
from probatio.ledger.chain import WHERE, Finding, chain_findings, file_findings, head_findings, unrecorded
from probatio.ledger.difference import first_difference
from probatio.ledger.ledger import LedgerRecord, Line, code_version, head_of, read_ledger
from probatio.records import Constants, DailyScore, Day, ModelVerdict
from probatio.sandbox import Choice
from probatio.store.days import read_day, suite_folder
from probatio.store.layout import DAILY, LEDGER, SCORES
from probatio.suite.daily_suite import DailySuite, constants_of, load_daily
from probatio.verdict.days import Days, suite_of
from probatio.verdict.expectation import Expectation, expectations
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
    wanted = sorted(date for date in standing if dates is None or date in dates)
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
    days, suites = Days(readable, (each for _, each in accepted)), _Suites(results)
    conduct, notes = _conduct(results, readable, recorded, suites)
    findings += (each for each in conduct if _date_of(each) in wanted)
    past = _Past(days)
    gradable: list[tuple[Path, Day, DailySuite]] = []
    for day in readable if grades else ():
        if day.date in wanted:
            try:
                gradable.append((results / DAILY / day.date, day, suites.of(day)))
            except ProbatioError as error:
                findings.append(_ungradable(day, error))
    for day, suite, regraded in regrade_days(gradable, sandbox):
        if isinstance(regraded, ProbatioError):
            findings.append(_ungradable(day, regraded))
            continue
        counts["grades"] += regraded.graded
        findings += regraded.findings
        counts["scores"] += len(day.scores)
        findings += _scores(results, day, suite, days, past)
    findings += _verdicts(days, {date: standing[date] for date in wanted})
    counts["verdicts"] = sum(len(standing[date][1].verdicts) for date in wanted)
    return Report(
        records=len(lines),
        head=head_of(lines),
        days=len(wanted),
        findings=findings,
        notes=[note for date, note in notes.items() if date in wanted]
        + [
            f"{each.model} was accepted as it is from {each.begins} on, by {each.by}: {each.why}"
            for _, each in accepted
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
        suite = _Suites(results).of(day)
    except Unavailable:
        return {}
    regraded: Regraded = regrade_day(results / DAILY / day.date, day, suite, sandbox)
    return regraded.changed


NO_SUITE = "simulated"
"""The fingerprint of a demo's days: their scores come from a generator."""


class Unavailable(ProbatioError):
    """The suite that a day was asked from is not here."""


class _Suites:
    """The suites that the days were asked from, each read once."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._read: dict[Path | None, DailySuite] = {}

    def of(self, day: Day) -> DailySuite:
        """The day's suite, under the version it recorded."""
        if day.record.suite_fingerprint == NO_SUITE:
            raise Unavailable("no model was asked on a simulated day.")
        folder, asked = suite_folder(self._results, day.record), day.record.suite_version
        if folder not in self._read:
            self._read[folder] = load_daily(folder)
        suite = self._read[folder]
        if suite.version.partition("+")[0] != asked.partition("+")[0]:
            raise Unavailable(f"it was asked from suite version {asked}, here is version {suite.version}.")
        return msgspec.structs.replace(suite, manifest=msgspec.structs.replace(suite.manifest, version=asked))

    def constants(self, day: Day) -> Constants | None:
        try:
            return constants_of(self.of(day).manifest)
        except ProbatioError:
            return None

    def use_cases(self, day: Day) -> dict[str, str] | None:
        """Case → use case."""
        try:
            return {case.id: case.use_case for case in self.of(day).cases.values()}
        except ProbatioError:
            return None


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


def _conduct(
    results: Path, days: list[Day], recorded: list[tuple[Line, LedgerRecord]], suites: _Suites
) -> tuple[list[Finding], dict[str, str]]:
    """How the days were run: what is wrong, and date → what is only to be known."""
    standing = {record.date: (line, record) for line, record in recorded}
    findings = [*kind_findings(days), *suite_findings(days, standing)]
    findings += constants_findings(days, standing, suites.constants)
    notes: dict[str, str] = {}
    of_date: dict[str, list[LedgerRecord]] = {}
    for _, record in recorded:
        of_date.setdefault(record.date, []).append(record)
    for day in days:
        answers = read_asked(results / DAILY / day.date)
        findings += lateness_findings(day, answers)
        findings += closing_findings(results, day, of_date[day.date], answers, suites.use_cases)
        if note := lateness_note(day, answers):
            notes[day.date] = note
    return findings, notes


def _date_of(finding: Finding) -> str | None:
    """The day that a finding about the conduct is of."""
    return finding.sample if finding.file == WHERE else finding.file.split("/")[1]


class _Past:
    """What the days before each day say. They are folded once for all days of a suite, asked for in order; a year of days would
    else be folded for every day of it."""

    def __init__(self, days: Days) -> None:
        self._days = days
        self._going: tuple[tuple[str, str], Constants] | None = None
        self._next: Iterator[tuple[str, Expectation]] = iter(())

    def of(self, day: Day, constants: Constants) -> Expectation:
        suite = suite_of(day.record)
        if self._going != (suite, constants):
            self._going, self._next = (suite, constants), expectations(self._days, constants, suite)
        for date, expectation in self._next:
            if date == day.date:
                return expectation
            if date > day.date:
                break
        self._going = None
        return Expectation(self._days.before(day.date), constants, suite, day.date)


def _scores(results: Path, day: Day, suite: DailySuite, days: Days, past: _Past) -> list[Finding]:
    """The scores, made again from the recorded grades. Days that were imported after this one was begun were not there then; they
    were where it was run further since."""
    constants = constants_of(suite.manifest)
    findings = list(_scores_after(results, day, suite, past.of(day, constants)))
    if not findings:
        return findings
    earlier = days.before(day.date)
    then = [each for each in earlier.days if not each.record.imported or each.record.created <= day.record.created]
    if len(then) == len(earlier.days):
        return findings
    before = Expectation(Days(then, earlier.accepted), constants, suite_of(day.record), day.date)
    return list(_scores_after(results, day, suite, before)) and findings


def _scores_after(results: Path, day: Day, suite: DailySuite, past: Expectation) -> Iterator[Finding]:
    folder, where = results / DAILY / day.date, f"{DAILY}/{day.date}/{SCORES}"
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
        elif unequal := first_difference(_but_lateness(stored), _but_lateness(again)):
            yield Finding(where, number, sample, str(unequal))
    for model, use_case in computed:
        yield Finding(
            where, None, f"{model} · {use_case}", "the grades of the day give a score that is not in the file"
        )


def _but_lateness(line: DailyScore) -> DailyScore:
    """Without the mark of having been asked late, which is checked by itself."""
    return msgspec.structs.replace(line, asked_late=None)


def _verdicts(days: Days, standing: Mapping[str, tuple[Line, LedgerRecord]]) -> Iterator[Finding]:
    """The verdicts, made again from the recorded scores with the constants each record carries."""
    by_constants: dict[Constants, set[str]] = {}
    there = set(days.dates)
    for date, (_, record) in standing.items():
        if date in there:
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
