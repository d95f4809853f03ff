"""Attribution on noisy days: how often each kind of fall is put down to its true cause, and that the days are
real ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import causes
import msgspec
import numpy as np
import pytest
from causes import (
    KINDS,
    LIMIT,
    SCENARIOS,
    ServedModel,
    SimulatedAnswers,
    draw_answers,
    line_of,
    name_causes,
)

from probatio.core.records import DailyScore, Grading, Model
from probatio.suites.daily_suite import Case, DailySuite, UseCase, constants_of, read_manifest
from probatio.suites.rubrics import Rubric
from probatio.watch.day.samples import GradedLine, Sample, ServedLine
from probatio.watch.day.scoring import DayFacts, ModelFacts, score_model
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.verdicts import verdicts

MANIFEST = read_manifest()
RUNS = 15

LEAST = {"yes-no": {"JUDGE": 0.8, "INFRA": 0.6}, "ladders": {"JUDGE": 0.85, "INFRA": 0.9}}
"""The least share to be named rightly; elsewhere 0.95. Where yes/no cases scatter as much as the fault takes,
nobody can tell."""


@pytest.fixture(scope="module")
def kept_days() -> Iterator[None]:
    """Healthy days are drawn once for all scenarios of a kind."""
    kept = lru_cache(RUNS)(partial(causes.healthy_days, MANIFEST))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(causes, "healthy_days", lambda manifest, kind, seed: kept(kind, seed))
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("kept_days")
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_true_cause_is_named(scenario: str, kind: str) -> None:
    figures = name_causes(MANIFEST, scenario, kind, RUNS, 0)
    assert figures.flagged >= RUNS / 2
    assert figures.right.value >= LEAST.get(kind, {}).get(figures.cause, 0.95), figures


@pytest.mark.slow
def test_a_confirmed_fall_keeps_its_cause_while_the_baseline_follows_it_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Days 11 to 25 of a fall with another build behind the name: a later flag is no new fall."""
    monkeypatch.setattr(causes, "HEALTHY", 40)
    monkeypatch.setattr(causes, "FALLEN", 25)
    fall = SCENARIOS["another build behind the name"][1]

    def less(model: str, served: ServedModel) -> ServedModel:
        return replace(fall(model, served), skill=0.75 if model == causes.ASKED else served.skill)

    for seed in range(3):
        days = causes.days_of_run(MANIFEST, "ladders", less, [seed, 5])
        made = verdicts(
            Days(days), constants_of(MANIFEST), dates={day.date for day in days[50:]}, models=[causes.ASKED]
        )
        assert {verdict.evidence for verdict in made} == {"CONFIRMED"}
        assert {verdict.cause for verdict in made} == {"ROUTE"}


@pytest.mark.parametrize(
    "served",
    [ServedModel("P"), ServedModel("P", cut_at=250), ServedModel("P", rambles=0.4, resolved="other")],
)
@pytest.mark.parametrize("grading", ["deterministic", "judge"])
def test_a_simulated_line_is_the_one_the_day_would_have_made(served: ServedModel, grading: Grading) -> None:
    chance = np.random.default_rng(4)
    answers = draw_answers(served, "partial", grading, np.full(12, 0.5), chance)
    usual = {f"u_{number}": 0.9 for number in range(11)}  # one case was never scored before
    line = line_of("2026-01-21", MANIFEST.version, "openai/x", "u", grading, served, answers, usual)
    (real,) = _scored(served, grading, answers, usual)
    assert msgspec.structs.replace(real, full_power=True) == line


def _scored(
    served: ServedModel, grading: Grading, answers: SimulatedAnswers, usual: dict[str, float]
) -> list[DailyScore]:
    use_case = UseCase(
        id="u",
        title="u",
        grading=grading,
        base_samples=1,
        full_samples=1,
        max_tokens=LIMIT,
        checked_weight=1.0,
        cases=tuple(Case(f"u_{number}", "?", "u") for number in range(12)),
        rubric=Rubric(()),
        folder=Path(),
    )
    samples = []
    for number, score in enumerate(answers.scores.tolist()):
        key: dict[str, Any] = {"case": f"u_{number}", "model": "openai/x", "round": "base", "sample": 0}
        asked = ServedLine(
            **key,
            tokens_in=100,
            tokens_out=int(answers.tokens[number]),
            latency_ms=float(answers.latency[number]),
            finish_reason="length" if answers.truncated[number] else ("stop"),
            provider=served.host,
            resolved_model=served.resolved,
        )
        parts = {
            "checked": None if grading == "judge" else score,
            "judged": score if grading == "judge" else None,
        }
        samples.append(Sample(asked, GradedLine(**key, level_a=True, score=score, breakdown=parts)))
    facts = ModelFacts(
        Model(id="openai/x", name="openai/x"), usual_route=served.host, usual_cases={"u": usual}
    )
    suite = DailySuite(Path(), MANIFEST, {"u": use_case})
    return score_model(suite, [use_case], samples, DayFacts("2026-01-21", MANIFEST.version), facts)
