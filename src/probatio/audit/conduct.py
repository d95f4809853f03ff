"""How the days were run: whether each is real, from one suite, judged by its constants, asked on its date and closed once.

Everything else in this package makes recorded numbers again. These checks look at what no number shows: a ledger can be whole,
and every score follow from its answers, while a day was made up, asked again until it pleased, or judged by other thresholds.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from probatio.day.lateness import asked_late
from probatio.day.samples import ServedLine
from probatio.ledger.chain import WHERE, Finding
from probatio.ledger.difference import first_difference
from probatio.ledger.ledger import LedgerRecord, Line
from probatio.records import Acceptance, Constants, Day
from probatio.store.layout import ANSWERS, DAILY, DAY_FILE, SCORES, SET_ASIDE
from probatio.store.lines import all_at_once, numbered_lines

ConstantsOf = Callable[[Day], Constants | None]
"""The constants of a day's suite; None where the suite is not here."""
UseCaseOf = Callable[[Day], Mapping[str, str] | None]
"""Case → use case of a day's suite; None where the suite is not here."""


ODD_KIND = {
    True: "the day is replayed under a set date, among days that were asked on their own",
    False: "the day is not marked as replayed, among days whose dates were set",
}


class Asked(msgspec.Struct, frozen=True):
    """As much of an answer's line as tells whose it is, when it was asked and whether it came."""

    model: str
    task_id: str = ""
    context: str = ""
    timestamp: str = ""
    error: str | None = None


Answers = Sequence[tuple[int, Asked | ServedLine]]
"""A day's answers with their line numbers."""


def read_asked(folder: Path) -> tuple[Answers, list[ServedLine] | None]:
    """The answers of a day, as far as they can be read: a line that can't is named where it is graded. And the same as scoring
    reads them, where all could be read."""
    served = all_at_once(folder / ANSWERS, ServedLine)
    if served is not None:
        return list(enumerate(served, 1)), served
    decode = msgspec.json.Decoder(Asked).decode
    read: list[tuple[int, Asked | ServedLine]] = []
    for number, line in numbered_lines(folder / ANSWERS):
        try:
            read.append((number, decode(line)))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return read, None


def kind_findings(days: Sequence[Day]) -> Iterator[Finding]:
    """Days that do not belong among the others: simulated ones, and replayed ones where others were lived. A rehearsal is
    simulated from end to end."""
    rehearsal = all(day.record.simulated for day in days)
    replayed = sum(day.record.replayed for day in days)
    odd = replayed <= len(days) / 2  # the kind that is the rarer one
    for day in days:
        if day.record.simulated and not rehearsal:
            yield _of_day(
                day, "the day is marked simulated: no model was asked, and only days that were asked are recorded"
            )
        elif 0 < replayed < len(days) and day.record.replayed == odd:
            yield _of_day(day, ODD_KIND[odd])


def suite_findings(days: Sequence[Day], standing: Mapping[str, tuple[Line, LedgerRecord]]) -> Iterator[Finding]:
    """Days of another suite: than their record says, than the days around them, or of other content under one version."""
    content: dict[str, Day] = {}
    for day in days:
        asked, (line, record) = day.record.suite_version, standing[day.date]
        if record.suite_version != asked:
            what = f"it says suite version {record.suite_version}, but the day was asked from {asked}"
            yield Finding(WHERE, line.number, day.date, what)
        first = content.setdefault(asked, day)
        if day.record.suite_fingerprint != first.record.suite_fingerprint:
            yield _of_day(
                day,
                f"its suite has the fingerprint {day.record.suite_fingerprint[:12]}, that of {first.date} "
                f"{first.record.suite_fingerprint[:12]}, under the same version {asked}: cases, graders or constants were "
                f"changed. Its scores are not compared with those before it: a new series began. Such a change bumps the version",
            )
    for day in _between(days):
        yield _of_day(
            day,
            f"it was asked from suite version {day.record.suite_version}, and the days before and after it from another one: a "
            f"version only goes on",
        )


def constants_findings(
    days: Sequence[Day], standing: Mapping[str, tuple[Line, LedgerRecord]], constants_of: ConstantsOf
) -> Iterator[Finding]:
    """Records that were judged by other constants than their suite's; where that is gone, than others of its version. A record
    that was corrected since is explained by its correction."""
    first: dict[str, LedgerRecord] = {}
    for day in days:
        line, record = standing[day.date]
        version = record.suite_version
        before = first.setdefault(version, record)
        suites = constants_of(day) if day.record.suite_version == version else None
        if suites is not None and (unequal := first_difference(record.constants, suites)):
            what = f"its constants are not those of suite version {version}: {unequal.path} is {unequal.stored}, "
            yield Finding(WHERE, line.number, record.date, f"{what}the suite says {unequal.computed}")
        elif suites is None and (unequal := first_difference(record.constants, before.constants)):
            what = f"its constants are not those of record {before.seq} of the same suite version {version}: "
            what += f"{unequal.path} is {unequal.stored}, there it is {unequal.computed}"
            yield Finding(WHERE, line.number, record.date, what)


