"""Preparing a day: who is asked, from which suite, under which date. All that is wrong with a request is
found here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from probatio.ask.providers import provider_of
from probatio.ask.routes import missing_key, require_hosts
from probatio.builtin.daily.graders import daily_fingerprint, require_graders, starts_processes
from probatio.core.clock import now_text
from probatio.core.config import (
    BUILT_IN,
    CONFIRM_ABOVE,
    Config,
    DailyConfig,
    JudgeOverride,
    config_requests,
    is_word,
    load_config,
    say_held,
)
from probatio.core.errors import Incomplete, Say, UsageError
from probatio.core.records import DayRecord, Model, Timeouts
from probatio.core.text.names import pick
from probatio.core.trust import NAME_FILE, allow_now, explain, find_unsaid, find_untrusted, refuse
from probatio.grading.judge.asking import judge_model
from probatio.grading.judge.calibration import calibration_set
from probatio.grading.own_grader import fault_of
from probatio.jail import find_isolation
from probatio.runs.consent import Estimate
from probatio.runs.models import NoModels, select
from probatio.runs.preparation import Request, allow_weights, note_request, with_wait
from probatio.runs.record import git_sha, versions
from probatio.suites.daily_suite import DailySuite, UseCase, load_daily
from probatio.suites.grader_entry import OwnGrader
from probatio.suites.language_suite import digest
from probatio.suites.requests import requests_of_judge
from probatio.watch.alerts.channels import Channel, read_channels, redact_addresses
from probatio.watch.alerts.delivery import alert_unasked
from probatio.watch.day.estimate import estimate_day
from probatio.watch.day.first_day import find_new_models, find_unjudged, require_served
from probatio.watch.day.folder import day_folder, parse_date
from probatio.watch.day.forms import choose_forms, describe_forms, narrow_each
from probatio.watch.day.month import MonthBudget, limit_day_cost, month_budget
from probatio.watch.day.series import choose_suite, require_suite_of
from probatio.watch.ledger.ledger import describe_withdrawn, withdrawn_days


class DayRequest(Request, frozen=True, kw_only=True):
    """What the user asked for, flag by flag."""

    date: str | None = None
    use_cases: tuple[str, ...] = ()
    replay: bool = False
    max_month_cost: float | None = None
    no_route_check: bool = False
    form: str | None = None  # of every model, on this day
    new_series: bool = False  # another suite than the folder's days are of may begin here


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
    not_asked: dict[str, str] = {}  # use case → why it is not asked, unless a judge came earlier that day
    confirm_above: float = CONFIRM_ABOVE
    agreed: bool = True  # whether a limit of cost is the user's own, and so the word for a day below it

    @property
    def folder(self) -> Path:
        return day_folder(self.results, self.record.date)

    @property
    def title(self) -> str:
        return "This day, at full count,"

    @property
    def max_cost(self) -> float | None:
        return self.request.max_cost if self.agreed else None

    def estimate(self) -> Estimate:
        """An embedded model is measured once a month: a day of it takes minutes at least."""
        return estimate_day(self, measure=True).estimate

    @property
    def asked(self) -> dict[str, tuple[UseCase, ...]]:
        """Model → the use cases in its form, without those that are not asked."""
        there = [each for each in self.use_cases if each.id not in self.not_asked]
        return narrow_each(self.record.models, self.record.forms, there)

    @property
    def judged(self) -> bool:
        asked = narrow_each(self.record.models, self.record.forms, self.use_cases)
        return any(each.grading != "deterministic" for own in asked.values() for each in own)


def prepare(
    request: DayRequest,
    results: Path,
    env: Mapping[str, str],
    say: Say,
    now: datetime,
    *,
    dry: bool = False,
    keys: bool | None = None,
) -> PreparedDay:
    """Everything that can be wrong with a request is found here.

    `dry`: only a plan is wanted, so no weights are fetched and no key is needed, unless `keys` says so.
    """
    config = load_config(request.config)
    named_suite = request.suite is not None
    allow_weights(request.models)
    say_held(config, say)
    channels = read_channels(request.config)
    redact_addresses(channels, env)
    sending = not dry if keys is None else keys
    _require_words(config, channels, say, sending=sending)
    request = with_suite(request, config, results)
    suite = apply_config(load_daily(request.suite), config.daily)
    where = f"in the suite {suite.manifest.name}"
    chosen = pick("use case", request.use_cases or ("*",), list(suite.use_cases), where)
    use_cases = tuple(suite.use_cases[name] for name in chosen)
    require_graders(suite, request.sandbox)
    calibration_set(suite)
    if any(map(starts_processes, use_cases)):
        find_isolation(request.sandbox)
    for remark in grader_remarks(use_cases):
        say(remark)
    named = request.models or config.daily.models
    day = parse_date(request.date, now)
    if (gone := withdrawn_days(results).get(day)) is not None:
        raise UsageError(
            f"{describe_withdrawn(gone)}. A withdrawn day is not asked again: its answers are kept as they "
            "are. The next day is asked as usual."
        )
    month = month_budget(results, day, request.max_month_cost or config.daily.max_month_cost)
    agreed = "max_month_cost" not in config.held or bool(request.max_cost or request.max_month_cost)
    most = limit_day_cost(month, request.max_cost, say, asking=not dry)
    request = msgspec.structs.replace(request, max_cost=most)
    try:
        selection = select(
            config, named, env, say, fetch=not dry, max_cost=most, skip_named=True, keys=sending
        )
    except NoModels as error:
        if dry:
            raise
        alert_unasked(results, day, error.skipped, channels, env, say)
        raise Incomplete(str(error)) from None
    said = dict.fromkeys((model.id for model in selection.models), request.form) if request.form else {}
    forms = choose_forms(selection.models, {**config.forms, **said}, suite, results, day)
    asked = {
        each.id: each for own in narrow_each(selection.models, forms, use_cases).values() for each in own
    }
    if not asked:
        names = ", ".join(dict.fromkeys(each.name for each in forms.values()))
        raise UsageError(
            f"What is asked (the form `{names}`) has no case of these use cases: "
            f"{', '.join(each.id for each in use_cases)}. `form: whole` of a model in models.yml asks all."
        )
    if sending and any(use_case.grading != "deterministic" for use_case in asked.values()):
        require_hosts((judge_model(suite.manifest.judge),), env)
    if not dry and (named_suite or is_word(request.config)):
        note_request(request)
    not_asked = {}
    if sending and config.daily.judge is None:  # a judge that is listed and can't be asked is missed
        not_asked = find_unjudged(suite, asked.values(), results, day, env)
    if len(not_asked) == len(asked):
        raise UsageError(
            f"Only a judge can score what would be asked, and there is none: the judge "
            f"{suite.manifest.judge.name} needs the key {missing_key(judge_model(suite.manifest.judge), env)}"
            ", which is not set."
        )
    new = find_new_models(results, day, selection.models)
    _warn_of_unpinned(new, say)
    looked_up = not request.no_route_check and require_served(new, env, say)
    if day != parse_date(None, now) and not request.replay:
        say(
            f"{day} is over: a model that is first asked now is marked as asked late, and enters no baseline."
        )
    models = [apply_reasoning(model, suite) for model in selection.models]
    more = {"skipped": selection.skipped, "replayed": request.replay, "forms": forms}
    record = begin_record(day, now_text(now), suite, models, request.suite, results, **more)
    for sentence in describe_forms(record, new, suite, results):
        say(sentence)
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
        not_asked=not_asked,
        priced=(*config.models, *load_config(BUILT_IN).models),
        confirm_above=config.confirm_above,
        agreed=agreed,
    )


def with_suite(request: DayRequest, config: Config, results: Path) -> DayRequest:
    """The request with its suite: of the command line, else of models.yml, else of the folder's days, else
    the built-in one. Refuses another one than the days in the folder are of."""
    named = request.suite or (Path(config.daily.suite) if config.daily.suite else None)
    chosen = choose_suite(named, results)
    if not request.new_series:
        require_suite_of(results, chosen)
    return msgspec.structs.replace(request, suite=chosen)


def _require_words(config: Config, channels: Iterable[Channel], say: Say, *, sending: bool) -> None:
    """Refuse addresses of a models.yml that the user has not confirmed. A plan sends nothing, and says it."""
    asked = [*config_requests(config), *(channel.request for channel in channels)]
    unsaid = [request for request in find_unsaid(asked) if request.kind == "address"]
    if unsaid and not sending:
        say(explain(unsaid, NAME_FILE))
        return
    refuse(unsaid, NAME_FILE)


def begin_record(
    date: str,
    created: str,
    suite: DailySuite,
    models: Iterable[Model],
    place: Path | None,
    results: Path,
    **more: Any,
) -> DayRecord:
    """The record of a day that begins now. `place`: the folder of the suite; None for the built-in one."""
    fingerprint = daily_fingerprint(suite)
    return DayRecord(
        date=date,
        created=created,
        suite_version=suite.version,
        suite_fingerprint=fingerprint,
        grader_version=fingerprint,
        models=tuple(models),
        sampling=suite.sampling,
        suite=suite.manifest.name if place is None else suite_place(place, results),
        suite_name=suite.manifest.name,
        git_sha=git_sha(),
        versions=versions(),
        **more,
    )


def grader_remarks(use_cases: Iterable[UseCase]) -> Iterator[str]:
    """What the user should know of graders of their own: those that can't be started here, whose answers are
    kept to be graded later, and those outside the jail."""
    for grader in (use_case.grader for use_case in use_cases):
        if not isinstance(grader, OwnGrader):
            continue
        if fault := fault_of(grader):
            yield f"{fault} The answers of `{grader.use_case}` are kept and graded when the day is run again."
        if grader.says.isolation == "none":
            yield (
                f"The grader of `{grader.use_case}` runs outside the jail (isolation: none): it can do all "
                "that you can."
            )


def suite_place(suite: Path, results: Path) -> str:
    """Where a suite is, as a day records it: from the folder of runs where both lie in one project, so that
    they can be moved or published together and verified elsewhere; else in full. Always with a separator: a
    word without one is a built-in suite."""
    suite, results = suite.resolve(), results.resolve()
    if not suite.is_relative_to(results.parent):
        return str(suite)
    place = os.path.relpath(suite, results)
    return place if os.sep in place else f"{os.curdir}{os.sep}{place}"


def _warn_of_unpinned(models: Iterable[Model], say: Say) -> None:
    """Said on a model's first day only; `probatio models list` and `probatio doctor` always say it."""
    names = [model.id for model in models if provider_of(model).names_routes and not model.route]
    if names:
        few = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        verb, whom = ("has", "it") if len(names) == 1 else ("have", "them")
        say(
            f"{few} {verb} no `route` in models.yml: any provider may serve {whom}, and the day is flagged "
            f"when one changes."
        )


