"""Attribution on noisy days: how often each kind of fall is put down to its true cause, and that the days are real ones."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from probatio.day.samples import GradedLine, Sample, ServedLine
from probatio.day.scoring import DayFacts, ModelFacts, scores_of
from probatio.records import DailyScore, Grading, Model
from probatio.simulate.causes import KINDS, LIMIT, SCENARIOS, Answers, Served, answered, line_of, named
from probatio.suite.daily_suite import Case, DailySuite, Rubric, UseCase, read_manifest

MANIFEST = read_manifest()
RUNS = 15

LEAST = {"yes-no": {"JUDGE": 0.8, "INFRA": 0.6}, "ladders": {"JUDGE": 0.85, "INFRA": 0.9}}
"""The least share to be named rightly; elsewhere 0.95. Where yes/no cases scatter as much as the fault takes, nobody can tell."""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_true_cause_is_named(scenario: str, kind: str) -> None:
    figures = named(MANIFEST, scenario, kind, RUNS, 0)
    assert figures.flagged >= RUNS / 2
    assert figures.right.value >= LEAST.get(kind, {}).get(figures.cause, 0.95), figures


@pytest.mark.parametrize("served", [Served("P"), Served("P", cut_at=250), Served("P", rambles=0.4, resolved="other")])
@pytest.mark.parametrize("grading", ["deterministic", "judge"])
def test_a_simulated_line_is_the_one_the_day_would_have_made(served: Served, grading: Grading) -> None:
    chance = np.random.default_rng(4)
    answers = answered(served, "partial", grading, np.full(12, 0.5), chance)
    usual = {f"u_{number}": 0.9 for number in range(11)}  # one case was never scored before
    line = line_of("2026-01-21", MANIFEST.version, "openai/x", "u", grading, served, answers, usual)
    (real,) = _scored(served, grading, answers, usual)
    assert msgspec.structs.replace(real, full_power=True) == line


def _scored(served: Served, grading: Grading, answers: Answers, usual: dict[str, float]) -> list[DailyScore]:
    use_case = UseCase(
        id="u", title="u", grading=grading, base_samples=1, full_samples=1, max_tokens=LIMIT, checked_weight=1.0,
        cases=tuple(Case(f"u_{number}", "?", "u") for number in range(12)), rubric=Rubric(()), folder=Path(),
    )  # fmt: skip
    samples = []
    for number, score in enumerate(answers.scores.tolist()):
        key = (f"u_{number}", "openai/x", 0, "base", "none", 0)
        asked = ServedLine(
            *key, tokens_in=100, tokens_out=int(answers.tokens[number]), latency_ms=float(answers.latency[number]),
            finish_reason="length" if answers.truncated[number] else "stop", provider=served.host, resolved_model=served.resolved,
        )  # fmt: skip
        parts = {"checked": None if grading == "judge" else score, "judged": score if grading == "judge" else None}
        samples.append(Sample(asked, GradedLine(*key, level_a=True, score=score, breakdown=parts)))
    facts = ModelFacts(Model(id="openai/x", name="openai/x"), usual_route=served.host, usual_cases={"u": usual})
    suite = DailySuite(Path(), MANIFEST, {"u": use_case})
    return scores_of(suite, [use_case], samples, DayFacts("2026-01-21", MANIFEST.version), facts)
