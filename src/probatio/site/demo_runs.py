"""Runs of the demo: two simulated models that learn three languages, asked with the suites' own prompts. Nobody answers them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from probatio import __version__
from probatio.records import ErrorType, Grade, Model, Response, Sampling, Task
from probatio.run.plan import Plan
from probatio.run.record import RunRecord, write_run
from probatio.store.layout import ANSWERS, GRADES
from probatio.suite.language_suite import BUILT_IN, Suite, built_in_suites, load_suite
from probatio.suite.prompt import asked_fingerprint, render

SEED = 11
GRADER = "simulated"
TASKS = 12
"""Of each suite, evenly spread. Prompts with a whole grammar are long: all tasks would be tens of megabytes."""
N_SHOTS = (0, 3)
CHARACTERS_PER_TOKEN = 3.6
DOLLARS_PER_TOKEN_OUT = 4.0  # times the price of one that is read


class Learner(NamedTuple):
    """A simulated model: how well it does with 300 tokens of teaching, what each e-fold more is worth, and its price."""

    start: float  # log odds
    gain: float
    dollars_per_million: float


LEARNERS = {
    "demo-quick-study": Learner(0.6, 1.2, 3.0),
    "demo-slow-study": Learner(-1.2, 0.7, 0.25),
}
LANGUAGES = dict(zip(built_in_suites(), (0.0, 0.5, -0.4), strict=False))
"""Built-in suite → how much easier its language is, in log odds."""
DIALECT_COST = 0.8
"""What a dialect other than the first costs, in log odds."""
STEP_COST = 0.9
"""What a step of difficulty costs, in log odds."""
ERRORS: tuple[ErrorType, ...] = ("syntax_error", "type_error", "runtime_error", "wrong_output")


def fill_runs(results: Path, last: dt.date) -> list[str]:
    """Write one run per language, begun on `last`; gives their names."""
    return [_fill_run(results, name, ease, last) for name, ease in LANGUAGES.items()]


def _fill_run(results: Path, name: str, ease: float, last: dt.date) -> str:
    suite = load_suite(BUILT_IN / name)
    run, rng = f"demo-{name}", np.random.default_rng([SEED, *name.encode()])
    tasks = list(suite.tasks)[:: max(1, len(suite.tasks) // TASKS)][:TASKS]
    dialects = suite.language.dialects[:2]
    record = RunRecord(
        run_id=run,
        created=f"{last.isoformat()}T06:00:00.000Z",
        framework_version=__version__,
        git_sha=None,
        suite=name,
        suite_name=suite.name,
        suite_version=suite.version,
        suite_fingerprint=asked_fingerprint(suite, GRADER, dialects),
        grader_version=GRADER,
        plan=Plan(tuple(LEARNERS), tuple(dialects), tuple(suite.contexts), N_SHOTS, tuple(tasks)),
        models=tuple(
            Model(id=model, name=model, cost_per_1m_input=learner.dollars_per_million)
            for model, learner in LEARNERS.items()
        ),
        sampling=Sampling(),
        max_connections=1,
        config="simulated",
    )
    write_run(results / run, record)
    encoder = msgspec.json.Encoder()
    with (results / run / ANSWERS).open("wb") as answers, (results / run / GRADES).open("wb") as grades:
        for response, grade in _trials(suite, record, ease, rng):
            answers.write(encoder.encode(response) + b"\n")
            grades.write(encoder.encode(grade) + b"\n")
    return run


def _trials(suite: Suite, record: RunRecord, ease: float, rng: np.random.Generator) -> Iterator[tuple[Response, Grade]]:
    plan = record.plan
    for number in range(len(plan)):
        key = plan[number]
        task, learner = suite.task(key.task_id, key.dialect), LEARNERS[key.model]
        prompt = render(suite, task, key.context, key.n_shot, key.dialect)
        tokens, written = round(len(prompt) / CHARACTERS_PER_TOKEN), int(rng.integers(30, 160))
        odds = learner.start + ease + learner.gain * log(tokens / 300) - STEP_COST * (_step(task) - 1)
        odds -= DIALECT_COST * (key.dialect != plan.dialects[0])
        right = bool(rng.random() < 1 / (1 + exp(-odds)))
        error = None if right else ERRORS[int(rng.integers(len(ERRORS)))]
        through = len(ERRORS) if error is None else ERRORS.index(error)
        common: dict[str, Any] = {
            "timestamp": record.created,
            "run_id": record.run_id,
            "framework_version": record.framework_version,
            "task_id": key.task_id,
            "model": key.model,
            "n_shot": key.n_shot,
            "dialect": key.dialect,
            "context": key.context,
            "sample": key.sample,
        }
        price = learner.dollars_per_million / 1e6
        yield (
            Response(
                **common,
                prompt=prompt,
                response=f"SIMULATED answer of {key.model}, no model was asked. It is {'right' if right else 'wrong'}.",
                tokens_in=tokens,
                tokens_out=written,
                latency_ms=float(rng.integers(400, 1500)),
                finish_reason="stop",
                provider="Simulated",
                cost=round(price * (tokens + DOLLARS_PER_TOKEN_OUT * written), 7),
            ),
            Grade(
                **common,
                level_a=through > 1,
                level_b=through > 2,
                level_c=right,
                correct=right,
                error_type=error,
                error_detail=None if right else "Simulated.",
                score=float(right),
                breakdown={"note": "SIMULATED"},
                grader_version=GRADER,
            ),
        )


def _step(task: Task) -> int:
    return task.difficulty if isinstance(task.difficulty, int) else 2
