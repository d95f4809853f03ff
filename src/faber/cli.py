"""The command `faber`: check, run, compile or format Faber programs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

import faber
from faber import Diagnostic
from faber.dialects import NAMES, find_dialect

NO_JAIL = "This is no jail: deno runs the program without permissions, and nothing limits its time or memory."

_DENO = ("--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--cached-only", "--ext=ts")


class BadUse(click.ClickException):
    """What is wrong with the arguments, in one sentence."""

    exit_code = 2


class CannotRun(click.ClickException):
    """Why a run could not be completed, in one sentence."""

    exit_code = 3


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 a program has errors, 2 bad usage,
    3 it could not be completed."""
    try:
        command.main(prog_name="faber", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        click.echo(f"faber: {error.message}", err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("faber: interrupted.", err=True)
        sys.exit(3)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stdout = None
        sys.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"faber: {place}{error.strerror or error}.", err=True)
        sys.exit(3)


@click.group("faber", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(faber.VERSION, prog_name="faber", help="Show the version of the language and exit.")
def command() -> None:
    """Check, run, compile or format Faber programs.

    \b
    Example:
      echo 'scribe "salve"' | faber run -
    """


def _require_dialect(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    """A dialect by its name, with or without a twist."""
    if name is not None:
        try:
            find_dialect(name)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return name


DIALECTS = f"[{'|'.join(NAMES)}][+TWIST]"

dialect_option = click.option(
    "--dialect",
    callback=_require_dialect,
    metavar=DIALECTS,
    default="latin",
    show_default=True,
    help="The dialect of the program; `latin+one-based` has one rule exchanged (docs/generate.md).",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one line of JSON per file, with its diagnostics."
)
files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE… | -")


def _read(files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Name and text of each file; `-` is standard input."""
    for name in files:
        try:
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        except OSError as error:
            raise BadUse(f"{name} cannot be read: {error.strerror or error}.") from error
        yield name, data.decode("utf-8", "replace")


def _show(name: str, diagnostics: list[Diagnostic], as_json: bool, **more: object) -> None:
    if as_json:
        click.echo(
            msgspec.json.encode({"file": name, "ok": not diagnostics, "diagnostics": diagnostics, **more})
        )
    else:
        for diagnostic in diagnostics:
            click.echo(f"{name}:{diagnostic}", err=True)


@command.command()
@files_argument
@dialect_option
@json_option
@click.option(
    "--strict",
    is_flag=True,
    help="Also check arguments, members and missing returns. Grading does not check these.",
)
def check(files: tuple[str, ...], dialect: str, as_json: bool, strict: bool) -> None:
    """Check programs and print their errors. Exit code 0 without errors, else 1.

    \b
    Example:
      faber check --json programs/*.fab
    """
    failed = False
    for name, source in _read(files):
        diagnostics = faber.check(source, dialect, strict=strict)
        failed = failed or bool(diagnostics)
        _show(name, diagnostics, as_json, error_type=faber.classify_errors(diagnostics))
    sys.exit(1 if failed else 0)


@command.command()
@click.argument("file", metavar="FILE | -")
@dialect_option
def run(file: str, dialect: str) -> None:
    """Compile a program and run it with deno. The exit code and the output are those of the program.

    This is no jail: deno runs the program without permissions, and nothing limits its time or memory.
    Run only programs that you trust. Probatio grades the programs of models in its own jail and never uses
    this command. Values print as deno prints them.

    \b
    Example:
      faber run programs/salve.fab
    """
    ((name, source),) = _read((file,))
    try:
        program = faber.compile(source, dialect)
    except faber.Rejected as error:
        _show(name, error.diagnostics, as_json=False)
        sys.exit(1)
    click.echo(f"faber: {NO_JAIL}", err=True)
    sys.stdout.flush()
    deno = (_find_deno(), "run", *_DENO, "-")
    ended = subprocess.run(deno, input=program.encode("utf-8", "replace"), check=False)
    if ended.returncode < 0:
        raise CannotRun(f"the program was ended by signal {-ended.returncode}.")
    sys.exit(ended.returncode)


def _find_deno() -> str:
    """The deno that its wheel installed, wherever PATH points."""
    try:
        from deno import find_deno_bin

        return str(find_deno_bin())
    except (ImportError, FileNotFoundError) as error:
        raise CannotRun("programs run on deno, which is not installed here: pip install deno.") from error


@command.command(name="compile")
@files_argument
@dialect_option
@json_option
def compile_(files: tuple[str, ...], dialect: str, as_json: bool) -> None:
    """Compile programs to TypeScript, on standard output. Exit code 1 if one can't be compiled.

    \b
    Example:
      faber compile salve.fab > salve.ts
    """
    failed = False
    for name, source in _read(files):
        try:
            text = faber.compile(source, dialect)
        except faber.Rejected as error:
            failed = True
            _show(name, error.diagnostics, as_json, typescript=None)
            continue
        if as_json:
            _show(name, [], as_json, typescript=text)
        else:
            click.echo(text, nl=False)
    sys.exit(1 if failed else 0)


@command.command(name="format")
@files_argument
@dialect_option
@json_option
@click.option(
    "--to", callback=_require_dialect, metavar=DIALECTS, default=None, help="Convert to this dialect."
)
@click.option("--write", is_flag=True, help="Write the result to the files instead of printing it.")
def format_(files: tuple[str, ...], dialect: str, as_json: bool, to: str | None, write: bool) -> None:
    """Print programs in the standard layout, or in another dialect. Comments are kept.

    A name that is a keyword of the new dialect is renamed; each renaming is printed on stderr.

    \b
    Examples:
      faber format --write salve.fab
      faber format --to english salve.fab
    """
    if write and to not in (None, dialect):
        raise BadUse("--write keeps a file's dialect; print with --to and choose a new file yourself.")
    failed = False
    for name, source in _read(files):
        result = faber.convert(source, dialect, to)
        failed = failed or bool(result.diagnostics)
        if as_json:
            _show(name, result.diagnostics, as_json, text=result.text, renamed=result.renamed)
            continue
        _show(name, result.diagnostics, as_json=False)
        for old, new in result.renamed.items():
            click.echo(f"{name}: '{old}' is a word of {to or dialect} and was renamed '{new}'.", err=True)
        if result.diagnostics:
            continue
        if write and name != "-":
            Path(name).write_text(result.text, encoding="utf-8")
        else:
            click.echo(result.text, nl=False)
    sys.exit(1 if failed else 0)
