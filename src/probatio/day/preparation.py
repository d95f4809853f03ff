"""Preparing a day: who is asked, from which suite, under which date. Whatever is wrong with a request is found here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from probatio.alerts.channels import Channel, read_channels
from probatio.ask.routes import missing_key
from probatio.builtin.daily.graders import STARTS_PROCESSES, daily_fingerprint, require_graders
from probatio.config import Config, load_config, select_models
from probatio.day.folder import day_folder, day_of
from probatio.day.settings import as_asked, as_configured
from probatio.errors import Say, UsageError
from probatio.judge.calibration import calibration_set
from probatio.names import pick
from probatio.records import DayRecord, Model, Timeouts
from probatio.run.models import embedded_default, require_routes
from probatio.run.record import git_sha, now_text, versions
from probatio.run.session import MAX_CONNECTIONS
from probatio.sandbox import Choice, isolation
from probatio.suite.daily_suite import DailySuite, UseCase, load_daily


class DayRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for, flag by flag."""

    date: str | None = None
    models: tuple[str, ...] = ()
    use_cases: tuple[str, ...] = ()
    suite: Path | None = None
    config: Path | None = None
    max_connections: int = MAX_CONNECTIONS
    max_cost: float | None = None
    sandbox: Choice = "auto"


class Prepared(msgspec.Struct, frozen=True):
    """A day ready to be carried out: nothing is wrong with the request, nothing was asked yet."""

    folder: Path
    record: DayRecord
    suite: DailySuite
    use_cases: tuple[UseCase, ...]
    request: DayRequest
    timeouts: Timeouts | None
    alerts: tuple[Channel, ...] = ()

    @property
    def judged(self) -> bool:
        return any(use_case.grading != "deterministic" for use_case in self.use_cases)


def prepare(
    request: DayRequest, results: Path, env: Mapping[str, str], say: Say, now: datetime, *, fetch: bool = True
) -> Prepared:
    """Everything that can be wrong with a request is found here. `fetch=False` leaves the embedded default unpulled."""
    config = load_config(request.config)
    channels = read_channels(request.config)
    suite = as_configured(load_daily(request.suite), config.daily)
    use_cases = tuple(suite.use_cases[name] for name in _use_cases(request, suite))
    require_graders(suite)
    calibration_set(suite)
    if any(use_case.id in STARTS_PROCESSES for use_case in use_cases):
        isolation(request.sandbox)
    models, skipped = _models(request, config, env, say, fetch)
    require_routes(models, env, request.max_cost, config.source)
    day = day_of(request.date, now)
    fingerprint = daily_fingerprint(suite)
    record = DayRecord(
        date=day,
        created=now_text(now),
        suite_version=suite.version,
        suite_fingerprint=fingerprint,
        grader_version=fingerprint,
        models=tuple(as_asked(model, suite) for model in models),
        sampling=suite.sampling,
        suite=suite.manifest.name if request.suite is None else suite_place(request.suite, results),
        git_sha=git_sha(),
        skipped=skipped,
        versions=versions(),
    )
    return Prepared(day_folder(results, day), record, suite, use_cases, request, config.timeouts, channels)


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


def _models(
    request: DayRequest, config: Config, env: Mapping[str, str], say: Say, fetch: bool
) -> tuple[tuple[Model, ...], dict[str, str]]:
    """Who is asked, and who is not and why. Without --model those that models.yml tracks, else those of the user's own config
    that have a key, else the embedded default."""
    patterns = request.models or config.daily.models
    tracked = select_models(config, patterns) if patterns else () if config.source == "built-in" else config.models
    skipped = {model.id: f"{key} is not set" for model in tracked if (key := missing_key(model, env))}
    for skipped_id, why in skipped.items():
        say(f"Skipping {skipped_id}: {why}.")
    able = tuple(model for model in tracked if model.id not in skipped)
    for model in able:
        if model.provider == "openrouter" and not model.route:
            say(
                f"{model.id} has no `route` in models.yml: any provider may serve it, and the day is flagged when one changes."
            )
    if able:
        return able, skipped
    if patterns:
        raise UsageError(
            f"None of the models asked for can be asked: {'; '.join(f'{m}: {w}' for m, w in skipped.items())}."
        )
    return (embedded_default(say, fetch=fetch),), skipped
