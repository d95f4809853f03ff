"""The closed days on disk: `results/daily/{date}/day.json` and `scores.jsonl`, read as `Day` records."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from probatio.core import jsonfile
from probatio.core.errors import ProbatioError, UsageError
from probatio.core.inside import list_inside, read_inside
from probatio.core.records import DailyScore, Day, DayRecord
from probatio.core.trust import require_known
from probatio.runs.collector import pause_collector
from probatio.runs.store.layout import DAILY, DAY_FILE, SCORES

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_RECORD = jsonfile.Decoder(DayRecord)
_SCORES = jsonfile.Decoder(DailyScore)
_LATEST: dict[Path, dict[Path, tuple[object, Day]]] = {}
"""The days of the results folder that was read last, so that preparing and running a day read them once."""


def read_days(results: Path, until: str | None = None, without: Collection[str] = ()) -> list[Day]:
    """Every closed day under `results/daily` up to `until`, oldest first. A closed day has scores."""
    there = [path for path in list_closed(results / DAILY, results) if path.name not in without]
    with pause_collector():
        return [read_day(path, results) for path in there if until is None or path.name <= until]


def read_hashed_days(results: Path, until: str | None = None, without: Collection[str] = ()) -> list[Day]:
    """As `read_days`, with the digest of each day's scores, which are decoded when they are first looked at:
    who knows what was made of the same bytes before needs few of them."""
    there = [path for path in list_closed(results / DAILY, results) if path.name not in without]
    return [_hash_day(path, results) for path in there if until is None or path.name <= until]


def days_ahead(results: Path, today: str) -> tuple[str, ...]:
    """The closed days with a date in the future: a clock was ahead when they were run. They are left out
    until that date. Simulated days may have any date."""
    later = [path for path in list_closed(results / DAILY, results) if path.name > today]
    return tuple(path.name for path in later if not read_day_record(path / DAY_FILE, results).simulated)


def describe_ahead(dates: Sequence[str], today: str) -> str:
    """The sentence about days in the future."""
    which = dates[0] if len(dates) == 1 else f"{len(dates)} days, from {dates[0]} to {dates[-1]},"
    many = len(dates) > 1
    return (
        f"{which} {'lie' if many else 'lies'} in the future (in UTC it is {today}): a clock was ahead when "
        f"{'they were' if many else 'it was'} recorded. {'They are' if many else 'It is'} left out until "
        "then."
    )


def last_days(results: Path, count: int, most: int, without: Collection[str] = ()) -> tuple[list[Day], int]:
    """The last `count` closed days, oldest first, and how many there are. At most `most` are read, evenly
    spread, with the oldest and the newest."""
    paths = [path for path in list_closed(results / DAILY, results) if path.name not in without][-count:]
    step = max(1.0, (len(paths) - 1) / (most - 1))
    chosen = [paths[round(at * step)] for at in range(min(most, len(paths)))]
    return [read_day(path, results) for path in chosen], len(paths)


class DayReader:
    """Reads the closed days of a results folder. A day that has not changed is not read again."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._days: dict[Path, tuple[object, Day]] = _LATEST.get(results.resolve(), {})

    def days(self) -> list[Day]:
        """Every closed day, oldest first."""
        known, self._days = self._days, {}
        with pause_collector():
            for folder in list_closed(self._results / DAILY, self._results):
                state = [_state(folder / name) for name in (DAY_FILE, SCORES)]
                before = known.get(folder)
                if before is None or before[0] != state:
                    before = state, _hash_day(folder, self._results)
                    _ = before[1].scores  # so that a file that can't be read is named here
                self._days[folder] = before
        _LATEST.clear()
        _LATEST[self._results.resolve()] = self._days
        return [day for _, day in self._days.values()]


def read_day(folder: Path, results: Path | None = None) -> Day:
    """The closed day in `folder`. Files that lead out of `results` (or the day's folder) are refused."""
    record = _read_record(folder, results)
    return Day(record, _decode_scores(folder / SCORES, read_inside(folder / SCORES, results)))


def _hash_day(folder: Path, results: Path) -> Day:
    scores = folder / SCORES
    return Day(_read_record(folder, results), _HashedScores(scores, read_inside(scores, results)))


def _read_record(folder: Path, results: Path | None) -> DayRecord:
    record = read_day_record(folder / DAY_FILE, results)
    if record.date != folder.name:
        raise UsageError(f"{folder / DAY_FILE} says it is {record.date}; the folder says {folder.name}.")
    return record


def _decode_scores(path: Path, data: bytes) -> tuple[DailyScore, ...]:
    try:
        lines = _SCORES.decode_lines(data)
    except msgspec.DecodeError as error:
        raise UsageError(_bad_line(path, data, error)) from None
    last = {(line.model, line.use_case): line for line in lines}
    return tuple(last.values())


class _HashedScores:
    """The scores of a day as bytes: what is decoded later are the bytes that were hashed."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path, self._data, self.digest = path, data, hashlib.sha256(data).hexdigest()

    @cached_property
    def lines(self) -> tuple[DailyScore, ...]:
        with pause_collector():
            lines = _decode_scores(self._path, self._data)
        self._data = b""
        return lines


def read_records(results: Path) -> Iterator[DayRecord]:
    """The records of the closed days alone, without their scores. What can't be read is left out."""
    for path in list_closed(results / DAILY, results):
        try:
            yield read_day_record(path / DAY_FILE, results)
        except (ProbatioError, OSError):
            continue


def suite_folder(results: Path, record: DayRecord) -> Path | None:
    """The folder of a day's suite; None for the built-in one. One that lies outside of the results has to be
    known on this machine: a record may be a stranger's."""
    return require_known(results / record.suite, results) if os.sep in record.suite else None


def _state(path: Path) -> tuple[int, int] | None:
    """What changes when a file does."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size


def list_closed(folder: Path, root: Path) -> list[Path]:
    """The folders of closed days in this one, oldest first. It may not lead out of `root`."""
    dates = [path for path in list_inside(folder, "????-??-??", root) if _DATE.fullmatch(path.name)]
    return [path for path in dates if (path / SCORES).exists()]


def read_day_record(path: Path, results: Path | None) -> DayRecord:
    try:
        return _RECORD.decode(read_inside(path, results))
    except FileNotFoundError:
        raise UsageError(f"{path} is missing beside its scores; the day can't be read without it.") from None
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} is not a day's record: {error}.") from None


def _bad_line(path: Path, data: bytes, error: Exception) -> str:
    """The sentence about a file that can't be read, with the number of the bad line."""
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            _SCORES.decode(line)
        except msgspec.DecodeError as fault:
            return (
                f"{path}, line {number}, is not a score: {fault}. `probatio daily` writes the file again "
                "from the grades."
            )
    return f"{path} can't be read: {error}."
