"""The recorded verdicts, made again from the recorded scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from probatio.ledger.chain import Finding
from probatio.ledger.difference import first_difference
from probatio.ledger.ledger import LedgerRecord, Line, code_version
from probatio.records import Constants, ModelVerdict
from probatio.store.layout import DAILY, LEDGER
from probatio.verdict.days import Days
from probatio.verdict.verdicts import verdicts


def verdict_findings(days: Days, standing: Mapping[str, tuple[Line, LedgerRecord]]) -> Iterator[Finding]:
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
