"""The ledger: appended, chained, repaired after a crash, locked; and every way of tampering found by its
name."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatio.core.errors import Incomplete, UsageError
from probatio.core.files import hold
from probatio.core.records import Day
from probatio.runs.store.days import read_days
from probatio.watch import verdict
from probatio.watch.ledger import ledger
from probatio.watch.ledger.chain import (
    Finding,
    check_chain,
    check_files,
    check_head,
    check_recorded,
)
from probatio.watch.ledger.ledger import (
    START,
    LedgerRecord,
    ledger_path,
    read_ledger,
    record_day,
    record_days,
    standing_records,
)
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, steady, write_day, write_days


def _recorded(results: Path, days: int = 8) -> Path:
    write_days(results, steady(days, ["m"], ["a", "b"]))
    for number in range(days):
        record_day(results, day_at(number), CONSTANTS, f"now {number}")
    return results


def _records(results: Path) -> list[LedgerRecord]:
    return [line.record() for line in read_ledger(results)]


def test_each_line_carries_the_hash_of_the_one_before(tmp_path: Path) -> None:
    _recorded(tmp_path)
    lines = ledger_path(tmp_path).read_bytes().splitlines()
    hashes = [START, *(hashlib.sha256(line).hexdigest() for line in lines)]
    assert [msgspec.json.decode(line)["previous"] for line in lines] == hashes[:-1]
    assert [msgspec.json.decode(line)["seq"] for line in lines] == list(range(8))
    assert not list(check_chain(read_ledger(tmp_path)))


def test_a_record_vouches_for_files_constants_code_and_verdicts(tmp_path: Path) -> None:
    _recorded(tmp_path)
    record = _records(tmp_path)[-1]
    name = f"daily/{day_at(7)}/scores.jsonl"
    assert record.files[name] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    assert f"daily/{day_at(7)}/day.json" in record.files
    assert record.constants == CONSTANTS
    assert record.code == ledger.code_version()
    assert [(verdict.model, verdict.status) for verdict in record.verdicts] == [("m", "OK")]
    assert (record.kind, record.corrects, record.made) == ("day", None, "now 7")


def test_a_day_that_stands_as_recorded_is_not_recorded_again(tmp_path: Path) -> None:
    _recorded(tmp_path)
    before = ledger_path(tmp_path).read_bytes()
    assert record_day(tmp_path, day_at(7), CONSTANTS, "later") == []
    assert ledger_path(tmp_path).read_bytes() == before


def test_a_day_that_was_run_further_is_corrected_and_nothing_is_rewritten(tmp_path: Path) -> None:
    _recorded(tmp_path)
    before = ledger_path(tmp_path).read_bytes()
    write_day(tmp_path, made_up_day(7, {model: {"a": 90.0, "b": 90.0} for model in ("m", "n")}))
    (correction,) = record_day(tmp_path, day_at(7), CONSTANTS, "later")
    assert (correction.kind, correction.corrects, correction.seq) == ("correction", 7, 8)
    assert [verdict.model for verdict in correction.verdicts] == ["m", "n"]
    assert ledger_path(tmp_path).read_bytes().startswith(before)
    assert standing_records(read_ledger(tmp_path))[day_at(7)].seq == 8
    assert not list(check_chain(read_ledger(tmp_path)))


def test_later_verdicts_that_follow_from_a_corrected_day_are_corrected_too(tmp_path: Path) -> None:
    _recorded(tmp_path)
    write_day(tmp_path, made_up_day(3, {"m": {"a": 60.0, "b": 90.0}}))
    written = record_day(tmp_path, day_at(3), CONSTANTS, "later")
    assert [record.date for record in written] == [
        day_at(number) for number in range(3, 8)
    ]  # its score is in their baselines
    assert {record.why for record in written[1:]} == {f"follows from {day_at(3)}"}
    assert not list(check_chain(read_ledger(tmp_path)))


def test_days_recorded_together_say_what_they_say_one_by_one_and_correct_a_later_day_once(
    tmp_path: Path,
) -> None:
    days = [made_up_day(number, {"m": {"a": 90.0 - 7 * number, "b": 90.0}}) for number in range(6)]
    for results in (tmp_path / "together", tmp_path / "apart"):
        write_day(results, days[5])
        record_day(results, day_at(5), CONSTANTS, "first")
        write_days(results, days[:5])
    written = record_days(tmp_path / "together", {day_at(number) for number in range(5)}, CONSTANTS, "now")
    for number in range(5):
        record_day(tmp_path / "apart", day_at(number), CONSTANTS, "now")
    assert [(record.date, record.kind) for record in written] == [
        *((day_at(number), "day") for number in range(5)),
        (day_at(5), "correction"),
    ]
    together, apart = (standing_records(read_ledger(tmp_path / name)) for name in ("together", "apart"))
    assert {date: record.verdicts for date, record in together.items()} == {
        date: record.verdicts for date, record in apart.items()
    }
    assert not list(check_chain(read_ledger(tmp_path / "together")))
    with pytest.raises(Incomplete, match="is not closed yet"):
        record_days(tmp_path / "together", {day_at(9)}, CONSTANTS, "now")


def test_what_was_changed_behind_our_back_is_not_corrected_away(tmp_path: Path) -> None:
    _recorded(tmp_path)
    write_day(tmp_path, made_up_day(6, {"m": {"a": 10.0, "b": 90.0}}))  # nobody ran that day again
    write_day(tmp_path, made_up_day(3, {"m": {"a": 60.0, "b": 90.0}}))
    written = record_day(tmp_path, day_at(3), CONSTANTS, "later")
    assert day_at(6) not in [record.date for record in written]


def test_a_published_verdict_keeps_the_constants_that_made_it(tmp_path: Path) -> None:
    _recorded(tmp_path)
    stricter = msgspec.structs.replace(
        CONSTANTS, rule=msgspec.structs.replace(CONSTANTS.rule, baseline_min=3)
    )
    write_day(tmp_path, made_up_day(8, {"m": {"a": 90.0, "b": 90.0}}))
    record_day(tmp_path, day_at(8), stricter, "later")
    assert [record.constants.rule.baseline_min for record in _records(tmp_path)] == [5] * 8 + [3]


def test_a_day_that_is_not_closed_is_not_recorded(tmp_path: Path) -> None:
    _recorded(tmp_path)
    with pytest.raises(Incomplete, match="not closed"):
        record_day(tmp_path, day_at(9), CONSTANTS, "later")


def test_days_and_hashes_that_the_caller_has_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _recorded(tmp_path)
    for number in (7, 3):
        write_day(tmp_path, made_up_day(number, {"m": {"a": 60.0, "b": 90.0}}))
    written = ledger_path(tmp_path).read_bytes()
    expected = record_day(tmp_path, day_at(3), CONSTANTS, "later")
    ledger_path(tmp_path).write_bytes(written)
    days, hashes = read_days(tmp_path), ledger.hash_day(tmp_path, day_at(3))
    hashed: list[Path] = []

    def counted(path: Path) -> str:
        hashed.append(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    monkeypatch.setattr(ledger, "_hash", counted)
    monkeypatch.setattr(ledger, "read_days", None)
    assert record_day(tmp_path, day_at(3), CONSTANTS, "later", lambda: days, hashes) == expected
    assert len(hashed) == len(set(hashed)) > 0  # each file of the later days once
    assert day_at(3) not in {path.parent.name for path in hashed}


def test_the_days_are_asked_for_while_the_ledger_is_held_so_none_can_be_recorded_between(
    tmp_path: Path,
) -> None:
    _recorded(tmp_path)
    write_day(tmp_path, made_up_day(3, {"m": {"a": 60.0, "b": 90.0}}))

    def days() -> list[Day]:
        with pytest.raises(Incomplete), hold(ledger_path(tmp_path), 0.0):
            pass
        return read_days(tmp_path)

    written = record_day(tmp_path, day_at(3), CONSTANTS, "later", days)
    assert [(record.date, len(record.verdicts)) for record in written] == [
        (day_at(number), 1) for number in range(3, 8)
    ]


@pytest.mark.parametrize("cut", [1, 40, 2000])
def test_a_torn_last_line_is_cut_and_its_day_recorded_anew(tmp_path: Path, cut: int) -> None:
    _recorded(tmp_path)
    path = ledger_path(tmp_path)
    whole = path.read_bytes()
    last = whole.splitlines()[-1]
    path.write_bytes(whole[: len(whole) - 1 - min(cut, len(last) - 1)])
    assert "torn" in str(next(check_chain(read_ledger(tmp_path))))
    record_day(tmp_path, day_at(7), CONSTANTS, "now 7")
    assert path.read_bytes() == whole


def test_a_whole_last_line_only_lacks_its_newline(tmp_path: Path) -> None:
    _recorded(tmp_path)
    path = ledger_path(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert not list(check_chain(read_ledger(tmp_path)))
    record_day(tmp_path, day_at(7), CONSTANTS, "later")
    assert path.read_bytes() == whole


WRITER = """
import sys
from pathlib import Path
from probatio.suites.daily_suite import constants_of, read_manifest
from probatio.watch.ledger.ledger import record_day
record_day(Path(sys.argv[1]), sys.argv[2], constants_of(read_manifest()), "now")
"""


@pytest.mark.slow
def test_writers_at_the_same_time_leave_one_chain(tmp_path: Path) -> None:
    write_days(tmp_path, steady(6, ["m"], ["a"]))
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, day_at(number)]) for number in range(6)
    ]
    assert [writer.wait(300) for writer in writers] == [0] * 6
    assert not list(check_chain(read_ledger(tmp_path)))
    assert sorted(record.date for record in _records(tmp_path)) == [day_at(number) for number in range(6)]


def test_who_finds_the_ledger_held_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _recorded(tmp_path, 2)
    monkeypatch.setattr(ledger, "LOCK_SECONDS", 0.2)
    with hold(ledger_path(tmp_path), 1), pytest.raises(Incomplete, match="Another process"):
        record_day(tmp_path, day_at(1), CONSTANTS, "later")


def test_the_code_version_covers_every_module_a_verdict_is_made_by() -> None:
    """Everything the verdict imports of ours lies in its own package, or is a plain record."""
    folder = Path(verdict.__file__).parent
    outside = {
        name
        for file in folder.rglob("*.py")
        for name in re.findall(
            r"^ *from (probatio[.\w]*) import", file.read_text(encoding="utf-8"), re.MULTILINE
        )
        if not name.startswith("probatio.watch.verdict")
    }
    assert outside <= {"probatio.core.records", "probatio.core.errors"}


def _line(results: Path, number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Change one record of the ledger in place."""
    lines = ledger_path(results).read_bytes().splitlines()
    record = msgspec.json.decode(lines[number])
    change(record)
    lines[number] = msgspec.json.encode(record)
    ledger_path(results).write_bytes(b"".join(line + b"\n" for line in lines))


