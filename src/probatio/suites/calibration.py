"""The calibration set: frozen answers with the marks they should get, by which the judge is checked before
every run."""

from __future__ import annotations

from typing import Any

import msgspec

from probatio.core.errors import UsageError
from probatio.core.yamlfile import read_yaml
from probatio.suites.daily_suite import DailySuite, load_daily

FILE = "calibration.yml"
LEAST = 12  # with fewer, one unlucky mark moves the mean shift by a good part of the bar


class FrozenAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One frozen answer to a case, and its reference marks by criterion."""

    id: str
    use_case: str
    case: str
    answer: str
    marks: dict[str, int]


class _CalibrationFile(msgspec.Struct):
    items: tuple[FrozenAnswer, ...]


def find_calibrating(suite: DailySuite) -> DailySuite:
    """The suite whose frozen answers calibrate the judge of this one: itself, or the built-in one for a suite
    without any whose cases alone name what is judged. They tell that a judge marks otherwise than before,
    which asks for no rubric of its own."""
    own = (suite.folder / FILE).exists() or any(each.rubric for each in suite.use_cases.values())
    return suite if own else load_daily()


def digestible_calibration(suite: DailySuite) -> Any:
    """What of the calibration is in the suite's fingerprint: the file, or the answers that stand in for it,
    with their questions and rubrics."""
    judged = any(each.grading != "deterministic" for each in suite.use_cases.values())
    lender = find_calibrating(suite) if judged else suite
    if lender is suite:
        path = suite.folder / FILE
        return read_yaml(path, dict, suite.folder) if path.exists() else None
    rubrics = {name: each.rubric for name, each in lender.use_cases.items()}
    return [
        (item, lender.cases[item.case].prompt, rubrics[item.use_case]) for item in load_calibration(lender)
    ]


def load_calibration(suite: DailySuite) -> tuple[FrozenAnswer, ...]:
    """The suite's calibration set, every item checked against the case and the rubric it names."""
    path = suite.folder / FILE
    items = read_yaml(path, _CalibrationFile, suite.folder).items
    if len(items) < LEAST:
        raise UsageError(f"{path} holds {len(items)} items; a calibration needs at least {LEAST}.")
    taken: set[str] = set()
    for item in items:
        if item.id in taken:
            raise UsageError(f"{path}: the item id `{item.id}` is taken twice.")
        taken.add(item.id)
        if fault := _fault(suite, item):
            raise UsageError(f"{path}: item `{item.id}` {fault}")
    return items


def _fault(suite: DailySuite, item: FrozenAnswer) -> str | None:
    use_case = suite.use_cases.get(item.use_case)
    if use_case is None:
        return f"names the use case `{item.use_case}`, which the suite does not have."
    if use_case.grading == "deterministic":
        return f"belongs to `{item.use_case}`, which is not judged."
    case = next((case for case in use_case.cases if case.id == item.case), None)
    if case is None:
        return f"names the case `{item.case}`, which `{item.use_case}` does not have."
    if (rubric := use_case.rubric_of(case)) is None:
        return f"names the case `{item.case}`, which is not judged."
    if not item.answer.strip():
        return "has an empty answer."
    wanted = [criterion.id for criterion in rubric.criteria]
    if missing := [name for name in wanted if name not in item.marks]:
        return f"has no mark for {_list_names(missing)}."
    if extra := [name for name in item.marks if name not in wanted]:
        return f"marks {_list_names(extra)}, which the rubric of `{item.use_case}` does not have."
    if outside := [name for name, mark in item.marks.items() if not 1 <= mark <= 5]:
        return f"has a mark outside 1 to 5 for {_list_names(outside)}."
    return None


def _list_names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
