"""`probatio import DIR`: task folders of Harbor become tasks of a language's suite."""

from __future__ import annotations

from pathlib import Path

import click

from probatio.errors import UsageError


def import_tasks(folder: Path, suite: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Read every task folder, and add those that can be tasks to the suite; the others are named with the reason."""
    import msgspec

    from probatio.interchange.harbor_read import add_to_suite, is_harbor, read_harbor
    from probatio.suite.language_suite import load_suite

    if not is_harbor(folder):
        raise UsageError(f"{folder} is not a task folder of Harbor, nor a folder of them: there is no task.toml.")
    if suite is None:
        raise UsageError("Name the suite that gets the tasks: --suite DIR. `probatio suite new DIR` makes one.")
    loaded = load_suite(suite)
    read = read_harbor(folder)
    target = add_to_suite(read.tasks, loaded) if read.tasks and not dry_run else None
    if as_json:
        told = {
            "event": "plan" if dry_run else "imported",
            "tasks": [task.id for task in read.tasks],
            "refused": read.refused,
            "file": None if target is None else str(target),
        }
        click.echo(msgspec.json.encode(told).decode())
    else:
        for name, why in read.refused.items():
            click.echo(f"Not read: {name}: {why}", err=True)
        what = f"{len(read.tasks)} task{'' if len(read.tasks) == 1 else 's'}"
        click.echo(f"{folder}: {what}. Nothing was written." if target is None else f"Added {what}: {target}")
        if target is not None:
            click.echo(f"Check them with: probatio suite check {loaded.folder}")
    if not read.tasks:
        raise UsageError(f"None of the task folders in {folder} could be read as a task.")
