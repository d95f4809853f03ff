"""Check how the days were run: whether each is real, from one suite, judged by its constants, asked on its
date and closed once.

The rest of this package computes recorded numbers again. These checks find what no number shows. A ledger can
be whole, and every score can follow from its answers, while a day was made up, asked again until it pleased,
or judged by other thresholds.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from probatio.core import jsonfile
from probatio.core.inside import open_reader
from probatio.core.records import SINCE_EDITION_3, Acceptance, Constants, Day, SampleLine
from probatio.runs.store.layout import ANSWERS, DAILY, DAY_FILE, SCORES, SET_ASIDE
from probatio.runs.store.lines import all_at_once, number_lines
from probatio.watch.day.samples import ServedLine, find_late_models
from probatio.watch.ledger.chain import WHERE, Finding, find_in_day
from probatio.watch.ledger.difference import first_difference
from probatio.watch.ledger.ledger import LedgerLine, LedgerRecord

ConstantsOf = Callable[[Day], Constants | None]
"""The constants of a day's suite; None where the suite is not here."""
UseCaseOf = Callable[[Day], Mapping[str, str] | None]
"""Case → use case of a day's suite; None where the suite is not here."""


ODD_KIND = {
    True: "the day is replayed under a set date, among days that were asked on their own",
    False: "the day is not marked as replayed, among days whose dates were set",
}


class AskedLine(SampleLine, frozen=True, kw_only=True):
    """The part of an answer's line that says whose it is, when it was asked and whether it came."""

    timestamp: str = ""
    error: str | None = None


Answers = Sequence[tuple[int, AskedLine | ServedLine]]
"""A day's answers with their line numbers."""


def read_asked(folder: Path) -> tuple[Answers, list[ServedLine] | None]:
    """The answers of a day that can be read; and the same for scoring if all could be read. An unreadable
    line is named when it is graded."""
    served = all_at_once(folder / ANSWERS, ServedLine)
    if served is not None:
        return list(enumerate(served, 1)), served
    decode = jsonfile.Decoder(AskedLine).decode
    read: list[tuple[int, AskedLine | ServedLine]] = []
    for number, line in number_lines(folder / ANSWERS):
        try:
            read.append((number, decode(line)))
        except msgspec.DecodeError:
            continue
    return read, None


def check_kinds(days: Sequence[Day]) -> Iterator[Finding]:
    """Name days of another kind than the rest: simulated or replayed ones. A rehearsal is simulated
    throughout."""
    rehearsal = all(day.record.simulated for day in days)
    replayed = sum(day.record.replayed for day in days)
    odd = replayed <= len(days) / 2  # the kind that is the rarer one
    for day in days:
        if day.record.simulated and not rehearsal:
            what = (
                "the day is marked simulated: no model was asked, and only days that were asked are recorded"
            )
            yield find_in_day(day.date, what, DAY_FILE)
        elif 0 < replayed < len(days) and day.record.replayed == odd:
            yield find_in_day(day.date, ODD_KIND[odd], DAY_FILE)


def check_suites(
    days: Sequence[Day], standing: Mapping[str, tuple[LedgerLine, LedgerRecord]]
) -> Iterator[Finding]:
    """Name days of another suite than their record says, than the days around them, or of other content under
    one version."""
    content: dict[str, Day] = {}
    for day in days:
        asked, (line, record) = day.record.suite_version, standing[day.date]
        if record.suite_version != asked:
            what = f"it says suite version {record.suite_version}, but the day was asked from {asked}"
            yield Finding(WHERE, line.number, day.date, what)
        first = content.setdefault(asked, day)
        if day.record.suite_fingerprint != first.record.suite_fingerprint:
            yield find_in_day(
                day.date,
                f"its suite has the fingerprint {day.record.suite_fingerprint[:12]}, that of {first.date} "
                f"{first.record.suite_fingerprint[:12]}, under the same version {asked}: cases, graders or "
                "constants were changed. Its scores are not compared with those before it: a new series "
                "began. Such a change bumps the version",
                DAY_FILE,
            )
    for day in _find_between(days):
        what = (
            f"it was asked from suite version {day.record.suite_version}, and the days before and after it "
        )
        yield find_in_day(day.date, f"{what}from another one: a version only goes on", DAY_FILE)


