"""The chance that `probatio study plan` gives, and how often simulated comparisons show the difference.
Prints a Markdown table.

python bench/power.py            20,000 comparisons per row, drawn answer by answer
python bench/power.py --files    also 300 runs per row, written to disk and read by `study compare` itself
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from learn.runs import write_made_up_run, write_suite
from learn.simulated_pairs import counted, drawn_answers
from probatio.core.statistics.intervals import estimate_paired_difference
from probatio.learn.compare import compare
from probatio.learn.statistics.likeness import USUAL
from probatio.learn.statistics.power import Design, chance_to_see

COMPARISONS, FILES = 20_000, 300

ROWS: list[tuple[str, int, int, int, float, float]] = [
    # between, tasks, conditions, samples, rate of A, delta
    ("model", 95, 1, 1, 0.50, 0.05),
    ("model", 95, 1, 1, 0.50, 0.15),
    ("model", 95, 4, 1, 0.50, 0.10),
    ("model", 95, 20, 1, 0.50, 0.05),
    ("model", 95, 60, 1, 0.50, 0.06),
    ("model", 95, 1, 5, 0.50, 0.10),
    ("model", 40, 5, 3, 0.90, -0.10),
    ("model", 30, 1, 5, 0.80, 0.15),
    ("model", 20, 1, 1, 0.95, -0.30),
    ("model", 400, 1, 1, 0.97, -0.03),
    ("context", 95, 4, 1, 0.80, 0.05),
    ("context", 20, 8, 1, 0.60, 0.12),
    ("dialect", 50, 2, 2, 0.70, -0.10),
]


def main() -> None:
    files = "--files" in sys.argv
    print(
        "| between | tasks | conditions | samples | A passes | B less A | power | simulated | apart |", end=""
    )
    print(" by files |" if files else "")
    print("|---" * (9 + files) + "|")
    began = time.process_time()
    for between, tasks, conditions, samples, rate, delta in ROWS:
        design = Design(rate, delta, USUAL[between], conditions, samples)
        told = 100 * chance_to_see(design, tasks)
        found = 100 * simulated(design, tasks, COMPARISONS)
        print(
            f"| {between} | {tasks} | {conditions} | {samples} | {100 * rate:.0f} % | {100 * delta:+.0f} | "
            f"{told:.1f} % "
            f"| {found:.1f} % | {told - found:+.1f} |",
            f"{100 * by_files(design, tasks, FILES):.1f} % |"
            if files and conditions == 1
            else "– |"
            if files
            else "",
            flush=True,
        )
    print(f"\n{time.process_time() - began:.0f} s of CPU")


def simulated(design: Design, tasks: int, comparisons: int) -> float:
    """The share of comparisons whose interval keeps clear of zero on the right side."""
    random = np.random.default_rng(7)
    shown = 0
    for _ in range(comparisons):
        answers = counted(drawn_answers(design, tasks, random))
        _, low, high, _ = estimate_paired_difference((one.gained, one.lost, one.pairs) for one in answers)
        shown += low > 0 if design.delta > 0 else high < 0
    return shown / comparisons


def by_files(design: Design, tasks: int, comparisons: int) -> float:
    """The same from runs on disk, read by `compare`."""
    random, shown = np.random.default_rng(11), 0
    with tempfile.TemporaryDirectory() as folder:
        suite = write_suite(Path(folder) / "suite", tasks)
        for _ in range(comparisons):
            right = drawn_answers(design, tasks, random)
            write_made_up_run(
                Path(folder) / "r",
                suite,
                lambda key, right=right: bool(  # type: ignore[misc]
                    right["ab".index(key.model), int(key.task_id.rpartition("_")[2]), 0, key.sample]
                ),
                models=("a", "b"),
                samples=design.samples,
            )
            found = compare("r:model=a", "r:model=b", Path(folder))
            shown += found.low > 0 if design.delta > 0 else found.high < 0
    return shown / comparisons


if __name__ == "__main__":
    main()
