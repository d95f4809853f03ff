"""Reckoning: from a day's files to its scores, and what is still missing. What `probatio verify` can do again at any time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from probatio.day.samples import BASE, FULL, Graded, Round, Served
from probatio.day.sampling import Begun, Rounds
from probatio.day.scoring import DayFacts, ModelFacts, Sample, paired, scores_of
from probatio.records import DailyScore, DayRecord, Model
from probatio.store.layout import ANSWERS, GRADES
from probatio.store.lines import read_lines
from probatio.suite.daily import DailySuite, UseCase
from probatio.verdict.expectation import Expectation


class Reckoned(msgspec.Struct, frozen=True):
    """The scores of all models that are complete, and how many samples each of the others lacks."""

    scores: list[DailyScore]
    missing: dict[str, int]


def begun(folder: Path, suite: DailySuite) -> Begun:
    """The rounds that hold an answer."""
    use_case_of = {case.id: case.use_case for case in suite.cases.values()}
    return {
        (line.model, use_case_of[line.task_id], FULL if line.context == FULL else BASE)
        for line in read_lines(folder / ANSWERS, Served)
        if line.task_id in use_case_of
    }


def reckon(
    folder: Path,
    record: DayRecord,
    suite: DailySuite,
    past: Expectation,
    asked: Mapping[str, Collection[str]] | None = None,
    refused: Mapping[str, str] | None = None,
) -> Reckoned:
    """The day as its files tell it. `asked`: model → use cases wanted beside those that have samples; `refused`: model → why it
    could not be asked to the end."""
    calibration = record.calibration
    day = DayFacts(
        record.date,
        record.suite_version,
        barred=calibration is not None and calibration.barred,
        no_judge=calibration.error if calibration else None,
    )
    rounds = Rounds(past, begun(folder, suite), barred=day.barred)
    samples = paired(read_lines(folder / ANSWERS, Served), read_lines(folder / GRADES, Graded))
    use_case_of = {case.id: case.use_case for case in suite.cases.values()}
    scores: list[DailyScore] = []
    missing: dict[str, int] = {}
    for model in record.models:
        of: dict[str, list[Sample]] = {use_case: [] for use_case in (asked or {}).get(model.id, ())}
        for sample in samples.get(model.id, ()):
            of.setdefault(use_case_of[sample.graded.task_id], []).append(sample)
        use_cases = [use_case for use_case in suite.use_cases.values() if use_case.id in of]
        lacks = sum(_lacks(rounds, model, use_case, of[use_case.id], day) for use_case in use_cases)
        why = (refused or {}).get(model.id) if lacks else None
        if lacks and not why:
            missing[model.id] = lacks
            continue
        triggers = {use_case.id: rounds.triggers.get((model.id, use_case.id)) for use_case in use_cases}
        facts = ModelFacts(model, triggers, past.usual_route(model.id), why)
        scores += scores_of(suite, use_cases, samples.get(model.id, []), day, facts)
    return Reckoned(scores, missing)


def _lacks(rounds: Rounds, model: Model, use_case: UseCase, samples: Sequence[Sample], day: DayFacts) -> int:
    """How many samples a use case still needs."""
    if use_case.grading == "judge" and day.no_judge:
        return 0
    first = rounds.first(model.id, use_case)
    grades = [sample.graded for sample in samples]
    needed: list[Round] = [first]
    if first == BASE and rounds.again(model.id, use_case, [grade for grade in grades if grade.context == BASE]):
        needed.append(FULL)
    counts = {BASE: use_case.base_samples, FULL: use_case.full_samples}
    return sum(
        max(0, counts[which] * len(use_case.cases) - sum(grade.context == which for grade in grades))
        for which in needed
    )
