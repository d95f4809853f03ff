"""CPU per sample of Inspect, lm-eval, promptfoo and Probatio, in one run against one server on loopback.
Prints a Markdown table.

python bench/peers.py [--samples 2000] [--work DIR] [--only probatio,lm-eval]

2,000 distinct prompts of 1,028 characters, 100 in flight, each answer compared with what is right; CPU with
all child processes. Each is run with 20 samples first: that is its start-up, and the difference is what a
sample costs. The peers are installed into DIR, outside this repository, where they are not there yet; a
second run takes them as they are. Where one can't be installed, its row says so and the others go on.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from loopback import CHARACTERS, IN_FLIGHT, Cost, answered, bare, distinct_suite, measured, prompt, server

FEW = 20  # samples of the run that shows the start-up


class Bench(NamedTuple):
    """Where it is done, with how many samples, and the server's address."""

    work: Path  # what is installed
    scratch: Path  # what one run leaves behind
    samples: int
    address: str


class Peer(NamedTuple):
    install: Callable[[Path], str]  # into the work folder; gives its version
    command: Callable[[Bench], tuple[list[str], dict[str, str]]]  # and what it needs of the environment


def _venv(work: Path, name: str, module: str, *packages: str) -> str:
    python = work / name / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(work / name)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", *packages], check=True, stderr=subprocess.DEVNULL
        )
    code = f"from importlib.metadata import version; print(version({module!r}))"
    return subprocess.run(
        [str(python), "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def _prompts(bench: Bench, name: str, line: Callable[[str], dict[str, object]]) -> Path:
    file = bench.scratch / name
    file.write_text(
        "".join(json.dumps(line(prompt(n))) + "\n" for n in range(bench.samples)), encoding="utf-8"
    )
    return file


def _inspect(bench: Bench) -> tuple[list[str], dict[str, str]]:
    _prompts(bench, "inspect.jsonl", lambda text: {"input": text, "target": "42"})
    (bench.scratch / "inspect_task.py").write_text(
        "from inspect_ai import Task, task\nfrom inspect_ai.dataset import json_dataset\n"
        "from inspect_ai.scorer import match\nfrom inspect_ai.solver import generate\n\n\n"
        "@task\ndef bench():\n    return Task(dataset=json_dataset('inspect.jsonl'), solver=generate(), "
        "scorer=match())\n"
    )
    argv = [
        str(bench.work / "inspect" / "bin" / "inspect"), "eval", "inspect_task.py", "--model",
        "openai-api/loop/bench",
        "--max-connections", str(IN_FLIGHT), "--max-samples", str(IN_FLIGHT), "--display", "none",
        "--log-dir", str(bench.scratch / "inspect-logs"),
    ]  # fmt: skip
    return argv, {"LOOP_API_KEY": "bench", "LOOP_BASE_URL": bench.address}


def _lm_eval(bench: Bench) -> tuple[list[str], dict[str, str]]:
    file = _prompts(bench, "lm_eval.jsonl", lambda text: {"question": text, "right": "42"})
    tasks = bench.scratch / "lm_eval_tasks"
    tasks.mkdir(exist_ok=True)
    task = {
        "task": "bench", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(file)}},
        "test_split": "test",
        "output_type": "generate_until", "doc_to_text": "{{question}}", "doc_to_target": "{{right}}",
        "generation_kwargs": {"until": [], "max_gen_toks": 1000, "temperature": 0},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    }  # fmt: skip
    (tasks / "bench.yaml").write_text(json.dumps(task))
    args = f"model=bench,base_url={bench.address}/chat/completions,num_concurrent={IN_FLIGHT},max_retries=1"
    argv = [
        str(bench.work / "lm-eval" / "bin" / "lm_eval"), "--model", "local-chat-completions", "--model_args",
        args,
        "--tasks", "bench", "--include_path", str(tasks), "--apply_chat_template", "--batch_size", "1",
        "--output_path", str(bench.scratch / "lm-eval-out"), "--log_samples",
    ]  # fmt: skip
    return argv, {"OPENAI_API_KEY": "bench", "HF_HUB_OFFLINE": "1", "HF_HOME": str(bench.scratch / "hf")}


