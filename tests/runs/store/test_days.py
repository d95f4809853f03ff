"""Reading the closed days from their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatio.core.errors import UsageError
from probatio.runs.store.days import read_days, suite_folder
from watch.verdict.made_up import day_at, made_up_day, record, steady, write_day, write_days


def test_days_are_read_in_order_up_to_the_one_asked_for(tmp_path: Path) -> None:
    write_days(tmp_path, reversed(steady(4, ["m"], ["a"])))
    (tmp_path / "daily" / "not-a-day").mkdir()
    assert [day.date for day in read_days(tmp_path)] == [day_at(number) for number in range(4)]
    assert [day.date for day in read_days(tmp_path, until=day_at(1))] == [day_at(0), day_at(1)]


def test_a_day_without_scores_is_still_being_run(tmp_path: Path) -> None:
    folder = write_day(tmp_path, made_up_day(0, {"m": {"a": 90.0}}))
    (folder / "scores.jsonl").unlink()
    assert len(read_days(tmp_path)) == 0


def test_no_days_are_no_error(tmp_path: Path) -> None:
    assert len(read_days(tmp_path)) == 0


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    folder = write_day(tmp_path, made_up_day(0, {"m": {"a": 90.0, "b": 90.0}}))
    scores = folder / "scores.jsonl"
    scores.write_bytes(scores.read_bytes().replace(b'"use_case":"b"', b'"use_case":7'))
    with pytest.raises(UsageError, match=r"scores\.jsonl, line 2, is not a score"):
        read_days(tmp_path)


def test_a_day_in_the_wrong_folder_is_refused(tmp_path: Path) -> None:
    folder = write_day(tmp_path, made_up_day(0, {"m": {"a": 90.0}}))
    folder.rename(folder.with_name(day_at(7)))
    with pytest.raises(UsageError, match="the folder says 2026-01-08"):
        read_days(tmp_path)


def test_the_suite_of_a_day_is_a_folder_where_its_record_names_one(tmp_path: Path) -> None:
    assert suite_folder(tmp_path, record(day_at(0), ["m"], suite="daily")) is None
    assert suite_folder(tmp_path, record(day_at(0), ["m"], suite="../suite")) == tmp_path / "../suite"
    assert suite_folder(tmp_path, record(day_at(0), ["m"], suite="/elsewhere/suite")) == Path(
        "/elsewhere/suite"
    )
