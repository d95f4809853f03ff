"""`probatio suite`: begin, prove, copy and list suites. The daily ones are in `suite_daily.py`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import generate, options, suite_twist, suite_vary
from probatio.errors import UsageError

if TYPE_CHECKING:
    from probatio.authoring.proving import Watch
    from probatio.sandbox import Choice


@click.group()
def command() -> None:
    """Write a suite of your own, for a language or for the daily watch: a folder to begin with, and the proof that it holds
    what it says.

    \b
    Examples:
      probatio suite new my-language
      probatio suite check my-language
      probatio trial --suite my-language --limit 20
      probatio suite new --daily my-watch
      probatio suite check my-watch
    """


command.add_command(generate.command)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def list_suites(as_json: bool) -> None:
    """List the built-in suites: name, language, version, tasks and contexts.

    \b
    Example:
      probatio suite list --json
    """
    from probatio.suite.language_suite import built_in_suites, load_suite

    suites = [load_suite(name) for name in built_in_suites()]
    if as_json:
        import msgspec

        rows = [
            {
                "name": suite.name,
                "language": suite.spec.name,
                "version": suite.version,
                "tasks": len(suite.tasks),
                "examples": len(suite.examples),
                "contexts": list(suite.contexts),
                "dialects": list(suite.language.dialects),
                "twists": list(suite.twists),
                "folder": str(suite.folder),
            }
            for suite in suites
        ]
        click.echo(msgspec.json.encode(rows).decode())
        return
    table = [("NAME", "LANGUAGE", "VERSION", "TASKS", "CONTEXTS")]
    table += [
        (suite.name, suite.spec.name, suite.version or "–", str(len(suite.tasks)), ", ".join(suite.contexts))
        for suite in suites
    ]
    widths = [max(len(row[column]) for row in table) for column in range(5)]
    for row in table:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@command.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "source",
    default="command",
    show_default=True,
    metavar="NAME",
    help="What to begin from: `command`, a language of commands that every Linux has, or a few tasks of a built-in suite, such "
    "as `strues`, whose whole toolchain is one file in the folder.",
)
@click.option("--daily", is_flag=True, help="Write a daily suite: use cases of your own for `probatio daily`.")
def new(folder: Path, source: str, daily: bool) -> None:
    """Write a small working folder for a language, or with --daily for a watch, of your own. The folder must be new or empty.

    \b
    Examples:
      probatio suite new my-language
      probatio suite new my-language --from command
      probatio suite new --daily my-watch
    """
    if daily:
        from probatio.cli.suite_daily import write_new_daily

        write_new_daily(folder, source)
        return
    from probatio.authoring.copying import new as write_new

    tasks, named = write_new(folder, source), shlex.quote(str(folder))
    click.echo(f"Written: {folder}, with {tasks} tasks. Next:")
    click.echo(f"  probatio suite check {named}              prove it")
    click.echo(f"  probatio trial --suite {named} --dry-run  see what would be asked")
    click.echo(f"  probatio trial --suite {named}            ask a model")


@command.command()
@click.argument("folder", metavar="DIR|NAME", type=click.Path(path_type=Path))
@options.sandbox
@click.option(
    "--runs",
    multiple=True,
    metavar="RUN",
    callback=options.listed,
    help="Runs of the suite: warn of pools without headroom.  [default: stored runs of the suite as it is]",
)
@options.results
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as one JSON object.")
def check(folder: Path, sandbox: Choice, runs: tuple[str, ...], results: Path, as_json: bool) -> None:
    """Prove a folder, or a built-in suite: every example and solution is run in the jail and prints what is expected, every
    wrong answer fails, contexts and ids are as they should be. Then a table of what is missing. Of a daily suite: every answer
    in proofs.yml gets the score that stands beside it, a model can be COOKED, and where the stored days show no headroom.

    Exit code 1 if a proof fails, 2 if the folder can't be read or a command of its language is not there.

    \b
    Examples:
      probatio suite check my-language
      probatio suite check my-language --runs monday,tuesday    with warnings of tasks that nobody fails or passes
      probatio suite check my-language --json
      probatio suite check my-watch
    """
    import msgspec

    from probatio.authoring.check import check as checked
    from probatio.authoring.daily_check import daily_folder
    from probatio.authoring.report import lines, summary

    if (watch := daily_folder(folder)) is not None:
        from probatio.cli.suite_daily import check_daily

        if runs:
            raise UsageError(
                "--runs is for languages; the headroom of a daily suite is read from the days in --results."
            )
        check_daily(watch, sandbox, results, as_json, _progress())
        return
    report = checked(folder, sandbox, _progress())
    if as_json:
        from probatio.authoring.measured import measured_headroom

        headroom = msgspec.to_builtins(measured_headroom(folder, runs, results))
        whole = {**msgspec.to_builtins(report), "summary": summary(report), "headroom": headroom}
        click.echo(msgspec.json.encode(whole).decode())
    else:
        from probatio.authoring.measured import headroom_lines, measured_headroom

        for line in lines(report):
            click.echo(line)
        for line in headroom_lines(measured_headroom(folder, runs, results)):
            click.echo(line)
    if not report.passed:
        sys.exit(1)


@command.command()
@click.argument("name", metavar="NAME")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def export(name: str, folder: Path) -> None:
    """Copy a built-in suite to a new or empty folder, to change it there.

    \b
    Example:
      probatio suite export NAME my-copy    (NAME: see the command list)
    """
    from probatio.authoring.copying import export as write_copy

    tasks, named = write_copy(name, folder), shlex.quote(str(folder))
    click.echo(f"Written: {folder}, a copy of {name} with {tasks} tasks. Prove it with: probatio suite check {named}")


command.add_command(suite_twist.command)
command.add_command(suite_vary.command)


def _progress() -> Watch:
    """How far the proofs are, on a terminal; it wipes itself at the end."""
    from probatio.visible import raw

    out = raw(sys.stderr)
    if not out.isatty():
        return lambda done, total: None

    def show(done: int, total: int) -> None:
        out.write(f"\rproofs {done}/{total}" if done < total else "\r\x1b[K")
        out.flush()

    return show
