"""Made-up days for the watch's tests: a few numbers in, the rule's words out; and whole results folders on
disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from probatio.core.records import (
    Calibration,
    DailyScore,
    Day,
    DayRecord,
    Grading,
    Model,
    RuleConstants,
    Sampling,
)
from probatio.suites.daily_suite import constants_of, read_manifest
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.rule.baseline import rule_for
from probatio.watch.verdict.rule.model_status import STATUSES
from probatio.watch.verdict.rule.rule import UNKNOWN, RuleOutcome, rule_day, start, step

MANIFEST = read_manifest()
CONSTANTS = constants_of(MANIFEST)
RULE = MANIFEST.rule
FIRST = date(2026, 1, 1)


class D(NamedTuple):
    """One day of one model in one use case."""

    score: float | None
    full: bool = True
    barred: bool = False
    route: int = UNKNOWN
    mixed: bool = False
    version: int = 0
    after: int = 1  # days since the day before


def fold_rule(
    days: Iterable[D | float | None], grading: Grading = "deterministic", constants: RuleConstants = RULE
) -> list[RuleOutcome]:
    """The rule over one model's one use case."""
    rule = rule_for(constants, [grading])
    state, outcomes, number = start(rule, 1), [], FIRST.toordinal() - 1
    for each in days:
        day = each if isinstance(each, D) else D(each)
        number += day.after
        now = rule_day(
            number,
            [[np.nan if day.score is None else day.score]],
            full_power=day.full,
            barred=day.barred,
            route=day.route,
            mixed=day.mixed,
            version=day.version,
        )
        state, outcome = step(rule, state, now)
        outcomes.append(outcome)
    return outcomes


def statuses(days: Iterable[D | float | None], grading: Grading = "deterministic") -> list[str]:
    return [STATUSES[outcome.status[0, 0]] for outcome in fold_rule(days, grading)]


def last(days: Iterable[D | float | None], grading: Grading = "deterministic") -> str:
    return statuses(days, grading)[-1]


def line(day: str, model: str, use_case: str, score: float | None, **more: Any) -> DailyScore:
    """A line of scores; its cases follow the score."""
    grading: Grading = more.pop("grading", "deterministic")
    fields: dict[str, Any] = {
        "base_score": score,
        "n": 5 if score is not None else 0,
        "base_n": 5 if score is not None else 0,
        "full_power": True,
        "cases": {} if score is None else {f"{use_case}_{number}": score / 100 for number in range(5)},
        "gap": None if score is not None else "every sample errored: connection refused",
        "route": "Host",
        "providers": {"Host": 5},
        "resolved_models": {f"{model}-2026": 5},
        "fingerprints": {"fp_1": 5},
        "latency_ms": 1000.0 if score is not None else None,
        "tokens_in": 1000,
        "tokens_out": 500,
        **more,
    }
    return DailyScore(
        date=day,
        model=model,
        use_case=use_case,
        grading=grading,
        suite_version=MANIFEST.version,
        score=score,
        **fields,
    )


def record(day: str, names: Sequence[str], **more: Any) -> DayRecord:
    """A day's record; a model `x/y` is of the vendor x."""
    fields: dict[str, Any] = {
        "created": f"{day}T03:00:00.000Z",
        "suite_version": MANIFEST.version,
        "suite_fingerprint": "made up",
        "grader_version": "made up",
        "models": tuple(Model(id=model, name=model) for model in names),
        "sampling": Sampling(),
        "calibration": Calibration(judge="judge", shift=0.0),
        **more,
    }
    return DayRecord(date=day, **fields)


def day_at(number: int) -> str:
    return (FIRST + timedelta(days=number)).isoformat()


def made_up_day(
    number: int,
    scores: Mapping[str, Mapping[str, float | None]],
    more: Mapping[str, Any] | None = None,
    **of_day: Any,
) -> Day:
    """Day `number` from model → use case → score; `more` goes into every line. A use case called j… is
    judged."""
    day = day_at(number)
    version = of_day.get("suite_version", MANIFEST.version)
    lines = [
        msgspec.structs.replace(
            line(
                day,
                model,
                use_case,
                score,
                grading="judge" if use_case.startswith("j") else "deterministic",
                **(more or {}),
            ),
            suite_version=version,
        )
        for model, theirs in scores.items()
        for use_case, score in theirs.items()
    ]
    return Day(record(day, list(scores), **of_day), tuple(lines))


def steady(days: int, models: Sequence[str], use_cases: Sequence[str], score: float = 90.0) -> list[Day]:
    """So many days on which nothing happens."""
    return [
        made_up_day(number, {model: dict.fromkeys(use_cases, score) for model in models})
        for number in range(days)
    ]


def write_day(results: Path, day: Day) -> Path:
    folder = results / "daily" / day.date
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "day.json").write_bytes(msgspec.json.encode(day.record))
    (folder / "scores.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in day.scores))
    (folder / "raw_responses.jsonl").write_bytes(b"")
    (folder / "graded_results.jsonl").write_bytes(b"")
    return folder


def write_days(results: Path, days: Iterable[Day]) -> Days:
    kept = list(days)
    for day in kept:
        write_day(results, day)
    return Days(kept)
