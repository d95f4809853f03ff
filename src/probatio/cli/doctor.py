"""`probatio doctor`: show what works on this machine."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

import click

from probatio.cli import options

if TYPE_CHECKING:
    from probatio.jail import Choice
    from probatio.runs.diagnosis import Diagnosis


def _summarise(diagnosis: Diagnosis) -> str:
    """Which isolation held, in one sentence."""
    if not diagnosis.trials:
        return "no attack was tried: there is no isolation to attack"
    failed = Counter(trial.isolation for trial in diagnosis.trials if not trial.held)
    kinds = dict.fromkeys(trial.isolation for trial in diagnosis.trials)
    held = [
        f"{kind} failed {failed[kind]} attacks" if failed[kind] else f"{kind} held every attack"
        for kind in kinds
    ]
    return f"{'; '.join(held)}; programs run in {diagnosis.isolation}"


def _show(diagnosis: Diagnosis) -> None:
    def row(name: str, text: str) -> None:
        click.echo(f"{name:<12} {text}")

    row("probatio", f"{diagnosis.probatio} (the software)")
    others = {name: version for name, version in diagnosis.versions.items() if name != "software"}
    row("versions", ", ".join(f"{name} {version}" for name, version in others.items()))
    row("python", f"{diagnosis.python} on {diagnosis.platform}")
    row(
        "extras",
        ", ".join(
            f"{name} {'installed' if there else 'missing'}" for name, there in diagnosis.extras.items()
        ),
    )
    row("deno", diagnosis.deno)
    row("bubblewrap", diagnosis.bubblewrap)
    row("browser", diagnosis.browser)
    row("isolation", f"{diagnosis.isolation}: {diagnosis.made_of}")
    for reason in diagnosis.passed_over:
        row("", f"not used: {reason}")
    for (kind, by), trials in groupby(diagnosis.trials, key=lambda trial: (trial.isolation, trial.by)):
        row("", f"attacked in {kind}, from {by}:")
        for trial in trials:
            row("", f"{'held  ' if trial.held else 'FAILED'} {trial.attack:<31} {trial.detail}")
    row("", _summarise(diagnosis))
    row("promises", "what others' folders, answers and servers can't do: `probatio help promises`")
    for number, (name, answer) in enumerate(diagnosis.works.items()):
        row("" if number else "works", f"{name}: {answer}")
    row(
        "keys", ", ".join(f"{name} {'set' if there else 'not set'}" for name, there in diagnosis.keys.items())
    )
    if diagnosis.unpinned:
        row(
            "routes",
            f"any provider may serve {', '.join(diagnosis.unpinned)}: no `route` in config/models.yml",
        )
    row("models", diagnosis.models_folder)
    for name, size in diagnosis.models.items():
        row("", f"{name} ({size / 1e6:,.0f} MB)")
    if not diagnosis.models:
        row("", "none yet; `probatio models pull NAME` fetches one")


@click.command()
@options.as_json
@options.value_option(
    "--sandbox",
    click.Choice(["auto", "bubblewrap", "landlock", "none"]),
    "auto",
    "The isolation to test; auto tests every one this machine can have.",
)
@click.option("--all", "every", is_flag=True, help="Also run the attacks that take seconds.")
@click.pass_context
def command(ctx: click.Context, as_json: bool, sandbox: Choice, every: bool) -> None:
    """Show what works on this machine, and run real attacks against the isolation.

    Exit code 1 if an attack succeeds or if there is no isolation.

    \b
    Examples:
      probatio doctor
      probatio doctor --json | jq .isolation
    """
    import json

    import msgspec

    from probatio.runs.diagnosis import diagnose

    diagnosis = diagnose(sandbox, every)
    if as_json:
        click.echo(json.dumps({**msgspec.to_builtins(diagnosis), "isolated": diagnosis.isolated}, indent=2))
    else:
        _show(diagnosis)
        if not diagnosis.isolated:
            click.echo("Isolation is not in force: no model's code should be run here.", err=True)
    ctx.exit(0 if diagnosis.isolated else 1)
