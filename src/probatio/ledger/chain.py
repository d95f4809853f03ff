"""Checking the ledger's chain and the files it vouches for, without computing a single score."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from probatio.errors import UsageError
from probatio.ledger.ledger import SHORT, START, LedgerRecord, Line, day_hashes
from probatio.store.layout import DAILY, LEDGER, SCORES

WHERE = f"{DAILY}/{LEDGER}"
_HEAD = re.compile(rf"[0-9a-f]{{{SHORT},64}}")


class Finding(msgspec.Struct, frozen=True):
    """One difference between what is recorded and what is there or follows from it."""

    file: str  # under the results folder
    line: int | None
    sample: str | None
    what: str

    def __str__(self) -> str:
        place = f"{self.file}{f', line {self.line}' if self.line else ''}{f' ({self.sample})' if self.sample else ''}"
        return f"{place}: {self.what}"


def chain_findings(lines: list[Line]) -> Iterator[Finding]:
    """Every place where the chain does not hold."""
    previous, before = START, "the beginning"
    seen: dict[int, str] = {}
    for place, line in enumerate(lines):
        if not line.whole:
            yield Finding(
                WHERE, line.number, None, "the line is torn; the next `probatio daily` cuts it and records its day anew"
            )
            return
        try:
            record = line.record()
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            yield Finding(WHERE, line.number, None, f"the line is not a record: {error}")
            previous, before = line.sha256, f"line {line.number}"
            continue
        if record.seq != place:
            yield Finding(
                WHERE,
                line.number,
                record.date,
                f"it is record {record.seq} where record {place} belongs: lines were moved, removed or put in",
            )
        if record.previous != previous:
            yield Finding(
                WHERE,
                line.number,
                record.date,
                f"it was written after a line of hash {record.previous[:16]}…, but {before} has {previous[:16]}…: {before} was "
                f"changed after this record was made, or lines were moved, removed or put in",
            )
        if record.kind == "correction" and seen.get(-1 if record.corrects is None else record.corrects) != record.date:
            yield Finding(
                WHERE, line.number, record.date, f"it corrects record {record.corrects}, which is not one of its date"
            )
        seen[record.seq] = record.date
        previous, before = line.sha256, f"line {line.number}"


def noted_head(given: str) -> str:
    """A head as someone noted it: the first digits of a SHA-256, enough of them to mean one line."""
    head = given.strip().lower()
    if not _HEAD.fullmatch(head):
        raise UsageError(
            f"--head {given!r} is not a head of a ledger: give at least {SHORT} of its 64 hexadecimal digits, as `probatio "
            f"verify`, an alert or the foot of a page shows them."
        )
    return head


def head_findings(lines: list[Line], head: str | None) -> Iterator[Finding]:
    """Whether a head that was noted elsewhere is still in the chain. Nothing else shows a cut tail for certain."""
    if head is None:
        return
    head = noted_head(head)
    if not any(line.sha256.startswith(head) for line in lines):
        yield Finding(
            WHERE, None, None, f"no line has the hash {head}: the ledger was cut or rewritten after that was noted"
        )


def unrecorded(results: Path, standing: Mapping[str, object]) -> Iterator[Finding]:
    """Closed days that are not in the ledger."""
    folder = results / DAILY
    for path in sorted(folder.glob(f"*/{SCORES}")) if folder.is_dir() else ():
        if path.parent.name not in standing:
            yield Finding(
                f"{DAILY}/{path.parent.name}",
                None,
                None,
                "the day is closed but not in the ledger: its recording was broken off (`probatio daily` for that date makes up "
                "for it), the ledger's tail was cut, or the day was put in by hand",
            )


def file_findings(results: Path, line: Line, record: LedgerRecord) -> Iterator[Finding]:
    """Files of a day that are not those its record vouches for."""
    if not (results / DAILY / record.date).is_dir():
        yield Finding(
            f"{DAILY}/{record.date}", None, None, f"the day is gone; record {record.seq} of the ledger vouches for it"
        )
        return
    now = day_hashes(results, record.date)
    for name in sorted({*record.files, *now}):
        stored, present = record.files.get(name), now.get(name)
        if stored == present:
            continue
        if present is None:
            what = f"the file is gone; record {record.seq} of the ledger vouches for it"
        elif stored is None:
            what = f"the file was not there when record {record.seq} of the ledger was made"
        else:
            what = f"its hash is {present[:16]}…, record {record.seq} of the ledger says {stored[:16]}…: it was changed since"
        yield Finding(name, None, None, what)
