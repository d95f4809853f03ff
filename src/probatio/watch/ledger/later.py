"""Later statements about recorded days, always as new records: a new level accepted and taken back, days
withdrawn, set dates declared, verdicts made again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from probatio.core.errors import UsageError
from probatio.core.records import Acceptance
from probatio.runs.store.days import days_ahead, read_days
from probatio.watch.ledger.chain import check_chain
from probatio.watch.ledger.difference import first_difference
from probatio.watch.ledger.ledger import (
    LedgerLine,
    LedgerRecord,
    append_all,
    code_version,
    counted_days,
    describe_withdrawn,
    find_withdrawn,
    hash_day,
    head_of,
    make_records,
    open_for_appending,
    raise_edition,
    read_ledger,
    read_records,
    standing_acceptances,
    standing_records,
    verdicts_by_date,
)
from probatio.watch.verdict.days import Days


def find_last_record(lines: list[LedgerLine], results: Path, model: str, today: str) -> LedgerRecord:
    """The record of the last day that has come with a verdict on this model."""
    ahead = days_ahead(results, today)
    with_it = [
        record
        for date, record in standing_records(lines).items()
        if date not in ahead and any(each.model == model for each in record.verdicts)
    ]
    if not with_it:
        raise UsageError(f"No recorded day has a verdict on `{model}`; there is nothing to accept.")
    return max(with_it, key=lambda record: record.date)


def find_last_acceptance(lines: list[LedgerLine], model: str) -> tuple[LedgerRecord, Acceptance]:
    """The last acceptance of this model's level that stands."""
    for record in reversed(standing_acceptances(read_records(lines))):
        if record.acceptance is not None and record.acceptance.model == model:
            return record, record.acceptance
    raise UsageError(f"No acceptance of `{model}` stands in the ledger; there is nothing to take back.")


def find_judged_before(lines: list[LedgerLine], given: LedgerRecord) -> LedgerRecord:
    """What the ledger said of the day of an acceptance before it was made."""
    return standing_records(lines[: given.seq])[given.date]


def accept(
    results: Path, model: str, by: str, why: str, made: str, seen: str | None = None
) -> list[LedgerRecord]:
    """Record that a person accepts a model's present level as its usual one, from its last recorded day on.

    Gives what was appended: the acceptance, and corrections of the verdicts that follow from it. `seen`: the
    head of the ledger that was shown to the person; if it is another one by now, nothing is recorded.
    """
    with open_for_appending(results) as file:
        lines = read_ledger(results)
        _require_seen(lines, seen)
        last = find_last_record(lines, results, model, made[:10])
        given = Acceptance(model=model, begins=last.date, by=by, why=why, made=made)
        record = _state(last, made, kind="acceptance", acceptance=given)
        days = counted_days(read_days(results), lines)
        days = Days(days.days, (*days.accepted, given))
        return append_all(file, lines, [record, *_follow(results, lines, record, days, f"accepted by {by}")])


def take_back(
    results: Path, model: str, by: str, why: str, made: str, seen: str | None = None
) -> list[LedgerRecord]:
    """Record that the last acceptance of a model's level is taken back: its verdicts are made as if it had
    not been accepted. Gives what was appended. `seen` as for `accept`."""
    with open_for_appending(results) as file:
        lines = read_ledger(results)
        _require_seen(lines, seen)
        given, _ = find_last_acceptance(lines, model)
        record = _state(given, made, kind="withdrawal", corrects=given.seq, why=why, by=by)
        others = [each for each in standing_acceptances(read_records(lines)) if each.seq != given.seq]
        days = counted_days(read_days(results), lines)
        days = Days(days.days, [each.acceptance for each in others if each.acceptance])
        follows = _follow(results, lines, record, days, f"acceptance taken back by {by}")
        return append_all(file, lines, [record, *follows])


