"""The form of a model: which part of the suite it is asked. A model on this machine is slow, so it is asked
the suite's form `small`, if there is one; every other model is asked the whole suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from probatio.ask.providers import provider_of
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.records import DayRecord, Form, Model, describe_samples
from probatio.core.text.names import refuse_unknown_name
from probatio.runs.store.days import DayReader
from probatio.suites.daily_suite import WHOLE, DailySuite, UseCase
from probatio.watch.day.folder import day_folder, read_record
from probatio.watch.verdict.days import Days, suite_of

SMALL = "small"
"""The form of a model on this machine, where the suite has one."""


def choose_forms(
    models: Iterable[Model], said: Mapping[str, str], suite: DailySuite, results: Path, day: str
) -> dict[str, Form]:
    """Model → its form, of those that are not asked the whole suite.

    What the user said comes first. Then a day that was begun goes on as it began, and a series that began
    with the whole suite goes on whole.
    """
    record = read_record(day_folder(results, day))
    begun, last = _list_forms(record), _find_last(suite, results, day)
    forms: dict[str, Form] = {}
    for model in models:
        now, whole_before = begun.get(model.id), model.id in last and last[model.id] is None
        if name := said.get(model.id):
            forms |= _find_form(suite, name, model, now)
        elif model.id in begun:
            forms |= {model.id: now} if now else {}
        elif provider_of(model).local and SMALL in suite.forms and not whole_before:
            forms[model.id] = suite.forms[SMALL]
    return forms


def _find_form(suite: DailySuite, name: str, model: Model, begun: Form | None) -> dict[str, Form]:
    """The form of this name as the day began with it, else as the suite has it; nothing for the whole
    suite."""
    if name == WHOLE:
        return {}
    if name not in suite.forms:
        where = f"in the suite {suite.manifest.name} (`forms` in suite.yml), for `{model.id}`"
        raise refuse_unknown_name("form", name, [WHOLE, *suite.forms], where)
    return {model.id: begun if begun and begun.name == name else suite.forms[name]}


def narrow(use_cases: Iterable[UseCase], form: Form | None) -> tuple[UseCase, ...]:
    """These use cases as the form has them: its cases, always with its number of samples."""
    if form is None:
        return tuple(use_cases)
    return tuple(_narrow(use_case, form) for use_case in use_cases if use_case.id in form.cases)


def _narrow(use_case: UseCase, form: Form) -> UseCase:
    cases = tuple(case for case in use_case.cases if case.id in form.cases[use_case.id])
    before = {each.id for case in cases for each in case.earlier or ()}
    return msgspec.structs.replace(
        use_case,
        cases=cases,
        unscored=tuple(case for case in use_case.unscored if case.id in before),
        base_samples=form.samples,
        full_samples=form.samples,
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
    begun = _list_forms(read_record(day_folder(results, record.date)))
    for model in new:
        if form := record.forms.get(model.id):
            goes_on = " The day was begun so, and goes on so." if begun.get(model.id) else ""
            yield (
                f"{model.id}: {describe_form(form, suite)}. `form: whole` in models.yml has it asked all."
                f"{goes_on}"
            )


def describe_form(form: Form, suite: DailySuite) -> str:
    """`small form: 10 of 50 cases, one sample`"""
    every = sum(len(use_case.cases) for use_case in suite.use_cases.values())
    return f"{form.name} form: {form.count} of {every} cases, {describe_samples(form.samples)}"


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
