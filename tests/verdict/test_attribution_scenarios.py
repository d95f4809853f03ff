"""Attribution on noisy days, made by the code that scores real ones: how often each kind of fall is put down to its true cause.

Four models of three vendors behind two providers, three deterministic use cases and a judged one. Twenty healthy days, then a
fall; the verdict of its second day is looked at, where it is flagged. Answers have a length in tokens: a server that cuts them
short takes the long ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from probatio.day.samples import GradedLine, Sample, ServedLine
from probatio.day.scoring import DayFacts, ModelFacts, scores_of
from probatio.records import Calibration, DailyScore, Day, DayRecord, Model, Sampling
from probatio.suite.daily_suite import Case, DailySuite, Rubric, UseCase, constants_of, read_manifest
from probatio.verdict.days import Days, suite_of
from probatio.verdict.expectation import Expectation
from probatio.verdict.verdicts import verdicts

MANIFEST = read_manifest()
CONSTANTS = constants_of(MANIFEST)
HEALTHY, RUNS, LIMIT = 20, 20, 900
FIRST = date(2026, 1, 1)
HOSTS = {"openai/x": "P", "mistral/y": "P", "qwen/z": "P", "meta/w": "Q", "qwen/v": "Q"}


def _use_case(name: str, grading: str, cases: int) -> UseCase:
    return UseCase(
        id=name, title=name, grading=grading, base_samples=1, full_samples=1, max_tokens=LIMIT, checked_weight=1.0,  # type: ignore[arg-type]
        cases=tuple(Case(f"{name}_{n}", "?", name) for n in range(cases)), rubric=Rubric(()), folder=Path(),
    )  # fmt: skip


USE_CASES = (*(_use_case(name, "deterministic", 12) for name in "abc"), _use_case("j", "judge", 5))
SUITE = DailySuite(Path(), MANIFEST, {each.id: each for each in USE_CASES})


@dataclass(frozen=True)
class Served:
    """How one model answers on a day."""

    host: str
    skill: float = 0.92  # mean credit of an answer
    resolved: str = "same"  # the name its server gives
    marks: float = 0.85  # mean mark of the judge, 0–1
    length: float = 240.0  # median tokens of an answer
    rambles: float = 0.0  # share of answers that never end, and run into our own limit
    cut_at: int | None = None  # the server's own limit
    latency: float = 1000.0


Fall = Callable[[str, Served], Served]


def _samples(served: Served, chance: np.random.Generator) -> list[Sample]:
    made = []
    for use_case in SUITE.use_cases.values():
        for case in use_case.cases:
            judged = use_case.grading == "judge"
            score = float(np.clip(chance.normal(served.marks if judged else served.skill, 0.05), 0, 1))
            tokens, finish = int(chance.lognormal(np.log(served.length), 0.2)), "stop"
            if chance.random() < served.rambles:
                tokens, finish, score = LIMIT, "length", 0.0
            if served.cut_at is not None and tokens > served.cut_at:
                tokens, finish, score = served.cut_at, "length", 0.0
            key = (case.id, "m", 0, "base", "none", 0)
            line = ServedLine(
                *key, tokens_in=100, tokens_out=tokens, latency_ms=served.latency * chance.lognormal(0, 0.1),
                finish_reason=finish, provider=served.host, resolved_model=served.resolved,
            )  # fmt: skip
            parts = {"checked": None if judged else score, "judged": score if judged else None}
            made.append(Sample(line, GradedLine(*key, level_a=True, score=score, breakdown=parts)))
    return made


def _day(number: int, fleet: dict[str, Served], before: list[Day], chance: np.random.Generator, shift: float) -> Day:
    when = (FIRST + timedelta(days=number)).isoformat()
    record = DayRecord(
        date=when, created=when, suite_version=MANIFEST.version, suite_fingerprint="x", grader_version="x",
        models=tuple(Model(id=model, name=model) for model in fleet), sampling=Sampling(),
        calibration=Calibration(judge="judge", shift=shift),
    )  # fmt: skip
    past = Expectation(Days(before), CONSTANTS, suite_of(record), when) if number >= HEALTHY else None
    lines: list[DailyScore] = []
    for model, served in fleet.items():
        usual = {each.id: past.usual_cases(model, each.id, each.grading) for each in SUITE.use_cases.values() if past}
        facts = ModelFacts(Model(id=model, name=model), usual_route=HOSTS[model], usual_cases=usual)
        found = scores_of(
            SUITE, list(SUITE.use_cases.values()), _samples(served, chance), DayFacts(when, MANIFEST.version), facts
        )
        lines += [msgspec.structs.replace(each, full_power=True) for each in found]
    return Day(record, tuple(lines))


def _causes(fall: Fall, model: str = "openai/x") -> Counter[str]:
    """What is blamed for the model's fall, over the runs in which it is flagged."""
    found: Counter[str] = Counter()
    for run in range(RUNS):
        chance = np.random.default_rng(run)
        healthy = {name: Served(host) for name, host in HOSTS.items()}
        fallen = {name: fall(name, served) for name, served in healthy.items()}
        days: list[Day] = []
        for number in range(HEALTHY + 2):
            days.append(_day(number, healthy if number < HEALTHY else fallen, days, chance, 0.0))
        (verdict,) = verdicts(Days(days), CONSTANTS, dates={days[-1].date}, models=[model])
        if verdict.cause:
            found[verdict.cause] += 1
    return found


def _only(model: str, **changes: Any) -> Fall:
    return lambda name, served: replace(served, **changes) if name == model else served


SCENARIOS: dict[str, tuple[str, float, Fall]] = {
    "a worse model": ("MODEL", 1.0, _only("openai/x", skill=0.6)),
    "a worse model that rambles": ("MODEL", 0.95, _only("openai/x", skill=0.8, rambles=0.3)),
    "a worse model that is shorter": ("MODEL", 0.95, _only("openai/x", skill=0.6, length=120.0)),
    "a worse model that is longer": ("MODEL", 0.95, _only("openai/x", skill=0.6, length=480.0)),
    "a worse model that is faster": ("MODEL", 0.95, _only("openai/x", skill=0.6, latency=400.0)),
    "a worse model that is slower": ("MODEL", 0.95, _only("openai/x", skill=0.6, latency=3000.0)),
    "a server that cuts at 320 tokens": ("INFRA", 0.75, _only("openai/x", cut_at=320)),
    "a server that cuts at 280 tokens": ("INFRA", 0.75, _only("openai/x", cut_at=280)),
    "three vendors behind one provider": (
        "ROUTE", 0.95, lambda name, served: replace(served, skill=0.5) if served.host == "P" else served,
    ),
    "the harness": ("HARNESS", 0.95, lambda name, served: replace(served, skill=0.5)),
    "a judge harsher to all": ("JUDGE", 0.75, lambda name, served: replace(served, marks=0.55)),
    "another build behind the name": ("ROUTE", 0.95, _only("openai/x", skill=0.5, resolved="other")),
}  # fmt: skip
"""What happens → the true cause, and how often at least it is to be named."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_true_cause_is_named(name: str) -> None:
    cause, share, fall = SCENARIOS[name]
    found = _causes(fall)
    print(f"{name}: {cause} in {found[cause]} of {found.total()} flagged runs; {dict(found)}")
    assert found.total() >= RUNS / 2
    assert found[cause] >= share * found.total(), found
