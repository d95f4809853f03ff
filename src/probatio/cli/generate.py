"""`probatio suite generate`: a folder of fresh, verified tasks."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options, suite_vary

if TYPE_CHECKING:
    from probatio.generate import Watch
    from probatio.sandbox import Choice


@click.command("generate")
@click.option("--language", metavar="NAME", help="The language of the tasks, as its suite is called.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Another seed, other programs.")
@click.option("--level", type=click.IntRange(1, 6), help="From 1, a few lines, to 6, long chains.")
@click.option(
    "--vary",
    metavar="DIR|NAME",
    type=click.Path(path_type=Path),
    help="Take the tasks of this folder, of any language, with other literals; see `probatio suite vary`.",
)
@click.option("--count", default=100, show_default=True, type=click.IntRange(min=1), help="How many tasks.")
@click.option("--out", required=True, metavar="DIR", type=click.Path(path_type=Path), help="A new or empty folder.")
@options.sandbox
@click.option("--json", "as_json", is_flag=True, help="Print the counts as one JSON object.")
def command(
    language: str | None,
    seed: int,
    level: int | None,
    vary: Path | None,
    count: int,
    out: Path,
    sandbox: Choice,
    as_json: bool,
) -> None:
    """Write a folder of tasks that nobody has seen: programs drawn by chance, each run by the compiler and by an evaluator of
    its own. The same seed, level and count give the same folder. A task on which the two disagree is dropped and counted.

    \b
    Example:
      probatio suite generate --language NAME --seed 7 --level 3 --count 50 --out fresh
      probatio suite generate --vary my-language --seed 7 --count 200 --out my-language-7
      probatio trial --suite fresh
    """
    import msgspec

    from probatio.errors import UsageError
    from probatio.generate import generator

    if vary is not None:
        if level is not None or language is not None:
            raise UsageError("--vary goes without --level and --language: varied tasks are like those they come from.")
        suite_vary.written(vary, seed, count, out, sandbox, as_json)
        return
    if level is None or language is None:
        raise UsageError(
            "Say in which language and how hard the tasks are: --language NAME --level 1 to 6. "
            "Or name a folder to vary: --vary DIR."
        )
    made = generator(language)(out, seed, level, count, sandbox, _progress())
    if as_json:
        click.echo(msgspec.json.encode(made).decode())
        return
    click.echo(f"Written: {out}, with {made.tasks} tasks of level {level} (fingerprint {made.fingerprint}).")
    click.echo(
        f"{made.drawn} programs were drawn; {made.alike} were left out because they are like another; "
        f"{made.disagreed} were dropped because the two evaluators disagree."
    )
    click.echo(f"  probatio suite check {shlex.quote(str(out))}              prove it")
    click.echo(f"  probatio trial --suite {shlex.quote(str(out))} --dry-run  see what would be asked")


def _progress() -> Watch:
    from probatio.visible import raw

    out = raw(sys.stderr)
    if not out.isatty():
        return lambda done, total: None

    def show(done: int, total: int) -> None:
        out.write(f"\rtasks {done}/{total}" if done < total else "\r\x1b[K")
        out.flush()

    return show
