"""The ledger: `results/daily/ledger.jsonl`, one line per closed day, each with the SHA-256 of the line before
it.

A line also has the hashes of the day's files, the constants, the code version and the verdicts. Nothing is
ever rewritten. A day that was continued after it was recorded gets a correction that points to the record it
replaces. So does a later day whose verdicts follow from it.

A person may accept a model's new level, and take that back. These are records of their own kinds, and the
verdicts that follow from them are corrections. See `later.py`.

A chain can't show that its tail was cut off: the lines before it are still a chain. Two things help. The
day's folder is then closed and not in the ledger, which `probatio verify` names. And `verify --head` looks
for a head that was noted elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from probatio import __version__
from probatio.core import jsonfile
from probatio.core.code_digest import code_digest
from probatio.core.errors import Incomplete, UsageError
from probatio.core.files import hold
from probatio.core.inside import open_inside, open_reader, read_inside, require_inside
from probatio.core.records import Acceptance, Constants, Day, ModelVerdict
from probatio.runs.store.days import read_days
from probatio.runs.store.layout import (
    ANSWERS,
    DAILY,
    DAY_FILE,
    GRADES,
    JUDGE_REPLIES,
    LEDGER,
    SCORES,
    SET_ASIDE,
)
from probatio.runs.store.lines import append, is_whole, mend_end
from probatio.watch.ledger.difference import first_difference
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence.evidence import EDITION
from probatio.watch.verdict.verdicts import verdicts

JUDGING = ("day", "correction")
"""The kinds of records that have verdicts."""
SHORT = 12
"""Digits of a head where people read it: 48 bits, which no other line has by chance."""
START = "0" * 64
"""What stands for the line before the first."""
DAY_FILES = (DAY_FILE, ANSWERS, GRADES, JUDGE_REPLIES, SET_ASIDE, SCORES)
"""The files a record vouches for, where a day has them."""
VERDICT_PACKAGE = "probatio.watch.verdict"
"""The code that makes verdicts."""
LOCK_SECONDS = 30.0
"""A record takes seconds to make; a process that holds the ledger longer is stuck."""


class LedgerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the ledger."""

    seq: int
    date: str
    made: str
    kind: Literal["day", "correction", "acceptance", "withdrawal"]
    corrects: int | None  # the record of the same date that this one replaces, or takes back
    why: str | None = None  # of a correction, or of a withdrawal
    by: str = ""  # who made a withdrawal
    previous: str
    files: dict[str, str]  # path under the results folder → SHA-256
    suite_version: str
    constants: Constants
    code: str
    verdicts: tuple[ModelVerdict, ...]
    replayed: bool = (
        False  # the day's date was set; said by its own record, or declared later by a correction
    )
    simulated: bool = False  # a rehearsal: no model was asked
    imported: str = ""  # where the day's answers or scores come from, if no model was asked by us
    acceptance: Acceptance | None = (
        None  # of an acceptance; such a record has no files and no verdicts of its own, nor has a withdrawal
    )


class LedgerLine(msgspec.Struct, frozen=True):
    """A line of the file, unchanged."""

    number: int  # from 1
    data: bytes  # without its newline
    whole: bool = True  # False for a last line that a crash tore

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def record(self) -> LedgerRecord:
        return _DECODER.decode(self.data)


def raise_edition(constants: Constants) -> Constants:
    """These constants under the evidence's edition of today: what an earlier one says can't be made again."""
    evidence = msgspec.structs.replace(constants.evidence, edition=EDITION)
    return msgspec.structs.replace(constants, evidence=evidence)


MOST_LEDGER = 1 << 30
"""Bytes: one model of the short story suite takes 3.6 kB a day, so 30 models take some 60 MB a year."""

_JUDGES = re.compile(rb'"kind":"(day|correction)"')
_REPLAYED = b'"replayed":true'
"""What a line says, seen without decoding it: a year of 30 models is 60 MB of verdicts."""

_DECODER = jsonfile.Decoder(LedgerRecord)
_ENCODER = msgspec.json.Encoder()


def ledger_path(results: Path) -> Path:
    return results / DAILY / LEDGER


def read_ledger(results: Path) -> list[LedgerLine]:
    """The lines of the ledger. Nothing is checked or repaired."""
    path = ledger_path(results)
    if not path.exists():
        return []
    data = read_inside(path, results, MOST_LEDGER)
    parts = data.split(b"\n")
    tail = parts.pop()
    lines = [LedgerLine(number, part) for number, part in enumerate(parts, start=1)]
    if tail:
        lines.append(LedgerLine(len(lines) + 1, tail, whole=is_whole(tail)))
    return lines


