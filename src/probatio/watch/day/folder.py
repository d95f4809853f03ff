"""A day's folder and its record: its date, its suite and models, and what may not change within a day."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec

from probatio.ask.published import publish_models
from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.inside import require_inside
from probatio.core.jsonfile import read_json
from probatio.core.records import DailyScore, DayRecord, Model
from probatio.runs.store.layout import DAILY, DAY_FILE, SCORES

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def parse_date(given: str | None, now: datetime) -> str:
    """The date of a day: the given one, which may not be in the future, or today in UTC."""
    today = now.astimezone(UTC).date()
    if given is None:
        return today.isoformat()
    try:
        wanted = date.fromisoformat(given) if _DATE.fullmatch(given) else None
    except ValueError:
        wanted = None
    if wanted is None:
        raise UsageError(f"--date {given}: write a day as YYYY-MM-DD, such as {today.isoformat()}.")
    if wanted > today:
        raise UsageError(f"--date {given} is in the future: in UTC it is {today.isoformat()} now.")
    return given


def day_folder(results: Path, day: str) -> Path:
    return require_inside(results / DAILY / day, results)


def read_record(folder: Path) -> DayRecord | None:
    """The day's record, or None if the day has not begun."""
    path = folder / DAY_FILE
    try:
        return read_json(path, DayRecord, "a day's record")
    except FileNotFoundError:
        return None


def write_record(folder: Path, record: DayRecord) -> None:
    """Put the record in place, without the passwords of addresses."""
    record = msgspec.structs.replace(record, models=publish_models(record.models))
    put(folder / DAY_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def write_scores(folder: Path, scores: list[DailyScore]) -> None:
    put(folder / SCORES, b"".join(msgspec.json.encode(score) + b"\n" for score in scores))


def join_record(before: DayRecord | None, now: DayRecord) -> DayRecord:
    """The record of a day that is continued: as it began, and with the new models."""
    if before is None:
        return now
    if (before.suite_version, before.suite_fingerprint) != (now.suite_version, now.suite_fingerprint):
        raise UsageError(
            f"The suite or a grader has changed since {before.date} began (version {before.suite_version}, "
            f"now {now.suite_version}), and answers to two suites are not one day. Continue with the suite "
            "it began with, or leave the day as it is."
        )
    if before.imported != now.imported:
        raise UsageError(f"{before.date} was imported from {before.imported}; no model can be asked on it.")
    if before.replayed != now.replayed:
        begun, now_said = ("with", "without") if before.replayed else ("without", "with")
        raise UsageError(f"{before.date} was begun {begun} --replay; it can't be continued {now_said} it.")
    models = {model.id: model for model in before.models}
    for model in now.models:
        if (known := models.get(model.id)) and _identity(known) != _identity(model):
            raise UsageError(
                f"`{model.id}` is {_describe_model(known)} on {before.date} and {_describe_model(model)} "
                "now, and two models are not "
                f"one. Give the new one another id, or begin with it on the next day."
            )
        was, given = before.forms.get(model.id), now.forms.get(model.id)
        if known and was != given:
            raise UsageError(
                f"`{model.id}` is asked the {was or 'whole suite'} on {before.date}, and the "
                f"{given or 'whole suite'} now; two forms are not one day. Take `form` of models.yml "
                "or --form back, or begin with it on the next day."
            )
        models[model.id] = model
    skipped = {model: why for model, why in {**before.skipped, **now.skipped}.items() if model not in models}
    return msgspec.structs.replace(
        before, models=tuple(models.values()), skipped=skipped, forms=before.forms | now.forms
    )


def _identity(model: Model) -> tuple[object, ...]:
    """What may not change within a day. A key, an address or a price may."""
    return model.name, model.provider, model.route, model.reasoning, model.reproducible


def _describe_model(model: Model) -> str:
    return f"{model.name} by {' or '.join(model.route) or 'any route'} of {model.provider}"
