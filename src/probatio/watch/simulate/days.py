"""Days of simulated models: what each is like, day after day, and what a run would have recorded of it.

Everything that makes days up begins here: the demo (`simulate_days`, `draw_samples`), the rehearsal
(`case_chances`) and, on arrays of many models, the simulator (`synthetic.py`, which these two stand on).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from probatio.core.records import DailyScore, SampleAnswer, SampleGrade
from probatio.suites.daily_suite import DailyManifest, DailySuite, UseCase
from probatio.watch.simulate.faults import FAULTS, SimulatedFault
from probatio.watch.simulate.noise import Population
from probatio.watch.simulate.profiles import JUDGED, PROFILES, Profile
from probatio.watch.simulate.synthetic import (
    AWAY,
    JUDGED_SHARE,
    ROUTES,
    SuitePlan,
    SyntheticDay,
    plan_of,
    watch,
)
from probatio.watch.verdict.evidence.streams import streams_of
from probatio.watch.verdict.rule.sampling import TRIGGERS

OUTAGE = "The provider did not answer (simulated outage)."
GRADER = "simulated"

WriteAnswer = Callable[[UseCase, DailyScore, float, int], str]
"""Use case, the day's line, the value of the answer (0–1) and the sample's number → the text of an answer."""


def simulate_days(
    manifest: DailyManifest,
    models: Sequence[str],
    start: dt.date,
    days: int,
    *,
    profile: str = "partial",
    faults: Mapping[str, tuple[str | SimulatedFault, int]] | None = None,
    seed: int = 0,
) -> Iterator[tuple[dt.date, list[DailyScore]]]:
    """Date and `scores.jsonl` records, day by day. `faults`: model → (a fault or its name, its first day
    counted from 0)."""
    plan = plan_of(manifest)
    rngs = np.random.default_rng(seed).spawn(len(models))
    runs = []
    for model, rng in zip(models, rngs, strict=True):
        named, day = (faults or {}).get(model, (None, 0))
        population = Population(PROFILES[profile], JUDGED["gaussian"], plan.streams, 1, rng)
        fault = FAULTS[named] if isinstance(named, str) else named
        runs.append(
            watch(plan, population, days, anchored=False, first=start.toordinal(), fault=fault, fault_day=day)
        )
    for together in zip(*runs, strict=True):
        date = dt.date.fromordinal(together[0][0].number)
        lines = (
            line
            for model, (day, _, _) in zip(models, together, strict=True)
            for line in _lines_of(plan, model, date, day)
        )
        yield date, list(lines)


def _lines_of(plan: SuitePlan, model: str, date: dt.date, day: SyntheticDay) -> Iterator[DailyScore]:
    """A line for each use case of one model's day."""
    for at, (use_case, grading, (base, full)) in enumerate(
        zip(plan.streams.use_cases, plan.gradings, plan.samples, strict=True)
    ):
        gap = bool(np.isnan(day.score[0, at]))
        per_sample = len(plan.streams.cases) // max(1, len(plan.streams.deterministic)) or 5
        own = {}
        if grading == "deterministic" and not gap:
            place = int(np.flatnonzero(plan.streams.deterministic == at)[0])
            own = {
                plan.streams.cases[case]: round(float(day.cases[0, case]), 4)
                for case in np.flatnonzero(plan.streams.home == place)
            }
        trigger = (
            "the base score met the suspicious test" if day.rerun[0, at] else TRIGGERS[day.trigger[0, at]]
        )
        full_power = bool(day.full_power[0, at])
        yield DailyScore(
            date=date.isoformat(),
            model=model,
            use_case=use_case,
            grading=grading,
            suite_version=plan.manifest.version,
            score=None if gap else round(float(day.score[0, at]), 4),
            base_score=None if gap else round(float(day.base[0, at]), 4),
            n=0 if gap else per_sample * (full if full_power else base),
            base_n=0 if gap else per_sample * base,
            errored=per_sample * base if gap else 0,
            full_power=full_power and not gap,
            trigger=None if gap else trigger,
            judged_share=JUDGED_SHARE[grading] if grading == "hybrid" else None,
            cases=own,
            barred=day.barred and grading != "deterministic",
            gap="The provider did not answer: every sample errored." if gap else None,
            routing_changed=day.route == AWAY,
            route=ROUTES[day.route],
            providers={ROUTES[day.route]: per_sample * base},
        )


def case_chances(
    profile: Profile,
    cases: Mapping[str, Sequence[str]],
    days: int,
    seed: int,
    *,
    fault: SimulatedFault | None = None,
    fault_day: int = 0,
) -> list[dict[str, float]]:
    """For each day of one simulated model: case → the chance of a good answer. `cases`: use case → its
    cases."""
    streams = streams_of(cases)
    population = Population(profile, JUDGED[profile.judged], streams, 1, np.random.default_rng(seed))
    made = []
    for day in range(days):
        chances = population.day(fault, day - fault_day).cases[0].tolist()
        made.append(dict(zip(streams.cases, chances, strict=True)))
    return made


