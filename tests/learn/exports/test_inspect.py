"""Exported logs, opened by Inspect itself: its reader sees every sample and score, and its viewer serves
them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from learn.exports.inspect_env import inspect_path
from learn.runs import make_run
from probatio.core.records import ErrorType, TrialKey
from probatio.learn.exports.conditions import RecordedRun, find_suite
from probatio.learn.exports.inspect_log import write_inspect

SECONDS = 300


def _outcome(key: TrialKey) -> bool | ErrorType:
    number = int(key.task_id[-2:])
    if number == 7:
        return "api_error"
    return number % (3 if key.context == "basic" else 4) == key.sample % 2


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RecordedRun:
    root = tmp_path_factory.mktemp("run")
    return RecordedRun(
        make_run(root, 10, _outcome, models=("a", "b/c"), contexts=("minimal", "basic"), samples=2)
    )


@pytest.fixture(scope="module")
def logs(run: RecordedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    assert len(write_inspect(run, find_suite(run), folder)) == 4  # two models, two contexts
    return folder


@pytest.fixture(scope="module")
def opened(
    logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """What Inspect's reader saw, and the port of its viewer."""
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    env = {
        **os.environ, "PYTHONPATH": str(inspect_path()), "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_CACHE_HOME": str(home),
    }  # fmt: skip
    script = [sys.executable, str(Path(__file__).with_name("open_logs.py")), str(logs), str(port)]
    errors = (home / "stderr").open("w")
    with subprocess.Popen(
        script, env=env, cwd=home, stdout=subprocess.PIPE, stderr=errors, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line, (home / "stderr").read_text()
            yield json.loads(line), port
        finally:
            process.kill()


@pytest.mark.soak
def test_inspects_reader_sees_every_log_with_its_condition(opened: tuple[list[dict[str, Any]], int]) -> None:
    seen, _ = opened
    assert {(log["model"], log["args"]["context"]) for log in seen} == {
        (model, context) for model in ("openrouter/a", "openrouter/b/c") for context in ("minimal", "basic")
    }
    assert all((log["status"], log["task"], log["epochs"]) == ("success", "suite", 2) for log in seen)
    assert all(
        log["metadata"]["suite_fingerprint"] and log["metadata"]["framework_version"] == "1.1" for log in seen
    )
    assert all(len(log["samples"]) == log["summaries"] == 20 for log in seen)


@pytest.mark.soak
def test_inspects_reader_sees_answers_and_scores(
    opened: tuple[list[dict[str, Any]], int], run: RecordedRun
) -> None:
    seen, _ = opened
    for log in seen:
        model = log["model"].partition("/")[2]
        for sample in log["samples"]:
            context = log["args"]["context"]
            key = TrialKey(sample["id"], model, 0, "latin", context, sample["epoch"] - 1)
            expected = _outcome(key)
            if expected == "api_error":
                assert sample["scores"] == {} and sample["error"].startswith("api_error")
                continue
            assert sample["scores"]["correct"] == ("C" if expected is True else "I")
            assert (
                sample["error"] is None and sample["roles"] == ["user", "assistant"] and sample["completion"]
            )
            assert sample["target"] == str(int(sample["id"][-2:])) and sample["metadata"]["category"]
            assert expected is True or "wrong_output" in sample["why"]


@pytest.mark.soak
def test_inspects_own_metrics_are_the_ones_we_wrote(opened: tuple[list[dict[str, Any]], int]) -> None:
    for log in opened[0]:
        assert {"correct", "checks", "runs"} == set(log["ours"])
        for name, metrics in log["inspects"].items():
            assert log["ours"][name] == pytest.approx(metrics), (log["args"], name)
        assert 0 < log["ours"]["correct"]["accuracy"] < 1 and log["ours"]["correct"]["stderr"] > 0


@pytest.mark.soak
def test_inspects_viewer_serves_the_logs(opened: tuple[list[dict[str, Any]], int]) -> None:
    _, port = opened
    files = json.loads(_get(port, "/api/log-files"))["files"]
    assert len(files) == 4
    log = json.loads(_get(port, f"/api/logs/{quote(files[0]['name'], safe='')}"))
    assert len(log["samples"]) == 20 and log["results"]["scores"][0]["name"] == "correct"
    assert b"<html" in _get(port, "/")


def _get(port: int, path: str) -> bytes:
    until = time.monotonic() + SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=300) as reply:
                body: bytes = reply.read()
                return body
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_a_log_holds_every_sample_of_its_condition(logs: Path) -> None:
    """Whether Inspect reads them is shown by Inspect itself, which is installed for `make soak`."""
    for path in logs.glob("*.eval"):
        with zipfile.ZipFile(path) as log:
            names = log.namelist()
        assert "header.json" in names
        assert sum(name.startswith("samples/") for name in names) == 20


def test_the_same_run_is_the_same_bytes(run: RecordedRun, logs: Path, tmp_path: Path) -> None:
    for path in write_inspect(run, find_suite(run), tmp_path):
        assert path.read_bytes() == (logs / path.name).read_bytes()
