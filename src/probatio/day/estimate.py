"""What a day is expected to cost: its samples and the judge's replies, for base samples alone and at full count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from probatio.ask.prices import cost_of
from probatio.day.preparation import PreparedDay
from probatio.judge.asking import judge_model
from probatio.judge.calibration import calibration_set
from probatio.judge.protocol import judge_prompt
from probatio.records import Model
from probatio.run.estimate import estimate, machine_time
from probatio.suite.daily_suite import DailySuite, JudgeEntry, UseCase
from probatio.suite.prompt import CHARACTERS_PER_TOKEN

ANSWER_SHARE = 0.4
"""What a typical answer takes of its use case's max_tokens; an estimate is labelled as one."""

JUDGE_TOKENS = 40
"""What the judge writes for one criterion: its name, its mark and a sentence."""

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class Expected(msgspec.Struct, frozen=True):
    """Samples, dollars (None where the price is not known) and seconds (of an embedded model) of one model."""

    model: str
    base: int
    full: int
    cost_base: float | None
    cost_full: float | None
    seconds_full: float | None = None


class ExpectedJudge(msgspec.Struct, frozen=True):
    """The judge's replies on every model's samples and on its calibration set; None where its price is not known."""

    name: str
    cost_base: float | None
    cost_full: float | None


class ExpectedDay(msgspec.Struct, frozen=True):
    """What a day is expected to come to; `judge` is None where nothing is judged."""

    models: tuple[Expected, ...]
    judge: ExpectedJudge | None

    @property
    def at_most(self) -> float:
        """US dollars with every use case at full count, as far as prices are known."""
        costs = [model.cost_full for model in self.models] + [self.judge.cost_full if self.judge else None]
        return sum(cost for cost in costs if cost is not None)


def expected_day(prepared: PreparedDay, *, measure: bool = False) -> ExpectedDay:
    models, use_cases = prepared.record.models, prepared.use_cases
    judge = _judge(prepared.suite, use_cases, len(models), prepared.priced) if prepared.judged else None
    return ExpectedDay(tuple(_model(model, use_cases, measure=measure) for model in models), judge)


def _model(model: Model, use_cases: Sequence[UseCase], *, measure: bool) -> Expected:
    counts, costs = [], []
    seconds = None
    for full in (False, True):
        samples, characters, tokens_out = 0, 0, 0.0
        for use_case in use_cases:
            count = use_case.full_samples if full else use_case.base_samples
            samples += count * len(use_case.cases)
            characters += count * sum(len(case.prompt) for case in use_case.cases)
            tokens_out += count * len(use_case.cases) * use_case.max_tokens * ANSWER_SHARE
        counts.append(samples)
        costs.append(estimate(model, characters, tokens_out).cost)
        if full:
            # The samples of a case follow each other, and their prompt is read once.
            once = sum(len(case.prompt) for use_case in use_cases for case in use_case.cases)
            seconds = machine_time(model, characters if model.reproducible else once, tokens_out, measure=measure)
    return Expected(model.id, counts[0], counts[1], costs[0], costs[1], seconds)


def _judge(suite: DailySuite, use_cases: Iterable[UseCase], models: int, priced: Iterable[Model]) -> ExpectedJudge:
    entry = suite.manifest.judge
    price = judge_price(entry, priced)
    frozen_in = frozen_out = 0.0
    for item in calibration_set(suite):
        rubric = suite.use_cases[item.use_case].rubric
        assert rubric is not None  # the loader has seen to it
        frozen_in += len(judge_prompt(suite.cases[item.case], rubric, item.answer)) / CHARACTERS_PER_TOKEN
        frozen_out += JUDGE_TOKENS * len(rubric.criteria)
    costs = []
    for full in (False, True):
        tokens_in, tokens_out = frozen_in, frozen_out
        for use_case in use_cases:
            if use_case.rubric is None:
                continue
            count = models * (use_case.full_samples if full else use_case.base_samples)
            asked = sum(len(judge_prompt(case, use_case.rubric, "")) for case in use_case.cases) / CHARACTERS_PER_TOKEN
            tokens_in += count * (asked + len(use_case.cases) * use_case.max_tokens * ANSWER_SHARE)
            tokens_out += count * len(use_case.cases) * JUDGE_TOKENS * len(use_case.rubric.criteria)
        costs.append(None if price is None else cost_of(price, round(tokens_in), round(tokens_out)))
    return ExpectedJudge(entry.name, costs[0], costs[1])


def judge_price(entry: JudgeEntry, priced: Iterable[Model]) -> Model | None:
    """The judge with the price of the listed model of its name; a dated version costs what its model costs."""
    plain = _DATED.sub("", entry.name)
    listed = {model.name: model for model in priced if model.cost_per_1m_input is not None}
    if (known := listed.get(entry.name) or listed.get(plain)) is None:
        return None
    return msgspec.structs.replace(
        judge_model(entry), cost_per_1m_input=known.cost_per_1m_input, cost_per_1m_output=known.cost_per_1m_output
    )