def standing_records(lines: list[LedgerLine]) -> dict[str, LedgerRecord]:
    """Date → the record that counts: the last one, of days that were not withdrawn. A line that can't be read
    raises an error with its number."""
    standing: dict[str, LedgerRecord] = {}
    for line in lines:
        if not line.whole:
            continue
        try:
            record = line.record()
        except msgspec.DecodeError as error:
            raise UsageError(
                f"The ledger's line {line.number} is not a record: {error}. See `probatio verify`."
            ) from None
        if record.kind in JUDGING:
            standing[record.date] = record
        elif record.kind == "withdrawal":
            day = standing.pop(record.date, None)
            if day is not None and day.seq != record.corrects:  # it takes an acceptance back
                standing[record.date] = day
    return standing


def read_verdicts(results: Path, date: str) -> tuple[ModelVerdict, ...]:
    """What the ledger says of a day."""
    record = standing_records(read_ledger(results)).get(date)
    return () if record is None else record.verdicts


def find_acceptances(lines: Iterable[LedgerLine]) -> tuple[Acceptance, ...]:
    """What people have accepted and not taken back, in the order of the ledger. Unreadable lines are named by
    `probatio verify`."""
    return tuple(each.acceptance for each in standing_acceptances(read_records(lines)) if each.acceptance)


def find_taken_back(records: Iterable[LedgerRecord]) -> dict[Acceptance, LedgerRecord]:
    """The acceptances that were taken back, each with the record that says so."""
    made: dict[int | None, Acceptance] = {}
    taken_back: dict[Acceptance, LedgerRecord] = {}
    for record in records:
        if record.acceptance is not None:
            made[record.seq] = record.acceptance
        elif record.kind == "withdrawal" and record.corrects in made:
            taken_back[made[record.corrects]] = record
    return taken_back


def read_records(lines: Iterable[LedgerLine]) -> Iterator[LedgerRecord]:
    """The records of the lines that can be read."""
    for line in lines:
        if line.whole:
            with suppress(msgspec.DecodeError):
                yield line.record()


def standing_acceptances(records: Iterable[LedgerRecord]) -> list[LedgerRecord]:
    """The acceptances among these records that were not taken back."""
    standing: dict[int | None, LedgerRecord] = {}
    for record in records:
        if record.kind == "acceptance":
            standing[record.seq] = record
        elif record.kind == "withdrawal":
            standing.pop(record.corrects, None)
    return list(standing.values())


def find_withdrawn(records: Iterable[LedgerRecord]) -> dict[str, LedgerRecord]:
    """Date → the record that withdraws the day."""
    accepted: set[int | None] = set()
    withdrawn: dict[str, LedgerRecord] = {}
    for record in records:
        if record.kind == "acceptance":
            accepted.add(record.seq)
        elif record.kind == "withdrawal" and record.corrects not in accepted:
            withdrawn[record.date] = record
    return withdrawn


def describe_withdrawn(record: LedgerRecord) -> str:
    """`2026-03-01 was withdrawn on 2026-03-02 by anna: the wrong suite`."""
    return f"{record.date} was withdrawn on {record.made[:10]} by {record.by}: {record.why}"


def withdrawn_days(results: Path) -> dict[str, LedgerRecord]:
    """The days of a results folder that were withdrawn."""
    return find_withdrawn(read_records(read_ledger(results)))


def counted_days(days: Iterable[Day], lines: Iterable[LedgerLine]) -> Days:
    """Of these closed days those that count, with what people have accepted: everything a verdict depends
    on. A day that the ledger declared replayed is one."""
    lines = list(lines)
    said = list(read_records(line for line in lines if not _JUDGES.search(line.data)))
    replayed = {record.date for record in read_records(line for line in lines if _REPLAYED in line.data)}
    withdrawn = find_withdrawn(said)
    accepted = (each.acceptance for each in standing_acceptances(said) if each.acceptance)
    counted = (day for day in days if day.date not in withdrawn)
    return Days((_mark_replayed(day) if day.date in replayed else day for day in counted), accepted)


def _mark_replayed(day: Day) -> Day:
    return msgspec.structs.replace(day, record=msgspec.structs.replace(day.record, replayed=True))


def read_recorded_days(results: Path, until: str | None = None) -> Days:
    """The closed days that count and what people have accepted."""
    return counted_days(read_days(results, until), read_ledger(results))


def record_days(results: Path, dates: Collection[str], constants: Constants, made: str) -> list[LedgerRecord]:
    """As `record_day`, for days closed together: the past is read and folded once, and a later day gets one
    correction."""
    if not dates:
        return []
    first = min(dates)
    return record_day(results, first, constants, made, together=frozenset(dates) - {first})


