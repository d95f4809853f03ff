"""The cache of checked answers: what it keeps, what it forgets, and that nothing is lost where the file
is."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from probatio.core.errors import UsageError
from probatio.grading import checked
from probatio.grading.checked import CheckedAnswers, CheckKey, close_checked, open_checked

GRADER, OTHER = b"grader", b"another"


def key(number: int, grader: bytes = GRADER, answer: bytes = b"an answer") -> CheckKey:
    return CheckKey(grader + number.to_bytes(8, "big"), grader, answer, f"case {number}")


def test_a_reply_is_there_for_the_next_process(tmp_path: Path) -> None:
    page = os.urandom(20_000)
    first = CheckedAnswers(tmp_path)
    first.put(key(1, answer=page), b"it says: " + page)
    assert first.get(key(1, answer=page)) == b"it says: " + page  # before it is written
    first.close()
    second = CheckedAnswers(tmp_path)
    assert second.get(key(1, answer=page)) == b"it says: " + page
    assert second.get(key(2)) is None
    assert second.get(key(1, OTHER)) is None
    second.close()
    assert (tmp_path / checked.FILE).stat().st_size < len(page), "what quotes the answer is kept without it"


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    one, two = CheckedAnswers(tmp_path), CheckedAnswers(tmp_path)
    for number in range(400):
        (one if number % 2 else two).put(key(number), b"%d" % number)
    one.flush()
    two.flush()
    assert all(each.get(key(number)) == b"%d" % number for each in (one, two) for number in range(400))
    one.close()
    two.close()


def test_a_difference_is_said_and_drops_all_of_that_grader(tmp_path: Path) -> None:
    said: list[str] = []
    cache = CheckedAnswers(tmp_path, say=said.append)
    for number in range(3):
        cache.put(key(number), b"kept")
    cache.flush()
    cache.put(key(3), b"not written yet")
    cache.put(key(1, OTHER), b"of another")
    cache._drop_grader(key(2))
    assert [cache.get(key(number)) for number in range(4)] == [None] * 4
    assert cache.get(key(1, OTHER)) == b"of another"
    assert "WARNING" in said[0]
    assert "`case 2`" in said[0]
    assert "3 kept results of this grader are dropped" in said[0]
    cache.close()


def test_it_stays_within_its_size_and_forgets_what_was_unused_for_longest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked, "_today", lambda: 1)
    cache = CheckedAnswers(tmp_path, limit_mb=1)
    for number in range(20):
        cache.put(key(number), os.urandom(20_000))
    cache.flush()
    monkeypatch.setattr(checked, "_today", lambda: 2)
    assert cache.get(key(0)) is not None  # used again, a day later
    for number in range(100, 135):
        cache.put(key(number), os.urandom(20_000))
    cache.flush()
    assert all(cache.get(key(number)) for number in (0, *range(100, 135)))
    assert len([number for number in range(1, 20) if cache.get(key(number))]) < 10
    for number in range(200, 300):
        cache.put(key(number), os.urandom(20_000))
        cache.flush()
    cache.close()
    assert (tmp_path / checked.FILE).stat().st_size < 1.2 * (1 << 20)


def test_a_damaged_file_costs_nothing_but_what_was_in_it(tmp_path: Path) -> None:
    (tmp_path / checked.FILE).write_bytes(b"this is no database" * 1000)
    said: list[str] = []
    cache = CheckedAnswers(tmp_path, say=said.append)
    assert "begun again" in said[0]
    cache.put(key(1), b"new")
    cache.flush()
    assert cache.get(key(1)) == b"new"
    cache.close()


def test_a_changed_reply_is_no_reply(tmp_path: Path) -> None:
    cache = CheckedAnswers(tmp_path)
    cache.put(key(1), b"kept")
    cache.flush()
    with sqlite3.connect(tmp_path / checked.FILE) as db:
        db.execute("UPDATE checked SET reply = x'00ff'")
    assert cache.get(key(1)) is None
    cache.close()


def test_a_folder_that_can_not_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = CheckedAnswers(tmp_path / "file" / "below")
    cache.put(key(1), b"kept")
    cache.flush()
    assert cache.get(key(1)) is None
    cache.close()


def test_the_file_may_be_deleted_while_it_is_open(tmp_path: Path) -> None:
    cache = CheckedAnswers(tmp_path)
    for file in tmp_path.iterdir():
        file.unlink()
    cache.put(key(1), b"kept")
    cache.flush()
    cache.close()
    CheckedAnswers(tmp_path).close()


def test_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path))
    monkeypatch.setenv("PROBATIO_CHECKED_MB", "0")
    assert open_checked().path is None
    monkeypatch.setenv("PROBATIO_CHECKED_MB", "much")
    with pytest.raises(UsageError, match="PROBATIO_CHECKED_MB is 'much'"):
        open_checked()
    monkeypatch.setenv("PROBATIO_CHECKED_MB", "5")
    cache = open_checked()
    assert cache is open_checked()
    assert cache.path == tmp_path / checked.FILE
    close_checked()
