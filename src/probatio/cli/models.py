"""`probatio models`: the available models, and the weights of the embedded ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from probatio.cli.models_catalogue import add, find

if TYPE_CHECKING:
    from probatio.embedded.catalogue import Weights
    from probatio.records import Model


@click.group()
def command() -> None:
    """List models, find and add those of a route's catalogue; download, locate and remove embedded ones.

    \b
    Example:
      probatio models find sonnet
      probatio models pull qwen2.5-coder-1.5b
    """


command.add_command(find)
command.add_command(add)


@command.command("list")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="A models.yml.  [default: config/models.yml, else the built-in list]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def list_models(config: Path | None, as_json: bool) -> None:
    """List every model with its provider, name and price, and whether it is ready to use.

    \b
    Example:
      probatio models list --json
    """
    from probatio.ask.hosts import environment

    rows = configured_models(config, environment())
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(rows).decode())
        return
    table = [("ID", "PROVIDER", "NAME", "$ PER 1M IN/OUT", "READY")]
    table += [(row["id"], row["provider"], row["name"], _price(row), row["ready"]) for row in rows]
    widths = [max(len(line[column]) for line in table) for column in range(5)]
    for line in table:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    if names := [row["id"] for row in rows if not row["pinned"]]:
        click.echo(f"Not pinned to a provider (`route:` in models.yml), so any may serve them: {', '.join(names)}.")


def configured_models(config: Path | None, env: Mapping[str, str]) -> list[dict[str, Any]]:
    """The models of models.yml, then those of the catalogue that it does not name."""
    from probatio.config import load_config
    from probatio.embedded.catalogue import CATALOGUE, embedded_model

    models = load_config(config).models
    named = {model.name for model in models if _is_local(model)}
    more = (embedded_model(weights.id) for weights in CATALOGUE if weights.id not in named)
    return [_row(model, env) for model in (*models, *more)]


def _row(model: Model, env: Mapping[str, str]) -> dict[str, Any]:
    from probatio.ask.providers import provider_of
    from probatio.ask.routes import missing_key, unpinned

    free = provider_of(model).free
    row: dict[str, Any] = {
        "pinned": not unpinned((model,)),
        "id": model.id,
        "provider": model.provider,
        "name": model.name,
        "route": list(model.route),
        "cost_per_1m_input": 0.0 if free else model.cost_per_1m_input,
        "cost_per_1m_output": 0.0 if free else model.cost_per_1m_output,
    }
    if _is_local(model):
        return {**row, **_readiness(model.name)}
    key = missing_key(model, env)
    return {**row, "ready": f"needs {key}" if key else "yes"}


def _is_local(model: Model) -> bool:
    from probatio.ask.providers import provider_of

    return provider_of(model).local


def _readiness(name: str) -> dict[str, Any]:
    from probatio.embedded.catalogue import resolve
    from probatio.embedded.weights import is_here
    from probatio.errors import UsageError

    try:
        weights = resolve(name)
    except UsageError:
        return {"ready": "no such weights", "here": False}
    here = is_here(weights)
    return {
        "ready": "here" if here else f"pulled when asked, {_size(weights.size)}",
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


def _size(size: int) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


@command.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def pull(ids: tuple[str, ...]) -> None:
    """Download the weights of embedded models into the cache folder. An interrupted download continues.

    \b
    Example:
      probatio models pull qwen2.5-coder-0.5b smollm2-135m
    """
    from probatio.embedded.weights import ensure, is_here, provenance

    for weights in _of_catalogue(ids):
        if is_here(weights):
            click.echo(f"{weights.id} is here already: {weights.path}")
            continue
        path = ensure(weights.id, lambda text: click.echo(text, err=True))
        origin = provenance(path)
        click.echo(f"{weights.id}: {path}\n  from {origin['source']}\n  SHA-256 {origin['sha256']}, as tested")


@command.command()
@click.argument("model_id", metavar="ID")
def path(model_id: str) -> None:
    """Print the path of a model's weights. Exit code 3 if they are not downloaded.

    \b
    Example:
      ls -l "$(probatio models path smollm2-135m)"
    """
    from probatio.embedded.weights import is_here
    from probatio.errors import Incomplete

    weights = _of_catalogue((model_id,))[0]
    if not is_here(weights):
        raise Incomplete(f"{model_id} is not here. `probatio models pull {model_id}` fetches it.")
    click.echo(weights.path)


@command.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def remove(ids: tuple[str, ...]) -> None:
    """Delete the weights of embedded models from the cache folder, incomplete downloads too.

    \b
    Example:
      probatio models remove qwen2.5-coder-1.5b
    """
    from probatio.embedded.pull import remove as remove_weights

    for weights in _of_catalogue(ids):
        freed = remove_weights(weights)
        click.echo(f"{weights.id}: {_size(freed)} freed." if freed else f"{weights.id} was not here.")


def _of_catalogue(ids: tuple[str, ...]) -> list[Weights]:
    """The weights of all ids, looked up first: a slip in the last id must not show after an hour of downloading."""
    from probatio.embedded.catalogue import resolve
    from probatio.errors import UsageError

    chosen = [resolve(model_id) for model_id in ids]
    for weights in chosen:
        if not weights.sources:
            raise UsageError(
                f"{weights.id} is a file of your own: it is neither pulled nor removed. Ask it with --model."
            )
    return chosen
