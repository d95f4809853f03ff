"""The ledger: `results/daily/ledger.jsonl`, one line per closed day, each carrying the SHA-256 of the line before it.

A line also carries the hashes of the day's files, the constants and the code that made its verdicts, and the verdicts. Nothing
is ever rewritten: a day that was run further after it was recorded gets a correction that points to the record it replaces,
and so does a later day whose verdicts follow from it.

What a chain can't see is a tail that was cut off: the lines before it are still a chain. Two things help. The day's folder is
then closed and not in the ledger, which `probatio verify` names; and whoever notes the head (printed by `verify`) elsewhere
can have it looked for by `verify --head`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from probatio import __version__
from probatio.code_digest import package_digest
from probatio.errors import Incomplete, UsageError
from probatio.ledger.difference import first_difference
from probatio.records import ModelVerdict
from probatio.store.layout import DAILY, DAY_FILE, LEDGER, SCORES
from probatio.verdict.days import Days, read_days
from probatio.verdict.fold import Constants
from probatio.verdict.verdicts import verdicts

START = "0" * 64
"""What stands for the line before the first."""
DAY_FILES = (
    DAY_FILE,
    "raw_responses.jsonl",
    "graded_results.jsonl",
    "judge_responses.jsonl",
    "errors.jsonl",
    SCORES,
)
"""What a record vouches for, where a day has it."""
VERDICT_PACKAGE = "probatio.verdict"
"""The code that makes verdicts."""
LOCK_SECONDS = 30.0
"""A record takes seconds to make; whoever holds the ledger longer is stuck."""


class LedgerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the ledger."""

    seq: int
    date: str
    made: str
    kind: Literal["day", "correction"]
    corrects: int | None  # the record of the same date that this one replaces
    why: str | None = None  # of a correction
    previous: str
    files: dict[str, str]  # path under the results folder → SHA-256
    suite_version: str
    constants: Constants
    code: str
    verdicts: tuple[ModelVerdict, ...]


class Line(msgspec.Struct, frozen=True):
    """A line as it stands in the file."""

    number: int  # from 1
    data: bytes  # without its newline
    whole: bool = True  # False for a last line that a crash tore

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def record(self) -> LedgerRecord:
        return _DECODER.decode(self.data)


_DECODER = msgspec.json.Decoder(LedgerRecord)
_ENCODER = msgspec.json.Encoder()


def ledger_path(results: Path) -> Path:
    return results / DAILY / LEDGER


def read_ledger(results: Path) -> list[Line]:
    """The ledger's lines, as they are; nothing is checked or repaired."""
    path = ledger_path(results)
    if not path.exists():
        return []
    data = path.read_bytes()
    parts = data.split(b"\n")
    tail = parts.pop()
    lines = [Line(number, part) for number, part in enumerate(parts, start=1)]
    if tail:
        lines.append(Line(len(lines) + 1, tail, whole=_is_record(tail)))
    return lines


def standing_records(lines: list[Line]) -> dict[str, LedgerRecord]:
    """Date → the record that counts: the last one. A line that can't be read ends the reading with its number."""
    found: dict[str, LedgerRecord] = {}
    for line in lines:
        if not line.whole:
            continue
        try:
            record = line.record()
        except msgspec.DecodeError as error:
            raise UsageError(
                f"The ledger's line {line.number} is not a record: {error}. See `probatio verify`."
            ) from None
        found[record.date] = record
    return found


def record_day(results: Path, date: str, constants: Constants, made: str) -> list[LedgerRecord]:
    """Append the closed day `date` to the ledger, and corrections for what follows from it; gives what was appended.

    A day that is recorded as it stands is not recorded again. A later day is corrected only where
    its files are those it was recorded with: what was changed behind our back is for `probatio verify` to name.
    """
    with _held(ledger_path(results)) as file:
        lines = read_ledger(results)
        before = standing_records(lines)
        wanted = _new_records(results, date, read_days(results), constants, made, before)
        written: list[LedgerRecord] = []
        previous = lines[-1].sha256 if lines else START
        for number, record in enumerate(wanted, start=len(lines)):
            record = msgspec.structs.replace(record, seq=number, previous=previous)
            data = _ENCODER.encode(record)
            _append(file, data + b"\n")
            previous = hashlib.sha256(data).hexdigest()
            written.append(record)
        os.fsync(file)
    return written


def day_hashes(results: Path, date: str) -> dict[str, str]:
    """Path under the results folder → SHA-256, of every file a record of the day vouches for."""
    folder = results / DAILY / date
    return {f"{DAILY}/{date}/{name}": _hash(folder / name) for name in DAY_FILES if (folder / name).exists()}


def code_version() -> str:
    """The package's version and a hash of the modules that make verdicts: two verdicts of one code version can be compared."""
    return f"{__version__}+{package_digest(VERDICT_PACKAGE)[:12]}"


def _new_records(
    results: Path, date: str, days: Days, constants: Constants, made: str, before: Mapping[str, LedgerRecord]
) -> list[LedgerRecord]:
    if date not in days.dates:
        raise Incomplete(f"{results / DAILY / date} is not closed yet: it has no {SCORES}.")
    again = {each: old for each, old in before.items() if each > date and old.files == day_hashes(results, each)}
    used = {each: old.constants for each, old in again.items()} | {date: constants}
    said: dict[str, tuple[ModelVerdict, ...]] = {}
    for one in dict.fromkeys(used.values()):
        dates = {each for each in used if used[each] == one}
        for each in dates:
            said[each] = ()
        for verdict in verdicts(days.until(max(dates)), one, dates=dates):
            said[verdict.date] += (verdict,)
    found = []
    for each in sorted(used):
        old, hashes = before.get(each), day_hashes(results, each)
        stands = old is not None and (old.files, old.constants) == (hashes, used[each])
        if stands and old is not None and first_difference(old.verdicts, said[each]) is None:
            continue
        why = None if old is None else "run further" if each == date else f"follows from {date}"
        found.append(
            LedgerRecord(
                seq=0,
                date=each,
                made=made,
                kind="day" if old is None else "correction",
                corrects=None if old is None else old.seq,
                why=why,
                previous="",
                files=hashes,
                suite_version=days[each].record.suite_version,
                constants=used[each],
                code=code_version(),
                verdicts=said[each],
            )
        )
    return found


@contextmanager
def _held(path: Path) -> Iterator[int]:
    """The ledger open for appending by this process alone, ending in a whole line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _lock(file, path)
        _mend(file, path)
        yield file
    finally:
        os.close(file)  # and with it the lock


def _lock(file: int, path: Path) -> None:
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > until:
                raise Incomplete(
                    f"Another process has held {path} for {LOCK_SECONDS:.0f} s; stop it and try again."
                ) from None
            time.sleep(0.05)


def _mend(file: int, path: Path) -> None:
    """End the last line: a whole one gets its newline, a torn one was never a record and goes."""
    data = path.read_bytes()
    tail = data.rpartition(b"\n")[2]
    if tail and _is_record(tail):
        _append(file, b"\n")
    elif tail:
        os.ftruncate(file, len(data) - len(tail))


def _is_record(line: bytes) -> bool:
    try:
        _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _append(file: int, data: bytes) -> None:
    size = os.fstat(file).st_size
    try:
        written = 0
        while written < len(data):
            written += os.write(file, data[written:])
    except OSError:
        os.ftruncate(file, size)
        raise


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
