"""`probatio suite simulate`: what it prints and writes, and who reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import Done, probatio
from probatio.suites.daily_suite import read_manifest
from probatio.watch.alerts.describing import find_rarity
from probatio.watch.simulate.figures import FIGURES, read
from watch.day.days import EXTRACTION, small_suite

pytestmark = pytest.mark.slow  # simulates


def simulated(*arguments: object) -> Done:
    return probatio("suite", "simulate", *arguments, "--models", "8")


def test_a_suite_gets_figures_of_its_own_cases_beside_its_manifest(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", EXTRACTION, cases=3)
    manifest = read_manifest(suite)
    assert find_rarity(manifest, suite) is None, "not measured yet"
    done = simulated(suite)
    assert done.returncode == 0, done.output
    first, *sentences = done.stdout.splitlines()
    assert first == "Simulated: 8 models of each kind, 1 use case with 3 cases each."
    assert sentences[0].startswith("Healthy models (partial credit), in a year: 0.0% [0.0%, ")
    assert sum("lost in all use cases" in sentence for sentence in sentences) == 4
    assert sentences[-1] == f"Written: {suite / FIGURES}"
    assert read(suite / FIGURES).cases == {EXTRACTION: 3}
    assert find_rarity(manifest, suite) is not None


def test_json_goes_to_stdout_alone_and_an_equal_seed_gives_the_same(tmp_path: Path) -> None:
    suite = small_suite(tmp_path / "suite", EXTRACTION)
    one, again, other = (
        simulated(suite, "--seed", seed, "--out", tmp_path / name, "--json").stdout
        for seed, name in ((4, "one"), (4, "again"), (5, "other"))
    )
    assert json.loads((tmp_path / "one" / FIGURES).read_bytes()) == json.loads(one)
    assert not (suite / FIGURES).exists()
    assert one == again
    assert one != other


def test_the_built_in_suite_needs_a_folder_for_new_figures(tmp_path: Path) -> None:
    done = simulated("daily")
    assert done.returncode == 2
    assert "--out FOLDER" in done.stderr


def test_a_folder_without_a_suite_is_refused(tmp_path: Path) -> None:
    done = simulated(tmp_path)
    assert done.returncode == 2
    assert "is no daily suite" in done.stderr
