"""CPU and memory of `probatio verify` over a year of 30 models and over two: is it linear? Prints a Markdown
table.

python bench/verify.py             a year and two years
python bench/verify.py 30 60       so many days

The days are imported ones with believed scores, one a case: every line of a day is there, hashed, read and
scored again, and `verify` finds no difference; no answer is checked, which is measured by itself
(bench/sandbox.py, bench/daily.py).
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
from typing import NamedTuple

import msgspec
import numpy as np

from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.clock import now_text
from probatio.core.records import DayRecord, Model
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.suites.daily_suite import DailySuite, constants_of, load_daily
from probatio.watch.day.folder import write_record, write_scores
from probatio.watch.day.importing import ImportedSample, encode_samples
from probatio.watch.day.samples import read_samples
from probatio.watch.day.scores import score_day
from probatio.watch.ledger.ledger import record_days
from probatio.watch.verdict.days import Days, suite_of
from probatio.watch.verdict.expectation import Expectation

MODELS = 30
PROBATIO = [sys.executable, "-c", "from probatio.cli import main; main()"]


class Cost(NamedTuple):
    cpu: float
    wall: float
    peak_mb: float


def fill(results: Path, days: int, models: int = MODELS) -> int:
    """So many days with their ledger; two models lose 15 % for good when two thirds are over. Gives the
    number of samples."""
    suite = load_daily()
    fingerprint, rng = daily_fingerprint(suite), np.random.default_rng(0)
    tracked = tuple(Model(id=f"model-{n}", name=f"vendor-{n % 6}/model-{n}") for n in range(models))
    dates, count = [str(date(2020, 1, 1) + timedelta(days=number)) for number in range(days)], 0
    for number, day in enumerate(dates):
        record = DayRecord(
            date=day,
            created=f"{day}T13:00:00.000Z",
            suite_version=suite.version,
            suite_fingerprint=fingerprint,
            grader_version=fingerprint,
            models=tracked,
            sampling=suite.sampling,
            imported="bench.jsonl",
        )
        fallen = 0.765 if 3 * number > 2 * days else 0.9
        count += _day(
            results,
            record,
            suite,
            {model.id: fallen if n < 2 else 0.9 for n, model in enumerate(tracked)},
            rng,
        )
    record_days(results, dates, constants_of(suite.manifest), now_text())
    return count


def _day(
    results: Path, record: DayRecord, suite: DailySuite, means: dict[str, float], rng: np.random.Generator
) -> int:
    folder = results / "daily" / record.date
    folder.mkdir(parents=True)
    rows = [
        ImportedSample(date=record.date, model=model, case=case, sample=0, score=round(score, 4), provider=(
            "Host"
        ),
            resolved_model=f"{model}-2020", tokens_in=300, tokens_out=120, latency_ms=900.0, cost=0.0001)
        for model, mean in means.items()
        for case, score in zip(
            suite.cases, np.clip(rng.normal(mean, 0.05, len(suite.cases)), 0, 1).tolist(), strict=True
        )
    ]  # fmt: skip
    answers, grades = encode_samples(rows, suite, record)
    (folder / ANSWERS).write_bytes(answers)
    (folder / GRADES).write_bytes(grades)
    write_record(folder, record)
    none = Expectation(Days(()), constants_of(suite.manifest), suite_of(record), record.date)
    write_scores(folder, score_day(record, suite, none, read_samples(folder, suite), {}, {}).scores)
    return len(rows)


def measured(words: list[str]) -> tuple[Cost, dict[str, object]]:
    began = time.perf_counter()
    process = subprocess.Popen([*PROBATIO, *words, "--json"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    report: dict[str, object] = msgspec.json.decode(output)
    if process.returncode:
        raise SystemExit(f"{words} ended with {process.returncode}: {str(report.get('findings'))[:2000]}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024), report


def main() -> None:
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| days × models | samples | command | CPU s | ms a day | wall s | peak MB |")
    print("|---|---|---|---|---|---|---|")
    for days in map(int, sys.argv[1:] or ("365", "730")):
        work = Path(tempfile.mkdtemp(prefix="probatio-bench-verify-"))
        try:
            samples = fill(work, days)
            for words in (["verify", "--quick"], ["verify"]):
                cost, _ = measured([*words, "--results", str(work)])
                print(
                    f"| {days} × {MODELS} | {samples:,} | {' '.join(words)} | {cost.cpu:.1f} | "
                    f"{1000 * cost.cpu / days:.0f} "
                    f"| {cost.wall:.1f} | {cost.peak_mb:.0f} |",
                    flush=True,
                )
        finally:
            shutil.rmtree(work)


if __name__ == "__main__":
    main()
