"""One results folder has one suite: a forgotten flag changes nothing, and another suite is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import Done, probatio
from double import Double
from watch.day.days import EXTRACTION, MODEL, environment, gold_script, record, run, small_suite

pytestmark = pytest.mark.slow  # a day of a double for each claim

FIRST, NEXT = "2026-03-10", "2026-03-11"


@pytest.fixture
def double() -> Iterator[Double]:
    with Double(reply=gold_script(EXTRACTION)) as server:
        yield server


@pytest.fixture
def root(tmp_path: Path, double: Double) -> Path:
    """A folder with a first day of the suite `small`."""
    small_suite(tmp_path / "suite", EXTRACTION)
    assert run(tmp_path, double, day=FIRST).returncode == 0
    double.served.clear()
    return tmp_path


def daily(root: Path, double: Double, *flags: str) -> Done:
    """The next day, with no word about its suite."""
    words = ("daily", "--date", NEXT, "--replay", "--model", MODEL, "--results", str(root / "results"))
    return probatio(*words, *flags, env=environment(double), cwd=root)


def other_suite(root: Path) -> Path:
    other = shutil.copytree(root / "suite", root / "other")
    manifest = other / "suite.yml"
    manifest.write_text(manifest.read_text().replace("small", "large", 1))
    return other


def test_a_forgotten_suite_is_that_of_the_days_before(root: Path, double: Double) -> None:
    done = daily(root, double)
    assert done.returncode == 0, done.output
    assert record(root, NEXT).suite_name == record(root, FIRST).suite_name == "small"
    assert record(root, NEXT).suite == record(root, FIRST).suite


def test_another_suite_is_refused_before_anything_is_asked(root: Path, double: Double) -> None:
    for flags in (("--suite", str(other_suite(root))), ("--suite", "daily")):
        done = daily(root, double, *flags)
        assert done.returncode == 2 and not double.served
        name = "large" if "other" in flags[1] else "daily"
        for word in ("`small`", f"`{name}`", "--results DIR", "--new-series"):
            assert word in done.stderr, done.output
    assert not (root / "results" / "daily" / NEXT).exists()


def test_a_new_series_is_begun_where_that_is_said(root: Path, double: Double) -> None:
    done = daily(root, double, "--suite", str(other_suite(root)), "--new-series")
    assert done.returncode == 0, done.output
    assert record(root, NEXT).suite_name == "large"


def test_the_suite_stands_in_the_models_file(root: Path, double: Double) -> None:
    (root / "config").mkdir()
    model = {"id": MODEL, "name": MODEL, "provider": "openrouter"}
    for suite, code in (("suite", 0), ("other", 2)):
        other_suite(root) if suite == "other" else None
        (root / "config" / "models.yml").write_text(
            json.dumps({"models": [model], "daily": {"suite": suite}})
        )
        done = daily(root, double, "--dry-run")
        assert done.returncode == code, done.output


def test_days_older_than_the_field_are_known_by_the_manifest_of_their_suite(
    root: Path, double: Double
) -> None:
    file = root / "results" / "daily" / FIRST / "day.json"
    told = json.loads(file.read_text())
    del told["suite_name"]
    file.write_text(json.dumps(told))
    assert daily(root, double, "--suite", str(other_suite(root))).returncode == 2
    assert daily(root, double, "--suite", str(root / "suite"), "--dry-run").returncode == 0
