"""What a model answered to some cases on a day: one answer each, for people to look at."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from probatio.errors import ProbatioError
from probatio.records import KeyLine
from probatio.store.layout import ANSWERS, DAILY
from probatio.store.run_folder import RunFolder


class _Answer(KeyLine):
    response: str = ""
    error: str | None = None


def case_answers(results: Path, day: str, model: str, cases: Collection[str]) -> dict[str, str]:
    """Case → the first answer of the day; without cases that have none. A day whose answers can't be read has none."""
    found: dict[str, str] = {}
    folder = results / DAILY / day
    if not (folder / ANSWERS).exists():
        return found
    try:
        for line in RunFolder(folder, lenient=True, folder=results).answers_as(_Answer):
            if line.model == model and line.task_id in cases and not line.error:
                found.setdefault(line.task_id, line.response)
    except (ProbatioError, OSError):
        return found
    return found
