"""The models of a request: those named, those of models.yml that have a key, or the embedded default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from probatio.ask.providers import provider_of
from probatio.ask.routes import address_of, know_keys, missing_key, route_of
from probatio.core.config import Config, select_models
from probatio.core.errors import Say, UsageError
from probatio.core.records import Model


class ModelSelection(msgspec.Struct, frozen=True):
    """The models to ask, and the others of the list: model id → why it is not asked."""

    models: tuple[Model, ...]
    skipped: dict[str, str] = {}


def select(
    config: Config,
    named: tuple[str, ...],
    env: Mapping[str, str],
    say: Say,
    *,
    fetch: bool,
    max_cost: float | None,
    skip_named: bool,
    keys: bool = True,
) -> ModelSelection:
    """Every model here can be asked. A model of the list without a key is skipped; one that was named is an
    error, unless `skip_named`. `fetch=False` leaves the embedded default unpulled; `keys=False` is for a
    plan: it says which keys are missing and needs none."""
    know_keys(config.models, env)
    listed = select_models(config, named) if named else () if config.source == "built-in" else config.models
    missing = {model.id: f"{key} is not set" for model in listed if (key := missing_key(model, env))}
    skipped = missing if (skip_named or not named) and keys else {}
    for model_id, reason in missing.items():
        if model_id in skipped:
            say(f"Skipping {model_id}: {reason}.")
        elif not keys:
            say(f"{model_id}: {reason}. It is planned here, and can't be asked without that key.")
    models = tuple(model for model in listed if model.id not in skipped)
    if named and not models:
        reasons = "; ".join(f"{model}: {reason}" for model, reason in skipped.items())
        raise UsageError(f"None of these models can be used: {reasons}.")
    if not models:
        models = (_choose_default(say, fetch=fetch),)
    _require_routes(models, env, max_cost, config.source, keys=keys)
    return ModelSelection(models, skipped)


def pull_embedded(models: Iterable[Model], say: Say) -> None:
    """Fetch missing weights before anything else, because a download can be interrupted."""
    for model in models:
        if provider_of(model).local:
            from probatio.ask.embedded.weights import ensure

            ensure(model.name, say)


def describe_file(model: Model) -> dict[str, object]:
    """The file that answers for an embedded model, as a record keeps it."""
    from probatio.ask.embedded.catalogue import resolve
    from probatio.ask.embedded.weights import provenance

    return provenance(resolve(model.name).path)


def _choose_default(say: Say, *, fetch: bool) -> Model:
    """The model that needs no key and no network."""
    from probatio.ask.embedded.weights import default_model

    default = default_model(say, fetch=fetch)
    if default.because:
        say(f"{default.instead_of} is not available: {default.because}")
    say(f"No --model given: asking the embedded model {default.model.id}, which needs no key and no network.")
    return default.model


def _require_routes(
    models: Iterable[Model], env: Mapping[str, str], max_cost: float | None, source: str, *, keys: bool
) -> None:
    """Refuse a model without a route, and one without a price where a budget must be kept."""
    for model in models:
        provider = provider_of(model)
        if provider.local:
            continue
        if keys:
            route_of(model, env)
        else:
            address_of(model, env)
        if max_cost is not None and model.cost_per_1m_input is None and not provider.reports_cost:
            raise UsageError(
                f"--max-cost needs a price for `{model.id}` in {source} (cost_per_1m_input/output)."
            )
