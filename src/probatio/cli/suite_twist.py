"""`probatio suite twist`: make, or check, the tasks of a folder under the twists of its language."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.sandbox import Choice


@click.command("twist")
@click.argument("folder", metavar="DIR|NAME", type=click.Path(path_type=Path))
@click.option("--twist", "twists", multiple=True, callback=options.listed, help="Only these, by name or glob.")
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit code 1 where a file is not what would be made."
)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON per twist.")
@options.sandbox
def command(folder: Path, twists: tuple[str, ...], only_check: bool, as_json: bool, sandbox: Choice) -> None:
    """Write DIR/twists/NAME.yml: what every task is where one rule of the language is exchanged. Programs run in the jail.

    Then `probatio trial --suite DIR --dialect latin,latin+NAME` asks both, and `probatio study` tells the price of the rule.

    \b
    Examples:
      probatio suite twist my-copy
      probatio suite twist my-copy --twist one-based --check
    """
    import msgspec

    from probatio.authoring.twisting import Making, twist_path, twist_text
    from probatio.errors import UsageError
    from probatio.languages.contract import Twisting
    from probatio.names import pick
    from probatio.store.files import put
    from probatio.suite.language_suite import load_suite

    suite = load_suite(folder)
    language = suite.language
    if not isinstance(language, Twisting):
        raise UsageError(f"{suite.spec.name} has no twists: its rules can't be exchanged.")
    stale = False
    for name in pick("twist", twists or ("*",), tuple(language.twists), f"in {suite.spec.name}"):
        made = Making(suite, name, sandbox).file()
        path, text = twist_path(suite, name), twist_text(made) if made.tasks else None
        same = (path.read_text(encoding="utf-8") if path.exists() else None) == text
        if only_check:
            stale |= not same
        elif text is None:
            path.unlink(missing_ok=True)
        elif not same:
            path.parent.mkdir(exist_ok=True)
            put(path, text.encode())
        counts = {"touched": len(made.tasks), "untouched": len(made.untouched), "left_out": len(made.left_out)}
        if as_json:
            click.echo(msgspec.json.encode({"twist": name, **counts, "file": str(path), "same": same}).decode())
        else:
            told = (
                f"{counts['touched']} tasks touched, {counts['untouched']} not touched, {counts['left_out']} left out"
            )
            done = "no file, as no task is touched" if text is None else "as it was" if same else "written"
            state = "NOT as the file says" if only_check and not same else done
            click.echo(f"{name}: {told}; {state}.")
    if stale:
        sys.exit(1)
