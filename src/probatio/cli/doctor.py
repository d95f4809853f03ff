"""`probatio doctor`: show what works on this machine: runtimes, isolation (tested by attacks), keys, embedded models."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from probatio import __version__
from probatio.errors import ProbatioError

if TYPE_CHECKING:
    from probatio.sandbox import Choice


class Trial(msgspec.Struct, frozen=True):
    """One real attack and its result."""

    attack: str
    held: bool
    detail: str


class Diagnosis(msgspec.Struct, frozen=True):
    """Everything that `probatio doctor` shows."""

    probatio: str
    python: str
    platform: str
    deno: str
    bubblewrap: str
    isolation: str
    made_of: str
    passed_over: tuple[str, ...]
    trials: tuple[Trial, ...]
    keys: dict[str, bool]
    models_folder: str
    models: dict[str, int]
    browser: str = ""

    @property
    def isolated(self) -> bool:
        return self.isolation != "none" and bool(self.trials) and all(trial.held for trial in self.trials)


def _said(*argv: str) -> str:
    """The first line of a program's output, such as its version."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False, env={"NO_COLOR": "1"})
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def _keys() -> dict[str, bool]:
    """Which keys are set, in the environment or in .env. Only names: a value is never shown."""
    from dotenv import dotenv_values

    from probatio.ask.routes import WIRES

    env = {**dotenv_values(".env"), **os.environ}
    return {wire.api_key_env: bool(env.get(wire.api_key_env)) for wire in WIRES.values()}


def _models() -> tuple[Path, dict[str, int]]:
    """The folder of the embedded models, and its files with their sizes in bytes."""
    from probatio.embedded.weights import models_folder

    folder = models_folder()
    found = {str(path.relative_to(folder)): path.stat().st_size for path in sorted(folder.rglob("*.gguf"))}
    return folder, found


def _browser(choice: Choice) -> str:
    """The Chromium that checks web pages; it is really started."""
    from probatio.browser.driver import available, close

    try:
        return available(choice).sentence
    finally:
        close()


def _trials(choice: Choice, every: bool) -> tuple[Trial, ...]:
    from probatio.languages.typescript.attacks import ATTACKS, fault, mount, target

    tried = []
    with target() as on:
        for attack in ATTACKS:
            if attack.slow and not every:
                continue
            found = fault(attack, mount(attack, on, choice), on)
            tried.append(Trial(attack.name, found is None, found or attack.held_by))
    return tuple(tried)


def diagnose(choice: Choice = "auto", every: bool = False) -> Diagnosis:
    """Check everything, and run real attacks against the isolation."""
    from probatio.languages.typescript.engines import deno
    from probatio.sandbox import NoIsolation, isolation, jail

    try:
        runtime = deno()
        runtime_said = _said(runtime, "--version")
    except ProbatioError as error:
        runtime, runtime_said = "", str(error)
    bwrap = jail.bwrap()
    try:
        found = isolation(choice)
        kind, made_of, passed_over = found.kind, found.made_of, found.passed_over
        # Without a jail the attacks would do their harm to this very machine.
        trials = _trials(choice, every) if runtime and kind != "none" else ()
    except NoIsolation as error:
        kind, made_of, passed_over, trials = "none", str(error), (), ()
    folder, models = _models()
    return Diagnosis(
        probatio=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        deno=runtime_said,
        bubblewrap=_said(bwrap, "--version") if bwrap else "not installed",
        isolation=kind,
        made_of=made_of,
        passed_over=passed_over,
        trials=trials,
        keys=_keys(),
        models_folder=str(folder),
        models=models,
        browser=_browser(choice),
    )


def _show(found: Diagnosis) -> None:
    def row(name: str, text: str) -> None:
        click.echo(f"{name:<12} {text}")

    row("probatio", found.probatio)
    row("python", f"{found.python} on {found.platform}")
    row("deno", found.deno)
    row("bubblewrap", found.bubblewrap)
    row("browser", found.browser)
    row("isolation", f"{found.isolation}: {found.made_of}")
    for reason in found.passed_over:
        row("", f"not used: {reason}")
    for trial in found.trials:
        row("", f"{'held  ' if trial.held else 'FAILED'} {trial.attack:<30} {trial.detail}")
    row("keys", ", ".join(f"{name} {'set' if there else 'not set'}" for name, there in found.keys.items()))
    row("models", found.models_folder)
    for name, size in found.models.items():
        row("", f"{name} ({size / 1e6:,.0f} MB)")
    if not found.models:
        row("", "none yet; `probatio models pull NAME` fetches one")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
@click.option(
    "--sandbox", type=click.Choice(["auto", "bubblewrap", "landlock", "none"]), default="auto", show_default=True,
    help="The isolation to test.",
)  # fmt: skip
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
    found = diagnose(sandbox, every)
    if as_json:
        click.echo(json.dumps({**msgspec.to_builtins(found), "isolated": found.isolated}, indent=2))
    else:
        _show(found)
        if not found.isolated:
            click.echo("Isolation is not in force: no model's code should be run here.", err=True)
    ctx.exit(0 if found.isolated else 1)
