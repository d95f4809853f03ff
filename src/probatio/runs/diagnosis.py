"""What works on this machine: runtimes, isolation (tested by attacks), keys, embedded models. Prints
nothing."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from probatio import __version__
from probatio.core.errors import ProbatioError
from probatio.core.extras import list_installed

if TYPE_CHECKING:
    from probatio.jail import Choice


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
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=10, check=False, env={"NO_COLOR": "1"}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def _bubblewrap() -> str:
    from probatio.jail.build import bwrap

    found = bwrap()
    return _first_line(found, "--version") if found else "not installed"


def _keys() -> dict[str, bool]:
    """Which keys are set, in the environment or in .env. Only names: a value is never shown."""
    from probatio.ask.hosts import environment
    from probatio.ask.providers import PROVIDERS

    env = environment()
    names = [provider.api_key_env for provider in PROVIDERS.values() if provider.api_key_env]
    return {name: bool(env.get(name)) for name in names}


def _models() -> tuple[Path, dict[str, int]]:
    """Where embedded models are kept, and what is there, by size in bytes."""
    from probatio.ask.embedded.catalogue import models_folder

    folder = models_folder()
    return folder, {
        str(path.relative_to(folder)): path.stat().st_size for path in sorted(folder.rglob("*.gguf"))
    }


def _unpinned() -> tuple[str, ...]:
    """Models of the user's models.yml without a pinned provider; none if the file can't be read."""
    from probatio.ask.routes import list_unpinned
    from probatio.core.config import LOCAL_CONFIG, load_config

    try:
        return tuple(list_unpinned(load_config().models)) if LOCAL_CONFIG.exists() else ()
    except ProbatioError:
        return ()


def _browser(choice: Choice) -> str:
    """The Chromium that checks web pages; it is really started."""
    from probatio.jail import explain_no_jail

    if reason := explain_no_jail():
        return reason
    from probatio.jail.browser.driver import available, close

    try:
        return available(choice).sentence
    finally:
        close()


OUTLIVE = "outlive a killed grader"
_OUTLIVED_HELD = "the program ended with it, though it had done all it can to stay"


def _list_isolations(choice: Choice) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
    """The isolations to try, and why others can't be: with `auto`, every one that this machine can have."""
    from probatio.jail import NoIsolation, find_isolation

    if choice != "auto":
        return (choice,), ()
    kinds: tuple[Choice, ...] = ("bubblewrap", "landlock")
    there: list[Choice] = []
    absent = []
    for kind in kinds:
        try:
            find_isolation(kind)
            there.append(kind)
        except NoIsolation as error:
            absent.append(str(error).partition("(")[2].partition(")")[0] or str(error))
    return tuple(there), tuple(absent)


def _trials(kind: Choice, every: bool) -> Iterator[AttackResult]:
    """Every attack in one isolation, by both runtimes that models' code is given."""
    from probatio.jail.attack import find_harm, set_up_target
    from probatio.languages.attacks import list_attackers

    with set_up_target() as on:
        for by, attacker in list_attackers():
            for attack in attacker.ATTACKS:
                if attack.slow and not every:
                    continue
                harm = find_harm(attack, attacker.mount(attack, on, kind), on)
                yield AttackResult(attack.name, harm is None, harm or attack.held_by, kind, by)
            left = attacker.outlives_the_grader(kind)
            yield AttackResult(OUTLIVE, left is None, left or _OUTLIVED_HELD, kind, by)


def diagnose(choice: Choice = "auto", every: bool = False) -> Diagnosis:
    """Check everything, and run real attacks against the isolation."""
    from probatio.jail import NoIsolation, explain_no_jail, find_isolation
    from probatio.languages.finding import find_runtime

    try:
        runtime = find_runtime()
        runtime_version = _first_line(runtime, "--version")
    except ProbatioError as error:
        runtime, runtime_version = "", str(error)
    try:
        jailed = find_isolation(choice)
        kind, made_of, passed_over = jailed.kind, jailed.made_of, jailed.passed_over
        # Without a jail the attacks would do their harm to this very machine.
        kinds, absent = _list_isolations(choice) if runtime and kind != "none" else ((), ())
        trials = tuple(trial for one in kinds for trial in _trials(one, every))
        passed_over = tuple(dict.fromkeys((*passed_over, *absent)))
    except NoIsolation as error:
        kind, made_of, passed_over, trials = "none", str(error), (), ()
    folder, models = _models()
    extras = list_installed()
    return Diagnosis(
        probatio=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        deno=runtime_version,
        bubblewrap="for Linux only" if explain_no_jail() else _bubblewrap(),
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
        works=list_works(made_of if kind == "none" and choice != "none" else None, extras),
        versions=list_versions(),
    )


YES = "yes"
IN_CONTAINER = "where models' code can be run (above)"

ACTIVITIES: dict[str, Callable[[str | None, dict[str, bool]], str]] = {
    "ask models": lambda no_jail, extras: YES,
    "ask embedded models": lambda no_jail, extras: _extra("embedded", extras),
    "grade text": lambda no_jail, extras: YES,
    "run models' code": lambda no_jail, extras: no_jail or YES,
    "study and compare": lambda no_jail, extras: YES,
    "the daily watch": lambda no_jail, extras: (no_jail and IN_CONTAINER) or _extra("watch", extras),
    "check web pages": lambda no_jail, extras: (no_jail and IN_CONTAINER) or _extra("browser", extras),
    "the site": lambda no_jail, extras: _extra("site", extras),
}
"""What a user does → whether it works, given why there is no jail (or None) and which extras are
installed."""


def list_works(no_jail: str | None, extras: dict[str, bool]) -> dict[str, str]:
    """Activity → `yes`, or why not and what to do."""
    return {name: found(no_jail, extras) for name, found in ACTIVITIES.items()}


def _extra(name: str, extras: dict[str, bool]) -> str:
    from probatio.core.extras import describe_missing

    return YES if extras.get(name) else describe_missing(name)


def list_versions() -> dict[str, str]:
    """The versions that a result names, each by its own name."""
    from probatio import __version__
    from probatio.grading import GRADER_VERSION
    from probatio.suites.daily_suite import load_daily
    from probatio.suites.language_file import read_language_file
    from probatio.suites.language_suite import BUILT_IN, list_built_in_suites

    suites = {
        f"suite {name}": read_language_file(BUILT_IN / name).version or "" for name in list_built_in_suites()
    }
    return {
        "software": __version__,
        "grader": GRADER_VERSION,
        **suites,
        "suite daily": load_daily(None).version,
    }
