"""`probatio suite generate`, `vary` and `twist`: fresh tasks, or the same tasks under another rule."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.jail import Choice

NAMED = 20
"""Tasks that are named on one line."""


@click.command()
@click.option("--language", metavar="NAME", help="The language of the tasks, as its suite is called.")
@options.value_option("--seed", click.IntRange(min=0), 1, "Another seed, other programs.")
@click.option("--level", type=click.IntRange(1, 6), help="From 1, a few lines, to 6, long chains.")
@options.path_option(
    "--vary",
    "Take the tasks of this folder, of any language, with other literals; see `probatio suite vary`.",
    metavar="DIR|NAME",
)
@options.value_option("--count", click.IntRange(min=1), 100, "How many tasks.")
@options.path_option("--out", "A new or empty folder.", metavar="DIR", required=True)
@options.sandbox
@options.as_json
def generate(
    language: str | None,
    seed: int,
    level: int | None,
    vary: Path | None,
    count: int,
    out: Path,
    sandbox: Choice,
    as_json: bool,
) -> None:
    """Write a folder of tasks that no one has seen: programs drawn by chance, each compiled and run in the
    sandbox.

    The same seed, level and count give the same folder. Where a program and its translation do not print the
    same, the task is dropped and counted.

    \b
    Example:
      probatio suite generate --language NAME --seed 7 --level 3 --count 50 --out fresh
      probatio suite generate --vary my-language --seed 7 --count 200 --out my-language-7
      probatio trial --suite fresh
    """

    from probatio.authoring.generate import find_generator
    from probatio.core.errors import UsageError

    if vary is not None:
        if level is not None or language is not None:
            raise UsageError(
                "--vary goes without --level and --language: varied tasks are like those they come from."
            )
        _write_variants(vary, seed, count, out, sandbox, as_json)
        return
    if level is None or language is None:
        raise UsageError(
            "Say in which language and how hard the tasks are: --language NAME --level 1 to 6. "
            "Or name a folder to vary: --vary DIR."
        )
    made = find_generator(language)(out, seed, level, count, sandbox, options.show_counts("tasks"))
    if as_json:
        options.print_json(made)
        return
    click.echo(f"Written: {out}, with {made.tasks} tasks of level {level} (fingerprint {made.fingerprint}).")
    click.echo(
        f"{made.drawn} programs were drawn; {made.alike} were left out because they are like another; "
        f"{made.disagreed} were dropped because a program and its translation print different things."
    )
    click.echo(f"  probatio suite check {shlex.quote(str(out))}              prove it")
    click.echo(f"  probatio trial --suite {shlex.quote(str(out))} --dry-run  see what would be asked")


@click.command()
@click.argument("folder", metavar="DIR|NAME", type=click.Path(path_type=Path))
@options.value_option("--seed", click.IntRange(0), 1, "The same seed gives the same tasks.")
@options.value_option("--count", click.IntRange(1, 100_000), 100, "At most this many tasks.")
@options.path_option("--out", "The new folder; it must be new or empty.", required=True)
@options.as_json
@options.sandbox
def vary(folder: Path, seed: int, count: int, out: Path, as_json: bool, sandbox: Choice) -> None:
    """Write a folder of fresh tasks: those of DIR with other numbers and words. Its own toolchain makes the
    new output.

    Only literals that can be traced are changed: in the goal, the programs and the input alike. Variants that
    fail, that print the same, or of which the goal would no longer be true are dropped and counted. Read a
    few goals before you use them.

    \b
    Example:
      probatio suite vary my-language --seed 7 --count 200 --out my-language-7
      probatio suite check my-language-7
    """
    _write_variants(folder, seed, count, out, sandbox, as_json)


def _write_variants(folder: Path, seed: int, count: int, out: Path, sandbox: Choice, as_json: bool) -> None:
    from probatio.authoring.vary import write_variants
    from probatio.suites.language_suite import load_suite

    suite = load_suite(folder)
    varied = write_variants(suite, seed, count, out, sandbox)
    if as_json:
        options.print_json(
            {
                "tasks": len(varied.tasks),
                "from": varied.sources,
                "dropped": varied.dropped,
                "barren": varied.barren,
                "folder": str(out),
            }
        )
        return
    click.echo(
        f"Written: {out}, with {len(varied.tasks)} tasks made from {varied.sources} of {len(suite.tasks)} "
        f"tasks of {suite.name}."
    )
    for reason, times in varied.dropped.items():
        click.echo(f"  dropped {times}: {reason}")
    if varied.barren:
        click.echo(f"  no variant of: {_list_first(varied.barren)}")
    if len(varied.tasks) < count:
        click.echo(f"  {count} were asked for; there are no more different ones.")
    click.echo(f"Prove it with: probatio suite check {shlex.quote(str(out))}")


def _list_first(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more (--json names all)" if more > 0 else "")


@click.command()
@click.argument("folder", metavar="DIR|NAME", type=click.Path(path_type=Path))
@options.names_option("--twist", "twists", "Only these, by name or glob.")
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Write nothing; exit code 1 where a file is not what would be made.",
)
@options.as_json
@options.sandbox
def twist(folder: Path, twists: tuple[str, ...], only_check: bool, as_json: bool, sandbox: Choice) -> None:
    """Write DIR/twists/NAME.yml: what every task is where one rule of the language is exchanged. Programs run
    in the jail.

    Then `probatio trial --suite DIR --dialect WORDS,WORDS+NAME` asks both, and `probatio study` shows the
    price of the rule.

    \b
    Examples:
      probatio suite twist my-copy
      probatio suite twist my-copy --twist one-based --check
    """
    from probatio.authoring.twist import write_twists
    from probatio.suites.language_suite import load_suite

    stale = False
    for written in write_twists(load_suite(folder), twists or ("*",), sandbox, only_check=only_check):
        stale |= only_check and not written.same
        if as_json:
            options.print_json(written)
            continue
        state = (
            "NOT as the file says"
            if only_check and not written.same
            else "no file, as no task is touched"
            if not written.touched
            else "as it was"
            if written.same
            else "written"
        )
        click.echo(
            f"{written.twist}: {written.touched} tasks touched, {written.untouched} not touched, "
            f"{written.left_out} left out; {state}."
        )
    if stale:
        sys.exit(1)
