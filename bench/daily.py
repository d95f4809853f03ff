"""CPU and memory of a whole day of the watch: 20 models against a loopback server in another process. Prints
a Markdown table.

python bench/daily.py             a steady day (base samples), with and without the use cases that start
                                  processes, and a first day (full count); gold answers, full marks
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parent.parent
MODELS = int(os.environ.get("MODELS", "20"))
DAY = "2026-03-10"


class Cost(NamedTuple):
    cpu: float
    children: float
    wall: float
    peak_mb: float


def measured(argv: list[str], env: dict[str, str]) -> Cost:
    """CPU of the process and of all it started, what of that was not its own, wall time, and its own peak
    memory."""
    told = Path(env["TOLD"])
    program = (
        "import atexit, json, pathlib, resource\n"
        "def tell():\n"
        "    own = resource.getrusage(resource.RUSAGE_SELF)\n"
        "    told = [own.ru_utime + own.ru_stime, own.ru_maxrss / 1024]\n"
        f"    pathlib.Path({str(told)!r}).write_text(json.dumps(told))\n"
        "atexit.register(tell)\n"
        "from probatio.watch.day import grading\n"
        "grading.REMEMBERED = 0  # twenty models don't say the same: every answer is checked\n"
        "from probatio.cli import main; main()"
    )
    began, before = time.perf_counter(), _children()
    done = subprocess.run(
        [sys.executable, "-c", program, *argv], env=env, stdout=subprocess.DEVNULL, check=False
    )
    wall = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"{argv} ended with {done.returncode}")
    own, peak = json.loads(told.read_text())
    cpu = _children() - before
    return Cost(cpu, cpu - own, wall, peak)


def _children() -> float:
    """CPU of everything below this process that has ended, orphans of a browser included: `main` adopts
    them."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def serve() -> None:
    """Gold answers and full marks on a port that is printed, until stdin closes."""
    sys.path[0] = str(REPOSITORY / "tests")  # in place of this folder, whose daily.py is not the one meant
    from builtin.daily.gold import script
    from double import Double

    gold, asked = script(), Counter[str]()

    def each_its_own(body: dict[str, Any]) -> str:
        """No two programs alike, as from twenty models, so that none is saved by having been run before."""
        prompt = body["messages"][0]["content"]
        number = asked[prompt] = asked[prompt] + 1
        return str(gold(body)).replace("```python\n", f"```python\n# {number}\n")

    async def run() -> None:
        double = Double(reply=each_its_own, latency=0.02, keep_bodies=False)
        await double.start()
        print(double.port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

    asyncio.run(run())


def steady_past(results: Path, models: list[dict[str, Any]]) -> None:
    """Five quiet days, so that today takes base samples only."""
    from probatio.core.records import DailyScore, DayRecord, Model, Sampling
    from probatio.suites.daily_suite import load_daily
    from probatio.watch.day.folder import day_folder, write_record, write_scores

    suite = load_daily()
    who = tuple(Model(id=model["id"], name=model["name"]) for model in models)
    for number in range(5):
        day = (date.fromisoformat(DAY) - timedelta(days=number + 1)).isoformat()
        folder = day_folder(results, day)
        folder.mkdir(parents=True)
        common: dict[str, Any] = {"date": day, "suite_version": suite.version}
        write_record(
            folder,
            DayRecord(
                **common,
                created=day,
                suite_fingerprint="",
                grader_version="",
                models=who,
                sampling=Sampling(),
            ),
        )
        lines = [
            DailyScore(
                **common, model=model.id, use_case=use_case.id, grading=use_case.grading, score=100.0,
                base_score=100.0, route="DoubleCo", providers={"DoubleCo": 5},
            )
            for model in who
            for use_case in suite.use_cases.values()
        ]  # fmt: skip
        write_scores(folder, lines)


def main() -> None:
    ctypes.CDLL(None).prctl(
        36, 1, 0, 0, 0
    )  # PR_SET_CHILD_SUBREAPER: orphans come to us, and their CPU with them
    work = Path(tempfile.mkdtemp(prefix="probatio-bench-"))
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__, "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout
    address = f"http://127.0.0.1:{server.stdout.readline().strip()}/api/v1"
    env = {
        **os.environ,
        "OPENROUTER_API_KEY": "bench",
        "OPENROUTER_BASE_URL": address,
        "TOLD": str(work / "told"),
    }
    models = [{"id": f"m{n}", "name": f"v/m{n}", "route": "doubleco"} for n in range(MODELS)]
    config = work / "models.yml"
    config.write_text(json.dumps({"models": models, "daily": {"models": ["*"]}}), encoding="utf-8")
    from probatio.builtin.daily.graders import GRADERS
    from probatio.suites.daily_suite import load_daily

    pure = ",".join(name for name in load_daily().use_cases if not GRADERS[name].starts_processes)

    def day(name: str, *flags: str, steady: bool = True, only: int = MODELS) -> tuple[str, Cost, int, int]:
        results = work / name.replace(" ", "-")
        if steady:
            steady_past(results, models)
        chosen = ",".join(model["id"] for model in models[:only])
        argv = [
            "daily",
            "--config",
            str(config),
            "--results",
            str(results),
            "--date",
            DAY,
            "--model",
            chosen,
            *flags,
        ]
        cost = measured(argv, env)
        folder = results / "daily" / DAY
        counts = [
            len((folder / f"{kind}_responses.jsonl").read_bytes().splitlines()) for kind in ("raw", "judge")
        ]
        return name, cost, counts[0], counts[1]

    def row(name: str, *flags: str, **how: Any) -> tuple[Cost, int]:
        _, cost, samples, replies = day(name, *flags, **how)
        each = cost.cpu / samples * 1000
        print(
            f"| {name} | {samples:,} | {replies:,} | {cost.cpu:.1f} s | {cost.children:.1f} s | {each:.1f} "
            "ms | "
            f"{cost.wall:.0f} s | {cost.peak_mb:.0f} MB |",
            flush=True,
        )
        return cost, samples

    try:
        print(
            f"| {MODELS} models | samples | judge replies | CPU | of it children | CPU per sample | wall | "
            "memory |"
        )
        print("|---|---|---|---|---|---|---|---|", flush=True)
        alone, few = row("one model, no process started", "--use-case", pure, only=1)
        steady, many = row("steady day, no process started", "--use-case", pure)
        row("first day (full count), no process started", "--use-case", pure, steady=False)
        row("steady day, all use cases")
        argv = [
            "daily",
            "--config",
            str(config),
            "--results",
            str(work / "steady-day,-all-use-cases"),
            "--date",
            DAY,
        ]
        again = measured(argv, env)
    finally:
        assert server.stdin
        server.stdin.close()
        server.wait(10)
        shutil.rmtree(work)
    further = (steady.cpu - alone.cpu) / (many - few) * 1000
    print(
        f"\nA further sample, no process started: {further:.2f} ms of CPU; a finished day run again: "
        f"{again.cpu:.1f} s of CPU."
    )


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    serve() if sys.argv[1:] == ["serve"] else main()
