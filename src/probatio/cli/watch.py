"""`probatio watch`: run `probatio daily` every day, without cron."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.core import ParameterSource

from probatio.cli.daily import command as daily
from probatio.cli.journald import is_read_by_journald
from probatio.errors import UsageError
from probatio.extras import require_extra

PASSED = [param for param in daily.params if param.name not in ("date", "dry_run", "unattended")]
"""Options of `probatio daily` that the watch takes too and passes on."""


@click.command(params=list(PASSED))
@click.option("--at", default="06:00", show_default=True, metavar="HH:MM", help="When to start each day, in UTC.")
@click.option(
    "--jitter",
    default="0s",
    show_default=True,
    metavar="LENGTH",
    help="Start up to this much later, at random: 90s, 15m, 2h.",
)
@click.option("--once", is_flag=True, help="Stop after one day, with its exit code.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    at: str,
    jitter: str,
    once: bool,
    results: Path,
    as_json: bool,
    config: Path | None,
    max_month_cost: float | None,
    **_: object,
) -> None:
    """Run `probatio daily` every day at a set hour, until Ctrl-C or SIGTERM.

    If the hour is past and today has not run, it runs at once. Two days never run at the same time. After a failed day the
    next day runs as usual. What the month has cost is said at the start and after each day; with a cap (--max-month-cost) nothing
    more is asked once it is reached, until the next month. If a day is expected to cost more than `confirm_above` in models.yml,
    say --yes or set a limit when you start the watch; its days ask nothing. Under systemd each line has its level for the
    journal. You can also use cron, systemd timers or GitHub Actions; see docs/deploy.md.

    \b
    Examples:
      probatio watch --at 06:00 --jitter 15m --max-cost 5
      probatio watch --once                             one day, then stop
      probatio watch --max-month-cost 60 --heartbeat https://hc-ping.com/UUID
    """
    import asyncio

    require_extra("watch")
    from probatio.cli.reader_gone import outlive_readers
    from probatio.scheduler.process import Scheduler
    from probatio.scheduler.times import hour_of, length_of, require_one_date

    outlive_readers()
    hour, length = hour_of(at), length_of(jitter)
    require_one_date(hour, length)
    journal = is_read_by_journald(sys.stdout)
    scheduler = Scheduler(
        results,
        hour,
        length,
        _handed_on(ctx),
        lambda sentence: click.echo(sentence, err=as_json),
        once=once,
        warn=lambda sentence: click.echo(sentence, err=as_json or journal),
        stamped=not journal,
        month_cap=max_month_cost or _configured_cap(config),
    )
    ctx.exit(asyncio.run(scheduler.run()))


def _configured_cap(config: Path | None) -> float | None:
    from probatio.config import load_config

    try:
        return load_config(config).daily.max_month_cost
    except UsageError:  # the plan, which comes first, tells what is wrong with the file
        return None


def _handed_on(ctx: click.Context) -> list[str]:
    """The given options, as arguments of `probatio daily`."""
    words: list[str] = []
    for param in PASSED:
        assert param.name is not None
        if ctx.get_parameter_source(param.name) is ParameterSource.DEFAULT:
            continue
        value = ctx.params[param.name]
        if isinstance(param, click.Option) and param.is_flag:
            words += [param.opts[0]] if value else []
        else:
            for each in value if isinstance(value, tuple) else (value,):
                words += [param.opts[0], str(each)]
    return words
