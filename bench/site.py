"""What the site costs: a year of 30 models, about a million samples (build, memory, a model page under 50
readers); and a run of 100,000 trials (files, bytes, CPU per trial, largest page, its first opening on the
live server).

    python bench/site.py            both
    python bench/site.py readers    only the model page under 50 readers; samples of the last days, no build
    python bench/site.py run 10000  only the run, of so many trials
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import itertools
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import msgspec

from probatio.core.records import Calibration, DayRecord, Model, Sampling
from probatio.runs.plan import Plan
from probatio.runs.record import RunRecord, write_run
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.suites.daily_suite import read_manifest
from probatio.watch.day.folder import day_folder, write_record, write_scores
from probatio.watch.simulate.days import simulate_days

PROBATIO = [sys.executable, "-c", "from probatio.cli import main; main()"]
MODELS, DAYS = 30, 365
READERS, ROUNDS = 50, 40
FAULTS = {"model-3": ("drop-20-all", 200), "model-7": ("decline", 250), "model-11": ("outage", 100)}
RESPONSE = (
    '{"timestamp":"%(date)sT06:00:00Z","run_id":"%(date)s","framework_version":"bench","task_id":"%(case)s",'
    '"model":"%(model)s","n_shot":0,"dialect":"none","context":"%(round)s","prompt":"Simulated question '
    '%(case)s.",'
    '"response":"Simulated answer, short so that a year fits the '
    'disk.","tokens_in":300,"tokens_out":120,"latency_ms":900.0,'
    '"sample":%(sample)d,"provider":"Host","cost":0.0001}\n'
)
GRADE = (
    '{"timestamp":"%(date)sT06:00:00Z","run_id":"%(date)s","framework_version":"bench","task_id":"%(case)s",'
    '"model":"%(model)s","n_shot":0,"dialect":"none","context":"%(round)s","level_a":true,"level_b":true,"level_c":false,'
    '"correct":false,"sample":%(sample)d,"score":%(score).4f,"breakdown":{"use_case":"%(use_case)s","checked":%(score).4f,'
    '"parts":[{"name":"content","score":%(score).4f,"weight":1.0,"detail":"simulated"}]}}\n'
)


SAMPLED = 2
SMALLEST_PAGE = 5_000
"""Bytes of a packed model page of a year; less would not be one."""

TRIALS = 100_000
RUN = "large"
RUN_MODELS, CONTEXTS, SHOTS, TASKS = 5, ("minimal", "basic", "complete"), (0, 1, 3, 10), 100


class Cost(NamedTuple):
    cpu: float
    wall: float
    peak_mb: float


def fill(results: Path, sampled: int = DAYS) -> int:
    """A year of days, the last `sampled` of them with all their samples; gives the number of samples."""
    manifest = read_manifest()
    names = [f"model-{number}" for number in range(1, MODELS + 1)]
    count = 0
    days = simulate_days(manifest, names, dt.date(2025, 1, 1), DAYS, faults=FAULTS)
    for left, (date, lines) in zip(range(DAYS - 1, -1, -1), days, strict=True):
        folder = day_folder(results, date.isoformat())
        folder.mkdir(parents=True)
        raw, graded = [], []
        for line in lines if left < sampled else ():
            for number in range(line.n):
                fields = {
                    "date": line.date,
                    "case": f"{line.use_case}_{number % 5 + 1}",
                    "model": line.model,
                    "round": "full" if line.full_power else "base",
                    "sample": number // 5,
                    "score": (line.score or 0) / 100,
                    "use_case": line.use_case,
                }
                raw.append(RESPONSE % fields)
                graded.append(GRADE % fields)
        if raw:
            (folder / ANSWERS).write_text("".join(raw))
            (folder / GRADES).write_text("".join(graded))
        count += len(raw)
        record = DayRecord(
            date=date.isoformat(),
            created=f"{date.isoformat()}T06:00:00Z",
            suite_version=manifest.version,
            suite_fingerprint="bench",
            grader_version="bench",
            models=tuple(Model(id=name, name=f"vendor-{at % 5}/{name}") for at, name in enumerate(names)),
            sampling=Sampling(),
            calibration=Calibration(judge="bench", shift=0.0),
            simulated=True,
        )
        write_record(folder, record)
        write_scores(folder, lines)
    return count


def fill_run(results: Path, trials: int) -> None:
    """One run: prompts of one to three kilobytes that begin alike under one condition, as prompts do."""
    folder, names = results / RUN, [f"model-{number}" for number in range(1, RUN_MODELS + 1)]
    tasks = [f"task_{number:03}" for number in range(TASKS)]
    samples = -(-trials // (RUN_MODELS * len(CONTEXTS) * len(SHOTS) * TASKS))
    sampling = Sampling()
    record = RunRecord(
        run_id=RUN,
        created="2026-01-01T00:00:00.000Z",
        framework_version="bench",
        git_sha=None,
        suite="gone/suite",
        suite_name="bench",
        suite_version="1.0.0",
        suite_fingerprint="bench",
        grader_version="bench",
        plan=Plan(tuple(names), ("latin",), CONTEXTS, SHOTS, tuple(tasks), samples=samples),
        models=tuple(Model(id=name, name=name) for name in names),
        sampling=sampling,
        max_connections=1,
    )
    write_run(folder, record)
    chance, encode = random.Random(1), msgspec.json.Encoder().encode
    conditions = itertools.product(range(samples), names, enumerate(CONTEXTS), SHOTS, tasks)
    with (folder / ANSWERS).open("wb") as raw, (folder / GRADES).open("wb") as graded:
        for sample, name, (depth, context), shots, task in itertools.islice(conditions, trials):
            key: dict[str, Any] = {
                "timestamp": "2026-01-01T00:00:00.000Z",
                "run_id": RUN,
                "framework_version": "bench",
                "task_id": task,
                "model": name,
                "n_shot": shots,
                "dialect": "latin",
                "context": context,
                "sample": sample,
            }
            prompt = (
                f"{'The language has <words> & rules.' * 30 * (depth + 1)}\n{'Example.' * shots}\nNow {task}."
            )
            answer = "```\nscribe 'x'\nfixum y = 3\n```\n" * 3
            passed = chance.random() < 0.2 + 0.2 * depth + 0.02 * shots
            raw.write(
                encode(
                    key
                    | {"prompt": prompt, "response": answer, "tokens_in": len(prompt) // 4, "cost": 0.0001}
                )
                + b"\n"
            )
            grade: dict[str, Any] = {
                "level_a": passed,
                "level_b": passed,
                "level_c": passed,
                "correct": passed,
                "score": float(passed),
            }
            wrong = None if passed else "type_error"
            detail = None if passed else "1:1 error: 'x' is not defined."
            grade |= {"error_type": wrong, "error_detail": detail, "breakdown": {"program": answer[4:40]}}
            graded.write(encode(key | grade | {"grader_version": "bench"}) + b"\n")


def measured(words: list[str], cache: str) -> tuple[Cost, str]:
    began = time.perf_counter()
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_CACHE_HOME": cache}
    )
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024), output


async def read_pages(base: str, again: bool = False) -> list[float]:
    """Seconds of each of the model pages that 50 readers fetch at once, over and over. `again`: they have the
    pages already."""
    seconds: list[float] = []

    tags: dict[str, str] = {}

    async def reader(session: aiohttp.ClientSession, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(ROUNDS):
            began, address = time.perf_counter(), f"{base}models/model-{chance.randint(1, MODELS)}/"
            known = {"If-None-Match": tags[address]} if again and address in tags else {}
            async with session.get(address, headers=known) as reply:
                body = await reply.read()
                if reply.status != (304 if known else 200) or (
                    reply.status == 200 and len(body) < SMALLEST_PAGE
                ):
                    raise SystemExit(f"{reply.url} gave {reply.status}")
                tags[address] = reply.headers["ETag"]
            seconds.append(time.perf_counter() - began)

    # The readers' own unpacking is left out: it would take longer than the server does.
    connector = aiohttp.TCPConnector(limit=READERS)
    asked = {"Accept-Encoding": "gzip"}
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False, headers=asked) as session:
        await asyncio.gather(*(reader(session, seed) for seed in range(READERS)))
    return sorted(seconds)


@contextlib.contextmanager
def serving(results: Path) -> Iterator[tuple[str, float, Callable[[], float], int]]:
    """A live server: its address, the seconds until it answered, its peak memory once it has ended, and its
    process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(
        [*PROBATIO, "site", "serve", "--port", str(port), "--results", str(results)],
        stdout=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if process.poll() is not None:
                    raise SystemExit("the server ended") from None
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/", time.perf_counter() - began, lambda: peak, process.pid
    finally:
        process.terminate()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode, peak = 0, usage.ru_maxrss / 1024


def opening(base: str, path: str) -> float:
    """Seconds until a page is there."""
    began = time.perf_counter()
    with urllib.request.urlopen(base + path, timeout=600) as reply:
        reply.read()
    return time.perf_counter() - began


def site_of_run(work: Path, trials: int) -> None:
    """The rows of a large run."""
    results = work / "run-results"
    fill_run(results, trials)
    words = [*PROBATIO, "site", "build", "--results", str(results), "--out", str(work / "run-site"), "--json"]
    cost, output = measured(words, str(work / "cache"))
    files = [path for path in (work / "run-site").rglob("*") if path.is_file()]
    pages = sum(path.stat().st_size for path in files if path.suffix == ".html")
    largest = max((path.stat().st_size for path in files if path.suffix == ".html"), default=0)
    print(f"\n| a run of {trials:,} trials | |\n|---|---|")
    print(f"| files | {len(files):,} |")
    print(f"| all files, raw ones linked | {json.loads(output)['bytes'] / 1e6:,.0f} MB |")
    print(f"| pages | {pages / 1e6:,.0f} MB |")
    print(f"| largest page | {largest / 1e3:,.0f} kB |")
    print(f"| CPU of the build | {cost.cpu:.1f} s, {1000 * cost.cpu / trials:.3f} ms per trial |")
    print(f"| peak memory of the build | {cost.peak_mb:.0f} MB |")
    for name, wait in (("as soon as the server answers", 0.0), ("30 s later", 30.0)):
        with serving(results) as (base, _, _, _):
            time.sleep(wait)
            times = [
                opening(base, path) for path in (f"learnability/{RUN}/", f"learnability/{RUN}/trials/0/")
            ]
        print(f"| first opening, {name}: run, page of trials | {times[0]:.2f} s, {times[1]:.2f} s |")


def year_of_models(work: Path) -> None:
    """The rows of a year."""
    began = time.perf_counter()
    samples = fill(work / "results")
    print(
        f"{MODELS} models, {DAYS} days, {samples:,} samples; data made in {time.perf_counter() - began:.0f} s"
    )
    print("| what | CPU s | wall s | peak MB | |")
    print("|---|---|---|---|---|")
    words = [
        *PROBATIO,
        "site",
        "build",
        "--results",
        str(work / "results"),
        "--out",
        str(work / "site"),
        "--json",
    ]
    cost, output = measured(words, str(work / "cache"))
    built = json.loads(output)
    print(
        f"| site build | {cost.cpu:.1f} | {cost.wall:.1f} | {cost.peak_mb:.0f} "
        f"| {built['pages']:,} pages, {built['bytes'] / 1e6:,.0f} MB with raw files |"
    )
    readers(work / "results")


def readers(results: Path) -> None:
    """The rows of the model page under 50 readers."""
    rows = []
    with serving(results) as (base, ready, peak, process):
        for name, again in (
            ("fresh server", False),
            ("warm server", False),
            ("warm server, page known to the reader", True),
        ):
            cpu = cpu_seconds(process)
            times = asyncio.run(read_pages(base, again))
            rows.append((name, times, 1000 * (cpu_seconds(process) - cpu) / len(times), os.getloadavg()[0]))
    print(f"| site serve until it answers | | {ready:.1f} | {peak():.0f} | peak after reading |")
    print(
        f"\n| model page, {READERS} readers at once | median ms | p95 ms | worst ms | pages/s | server's "
        "CPU, ms a page | load |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, times, cpu, load in rows:
        middle, late = times[len(times) // 2], times[int(0.95 * len(times))]
        rate = len(times) / (sum(times) / READERS)
        shown = (
            f"{1000 * middle:.0f} | {1000 * late:.0f} | {1000 * times[-1]:.0f} | {rate:.0f} | {cpu:.2f} | "
            f"{load:.1f}"
        )
        print(f"| {name} | {shown} |")


def cpu_seconds(process: int) -> float:
    """CPU that a process has taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    only_run = sys.argv[1:2] == ["run"]
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else TRIALS
    work = Path(tempfile.mkdtemp(prefix="probatio-bench-site-"))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores while measuring\n")
    try:
        if sys.argv[1:2] == ["readers"]:
            fill(work / "results", sampled=SAMPLED)
            readers(work / "results")
            return
        if not only_run:
            year_of_models(work)
        site_of_run(work, trials)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
