"""A model's first day: its pinned provider is checked before anything is asked, and what can't be told yet is said.

Later days check no pin: a provider that drops a model must be a gap of that model, not the end of everyone's day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from probatio.ask.catalogue import NoCatalogue, Offer, Source, list_models, list_offers, not_served, serves, source_of
from probatio.ask.providers import provider_of
from probatio.errors import Say, UsageError
from probatio.records import Model
from probatio.records.constants import Constants
from probatio.run.clock import today
from probatio.store.days import DayReader, days_ahead
from probatio.verdict.rule import COLLAPSE_DAYS

LOOKED_BACK = 14
"""Days that are searched for a model: one that was away for longer may well be checked again."""


def new_models(results: Path, day: str, models: Iterable[Model]) -> tuple[Model, ...]:
    """The models that none of the last closed days but `day` itself has, under this name and route."""
    ahead = days_ahead(results, max(day, today()))
    days = [each for each in DayReader(results).days() if each.date != day and each.date not in ahead]
    known = {_asked_as(model) for each in days[-LOOKED_BACK:] for model in each.record.models}
    return tuple(model for model in models if _asked_as(model) not in known)


def require_served(models: Iterable[Model], env: Mapping[str, str], say: Say) -> bool:
    """Refuse models that are pinned to a provider that does not serve them; tells whether a catalogue was asked.

    A catalogue that can't be asked stops nobody.
    """
    by_source: dict[Source, list[Model]] = {}
    for model in models:
        if model.route and provider_of(model).names_routes:
            by_source.setdefault(source_of(model, env), []).append(model)
    faults: list[str] = []
    for source, pinned in by_source.items():
        try:
            faults += _faults(source, pinned, say)
        except NoCatalogue as error:
            say(f"{error} So it is not checked whether the pinned providers serve their models.")
    if faults:
        raise UsageError(f"{' '.join(faults)} Correct `route` in models.yml. (--no-route-check asks all the same.)")
    return bool(by_source)


def first_words(models: Sequence[Model], constants: Constants) -> str | None:
    """How long it takes until verdicts can be trusted, and what is told before; None where no model is new."""
    if not models:
        return None
    whom = models[0].id if len(models) == 1 else f"{len(models)} models"
    rule, evidence = constants.rule, constants.evidence
    collapse = rule.deterministic.collapse
    return (
        f"The first day of {whom}. What can be said, and when: after {COLLAPSE_DAYS} days a collapse, which is the loss of "
        f"{collapse:.0%} of a use case's usual score or more ({rule.judged.collapse:.0%} where a judge marks); after "
        f"{rule.baseline_min} days the rule's verdict; after {evidence.reference_days} days the evidence, which "
        f"sees small and slow changes and proves them. Until then a model is CALIBRATING."
    )


def _faults(source: Source, models: Sequence[Model], say: Say) -> list[str]:
    offers = list_offers(source, [model.name for model in models])
    names = {each.id for each in list_models(source)} if None in offers.values() else set()
    return [fault for model in models if (fault := _fault(model, source, offers[model.name], names, say))]


def _fault(model: Model, source: Source, offers: tuple[Offer, ...] | None, names: set[str], say: Say) -> str | None:
    if offers is None:
        if model.name in names:
            say(
                f"{source.place} does not tell who serves {model.name}, so the provider of `{model.id}` is not checked."
            )
            return None
        return f"`{model.id}`: {source.place} has no model {model.name}."
    idle = [route for route in model.route if not any(serves(offer, route) for offer in offers)]
    if not idle:
        return None
    sentence = f"`{model.id}`: {not_served(model.name, idle, offers)}"
    if len(idle) < len(model.route):
        say(sentence)
        return None
    return sentence


def _asked_as(model: Model) -> tuple[str, str, tuple[str, ...]]:
    return model.name, model.provider, model.route
