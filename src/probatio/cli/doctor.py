"""`probatio doctor`: show what works on this machine: runtimes, isolation (tested by attacks), keys, embedded models."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from probatio import __version__
from probatio.errors import ProbatioError
from probatio.extras import installed_extras

if TYPE_CHECKING:
    from probatio.sandbox import Choice


class AttackResult(msgspec.Struct, frozen=True):
    """One attack, tried for real."""

    attack: str
    held: bool
    detail: str
    isolation: str
    by: str
    """The runtime the attacker is: deno, with every permission it can give, or python."""


class Diagnosis(msgspec.Struct, frozen=True):
    """What the doctor has seen."""

    probatio: str
    python: str
    platform: str
    deno: str
    bubblewrap: str
    isolation: str
    made_of: str
    passed_over: tuple[str, ...]
    trials: tuple[AttackResult, ...]
    keys: dict[str, bool]
    models_folder: str
    models: dict[str, int]
    browser: str = ""
    extras: dict[str, bool] = {}
    unpinned: tuple[str, ...] = ()
    """Models of config/models.yml that any provider may serve."""
    works: dict[str, str] = {}
    """What a user does → `yes`, or why it does not work here."""
    versions: dict[str, str] = {}
    """Software, grader and built-in suites: three kinds of versions, each of which can move a number."""

    @property
    def isolated(self) -> bool:
        return self.isolation != "none" and bool(self.trials) and all(trial.held for trial in self.trials)


def _first_line(*argv: str) -> str:
    """The first line a program prints."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False, env={"NO_COLOR": "1"})
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def _bubblewrap() -> str:
    from probatio.sandbox import jail

    found = jail.bwrap()
    return _first_line(found, "--version") if found else "not installed"


def _keys() -> dict[str, bool]:
    """Which keys are set, in the environment or in .env. Only names: a value is never shown."""
    from dotenv import dotenv_values

    from probatio.ask.providers import PROVIDERS

    env = {**dotenv_values(".env"), **os.environ}
    names = [provider.api_key_env for provider in PROVIDERS.values() if provider.api_key_env]
    return {name: bool(env.get(name)) for name in names}


def _models() -> tuple[Path, dict[str, int]]:
    """Where embedded models are kept, and what is there, by size in bytes."""
    from probatio.embedded.catalogue import models_folder

    folder = models_folder()
    return folder, {str(path.relative_to(folder)): path.stat().st_size for path in sorted(folder.rglob("*.gguf"))}


def _unpinned() -> tuple[str, ...]:
    """Models of the user's own list without a pinned provider; a list that can't be read is told by whoever uses it."""
    from probatio.ask.routes import unpinned
    from probatio.config import LOCAL_CONFIG, load_config

    try:
        return tuple(unpinned(load_config().models)) if LOCAL_CONFIG.exists() else ()
    except ProbatioError:
        return ()


def _browser(choice: Choice) -> str:
    """The Chromium that checks web pages; it is really started."""
    from probatio.sandbox import elsewhere

    if told := elsewhere():
        return told
    from probatio.browser.driver import available, close

    try:
        return available(choice).sentence
    finally:
        close()


OUTLIVE = "outlive a killed grader"
_OUTLIVED_HELD = "the program ended with it, though it had done all it can to stay"


def _offered(choice: Choice) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
    """The isolations to try, and why others can't be: with `auto`, every one that this machine can have."""
    from probatio.sandbox import NoIsolation, isolation

    if choice != "auto":
        return (choice,), ()
    kinds: tuple[Choice, ...] = ("bubblewrap", "landlock")
    there: list[Choice] = []
    absent = []
    for kind in kinds:
        try:
            isolation(kind)
            there.append(kind)
        except NoIsolation as error:
            absent.append(str(error).partition("(")[2].partition(")")[0] or str(error))
    return tuple(there), tuple(absent)


def _trials(kind: Choice, every: bool) -> Iterator[AttackResult]:
    """Every attack in one isolation, by both runtimes that models' code is given."""
    from probatio.languages.attackers import attackers
    from probatio.sandbox.attack import fault, target

    with target() as on:
        for by, attacker in attackers():
            for attack in attacker.ATTACKS:
                if attack.slow and not every:
                    continue
                harm = fault(attack, attacker.mount(attack, on, kind), on)
                yield AttackResult(attack.name, harm is None, harm or attack.held_by, kind, by)
            left = attacker.outlives_the_grader(kind)
            yield AttackResult(OUTLIVE, left is None, left or _OUTLIVED_HELD, kind, by)


