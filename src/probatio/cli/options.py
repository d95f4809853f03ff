"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from pathlib import Path

import click

results = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Where runs are kept.",
)

sandbox = click.option(
    "--sandbox",
    type=click.Choice(["auto", "bubblewrap", "landlock", "none"]),
    default="auto",
    show_default=True,
    help="The jail a model's code runs in.",
)

recorded_suite = click.option(
    "--suite", type=click.Path(path_type=Path), help="The suite the tasks belong to; else the one the run recorded."
)