def _findings(results: Path) -> list[Finding]:
    lines = read_ledger(results)
    findings = list(check_chain(lines))
    for line in lines:
        if line.record().seq == standing_records(lines)[line.record().date].seq:
            findings += check_files(results, line, line.record())
    return [*findings, *check_recorded(results, standing_records(lines))]


def test_a_changed_past_verdict_breaks_the_chain_at_the_next_line(tmp_path: Path) -> None:
    _recorded(tmp_path)
    _line(tmp_path, 4, lambda record: record["verdicts"][0].update(status="COOKED"))
    (finding,) = _findings(tmp_path)
    assert (finding.file, finding.line) == ("daily/ledger.jsonl", 6)
    assert "line 5 was changed" in finding.what


def test_moved_lines_are_named(tmp_path: Path) -> None:
    _recorded(tmp_path)
    lines = ledger_path(tmp_path).read_bytes().splitlines(keepends=True)
    lines[2], lines[3] = lines[3], lines[2]
    ledger_path(tmp_path).write_bytes(b"".join(lines))
    finding = _findings(tmp_path)[0]
    assert finding.line == 3
    assert "record 3 where record 2 belongs" in finding.what


def test_a_removed_line_is_named(tmp_path: Path) -> None:
    _recorded(tmp_path)
    lines = ledger_path(tmp_path).read_bytes().splitlines(keepends=True)
    ledger_path(tmp_path).write_bytes(b"".join(lines[:3] + lines[4:]))
    findings = _findings(tmp_path)
    assert findings[0].line == 4
    assert "record 4 where record 3 belongs" in findings[0].what
    assert findings[-1].file == f"daily/{day_at(3)}"  # and the day is now one the ledger does not know


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    _recorded(tmp_path)
    lines = ledger_path(tmp_path).read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"seq":', b'"seq"?', 1)
    ledger_path(tmp_path).write_bytes(b"".join(lines))
    findings = list(check_chain(read_ledger(tmp_path)))
    assert findings[0].line == 3
    assert "not a record" in findings[0].what
    with pytest.raises(UsageError, match="line 3 is not a record"):
        standing_records(read_ledger(tmp_path))


