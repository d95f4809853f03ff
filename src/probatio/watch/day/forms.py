"""The form of a model: which part of the suite it is asked. A model on this machine is slow, so it is asked
the suite's small form, if there is one; every other model is asked the whole suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from probatio.ask.providers import provider_of
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.config import FormName
from probatio.core.errors import UsageError
from probatio.core.records import DayRecord, Form, Model, describe_samples
from probatio.runs.store.days import DayReader
from probatio.suites.daily_suite import DailySuite, UseCase
from probatio.watch.day.folder import day_folder, read_record
from probatio.watch.verdict.days import Days, suite_of


def choose_forms(
    models: Iterable[Model], said: Mapping[str, FormName], suite: DailySuite, results: Path, day: str
) -> dict[str, Form]:
    """Model → its form, of those that are not asked the whole suite.

    What models.yml says comes first. A model without a word there keeps the form of its last day, so that its
    series goes on. A day that was begun goes on as it began.
    """
    begun = read_record(day_folder(results, day))
    last = _find_last(suite, results, day) | _list_forms(begun)
    forms: dict[str, Form] = {}
    for model in models:
        small = suite.small_form
        name = said.get(model.id)
        if name == "small" and small is None:
            raise UsageError(
                f"`{model.id}` has `form: small` in models.yml, and the suite {suite.manifest.name} has no "
                "small form (`small_form` in suite.yml)."
            )
        if name is None and model.id in last:
            name = "whole" if last[model.id] is None else "small"
        if small is not None and (name == "small" or (name is None and provider_of(model).local)):
            kept = begun and begun.forms.get(model.id)
            forms[model.id] = kept or small
    return forms


def narrow(use_cases: Iterable[UseCase], form: Form | None) -> tuple[UseCase, ...]:
    """These use cases as the form has them: its cases, always with its number of samples."""
    if form is None:
        return tuple(use_cases)
    return tuple(
        msgspec.structs.replace(
            use_case,
            cases=tuple(case for case in use_case.cases if case.id in form.cases[use_case.id]),
            base_samples=form.samples,
            full_samples=form.samples,
        )
        for use_case in use_cases
        if use_case.id in form.cases
    )


def narrow_each(
    models: Iterable[Model], forms: Mapping[str, Form], use_cases: Iterable[UseCase]
) -> dict[str, tuple[UseCase, ...]]:
    """Model → these use cases as its form has them."""
    given = tuple(use_cases)
    return {model.id: narrow(given, forms.get(model.id)) for model in models}


def describe_forms(
    record: DayRecord, new: Iterable[Model], suite: DailySuite, results: Path
) -> Iterator[str]:
    """What a form means, where it is the first day of a model or of a form."""
    days = Days(each for each in DayReader(results).days() if each.date < record.date)
    for name, why in days.find_reformed(record).items():
        yield f"{name}: {why}. A new series begins today: nothing before it is compared."
    for model in new:
        if form := record.forms.get(model.id):
            yield f"{model.id}: {describe_form(form, suite)}. `form: whole` in models.yml has it asked all."


def describe_form(form: Form, suite: DailySuite) -> str:
    """`small form: 10 of 50 cases, one sample`"""
    return f"{form.name} form: {form.count} of {len(suite.cases)} cases, {describe_samples(form.samples)}"


def _find_last(suite: DailySuite, results: Path, day: str) -> dict[str, Form | None]:
    """Model → its form on its last day before this one, of the same suite."""
    content = suite.version, daily_fingerprint(suite)
    last: dict[str, Form | None] = {}
    for each in DayReader(results).days():
        if each.date < day and suite_of(each.record) == content:
            last |= _list_forms(each.record)
    return last


def _list_forms(record: DayRecord | None) -> dict[str, Form | None]:
    return {} if record is None else {model.id: record.forms.get(model.id) for model in record.models}
