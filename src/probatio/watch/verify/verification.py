"""Verify: check ledger and files, compute grades, scores and verdicts again, and name every difference."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

import msgspec

from probatio.builtin.daily.graders import require_graders
from probatio.core.clock import today
from probatio.core.errors import ProbatioError
from probatio.core.records import Acceptance, Constants, Day, ModelVerdict
from probatio.core.trust import Untrusted
from probatio.jail import Choice
from probatio.runs.collector import calm_collector
from probatio.runs.store.days import days_ahead, describe_ahead, read_day, suite_folder
from probatio.runs.store.layout import DAILY
from probatio.suites.daily_suite import DailySuite, constants_of, load_daily
from probatio.watch.day.samples import ServedLine
from probatio.watch.ledger.chain import (
    WHERE,
    Finding,
    check_chain,
    check_files,
    check_head,
    check_recorded,
    find_in_day,
)
from probatio.watch.ledger.difference import first_difference
from probatio.watch.ledger.ledger import (
    JUDGING,
    LedgerLine,
    LedgerRecord,
    code_version,
    describe_withdrawn,
    find_taken_back,
    find_withdrawn,
    head_of,
    read_ledger,
    standing_acceptances,
    verdicts_by_date,
)
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence.evidence import EDITION
from probatio.watch.verify.conduct import (
    check_acceptances,
    check_closings,
    check_constants,
    check_kinds,
    check_lateness,
    check_suites,
    check_withdrawals,
    describe_lateness,
    read_asked,
)
from probatio.watch.verify.regrade import regrade_days
from probatio.watch.verify.scores import ScoreChecks, Undone, scoring_constants

Standing = Mapping[str, tuple[LedgerLine, LedgerRecord]]
"""Date → the record that counts, and its line."""


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What was computed again, and every difference."""

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
    given: Path | None = None,
) -> Verification:
    """Check the whole ledger, and for these dates (all, if None) files, grades, scores and verdicts.

    `given`: the folder of the suite, for days that name one outside of the results. Raises `Untrusted` before
    anything is graded, if a suite asks for what the user has not allowed.
    """
    lines = read_ledger(results)
    every = _read_records(lines)
    recorded = [(line, record) for line, record in every if record.kind in JUDGING]
    standing = {record.date: (line, record) for line, record in recorded}
    withdrawn = find_withdrawn(record for _, record in every)
    ever, standing = standing, {date: each for date, each in standing.items() if date not in withdrawn}
    gone = {date: each for date, each in ever.items() if date in withdrawn}
    accepted = [(line, record.acceptance) for line, record in every if record.acceptance is not None]
    accepted_now = [
        each.acceptance for each in standing_acceptances(record for _, record in every) if each.acceptance
    ]
    taken_back = find_taken_back(record for _, record in every)
    wanted = {date: each for date, each in standing.items() if dates is None or date in dates}
    findings = [
        *check_chain(lines),
        *check_head(lines, head),
        *check_acceptances(accepted, ever),
        *check_withdrawals(every),
        *check_recorded(results, ever),
    ]
    readable, unreadable = _read_days(results, standing, wanted)
    asked_for = {date: each for date, each in gone.items() if dates is None or date in dates}
    kept, changed = _read_days(results, gone, asked_for)
    findings += [*unreadable, *changed]
    days, suites = Days(readable, accepted_now), SuitesOfDays(results, given)
    if grades:
        suites.require_trust((day for day in readable if day.date in wanted), sandbox)
    with calm_collector():
        findings += _check_conduct(readable, standing, wanted, suites)
        undone = Undone(taken_back, [(day, withdrawn[day.date].made) for day in kept])
        again = _DaysAgain(results, days, recorded, suites, undone)
        again.check([day for day in readable if day.date in wanted], sandbox, grades=grades)
        findings += [*again.conduct, *again.findings, *check_verdicts(days, wanted)]
    return Verification(
        records=len(lines),
        head=head_of(lines),
        days=len(wanted),
        files=sum(len(record.files) for _, record in wanted.values()),
        grades=again.grades,
        scores=again.scores,
        verdicts=sum(len(record.verdicts) for _, record in wanted.values()),
        findings=findings,
        notes=[
            *_note_records(results, wanted),
            *again.notes,
            *_note_acceptances(accepted, taken_back),
            *(f"{describe_withdrawn(each)}. It counts nowhere" for each in withdrawn.values()),
        ],
        simulated=sum(day.record.simulated for day in readable),
        imported=sum(bool(day.record.imported) for day in readable),
        replayed=sum(day.record.replayed for day in readable),
        late=sum(bool(day.record.asked_late) for day in readable),
    )


