"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from probatio.errors import Say

Command = TypeVar("Command", bound=Callable[..., Any])

results = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="The folder of all runs.",
)

results_or_address = click.option(
    "--results",
    default="results",
    show_default=True,
    metavar="PATH|ADDRESS",
    help="The folder of all runs, or an address such as s3://bucket/results (extra `storage`).",
)

sandbox = click.option(
    "--sandbox",
    type=click.Choice(["auto", "bubblewrap", "landlock", "none"]),
    default="auto",
    show_default=True,
    help="The jail in which a model's code runs.",
)

recorded_suite = click.option(
    "--suite",
    type=click.Path(path_type=Path),
    help="The folder of the suite.  [default: the suite that the run recorded]",
)


def listed(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """An option that can be given several times, each time with one or more names separated by commas."""
    return tuple(part.strip() for given in value for part in given.split(",") if part.strip())


models = click.option(
    "--model",
    "models",
    multiple=True,
    callback=listed,
    help="Model id or glob; also gguf:PATH, openai:NAME, openrouter:NAME.",
)

config = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="A models.yml.  [default: config/models.yml, else the built-in list]",
)

max_connections = click.option(
    "--max-connections", type=click.IntRange(1), help="Most requests at a time.  [default: 64]"
)

max_cost = click.option(
    "--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="Stop cleanly when this amount is spent."
)


allow_hosts = click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    callback=listed,
    metavar="HOST",
    help="A further host that may get the key of a built-in provider, such as a proxy of your own.",
)


def limits(command: Command) -> Command:
    """The options that a run of trials and a day share beside what is asked: how fast, and how far money goes."""
    for option in reversed((max_connections, max_cost)):
        command = option(command)
    return command


def note(as_json: bool) -> Say:
    """Where a remark before the run starts goes: to stderr with --json, so that its output stays what a script expects."""
    return lambda sentence: click.echo(sentence, err=as_json)
