"""`probatio faber`: check, run, compile or format Faber programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from probatio.cli import options
from probatio.errors import UsageError
from probatio.languages.faber import Diagnostic
from probatio.languages.faber.dialects import NAMES
from probatio.languages.faber.dialects import dialect as dialect_named
from probatio.sandbox import Choice


def _dialect(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    """A dialect by its name, with or without a twist."""
    if name is not None:
        try:
            dialect_named(name)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return name


DIALECTS = f"[{'|'.join(NAMES)}][+TWIST]"

dialect_option = click.option(
    "--dialect",
    callback=_dialect,
    metavar=DIALECTS,
    default="latin",
    show_default=True,
    help="The dialect of the program; `latin+one-based` has one rule exchanged (docs/twists.md).",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one line of JSON per file, with its diagnostics."
)
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
@click.option(
    "--strict", is_flag=True, help="Also check arguments, members and missing returns. Grading does not check these."
)
def check(files: tuple[str, ...], dialect: str, as_json: bool, strict: bool) -> None:
    """Check programs and print their errors. Exit code 0 without errors, else 1.

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
    """Compile a program and run it in the sandbox. The exit code and the output are those of the program.

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
    """Compile programs to TypeScript, on standard output. Exit code 1 if one can't be compiled.

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
@click.option("--to", callback=_dialect, metavar=DIALECTS, default=None, help="Convert to this dialect.")
@click.option("--write", is_flag=True, help="Write the result to the files instead of printing it.")
def format_(files: tuple[str, ...], dialect: str, as_json: bool, to: str | None, write: bool) -> None:
    """Print programs in the standard layout, or in another dialect. Comments are kept.

    A name that is a keyword of the new dialect is renamed; each renaming is printed on stderr.

    \b
    Examples:
      probatio faber format --write salve.fab
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
