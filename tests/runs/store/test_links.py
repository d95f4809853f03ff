"""A folder from someone else: its links are not followed out of it, to read or to write, and nothing in it
makes us wait."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from probatio.core.errors import UsageError
from probatio.core.files import hold, put, take_lock
from probatio.core.records import DayRecord, Response, Sampling
from probatio.runs.record import read_run
from probatio.runs.store.days import DayReader, read_days
from probatio.runs.store.journal import Journal
from probatio.runs.store.layout import (
    ALERTS,
    ANSWERS,
    DAY_FILE,
    GRADES,
    LEDGER,
    LOCK,
    RESERVE,
    RUN_FILE,
    SCORES,
    SET_ASIDE,
)
from probatio.runs.store.run_folder import RunFolder
from probatio.suites.daily_suite import constants_of, read_manifest
from probatio.watch.alerts.channels import Channel
from probatio.watch.alerts.delivery import alert
from probatio.watch.alerts.episodes import AlertRule
from probatio.watch.day.folder import day_folder, write_record, write_scores
from probatio.watch.ledger.ledger import hash_day, read_ledger, record_day

DATE = "2026-03-01"


def response(number: int = 1, text: str | None = "42", error: str | None = None) -> Response:
    return Response(
        timestamp="2026-01-05T20:27:27.000Z", run_id="r", framework_version="2", task_id=f"t{number}",
        model="m",
        n_shot=0, context="minimal", response=text, error=error,
    )  # fmt: skip


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file of the user's that no folder may reach: a line a reader would take, and an end the journal would
    mend."""
    file = tmp_path / "home" / "precious.jsonl"
    file.parent.mkdir()
    file.write_bytes(msgspec.json.encode(response()) + b"\nand a last line without an end")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "results" / "run"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A results folder with one closed day."""
    results = tmp_path / "results"
    folder = day_folder(results, DATE)
    folder.mkdir(parents=True)
    manifest = read_manifest()
    record = DayRecord(
        date=DATE,
        created=f"{DATE}T00:00:00Z",
        suite_version=manifest.version,
        suite_fingerprint="x",
        grader_version="x",
        models=(),
        sampling=Sampling(),
    )
    write_record(folder, record)
    write_scores(folder, [])
    return results


@pytest.mark.parametrize("name", [ANSWERS, GRADES, RESERVE, LOCK])
def test_a_link_in_a_run_never_reaches_the_file_it_names(folder: Path, precious: Path, name: str) -> None:
    before = precious.read_bytes(), precious.stat().st_mtime_ns
    (folder / name).symlink_to(precious)
    try:
        with Journal(folder) as journal:
            journal.answer(response())
    except UsageError as error:
        assert name in str(error) and "link" in str(error)
    assert (precious.read_bytes(), precious.stat().st_mtime_ns) == before
    if name != RESERVE:  # the reserve is made anew in place of the link; the others are refused
        assert (folder / name).is_symlink()
        with pytest.raises(UsageError):
            Journal(folder)


def test_a_refused_run_leaves_no_lock_and_no_reserve_behind(folder: Path, precious: Path) -> None:
    (folder / GRADES).symlink_to(precious)
    with pytest.raises(UsageError):
        Journal(folder)
    assert not (folder / RESERVE).exists()
    (folder / GRADES).unlink()
    with Journal(folder) as journal:
        journal.answer(response())


@pytest.mark.parametrize("name", [ANSWERS, GRADES, LOCK, RESERVE])
def test_a_link_to_nowhere_makes_no_file_there(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / name).symlink_to(tmp_path / "made-for-me")
    try:
        with Journal(folder) as journal:
            journal.answer(response())
    except UsageError:
        pass
    assert not (tmp_path / "made-for-me").exists()


def test_errors_set_aside_are_not_written_through_a_link(folder: Path, precious: Path) -> None:
    with Journal(folder) as journal:
        journal.answer(response(1, None, "503"))
    (folder / SET_ASIDE).symlink_to(precious)
    before = precious.read_bytes()
    with pytest.raises(UsageError, match=SET_ASIDE), Journal(folder, retry_errors=True) as journal:
        list(journal.take_up(ANSWERS, Response))
    assert precious.read_bytes() == before


def test_a_part_that_is_a_link_is_not_written_through(folder: Path, precious: Path) -> None:
    before = precious.read_bytes()
    (folder / "run.json.part").symlink_to(precious)
    put(folder / RUN_FILE, b"{}")
    assert precious.read_bytes() == before
    assert (folder / RUN_FILE).read_bytes() == b"{}" and not (folder / RUN_FILE).is_symlink()


def test_a_file_that_is_a_link_is_replaced_and_its_target_stays(folder: Path, precious: Path) -> None:
    before = precious.read_bytes()
    (folder / RUN_FILE).symlink_to(precious)
    put(folder / RUN_FILE, b"{}")
    assert precious.read_bytes() == before and (folder / RUN_FILE).read_bytes() == b"{}"


def test_a_hard_link_in_place_of_the_reserve_or_a_part_is_not_written_through(
    folder: Path, precious: Path
) -> None:
    before = precious.read_bytes()
    os.link(precious, folder / RESERVE)
    os.link(precious, folder / "run.json.part")
    with Journal(folder):
        put(folder / RUN_FILE, b"{}")
    assert precious.read_bytes() == before


@pytest.mark.parametrize("target", ["precious", "/etc/passwd", "/dev/zero"])
def test_a_link_out_of_a_run_is_not_read(folder: Path, precious: Path, target: str) -> None:
    (folder / ANSWERS).symlink_to(precious if target == "precious" else target)
    (folder / RUN_FILE).symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match=r"raw_responses\.jsonl leads out of .*remove the link"):
        list(RunFolder(folder, lenient=True).answers())
    with pytest.raises(UsageError, match=r"run\.json leads out of"):
        read_run(folder)


def test_a_link_that_stays_in_the_folder_is_read(folder: Path) -> None:
    (folder / "kept.jsonl").write_bytes(msgspec.json.encode(response()) + b"\n")
    (folder / ANSWERS).symlink_to("kept.jsonl")
    assert [line.response for line in RunFolder(folder).answers()] == ["42"]


def test_a_run_that_is_a_link_the_user_named_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk")
    with Journal(tmp_path / "run") as journal:
        journal.answer(response())
    assert [line.response for line in RunFolder(tmp_path / "run").answers()] == ["42"]
    assert (tmp_path / "disk" / ANSWERS).exists()


def test_links_in_a_circle_are_a_sentence(folder: Path) -> None:
    (folder / ANSWERS).symlink_to(ANSWERS)
    with pytest.raises(UsageError, match="link"):
        list(RunFolder(folder).answers())


PROGRAMS: dict[str, str] = {
    "journal": "from probatio.runs.store.journal import Journal; Journal(folder)",
    "reader": "from probatio.runs.store.run_folder import RunFolder; list(RunFolder(folder).answers())",
    "run": "from probatio.runs.record import read_run; read_run(folder)",
    "study": "from probatio.learn.analysis import study_of; study_of([folder])",
    "ledger": "from probatio.watch.ledger.ledger import read_ledger; read_ledger(folder.parent)",
    "config": "from probatio.core.config import load_config; load_config(folder / 'models.yml')",
    "suite": "from probatio.suites.language_suite import load_suite; load_suite(folder)",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_pipe_is_refused_at_once(tmp_path: Path, program: str) -> None:
    folder = tmp_path / "daily"
    (folder / "tasks").mkdir(parents=True)
    for name in (ANSWERS, GRADES, RUN_FILE, LEDGER, "models.yml", "tasks/a.yml"):
        os.mkfifo(folder / name)
    code = f"import sys; from pathlib import Path; folder = Path(sys.argv[1])\n{PROGRAMS[program]}"
    ended = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=300
    )
    assert "UsageError" in ended.stderr and "is not a file" in ended.stderr


def test_a_pipe_in_place_of_the_lock_or_the_reserve_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / LOCK)
    with pytest.raises(UsageError, match="is not a file"):
        take_lock(folder / LOCK)
    (folder / LOCK).unlink()
    os.mkfifo(folder / RESERVE)
    with Journal(folder) as journal:
        journal.answer(response())


@pytest.mark.parametrize("name", [DAY_FILE, SCORES])
def test_a_file_of_a_day_that_leads_out_is_not_read(results: Path, name: str) -> None:
    (day_folder(results, DATE) / name).unlink()
    (day_folder(results, DATE) / name).symlink_to("/etc/passwd")
    for read in (read_days, lambda each: DayReader(each).days()):
        with pytest.raises(UsageError, match=rf"{name} leads out of"):
            read(results)


@pytest.mark.parametrize("linked", ["daily", f"daily/{DATE}"])
def test_a_folder_of_days_that_leads_out_is_neither_read_nor_written(
    results: Path, tmp_path: Path, linked: str
) -> None:
    (results / linked).rename(tmp_path / "elsewhere")
    (results / linked).symlink_to(tmp_path / "elsewhere")
    constants = constants_of(read_manifest())
    attempts: list[Callable[[], object]] = [
        lambda: read_days(results),
        lambda: hash_day(results, DATE),
        lambda: day_folder(results, DATE),
        lambda: record_day(results, DATE, constants, "now"),
    ]
    for attempt in attempts:
        with pytest.raises(UsageError, match="leads out of"):
            attempt()
    assert not (tmp_path / "elsewhere" / LEDGER).exists()


def test_days_that_lie_elsewhere_in_the_same_results_are_read(results: Path) -> None:
    (results / "daily" / DATE).rename(results / "moved")
    (results / "daily" / DATE).symlink_to("../moved")
    assert [day.date for day in read_days(results)] == [DATE]


def test_the_ledger_is_not_written_through_a_link(results: Path, precious: Path) -> None:
    before = precious.read_bytes()
    (results / "daily" / LEDGER).symlink_to(precious)
    with pytest.raises(UsageError, match=LEDGER):
        record_day(results, DATE, constants_of(read_manifest()), "now")
    with pytest.raises(UsageError, match=LEDGER):
        read_ledger(results)
    assert precious.read_bytes() == before


@pytest.mark.parametrize("name", [ALERTS, f".{ALERTS}.lock", f"{ALERTS}.part"])
def test_the_state_of_alerts_is_not_written_through_a_link(results: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / "state.json"
    target.write_text('{"channels": {}}')
    (results / "daily" / name).symlink_to(target)
    channel = Channel("here", "json://127.0.0.1:9/", AlertRule())
    try:
        alert(results, [channel], {}, lambda text: None, pauses=())
    except UsageError as error:
        assert name in str(error)
    assert target.read_text() == '{"channels": {}}'


def test_a_lock_that_leads_out_is_refused_also_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "results" / "daily").symlink_to(tmp_path / "out")
    with (
        pytest.raises(UsageError, match="leads out"),
        hold(tmp_path / "results/daily/x", 1, None, tmp_path / "results"),
    ):
        pass
    assert not list((tmp_path / "out").iterdir())
