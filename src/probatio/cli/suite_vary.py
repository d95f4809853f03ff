"""`probatio suite vary`: fresh tasks from those of any folder, with other literals and the output they make."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.sandbox import Choice


@click.command("vary")
@click.argument("folder", metavar="DIR|NAME", type=click.Path(path_type=Path))
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed gives the same tasks."
)
@click.option(
    "--count", type=click.IntRange(1, 100_000), default=100, show_default=True, help="At most this many tasks."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The new folder; it must be new or empty.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@options.sandbox
def command(folder: Path, seed: int, count: int, out: Path, as_json: bool, sandbox: Choice) -> None:
    """Write a folder of fresh tasks: those of DIR with other numbers and words. Its own toolchain makes the new output.

    Only literals that can be traced are changed: in the goal, the programs and the input alike. Variants that fail, that print
    the same, or of which the goal would no longer be true are dropped and counted. Read a few goals before you use them.

    \b
    Example:
      probatio suite vary my-language --seed 7 --count 200 --out my-language-7
      probatio suite check my-language-7
    """
    written(folder, seed, count, out, sandbox, as_json)


def written(folder: Path, seed: int, count: int, out: Path, sandbox: Choice, as_json: bool) -> None:
    """Make the folder and say what became of it."""
    import msgspec

    from probatio.authoring.copying import require_empty
    from probatio.authoring.varying import vary, write_varied
    from probatio.languages.finding import require_toolchain
    from probatio.suite.language_suite import load_suite

    require_empty(out)
    suite = load_suite(folder)
    for spec in filter(None, (suite.spec, suite.host)):
        require_toolchain(spec)
    made = vary(suite, seed, count, sandbox)
    write_varied(suite, made, seed, out)
    if as_json:
        told = {
            "tasks": len(made.tasks),
            "from": made.sources,
            "dropped": made.dropped,
            "barren": made.barren,
            "folder": str(out),
        }
        click.echo(msgspec.json.encode(told).decode())
        return
    click.echo(
        f"Written: {out}, with {len(made.tasks)} tasks made from {made.sources} of {len(suite.tasks)} tasks of {suite.name}."
    )
    for reason, times in made.dropped.items():
        click.echo(f"  dropped {times}: {reason}")
    if len(made.tasks) < count:
        click.echo(f"  {count} were asked for; there are no more different ones.")
    click.echo(f"Prove it with: probatio suite check {shlex.quote(str(out))}")