def test_a_deleted_day_is_named(tmp_path: Path) -> None:
    _recorded(tmp_path)
    folder = tmp_path / "daily" / day_at(5)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    (finding,) = _findings(tmp_path)
    assert (finding.file, finding.line) == (f"daily/{day_at(5)}", None)
    assert "the day is gone" in finding.what


@pytest.mark.parametrize("name", ["raw_responses.jsonl", "graded_results.jsonl", "scores.jsonl", "day.json"])
def test_a_changed_or_missing_file_is_named(tmp_path: Path, name: str) -> None:
    _recorded(tmp_path)
    path = tmp_path / "daily" / day_at(5) / name
    path.write_bytes(path.read_bytes() + b" ")
    (finding,) = _findings(tmp_path)
    assert finding.file == f"daily/{day_at(5)}/{name}"
    assert "it was changed since" in finding.what
    if name != "scores.jsonl":
        path.unlink()
        assert "the file is gone" in _findings(tmp_path)[0].what


def test_a_correction_must_point_to_a_record_of_its_own_date(tmp_path: Path) -> None:
    _recorded(tmp_path)
    write_day(tmp_path, made_up_day(7, {"m": {"a": 89.0, "b": 90.0}}))
    record_day(tmp_path, day_at(7), CONSTANTS, "later")
    _line(tmp_path, 8, lambda record: record.update(corrects=2))
    assert "corrects record 2, which is not one of its date" in _findings(tmp_path)[0].what


def test_a_cut_tail_leaves_a_whole_chain_but_days_nobody_recorded_and_a_head_nobody_finds(
    tmp_path: Path,
) -> None:
    _recorded(tmp_path)
    head = read_ledger(tmp_path)[-1].sha256
    lines = ledger_path(tmp_path).read_bytes().splitlines(keepends=True)
    ledger_path(tmp_path).write_bytes(b"".join(lines[:-2]))
    assert not list(check_chain(read_ledger(tmp_path)))  # a chain can't see it
    assert [finding.file for finding in _findings(tmp_path)] == [f"daily/{day_at(6)}", f"daily/{day_at(7)}"]
    assert "cut or rewritten" in str(next(check_head(read_ledger(tmp_path), head)))


def test_a_head_that_was_noted_is_found_again_later(tmp_path: Path) -> None:
    _recorded(tmp_path, 4)
    noted = read_ledger(tmp_path)[-1].sha256[:12]
    _recorded(tmp_path, 8)
    assert not list(check_head(read_ledger(tmp_path), noted))