def _read_days(results: Path, standing: Standing, wanted: Standing) -> tuple[list[Day], list[Finding]]:
    """The recorded days that can be read; and the findings on the others and on the files of those wanted."""
    readable: list[Day] = []
    findings: list[Finding] = []
    for date, (line, record) in sorted(standing.items(), key=itemgetter(0)):
        if date in wanted:
            findings += check_files(results, line, record)
        try:
            day = read_day(results / DAILY / date)
        except (ProbatioError, FileNotFoundError) as error:
            if (results / DAILY / date).is_dir():
                findings.append(find_in_day(date, str(error)))
            continue
        if record.replayed and not day.record.replayed:  # declared by the ledger since
            day = Day(msgspec.structs.replace(day.record, replayed=True), day.scores)
        readable.append(day)
    return readable, findings


def _check_conduct(
    readable: Sequence[Day], standing: Standing, wanted: Standing, suites: SuitesOfDays
) -> list[Finding]:
    """How the wanted days were run, as far as a comparison of all days shows it."""
    findings = [
        *check_kinds(readable),
        *check_suites(readable, standing),
        *check_constants(readable, standing, suites.constants),
    ]
    return [
        each
        for each in findings
        if (each.sample if each.file == WHERE else each.file.split("/")[1]) in wanted
    ]


def _note_records(results: Path, wanted: Standing) -> Iterator[str]:
    """Earlier editions of the evidence, and days that lie in the future."""
    earlier = {record.constants.evidence.edition for _, record in wanted.values()}
    for edition in sorted(earlier - {EDITION}):
        yield EARLIER.format(edition=edition)
    if ahead := [date for date in days_ahead(results, today()) if date in wanted]:
        yield describe_ahead(ahead, today())


def _note_acceptances(
    accepted: Iterable[tuple[LedgerLine, Acceptance]], taken_back: Mapping[Acceptance, LedgerRecord]
) -> Iterator[str]:
    for _, each in accepted:
        undone = taken_back.get(each)
        why = f": {undone.why}" if undone and undone.why else ""
        end = f"; taken back by {undone.by} on {undone.made[:10]}{why}" if undone else ""
        yield f"{each.model} was accepted as it is from {each.begins} on, by {each.by}: {each.why}{end}"


class _DaysAgain:
    """Checks days one by one: how each was run, and its grades and scores, computed again."""

    def __init__(
        self,
        results: Path,
        days: Days,
        recorded: Iterable[tuple[LedgerLine, LedgerRecord]],
        suites: SuitesOfDays,
        undone: Undone,
    ) -> None:
        self._results = results
        self._suites = suites
        self._records: dict[str, list[LedgerRecord]] = {}
        for _, record in recorded:
            self._records.setdefault(record.date, []).append(record)
        self._scores = ScoreChecks(results, days, scoring_constants(recorded), undone)
        self._served: dict[str, list[ServedLine] | None] = {}  # of the days that are being graded
        self.conduct: list[Finding] = []
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self.grades = 0
        self.scores = 0

    def check(self, days: Iterable[Day], sandbox: Choice, *, grades: bool) -> None:
        """Check these days; with `grades` off, only how each was run."""
        for day, suite, regraded in regrade_days(self._list_gradable(days, grades), sandbox):
            answers = self._served.pop(day.date)
            if isinstance(regraded, ProbatioError):
                self._name_ungradable(day, regraded)
                continue
            self.grades += regraded.graded
            self.scores += len(day.scores)
            self.findings += regraded.findings
            self.findings += self._scores.findings(day, suite, answers)

    def _list_gradable(self, days: Iterable[Day], grades: bool) -> Iterator[tuple[Path, Day, DailySuite]]:
        """The days to be graded. How each was run is checked here too, so that its answers are read once."""
        for day in days:
            folder = self._results / DAILY / day.date
            asked, served = read_asked(folder)
            self.conduct += check_lateness(day, asked)
            records = self._records[day.date]
            self.conduct += check_closings(self._results, day, records, asked, self._suites.use_cases)
            if note := describe_lateness(day, asked):
                self.notes.append(note)
            if not grades:
                continue
            try:
                suite = self._suites.of(day)
            except ProbatioError as error:
                self._name_ungradable(day, error)
                continue
            self._served[day.date] = served
            yield folder, day, suite

    def _name_ungradable(self, day: Day, error: ProbatioError) -> None:
        self.findings.append(find_in_day(day.date, f"it could not be graded again: {error}"))


def count_changed_grades(results: Path, day: Day) -> dict[str, int]:
    """Use case → how many stored answers of a day today's graders grade differently."""
    try:
        suite = SuitesOfDays(results).of(day)
    except Unavailable:
        return {}
    (_, _, regraded) = next(regrade_days([(results / DAILY / day.date, day, suite)]))
    if isinstance(regraded, ProbatioError):
        raise regraded
    return regraded.changed


