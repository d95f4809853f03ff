"""`probatio faber`: check, run, compile or format Faber programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from probatio.cli import options
from probatio.errors import UsageError
from probatio.languages.faber import Diagnostic
from probatio.languages.faber.dialects import NAMES as DIALECTS
from probatio.sandbox import Choice

dialect_option = click.option(
    "--dialect",
    type=click.Choice(DIALECTS),
    default="latin",
    show_default=True,
    help="The words the program is written in.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="One line of JSON per file, with its diagnostics.")
files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE… | -")


@click.group("faber")
def command() -> None:
    """Check, run, compile or format Faber programs.

    \b
    Example:
      echo 'scribe "salve"' | probatio faber run -
    """


def sources(files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Name and text of each file; `-` is standard input."""
    for name in files:
        try:
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            raise UsageError(f"{name} cannot be read: {error.strerror or error}.") from error
        yield name, data.decode("utf-8", "replace")


def show_diagnostics(name: str, diagnostics: list[Diagnostic], as_json: bool, **more: object) -> None:
    import msgspec

    if as_json:
        click.echo(msgspec.json.encode({"file": name, "ok": not diagnostics, "diagnostics": diagnostics, **more}))
    else:
        for diagnostic in diagnostics:
            click.echo(f"{name}:{diagnostic}", err=True)


@command.command()
@files_argument
@dialect_option
@json_option
@click.option("--strict", is_flag=True, help="Also arguments, members and missing returns, which grading leaves alone.")
def check(files: tuple[str, ...], dialect: str, as_json: bool, strict: bool) -> None:
    """Say what is wrong with programs; exit 0 when nothing is, 1 otherwise.

    \b
    Example:
      probatio faber check --json programs/*.fab
    """
    from probatio.languages import faber

    failed = False
    for name, source in sources(files):
        diagnostics = faber.check(source, dialect, strict=strict)
        failed = failed or bool(diagnostics)
        show_diagnostics(name, diagnostics, as_json, error_type=faber.error_class(diagnostics))
    sys.exit(1 if failed else 0)


@command.command()
@click.argument("file", metavar="FILE | -")
@dialect_option
@options.sandbox
def run(file: str, dialect: str, sandbox: Choice) -> None:
    """Compile a program and run it; the exit code and the output are the program's own.

    \b
    Example:
      probatio faber run programs/salve.fab
    """
    from probatio.languages import faber

    ((name, source),) = sources((file,))
    try:
        outcome = faber.run(source, dialect, sandbox)
    except faber.Rejected as error:
        show_diagnostics(name, error.diagnostics, as_json=False)
        sys.exit(1)
    click.echo(outcome.stdout, nl=False)
    click.echo(outcome.stderr, nl=False, err=True)
    if outcome.exit is None:
        click.echo(f"probatio: the program was stopped at its limit of {outcome.stopped}.", err=True)
        sys.exit(3)
    sys.exit(outcome.exit)


@command.command(name="compile")
@files_argument
@dialect_option
@json_option
def compile_(files: tuple[str, ...], dialect: str, as_json: bool) -> None:
    """Write programs as TypeScript; exit 1 when one cannot be compiled.

    \b
    Example:
      probatio faber compile salve.fab > salve.ts
    """
    from probatio.languages import faber

    failed = False
    for name, source in sources(files):
        try:
            text = faber.compile(source, dialect)
        except faber.Rejected as error:
            failed = True
            show_diagnostics(name, error.diagnostics, as_json, typescript=None)
            continue
        if as_json:
            show_diagnostics(name, [], as_json, typescript=text)
        else:
            click.echo(text, nl=False)
    sys.exit(1 if failed else 0)


@command.command(name="format")
@files_argument
@dialect_option
@json_option
@click.option("--to", type=click.Choice(DIALECTS), default=None, help="Print in the words of this dialect.")
@click.option("--write", is_flag=True, help="Put the result into the files instead of printing it.")
def format_(files: tuple[str, ...], dialect: str, as_json: bool, to: str | None, write: bool) -> None:
    """Print programs in the one canonical way; comments stay. Names that collide with a dialect's words are told on stderr.

    \b
    Example:
      probatio faber format --to english salve.fab
    """
    from probatio.languages import faber

    if write and to not in (None, dialect):
        raise UsageError("--write keeps a file's dialect; print with --to and choose a new file yourself.")
    failed = False
    for name, source in sources(files):
        result = faber.conversion(source, dialect, to)
        failed = failed or bool(result.diagnostics)
        if as_json:
            show_diagnostics(name, result.diagnostics, as_json, text=result.text, renamed=result.renamed)
            continue
        show_diagnostics(name, result.diagnostics, as_json=False)
        for old, new in result.renamed.items():
            click.echo(f"{name}: '{old}' is a word of {to or dialect} and was renamed '{new}'.", err=True)
        if result.diagnostics:
            continue
        if write and name != "-":
            Path(name).write_text(result.text, encoding="utf-8")
        else:
            click.echo(result.text, nl=False)
    sys.exit(1 if failed else 0)
