"""`probatio suite simulate`: its flags, what it prints and writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commandline import Done, probatio
from probatio.watch.simulate.evidence_alone import FalseConfirmed, false_confirmed

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

SMALL = ("--models", "8", "--days", "15", "--profile", "partial")


def simulated(*arguments: str) -> Done:
    return probatio("suite", "simulate", *arguments)


def test_it_tells_both_layers_line_by_line() -> None:
    done = simulated(*SMALL, "--fault", "drop-20-all")
    assert done.returncode == 0
    quiet, *others = done.output.splitlines()
    (fault,) = (line for line in others if line.startswith("20 % lost"))
    assert (
        sum("days at full count" in line for line in others) == 2
    )  # the evidence alone: 25 cases, whole suite
    assert quiet.startswith("nothing wrong, partial credit")
    assert "COOKED 0.0% of models, CONFIRMED 0.0% [" in quiet
    assert "COOKED 100.0% (median day 2), CONFIRMED 100.0% (median day 3)" in fault


def test_false_alarms_alone() -> None:
    figures = json.loads(simulated(*SMALL, "--fault", "none", "--json").stdout)
    assert [each["profile"] for each in figures["quiet"]] == ["partial", "partial"]
    assert figures["faults"] == []


def test_json_goes_to_stdout_alone_and_files_to_the_folder(tmp_path: Path) -> None:
    done = simulated(*SMALL, "--fault", "outage", "--json", "--out", str(tmp_path / "out"))
    figures = json.loads(done.stdout)
    saved = tmp_path / "out" / "operating_characteristics.json"
    assert json.loads(saved.read_bytes()) == figures
    assert (tmp_path / "out" / "operating-characteristics.md").exists()


def test_an_equal_seed_prints_the_same_however_many_processes_work() -> None:
    words = (*SMALL, "--fault", "none", "--seed", "4")
    assert simulated(*words, "--workers", "1").output == simulated(*words, "--workers", "2").output


@pytest.mark.parametrize("flag", ["--profile", "--fault"])
def test_an_unknown_name_is_told_with_the_known_ones(flag: str) -> None:
    done = simulated(flag, "nonsense")
    assert done.returncode == 2 and f"There is no {flag[2:]} `nonsense`; there are " in done.stderr


def test_a_run_that_was_broken_off_goes_on_with_the_parts_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (
        *SMALL,
        "--fault",
        "outage",
        "--workers",
        "1",
        "--out",
        str(tmp_path),
    )  # in this process, to be watched
    whole = simulated(*words, "--json").stdout
    parts = tmp_path / "operating_characteristics.parts.jsonl"
    lines = parts.read_bytes().splitlines(keepends=True)
    assert len(lines) == 5  # two kinds of judge, a fault, 25 cases and the whole suite
    parts.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])  # broken off in the last one
    made: list[bool] = []

    def watched(*given: Any, whole_suite: bool) -> FalseConfirmed:
        made.append(whole_suite)
        return false_confirmed(*given, whole_suite=whole_suite)

    monkeypatch.setattr("probatio.watch.simulate.characteristics.false_confirmed", watched)
    again = simulated(*words, "--json")
    assert "4 parts are there already." in again.stderr
    assert made == [True]
    one, other = json.loads(whole), json.loads(again.stdout)
    assert {**one, "cpu_seconds": 0} == {**other, "cpu_seconds": 0}
    assert "parts are there already" not in simulated(*words, "--seed", "1", "--json").stderr