def _read_records(lines: list[LedgerLine]) -> list[tuple[LedgerLine, LedgerRecord]]:
    """The records of the lines that can be read. `check_chain` names the others."""
    recorded: list[tuple[LedgerLine, LedgerRecord]] = []
    for line in lines:
        try:
            recorded.append((line, line.record()))
        except msgspec.DecodeError:
            continue
    return recorded


EARLIER = (
    "some days were judged by edition {edition} of the evidence: of their verdicts the rule is made again, "
    "and the evidence stands as recorded"
)
NO_SUITE = "simulated"
"""The fingerprint of a demo's days: their scores come from a generator."""


class Unavailable(ProbatioError):
    """The suite that a day was asked from is not here."""


class SuitesOfDays:
    """The suites of the days. Each is read once, even if it can't be read."""

    def __init__(self, results: Path, given: Path | None = None) -> None:
        self._results = results
        self._given = given
        self._read: dict[Path | None, DailySuite | ProbatioError] = {}
        self._under: dict[tuple[Path | None, str], DailySuite] = {}

    def of(self, day: Day) -> DailySuite:
        """The day's suite, under the version it recorded."""
        if day.record.suite_fingerprint == NO_SUITE:
            raise Unavailable("no model was asked on a simulated day.")
        folder, asked = self._folder(day), day.record.suite_version
        if (folder, asked) not in self._under:
            suite = self._suite(folder)
            if suite.version.partition("+")[0] != asked.partition("+")[0]:
                raise Unavailable(
                    f"it was asked from suite version {asked}, here is version {suite.version}."
                )
            manifest = msgspec.structs.replace(suite.manifest, version=asked)
            self._under[folder, asked] = msgspec.structs.replace(suite, manifest=manifest)
        return self._under[folder, asked]

    def require_trust(self, days: Iterable[Day], sandbox: Choice) -> None:
        """Refuse suites of these days that the user does not know or trust. One that can't be read is named
        with its day."""
        for day in days:
            try:
                suite = self.of(day)
            except Untrusted:
                raise
            except ProbatioError:
                continue
            require_graders(suite, sandbox)

    def _folder(self, day: Day) -> Path | None:
        if self._given is not None and os.sep in day.record.suite:
            return self._given
        return suite_folder(self._results, day.record)

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

    def _suite(self, folder: Path | None) -> DailySuite:
        if folder not in self._read:
            try:
                self._read[folder] = load_daily(folder)
            except ProbatioError as error:
                self._read[folder] = error
        read = self._read[folder]
        if isinstance(read, ProbatioError):
            raise read
        return read


def check_verdicts(days: Days, standing: Standing) -> Iterator[Finding]:
    """Make the verdicts again from the recorded scores, with the constants of each record."""
    there = set(days.dates)
    used = {date: record.constants for date, (_, record) in standing.items() if date in there}
    computed = verdicts_by_date(days, used)
    for date in sorted(used):
        yield from _check_record(*standing[date], computed[date])


def _by_rule(verdict: ModelVerdict) -> ModelVerdict:
    """What the rule alone says: what an earlier edition of the evidence said can't be made again."""
    none = ModelVerdict(date="", model="", status="OK")
    use_cases = tuple(
        msgspec.structs.replace(each, evidence=None, recovered=False) for each in verdict.use_cases
    )
    return msgspec.structs.replace(
        verdict, use_cases=use_cases, **{name: getattr(none, name) for name in OF_THE_EVIDENCE}
    )


OF_THE_EVIDENCE = (
    *("evidence", "evidence_value", "reference_days", "changed_on", "named", "improvement", "confirmed"),
    *(
        "cause",
        "cause_reason",
        "symptoms",
        "headline",
        "headline_since",
        "recovered",
        "smallest_drop",
        "reason",
    ),
    *("proof", "lower"),
)
"""Fields of a verdict that depend on the evidence."""


def _check_record(
    line: LedgerLine, record: LedgerRecord, computed: Sequence[ModelVerdict]
) -> Iterator[Finding]:
    again, code = {verdict.model: verdict for verdict in computed}, code_version()
    earlier = record.constants.evidence.edition != EDITION
    other = "" if record.code == code else f" (recorded by {record.code}, made again by {code})"
    for stored in record.verdicts:
        verdict = again.pop(stored.model, None)
        sample = f"{record.date} · {stored.model}"
        if verdict is None:
            yield Finding(WHERE, line.number, sample, f"the scores of the day give no such verdict{other}")
        elif unequal := first_difference(*map(_by_rule, (stored, verdict)) if earlier else (stored, verdict)):
            yield Finding(WHERE, line.number, sample, f"{unequal}{other}")
    for model in again:
        sample = f"{record.date} · {model}"
        yield Finding(WHERE, line.number, sample, f"a verdict is missing from the record{other}")
