"""`probatio watch`: the day, every day, for those without cron."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from probatio.cli.daily import command as daily
from probatio.extras import require_extra

PASSED = [param for param in daily.params if param.name not in ("date", "dry_run")]
"""What a day understands, the watch understands, and hands on."""


@click.command(params=list(PASSED))
@click.option("--at", default="06:00", show_default=True, metavar="HH:MM", help="The hour of the day, in UTC.")
@click.option(
    "--jitter", default="0s", show_default=True, metavar="LENGTH", help="Start up to so much later: 90s, 15m, 2h."
)
@click.option("--once", is_flag=True, help="End after one day, with its exit code.")
@click.pass_context
def command(ctx: click.Context, /, at: str, jitter: str, once: bool, results: Path, as_json: bool, **_: object) -> None:
    """Run `probatio daily` every day at a set hour, until it is told to stop (Ctrl-C, SIGTERM).

    Where the hour is past and today's day was not run, it runs at once. Two days never run at the same time, and a day that
    fails does not keep the next from running. cron, systemd and GitHub Actions do the same; see docs/deploy.md.

    \b
    Examples:
      probatio watch --at 06:00 --jitter 15m --max-cost 5
      probatio watch --once                             one day, then end
    """
    import asyncio

    require_extra("watch")
    from probatio.scheduler.schedule import Watch, hour_of, length_of, require_one_date

    hour, length = hour_of(at), length_of(jitter)
    require_one_date(hour, length)
    watch = Watch(results, hour, length, _handed_on(ctx), lambda sentence: click.echo(sentence, err=as_json), once=once)
    ctx.exit(asyncio.run(watch.run()))


def _handed_on(ctx: click.Context) -> list[str]:
    """The options that were given, as a day takes them."""
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