def check_constants(
    days: Sequence[Day], standing: Mapping[str, tuple[LedgerLine, LedgerRecord]], constants_of: ConstantsOf
) -> Iterator[Finding]:
    """Name records judged by other constants than their suite's. If the suite is gone, compare with other
    records of its version and edition of the evidence. A corrected record is explained by its correction."""
    first: dict[tuple[str, int], LedgerRecord] = {}
    for day in days:
        line, record = standing[day.date]
        version = record.suite_version
        before = first.setdefault((version, record.constants.evidence.edition), record)
        suites = constants_of(day) if day.record.suite_version == version else None
        if suites is not None:
            suites = _as_recorded(suites, record.constants)
        if suites is not None and (unequal := first_difference(record.constants, suites)):
            what = f"its constants are not those of suite version {version}: {unequal.path} is "
            what += f"{unequal.stored}, the suite says {unequal.computed}"
            yield Finding(WHERE, line.number, record.date, what)
        elif suites is None and (unequal := first_difference(record.constants, before.constants)):
            what = f"its constants are not those of record {before.seq} of the same suite version {version}: "
            what += f"{unequal.path} is {unequal.stored}, there it is {unequal.computed}"
            yield Finding(WHERE, line.number, record.date, what)


def _as_recorded(suites: Constants, recorded: Constants) -> Constants:
    """The suite's constants without what is no fault: those that came with a later edition of the evidence
    than the record's; and rungs, which belong to the cases and are in the suite's fingerprint."""
    evidence = suites.evidence
    if recorded.evidence.edition < evidence.edition:
        then = {name: getattr(recorded.evidence, name) for name in SINCE_EDITION_3}
        evidence = msgspec.structs.replace(evidence, **then)
    return msgspec.structs.replace(suites, evidence=evidence, rungs=recorded.rungs)


def check_acceptances(
    accepted: Sequence[tuple[LedgerLine, Acceptance]], standing: Mapping[str, tuple[LedgerLine, LedgerRecord]]
) -> Iterator[Finding]:
    """Name acceptances of a level that no record shows: the day is not recorded, or has no verdict on the
    model."""
    for line, each in accepted:
        record = standing[each.begins][1] if each.begins in standing else None
        if record is None or all(verdict.model != each.model for verdict in record.verdicts):
            what = f"it accepts the level of {each.model} on {each.begins}, and no record has a verdict on it"
            yield Finding(WHERE, line.number, each.begins, what)
        if not each.by.strip() or not each.why.strip():
            what = f"it accepts {each.model} and does not say who did, or why"
            yield Finding(WHERE, line.number, each.begins, what)


def check_withdrawals(every: Iterable[tuple[LedgerLine, LedgerRecord]]) -> Iterator[Finding]:
    """Name records that take back or withdraw what does not stand, or do not say who did; and records of a
    day that was withdrawn."""
    stands: dict[int | None, str] = {}  # record → its date: acceptances, and the last record of each day
    last: dict[str, int] = {}
    withdrawn: set[str] = set()
    for line, record in every:
        if record.kind != "withdrawal":
            if record.kind != "acceptance":
                stands.pop(last.get(record.date), None)
                last[record.date] = record.seq
                if record.date in withdrawn:
                    what = "the day was withdrawn before this record was made; it stays withdrawn"
                    yield Finding(WHERE, line.number, record.date, what)
            stands[record.seq] = record.date
            continue
        if stands.pop(record.corrects, None) != record.date:
            what = f"it takes back record {record.corrects}, which is none that stood on its date"
            yield Finding(WHERE, line.number, record.date, what)
        if record.corrects == last.get(record.date):
            withdrawn.add(record.date)
        if not record.by.strip():
            yield Finding(WHERE, line.number, record.date, "it takes something back and does not say who did")


def check_lateness(day: Day, answers: Answers) -> Iterator[Finding]:
    """Name models that were asked on another date and do not say so, or say so and were not."""
    late = find_late_models(day.record, _find_first_asked(answers))
    for model in dict.fromkeys([*day.record.asked_late, *day.lines, *late]):
        in_scores = {line.asked_late for line in day.lines.get(model, {}).values()}
        for name, marks in ((DAY_FILE, {day.record.asked_late.get(model)}), (SCORES, in_scores)):
            if marks <= {late.get(model)}:
                continue
            if model in late:
                what = (
                    f"it was first asked on {late[model]}, not on the day's own date, and is not marked as "
                    "asked late: such scores enter no baseline"
                )
            else:
                what = "it is marked as asked late, but its answers are of the day's own date"
            yield find_in_day(day.date, what, name, sample=model)
            break


