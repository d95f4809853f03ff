"""Graded programs per second in the jail, on one core and two, each started by itself. Prints a table.

python bench/sandbox.py            real answers of ../shared/recorded, or made-up ones without it
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import re
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from probatio.jail import Choice, NoIsolation, find_isolation
from probatio.languages import typescript
from probatio.languages.python import Call, run_calls

RECORDED = Path(__file__).parent.parent.parent / "shared" / "recorded"
COLD = 120  # programs of the cold rows
THREADS_PER_CORE = 2  # a jail's start and end wait for the kernel; a second program uses that time


def made_up(total: int = 500, distinct: int = 100) -> list[str]:
    """Programs where four in five repeat an earlier one, as in recorded runs of real models."""
    dice = random.Random(7)
    pool = [
        f"interface Item {{ id: number; tags: string[] }}\nconst items: Item[] = [{{ id: {i}, tags: ['a', "
        f"'b'] }}];\n"
        f"function total(list: Item[]): number {{ return list.reduce((sum, item) => sum + item.id, {i}); }}\n"
        "console.log(total(items), items);\n"
        for i in range(distinct)
    ]
    return pool + [dice.choice(pool) for _ in range(total - distinct)]


def real() -> list[str]:
    """Every recorded answer in TypeScript, in the order it was given."""
    answers = (RECORDED / "raw_responses.jsonl").read_text("utf-8").split("\n")
    kinds = (RECORDED / "reference.jsonl").read_text("utf-8").split("\n")
    found = []
    for answer, kind in zip(answers, kinds, strict=True):
        if answer and json.loads(kind)["type"] in ("translate_faber_to_ts", "write_typescript"):
            text = json.loads(answer)["response"]
            fenced = re.search(r"```\w*\n(.*?)```", text, re.DOTALL)
            found.append(fenced[1] if fenced else text)
    return found


_SUBREAPER = 36  # of prctl: what bubblewrap leaves to be waited for comes to us, and its CPU with it


def cpu() -> float:
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait4(-1, 0)
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def measure(programs: list[str], cores: int, kind: Choice) -> str:
    """One row: all programs run on that many cores."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(everywhere)[:cores]))
    try:
        typescript.run("console.log(0)", isolation=kind)
        began, used = time.perf_counter(), cpu()
        with ThreadPoolExecutor(cores * THREADS_PER_CORE) as pool:
            list(pool.map(lambda source: typescript.run(source, isolation=kind), programs))
        wall, used = time.perf_counter() - began, cpu() - used
    finally:
        os.sched_setaffinity(0, everywhere)
    each = 1000 / len(programs)
    return (
        f"{len(programs)} | {cores} | {len(programs) / wall:,.0f} | {wall * each:.1f} | {used * each:.1f} |"
    )


def answers(kind: Choice, total: int = 60) -> str:
    """The row of Python answers: ten calls each, one after another, every one run anew."""
    source = "def f(n):\n    return sorted(range(n))[:3]"
    calls = [Call((n,)) for n in range(10)]
    run_calls(source, "f", calls, kind)
    began, used = time.perf_counter(), cpu()
    for _ in range(total):
        run_calls(source, "f", calls, kind)
    wall, used = time.perf_counter() - began, cpu() - used
    return f"{total} | 1 | {total / wall:,.0f} | {wall * 1000 / total:.1f} | {used * 1000 / total:.1f} |"


def main() -> None:
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    programs = real() if RECORDED.is_dir() else made_up()
    origin = "recorded answers" if RECORDED.is_dir() else "made-up answers"
    cores = min(2, len(os.sched_getaffinity(0)))
    print("| what | isolation | programs | cores | per second | wall ms each | CPU ms each |")
    print("|---|---|---|---|---|---|---|")
    for kind in ("bubblewrap", "landlock", "none"):
        try:
            find_isolation(kind)
        except NoIsolation:
            continue
        distinct = [f"{programs[i % len(programs)]}\n// {i}" for i in range(COLD)]
        for n in sorted({1, cores}):
            print(f"| {origin} | {kind} | {measure(distinct, n, kind)}")
        print(f"| Python answers | {kind} | {answers(kind)}")


if __name__ == "__main__":
    main()
