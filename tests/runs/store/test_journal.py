"""The journal: what is written stays, what is torn is cut, and one process writes."""

import contextlib
import resource
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatio.core.errors import Incomplete, UsageError
from probatio.core.records import Response
from probatio.runs.store import journal as module
from probatio.runs.store.journal import DiskFull, Journal
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import read_lines


def response(number: int, text: str = "42") -> Response:
    return Response(
        timestamp="2026-01-05T20:27:27.000Z", run_id="r", framework_version="2", task_id=f"t{number}",
        model="m",
        n_shot=0, context="minimal", response=text,
    )  # fmt: skip


def texts(folder: Path) -> list[str | None]:
    return [line.response for line in read_lines(folder / ANSWERS, Response)]


@given(st.lists(st.text(), max_size=5), st.integers(0, 400))
def test_a_file_torn_anywhere_in_its_last_line_keeps_every_whole_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    with Journal(folder) as journal:
        for number, text in enumerate([*lines, "the last one"]):
            journal.answer(response(number, text))
    whole = (folder / ANSWERS).read_bytes()
    last = whole[:-1].rpartition(b"\n")[2] + b"\n"
    (folder / ANSWERS).write_bytes(whole[: len(whole) - min(cut, len(last))])
    with Journal(folder) as journal:
        journal.answer(response(99, "after the crash"))
    survived = ["the last one"] if cut <= 1 else []
    assert texts(folder) == [*lines, *survived, "after the crash"]


def test_reading_passes_over_a_torn_last_line(tmp_path: Path) -> None:
    line = msgspec.json.encode(response(1))
    (tmp_path / ANSWERS).write_bytes(line + b"\n" + line[:50])
    assert texts(tmp_path) == ["42"]


def test_a_bad_line_in_the_middle_is_named(tmp_path: Path) -> None:
    line = msgspec.json.encode(response(1))
    (tmp_path / ANSWERS).write_bytes(line + b"\n{nonsense\n" + line + b"\n")
    with pytest.raises(UsageError, match="line 2"):
        texts(tmp_path)


def test_a_second_writer_is_refused_and_the_lock_goes_with_the_process(tmp_path: Path) -> None:
    hold = (
        "from pathlib import Path; from probatio.runs.store.journal import Journal; "
        f"journal = Journal(Path({str(tmp_path)!r})); print('held', flush=True); input()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Incomplete, match="Another process"):
        Journal(tmp_path)
    holder.kill()
    holder.wait()
    Journal(tmp_path).close()


@contextlib.contextmanager
def largest_file(size: int):  # type: ignore[no-untyped-def]
    """No file may grow past `size`: what a full disk does to us, without filling one."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_line_that_finds_no_room_leaves_nothing_torn(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        journal.answer(response(1))
        size = (tmp_path / ANSWERS).stat().st_size
        with largest_file(size + 100), pytest.raises(DiskFull, match="disk is full"):
            journal.answer(response(2, "x" * 1000))
        assert (tmp_path / ANSWERS).stat().st_size == size
        journal.answer(response(3))
    assert texts(tmp_path) == ["42", "42"]


def test_the_reserve_takes_the_answers_in_flight_when_the_disk_fills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount = tmp_path / "small"
    mount.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)], check=False, capture_output=True
    ).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        monkeypatch.setattr(module, "RESERVE_BYTES", 256 * 1024)
        written = 0
        with Journal(mount / "run") as journal:
            while not journal.full:
                journal.answer(response(written, "x" * 4000))
                written += 1
            for _ in range(10):  # those that were in flight
                journal.answer(response(written, "x" * 4000))
                written += 1
        assert len(texts(mount / "run")) == written
    finally:
        subprocess.run(["umount", str(mount)], check=True)
