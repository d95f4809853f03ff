"""CPU of a check in a worker process against the same check in our own process. Prints a Markdown table.

python bench/checks.py            cheap checks, a Python answer, a page: CPU of all processes
python bench/checks.py 2000       so many cheap checks of each kind
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from probatio.builtin.daily.graders import warm_texts
from probatio.builtin.daily.math_reasoning.grader import warm as warm_algebra
from probatio.core.records import Response
from probatio.core.yamlfile import read_yaml
from probatio.grading.daily_answers import PackedCase, examine
from probatio.grading.extract import assess_unanswered, without_reasoning
from probatio.jail.workers import Pool
from probatio.suites.daily_suite import DAILY, Case, load_daily

CHEAP = ("structured_extraction", "report_analysis", "customer_service", "instruction_following")
SUITE = load_daily()


TICK = os.sysconf("SC_CLK_TCK")


def cpu() -> float:
    """Of this process and of all that come from it, alive or waited for."""
    pids, total = [os.getpid()], 0.0
    while pids:
        pid = pids.pop()
        with contextlib.suppress(OSError):
            total += (
                sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15])) / TICK
            )
            for task in Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())
    return total


def answers(use_case: str, count: int) -> Iterator[tuple[Case, Response]]:
    """The gold answers of a use case over and over, each a little different."""
    proofs = [
        proof
        for proof in read_yaml(DAILY / use_case / "proofs.yml", dict)["proofs"]
        if proof["kind"] == "gold"
    ]
    for number in range(count):
        proof = proofs[number % len(proofs)]
        yield SUITE.cases[proof["case"]], Response(
            timestamp="", run_id="", framework_version="", task_id=proof["case"], model="m", n_shot=0,
            context="base",
            finish_reason="stop", sample=number,
            response=proof["answer"].replace("return ",
            "return " + " " * (number % 500)),  # programs alike are run once
        )  # fmt: skip


def here(use_case: str, count: int) -> float:
    """As it was: the answer without its reasoning, checked by its grader on a thread of the loop's
    executor."""
    from concurrent.futures import ThreadPoolExecutor

    from probatio.builtin.daily.graders import check

    async def all_of_them() -> None:
        loop, threads = asyncio.get_running_loop(), ThreadPoolExecutor(1)
        for case, response in answers(use_case, count):
            assert not assess_unanswered(response)
            await loop.run_in_executor(
                threads, check, case, without_reasoning(response.response or ""), "auto"
            )

    began = cpu()
    asyncio.run(all_of_them())
    return (cpu() - began) / count


def apart(use_case: str, count: int) -> float:
    pool = Pool()
    packed = {case.id: PackedCase.of(case) for case in SUITE.cases.values()}

    async def some() -> float:
        """Measured once the worker is there and has seen every case: starting it is paid for once."""
        few, began = max(2, count // 10), 0.0
        for number, (case, response) in enumerate(answers(use_case, count + few)):
            if number == few:
                began = cpu()
            await examine(pool, packed[case.id], response, checked=True, choice="auto")
        return (cpu() - began) / count

    try:
        return asyncio.run(some())
    finally:
        pool.close()


def main() -> None:
    cheap = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    rows: list[tuple[str, int, Callable[[], object]]] = [
        *((use_case, cheap, warm_texts) for use_case in CHEAP),
        ("math_reasoning", cheap, warm_algebra),
        ("code_generation", 60, lambda: None),
        ("web_design", 6, lambda: None),
    ]
    print("| check | before, ms | in a worker, ms | difference, ms |\n|---|---|---|---|")
    for use_case, count, warm in rows:
        warm()
        here(use_case, max(2, count // 20))
        before, after = here(use_case, count), apart(use_case, count)
        print(
            f"| {use_case} | {1000 * before:.3f} | {1000 * after:.3f} | {1000 * (after - before):+.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