def withdraw(
    results: Path, date: str, by: str, why: str, made: str, seen: str | None = None
) -> list[LedgerRecord]:
    """Record that a day was a mistake: it counts no more, and its files stay. Gives what was appended: the
    withdrawal, and corrections of later verdicts. `seen` as for `accept`."""
    with open_for_appending(results) as file:
        lines = read_ledger(results)
        _require_seen(lines, seen)
        day = find_day(lines, date)
        record = _state(day, made, kind="withdrawal", corrects=day.seq, why=why, by=by)
        every = counted_days(read_days(results), lines)
        days = Days((each for each in every.days if each.date != date), every.accepted)
        return append_all(
            file, lines, [record, *_follow(results, lines, record, days, f"{date} withdrawn by {by}")]
        )


def find_day(lines: list[LedgerLine], date: str) -> LedgerRecord:
    """The record of a day that counts."""
    if (gone := find_withdrawn(read_records(lines)).get(date)) is not None:
        raise UsageError(f"{describe_withdrawn(gone)}. It is withdrawn already.")
    record = standing_records(lines).get(date)
    if record is None:
        raise UsageError(f"{date} is not in the ledger: only a recorded day can be withdrawn.")
    return record


def _require_seen(lines: list[LedgerLine], seen: str | None) -> None:
    if seen is not None and head_of(lines) != seen:
        raise UsageError("The ledger has changed since it was shown. Nothing was recorded; look again.")


def _state(about: LedgerRecord, made: str, **more: Any) -> LedgerRecord:
    """A record of its own kind about another one: without files and verdicts."""
    own = {"corrects": None, "why": None, "acceptance": None, "files": {}, "verdicts": (), **more}
    return msgspec.structs.replace(about, made=made, code=code_version(), **own)


def _follow(
    results: Path, lines: list[LedgerLine], record: LedgerRecord, days: Days, why: str
) -> list[LedgerRecord]:
    """The corrections that follow from a statement: of the verdicts from its date on that come out
    otherwise. They vouch for the files that were recorded."""
    there = set(days.dates)
    before = {date: old for date, old in standing_records(lines).items() if date in there}
    first = min((date for date in before if date >= record.date), default=None)
    if first is None:
        return []
    constants, files = raise_edition(before[first].constants), before[first].files
    return make_records(results, first, days, constants, record.made, before, files, why)


def declare_replayed(results: Path, made: str, why: str) -> list[LedgerRecord]:
    """Declare for every recorded day that its date was set, by one correction each.

    This is for days recorded before a day could say so itself. Nothing else changes.
    """
    with open_for_appending(results) as file:
        lines = read_ledger(results)
        standing = sorted(standing_records(lines).items())
        declared = [
            msgspec.structs.replace(
                old, made=made, kind="correction", corrects=old.seq, why=why, replayed=True
            )
            for _, old in standing
            if not old.replayed
        ]
        return append_all(file, lines, declared)


def judge_again(results: Path, made: str, why: str) -> list[LedgerRecord]:
    """Make the verdicts of all recorded days again with today's code and the constants of each record, under
    today's edition of the evidence.

    Wherever something differs a correction is appended: for use after an upgrade. No file of a day is
    touched. A day whose files have changed since it was recorded is skipped; `probatio verify` names it.
    """
    with open_for_appending(results) as file:
        lines = read_ledger(results)
        if (broken := next(check_chain(lines), None)) is not None:
            raise UsageError(f"Nothing is corrected in a ledger whose chain does not hold. {broken}")
        standing = standing_records(lines)
        days = counted_days(read_days(results), lines)
        there = set(days.dates)
        used = {each: raise_edition(old.constants) for each, old in standing.items() if each in there}
        again = verdicts_by_date(days, used)
        corrections = [
            msgspec.structs.replace(
                old,
                made=made,
                kind="correction",
                corrects=old.seq,
                why=why,
                code=code_version(),
                constants=used[each],
                verdicts=again[each],
            )
            for each, old in sorted(standing.items())
            if each in again
            and (old.constants != used[each] or first_difference(old.verdicts, again[each]) is not None)
            and old.files == hash_day(results, each)
        ]
        return append_all(file, lines, corrections)
