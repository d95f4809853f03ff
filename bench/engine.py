"""CPU, memory and start-up of the engine against a loopback server in another process. Prints Markdown
tables.

python bench/engine.py            2,000 and 20,000 trials of 14 tasks, --help, resume; then `distinct`
python bench/engine.py distinct   2,000 and 20,000 distinct tasks, and a bare aiohttp loop of the same calls
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from loopback import IN_FLIGHT, bare, distinct_suite, measured, server

REPOSITORY = Path(__file__).parent.parent
TASKS = 14  # of the bench's own suite
PROBATIO = [sys.executable, "-c", "from probatio.cli import main; main()"]
WITHOUT_ANALYSIS = [
    sys.executable,
    "-c",
    "from probatio.learn import analysis; analysis.write_analysis = lambda *run: run[0]; from probatio.cli "
    "import main; main()",
]
"""From plan to journal alone: the analysis at the end reads the whole run into DuckDB, which is its own
matter."""


def bench_suite(folder: Path) -> Path:
    common = {"type": "predict_output", "category": "bench", "goal": "bench", "expected_output": "42"}
    tasks = [{**common, "id": f"t{n}", "input_faber": f"scribe {n}"} for n in range(TASKS)]
    (folder / "tasks").mkdir(parents=True)
    (folder / "tasks" / "bench.yml").write_text(json.dumps({"tasks": tasks}), encoding="utf-8")
    return folder


DISTINCT = 850  # characters of a program: prompts of about 1,028


def distinct() -> None:
    """The rows about suites in which no task is asked twice."""
    work = Path(tempfile.mkdtemp(prefix="probatio-bench-"))
    small_suite = distinct_suite(work / "small-suite", 2_000, DISTINCT)
    large_suite = distinct_suite(work / "large-suite", 20_000, DISTINCT)

    def trial(suite: Path, name: str, *flags: str, program: list[str] = PROBATIO) -> list[str]:
        return [
            *program, "trial", "--suite", str(suite), "--model", "gpt-4o-mini", "--context", "examples-only",
            "--n-shot", "0",
            "--max-connections", str(IN_FLIGHT), "--results", str(work / (
                "results"
            )), "--run-id", name, "--yes", *flags,
        ]  # fmt: skip

    try:
        with server() as address:
            env = {
                **os.environ,
                "OPENROUTER_API_KEY": "sk-bench-0123456789abcdef",
                "OPENROUTER_BASE_URL": address,
            }
            few = measured(bare(address, 2_000), env)
            small = measured(trial(small_suite, "small", program=WITHOUT_ANALYSIS), env)
            many = measured(bare(address, 20_000), env)
            large = measured(trial(large_suite, "large", program=WITHOUT_ANALYSIS), env)
            start = measured(trial(large_suite, "start", "--limit", "1", program=WITHOUT_ANALYSIS), env)
            resume = [*WITHOUT_ANALYSIS, "trial", "--resume", str(work / "results" / "large")]
            resumed = measured(resume, env)
            whole = measured(trial(large_suite, "whole"), env)
    finally:
        shutil.rmtree(work)
    further, of_the_loop = (large.cpu - small.cpu) / 18, (many.cpu - few.cpu) / 18
    print("\n| 20,000 distinct tasks, prompts of about 1,028 characters | measured | target |")
    print("|---|---|---|")
    print(f"| start: a run of one trial of that suite, CPU | {start.cpu:.2f} s | ≤ 2 s |")
    print(f"| resume of the finished run, CPU | {resumed.cpu:.2f} s | ≤ 2 s |")
    print(f"| CPU per trial, start-up included | {large.cpu / 20:.3f} ms | |")
    print(f"| the same with the analysis at the end | {whole.cpu / 20:.3f} ms | |")
    print(
        f"| CPU per further trial / per further call of a bare aiohttp loop | {further:.3f} / "
        f"{of_the_loop:.3f} ms | |"
    )
    print(f"| their ratio | {further / of_the_loop:.2f} × | ≤ 1.8 × |")
    print(
        f"| ratio of whole commands, 2,000 / 20,000 | {small.cpu / few.cpu:.2f} / "
        f"{large.cpu / many.cpu:.2f} × | ≤ 1.8 × |"
    )
    print(
        f"| peak memory / with the analysis at the end | {large.peak_mb:.0f} / {whole.peak_mb:.0f} MB | ≤ "
        "150 MB |"
    )


def main() -> None:
    work = Path(tempfile.mkdtemp(prefix="probatio-bench-"))
    compileall.compile_dir(REPOSITORY / "src", quiet=1)  # as pip does
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "double.server", "--latency", "0.02"],
        cwd=REPOSITORY / "tests",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout
    port = server.stdout.readline().strip()
    env = {
        **os.environ,
        "OPENROUTER_API_KEY": "bench",
        "OPENROUTER_BASE_URL": f"http://127.0.0.1:{port}/api/v1",
    }
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
            "--yes",
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
        f"| 2,000 trials, CPU / wall / peak memory | {small.cpu:.2f} s / {small.wall:.1f} s / "
        f"{small.peak_mb:.0f} MB | |"
    )
    print(
        f"| 20,000 trials, CPU / wall / peak memory | {large.cpu:.2f} s / {large.wall:.1f} s / "
        f"{large.peak_mb:.0f} MB | |"
    )
    print(
        f"| CPU per trial, 20,000 trials, start-up included | {large.cpu / 20_000 * 1000:.3f} ms | ≤ 0.5 ms |"
    )
    print(f"| CPU per further trial (the difference of the two, per trial) | {marginal:.3f} ms | ≤ 0.5 ms |")
    print(f"| peak memory, 20,000 against 2,000 | {large.peak_mb / small.peak_mb:.2f} × | ≤ 1.2 × |")
    ratio = large_all.peak_mb / small_all.peak_mb
    with_all = f"{large_all.cpu / 20_000 * 1000:.3f} ms / {large_all.peak_mb:.0f} MB / {ratio:.2f} ×"
    print(
        f"| 20,000 with the analysis at the end: CPU per trial / peak memory / against 2,000 | {with_all} | |"
    )
    print(
        f"| resume of the finished 20,000 (start-up, scan, analysis), CPU | {again.cpu:.2f} s | scan ≤ 1 s |"
    )
    print(f"| the same less a run of one trial: the scan | {again.cpu - empty.cpu:.2f} s | ≤ 1 s |")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    if sys.argv[1:] != ["distinct"]:
        main()
    distinct()
