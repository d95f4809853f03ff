"""`probatio suite trust`: what a folder of someone else asks for, and the user's word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.core.errors import Incomplete, UsageError

if TYPE_CHECKING:
    from probatio.authoring.trust import FolderRequests


@click.command()
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
@click.option(
    "--mine", is_flag=True, help="The folder is your own: trust it by its place, also when it changes."
)
@options.yes_to("Trust it without a question.")
@click.option("--list", "listing", is_flag=True, help="List what you trust, and the file that says it.")
@click.option("--remove", is_flag=True, help="Trust DIR no longer.")
@options.as_json
def trust(folder: Path | None, mine: bool, yes: bool, listing: bool, remove: bool, as_json: bool) -> None:
    """Show what a folder asks for besides being read, and allow it.

    DIR is a suite, a project with config/models.yml, or a results folder. A suite can ask to run a grader
    outside the jail, to use files and programs of this machine, or to send a key somewhere; a models.yml to
    send keys and messages, load weights or raise limits; records to read a suite elsewhere. Without your word
    none of that is done.

    A folder is trusted as it is: once a file of it changes, you are asked again. Your own folder (--mine, and
    any that `suite new` made here) is trusted by its place. PROBATIO_TRUST=FILE names a file of the same form
    to be used instead, where no one sits at a keyboard.

    \b
    Examples:
      probatio suite trust their-watch
      probatio suite trust my-watch --mine
      probatio suite trust . --yes              the keys and addresses of config/models.yml
      probatio suite trust --list
      probatio suite trust their-watch --remove
    """
    if listing:
        _list(as_json)
    elif folder is None:
        raise UsageError("Name the folder: probatio suite trust DIR. --list shows what you trust.")
    elif remove:
        _remove(folder, as_json)
    elif not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    else:
        _trust(folder, mine=mine, yes=yes, as_json=as_json)


def _trust(folder: Path, *, mine: bool, yes: bool, as_json: bool) -> None:
    from probatio.authoring.trust import collect_requests, find_open, give_trust

    asked = collect_requests(folder, mine=mine)
    left = find_open(folder, asked)
    needed = mine or any(left)
    if as_json:
        rows = [{"kind": each.kind, "what": str(each)} for each in asked]
        options.print_event("trust", folder=str(folder.resolve()), asks=rows, trusted=yes or not needed)
    else:
        for request in asked:
            click.echo(f"It asks to {request}.")
        if not any(asked):
            click.echo(f"{folder} asks for nothing: it is only read, and its graders run in the jail.")
        elif not needed:
            click.echo("You trust it already.")
    if not needed:
        return
    if not yes:
        _ask(folder, as_json)
    give_trust(folder, left, mine=mine)
    if not as_json:
        click.echo(
            f"{_say_what(folder, left, mine)} `probatio suite trust {folder} --remove` takes that back."
        )


def _say_what(folder: Path, given: FolderRequests, mine: bool) -> str:
    from probatio.core.config import LOCAL_CONFIG

    if mine:
        return f"{folder} is trusted by its place, also when it changes."
    if given.suite:
        return f"{folder} is trusted as it is now."
    if given.values:
        return (
            f"What {folder / LOCAL_CONFIG} asks for is allowed from now on, in every folder that asks for it."
        )
    return f"The suites that {folder} names may be read from now on."


def _ask(folder: Path, as_json: bool) -> None:
    if not options.can_ask(as_json):
        raise UsageError(f"Nobody can be asked here. Say --yes if you trust {folder}. Nothing was changed.")
    if not options.ask(f"Do you trust {folder}?"):
        raise Incomplete("Nothing was changed.")


def _list(as_json: bool) -> None:
    from probatio.core.trust import read_trust, trust_file

    known = read_trust()
    if as_json:
        options.print_event("trusted", known, file=str(trust_file()))
        return
    rows = [("by its place", entry.path) for entry in known.folders if not entry.digest and not entry.reading]
    rows += [("by its content", entry.path) for entry in known.folders if entry.digest]
    rows += [("to be read", entry.path) for entry in known.folders if entry.reading]
    rows += [(value.kind, value.shown) for value in known.values]
    if rows:
        options.print_table([("TRUSTED", "WHAT"), *rows])
    click.echo(f"{'That' if rows else 'Nothing is trusted yet. It'} is kept in {trust_file()}.")


def _remove(folder: Path, as_json: bool) -> None:
    from probatio.authoring.trust import take_back_trust

    if not take_back_trust(folder):
        raise UsageError(f"{folder} is not trusted, so there is nothing to take back.")
    if as_json:
        options.print_event("removed", folder=str(folder.resolve()))
    else:
        click.echo(f"{folder} is trusted no longer.")