def apply_config(suite: DailySuite, config: DailyConfig) -> DailySuite:
    """The suite with the judge and the temperature of the config. Two versions are never compared, so each
    change is named in the version."""
    manifest = suite.manifest
    marks: list[str] = []
    _require_judge(suite, config.judge)
    if config.judge:
        given = {
            name: value for name, value in msgspec.structs.asdict(config.judge).items() if value is not None
        }
        judge = msgspec.structs.replace(manifest.judge, **given)
        if judge != manifest.judge:
            manifest = msgspec.structs.replace(manifest, judge=judge)
            marks.append(f"judge-{digest(judge)[:6]}")
    if config.temperature is not None and config.temperature != manifest.sampling.temperature:
        sampling = msgspec.structs.replace(manifest.sampling, temperature=config.temperature)
        manifest = msgspec.structs.replace(manifest, sampling=sampling)
        marks.append(f"temperature-{config.temperature:g}")
    if marks:
        manifest = msgspec.structs.replace(manifest, version=f"{manifest.version}+{'.'.join(marks)}")
    return msgspec.structs.replace(suite, manifest=manifest)


def _require_judge(suite: DailySuite, own: JudgeOverride | None) -> None:
    """Refuse an address or a key that the suite names for its judge, unless the user trusts the suite or
    models.yml says another."""
    if all(use_case.grading == "deterministic" for use_case in suite.use_cases.values()):
        return
    judge = suite.manifest.judge
    if own is not None and own.base_url:
        judge = msgspec.structs.replace(judge, base_url=None, api_key_env=None)
    if own is not None and own.name:
        judge = msgspec.structs.replace(judge, name="")
    asked = list(requests_of_judge(judge, suite.folder))
    refuse(
        find_untrusted(suite.folder, asked), " (or name a judge of your own: `daily: judge:` in models.yml)"
    )
    allow_now(request for request in asked if request.kind in ("key", "weights"))


def apply_reasoning(model: Model, suite: DailySuite) -> Model:
    """The model with the suite's reasoning effort.

    OpenRouter drops it for models that do not reason. Other servers may refuse it, so they get it only for
    models with an effort in models.yml.
    """
    effort = suite.manifest.sampling.reasoning
    if effort is None or (not provider_of(model).takes_reasoning and model.reasoning is None):
        return model
    return msgspec.structs.replace(model, reasoning=effort)
