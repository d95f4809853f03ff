"""A results folder to show: simulated days, the repository's own runs, and one model with hostile texts only.

What is only read is made once: the folder and its static build for all workers of a test run, the rest once
per worker.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from probatio.core.records import DailyScore, DayRecord, Grade, Model, Response, Sampling
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.site.addresses import addresses
from probatio.site.demo import fill_days
from probatio.site.live import LiveSite, application
from probatio.site.shipped import BENCH
from probatio.site.snapshot import Site, load_site
from probatio.site.static import build
from probatio.suites.daily_suite import read_manifest
from probatio.watch.day.folder import day_folder, write_record, write_scores

REPOSITORY = Path(__file__).parents[2]
LAST = dt.date(2026, 3, 31)
DAYS = 46
HOSTILE = '=HYPERLINK("x")</title><script>top.scriptRan=1</script><img src=x onerror=top.scriptRan=1>\'"'


def make_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first worker which needs it makes for all."""
    base = tmp_path_factory.getbasetemp()
    # A worker has a folder of its own in that of the test run.
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    shared.mkdir(exist_ok=True)
    folder, made = shared / name, shared / f"{name}.made"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            make(folder)
            made.touch()
    return folder


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Simulated days and two runs."""

    def fill(results: Path) -> None:
        fill_days(results, DAYS, LAST)
        for run in ("sample-dialects", "sample-0.5b"):
            shutil.copytree(REPOSITORY / "examples" / "runs" / run, results / run)
        repeat(results / "sample-0.5b", 3)

    return make_once(tmp_path_factory, "results", fill)


def repeat(run: Path, samples: int) -> None:
    """Ask each trial so often, so that its list has a second page."""
    record = msgspec.json.decode((run / "run.json").read_bytes())
    record["plan"]["samples"] = samples
    (run / "run.json").write_bytes(msgspec.json.encode(record))
    for name in (ANSWERS, GRADES):
        lines = [msgspec.json.decode(line) for line in (run / name).read_bytes().splitlines()]
        repeated = (line | {"sample": number} for number in range(samples) for line in lines)
        (run / name).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in repeated))


@pytest.fixture(scope="session")
def site(demo: Path) -> Site:
    return load_site(demo, bench=BENCH, sample_days=2)


@pytest.fixture(scope="session")
def built(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static build of the whole site."""
    return make_once(tmp_path_factory, "built", lambda folder: build(site, folder))


@pytest.fixture(scope="session")
def paths(site: Site) -> list[str]:
    """Every address of the site."""
    return list(addresses(site))


@pytest.fixture(scope="session")
def client(demo: Path) -> TestClient:
    return TestClient(application(LiveSite(lambda: load_site(demo, bench=BENCH), demo, BENCH)))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One real day of a model that attacks the program which shows it."""
    results = tmp_path_factory.mktemp("hostile") / "results"
    write_hostile_day(results, "2026-03-01")
    return results


@pytest.fixture(scope="session")
def hostile_day() -> Callable[..., None]:
    """Writes a day of that model: hostile_day(results, date, score)."""
    return write_hostile_day


@pytest.fixture
def hostile_text() -> str:
    return HOSTILE


def write_hostile_day(results: Path, date: str, score: float | None = 80.0) -> None:
    manifest = read_manifest()
    folder = day_folder(results, date)
    folder.mkdir(parents=True)
    record = DayRecord(
        date=date,
        created=f"{date}T00:00:00Z",
        suite_version=manifest.version,
        suite_fingerprint="x",
        grader_version="x",
        models=(Model(id=HOSTILE, name=HOSTILE),),
        sampling=Sampling(),
    )
    write_record(folder, record)
    lines = [
        DailyScore(
            date=date,
            model=HOSTILE,
            use_case=entry.id,
            grading=entry.grading,
            suite_version=manifest.version,
            score=score,
            base_score=score,
            n=5,
            base_n=5,
            cases={f"{entry.id}_case": 0.8},
            gap=None if score is not None else f"{HOSTILE} {Path.cwd()}/secret/file",
            route=HOSTILE,
            providers={HOSTILE: 5},
        )
        for entry in manifest.use_cases
    ]
    write_scores(folder, lines)
    common: dict[str, Any] = {
        "timestamp": date,
        "run_id": date,
        "framework_version": "x",
        "task_id": HOSTILE,
        "model": HOSTILE,
        "n_shot": 0,
        "dialect": "none",
        "context": "base",
    }
    page = f"<!doctype html><html><body>{HOSTILE}<script>top.scriptRan=1</script></body></html>"
    response = Response(
        **common,
        prompt=HOSTILE,
        response=page,
        provider=HOSTILE,
        error=f"{Path.cwd()}/secret/file {HOSTILE}\x00",
    )
    breakdown = {
        "use_case": "web_design",
        "parts": [
            {"name": HOSTILE, "score": HOSTILE, "weight": 1, "detail": f"{Path.home()}/secret {HOSTILE}"}
        ],
        "marks": {HOSTILE: {"mark": HOSTILE, "reason": HOSTILE}},
        "note": HOSTILE,
    }
    grade = Grade(
        **common, level_a=True, level_b=True, level_c=False, correct=False, score=0.5, breakdown=breakdown
    )
    (folder / ANSWERS).write_bytes(msgspec.json.encode(response) + b"\n")
    (folder / GRADES).write_bytes(msgspec.json.encode(grade) + b"\n")
