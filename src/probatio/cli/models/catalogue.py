"""`probatio models find` and `models add`: a route's own catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from probatio.cli import options
from probatio.core.errors import UsageError

if TYPE_CHECKING:
    from probatio.ask.catalogue import Listed, Offer


choose_catalogue = options.combine(
    options.config,
    click.option(
        "--provider",
        metavar="NAME",
        help="openrouter, openai, or a provider of your models.yml.  [default: openrouter]",
    ),
    click.option("--base-url", metavar="URL", help="The address of an OpenAI-compatible server."),
    click.option(
        "--api-key-env", metavar="NAME", help="The variable with the key, for a server of your own."
    ),
    click.option(
        "--auth-header", metavar="NAME", help="The header for the key.  [default: Authorization: Bearer]"
    ),
    options.allow_hosts,
)
"""The options that say whose catalogue it is."""


def _format_tokens(tokens: int | None) -> str:
    return "–" if tokens is None else f"{tokens:,}"


SHOWN_WITH_PROVIDERS = 12
"""Models of one `find` whose providers are asked for: each costs a request."""


@click.command()
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@choose_catalogue
@options.as_json
def find(words: tuple[str, ...], as_json: bool, **place: Any) -> None:
    """Search a route's own catalogue for models: price, context and the providers that serve each.

    All words must be in the model's id or title. Exit code 3 if the catalogue can't be read.

    \b
    Examples:
      probatio models find sonnet
      probatio models find llama --base-url http://localhost:11434/v1
    """
    from probatio.ask.catalogue import list_models, list_offers
    from probatio.ask.models_file import open_catalogue

    source = open_catalogue(**place).source
    wanted = [word.casefold() for word in words]
    listed = list_models(source)
    found = [each for each in listed if all(word in f"{each.id} {each.title}".casefold() for word in wanted)]
    asked = [each.id for each in found[:SHOWN_WITH_PROVIDERS]] if source.names_routes else []
    offers = list_offers(source, asked) if asked else {}
    if as_json:
        import msgspec

        rows = [
            {**msgspec.to_builtins(each), "providers": msgspec.to_builtins(offers.get(each.id))}
            for each in found
        ]
        options.print_json(rows)
        return
    if not found:
        click.echo(
            f"None of the {len(listed)} models of {source.place} has `{' '.join(words)}` in its id or title."
        )
        return
    _show_found(found, offers)
    if len(found) > len(asked) and source.names_routes:
        click.echo(
            f"{len(found)} models; the providers of the first {len(asked)} are shown. Give a longer word to "
            f"see others."
        )


def _show_found(found: Sequence[Listed], offers: Mapping[str, Sequence[Offer] | None]) -> None:
    from probatio.ask.models_file import format_prices

    table = [("ID", "$ PER 1M IN/OUT", "CONTEXT")]
    for each in found:
        price = format_prices(each.cost_per_1m_input, each.cost_per_1m_output)
        table.append((each.id, price, _format_tokens(each.context)))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for number, line in enumerate(table):
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        served = offers.get(found[number - 1].id) if number else None
        for offer in served or ():
            price = format_prices(offer.cost_per_1m_input, offer.cost_per_1m_output)
            what = f"{offer.slug} ({offer.provider})" if offer.provider != offer.slug else offer.slug
            cells = (what.ljust(widths[0] - 2), price.ljust(widths[1]), _format_tokens(offer.context))
            click.echo(f"  {'  '.join(cells)}".rstrip())


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@choose_catalogue
@click.option(
    "--route", metavar="PROVIDER", help="The provider to pin: its slug or name as `models find` shows it."
)
@click.option(
    "--id", "own_id", metavar="NAME", help="The id to give it in models.yml.  [default: the end of its name]"
)
@options.as_json
def add(ids: tuple[str, ...], route: str | None, own_id: str | None, as_json: bool, **place: Any) -> None:
    """Add models of a route's catalogue to models.yml, with price and pinned provider. Comments in the file
    stay.

    Without --route a model is pinned to its only provider, or to its maker's own. Where there is neither, it
    is not pinned, and you are told so. Nothing is written unless every ID can be added.

    \b
    Examples:
      probatio models add anthropic/claude-sonnet-4.5
      probatio models add meta-llama/llama-3.1-8b-instruct --route deepinfra
    """
    from probatio.ask.models_file import add_models, open_catalogue

    if own_id and len(ids) > 1:
        raise UsageError("--id names one model; add the others by themselves.")
    added = add_models(ids, open_catalogue(**place), place["config"], route=route, own_id=own_id)
    if as_json:
        options.print_event("added", added)
        return
    for remark in added.remarks:
        click.echo(remark)
    many = "1 model" if len(added.models) == 1 else f"{len(added.models)} models"
    click.echo(f"{added.file}: {many} added.")
    if added.unwatched:
        names = ", ".join(added.unwatched)
        click.echo(f"`daily: models:` of {added.file} does not name {names}: add it there to watch it.")
