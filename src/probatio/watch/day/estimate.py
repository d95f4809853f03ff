"""What a day is expected to cost: its samples and the judge's replies, for base samples alone and at full
count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from probatio.ask.prices import cost_of
from probatio.core.records import Model
from probatio.grading.judge.asking import judge_model
from probatio.grading.judge.calibration import calibration_set, question_of
from probatio.grading.judge.protocol import judge_prompt
from probatio.runs.consent import Estimate
from probatio.runs.estimate import Load, weigh
from probatio.suites.daily_suite import DailySuite, JudgeEntry, UseCase
from probatio.suites.prompt import CHARACTERS_PER_TOKEN
from probatio.watch.day.forms import describe_form

if TYPE_CHECKING:
    from probatio.watch.day.preparation import PreparedDay

ANSWER_SHARE = 0.4
"""What a typical answer takes of its use case's max_tokens; an estimate is labelled as one."""

JUDGE_TOKENS = 40
"""What the judge writes for one criterion: its name, its mark and a sentence."""

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class ModelEstimate(msgspec.Struct, frozen=True):
    """What one model is expected to need: samples, dollars (None if the price is unknown), and seconds if it
    is embedded."""

    model: str
    base: int
    full: int
    cost_base: float | None
    cost_full: float | None
    form: str | None = None  # in words, where it is not the whole suite
    seconds_full: float | None = None


class JudgeEstimate(msgspec.Struct, frozen=True):
    """The cost of the judge's replies on all samples and on its calibration set; None if its price is
    unknown."""

    name: str
    cost_base: float | None
    cost_full: float | None


class DayEstimate(msgspec.Struct, frozen=True):
    """What a day is expected to need. `judge` is None if nothing is judged."""

    models: tuple[ModelEstimate, ...]
    judge: JudgeEstimate | None

    @property
    def estimate(self) -> Estimate:
        """The estimate with every use case at full count."""
        costs = [model.cost_full for model in self.models] + [self.judge.cost_full if self.judge else None]
        return Estimate(
            sum(cost for cost in costs if cost is not None),
            {model.model: model.seconds_full for model in self.models if model.seconds_full is not None},
        )


def estimate_day(prepared: PreparedDay, *, measure: bool = False) -> DayEstimate:
    asked, forms = prepared.asked, prepared.record.forms
    judged = [use_case for own in asked.values() for use_case in own if use_case.judged_cases]
    judge = _estimate_judge(prepared.suite, judged, prepared.priced) if judged else None
    said = {model: describe_form(form, prepared.suite) for model, form in forms.items()}
    models = (
        _estimate_model(model, asked[model.id], said.get(model.id), measure=measure)
        for model in prepared.record.models
    )
    return DayEstimate(tuple(models), judge)


def _estimate_model(
    model: Model, use_cases: Sequence[UseCase], form: str | None, *, measure: bool
) -> ModelEstimate:
    base = weigh(model, _load(model, use_cases, full=False), measure=False)
    full = weigh(model, _load(model, use_cases, full=True), measure=measure)
    return ModelEstimate(model.id, base.trials, full.trials, base.cost, full.cost, form, full.seconds)


def _load(model: Model, use_cases: Sequence[UseCase], *, full: bool) -> Load:
    samples, characters, once, tokens_out = 0, 0, 0, 0.0
    for use_case in use_cases:
        count = use_case.full_samples if full else use_case.base_samples
        length = sum(len(text) for case in use_case.asked for text in case.written)
        said = sum(len(case.earlier or ()) for case in use_case.asked) * use_case.max_tokens * ANSWER_SHARE
        length += round(said * CHARACTERS_PER_TOKEN)  # its own answers, which it is shown again
        samples += count * len(use_case.asked)
        characters += count * length
        once += length
        tokens_out += count * len(use_case.asked) * use_case.max_tokens * ANSWER_SHARE
    # The samples of a case follow each other, and their prompt is read once.
    return Load(samples, characters, characters if model.reproducible else once, tokens_out)


def _estimate_judge(suite: DailySuite, judged: Iterable[UseCase], priced: Iterable[Model]) -> JudgeEstimate:
    """`judged`: the use cases that a judge marks, once for each model that is asked them."""
    entry = suite.manifest.judge
    price = find_judge_price(entry, priced)
    frozen_in = frozen_out = 0.0
    for item in calibration_set(suite):
        case, rubric = question_of(suite, item)
        frozen_in += len(judge_prompt(case, rubric, item.answer)) / CHARACTERS_PER_TOKEN
        frozen_out += JUDGE_TOKENS * len(rubric.criteria)
    costs = []
    for full in (False, True):
        tokens_in, tokens_out = frozen_in, frozen_out
        for use_case in judged:
            count = use_case.full_samples if full else use_case.base_samples
            for case in use_case.cases:
                if (marked_by := use_case.rubric_of(case)) is not None:
                    asked = len(judge_prompt(case, marked_by, "")) / CHARACTERS_PER_TOKEN
                    tokens_in += count * (asked + use_case.max_tokens * ANSWER_SHARE)
                    tokens_out += count * JUDGE_TOKENS * len(marked_by.criteria)
        costs.append(None if price is None else cost_of(price, round(tokens_in), round(tokens_out)))
    return JudgeEstimate(entry.name, costs[0], costs[1])


def find_judge_price(entry: JudgeEntry, priced: Iterable[Model]) -> Model | None:
    """The judge with the price of the listed model of the same name. A dated version costs the same as its
    model."""
    plain = _DATED.sub("", entry.name)
    listed = {model.name: model for model in priced if model.cost_per_1m_input is not None}
    if (known := listed.get(entry.name) or listed.get(plain)) is None:
        return None
    return msgspec.structs.replace(
        judge_model(entry),
        cost_per_1m_input=known.cost_per_1m_input,
        cost_per_1m_output=known.cost_per_1m_output,
    )
