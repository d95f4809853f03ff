"""Generator of Faber: programs drawn with a purpose, at a level, proven on the real runtime."""

from __future__ import annotations

from pathlib import Path

from probatio.authoring.generate import GeneratedSuite, Watch
from probatio.jail import Choice


def write(folder: Path, seed: int, level: int, count: int, isolation: Choice, watch: Watch) -> GeneratedSuite:
    """Write a new folder of tasks."""
    from probatio.authoring.generate.faber.folder import require_new, write_folder
    from probatio.authoring.generate.faber.generation import generate

    require_new(folder)
    made = generate(seed, level, count, isolation, watch)
    mark = write_folder(folder, made, seed, level)
    return GeneratedSuite(str(folder), len(made.tasks), mark, made.drawn, made.alike, made.disagreed)
