"""`probatio models find` and `probatio models add`: a route's own catalogue, and models taken from it into models.yml."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from probatio.cli import options
from probatio.errors import UsageError

if TYPE_CHECKING:
    from probatio.ask.catalogue import Listed, Offer, Source
    from probatio.config import Config
    from probatio.records import Model

Command = TypeVar("Command", bound=Callable[..., Any])

SHOWN_WITH_PROVIDERS = 12
"""Models of one `find` whose providers are asked for: each costs a request."""


def _where(command: Command) -> Command:
    """The options that say whose catalogue it is."""
    for option in (
        options.allow_hosts,
        click.option("--api-key-env", metavar="NAME", help="The variable with the key, for a server of your own."),
        click.option("--base-url", metavar="URL", help="The address of an OpenAI-compatible server."),
        click.option(
            "--provider",
            metavar="NAME",
            help="openrouter, openai, or a provider of your models.yml.  [default: openrouter]",
        ),
        options.config,
    ):
        command = option(command)
    return command


@click.command()
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@_where
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def find(
    words: tuple[str, ...],
    config: Path | None,
    provider: str | None,
    base_url: str | None,
    api_key_env: str | None,
    allow_hosts: tuple[str, ...],
    as_json: bool,
) -> None:
    """Search a route's own catalogue for models: price, context and the providers that serve each.

    All words must be in the model's id or title. Exit code 3 if the catalogue can't be read.

    \b
    Examples:
      probatio models find sonnet
      probatio models find llama --base-url http://localhost:11434/v1
    """
    from probatio.ask.catalogue import list_models, list_offers
    from probatio.ask.hosts import environment

    env = environment(allow_hosts)
    _, source = _place(config, provider, base_url, api_key_env, env)
    wanted = [word.casefold() for word in words]
    listed = list_models(source)
    found = [each for each in listed if all(word in f"{each.id} {each.title}".casefold() for word in wanted)]
    asked = [each.id for each in found[:SHOWN_WITH_PROVIDERS]] if source.names_routes else []
    offers = list_offers(source, asked) if asked else {}
    if as_json:
        import msgspec

        rows = [{**msgspec.to_builtins(each), "providers": msgspec.to_builtins(offers.get(each.id))} for each in found]
        click.echo(msgspec.json.encode(rows).decode())
        return
    if not found:
        click.echo(f"None of the {len(listed)} models of {source.place} has `{' '.join(words)}` in its id or title.")
        return
    _show(found, offers)
    if len(found) > len(asked) and source.names_routes:
        click.echo(
            f"{len(found)} models; the providers of the first {len(asked)} are shown. Give a longer word to see others."
        )


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@_where
@click.option("--route", metavar="PROVIDER", help="The provider to pin: its slug or name as `models find` shows it.")
@click.option("--id", "own_id", metavar="NAME", help="The id to give it in models.yml.  [default: the end of its name]")
def add(
    ids: tuple[str, ...],
    config: Path | None,
    provider: str | None,
    base_url: str | None,
    api_key_env: str | None,
    allow_hosts: tuple[str, ...],
    route: str | None,
    own_id: str | None,
) -> None:
    """Add models of a route's catalogue to models.yml, with price and pinned provider. Comments in the file stay.

    Without --route a model is pinned to its only provider, or to its maker's own. Where there is neither, it is not pinned,
    and you are told so. Nothing is written unless every ID can be added.

    \b
    Examples:
      probatio models add anthropic/claude-sonnet-4.5
      probatio models add meta-llama/llama-3.1-8b-instruct --route deepinfra
    """
    from probatio.ask.catalogue import list_models, list_offers
    from probatio.ask.hosts import environment
    from probatio.cli.models_file import added, read, write
    from probatio.config import LOCAL_CONFIG, load_config
    from probatio.names import unknown

    if own_id and len(ids) > 1:
        raise UsageError("--id names one model; add the others by themselves.")
    env = environment(allow_hosts)
    place, source = _place(config, provider, base_url, api_key_env, env)
    if route and not source.names_routes:
        raise UsageError(f"--route: {source.name} serves its models itself, so there is no provider to pin.")
    path = config or LOCAL_CONFIG
    before = load_config(config) if path.exists() else None
    by_id = {each.id: each for each in list_models(source)}
    for each in ids:
        if each not in by_id:
            raise unknown("model", each, list(by_id), f"at {source.place}")
    offers = list_offers(source, ids) if source.names_routes else {}
    entries, remarks = [], []
    for each in dict.fromkeys(ids):
        entry, said = _entry(by_id[each], own_id, place, source, offers.get(each), route)
        _refuse_known(entry, before, path)
        entries.append(entry)
        remarks += said
    _refuse_twice(entries)
    write(path, added(read(path) if before else "", entries, str(path)))
    load_config(config)
    for remark in remarks:
        click.echo(remark)
    many = "1 model" if len(entries) == 1 else f"{len(entries)} models"
    click.echo(f"{path}: {many} added.")
    tracked = before.daily.models if before else ()
    if tracked and (left := [entry["id"] for entry in entries if not _covered(entry["id"], tracked)]):
        click.echo(f"`daily: models:` of {path} does not name {', '.join(left)}: add it there to watch it.")


def _place(
    config: Path | None, provider: str | None, base_url: str | None, api_key_env: str | None, env: Mapping[str, str]
) -> tuple[Model, Source]:
    """Whose catalogue is asked: a model without a name stands for its server."""
    from probatio.ask.catalogue import source_of
    from probatio.ask.providers import PROVIDERS, provider_named
    from probatio.config import load_config
    from probatio.records import Model

    # A server at an address of one's own speaks OpenAI's form, unless it is said to be another's.
    name = provider or ("openai" if base_url else "openrouter")
    if provider_named(name).local:
        raise UsageError(f"{name} models have no catalogue on the network; `probatio models list` shows them.")
    if name not in PROVIDERS and base_url is None:
        known = [each for each in load_config(config).models if each.provider == name and each.base_url]
        if not known:
            raise UsageError(
                f"--provider {name} is not known: use openrouter, openai, or the provider of a model in your models.yml that "
                f"has a `base_url`; or give --base-url."
            )
        base_url, api_key_env = known[0].base_url, api_key_env or known[0].api_key_env
    place = Model(id=f"catalogue of {name}", name="", provider=name, base_url=base_url, api_key_env=api_key_env)
    return place, source_of(place, env)


def _entry(
    listed: Listed, own_id: str | None, place: Model, source: Source, offers: Sequence[Offer] | None, route: str | None
) -> tuple[dict[str, Any], list[str]]:
    """The model as models.yml has it, and what the user is told of it."""
    from probatio.ask.catalogue import dearest, serves

    own_id = own_id or listed.id.rpartition("/")[2].replace(":", "-")
    entry: dict[str, Any] = {"id": own_id, "provider": place.provider, "name": listed.id}
    entry |= {key: value for key in ("base_url", "api_key_env") if (value := getattr(place, key))}
    prices = (listed.cost_per_1m_input, listed.cost_per_1m_output)
    served, remark = "", ""
    if source.names_routes:
        pinned = _pinned(listed.id, offers or (), route)
        if pinned:
            matching = [offer for offer in offers or () if serves(offer, pinned)]
            entry["route"], prices = pinned, dearest(matching)
            served = f" by {pinned}"
        else:
            remark = _not_pinned(entry["id"], offers or ())
    if None not in prices:
        entry["cost_per_1m_input"], entry["cost_per_1m_output"] = map(_plain, prices)
    told = f"{entry['id']}: {listed.id}{served}, {price_of(*prices)}, {context_of(listed.context)}."
    return entry, [told, *([remark] if remark else [])]


def _pinned(model: str, offers: Sequence[Offer], route: str | None) -> str | None:
    """What `route` becomes: the slug of the one offer it means, or the provider's own where it means several."""
    from probatio.ask.catalogue import not_served, serves, slugs

    if route is None:
        maker = model.partition("/")[0].lstrip("~")
        own = [offer.slug for offer in offers if offer.slug == maker]
        return offers[0].slug if len(offers) == 1 else own[0] if own else None
    matching = [offer for offer in offers if serves(offer, route)]
    if not matching:
        raise UsageError(not_served(model, (route,), offers))
    named = slugs(matching)
    return named[0] if len(named) == 1 else named[0].partition("/")[0]


