"""The engine as its users meet it: `probatio trial` in a process of its own, against a server that
stumbles."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from double import Double, Faults
from probatio.core.records import Response
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.lines import read_lines
from runs.trials import argv, asked, environment, finished, graded, grades, new_run, suite

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

FAULTY = Faults(
    too_many=0.05, server_error=0.05, reset=0.03, torn=0.02, empty_choices=0.02, error_in_200=0.02
)


@pytest.mark.parametrize("trials", [300, pytest.param(2000, marks=pytest.mark.soak)])
def test_trials_on_a_faulty_server_end_graded_or_as_api_errors_each_once(tmp_path: Path, trials: int) -> None:
    with Double(FAULTY, latency=0.005) as double:
        done = finished(new_run(tmp_path, "--samples", str(trials // 10)), double, tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(asked(tmp_path)) == len(graded(tmp_path)) == trials
    assert set(asked(tmp_path).values()) == set(graded(tmp_path).values()) == {1}
    assert asked(tmp_path).keys() == graded(tmp_path).keys()
    for grade in grades(tmp_path):
        assert grade.error_type in (None, "wrong_output", "api_error")
    assert double.served["answer"] == sum(line.error_type != "api_error" for line in grades(tmp_path))


def test_killed_at_ten_random_moments_and_resumed_each_time_nothing_is_lost_or_doubled(
    tmp_path: Path,
) -> None:
    chance = random.Random(20260105)
    with Double(FAULTY, latency=0.02) as double:
        command = new_run(tmp_path, "--samples", "200")
        before = b""
        for kill in range(10):
            served = sum(double.served.values())
            process = subprocess.Popen(
                command, env=environment(double), cwd=tmp_path, stdout=subprocess.DEVNULL
            )
            # Every third while it starts, the others while it asks, however slow the machine is today.
            while kill % 3 and sum(double.served.values()) == served and process.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, 1.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
            raw = tmp_path / "results" / "r" / ANSWERS
            if raw.exists():
                now = raw.read_bytes()
                kept = before[: before.rfind(b"\n") + 1]
                assert now.startswith(kept), f"kill {kill} cost an answer that was on disk"
                before = now
            if (tmp_path / "results" / "r" / "run.json").exists():
                command = argv(tmp_path, "--resume", "r")
        killed_with = len(asked(tmp_path))
        double.faults = Faults()  # that a run ends on a faulty server is shown above
        done = finished(command, double, tmp_path)
    assert 0 < killed_with < 2000
    assert done.returncode == 0, done.stderr
    assert len(asked(tmp_path)) == len(graded(tmp_path)) == 2000
    assert set(asked(tmp_path).values()) == set(graded(tmp_path).values()) == {1}
    # Only what was in flight at a kill is asked again: at most the ceiling's worth, ten times.
    answers = sum(line.error is None for line in read_lines(tmp_path / "results" / "r" / ANSWERS, Response))
    assert double.served["answer"] <= answers + 10 * 64


def test_an_answer_that_was_kept_but_not_graded_is_graded_on_resume_and_not_asked_again(
    tmp_path: Path,
) -> None:
    with Double() as double:
        finished(new_run(tmp_path), double, tmp_path)
        graded_file = tmp_path / "results" / "r" / "graded_results.jsonl"
        whole = graded_file.read_bytes().splitlines(keepends=True)
        graded_file.write_bytes(b"".join(whole[:4]) + whole[4][:30])
        served = double.served["answer"]
        done = finished(argv(tmp_path, "--resume", "r"), double, tmp_path)
        assert double.served["answer"] == served
    assert done.returncode == 0, done.stderr
    assert set(graded(tmp_path).values()) == {1}
    assert len(graded(tmp_path)) == 10


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_keeps_the_answers_in_flight_and_says_how_to_resume(tmp_path: Path, number: int) -> None:
    with Double(latency=0.5) as double:
        process = subprocess.Popen(
            new_run(tmp_path, "--samples", "10"), env=environment(double), cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # the tests may run under nohup
        )  # fmt: skip
        while double.in_flight < 4:
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 3
        assert "probatio trial --resume" in err
        assert "not yet asked" in out
        assert len(asked(tmp_path)) == double.served["answer"] == len(graded(tmp_path)) >= 4
        double.latency = 0
        assert finished(argv(tmp_path, "--resume", "r"), double, tmp_path).returncode == 0
    assert len(asked(tmp_path)) == 100
    assert set(asked(tmp_path).values()) == {1}


def test_a_reader_that_leaves_costs_no_answer(tmp_path: Path) -> None:
    with Double(latency=0.05) as double:
        process = subprocess.Popen(
            new_run(tmp_path, "--samples", "10"), env=environment(double), cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout and process.stderr
        assert process.stdout.read(1)
        process.stdout.close()
        told = process.stderr.read().decode()
        assert process.wait(300) == 0, told
    assert told == ""
    assert len(asked(tmp_path)) == len(graded(tmp_path)) == 100
    assert (tmp_path / "results" / "r" / "analysis.md").exists()


def test_a_second_process_on_the_same_run_refuses(tmp_path: Path) -> None:
    with Double(latency=0.3) as double:
        first = subprocess.Popen(
            new_run(tmp_path, "--samples", "20"),
            env=environment(double),
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
        )
        while not double.in_flight:
            time.sleep(0.01)
        second = finished(argv(tmp_path, "--resume", "r"), double, tmp_path)
        first.send_signal(signal.SIGINT)
        first.wait(300)
    assert second.returncode == 3
    assert "Another process" in second.stderr


def test_a_refused_key_stops_the_run_at_once_with_one_sentence_and_keeps_everything(tmp_path: Path) -> None:
    with Double(latency=0.01) as double:
        finished(new_run(tmp_path, "--limit", "5", "--samples", "3"), double, tmp_path)
    (tmp_path / "results" / "r").rename(tmp_path / "results" / "kept")
    with Double(Faults(status={401: 1.0})) as double:
        done = finished(new_run(tmp_path, "--samples", "50"), double, tmp_path)
        assert double.served["status:401"] <= 64
    assert done.returncode == 3
    assert "the key was refused" in done.stderr
    assert "Traceback" not in done.stderr
    assert not asked(tmp_path)  # not one trial is spent on it: a resume asks them all
    assert len(asked(tmp_path, "kept")) == 5


def test_the_budget_stops_the_run_cleanly_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    with Double(cost=0.01, latency=0.002) as double:
        done = finished(new_run(tmp_path, "--samples", "10", "--max-cost", "0.25"), double, tmp_path)
        assert done.returncode == 3
        assert "budget of $0.25 is reached" in done.stderr
        spent = sum(line.cost or 0 for line in read_lines(tmp_path / "results" / "r" / ANSWERS, Response))
        assert 0.25 <= spent <= 0.26 + 1e-9
        assert finished(argv(tmp_path, "--resume", "r", "--max-cost", "9"), double, tmp_path).returncode == 0
    assert len(asked(tmp_path)) == 100


def test_a_run_that_ends_just_as_its_budget_does_is_complete(tmp_path: Path) -> None:
    with Double(cost=0.125) as double:
        done = finished(new_run(tmp_path, "--max-cost", "1.25"), double, tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(asked(tmp_path)) == 10


def test_a_failed_trial_is_an_api_error_never_a_wrong_answer(tmp_path: Path) -> None:
    with Double(Faults(status={404: 0.5})) as double:
        done = finished(new_run(tmp_path, "--samples", "4"), double, tmp_path)
    wrong = [grade for grade in grades(tmp_path) if grade.error_type == "api_error"]
    assert done.returncode == 0
    assert wrong
    assert all("404" in str(grade.error_detail) and not grade.level_a for grade in wrong)
    assert f"{len(wrong)} requests failed" in done.stdout
    assert f"/{40 - len(wrong)} passed" in done.stdout


def test_the_journal_holds_the_fields_of_the_first_harness(tmp_path: Path) -> None:
    with Double() as double:
        finished(new_run(tmp_path, "--limit", "1"), double, tmp_path)
    folder = tmp_path / "results" / "r"
    raw = json.loads((folder / "raw_responses.jsonl").read_text())
    result = json.loads((folder / "graded_results.jsonl").read_text())
    common = [
        "timestamp",
        "run_id",
        "framework_version",
        "git_sha",
        "task_id",
        "model",
        "n_shot",
        "dialect",
        "context",
    ]
    assert [*raw][:14] == [*common, "prompt", "response", "tokens_in", "tokens_out", "latency_ms"]
    assert [*result][:15] == [
        *common,
        "level_a",
        "level_b",
        "level_c",
        "correct",
        "error_type",
        "error_detail",
    ]
    assert (raw["provider"], raw["system_fingerprint"], raw["cost"]) == ("DoubleCo", "fp_double", 0.0001)
    assert raw["resolved_model"] == "openai/gpt-4o-mini"
    record = json.loads((folder / "run.json").read_text())
    assert record["suite_fingerprint"]
    assert record["versions"]["python"]


def test_a_suite_that_changed_is_not_resumed(tmp_path: Path) -> None:
    with Double() as double:
        finished(new_run(tmp_path, "--limit", "2"), double, tmp_path)
        file = tmp_path / "suite" / "tasks" / "all.yml"
        file.write_text(file.read_text().replace("scribe 7", "scribe 8"))
        done = finished(argv(tmp_path, "--resume", "r"), double, tmp_path)
    assert done.returncode == 2
    assert "has changed" in done.stderr


def test_a_full_disk_stops_the_run_says_so_and_tears_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=9m", "tmpfs", str(disk)], check=False, capture_output=True
    ).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        suite(disk / "suite")
        with Double(reply=lambda body: "x" * 20_000, latency=0.002) as double:
            done = finished(new_run(disk, "--samples", "200"), double, tmp_path)
            assert done.returncode == 3, done.stderr
            assert "disk is full" in done.stderr
            assert "Traceback" not in done.stderr
            assert set(asked(disk).values()) == {1}
            assert asked(disk).keys() == graded(disk).keys()
            assert sum(asked(disk).values()) == double.served["answer"]  # the reserve took what was in flight
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_trials_that_could_not_be_asked_are_asked_again_when_told_to_and_kept_aside(tmp_path: Path) -> None:
    with Double(Faults(status={404: 0.5})) as double:
        finished(new_run(tmp_path), double, tmp_path)
    failed = [grade.key for grade in grades(tmp_path) if grade.error_type == "api_error"]
    with Double() as double:
        finished(argv(tmp_path, "--resume", "r"), double, tmp_path)
        assert not double.served  # a plain resume leaves them as they ended
        done = finished(argv(tmp_path, "--resume", "r", "--retry-errors"), double, tmp_path)
        assert double.served["answer"] == len(failed)
    assert done.returncode == 0, done.stderr
    assert set(asked(tmp_path).values()) == set(graded(tmp_path).values()) == {1}
    assert len(asked(tmp_path)) == len(graded(tmp_path)) == 10
    assert not [grade for grade in grades(tmp_path) if grade.error_type == "api_error"]
    aside = read_lines(tmp_path / "results" / "r" / "errors.jsonl", Response)
    assert {line.key for line in aside} == set(failed)


def test_a_suite_is_read_once_from_the_plan_to_the_analysis(tmp_path: Path) -> None:
    code = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == 'open' else None)\n"
        "from probatio.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print([name for name in opened if name.endswith('tasks/all.yml')], file=sys.stderr)"
    )
    command = new_run(tmp_path)
    with Double() as double:
        done = subprocess.run(
            [sys.executable, "-c", code, *command[3:]],
            env=environment(double), cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("all.yml") == 1, done.stderr
    assert (tmp_path / "results" / "r" / "analysis.md").exists()
