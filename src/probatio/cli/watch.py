"""`probatio watch`: the day, every day, for those without cron."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from probatio.cli.daily import command as daily

DAILY_OPTIONS = [param for param in daily.params if param.name not in ("date", "dry_run")]
"""The options of `probatio daily` that are passed on to it."""


@click.command(params=list(DAILY_OPTIONS))
@click.option("--at", default="06:00", show_default=True, metavar="HH:MM", help="The hour of the day, in UTC.")
@click.option(
    "--jitter",
    default="0s",
    show_default=True,
    metavar="LENGTH",
    help="Start up to so much later, by chance: 90s, 15m, 2h.",
)
@click.option("--once", is_flag=True, help="End after one day, with its exit code.")
@click.pass_context
def command(ctx: click.Context, /, at: str, jitter: str, once: bool, results: Path, as_json: bool, **_: object) -> None:
    """Run `probatio daily` every day at a set hour, until it is stopped (Ctrl-C, SIGTERM).

    If the hour has passed and today's day was not run, it runs at once. Two days never run at the same time. After a day that
    failed, the next one still runs. cron, systemd and GitHub Actions do the same; see docs/deploy.md.

    \b
    Examples:
      probatio watch --at 06:00 --jitter 15m --max-cost 5
      probatio watch --once                             one day, then end
    """
    import asyncio

    from probatio.scheduler.process import Scheduler
    from probatio.scheduler.times import hour_of, length_of, require_one_date

    hour, length = hour_of(at), length_of(jitter)
    require_one_date(hour, length)
    scheduler = Scheduler(
        results, hour, length, _daily_words(ctx), lambda sentence: click.echo(sentence, err=as_json), once=once
    )
    ctx.exit(asyncio.run(scheduler.run()))


def _daily_words(ctx: click.Context) -> list[str]:
    """The options that were given, as `probatio daily` reads them."""
    words: list[str] = []
    for param in DAILY_OPTIONS:
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