def _promptfoo_installed(work: Path) -> str:
    folder = work / "promptfoo"
    package = folder / "node_modules" / "promptfoo" / "package.json"
    if not package.exists():
        folder.mkdir(parents=True, exist_ok=True)
        quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(
            ["npm", "install", *quiet, "promptfoo"], cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
    return str(json.loads(package.read_text())["version"])


def _promptfoo(bench: Bench) -> tuple[list[str], dict[str, str]]:
    tests = [
        {"vars": {"question": prompt(n)}, "assert": [{"type": "equals", "value": "42"}]}
        for n in range(bench.samples)
    ]
    config = {
        "prompts": ["{{question}}"],
        "providers": [
            {"id": "openai:chat:bench", "config": {"apiBaseUrl": bench.address, "apiKey": "bench"}}
        ],
        "tests": tests,
    }
    (bench.scratch / "promptfoo.json").write_text(json.dumps(config))
    argv = [
        str(bench.work / "promptfoo" / "node_modules" / ".bin" / "promptfoo"), "eval", "-c", "promptfoo.json",
        "-j", str(IN_FLIGHT), "--no-cache", "--no-progress-bar", "--no-table", "-o", "promptfoo-out.json",
    ]  # fmt: skip
    return argv, {
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_CONFIG_DIR": str(bench.scratch / "promptfoo"),
    }


def _probatio_installed(work: Path) -> str:
    from probatio import __version__

    return __version__


def _probatio(bench: Bench) -> tuple[list[str], dict[str, str]]:
    from probatio.suites.language_suite import load_suite
    from probatio.suites.prompt import render

    def length(folder: Path) -> int:
        suite = load_suite(folder)
        return len(render(suite, suite.tasks["t0"], "examples-only", 0, "latin"))

    beside = length(distinct_suite(bench.scratch / "probe", 1, 500)) - 500
    suite = distinct_suite(bench.scratch / "suite", bench.samples, CHARACTERS - beside)
    assert length(suite) == CHARACTERS, length(suite)
    argv = [
        sys.executable, "-m", "probatio", "trial", "--suite", str(suite), "--model", "gpt-4o-mini",
        "--context", "examples-only", "--n-shot", "0", "--max-connections", str(IN_FLIGHT),
        "--results", str(bench.scratch / "results"), "--yes",
    ]  # fmt: skip
    return argv, {"OPENROUTER_API_KEY": "sk-bench-0123456789abcdef", "OPENROUTER_BASE_URL": bench.address}


PEERS = {
    "probatio": Peer(_probatio_installed, _probatio),
    "lm-eval": Peer(lambda work: _venv(work, "lm-eval", "lm_eval", "lm_eval[api]"), _lm_eval),
    "promptfoo": Peer(_promptfoo_installed, _promptfoo),
    "inspect": Peer(lambda work: _venv(work, "inspect", "inspect_ai", "inspect-ai", "openai"), _inspect),
}


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--samples", type=int, default=2000)
    options.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "probatio-peers")
    options.add_argument("--only", default=",".join(PEERS), help="names, with commas between")
    given = options.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    versions: dict[str, str] = {}
    failed: dict[str, str] = {}
    for name in given.only.split(","):
        try:
            versions[name] = PEERS[name].install(given.work)
        except (OSError, subprocess.CalledProcessError) as error:
            failed[name] = f"not installed: {type(error).__name__}"
    print(
        "| what | version | CPU per sample | of a bare loop | start-up | whole CPU per sample | wall | peak "
        "memory |"
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    with server() as address:
        loop = [measured(bare(address, samples), dict(os.environ)) for samples in (FEW, given.samples)]
        each = _row("bare aiohttp loop", "", loop, given.samples, None)
        for name, version in versions.items():
            try:
                costs = [_cost(name, given.work, samples, address) for samples in (FEW, given.samples)]
            except (SystemExit, OSError) as error:
                failed[name] = f"failed: {error}"
            else:
                _row(name, version, costs, given.samples, each)
    for name, why in failed.items():
        print(f"| {name} | {why} | | | | | | |")


def _cost(name: str, work: Path, samples: int, address: str) -> Cost:
    """What a peer takes for so many samples; it must have asked each of them."""
    scratch = Path(tempfile.mkdtemp(prefix="probatio-peers-run-"))
    try:
        argv, env = PEERS[name].command(Bench(work, scratch, samples, address))
        before = answered(address)
        cost = measured(argv, {**os.environ, **env}, scratch, scratch / f"{name}.log")
        if (asked := answered(address) - before) != samples:
            raise SystemExit(f"{name} asked {asked} times, not {samples}")
        return cost
    finally:
        shutil.rmtree(scratch)


def _row(name: str, version: str, costs: list[Cost], samples: int, of_the_loop: float | None) -> float:
    few, all_of_them = costs
    each = (all_of_them.cpu - few.cpu) / (samples - FEW) * 1000
    print(
        f"| {name} | {version} | {each:.2f} ms | {each / (of_the_loop or each):.1f} × | {few.cpu:.1f} s "
        f"| {all_of_them.cpu / samples * 1000:.2f} ms | {all_of_them.wall:.0f} s | "
        f"{all_of_them.peak_mb:.0f} MB |",
        flush=True,
    )
    return each


if __name__ == "__main__":
    main()
