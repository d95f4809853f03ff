"""`probatio completion`: what the shell offers after a tab, and the script that makes it ask.

The names come from where the command would take them: models from models.yml, contexts, dialects and tasks
from the suite that the line names, runs from the results folder. A file that can't be read offers nothing;
the command itself says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, get_completion_class

from probatio.core.errors import ProbatioError

if TYPE_CHECKING:
    from probatio.suites.language_suite import Suite

Names = Callable[[click.Context], Iterable[str]]


def offer_names(
    names: Names, incomplete: str, ctx: click.Context, *, listed: bool = False
) -> list[CompletionItem]:
    """The names that begin with what is typed; in a list, with what is typed after the last comma."""
    before, comma, last = incomplete.rpartition(",") if listed else ("", "", incomplete)
    try:
        known = dict.fromkeys(names(ctx))
    except (ProbatioError, OSError, ValueError):
        return []
    return [CompletionItem(f"{before}{comma}{name}") for name in known if name.startswith(last)]


def models(ctx: click.Context) -> Iterable[str]:
    from probatio.core.config import AD_HOC_PROVIDERS, load_config

    yield from (model.id for model in load_config(ctx.params.get("config")).models)
    yield from (f"{prefix}:" for prefix in AD_HOC_PROVIDERS)


def contexts(ctx: click.Context) -> Iterable[str]:
    return _named_suite(ctx).contexts


def dialects(ctx: click.Context) -> Iterable[str]:
    suite = _named_suite(ctx)
    return (*suite.language.dialects, *suite.twisted_dialects)


def tasks(ctx: click.Context) -> Iterable[str]:
    return _named_suite(ctx).tasks


def categories(ctx: click.Context) -> Iterable[str]:
    return _named_suite(ctx).categories


def _named_suite(ctx: click.Context) -> Suite:
    from probatio.suites.language_suite import load_suite

    return load_suite(ctx.params.get("suite"))


def suites(ctx: click.Context) -> Iterable[str]:
    from probatio.suites.language_suite import list_built_in_suites

    return list_built_in_suites()


def runs(ctx: click.Context) -> Iterable[str]:
    """The runs under the results folder, the newest first."""
    from probatio.runs.store.layout import RUN_FILE

    folder = Path(ctx.params.get("results") or "results")
    found = [(file.stat().st_mtime, file.parent.name) for file in folder.glob(f"*/{RUN_FILE}")]
    return [name for _, name in sorted(found, reverse=True)]


def runs_and_commands(ctx: click.Context) -> Iterable[str]:
    """What may follow `study`: a command below it, or a run."""
    from probatio.cli import COMMANDS
    from probatio.cli.grammar import find_below

    if not ctx.params.get("runs"):
        yield from find_below("study", COMMANDS)
    yield from runs(ctx)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script with which SHELL completes commands, options, models, contexts, tasks and runs.

    \b
    Example:
      probatio completion bash

    \b
    Put this where your shell reads it:
      bash  eval "$(probatio completion bash)"      in ~/.bashrc
      zsh   eval "$(probatio completion zsh)"       in ~/.zshrc, after compinit
      fish  probatio completion fish > ~/.config/fish/completions/probatio.fish
    """
    from probatio.cli import root

    completion = get_completion_class(shell)
    assert completion is not None  # click knows the three
    click.echo(completion(root, {}, "probatio", "_PROBATIO_COMPLETE").source())
