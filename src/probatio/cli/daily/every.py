"""`probatio daily --every`: run a day again and again, without cron."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

import click
from click.core import ParameterSource

from probatio.cli import options
from probatio.cli.output import is_read_by_journald
from probatio.core.errors import UsageError
from probatio.core.extras import require_extra

OWN = ("every", "jitter", "once")
"""Options that the schedule itself takes; all others go on to each day."""
OF_ONE_DAY = ("date", "dry_run")
"""Options that mean one day, and say nothing with --every."""


def keep_running(ctx: click.Context, every: str, jitter: str | None, once: bool) -> int:
    """Run the day each time it is due, until a signal; gives the exit code."""
    import asyncio

    require_extra("watch")
    from probatio.cli.output import outlive_readers
    from probatio.core.clock import parse_duration
    from probatio.core.config import load_config
    from probatio.watch.schedule.process import Scheduler
    from probatio.watch.schedule.times import parse_hour, require_one_date

    for name in OF_ONE_DAY:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(
                f"--{name.replace('_', '-')} is for one day, and --every runs each day when it comes."
            )
    outlive_readers()
    length = timedelta(seconds=parse_duration(jitter or 0, "--jitter"))
    interval = None if ":" in every else timedelta(seconds=parse_duration(every, "--every"))
    if interval is not None and interval < timedelta(minutes=1):
        raise UsageError(f"--every {every} is too often: a minute is the shortest.")
    hour = parse_hour("00:00" if interval else every)
    if interval is None:
        require_one_date(hour, length)
    as_json, journal = bool(ctx.params["as_json"]), is_read_by_journald(sys.stdout)
    cap = ctx.params["max_month_cost"]
    with suppress(UsageError):  # the plan, which comes first, says what is wrong with the file
        cap = cap or load_config(ctx.params["config"]).daily.max_month_cost
    scheduler = Scheduler(
        ctx.params["results"],
        hour,
        length,
        list_given(ctx),
        options.note(as_json),
        interval=interval,
        once=once,
        warn=options.note(as_json or journal),
        stamped=not journal,
        month_cap=cap,
    )
    return asyncio.run(scheduler.run())


def format_again(ctx: click.Context, date: str, *, capped: bool = False) -> str:
    """The command that goes on with a day: with the options on the line. `capped`: the day stopped at its
    limit of cost, so the limit is left out."""
    without = (*OWN, "date", *(("max_cost",) if capped else ()))
    return shlex.join(["probatio", "daily", "--date", date, *list_given(ctx, without)])


def list_given(ctx: click.Context, without: Sequence[str] = OWN) -> list[str]:
    """The options on the line, as arguments for a day."""
    words: list[str] = []
    for param in ctx.command.params:
        assert param.name is not None
        if param.name in without or ctx.get_parameter_source(param.name) is ParameterSource.DEFAULT:
            continue
        value = ctx.params[param.name]
        if isinstance(param, click.Option) and param.is_flag:
            words += [param.opts[0]] if value else []
        else:
            for each in value if isinstance(value, tuple) else (value,):
                words += [param.opts[0], str(each)]
    return words
