"""`probatio completion`: what the shell offers after a tab, and the script that makes it ask.

The names come from where the command would take them: models from models.yml, contexts, dialects and tasks from the suite that
stands on the line, runs from the results folder. A file that can't be read offers nothing; the command itself tells why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from probatio.errors import ProbatioError

Names = Callable[[click.Context], Iterable[str]]

INSTALL = {
    "bash": 'eval "$(probatio completion bash)"      in ~/.bashrc',
    "zsh": 'eval "$(probatio completion zsh)"       in ~/.zshrc, after compinit',
    "fish": "probatio completion fish > ~/.config/fish/completions/probatio.fish",
}


def completed(names: Names, incomplete: str, ctx: click.Context, *, listed: bool = False) -> list[CompletionItem]:
    """The names that go on with what is typed. Where an option takes several, what stands after the last comma counts."""
    before, comma, last = incomplete.rpartition(",") if listed else ("", "", incomplete)
    try:
        known = dict.fromkeys(names(ctx))
    except (ProbatioError, OSError, ValueError):
        return []
    return [CompletionItem(f"{before}{comma}{name}") for name in known if name.startswith(last)]


def models(ctx: click.Context) -> Iterable[str]:
    from probatio.config import AD_HOC_PROVIDERS, load_config

    yield from (model.id for model in load_config(ctx.params.get("config")).models)
    yield from (f"{prefix}:" for prefix in AD_HOC_PROVIDERS)


def contexts(ctx: click.Context) -> Iterable[str]:
    from probatio.suite.language_suite import load_suite

    return load_suite(ctx.params.get("suite")).contexts


def dialects(ctx: click.Context) -> Iterable[str]:
    from probatio.suite.language_suite import load_suite

    suite = load_suite(ctx.params.get("suite"))
    return (*suite.language.dialects, *suite.twisted_dialects)


def tasks(ctx: click.Context) -> Iterable[str]:
    from probatio.suite.language_suite import load_suite

    return load_suite(ctx.params.get("suite")).tasks


def categories(ctx: click.Context) -> Iterable[str]:
    from probatio.suite.language_suite import load_suite

    return load_suite(ctx.params.get("suite")).categories


def suites(ctx: click.Context) -> Iterable[str]:
    from probatio.suite.language_suite import built_in_suites

    return built_in_suites()


def runs(ctx: click.Context) -> Iterable[str]:
    """The runs under the results folder, the newest first."""
    from probatio.store.layout import RUN_FILE

    folder = Path(ctx.params.get("results") or "results")
    found = [(file.stat().st_mtime, file.parent.name) for file in folder.glob(f"*/{RUN_FILE}")]
    return [name for _, name in sorted(found, reverse=True)]


@click.command()
@click.argument("shell", type=click.Choice(list(INSTALL)))
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

    made = get_completion_class(shell)
    assert made is not None  # click knows the three
    click.echo(made(root, {}, "probatio", "_PROBATIO_COMPLETE").source())
