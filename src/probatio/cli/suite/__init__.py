"""`probatio suite`: list, begin, prove and copy suites."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.cli.grammar import Verb
from probatio.core.errors import UsageError

if TYPE_CHECKING:
    from probatio.authoring.brought import Brought
    from probatio.jail import Choice


@click.command(cls=Verb, no_args_is_help=True)
def command() -> None:
    """Write a suite of your own, for a language or for the daily watch: a folder to begin with, and the proof
    that it holds what it says.

    \b
    Examples:
      probatio suite new my-language
      probatio suite check my-language
      probatio trial --suite my-language --limit 20
      probatio suite new --daily my-watch
      probatio suite check my-watch
    """


@click.command()
@options.as_json
def list_suites(as_json: bool) -> None:
    """List the built-in suites: name, language, version, tasks and contexts.

    \b
    Example:
      probatio suite list --json
    """
    from probatio.suites.language_suite import list_built_in_suites, load_suite

    suites = [load_suite(name) for name in list_built_in_suites()]
    if as_json:
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
        options.print_json(rows)
        return
    table = [("NAME", "LANGUAGE", "VERSION", "TASKS", "CONTEXTS")]
    table += [
        (suite.name, suite.spec.name, suite.version or "–", str(len(suite.tasks)), ", ".join(suite.contexts))
        for suite in suites
    ]
    options.print_table(table)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "source",
    default="command",
    show_default=True,
    metavar="NAME|FILE",
    help="What to begin from: `command`, a language of commands that every Linux has, or a few tasks of a "
    "built-in suite, such as `strues`, whose whole toolchain is one file in the folder. With --daily: a "
    "file of prompts with what is expected (.yml, .csv, .jsonl), or a config of promptfoo.",
)
@click.option(
    "--daily", is_flag=True, help="Write a daily suite: use cases of your own for `probatio daily`."
)
@click.option(
    "--with",
    "graded_by",
    type=click.Choice(["rubric", "command", "python"]),
    help="With --daily: one use case that is graded by a judge with a rubric, by a command (here of the "
    "shell), or by a Python file.  [default: a built-in grader and a Python file]",
)
@options.as_json
def new(folder: Path, source: str, daily: bool, graded_by: str | None, as_json: bool) -> None:
    """Write a small working folder for a language, or with --daily for a watch, of your own. The folder must
    be new or empty.

    \b
    Examples:
      probatio suite new my-language
      probatio suite new my-language --from command
      probatio suite new --daily my-watch
      probatio suite new --daily my-watch --with rubric
      probatio suite new --daily my-watch --from prompts.csv
      probatio suite new --daily my-watch --from promptfooconfig.yaml
    """
    from probatio.authoring.new import write_brought_daily, write_new, write_new_daily

    if graded_by and not daily:
        raise UsageError(f"--with is for daily suites: probatio suite new --daily DIR --with {graded_by}")

    named = shlex.quote(str(folder))
    steps = {f"probatio suite check {named}": "prove it"}
    brought = None
    if daily:
        if source == "command":
            use_cases, cases = write_new_daily(folder, graded_by)
        elif graded_by:
            raise UsageError("--with and --from are two beginnings: take one of them.")
        else:
            brought = write_brought_daily(folder, Path(source))
            use_cases, cases = len({case.use_case for case in brought.cases}), len(brought.cases)
        counts = {"use cases": use_cases, "cases": cases}
        rehearsed = "see 40 simulated days, with a model that gets worse"
        steps[f"probatio suite rehearse {named}"] = rehearsed
        steps[f"probatio daily --suite {named} --dry-run"] = "see what would be asked"
    else:
        counts = {"tasks": write_new(folder, source)}
        steps[f"probatio trial --suite {named} --dry-run"] = "see what would be asked"
        steps[f"probatio trial --suite {named}"] = "ask a model"
    if as_json:
        numbers = {name.replace(" ", "_"): number for name, number in counts.items()}
        more = {"not_taken": dict(brought.not_taken), "left_out": list(brought.left_out)} if brought else {}
        options.print_event("written", folder=str(folder), **numbers, **more, next=list(steps))
        return
    counted = " and ".join(f"{n} {name.removesuffix('s') if n == 1 else name}" for name, n in counts.items())
    click.echo(f"Written: {folder}, with {counted}. {'' if brought else 'Next:'}".rstrip())
    if brought:
        _show_what_was_not_taken(brought)
    options.print_table([(f"  {step}", why) for step, why in steps.items()])


def _show_what_was_not_taken(brought: Brought) -> None:
    if brought.not_taken:
        click.echo("Not taken:")
        options.print_table([(f"  {what}", str(count)) for what, count in sorted(brought.not_taken.items())])
    if brought.left_out:
        click.echo("\n".join(["Left out:", *(f"  {each}" for each in brought.left_out)]))
    click.echo("Next:")


@click.command()
@click.argument("name", metavar="NAME")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@options.as_json
def export(name: str, folder: Path, as_json: bool) -> None:
    """Copy a built-in suite to a new or empty folder, to change it there. A copy of `daily` is graded by the
    built-in graders, and has the same fingerprint until you change it.

    \b
    Examples:
      probatio suite export NAME my-copy    (`suite list` shows the names)
      probatio suite export daily my-watch
    """
    from probatio.authoring.new import copy_suite

    count, proof = copy_suite(name, folder), f"probatio suite check {shlex.quote(str(folder))}"
    counted = "cases" if name == "daily" else "tasks"
    if as_json:
        options.print_event("written", folder=str(folder), suite=name, **{counted: count}, next=[proof])
        return
    click.echo(f"Written: {folder}, a copy of {name} with {count} {counted}. Prove it with: {proof}")


def _fill(folder: Path, sandbox: Choice) -> None:
    from probatio.authoring.fill import fill, refuse_built_in

    refuse_built_in(folder)
    filled = fill(folder, sandbox)
    for each in filled:
        click.echo(each.sentence, err=True)
    if any(each.text is not None for each in filled):
        click.echo("Read what was written: it is what the programs print, right or wrong.", err=True)


@click.command()
@click.argument("folder", metavar="DIR|NAME", type=click.Path(path_type=Path))
@options.sandbox
@click.option(
    "--runs",
    multiple=True,
    metavar="RUN",
    callback=options.split_names,
    help="Runs of the suite: warn of pools without headroom.  [default: stored runs of the suite as it is]",
)
@click.option(
    "--fill",
    "filling",
    is_flag=True,
    help="First write what programs print into tasks without `expected_output`, and what the toolchain says "
    "into broken programs without `diagnostics`. Read it: it is what they print, not what they should.",
)
@options.results
@options.as_json
def check(
    folder: Path, sandbox: Choice, runs: tuple[str, ...], filling: bool, results: Path, as_json: bool
) -> None:
    """Prove a folder, or a built-in suite, and show what is missing.

    A language: every example and solution is run in the jail and prints what is expected, every wrong answer
    fails, contexts and ids are as they should be. A daily suite: every answer in proofs.yml gets the score
    next to it, and a model can be COOKED. Stored runs or days show where there is no headroom.

    Exit code 1 if a proof fails, 2 if the folder can't be read or a command of its language is not there.

    \b
    Examples:
      probatio suite check my-language
      probatio suite check my-language --runs monday,tuesday    warns of tasks that are too easy or hard
      probatio suite check my-language --fill                   writes missing expected outputs
      probatio suite check my-language --json
      probatio suite check my-watch
      probatio suite check prompts.yml          a file of cases with what they expect
    """
    import msgspec

    from probatio.authoring.check import daily, language
    from probatio.authoring.check.measured import format_headroom, headroom_of_days, measure_headroom
    from probatio.authoring.check.report import CheckReport, DailyReport, format_report, summarise

    if filling:
        _fill(folder, sandbox)
    proven: CheckReport | DailyReport
    if (watch := daily.daily_folder(folder)) is not None:
        if runs:
            raise UsageError(
                "--runs is for languages; the headroom of a daily suite is read from the days in --results."
            )
        proven = daily.check(watch, sandbox, options.show_counts("proofs"))
        headroom = headroom_of_days(proven.fingerprint, results)
    else:
        proven = language.check(folder, sandbox, options.show_counts("proofs"))
        headroom = measure_headroom(folder, runs, results)
    if as_json:
        found = {"summary": summarise(proven), "headroom": headroom}
        options.print_json({**msgspec.to_builtins(proven), **found})
    else:
        for line in (*format_report(proven), *format_headroom(headroom)):
            click.echo(line)
    if not proven.passed:
        sys.exit(1)
