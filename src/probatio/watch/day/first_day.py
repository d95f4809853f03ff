"""A model's first day: check that the pinned provider serves it, and say what can't be judged yet.

Later days check no pin: if a provider drops a model, that is a gap of this model and must not end the whole
day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from probatio.ask.catalogue import (
    CatalogueSource,
    NoCatalogue,
    Offer,
    describe_not_served,
    list_models,
    list_offers,
    serves,
    source_of,
)
from probatio.ask.providers import provider_of
from probatio.ask.routes import missing_key
from probatio.core.clock import today
from probatio.core.errors import Say, UsageError
from probatio.core.records import Model
from probatio.core.records.constants import Constants
from probatio.grading.judge.asking import judge_model
from probatio.runs.store.days import DayReader, days_ahead
from probatio.suites.daily_suite import DailySuite, UseCase
from probatio.watch.ledger.ledger import withdrawn_days
from probatio.watch.verdict.rule.rule import COLLAPSE_DAYS

NO_JUDGE = "no judge"

LOOKED_BACK = 14
"""Days that are searched for a model: one that was away for longer may well be checked again."""


def find_new_models(results: Path, day: str, models: Iterable[Model]) -> tuple[Model, ...]:
    """The models that none of the last closed days has under this name and route, `day` itself aside."""
    without = {day, *days_ahead(results, max(day, today())), *withdrawn_days(results)}
    days = [each for each in DayReader(results).days() if each.date not in without]
    known = {_model_key(model) for each in days[-LOOKED_BACK:] for model in each.record.models}
    return tuple(model for model in models if _model_key(model) not in known)


def find_unjudged(
    suite: DailySuite, use_cases: Iterable[UseCase], results: Path, day: str, env: Mapping[str, str]
) -> dict[str, str]:
    """Use case → why it is not asked: without a judge it can't be scored, and there was none before.

    If a judge marked one of the last days, its missing key is a fault: these use cases are asked, and are a
    gap. The code's part of a hybrid use case alone is no score, so hybrid ones are not asked either.
    """
    if missing_key(judge_model(suite.manifest.judge), env) is None:
        return {}
    first = (date.fromisoformat(day) - timedelta(days=suite.manifest.rule.baseline_days)).isoformat()
    withdrawn = withdrawn_days(results)
    for each in DayReader(results).days():
        calibration = each.record.calibration
        same = each.record.suite_version == suite.version and each.date not in withdrawn
        if same and first <= each.date < day and calibration is not None and not calibration.error:
            return {}
    return {each.id: NO_JUDGE for each in use_cases if each.grading != "deterministic"}


def require_served(models: Iterable[Model], env: Mapping[str, str], say: Say) -> bool:
    """Refuse models that are pinned to a provider that does not serve them. Gives whether a catalogue was
    asked.

    A catalogue that can't be asked stops no one.
    """
    by_source: dict[CatalogueSource, list[Model]] = {}
    for model in models:
        if model.route and provider_of(model).names_routes:
            by_source.setdefault(source_of(model, env), []).append(model)
    faults: list[str] = []
    for source, pinned in by_source.items():
        try:
            faults += _find_faults(source, pinned, say)
        except NoCatalogue as error:
            say(f"{error} So it is not checked whether the pinned providers serve their models.")
    if faults:
        raise UsageError(
            f"{' '.join(faults)} Correct `route` in models.yml. (--no-route-check asks all the same.)"
        )
    return bool(by_source)


def describe_first_day(models: Sequence[Model], constants: Constants) -> str | None:
    """How long it takes until verdicts can be trusted, and what is reported before; None if no model is
    new."""
    if not models:
        return None
    whom = models[0].id if len(models) == 1 else f"{len(models)} models"
    rule, evidence = constants.rule, constants.evidence
    collapse = rule.deterministic.collapse
    return (
        f"The first day of {whom}. What can be said, and when: after {COLLAPSE_DAYS} days a collapse, which "
        f"is the loss of {collapse:.0%} of a use case's usual score or more ({rule.judged.collapse:.0%} "
        f"where a judge marks); after {rule.baseline_min} days the rule's verdict; after "
        f"{evidence.reference_days} days the evidence, which sees small and slow changes and proves them. "
        "Until then a model is CALIBRATING."
    )


def _find_faults(source: CatalogueSource, models: Sequence[Model], say: Say) -> list[str]:
    offers = list_offers(source, [model.name for model in models])
    names = {each.id for each in list_models(source)} if None in offers.values() else set()
    return [
        fault for model in models if (fault := _find_fault(model, source, offers[model.name], names, say))
    ]


def _find_fault(
    model: Model, source: CatalogueSource, offers: tuple[Offer, ...] | None, names: set[str], say: Say
) -> str | None:
    if offers is None:
        if model.name in names:
            say(
                f"{source.place} does not tell who serves {model.name}, so the provider of `{model.id}` is "
                "not checked."
            )
            return None
        return f"`{model.id}`: {source.place} has no model {model.name}."
    idle = [route for route in model.route if not any(serves(offer, route) for offer in offers)]
    if not idle:
        return None
    sentence = f"`{model.id}`: {describe_not_served(model.name, idle, offers)}"
    if len(idle) < len(model.route):
        say(sentence)
        return None
    return sentence


def _model_key(model: Model) -> tuple[str, str, tuple[str, ...]]:
    return model.name, model.provider, model.route