def record_day(
    results: Path,
    date: str,
    constants: Constants,
    made: str,
    days: Callable[[], Iterable[Day]] | None = None,
    hashes: Mapping[str, str] | None = None,
    *,
    together: frozenset[str] = frozenset(),
) -> list[LedgerRecord]:
    """Append the closed day `date` to the ledger, and corrections for what follows from it. Gives what was
    appended.

    A day that is already recorded as it is gets no new record. A later day is corrected only if its files are
    those it was recorded with; other changes are named by `probatio verify`. A caller that has already read
    the closed days or hashed the files gives `days` (called while the ledger is held) and `hashes`.
    `together`: later dates recorded with it.
    """
    with open_for_appending(results) as file:
        lines = read_ledger(results)
        before = standing_records(lines)
        for each in sorted({date, *together} & (gone := find_withdrawn(read_records(lines))).keys()):
            raise UsageError(f"{describe_withdrawn(gone[each])}. It stays withdrawn.")
        every_day = counted_days(read_days(results) if days is None else days(), lines)
        new = make_records(results, date, every_day, constants, made, before, hashes, together=together)
        return append_all(file, lines, new)


def head_of(lines: Sequence[LedgerLine]) -> str | None:
    """The SHA-256 of the last whole line. With a copy of it one can show that the ledger was cut or
    rewritten."""
    return next((line.sha256 for line in reversed(lines) if line.whole), None)


def hash_day(results: Path, date: str, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Path under the results folder → SHA-256, for every file that a record covers. `known`: file name →
    SHA-256 that is already known."""
    folder, known = require_inside(results / DAILY / date, results), known or {}
    names = [name for name in DAY_FILES if (folder / name).exists()]
    return {f"{DAILY}/{date}/{name}": known.get(name) or _hash(folder / name) for name in names}


@cache
def code_version() -> str:
    """The package's version and a hash of the verdict's code. Verdicts of one code version can be
    compared."""
    return f"{__version__}+{code_digest(VERDICT_PACKAGE)[:12]}"


def make_records(
    results: Path,
    date: str,
    days: Days,
    constants: Constants,
    made: str,
    before: Mapping[str, LedgerRecord],
    hashes: Mapping[str, str] | None,
    reason: str = "run further",
    *,
    together: frozenset[str] = frozenset(),
) -> list[LedgerRecord]:
    """The record of a date and those that follow from it, without their place in the chain. `together`: later
    dates recorded with it."""
    files = {each: hash_day(results, each) for each in {*before, *together} if each > date}
    files[date] = hash_day(results, date) if hashes is None else dict(hashes)
    used = {
        each: raise_edition(old.constants)
        for each, old in before.items()
        if each > date and old.files == files[each]
    }
    used |= dict.fromkeys((date, *together), constants)
    by_date = {day.date: day for day in days.days}
    for each in sorted({date, *together} - by_date.keys()):
        raise Incomplete(f"{results / DAILY / each} is not closed yet: it has no {SCORES}.")
    verdicts_of = verdicts_by_date(days, used)
    records = []
    for each in sorted(used):
        old = before.get(each)
        stands = old is not None and (old.files, old.constants) == (files[each], used[each])
        if stands and old is not None and first_difference(old.verdicts, verdicts_of[each]) is None:
            continue
        why = None if old is None else reason if each == date or each in together else f"follows from {date}"
        records.append(
            LedgerRecord(
                seq=0,
                date=each,
                made=made,
                kind="day" if old is None else "correction",
                corrects=None if old is None else old.seq,
                why=why,
                previous="",
                files=files[each],
                suite_version=by_date[each].record.suite_version,
                constants=used[each],
                code=code_version(),
                verdicts=verdicts_of[each],
                replayed=by_date[each].record.replayed or (old is not None and old.replayed),
                simulated=by_date[each].record.simulated,
                imported=by_date[each].record.imported,
            )
        )
    return records


def verdicts_by_date(days: Days, used: Mapping[str, Constants]) -> dict[str, tuple[ModelVerdict, ...]]:
    """Date → its verdicts, each date with its own constants."""
    made: dict[str, tuple[ModelVerdict, ...]] = dict.fromkeys(used, ())
    for constants in dict.fromkeys(used.values()):
        dates = {each for each in used if used[each] == constants}
        for verdict in verdicts(days.until(max(dates)), constants, dates=dates):
            made[verdict.date] += (verdict,)
    return made


def append_all(file: int, lines: list[LedgerLine], new: Iterable[LedgerRecord]) -> list[LedgerRecord]:
    """Append records to the chain that ends in `lines`. Gives them with their place in it."""
    written: list[LedgerRecord] = []
    previous = lines[-1].sha256 if lines else START
    for number, record in enumerate(new, start=len(lines)):
        record = msgspec.structs.replace(record, seq=number, previous=previous)
        data = _ENCODER.encode(record)
        append(file, data + b"\n")
        previous = hashlib.sha256(data).hexdigest()
        written.append(record)
    os.fsync(file)
    return written


@contextmanager
def open_for_appending(results: Path) -> Iterator[int]:
    """Open the ledger for appending by this process alone. A torn last line was never a record and is cut."""
    path = ledger_path(results)
    with hold(path, LOCK_SECONDS, folder=results):
        file = open_inside(path, results, os.O_RDWR | os.O_APPEND)
        try:
            mend_end(file)
            yield file
        finally:
            os.close(file)


def _hash(path: Path) -> str:
    with open_reader(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
