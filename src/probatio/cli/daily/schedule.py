"""`probatio daily schedule`: the files that run the watch of this folder every day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from probatio.cli import options
from probatio.core.config import LOCAL_CONFIG
from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.inside import read_named
from probatio.core.python import own_command

if TYPE_CHECKING:
    from probatio.core.config import Config
    from probatio.suites.daily_suite import DailySuite

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")


@click.command()
@click.option(
    "--as",
    "scheduler",
    required=True,
    type=click.Choice(["cron", "systemd", "actions"]),
    help="Who starts the day: cron, a systemd timer, or GitHub Actions.",
)
@options.value_option(
    "--at", click.DateTime(["%H:%M"]), "06:17", "The hour of the day, in UTC.", metavar="HH:MM"
)
@options.suite_of_days
@options.config
@options.results
@click.option(
    "--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="The most that a day may cost."
)
@click.option(
    "--max-month-cost",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="The most that the days of a month may cost together.",
)
@click.option("--publish", is_flag=True, help="actions: publish the site to Pages, with every answer.")
@click.option(
    "--package",
    metavar="REQUIREMENT",
    help="actions: what pip installs, such as a git address.  [default: this version of probatio]",
)
@options.path_option("--out", "Write the files into this folder.  [default: print them]", only="folder")
@options.as_json
def command(
    scheduler: str,
    at: datetime,
    suite: Path | None,
    config: Path | None,
    results: Path,
    max_cost: float | None,
    max_month_cost: float | None,
    publish: bool,
    package: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Make the files with which cron, systemd or GitHub Actions run the watch of this folder every day.

    They name this folder, its models.yml and this installation. The first lines of each say what to do with
    it. The workflow of GitHub Actions keeps the days on the branch `days` and fails when a model is COOKED or
    a day can't be read; it publishes nothing unless you say --publish.

    \b
    Examples:
      probatio daily schedule --as cron --max-cost 5
      probatio daily schedule --as systemd --max-cost 5 --out ~/.config/systemd/user
      probatio daily schedule --as actions --max-cost 5 --out .github/workflows
    """
    from probatio import __version__
    from probatio.ask.providers import provider_of
    from probatio.core.config import load_config
    from probatio.suites.daily_suite import load_daily
    from probatio.watch.day.preparation import DayRequest, apply_config, with_suite
    from probatio.watch.schedule.files import Watch, make_actions, make_cron, make_systemd

    if scheduler != "actions" and (publish or package):
        raise UsageError("--publish and --package go with --as actions.")
    options.confirm_config(config, as_json)
    listed = load_config(config)
    chosen = with_suite(DayRequest(suite=suite), listed, results).suite
    used = apply_config(load_daily(chosen), listed.daily)
    folder = find_clone(Path.cwd()) if scheduler == "actions" else Path.cwd()
    file = config or (LOCAL_CONFIG if LOCAL_CONFIG.exists() else None)
    # A clone has no days yet, which would say the suite.
    named = chosen if scheduler == "actions" else suite
    limits = {"--max-cost": max_cost, "--max-month-cost": max_month_cost}
    watch = Watch(
        folder=folder,
        program=own_command(),
        at=at.time(),
        config=_place(file, folder),
        suite=_place(named, folder),
        results=None if results == Path("results") else _place(results, folder),
        limits=tuple(word for flag, most in limits.items() if most for word in (flag, f"{most:g}")),
    )
    if scheduler == "cron":
        made = make_cron(watch, datetime.now().astimezone())
    elif scheduler == "systemd":
        made = make_systemd(watch)
    else:
        variables = sorted(set(_list_variables(listed, used)))
        made = make_actions(watch, package or f"probatio[all]=={__version__}", variables, publish=publish)
    paid = not all(provider_of(model).local for model in listed.models)
    if paid and not (watch.limits or listed.daily.max_month_cost):
        options.warn(
            "No limit of cost is set. Where a day is expected to cost more than $1, nothing is asked: give "
            "--max-cost or --max-month-cost."
        )
    if out is not None:
        _write(out, made)
    if as_json:
        options.print_event("schedule", files=made, written=out and [str(out / name) for name in made])
    elif out is None:
        for name, text in made.items():
            click.echo(f"# {name}" if len(made) > 1 else "", nl=len(made) > 1)
            click.echo(text)
    else:
        for name in made:
            click.echo(f"Wrote {out / name}. Its first lines say what to do with it.")


def find_clone(folder: Path) -> Path:
    """The top of the git clone that the folder is in, or the folder itself."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def _place(path: Path | None, folder: Path) -> str | None:
    """A path as the day names it: from its folder where it lies in it, else in full."""
    if path is None:
        return None
    full = path.expanduser().resolve()
    top = folder.resolve()
    return str(full.relative_to(top) if full.is_relative_to(top) else full)


def _list_variables(config: Config, suite: DailySuite) -> Iterator[str]:
    """The variables that hold the keys and addresses of a day."""
    from probatio.ask.providers import provider_of
    from probatio.grading.judge.asking import judge_model

    judged = any(each.grading != "deterministic" for each in suite.use_cases.values())
    for model in (*config.models, *([judge_model(suite.manifest.judge)] if judged else [])):
        provider = provider_of(model)
        if name := model.api_key_env or (provider.needs_key and not model.base_url and provider.api_key_env):
            yield name
    if config.source:
        yield from _VARIABLE.findall(read_named(Path(config.source)).decode())


def _write(out: Path, made: dict[str, str]) -> None:
    """Write the files, unless one is there that says otherwise: it may be another watch's."""
    out = out.expanduser()
    for name, text in made.items():
        path = out / name
        if path.exists() and read_named(path) != text.encode():
            raise UsageError(
                f"{path} is there already and says otherwise. Remove it first, or choose another --out."
            )
    out.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        put(out / name, text.encode())