def _not_pinned(model: str, offers: Sequence[Offer]) -> str:
    from probatio.ask.catalogue import slugs

    them = f" Pin one of {', '.join(slugs(offers))} with `route:` in the file." if offers else ""
    return (
        f"{model} has no pinned provider: any may serve it. Another provider can look like another model, so days are flagged "
        f"when it changes.{them}"
    )


def _refuse_known(entry: dict[str, Any], before: Config | None, path: Path) -> None:
    for model in before.models if before else ():
        if model.id == entry["id"]:
            cure = "change it there" if model.name == entry["name"] else "give this one another with --id"
            raise UsageError(f"{path} has a model with the id `{model.id}` already ({model.name}); {cure}.")


def _refuse_twice(entries: Sequence[dict[str, Any]]) -> None:
    seen: dict[str, str] = {}
    for entry in entries:
        if (other := seen.setdefault(entry["id"], entry["name"])) != entry["name"]:
            raise UsageError(f"{other} and {entry['name']} would both be `{entry['id']}`; add one of them with --id.")


def _covered(model: str, patterns: Sequence[str]) -> bool:
    from probatio.names import matches

    return any(matches(pattern, model) for pattern in patterns)


def _show(found: Sequence[Listed], offers: Mapping[str, Sequence[Offer] | None]) -> None:
    table = [("ID", "$ PER 1M IN/OUT", "CONTEXT")]
    table += [
        (each.id, _amounts(each.cost_per_1m_input, each.cost_per_1m_output), _count(each.context)) for each in found
    ]
    widths = [max(len(line[column]) for line in table) for column in range(3)]
    for number, line in enumerate(table):
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        served = offers.get(found[number - 1].id) if number else None
        for offer in served or ():
            price = _amounts(offer.cost_per_1m_input, offer.cost_per_1m_output)
            what = f"{offer.slug} ({offer.provider})" if offer.provider != offer.slug else offer.slug
            click.echo(f"  {what.ljust(widths[0] - 2)}  {price.ljust(widths[1])}  {_count(offer.context)}".rstrip())


def price_of(cost_in: float | None, cost_out: float | None) -> str:
    if cost_in is None or cost_out is None:
        return "price unknown"
    return f"${_amounts(cost_in, cost_out)} per 1M tokens in / out"


def context_of(context: int | None) -> str:
    return "context unknown" if context is None else f"context {context:,}"


def _amounts(cost_in: float | None, cost_out: float | None) -> str:
    return "–" if cost_in is None or cost_out is None else f"{_amount(cost_in)} / {_amount(cost_out)}"


def _amount(dollars: float) -> str:
    return f"{dollars:.2f}" if dollars == round(dollars, 2) else f"{dollars:.6f}".rstrip("0")


def _count(tokens: int | None) -> str:
    return "–" if tokens is None else f"{tokens:,}"


def _plain(dollars: float | None) -> float | int:
    """10 rather than 10.0, as one writes it."""
    assert dollars is not None
    return int(dollars) if dollars == int(dollars) else dollars
