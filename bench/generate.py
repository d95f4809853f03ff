"""What generated tasks cost: CPU of everything that is started, per task and level. Prints a Markdown table.

python bench/generate.py              340 tasks of each level (2,040 in all) with seed 1, then with seed 2
python bench/generate.py 60 3,6       so many tasks of these levels

A task is counted once it is proven and written to a folder. `lines` are those of the shortest, the middle
and the longest program; the last column counts programs, and shapes of programs, that both seeds have.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

_SUBREAPER = 36  # of prctl: what the jail leaves to be waited for comes to us, and its CPU with it


def cpu() -> float:
    """Of this process and of all that it has started and that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main(count: int, levels: list[int]) -> None:
    from probatio.authoring.generate.faber.folder import write_folder
    from probatio.authoring.generate.faber.generation import Generated, generate

    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    generate(0, 1, 1)  # what is loaded once
    head = (
        "level",
        "seed",
        "tasks",
        "drawn",
        "alike",
        "disagreed",
        "CPU ms per task",
        "wall s",
        "lines",
        "shared with seed 1",
    )
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    total = 0
    for level in levels:
        first: Generated | None = None
        for seed in (1, 2):
            before, began = cpu(), time.monotonic()
            made = generate(seed, level, count)
            with tempfile.TemporaryDirectory() as folder:
                write_folder(Path(folder) / "suite", made, seed, level)
            time.sleep(0.3)  # until the last jail has gone
            spent, wall = cpu() - before, time.monotonic() - began
            total += len(made.tasks)
            sizes = sorted(program.count("\n") + 1 for program in made.programs)
            shared = "–"
            if first is not None:
                texts, shapes = set(first.programs) & set(made.programs), set(first.shapes) & set(made.shapes)
                shared = f"{len(texts)} programs, {len(shapes)} shapes"
            print(
                f"| {level} | {seed} | {len(made.tasks)} | {made.drawn} | {made.alike} | {made.disagreed} "
                f"| {1000 * spent / len(made.tasks):.1f} | {wall:.0f} "
                f"| {sizes[0]}–{sizes[len(sizes) // 2]}–{sizes[-1]} | {shared} |",
                flush=True,
            )
            first = first or made
    print(f"\n{total} tasks were proven.")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(
        int(given[0]) if given else 340,
        [int(each) for each in given[1].split(",")] if len(given) > 1 else [1, 2, 3, 4, 5, 6],
    )
