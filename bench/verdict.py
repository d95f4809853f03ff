"""CPU, wall time and memory of `probatio verdict` over made-up days. Prints a Markdown table.

python bench/verdict.py            a month of 5 models, a year of 30

Its cache is empty at first. --detectable simulates the smallest drop each model's reference can show, once
per reference. The last lines are what `probatio verify` needs of the days before each day to score it again:
folded once, and anew for every 30th day.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from probatio.core.records import Calibration, DailyScore, DayRecord, Model, Sampling
from probatio.runs.store.days import read_days
from probatio.suites.daily_suite import DailyManifest, constants_of, read_manifest
from probatio.watch.verdict.days import Days, suite_of
from probatio.watch.verdict.expectation import Expectation, expectations

CASES = 5
PROBATIO = [sys.executable, "-c", "from probatio.cli import main; main()"]


class Cost(NamedTuple):
    cpu: float
    wall: float
    peak_mb: float


def fill(results: Path, models: int, days: int, manifest: DailyManifest) -> int:
    """So many days of so many models, with every field a real line has; two of them lose 15 % for good when
    two thirds are over, so that there is a change to date. Returns the bytes of the scores."""
    rng = np.random.default_rng(0)
    tracked = tuple(
        Model(id=f"model-{n}", name=f"vendor-{n % 6}/model-{n}", route=("Host",)) for n in range(models)
    )
    written = 0
    for number in range(days):
        day = str(date(2025, 1, 1) + timedelta(days=number))
        folder = results / "daily" / day
        folder.mkdir(parents=True)
        record = DayRecord(
            date=day,
            created=f"{day}T03:00:00Z",
            suite_version=manifest.version,
            suite_fingerprint="bench",
            grader_version="bench",
            models=tracked,
            sampling=Sampling(),
            calibration=Calibration(judge="judge", shift=float(rng.normal(0, 0.05))),
            simulated=True,
        )
        (folder / "day.json").write_bytes(msgspec.json.encode(record))
        lines = [
            line(
                day,
                model.id,
                entry,
                manifest.version,
                rng,
                0.765 if place < 2 and 3 * number > 2 * days else 0.9,
            )
            for place, model in enumerate(tracked)
            for entry in manifest.use_cases
        ]
        data = b"".join(msgspec.json.encode(each) + b"\n" for each in lines)
        (folder / "scores.jsonl").write_bytes(data)
        written += len(data)
    return written


def line(day: str, model: str, entry: Any, version: str, rng: np.random.Generator, mean: float) -> DailyScore:
    cases = np.clip(rng.normal(mean, 0.05, CASES), 0, 1).round(4)
    score = float(100 * cases.mean())
    samples = CASES * (1 if entry.grading == "deterministic" else 3)
    return DailyScore(
        date=day,
        model=model,
        use_case=entry.id,
        grading=entry.grading,
        suite_version=version,
        score=score,
        base_score=score,
        n=samples,
        base_n=samples,
        checked=score,
        cases={f"{entry.id}_{number}": float(value) for number, value in enumerate(cases)},
        route="Host",
        providers={"Host": samples},
        resolved_models={f"{model}-2025-01-01": samples},
        fingerprints={"fp_0123456789": samples},
        latency_ms=float(rng.normal(900, 100)),
        tokens_in=4000,
        tokens_out=int(rng.normal(1500, 100)),
        cost=0.01,
    )


def measured(argv: list[str], cache: str) -> Cost:
    began = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": cache})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{argv} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024)


def folded_for_verify(results: Path, manifest: DailyManifest) -> tuple[float, float]:
    """CPU of the expectations of all days: folded once, and if they were folded anew for each day."""
    days, constants = Days(read_days(results)), constants_of(manifest)
    suite = suite_of(days.days[0].record)
    began = time.process_time()
    made = sum(1 for _ in expectations(days, constants, suite))
    once = time.process_time() - began
    some = days.dates[::30]
    began = time.process_time()
    for each in some:
        Expectation(days.before(each), constants, suite, each)
    return once, (time.process_time() - began) / len(some) * made


def main() -> None:
    manifest = read_manifest()
    print("| days × models | scores.jsonl | command | CPU s | wall s | peak MB |")
    print("|---|---|---|---|---|---|")
    for days, models in ((30, 5), (365, 30)):
        work = Path(tempfile.mkdtemp(prefix="probatio-bench-"))
        try:
            written = fill(work, models, days, manifest)
            for what, words in (
                ("verdict", ["verdict"]),
                ("verdict again", ["verdict"]),
                ("verdict --json, after these", ["verdict", "--json"]),
                ("verdict --explain model-1", ["verdict", "--explain", "model-1"]),
                ("verdict --detectable", ["verdict", "--detectable"]),
            ):
                cost = measured([*PROBATIO, *words, "--results", str(work)], str(work / "cache"))
                print(
                    f"| {days} × {models} | {written / 1e6:.1f} MB | {what} "
                    f"| {cost.cpu:.2f} | {cost.wall:.2f} | {cost.peak_mb:.0f} |"
                )
            for what, cpu in zip(
                ("once", "anew for each day"), folded_for_verify(work, manifest), strict=True
            ):
                print(
                    f"| {days} × {models} | {written / 1e6:.1f} MB | verify: days before, {what} | "
                    f"{cpu:.2f} | | |"
                )
        finally:
            shutil.rmtree(work)


if __name__ == "__main__":
    main()
