"""Attribution measured: how often a fall is put down to its true cause, by the verdict's own code on made-up
days.

Five models of four vendors behind two providers. Twenty healthy days, then something happens; the verdict of
its second day is looked at, where the model is flagged. Answers have a length in tokens: a server that cuts
them short takes the long ones. The lines of a day are those that `day/scoring.py` makes of the same answers
(a test compares them).
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from statistics import fmean, median
from typing import Any

import msgspec
import numpy as np

from probatio.core.records import (
    Calibration,
    Cause,
    DailyScore,
    Day,
    DayRecord,
    Grading,
    Model,
    Sampling,
)
from probatio.suites.daily_suite import DailyManifest, constants_of
from probatio.watch.simulate.figures import Measured
from probatio.watch.simulate.simulator import measure_share
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence.streams import Bools, Floats, Ints
from probatio.watch.verdict.verdicts import verdicts

HEALTHY, FALLEN, LIMIT, USUAL = 20, 2, 900, 0.92
FIRST = date(2026, 1, 1)
HOSTS = {"openai/x": "P", "mistral/y": "P", "qwen/z": "P", "meta/w": "Q", "qwen/v": "Q"}
ASKED = "openai/x"  # whose verdict is read


@dataclass(frozen=True)
class ServedModel:
    """How one model answers on a day."""

    host: str
    skill: float = (
        USUAL  # mean credit of an answer; with ladders, its share of 0.92 is what is left of every level
    )
    resolved: str = "same"  # the name its server gives
    marks: float = 0.85  # mean mark of the judge, 0–1
    length: float = 240.0  # median tokens of an answer
    rambles: float = 0.0  # share of answers that never end, and run into our own limit
    cut_at: int | None = None  # the server's own limit
    latency: float = 1000.0


Fall = Callable[[str, ServedModel], ServedModel]


@dataclass(frozen=True)
class ScoreKind:
    """How deterministic cases are scored."""

    title: str
    use_cases: int
    cases: int  # of each
    scores: Callable[[float, Floats, np.random.Generator], Floats]  # skill, the cases' levels

    @property
    def shape(self) -> dict[str, tuple[Grading, int]]:
        """Use case → how it is graded, and how many cases it has."""
        checked: dict[str, tuple[Grading, int]] = {
            f"c{n}": ("deterministic", self.cases) for n in range(self.use_cases)
        }
        return {**checked, "j": ("judge", 5)}


RUNGS = 14


def _ladders(skill: float, levels: Floats, chance: np.random.Generator) -> Floats:
    reached = levels * skill / USUAL + chance.normal(0, 0.04, levels.shape)
    return np.asarray(np.clip(np.round(RUNGS * reached), 0, RUNGS) / RUNGS)


KINDS: dict[str, ScoreKind] = {
    "partial": ScoreKind(
        "partial credit",
        3,
        12,
        lambda skill, levels, chance: np.clip(chance.normal(skill, 0.05, levels.shape), 0, 1),
    ),
    "yes-no": ScoreKind(
        "yes/no cases at 92 %",
        3,
        12,
        lambda skill, levels, chance: np.asarray(chance.random(levels.shape) < skill, dtype=np.float64),
    ),
    "ladders": ScoreKind("ladders of 14 rungs", 5, 5, _ladders),
}


def _only(**changes: Any) -> Fall:
    return lambda name, served: replace(served, **changes) if name == ASKED else served


def _all(**changes: Any) -> Fall:
    return lambda name, served: replace(served, **changes)


SCENARIOS: dict[str, tuple[Cause, Fall]] = {
    "a worse model": ("MODEL", _only(skill=0.6)),
    "a worse model that rambles": ("MODEL", _only(skill=0.8, rambles=0.3)),
    "a worse model that is shorter": ("MODEL", _only(skill=0.6, length=120.0)),
    "a worse model that is longer": ("MODEL", _only(skill=0.6, length=480.0)),
    "a worse model that is faster": ("MODEL", _only(skill=0.6, latency=400.0)),
    "a worse model that is slower": ("MODEL", _only(skill=0.6, latency=3000.0)),
    "a worse model whose server begins to cut at 320 tokens": ("MODEL", _only(skill=0.6, cut_at=320)),
    "a server that cuts at 320 tokens": ("INFRA", _only(cut_at=320)),
    "a server that cuts at 280 tokens": ("INFRA", _only(cut_at=280)),
    "three vendors behind one provider": (
        "ROUTE",
        lambda name, served: replace(served, skill=0.5) if served.host == "P" else served,
    ),
    "the harness": ("HARNESS", _all(skill=0.5)),
    "a judge harsher to all": ("JUDGE", _all(marks=0.55)),
    "another build behind the name": ("ROUTE", _only(skill=0.5, resolved="other")),
}
"""What happens → the true cause."""


class NamedCauses(msgspec.Struct, frozen=True):
    """How often one kind of fall was put down to its true cause."""

    scenario: str
    kind: str  # a key of KINDS
    cause: Cause
    runs: int
    flagged: int  # runs in which there was something to explain
    right: Measured  # of these
    others: dict[str, int]  # cause → runs in which it was named instead


def name_causes(manifest: DailyManifest, scenario: str, kind: str, runs: int, seed: int) -> NamedCauses:
    """So many runs of one scenario. The healthy days of a run are the same in every scenario."""
    cause, fall = SCENARIOS[scenario]
    found: Counter[str] = Counter()
    for run in range(runs):
        days = days_of_run(manifest, kind, fall, [seed, zlib.crc32(kind.encode()), run])
        (verdict,) = verdicts(Days(days), constants_of(manifest), dates={days[-1].date}, models=[ASKED])
        if verdict.cause:
            found[verdict.cause] += 1
    right = np.arange(found.total()) < found[cause]
    others = {name: count for name, count in found.most_common() if name != cause}
    return NamedCauses(scenario, kind, cause, runs, found.total(), measure_share(right), others)


def days_of_run(manifest: DailyManifest, kind: str, fall: Fall, seed: Sequence[int]) -> list[Day]:
    """Healthy days, and the days after the fall."""
    levels, healthy, state = healthy_days(manifest, kind, tuple(seed))
    chance = np.random.default_rng()
    chance.bit_generator.state = state
    served = {model: fall(model, ServedModel(host)) for model, host in HOSTS.items()}
    made = list(healthy)
    for _ in range(FALLEN):
        made.append(_draw_day(manifest, kind, served, levels, made, chance))
    return made


Levels = Mapping[str, Mapping[str, Floats]]  # model → use case → of each case


def healthy_days(
    manifest: DailyManifest, kind: str, seed: tuple[int, ...]
) -> tuple[Levels, list[Day], Mapping[str, Any]]:
    """The days before a fall are the same whatever falls: how hard the cases are, the days, and the state of
    chance after them."""
    chance = np.random.default_rng(list(seed))
    counts = {use_case: many for use_case, (_, many) in KINDS[kind].shape.items()}
    levels = {
        model: {each: chance.uniform(0.2, 0.9, many) for each, many in counts.items()} for model in HOSTS
    }
    served = {model: ServedModel(host) for model, host in HOSTS.items()}
    made: list[Day] = []
    for _ in range(HEALTHY):
        made.append(_draw_day(manifest, kind, served, levels, made, chance))
    return levels, made, chance.bit_generator.state


def _draw_day(
    manifest: DailyManifest,
    kind: str,
    served: Mapping[str, ServedModel],
    levels: Levels,
    before: Sequence[Day],
    chance: np.random.Generator,
) -> Day:
    when = (FIRST + timedelta(days=len(before))).isoformat()
    lines: list[DailyScore] = []
    for model, each in served.items():
        usual = _usual(before, model) if each.cut_at is not None else {}
        for use_case, (grading, _) in KINDS[kind].shape.items():
            answers = draw_answers(each, kind, grading, levels[model][use_case], chance)
            lines.append(line_of(when, manifest.version, model, use_case, grading, each, answers, usual))
    record = DayRecord(
        date=when,
        created=when,
        suite_version=manifest.version,
        suite_fingerprint="simulated",
        grader_version="simulated",
        models=tuple(Model(id=model, name=model) for model in HOSTS),
        sampling=Sampling(),
        calibration=Calibration(judge="judge", shift=0.0),
    )
    return Day(record, tuple(lines))


@dataclass(frozen=True)
class SimulatedAnswers:
    """One sample of each case of a use case."""

    scores: Floats  # 0–1
    tokens: Ints
    truncated: Bools  # ended by a limit, ours or the server's
    latency: Floats

    @property
    def cut(self) -> Bools:
        """Below our own limit."""
        return self.truncated & (self.tokens < LIMIT)


def draw_answers(
    served: ServedModel, kind: str, grading: Grading, levels: Floats, chance: np.random.Generator
) -> SimulatedAnswers:
    many = len(levels)
    scores = KINDS[kind].scores(served.skill, levels, chance)
    if grading == "judge":
        scores = np.clip(chance.normal(served.marks, 0.05, many), 0, 1)
    tokens = chance.lognormal(np.log(served.length), 0.2, many).astype(np.int64)
    endless = chance.random(many) < served.rambles
    tokens = np.where(endless, LIMIT, tokens)
    cut = tokens > served.cut_at if served.cut_at is not None else np.zeros(many, dtype=bool)
    tokens = np.where(cut, served.cut_at or 0, tokens)
    latency = served.latency * chance.lognormal(0, 0.1, many)
    return SimulatedAnswers(np.where(endless | cut, 0.0, scores), tokens, endless | cut, latency)


def line_of(
    when: str,
    version: str,
    model: str,
    use_case: str,
    grading: Grading,
    served: ServedModel,
    answers: SimulatedAnswers,
    usual: Mapping[str, float],
) -> DailyScore:
    """The score without the answers cut below our limit, as the day's scoring computes it: such an answer
    counts as its case's usual score."""
    scores, many = answers.scores, len(answers.scores)
    score = round(100 * fmean(scores.tolist()), 4)
    ids = [f"{use_case}_{number}" for number in range(many)]
    cut = answers.cut.tolist()
    uncut = [
        usual[case] if lost else value
        for case, value, lost in zip(ids, scores.tolist(), cut, strict=True)
        if not lost or case in usual
    ]
    return DailyScore(
        date=when,
        model=model,
        use_case=use_case,
        grading=grading,
        suite_version=version,
        score=score,
        base_score=score,
        n=many,
        base_n=many,
        full_power=True,
        checked=None if grading == "judge" else score,
        judged=score if grading == "judge" else None,
        cases={case: round(value, 6) for case, value in zip(ids, scores.tolist(), strict=True)},
        answers={case: (("", round(value, 6)),) for case, value in zip(ids, scores.tolist(), strict=True)},
        providers={served.host: many},
        resolved_models={served.resolved: many},
        route=served.host,
        truncated=int(answers.truncated.sum()),
        latency_ms=round(median(answers.latency.tolist()), 1),
        tokens_in=100 * many,
        tokens_out=int(answers.tokens.sum()),
        cut=sum(cut),
        uncut_score=round(100 * fmean(uncut), 4) if sum(cut) and uncut else None,
    )


def _usual(days: Sequence[Day], model: str) -> dict[str, float]:
    """Case → its mean over the days of the baseline."""
    values: dict[str, list[float]] = {}
    for day in days[-14:]:
        for line in day.lines[model].values():
            for case, value in line.cases.items():
                values.setdefault(case, []).append(value)
    return {case: fmean(each) for case, each in values.items()}
