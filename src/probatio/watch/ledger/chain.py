"""Checking the ledger's chain and the files it vouches for, without computing a single score."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.runs.store.layout import DAILY, LEDGER, SCORES
from probatio.watch.ledger.ledger import SHORT, START, LedgerLine, LedgerRecord, hash_day

WHERE = f"{DAILY}/{LEDGER}"
_HEAD = re.compile(rf"[0-9a-f]{{{SHORT},64}}")


class Finding(msgspec.Struct, frozen=True):
    """One difference between the record and the files, or between the record and what follows from them."""

    file: str  # under the results folder
    line: int | None
    sample: str | None
    what: str

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line else ""
        sample = f" ({self.sample})" if self.sample else ""
        return f"{self.file}{line}{sample}: {self.what}"


def find_in_day(
    date: str, what: str, name: str | None = None, line: int | None = None, sample: str | None = None
) -> Finding:
    """A finding in one of a day's files, or in its folder."""
    return Finding(f"{DAILY}/{date}/{name}" if name else f"{DAILY}/{date}", line, sample, what)


def check_chain(lines: list[LedgerLine]) -> Iterator[Finding]:
    """Find every place where the chain is broken."""
    previous, before = START, "the beginning"
    seen: dict[int, str] = {}
    for place, line in enumerate(lines):
        if not line.whole:
            what = "the line is torn; the next `probatio daily` cuts it and records its day again"
            yield Finding(WHERE, line.number, None, what)
            return
        try:
            record = line.record()
        except msgspec.DecodeError as error:
            yield Finding(WHERE, line.number, None, f"the line is not a record: {error}")
            previous, before = line.sha256, f"line {line.number}"
            continue
        if record.seq != place:
            what = (
                f"it is record {record.seq} where record {place} belongs: lines were moved, removed or put in"
            )
            yield Finding(WHERE, line.number, record.date, what)
        if record.previous != previous:
            what = (
                f"it was written after a line of hash {record.previous[:16]}…, but {before} has "
                f"{previous[:16]}…: {before} was changed after this record was made, or lines were moved, "
                "removed or put in"
            )
            yield Finding(WHERE, line.number, record.date, what)
        corrected = None if record.corrects is None else seen.get(record.corrects)
        if record.kind == "correction" and corrected != record.date:
            what = f"it corrects record {record.corrects}, which is not one of its date"
            yield Finding(WHERE, line.number, record.date, what)
        seen[record.seq] = record.date
        previous, before = line.sha256, f"line {line.number}"


def parse_head(given: str) -> str:
    """Parse a noted head: the first digits of a SHA-256, enough to identify one line."""
    head = given.strip().lower()
    if not _HEAD.fullmatch(head):
        raise UsageError(
            f"--head {given!r} is not a head of a ledger: give at least {SHORT} of its 64 hexadecimal "
            "digits, as `probatio verify`, an alert or the foot of a page shows them."
        )
    return head


def check_head(lines: list[LedgerLine], head: str | None) -> Iterator[Finding]:
    """Check that a head noted elsewhere is still in the chain. Only this shows a cut tail for certain."""
    if head is None:
        return
    head = parse_head(head)
    if not any(line.sha256.startswith(head) for line in lines):
        what = f"no line has the hash {head}: the ledger was cut or rewritten after that was noted"
        yield Finding(WHERE, None, None, what)


def check_recorded(results: Path, standing: Mapping[str, object]) -> Iterator[Finding]:
    """Find closed days that are not in the ledger."""
    folder = results / DAILY
    for path in sorted(folder.glob(f"*/{SCORES}")) if folder.is_dir() else ():
        if path.parent.name not in standing:
            yield find_in_day(
                path.parent.name,
                "the day is closed but not in the ledger: its recording was broken off (`probatio daily` "
                "for that date makes up for it), the ledger's tail was cut, or the day was put in by hand",
            )


def check_files(results: Path, line: LedgerLine, record: LedgerRecord) -> Iterator[Finding]:
    """Find files of a day that differ from its record."""
    if not (results / DAILY / record.date).is_dir():
        what = f"the day is gone; record {record.seq} of the ledger vouches for it"
        yield find_in_day(record.date, what)
        return
    now = hash_day(results, record.date)
    for name in sorted({*record.files, *now}):
        stored, present = record.files.get(name), now.get(name)
        if stored == present:
            continue
        if present is None:
            what = f"the file is gone; record {record.seq} of the ledger vouches for it"
        elif stored is None:
            what = f"the file was not there when record {record.seq} of the ledger was made"
        else:
            what = (
                f"its hash is {present[:16]}…, record {record.seq} of the ledger says {stored[:16]}…: it "
                "was changed since"
            )
        yield Finding(name, None, None, what)
