"""Generator of Faber: programs drawn with a purpose, at a level, proven by the compiled program and an evaluator of the tree."""

from __future__ import annotations

from pathlib import Path

from probatio.generate import Watch, Written
from probatio.sandbox import Choice


def write(folder: Path, seed: int, level: int, count: int, isolation: Choice, watch: Watch) -> Written:
    """Write a new folder of tasks."""
    from probatio.generate.faber.folder import require_new, write_folder
    from probatio.generate.faber.generation import generate

    require_new(folder)
    made = generate(seed, level, count, isolation, watch)
    mark = write_folder(folder, made, seed, level)
    return Written(str(folder), len(made.tasks), mark, made.drawn, made.alike, made.disagreed)