def acceptance_findings(
    accepted: Sequence[tuple[Line, Acceptance]], standing: Mapping[str, tuple[Line, LedgerRecord]]
) -> Iterator[Finding]:
    """Acceptances of a level that no record shows: of a day that is not recorded, or of a model it has no verdict on."""
    for line, each in accepted:
        record = standing[each.begins][1] if each.begins in standing else None
        if record is None or all(verdict.model != each.model for verdict in record.verdicts):
            what = f"it accepts the level of {each.model} on {each.begins}, and no record has a verdict on it"
            yield Finding(WHERE, line.number, each.begins, what)
        if not each.by.strip() or not each.why.strip():
            yield Finding(WHERE, line.number, each.begins, f"it accepts {each.model} and does not say who did, or why")


def lateness_findings(day: Day, answers: Answers) -> Iterator[Finding]:
    """Models that were asked on another date than the day's and do not say so, or say so and were not."""
    late = asked_late(day.record, _first_asked(answers))
    for model in dict.fromkeys([*day.record.asked_late, *day.lines, *late]):
        in_scores = {line.asked_late for line in day.lines.get(model, {}).values()}
        for name, marks in ((DAY_FILE, {day.record.asked_late.get(model)}), (SCORES, in_scores)):
            if marks <= {late.get(model)}:
                continue
            if model in late:
                what = f"it was first asked on {late[model]}, not on the day's own date, and is not marked as asked late: such "
                what += "scores enter no baseline"
            else:
                what = "it is marked as asked late, but its answers are of the day's own date"
            yield Finding(f"{DAILY}/{day.date}/{name}", None, model, what)
            break


def lateness_note(day: Day, answers: Answers) -> str | None:
    """Which models were asked late and say so, and how many answers completed the day on a later date."""
    if day.record.replayed:
        return None
    unmarked = asked_late(day.record, _first_asked(answers))
    late = ", ".join(f"{model} on {date}" for model, date in day.record.asked_late.items())
    parts = [f"asked late and in no baseline: {late}"] if late else []
    on_time = [answer for _, answer in answers if not answer.error and answer.model not in unmarked]
    added = sum(bool(asked_late(day.record, {answer.model: answer.timestamp})) for answer in on_time)
    parts += [f"completed later by {added} of {len(on_time)} answers"] if added else []
    return f"{day.date}: {'; '.join(parts)}." if parts else None


def closing_findings(
    results: Path, day: Day, records: Sequence[LedgerRecord], answers: Answers, use_case_of: UseCaseOf
) -> Iterator[Finding]:
    """Days that were run again after they were closed. To complete one is no fault: it adds answers and records a correction, and
    all answers of the earlier closing are still there. `records`: those of the day, the one that counts last."""
    standing, where = records[-1], f"{DAILY}/{day.date}/{ANSWERS}"
    after = [(number, answer) for number, answer in answers if answer.timestamp > standing.made]
    if after:
        number, answer = after[0]
        yield Finding(
            where,
            number,
            f"{answer.model} · {answer.task_id}",
            f"it was asked at {answer.timestamp}, after record {standing.seq} was made at {standing.made}: the day was run again "
            f"after it was closed ({len(after)} such answers), and no correction says so",
        )
    for old in records[:-1]:
        if not _still_there(results, day, old, standing, answers, use_case_of):
            yield Finding(
                where,
                None,
                None,
                f"the answers that record {old.seq} vouched for are not all there: the day was run again after it was closed at "
                f"{old.made}, not only completed",
            )


def _first_asked(answers: Answers) -> dict[str, str]:
    """Model → the moment of its first answer."""
    first: dict[str, str] = {}
    for _, answer in answers:
        if not answer.error and answer.timestamp < first.get(answer.model, "~"):
            first[answer.model] = answer.timestamp
    return first


def _still_there(
    results: Path, day: Day, old: LedgerRecord, standing: LedgerRecord, answers: Answers, use_case_of: UseCaseOf
) -> bool:
    """Whether the answers of an earlier closing are among those of now."""
    name, aside = (f"{DAILY}/{day.date}/{each}" for each in (ANSWERS, SET_ASIDE))
    vouched = old.files.get(name)
    if vouched is None or vouched == standing.files.get(name) or _begins_with(results / name, vouched):
        return True
    if old.files.get(aside) == standing.files.get(aside):
        return False
    # Failed requests were sent again, and their lines moved to another file: the file of then can't be had. Count what it scored.
    use_cases = use_case_of(day)
    if use_cases is None:
        return True  # a day that can't be graded again is named for that
    had = Counter(
        (answer.model, use_cases.get(answer.task_id), answer.context)
        for _, answer in answers
        if not answer.error and answer.timestamp <= old.made
    )
    return all(
        max(had[verdict.model, each.use_case, context] for context in ("base", "full")) >= each.n
        for verdict in old.verdicts
        for each in verdict.use_cases
    )


def _begins_with(path: Path, digest: str) -> bool:
    """Whether some first lines of a file have this SHA-256: nothing of it was changed, lines were only added."""
    so_far = hashlib.sha256()
    if not path.exists():
        return False
    with path.open("rb") as lines:
        for line in lines:
            so_far.update(line)
            if so_far.hexdigest() == digest:
                return True
    return digest == hashlib.sha256().hexdigest()


def _between(days: Sequence[Day]) -> list[Day]:
    """The days of a suite version that has days of one other version on both sides. What the configuration changes (`+…`) comes
    and goes; a version does not."""
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


def _of_day(day: Day, what: str) -> Finding:
    return Finding(f"{DAILY}/{day.date}/{DAY_FILE}", None, None, what)
