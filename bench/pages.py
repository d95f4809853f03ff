"""CPU of checking one web page, in Chromium's headless shell and in the whole browser. Prints a Markdown
table.

python bench/pages.py                  the gold page of every case, in every browser: CPU of all processes
python bench/pages.py web_sheet        this case alone
python bench/pages.py --rounds 3       the least of so many rounds

CPU is that of a cgroup, which holds this process and all it starts: a browser's processes leave the usual
accounting. To make one takes root.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from probatio.builtin.daily.web_design.grader import check
from probatio.core.yamlfile import read_yaml
from probatio.jail.browser import chromium, driver
from probatio.jail.browser.protocol import Connection
from probatio.suites.daily_suite import DAILY, load_daily

GROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))  # of version 2, alone or beside version 1
EMPTY = "<!doctype html><html lang=en><title>t</title><p>x"
SUITE = load_daily()


@contextlib.contextmanager
def measured() -> Iterator[Callable[[], float] | None]:
    """CPU seconds so far of this process and all it starts from here on; None where that can't be told."""
    root = next((each for each in GROUPS if (each / "cgroup.controllers").exists()), GROUPS[0])
    group, before = root / f"probatio-pages-{os.getpid()}", root / _own_group()
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        yield None
        return
    try:
        yield lambda: int((group / "cpu.stat").read_text().split()[1]) / 1e6
    finally:
        (before / "cgroup.procs").write_text(str(os.getpid()))
        time.sleep(0.5)  # what the browser leaves behind goes within this
        with contextlib.suppress(OSError):
            group.rmdir()


def _own_group() -> str:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return next(line.partition("::")[2].lstrip("/") for line in lines if line.startswith("0::"))


def browsers() -> list[str]:
    """Every Chromium on the path, one of each kind."""
    there = [name for name in chromium.NAMES if shutil.which(name)]
    kinds = {name in chromium.HEADLESS: name for name in reversed(there)}
    return [kinds[kind] for kind in (False, True) if kind in kinds]


def main() -> None:
    words = argparse.ArgumentParser(description="CPU of checking one web page.")
    words.add_argument("case", nargs="*")
    words.add_argument("--rounds", type=int, default=2)
    given = words.parse_args()
    proofs = read_yaml(DAILY / "web_design" / "proofs.yml", dict)["proofs"]
    golds = {proof["case"]: proof["answer"] for proof in reversed(proofs) if proof["kind"] == "gold"}
    cases = given.case or [case.id for case in SUITE.use_cases["web_design"].cases]
    calls = 0
    send = Connection.send

    def counted(self: Connection, method: str, session: str = "", **params: object) -> object:
        nonlocal calls
        calls += 1
        return send(self, method, session, **params)

    Connection.send = counted  # type: ignore[method-assign,assignment]
    print("| browser | " + " | ".join(("start", *cases, "mean")) + " |")
    print("|---|" + "---|" * (len(cases) + 2))
    with measured() as cpu:
        if cpu is None:
            print("No cgroup can be made here, so the browser's CPU can't be told. Run this as root.")
            return
        for name in browsers():
            os.environ[chromium.VARIABLE] = name
            began = cpu()
            title = driver.available().sentence.partition(",")[0]
            cells, costs = [f"{cpu() - began:.2f} s"], []
            check(SUITE.cases["web_pricing"], EMPTY)
            for case in cases:
                least, score = float("inf"), 0.0
                for _ in range(given.rounds):
                    calls, began = 0, cpu()
                    score = check(SUITE.cases[case], golds[case]).score
                    least = min(least, cpu() - began)
                costs.append(least)
                cells.append(f"{least:.2f} s, {calls} calls, score {score:g}")
            print(
                f"| {title} | " + " | ".join((*cells, f"{sum(costs) / len(costs):.2f} s")) + " |", flush=True
            )
            driver.close()


if __name__ == "__main__":
    main()
