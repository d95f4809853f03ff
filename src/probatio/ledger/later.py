"""What is said of recorded days later: a new level accepted, set dates declared, verdicts judged again. Always by new records."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.errors import UsageError
from probatio.ledger.chain import chain_findings
from probatio.ledger.difference import first_difference
from probatio.ledger.ledger import (
    LedgerRecord,
    acceptances,
    append_all,
    appending,
    code_version,
    day_hashes,
    new_records,
    read_ledger,
    standing_records,
    verdicts_by_date,
)
from probatio.records import Acceptance
from probatio.store.days import days_ahead, read_days
from probatio.verdict.days import Days


def accept(results: Path, model: str, by: str, why: str, made: str) -> list[LedgerRecord]:
    """Record that a person takes a model's present level for its usual one from its last recorded day on; gives what was
    appended: the acceptance, and corrections of the verdicts that follow from it."""
    with appending(results) as file:
        lines = read_ledger(results)
        before = standing_records(lines)
        ahead = days_ahead(results, made[:10])
        last = max(
            (
                date
                for date, old in before.items()
                if date not in ahead and any(each.model == model for each in old.verdicts)
            ),
            default=None,
        )
        if last is None:
            raise UsageError(f"No recorded day has a verdict on `{model}`; there is nothing to accept.")
        given = Acceptance(model=model, begins=last, by=by, why=why, made=made)
        record = msgspec.structs.replace(
            before[last],
            made=made,
            kind="acceptance",
            corrects=None,
            why=None,
            files={},
            code=code_version(),
            verdicts=(),
            acceptance=given,
        )
        days = Days(read_days(results), (*acceptances(lines), given))
        follows = new_records(results, last, days, before[last].constants, made, before, None, f"accepted by {by}")
        return append_all(file, lines, [record, *follows])


def declare_replayed(results: Path, made: str, why: str) -> list[LedgerRecord]:
    """Say of every recorded day that its date was set, by a correction each: for days that were recorded before a day could say
    so itself. Nothing else of a record changes, and no file of a day is touched."""
    with appending(results) as file:
        lines = read_ledger(results)
        standing = sorted(standing_records(lines).items())
        declared = [
            msgspec.structs.replace(old, made=made, kind="correction", corrects=old.seq, why=why, replayed=True)
            for _, old in standing
            if not old.replayed
        ]
        return append_all(file, lines, declared)


def judge_again(results: Path, made: str, why: str) -> list[LedgerRecord]:
    """Make the verdicts of all recorded days again by the code of today, each with the constants it was recorded with, and append
    a correction wherever something differs: after an upgrade, when days are to be read by newer rules. No file of a day is
    touched. A day whose files are not those it was recorded with is left as it is, for `probatio verify` to name."""
    with appending(results) as file:
        lines = read_ledger(results)
        if (broken := next(chain_findings(lines), None)) is not None:
            raise UsageError(f"Nothing is corrected in a ledger whose chain does not hold. {broken}")
        standing = standing_records(lines)
        days = Days(read_days(results), acceptances(lines))
        there = set(days.dates)
        again = verdicts_by_date(days, {each: old.constants for each, old in standing.items() if each in there})
        corrections = [
            msgspec.structs.replace(
                old, made=made, kind="correction", corrects=old.seq, why=why, code=code_version(), verdicts=again[each]
            )
            for each, old in sorted(standing.items())
            if each in again
            and first_difference(old.verdicts, again[each]) is not None
            and old.files == day_hashes(results, each)
        ]
        return append_all(file, lines, corrections)
