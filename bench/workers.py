"""Local workers beside a Ray cluster: what the way to another machine costs, and that a machine that dies
loses nothing.

python bench/workers.py                 5,000 programs and 200 pages: about 8 minutes of CPU
python bench/workers.py 500 10          so many programs and pages

The cluster is two machines of one core each, played by two raylets on this machine. One of them is killed
when half of the programs are graded; another one joins before the pages. Every grade is compared with the
local one. No cache is used.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

os.environ["PROBATIO_CHECKED_MB"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray's own; 15 by default, too little beside other programs

from checks import answers, cpu

from probatio.core.records import Assessment, Response
from probatio.grading import GRADER_VERSION
from probatio.grading.daily_answers import PackedCase, examine
from probatio.jail.workers import Checks, GraderFingerprint, Lane
from probatio.jail.workers.choosing import get_pool, use
from probatio.runs.regrade import assess_again
from probatio.runs.trials import Assessor
from probatio.suites.daily_suite import Case
from probatio.suites.language_suite import Suite, load_suite

EMPTY = 5000
LANE = Lane("nothing", cpu_seconds=5, seconds=60)
ECHO = "builtins:bytes"
STORE = 80 << 20  # bytes of a raylet's object store, the least it takes
T = TypeVar("T")


def say(sentence: str) -> None:
    print(f"    {sentence}", file=sys.stderr, flush=True)


class Machines:
    """A cluster of raylets on this machine. Its head has no cores to give."""

    def __init__(self) -> None:
        utils: Any = importlib.import_module("ray.cluster_utils")
        head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE}
        self._cluster = utils.Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add(), self.add()]
        os.environ["RAY_ADDRESS"] = self._cluster.address

    def add(self) -> Any:
        return self._cluster.add_node(num_cpus=1, object_store_memory=STORE)

    def kill(self) -> None:
        self._cluster.remove_node(self.nodes.pop(0), allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()


def measured(work: Callable[[], T]) -> tuple[T, float, float]:
    """What it gives, with the seconds and the CPU seconds of all processes that it took."""
    began, spent = time.monotonic(), cpu()
    done = work()
    return done, time.monotonic() - began, cpu() - spent


def empty_checks(pool: Checks, count: int = EMPTY) -> None:
    """Checks that do nothing, each with a kilobyte to carry."""
    same = GraderFingerprint(ECHO, b"same", b"same")
    payloads = [b"%08d" % number * 128 for number in range(count)]

    async def one(payload: bytes) -> bool:
        return (await pool.run(LANE, ECHO, payload, grader=same)) == payload

    assert all(right for _, right in assess_again(payloads, one))


def trial_suite(folder: Path) -> Suite:
    task = {
        "id": "one",
        "type": "write_typescript",
        "category": "c",
        "goal": "Print 1",
        "expected_output": "1",
    }
    (folder / "tasks").mkdir(parents=True)
    (folder / "tasks" / "all.yml").write_text(json.dumps({"tasks": [task]}), encoding="utf-8")
    return load_suite(folder)


def programs(suite: Suite, count: int) -> Iterator[Response]:
    """Programs that are all different: right, wrong, and such that end badly."""
    for number in range(count):
        body = ("console.log(1)", "console.log(2)", "throw new Error()")[number % 3]
        yield Response(
            timestamp="", run_id="bench", framework_version=(
                ""
            ), task_id="one", model="m", n_shot=0, context="full",
            dialect=suite.language.dialects[0], sample=number, response=(
                f"```ts\nconst n = {number};\n{body};\n```"
            ),
        )  # fmt: skip


def graded(suite: Suite, count: int, at_half: Callable[[], None] = lambda: None) -> list[Assessment]:
    found: list[Assessment] = []
    for number, (_, assessment) in enumerate(assess_again(programs(suite, count), Assessor(suite, "auto"))):
        found.append(assessment)
        if number == count // 2:
            at_half()
    return found


def pages(count: int) -> list[str]:
    """The result of each page, as text: the gold pages of the suite over and over."""
    packed: dict[str, PackedCase] = {}

    async def one(line: tuple[Case, Response]) -> str:
        case, response = line
        packed.setdefault(case.id, PackedCase.of(case))
        return str(
            (await examine(get_pool(), packed[case.id], response, checked=True, choice="auto")).checked
        )

    return [result for _, result in assess_again(answers("web_design", count), one)]


def row(what: str, count: int, seconds: float, cpu_seconds: float) -> None:
    print(f"| {what} | {count:,} | {seconds:.1f} | {1000 * cpu_seconds / max(1, count):.2f} |", flush=True)


def main(program_count: int, page_count: int) -> None:
    print(f"Grader {GRADER_VERSION}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before.\n")
    print("| what | answers | seconds | CPU per answer without jails, ms |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        suite = trial_suite(Path(folder) / "suite")
        use("2", say)
        empty_checks(get_pool(), 100)  # the workers are there
        row("checks that do nothing, local", EMPTY, *measured(lambda: empty_checks(get_pool()))[1:])
        graded(suite, 6)
        local, seconds, spent = measured(lambda: graded(suite, program_count))
        row("programs, local", program_count, seconds, spent)
        local_pages = pages(min(page_count, DISTINCT)) if page_count else []
        machines = Machines()
        use("ray", say)
        empty_checks(get_pool(), 100)
        row("checks that do nothing, Ray", EMPTY, *measured(lambda: empty_checks(get_pool()))[1:])
        there, seconds, spent = measured(lambda: graded(suite, program_count, machines.kill))
        row("programs, Ray, one machine killed midway", program_count, seconds, spent)
        machines.add()
        far_pages, seconds, spent = measured(lambda: pages(page_count))
        row("pages, Ray, a machine joins", page_count, seconds, spent)
    same_programs = sum(one == other for one, other in zip(local, there, strict=True))
    same_pages = sum(page == local_pages[number % len(local_pages)] for number, page in enumerate(far_pages))
    outcomes = Counter(each.error_type or "right" for each in there)
    print(
        f"\nPrograms graded: {len(there):,} of {program_count:,}, {same_programs:,} as locally "
        f"({dict(outcomes)})."
    )
    print(f"Pages graded: {len(far_pages)} of {page_count}, {same_pages} as locally.")
    use(None, say)
    machines.close()


DISTINCT = 11
"""Gold pages of the suite, each of which is checked here once."""

if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:3] or ("5000", "200")))
