"""CPU, memory and start-up of the engine against a loopback server in another process. Prints a Markdown table.

python bench/engine.py            2,000 and 20,000 trials, --help, resume of the larger run
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent
TASKS = 14  # of the bench's own suite
PROBATIO = [sys.executable, "-c", "from probatio.cli import main; main()"]
WITHOUT_ANALYSIS = [
    sys.executable,
    "-c",
    "from probatio.study import analysis; analysis.write_analysis = lambda *run: run[0]; from probatio.cli import main; main()",
]
"""From plan to journal alone: the analysis at the end reads the whole run into DuckDB, which is its own matter."""


class Cost(NamedTuple):
    cpu: float
    wall: float
    peak_mb: float


def measured(argv: list[str], env: dict[str, str]) -> Cost:
    """CPU of the process and all it waited for, wall time, and peak memory."""
    began = time.perf_counter()
    process = subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{argv} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024)


def bench_suite(folder: Path) -> Path:
    common = {"type": "predict_output", "category": "bench", "goal": "bench", "expected_output": "42"}
    tasks = [{**common, "id": f"t{n}", "input_faber": f"scribe {n}"} for n in range(TASKS)]
    (folder / "tasks").mkdir(parents=True)
    (folder / "tasks" / "bench.yml").write_text(json.dumps({"tasks": tasks}), encoding="utf-8")
    return folder


def main() -> None:
    work = Path(tempfile.mkdtemp(prefix="probatio-bench-"))
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "double.server", "--latency", "0.02"],
        cwd=REPOSITORY / "tests",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout
    port = server.stdout.readline().strip()
    env = {**os.environ, "OPENROUTER_API_KEY": "bench", "OPENROUTER_BASE_URL": f"http://127.0.0.1:{port}/api/v1"}
    suite = bench_suite(work / "suite")

    def trial(trials: int, name: str, program: list[str] = WITHOUT_ANALYSIS) -> list[str]:
        samples = -(-trials // TASKS)
        return [
            *program,
            "trial",
            "--suite",
            str(suite),
            "--model",
            "gpt-4o-mini",
            "--context",
            "examples-only",
            "--n-shot",
            "0",
            "--samples",
            str(samples),
            "--limit",
            str(trials),
            "--max-connections",
            "100",
            "--results",
            str(work / "results"),
            "--run-id",
            name,
        ]

    try:
        help_cost = min(measured([*PROBATIO, "--help"], env) for _ in range(5))
        empty = min(measured(trial(1, f"one-{n}"), env) for n in range(3))
        small = measured(trial(2_000, "small"), env)
        large = measured(trial(20_000, "large"), env)
        small_all = measured(trial(2_000, "small-all", PROBATIO), env)
        large_all = measured(trial(20_000, "large-all", PROBATIO), env)
        again = measured([*PROBATIO, "trial", "--resume", str(work / "results" / "large")], env)
    finally:
        assert server.stdin
        server.stdin.close()
        server.wait(10)
        shutil.rmtree(work)

    marginal = (large.cpu - small.cpu) / 18_000 * 1000
    print("| what | measured | target |")
    print("|---|---|---|")
    print(f"| `probatio --help`, CPU | {help_cost.cpu:.3f} s | ≤ 0.15 s |")
    print(f"| a run of one trial, CPU (start-up and all) | {empty.cpu:.2f} s | |")
    print(
        f"| 2,000 trials, CPU / wall / peak memory | {small.cpu:.2f} s / {small.wall:.1f} s / {small.peak_mb:.0f} MB | |"
    )
    print(
        f"| 20,000 trials, CPU / wall / peak memory | {large.cpu:.2f} s / {large.wall:.1f} s / {large.peak_mb:.0f} MB | |"
    )
    print(f"| CPU per trial, 20,000 trials, start-up included | {large.cpu / 20_000 * 1000:.3f} ms | ≤ 0.5 ms |")
    print(f"| CPU per further trial (the difference of the two, per trial) | {marginal:.3f} ms | ≤ 0.5 ms |")
    print(f"| peak memory, 20,000 against 2,000 | {large.peak_mb / small.peak_mb:.2f} × | ≤ 1.2 × |")
    ratio = large_all.peak_mb / small_all.peak_mb
    with_all = f"{large_all.cpu / 20_000 * 1000:.3f} ms / {large_all.peak_mb:.0f} MB / {ratio:.2f} ×"
    print(f"| 20,000 with the analysis at the end: CPU per trial / peak memory / against 2,000 | {with_all} | |")
    print(f"| resume of the finished 20,000 (start-up, scan, analysis), CPU | {again.cpu:.2f} s | scan ≤ 1 s |")
    print(f"| the same less a run of one trial: the scan | {again.cpu - empty.cpu:.2f} s | ≤ 1 s |")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    main()
