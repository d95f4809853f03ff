"""Preparing a day: who is asked, from which suite, under which date. Whatever is wrong with a request is found here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from probatio.alerts.channels import Channel, know_addresses, read_channels
from probatio.ask.providers import provider_of
from probatio.builtin.daily.graders import daily_fingerprint, require_graders, starts_processes
from probatio.config import BUILT_IN, CONFIRM_ABOVE, load_config
from probatio.day.first_day import new_models, require_served
from probatio.day.folder import day_folder, day_of
from probatio.day.month import MonthBudget, limited, month_budget
from probatio.day.settings import as_asked, as_configured
from probatio.errors import Say
from probatio.grade.own_grader import fault_of
from probatio.judge.calibration import calibration_set
from probatio.names import pick
from probatio.records import DayRecord, Model, Timeouts
from probatio.run.clock import now_text
from probatio.run.models import select
from probatio.run.preparation import with_wait
from probatio.run.request import Request
from probatio.run.versions import git_sha, versions
from probatio.sandbox import isolation
from probatio.suite.daily_suite import DailySuite, UseCase, load_daily
from probatio.suite.grader_entry import OwnGrader


class DayRequest(Request, frozen=True, kw_only=True):
    """What the user asked for, flag by flag."""

    date: str | None = None
    use_cases: tuple[str, ...] = ()
    replay: bool = False
    max_month_cost: float | None = None
    no_route_check: bool = False


class PreparedDay(msgspec.Struct, frozen=True):
    """A day ready to be carried out: nothing is wrong with the request, nothing was asked yet."""

    results: Path
    record: DayRecord
    suite: DailySuite
    use_cases: tuple[UseCase, ...]
    request: DayRequest
    timeouts: Timeouts | None
    alerts: tuple[Channel, ...] = ()
    month: MonthBudget | None = None
    new: tuple[Model, ...] = ()  # models whose first day this is
    looked_up: bool = False  # a catalogue was asked who serves them
    priced: tuple[Model, ...] = ()  # the models of models.yml and of the built-in list, for the judge's price
    confirm_above: float = CONFIRM_ABOVE

    @property
    def folder(self) -> Path:
        return day_folder(self.results, self.record.date)

    @property
    def judged(self) -> bool:
        return any(use_case.grading != "deterministic" for use_case in self.use_cases)


def prepare(
    request: DayRequest, results: Path, env: Mapping[str, str], say: Say, now: datetime, *, fetch: bool = True
) -> PreparedDay:
    """Everything that can be wrong with a request is found here. `fetch=False` leaves the embedded default unpulled."""
    config = load_config(request.config)
    channels = read_channels(request.config)
    know_addresses(channels, env)
    suite = as_configured(load_daily(request.suite), config.daily)
    use_cases = tuple(suite.use_cases[name] for name in _use_cases(request, suite))
    require_graders(suite)
    calibration_set(suite)
    if any(map(starts_processes, use_cases)):
        isolation(request.sandbox)
    for remark in grader_remarks(use_cases):
        say(remark)
    named = request.models or config.daily.models
    day = day_of(request.date, now)
    month = month_budget(results, day, request.max_month_cost or config.daily.max_month_cost)
    most = limited(month, request.max_cost, say, asking=fetch)
    request = msgspec.structs.replace(request, max_cost=most)
    selection = select(config, named, env, say, fetch=fetch, max_cost=most, skip_named=True)
    new = new_models(results, day, selection.models)
    _warn_of_unpinned(new, say)
    looked_up = not request.no_route_check and require_served(new, env, say)
    if day != day_of(None, now) and not request.replay:
        say(f"{day} is over: a model that is first asked now is marked as asked late, and enters no baseline.")
    fingerprint = daily_fingerprint(suite)
    record = DayRecord(
        date=day,
        created=now_text(now),
        suite_version=suite.version,
        suite_fingerprint=fingerprint,
        grader_version=fingerprint,
        models=tuple(as_asked(model, suite) for model in selection.models),
        sampling=suite.sampling,
        suite=suite.manifest.name if request.suite is None else suite_place(request.suite, results),
        git_sha=git_sha(),
        skipped=selection.skipped,
        versions=versions(),
        replayed=request.replay,
    )
    timeouts = with_wait(config.timeouts, request.max_wait)
    return PreparedDay(
        results,
        record,
        suite,
        use_cases,
        request,
        timeouts,
        channels,
        month,
        new,
        looked_up,
        priced=(*config.models, *load_config(BUILT_IN).models),
        confirm_above=config.confirm_above,
    )


def grader_remarks(use_cases: Iterable[UseCase]) -> Iterator[str]:
    """What the user should know of graders of their own: those that can't be started here, whose answers are kept to be graded
    later, and those outside the jail."""
    for grader in (use_case.grader for use_case in use_cases):
        if not isinstance(grader, OwnGrader):
            continue
        if fault := fault_of(grader):
            yield f"{fault} The answers of `{grader.use_case}` are kept and graded when the day is run again."
        if grader.says.isolation == "none":
            yield f"The grader of `{grader.use_case}` runs outside the jail (isolation: none): it can do all that you can."


def suite_place(suite: Path, results: Path) -> str:
    """Where a suite is, as a day records it: from the folder of runs where both lie in one project, so that they can be moved or
    published together and verified elsewhere; else in full. Always with a separator: a word without one is a built-in suite."""
    suite, results = suite.resolve(), results.resolve()
    if not suite.is_relative_to(results.parent):
        return str(suite)
    place = os.path.relpath(suite, results)
    return place if os.sep in place else f"{os.curdir}{os.sep}{place}"


def _use_cases(request: DayRequest, suite: DailySuite) -> tuple[str, ...]:
    return pick("use case", request.use_cases or ("*",), list(suite.use_cases), f"in the suite {suite.manifest.name}")


def _warn_of_unpinned(models: Iterable[Model], say: Say) -> None:
    """Said on a model's first day, not every day; `probatio models list` and `probatio doctor` say it any time."""
    names = [model.id for model in models if provider_of(model).names_routes and not model.route]
    if names:
        few = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        verb, whom = ("has", "it") if len(names) == 1 else ("have", "them")
        say(
            f"{few} {verb} no `route` in models.yml: any provider may serve {whom}, and the day is flagged when one changes."
        )