def diagnose(choice: Choice = "auto", every: bool = False) -> Diagnosis:
    """Check everything, and run real attacks against the isolation."""
    from probatio.cli.doctor_works import versions, works
    from probatio.languages.runtimes import deno
    from probatio.sandbox import NoIsolation, elsewhere, isolation

    try:
        runtime = deno()
        runtime_version = _first_line(runtime, "--version")
    except ProbatioError as error:
        runtime, runtime_version = "", str(error)
    try:
        jailed = isolation(choice)
        kind, made_of, passed_over = jailed.kind, jailed.made_of, jailed.passed_over
        # Without a jail the attacks would do their harm to this very machine.
        kinds, absent = _offered(choice) if runtime and kind != "none" else ((), ())
        trials = tuple(trial for one in kinds for trial in _trials(one, every))
        passed_over = tuple(dict.fromkeys((*passed_over, *absent)))
    except NoIsolation as error:
        kind, made_of, passed_over, trials = "none", str(error), (), ()
    folder, models = _models()
    extras = installed_extras()
    return Diagnosis(
        probatio=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        deno=runtime_version,
        bubblewrap="for Linux only" if elsewhere() else _bubblewrap(),
        isolation=kind,
        made_of=made_of,
        passed_over=passed_over,
        trials=trials,
        keys=_keys(),
        models_folder=str(folder),
        models=models,
        browser=_browser(choice),
        extras=extras,
        unpinned=_unpinned(),
        works=works(made_of if kind == "none" and choice != "none" else None, extras),
        versions=versions(),
    )


def _verdict(diagnosis: Diagnosis) -> str:
    """Which isolation held, in one sentence."""
    if not diagnosis.trials:
        return "no attack was tried: there is no isolation to attack"
    failed = Counter(trial.isolation for trial in diagnosis.trials if not trial.held)
    kinds = dict.fromkeys(trial.isolation for trial in diagnosis.trials)
    told = [f"{kind} failed {failed[kind]} attacks" if failed[kind] else f"{kind} held every attack" for kind in kinds]
    return f"{'; '.join(told)}; programs run in {diagnosis.isolation}"


def _show(diagnosis: Diagnosis) -> None:
    def row(name: str, text: str) -> None:
        click.echo(f"{name:<12} {text}")

    row("probatio", f"{diagnosis.probatio} (the software)")
    others = {name: version for name, version in diagnosis.versions.items() if name != "software"}
    row("versions", ", ".join(f"{name} {version}" for name, version in others.items()))
    row("python", f"{diagnosis.python} on {diagnosis.platform}")
    row(
        "extras", ", ".join(f"{name} {'installed' if there else 'missing'}" for name, there in diagnosis.extras.items())
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
    row("", _verdict(diagnosis))
    for number, (name, told) in enumerate(diagnosis.works.items()):
        row("" if number else "works", f"{name}: {told}")
    row("keys", ", ".join(f"{name} {'set' if there else 'not set'}" for name, there in diagnosis.keys.items()))
    if diagnosis.unpinned:
        row("routes", f"any provider may serve {', '.join(diagnosis.unpinned)}: no `route` in config/models.yml")
    row("models", diagnosis.models_folder)
    for name, size in diagnosis.models.items():
        row("", f"{name} ({size / 1e6:,.0f} MB)")
    if not diagnosis.models:
        row("", "none yet; `probatio models pull NAME` fetches one")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it all as one JSON object.")
@click.option(
    "--sandbox", type=click.Choice(["auto", "bubblewrap", "landlock", "none"]), default="auto", show_default=True,
    help="The isolation to test; auto tests every one this machine can have.",
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
    diagnosis = diagnose(sandbox, every)
    if as_json:
        click.echo(json.dumps({**msgspec.to_builtins(diagnosis), "isolated": diagnosis.isolated}, indent=2))
    else:
        _show(diagnosis)
        if not diagnosis.isolated:
            click.echo("Isolation is not in force: no model's code should be run here.", err=True)
    ctx.exit(0 if diagnosis.isolated else 1)
