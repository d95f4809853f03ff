"""The scores of a day from its samples, and what is still missing. `probatio verify` computes them again from
the files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from probatio.core.records import DailyScore, DayRecord, Model
from probatio.suites.daily_suite import DailySuite, UseCase
from probatio.watch.day.forms import narrow
from probatio.watch.day.samples import BASE, FULL, DaySamples, Sample, find_late_models
from probatio.watch.day.sampling import AdaptiveSampling
from probatio.watch.day.scoring import DayFacts, ModelFacts, score_model
from probatio.watch.verdict.expectation import Expectation


class DayScores(msgspec.Struct, frozen=True):
    """The scores of all complete models, and the number of missing samples of the others."""

    scores: list[DailyScore]
    missing: dict[str, int]


def score_day(
    record: DayRecord,
    suite: DailySuite,
    expectation: Expectation,
    samples: DaySamples,
    wanted: Mapping[str, Collection[str]],
    refused: Mapping[str, str],
) -> DayScores:
    """Score the day. `wanted`: model → use cases to score even without samples. `refused`: model → why it
    could not be asked to the end."""
    calibration = record.calibration
    day = DayFacts(
        record.date,
        record.suite_version,
        barred=calibration is not None and calibration.barred,
        no_judge=calibration.error if calibration else None,
    )
    sampling = AdaptiveSampling(expectation, samples, record.forms, barred=day.barred)
    late = find_late_models(record, samples.first_asked())
    use_case_of = {case.id: case.use_case for case in suite.cases.values()}
    scores: list[DailyScore] = []
    missing: dict[str, int] = {}
    for model in record.models:
        answered = samples.of_model(model.id)
        by_use_case: dict[str, list[Sample]] = {use_case: [] for use_case in wanted.get(model.id, ())}
        for sample in answered:
            by_use_case.setdefault(use_case_of[sample.graded.case], []).append(sample)
        of_form = narrow(suite.use_cases.values(), record.forms.get(model.id))
        use_cases = [use_case for use_case in of_form if use_case.id in by_use_case]
        # An imported day has what its file holds; no model can be asked for more.
        open_ones = [] if record.imported else use_cases
        lacks = sum(
            _count_missing(sampling, model, use_case, by_use_case[use_case.id], day) for use_case in open_ones
        )
        why = refused.get(model.id) if lacks else None
        if lacks and not why:
            missing[model.id] = lacks
            continue
        triggers = {use_case.id: sampling.triggers.get((model.id, use_case.id)) for use_case in use_cases}
        usual = {
            use_case.id: expectation.usual_cases(model.id, use_case.id, use_case.grading)
            for use_case in use_cases
        }
        facts = ModelFacts(model, triggers, expectation.usual_route(model.id), why, usual)
        lines = score_model(suite, use_cases, answered, day, facts)
        scores += [msgspec.structs.replace(line, asked_late=late.get(model.id)) for line in lines]
    return DayScores(scores, missing)


def _count_missing(
    sampling: AdaptiveSampling, model: Model, use_case: UseCase, samples: Sequence[Sample], day: DayFacts
) -> int:
    """How many samples a use case still needs."""
    if use_case.grading == "judge" and day.no_judge:
        return 0
    unscored = {case.id for case in use_case.unscored}
    grades = [sample.graded for sample in samples if sample.graded.case not in unscored]
    counts = {BASE: use_case.base_samples, FULL: use_case.full_samples}
    needed = sampling.choose_rounds(model.id, use_case, [grade for grade in grades if grade.round == BASE])
    return sum(
        max(0, counts[which] * len(use_case.cases) - sum(grade.round == which for grade in grades))
        for which in needed
    )