def name_cases(line: DailyScore, use_case: UseCase, rng: np.random.Generator) -> DailyScore:
    """The line with the cases of a suite. The cases of a judged use case are drawn around its score."""
    shares = list(line.cases.values())
    if line.score is not None and not shares:
        noise = rng.normal(0, 0.04, len(use_case.cases))
        shares = np.clip(line.score / 100 + noise - noise.mean(), 0, 1).round(4).tolist()
    named = dict(zip((case.id for case in use_case.cases), shares, strict=False))
    return msgspec.structs.replace(line, cases=named)


def draw_samples(
    line: DailyScore, suite: DailySuite, rng: np.random.Generator, write_answer: WriteAnswer
) -> tuple[DailyScore, list[tuple[SampleAnswer, SampleGrade]]]:
    """Answers and grades that fit a line, and the line with the score of these samples."""
    samples = list(_samples(line, suite, rng, write_answer))
    if line.score is None or not samples:
        return line, samples
    scores: dict[str, list[float]] = {}
    for _, grade in samples:
        scores.setdefault(grade.case, []).append(grade.score)
    mean = float(np.mean([np.mean(each) for each in scores.values()]))
    return msgspec.structs.replace(line, score=round(100 * mean, 4), n=len(samples)), samples


def _samples(
    line: DailyScore, suite: DailySuite, rng: np.random.Generator, write_answer: WriteAnswer
) -> Iterator[tuple[SampleAnswer, SampleGrade]]:
    use_case = suite.use_cases[line.use_case]
    per_case = use_case.full_samples if line.full_power else use_case.base_samples
    level = (line.score if line.score is not None else 0.0) / 100
    common: dict[str, Any] = {
        "timestamp": f"{line.date}T06:0{len(use_case.id) % 10}:00.000Z",
        "date": line.date,
        "suite_version": suite.version,
        "use_case": use_case.id,
        "model": line.model,
        "round": "full" if line.full_power else "base",
    }
    cases = [case for case in use_case.cases if case.id in line.cases] or list(use_case.cases)
    for case, row in zip(cases, _draw_values(line, len(cases), per_case, level, rng), strict=True):
        for sample, value in enumerate(row.tolist()):
            yield (
                SampleAnswer(
                    **common,
                    case=case.id,
                    sample=sample,
                    prompt=case.prompt,
                    system=case.system,
                    after=case.after,
                    response=None if line.gap else write_answer(use_case, line, value, sample),
                    tokens_in=len(case.prompt) // 4,
                    tokens_out=0 if line.gap else int(rng.integers(80, 400)),
                    latency_ms=float(rng.integers(500, 1600)),
                    provider=None if line.gap else line.route,
                    resolved_model=f"{line.model}-2026-01-01",
                    finish_reason=None if line.gap else "stop",
                    cost=None if line.gap else float(np.round(rng.uniform(1e-5, 4e-4), 7)),
                    error=OUTAGE if line.gap else None,
                ),
                _grade(common, use_case, line, case.id, sample, value),
            )


def _draw_values(
    line: DailyScore, cases: int, per_case: int, level: float, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    """[cases, samples], 0–1. The evidence bets on the first sample of a case; the others make up the mean."""
    values = rng.normal(0, 0.05, (cases, per_case))
    values += level - values.mean()
    if line.cases:
        values[:, 0] = list(line.cases.values())
        if per_case > 1:
            values[:, 1:] += level - values.mean() if line.full_power else 0.0
    return np.clip(values, 0, 1).round(4)


def _grade(
    common: dict[str, Any], use_case: UseCase, line: DailyScore, case: str, sample: int, value: float
) -> SampleGrade:
    asked = line.gap is None
    weight = use_case.checked_weight
    marks = {}
    if use_case.rubric is not None and asked:
        mark = round(1 + 4 * value)
        marks = {
            each.id: {"mark": mark, "reason": f"Simulated: reads like a {mark} by its anchor."}
            for each in use_case.rubric.criteria
        }
    parts = [
        {"name": name, "score": value, "weight": 1.0, "detail": "simulated"}
        for name in ("form", "content")
        if weight
    ]
    breakdown = {
        "use_case": use_case.id,
        "checked": value if weight and asked else None,
        "judged": value if weight < 1 and asked else None,
        "parts": parts if asked else [],
        "penalty": 0.0,
        "marks": marks,
        "note": "SIMULATED",
    }
    return SampleGrade(
        **common,
        case=case,
        sample=sample,
        level_a=asked,
        level_b=asked and value > 0,
        level_c=asked and value >= 1,
        correct=asked and value >= 1,
        error_type=None if asked else "api_error",
        error_detail=None if asked else OUTAGE,
        score=value if asked else 0.0,
        breakdown=breakdown,
        grader_version=GRADER,
    )
