"""`probatio models`: the models to ask, and the weights of the embedded ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from probatio.cli import options
from probatio.cli.grammar import Verb

if TYPE_CHECKING:
    from probatio.ask.embedded.catalogue import Weights
    from probatio.core.records import Model


@click.command(cls=Verb, no_args_is_help=True)
def command() -> None:
    """List models, find and add those of a route's catalogue; download, locate and remove embedded ones.

    \b
    Examples:
      probatio models find sonnet
      probatio models pull qwen2.5-coder-1.5b
    """


@click.command()
@options.config
@options.as_json
def list_models(config: Path | None, as_json: bool) -> None:
    """List every model with its provider, name and price, and whether it is ready to use.

    \b
    Example:
      probatio models list --json
    """
    from probatio.ask.hosts import environment

    rows = list_configured(config, environment())
    if as_json:
        options.print_json(rows)
        return
    table = [("ID", "PROVIDER", "NAME", "$ PER 1M IN/OUT", "READY")]
    table += [(row["id"], row["provider"], row["name"], _price(row), row["ready"]) for row in rows]
    options.print_table(table)
    if names := [row["id"] for row in rows if not row["pinned"]]:
        click.echo(
            f"Not pinned to a provider (`route:` in models.yml), so any may serve them: {', '.join(names)}."
        )


def list_configured(config: Path | None, env: Mapping[str, str]) -> list[dict[str, Any]]:
    """The models of models.yml, then those of the catalogue that it does not name."""
    from probatio.ask.embedded.catalogue import CATALOGUE, make_embedded_model
    from probatio.ask.providers import provider_of
    from probatio.core.config import load_config

    models = load_config(config).models
    named = {model.name for model in models if provider_of(model).local}
    more = (make_embedded_model(weights.id) for weights in CATALOGUE if weights.id not in named)
    return [_row(model, env) for model in (*models, *more)]


def _row(model: Model, env: Mapping[str, str]) -> dict[str, Any]:
    from probatio.ask.providers import provider_of
    from probatio.ask.routes import list_unpinned, missing_key

    provider = provider_of(model)
    row: dict[str, Any] = {
        "pinned": not list_unpinned((model,)),
        "id": model.id,
        "provider": model.provider,
        "name": model.name,
        "route": list(model.route),
        "cost_per_1m_input": 0.0 if provider.free else model.cost_per_1m_input,
        "cost_per_1m_output": 0.0 if provider.free else model.cost_per_1m_output,
    }
    if provider.local:
        return {**row, **_readiness(model.name)}
    key = missing_key(model, env)
    header = f", in the header {model.auth.header}" if model.auth else ""
    return {**row, "ready": f"needs {key}{header}" if key else "yes"}


def _readiness(name: str) -> dict[str, Any]:
    from probatio.ask.embedded.catalogue import resolve
    from probatio.ask.embedded.weights import is_here
    from probatio.core.errors import UsageError

    try:
        weights = resolve(name)
    except UsageError:
        return {"ready": "no such weights", "here": False}
    here = is_here(weights)
    return {
        "ready": "here" if here else f"pulled when asked, {_format_size(weights.size)}",
        "here": here,
        "size": weights.size,
    }


def _price(row: dict[str, Any]) -> str:
    from probatio.ask.providers import provider_named

    if provider_named(row["provider"]).free:
        return "free"
    prices = (row["cost_per_1m_input"], row["cost_per_1m_output"])
    if None in prices:
        return "as the reply says"
    return "{:.2f} / {:.2f}".format(*prices)


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@options.as_events
def pull(ids: tuple[str, ...], as_json: bool) -> None:
    """Download the weights of embedded models into the cache folder. An interrupted download continues.

    \b
    Example:
      probatio models pull qwen2.5-coder-0.5b smollm2-135m
    """
    from probatio.ask.embedded.weights import ensure, is_here, provenance

    for weights in _find_weights(ids):
        here = is_here(weights)
        file = weights.path if here else ensure(weights.id, options.warn)
        if as_json:
            options.print_event("pulled", id=weights.id, path=str(file), was_here=here, **provenance(file))
        elif here:
            click.echo(f"{weights.id} is here already: {file}")
        else:
            origin = provenance(file)
            click.echo(f"{weights.id}: {file}")
            click.echo(f"  from {origin['source']}\n  SHA-256 {origin['sha256']}, as tested")


@click.command()
@click.argument("model_id", metavar="ID")
@options.as_json
def path(model_id: str, as_json: bool) -> None:
    """Print the path of a model's weights. Exit code 3 if they are not downloaded.

    \b
    Example:
      ls -l "$(probatio models path smollm2-135m)"
    """
    from probatio.ask.embedded.weights import is_here
    from probatio.core.errors import Incomplete

    weights = _find_weights((model_id,))[0]
    if not is_here(weights):
        raise Incomplete(f"{model_id} is not here. `probatio models pull {model_id}` fetches it.")
    if as_json:
        options.print_event("path", id=weights.id, path=str(weights.path))
    else:
        click.echo(weights.path)


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@options.as_events
def remove(ids: tuple[str, ...], as_json: bool) -> None:
    """Delete the weights of embedded models from the cache folder, incomplete downloads too.

    \b
    Example:
      probatio models remove qwen2.5-coder-1.5b
    """
    from probatio.ask.embedded.pull import remove as remove_weights

    for weights in _find_weights(ids):
        freed = remove_weights(weights)
        if as_json:
            options.print_event("removed", id=weights.id, freed=freed)
        else:
            click.echo(
                f"{weights.id}: {_format_size(freed)} freed." if freed else f"{weights.id} was not here."
            )


def _find_weights(ids: tuple[str, ...]) -> list[Weights]:
    """The weights of all ids, found first: a slip in the last id must show before an hour of downloading."""
    from probatio.ask.embedded.catalogue import resolve
    from probatio.core.errors import UsageError

    chosen = [resolve(model_id) for model_id in ids]
    for weights in chosen:
        if not weights.sources:
            raise UsageError(
                f"{weights.id} is a file of your own: it is neither pulled nor removed. Ask it with --model."
            )
    return chosen


def _format_size(size: int) -> str:
    """Bytes as `1.12 GB` or `398 MB`."""
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
