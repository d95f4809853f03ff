"""The models of a request: those named, those of models.yml that have a key, or the embedded default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from probatio.ask.providers import provider_of
from probatio.ask.routes import address_of, know_keys, missing_key, route_of
from probatio.core.config import BUILT_IN, Config, load_config, select_models
from probatio.core.errors import Say, UsageError
from probatio.core.records import Model
from probatio.core.trust import WEIGHTS, Untrusted, allow_now, is_known, require_weights, weights_requests


class ModelSelection(msgspec.Struct, frozen=True):
    """The models to ask, and the others of the list: model id → why it is not asked."""

    models: tuple[Model, ...]
    skipped: dict[str, str] = {}


class NoModels(UsageError):
    """There is a list of models, and none of them can be asked."""

    def __init__(self, skipped: Mapping[str, str]) -> None:
        self.skipped = dict(skipped)
        super().__init__(
            f"None of these models can be asked: {list_reasons(skipped)}. "
            "To ask an embedded model, name it: --model."
        )


def list_reasons(skipped: Mapping[str, str]) -> str:
    """Why each model was not asked, as one clause."""
    return "; ".join(f"{model}: {reason}" for model, reason in skipped.items())


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
    error, unless `skip_named`. The embedded default stands in only if there is no list of models.

    `fetch=False` leaves the embedded default unpulled. `keys=False` is for a plan: it says which keys are
    missing and needs none.
    """
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
    if listed and not models:
        raise NoModels(skipped)
    if not models:
        models = (_choose_default(say, fetch=fetch),)
    _require_routes(models, env, max_cost, config.source, say, keys=keys)
    return ModelSelection(models, skipped)


def find_again(recorded: Iterable[Model], config: Config, named: tuple[str, ...] = ()) -> tuple[Model, ...]:
    """The models of a record as the user has them now: the record says who was asked, models.yml and the
    command line (`named`) where that model is and with which key."""
    own = {model.id: model for model in load_config(BUILT_IN).models}
    own |= {model.id: model for model in config.models}
    own |= {model.id: model for model in (select_models(config, named) if named else ())}
    return tuple(_find_own(model, own, config.source) for model in recorded)


def _find_own(model: Model, own: Mapping[str, Model], source: str) -> Model:
    mine = own.get(model.id) or _recall(model)
    if mine is None:
        where = "models.yml" if source == "built-in" else source
        raise UsageError(
            f"{where} has no model `{model.id}` ({model.name} of {model.provider}), and a record can't say "
            "where requests go. Add it there, or name the file that has it: --config FILE."
        )
    for field in ("provider", "name", "route"):
        if getattr(mine, field) != getattr(model, field):
            raise UsageError(
                f"`{model.id}` has the {field} {_format(getattr(mine, field))} in {source}, and in the run's "
                f"record {_format(getattr(model, field))}. Answers of two models are not one run: start "
                "a new one, or change the entry back."
            )
    return msgspec.structs.replace(
        model, base_url=mine.base_url, api_key_env=mine.api_key_env, auth=mine.auth
    )


def _recall(model: Model) -> Model | None:
    """A model that is in no list: named on the command line (`openai:NAME`) at the provider's own address,
    embedded, or weights that were named on this machine."""
    provider = provider_of(model)
    if provider.local:
        if model.name.startswith(WEIGHTS) and not is_known(Path(model.name.removeprefix(WEIGHTS))):
            raise UsageError(
                f"The run was asked of the file {model.name.removeprefix(WEIGHTS)}, which was not named on "
                f"this machine before. If you trust it, name it again: --model {model.name}"
            )
        allow_now(weights_requests([model.name], Path.cwd()))
        return model
    own = (model.base_url, model.api_key_env, model.auth)
    if provider.base_url and model.id == model.name and own == (None, None, None):
        return model
    return None


def _format(value: object) -> str:
    return f"`{', '.join(value) or 'none'}`" if isinstance(value, tuple) else f"`{value}`"


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
    models: Iterable[Model],
    env: Mapping[str, str],
    max_cost: float | None,
    source: str,
    say: Say,
    *,
    keys: bool,
) -> None:
    """Refuse a model without a route, and one without a price where a budget must be kept."""
    for model in models:
        provider = provider_of(model)
        if keys:
            require_weights(model.name) if provider.local else route_of(model, env)
        else:
            try:
                require_weights(model.name) if provider.local else address_of(model, env)
            except Untrusted as error:  # a plan sends nothing and loads nothing
                say(str(error))
        if provider.local:
            continue
        if max_cost is not None and model.cost_per_1m_input is None and not provider.reports_cost:
            raise UsageError(
                f"--max-cost needs a price for `{model.id}` in {source} (cost_per_1m_input/output)."
            )