def describe_lateness(day: Day, answers: Answers) -> str | None:
    """The models that were asked late and say so, and how many answers completed the day later."""
    if day.record.replayed:
        return None
    unmarked = find_late_models(day.record, _find_first_asked(answers))
    late = ", ".join(f"{model} on {date}" for model, date in day.record.asked_late.items())
    parts = [f"asked late and in no baseline: {late}"] if late else []
    on_time = [answer for _, answer in answers if not answer.error and answer.model not in unmarked]
    added = sum(bool(find_late_models(day.record, {answer.model: answer.timestamp})) for answer in on_time)
    parts += [f"completed later by {added} of {len(on_time)} answers"] if added else []
    return f"{day.date}: {'; '.join(parts)}." if parts else None


def check_closings(
    results: Path, day: Day, records: Sequence[LedgerRecord], answers: Answers, use_case_of: UseCaseOf
) -> Iterator[Finding]:
    """Name days that were run again after they were closed.

    Completing a day is fine: it adds answers and records a correction, and all earlier answers are still
    there. `records`: those of the day; the last one counts.
    """
    standing = records[-1]
    after = [(number, answer) for number, answer in answers if answer.timestamp > standing.made]
    if after:
        number, answer = after[0]
        what = (
            f"it was asked at {answer.timestamp}, after record {standing.seq} was made at {standing.made}: "
            f"the day was run again after it was closed ({len(after)} such answers), and no correction says "
            "so"
        )
        yield find_in_day(day.date, what, ANSWERS, number, f"{answer.model} · {answer.task_id}")
    for old in records[:-1]:
        if not _still_there(results, day, old, standing, answers, use_case_of):
            what = (
                f"the answers that record {old.seq} vouched for are not all there: the day was run again "
                f"after it was closed at {old.made}, not only completed"
            )
            yield find_in_day(day.date, what, ANSWERS)


def _find_first_asked(answers: Answers) -> dict[str, str]:
    """Model → the time of its first answer."""
    first: dict[str, str] = {}
    for _, answer in answers:
        if not answer.error and answer.timestamp < first.get(answer.model, "~"):
            first[answer.model] = answer.timestamp
    return first


def _still_there(
    results: Path,
    day: Day,
    old: LedgerRecord,
    standing: LedgerRecord,
    answers: Answers,
    use_case_of: UseCaseOf,
) -> bool:
    """Whether the answers of an earlier closing are still there."""
    name, aside = (f"{DAILY}/{day.date}/{each}" for each in (ANSWERS, SET_ASIDE))
    vouched = old.files.get(name)
    if vouched is None or vouched == standing.files.get(name) or _begins_with(results / name, vouched):
        return True
    if old.files.get(aside) == standing.files.get(aside):
        return False
    # Failed requests were sent again, and their lines moved to another file: the file of then can't be had.
    # Count what it scored.
    use_cases = use_case_of(day)
    if use_cases is None:
        return True  # a day that can't be graded again is named for that
    had = Counter(
        (answer.model, use_cases.get(answer.case), answer.round)
        for _, answer in answers
        if not answer.error and answer.timestamp <= old.made
    )
    return all(
        max(had[verdict.model, each.use_case, which] for which in ("base", "full")) >= each.n
        for verdict in old.verdicts
        for each in verdict.use_cases
    )


def _begins_with(path: Path, digest: str) -> bool:
    """Whether some first lines of a file have this SHA-256: lines were only added."""
    so_far = hashlib.sha256()
    if not path.exists():
        return False
    with open_reader(path) as lines:
        for line in lines:
            so_far.update(line)
            if so_far.hexdigest() == digest:
                return True
    return digest == hashlib.sha256().hexdigest()


def _find_between(days: Sequence[Day]) -> list[Day]:
    """The days of a suite version with days of one other version on both sides. Changes by the configuration
    (`+…`) come and go; a version does not."""
    runs = [list(same) for _, same in groupby(days, key=_version)]
    last: dict[str, int] = {}
    found: dict[str, Day] = {}
    for place, run in enumerate(runs):
        before = last.get(_version(run[0]), place)
        found |= {day.date: day for between in runs[before + 1 : place] for day in between}
        last[_version(run[0])] = place
    return list(found.values())


def _version(day: Day) -> str:
    return day.record.suite_version.partition("+")[0]
