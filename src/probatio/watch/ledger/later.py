"""Later statements about recorded days, always as new records: a new level accepted, set dates declared,
verdicts made again."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.records import Acceptance
from probatio.runs.store.days import days_ahead, read_days
from probatio.watch.ledger.chain import check_chain
from probatio.watch.ledger.difference import first_difference
from probatio.watch.ledger.ledger import (
    LedgerRecord,
    append_all,
    code_version,
    find_acceptances,
    hash_day,
    make_records,
    open_for_appending,
    raise_edition,
    read_ledger,
    standing_records,
    verdicts_by_date,
)
from probatio.watch.verdict.days import Days


def accept(results: Path, model: str, by: str, why: str, made: str) -> list[LedgerRecord]:
    """Record that a person accepts a model's present level as its usual one, from its last recorded day on.

    Gives what was appended: the acceptance, and corrections of the verdicts that follow from it.
    """
    with open_for_appending(results) as file:
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
        days = Days(read_days(results), (*find_acceptances(lines), given))
        follows = make_records(
            results,
            last,
            days,
            raise_edition(before[last].constants),
            made,
            before,
            None,
            f"accepted by {by}",
        )
        return append_all(file, lines, [record, *follows])


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
        days = Days(read_days(results), find_acceptances(lines))
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
