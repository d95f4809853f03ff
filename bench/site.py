"""What the site costs with a year of 30 models, about a million samples: build, memory, and a model page under 50 readers."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import aiohttp

from probatio.day.folder import day_folder, write_record, write_scores
from probatio.records import Calibration, DayRecord, Model, Sampling
from probatio.simulate.synthetic import days_of
from probatio.store.layout import ANSWERS, GRADES
from probatio.suite.daily_suite import read_manifest

PROBATIO = [sys.executable, "-c", "from probatio.cli import main; main()"]
MODELS, DAYS = 30, 365
READERS, ROUNDS = 50, 40
FAULTS = {"model-3": ("drop-20-all", 200), "model-7": ("decline", 250), "model-11": ("outage", 100)}
RESPONSE = (
    '{"timestamp":"%(date)sT06:00:00Z","run_id":"%(date)s","framework_version":"bench","task_id":"%(case)s",'
    '"model":"%(model)s","n_shot":0,"dialect":"none","context":"%(round)s","prompt":"Simulated question %(case)s.",'
    '"response":"Simulated answer, short so that a year fits the disk.","tokens_in":300,"tokens_out":120,"latency_ms":900.0,'
    '"sample":%(sample)d,"provider":"Host","cost":0.0001}\n'
)
GRADE = (
    '{"timestamp":"%(date)sT06:00:00Z","run_id":"%(date)s","framework_version":"bench","task_id":"%(case)s",'
    '"model":"%(model)s","n_shot":0,"dialect":"none","context":"%(round)s","level_a":true,"level_b":true,"level_c":false,'
    '"correct":false,"sample":%(sample)d,"score":%(score).4f,"breakdown":{"use_case":"%(use_case)s","checked":%(score).4f,'
    '"parts":[{"name":"content","score":%(score).4f,"weight":1.0,"detail":"simulated"}]}}\n'
)


class Cost(NamedTuple):
    cpu: float
    wall: float
    peak_mb: float


def fill(results: Path) -> int:
    """A year of days with all their samples; gives the number of samples."""
    manifest = read_manifest()
    names = [f"model-{number}" for number in range(1, MODELS + 1)]
    count = 0
    for date, lines in days_of(manifest, names, dt.date(2025, 1, 1), DAYS, faults=FAULTS):
        folder = day_folder(results, date.isoformat())
        folder.mkdir(parents=True)
        raw, graded = [], []
        for line in lines:
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


def measured(words: list[str], cache: str) -> tuple[Cost, str]:
    began = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_CACHE_HOME": cache})
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024), output


async def read_pages(base: str) -> list[float]:
    """Seconds of each of the model pages that 50 readers fetch at once, over and over."""
    seconds: list[float] = []

    async def reader(session: aiohttp.ClientSession, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(ROUNDS):
            began = time.perf_counter()
            async with session.get(f"{base}models/model-{chance.randint(1, MODELS)}/") as reply:
                body = await reply.read()
                if reply.status != 200 or b"</html>" not in body:
                    raise SystemExit(f"{reply.url} gave {reply.status}")
            seconds.append(time.perf_counter() - began)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=READERS)) as session:
        await asyncio.gather(*(reader(session, seed) for seed in range(READERS)))
    return sorted(seconds)


def serve_and_read(results: Path) -> tuple[float, list[float], list[float], float]:
    """Seconds until the server answers, the page times on a fresh and on a warm server, and its peak memory."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}/"
    began = time.perf_counter()
    process = subprocess.Popen(
        [*PROBATIO, "site", "serve", "--port", str(port), "--results", str(results)], stdout=subprocess.DEVNULL
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
        ready = time.perf_counter() - began
        fresh, warm = asyncio.run(read_pages(base)), asyncio.run(read_pages(base))
    finally:
        process.terminate()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return ready, fresh, warm, usage.ru_maxrss / 1024


def main() -> None:
    work = Path(tempfile.mkdtemp(prefix="probatio-bench-site-"))
    try:
        began = time.perf_counter()
        samples = fill(work / "results")
        print(f"{MODELS} models, {DAYS} days, {samples:,} samples; data made in {time.perf_counter() - began:.0f} s")
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores while measuring\n")
        print("| what | CPU s | wall s | peak MB | |")
        print("|---|---|---|---|---|")
        words = [*PROBATIO, "site", "build", "--results", str(work / "results"), "--out", str(work / "site"), "--json"]
        cost, output = measured([*words, "--no-detectable"], str(work / "cache"))
        built = json.loads(output)
        print(
            f"| site build | {cost.cpu:.1f} | {cost.wall:.1f} | {cost.peak_mb:.0f} "
            f"| {built['pages']:,} pages, {built['bytes'] / 1e6:,.0f} MB with raw files |"
        )
        ready, fresh, warm, peak = serve_and_read(work / "results")
        print(f"| site serve until it answers | | {ready:.1f} | {peak:.0f} | peak after reading |")
        print(f"\n| model page, {READERS} readers at once | median ms | p95 ms | worst ms | pages/s |")
        print("|---|---|---|---|---|")
        for name, times in (("fresh server", fresh), ("warm server", warm)):
            middle, late = times[len(times) // 2], times[int(0.95 * len(times))]
            rate = len(times) / (sum(times) / READERS)
            print(f"| {name} | {1000 * middle:.0f} | {1000 * late:.0f} | {1000 * times[-1]:.0f} | {rate:.0f} |")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
