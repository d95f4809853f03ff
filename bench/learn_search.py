"""How many questions `probatio learn` takes, beside the grid of all of them.

    python bench/learn_search.py [LEARNERS]

Simulated learners of 8 levels and 40 tasks first: mean and most questions as a share of the grid, how often
the true level is the one found (stated: 90 %), and how often a fall is called or denied rightly. Then
recorded runs, replayed: the search may look up any answer of the whole grid.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from learn.simulated_learners import KINDS, LEVELS, TASKS, search, simulate_learner
from probatio.learn.tokens import count_shared_parts
from probatio.learn.trials import open_trials

RUNS = Path(__file__).parent.parent / "examples" / "runs"
REPLAYS = (("sample-0.5b", 0.1), ("sample-0.5b", 0.8), ("sample-strues", 0.3), ("sample-kcl", 0.3))


def replay(run: str, share: float) -> str:
    with open_trials([RUNS / run]) as trials:
        tokens = count_shared_parts(trials)
        rows = trials.rows(
            "select model, dialect, context, n_shot, task_id, correct from trials where asked and not control"
        )
    levels = sorted({tuple(row[:4]) for row in rows}, key=lambda place: tokens[place].tokens)  # type: ignore[index]
    tasks = sorted({row[4] for row in rows})
    truth = np.zeros((len(levels), len(tasks)), dtype=bool)
    for *place, task, correct in rows:
        truth[levels.index(tuple(place)), tasks.index(task)] = correct
    found = search(truth, share)
    return (
        f"{run:15} {share:4.0%}  {len(levels)} levels of {len(tasks)} tasks  {found.asked:4} of {truth.size} "
        f"questions ({found.asked / truth.size:.0%})  found: {found.inside}"
    )


def main(learners: int) -> None:
    print(f"{learners} learners of each kind, {LEVELS} levels of {TASKS} tasks, share 80 %")
    for kind in KINDS:
        began = time.process_time()
        found = [search(simulate_learner(kind, seed)) for seed in range(1000, 1000 + learners)]
        asked = np.array([one.asked for one in found]) / (LEVELS * TASKS)
        inside, right = (
            np.mean([one.inside for one in found]),
            np.mean([one.falls == one.truly_falls for one in found]),
        )
        seconds = (time.process_time() - began) / learners
        print(
            f"{kind:13} questions {asked.mean():4.0%} of the grid, most {asked.max():4.0%}   level found "
            f"{inside:4.0%}   fall told rightly {right:4.0%}   {seconds:.2f} s of CPU each"
        )
    for run, share in REPLAYS:
        print(replay(run, share))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
