"""Structured extraction: the JSON object in the answer, field by field against the gold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from probatio.builtin.daily.reading.json_answer import Ambiguous, JsonObject, find_object
from probatio.builtin.daily.structured_extraction.fields import Field, credit, fits
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice
from probatio.suites.daily_suite import Case

EXTRA = 0.05  # taken off for each field that was not asked for …
MOST_EXTRA = 0.30
RIVAL = 0.25  # … for each further object with other values, so that listing several never pays …
FAULT = 0.05  # … and for each kind of error in the JSON
MOST_FAULTS = 0.20


class ExtractionGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fields: dict[str, Field]


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """Each field is a part, and the schema; invented fields, several objects and bad JSON cost points.

    On a ladder there is no part for the schema, which the names of dozens of fields would earn without a
    value; and what is taken off is a share of what was earned, so that it never takes all of the few points a
    small model has.
    """
    gold = msgspec.convert(case.gold, ExtractionGold)
    ladder = any(field.rung for _, field in leaves(gold.fields))
    json = find_object(answer)
    if json is None:
        nothing = tuple(
            Part(name, 0.0, "no JSON object in the answer", field.weight, field.rung)
            for name, field in leaves(gold.fields)
        )
        schema = () if ladder else (Part("schema", 0.0),)
        return CheckResult((*nothing, *schema), note="The answer holds no JSON object.")
    value, wrapped = _unwrap(json.value, gold.fields)
    parts = tuple(_field(name, field, value) for name, field in leaves(gold.fields))
    extras = sorted(set(_extras(gold.fields, value)))
    penalty, note = _deductions(json, extras, wrapped)
    if ladder:
        return CheckResult(parts, penalty * CheckResult(parts).score, note)
    return CheckResult((*parts, _schema(gold, value)), penalty, note)


def leaves(fields: dict[str, Field], above: str = "") -> Iterator[tuple[str, Field]]:
    """Every field that is graded on its own, objects opened up, named by its path."""
    for name, field in fields.items():
        if field.kind == "object":
            yield from leaves(field.fields, f"{above}{name}.")
        else:
            yield f"{above}{name}", field


def _field(path: str, field: Field, value: dict[str, Any]) -> Part:
    present, given = _at(path, value)
    if not present:
        return Part(path, 0.0, f"missing; expected {_short(field.value)}", field.weight, field.rung)
    detail = f"expected {_short(field.value)}, was {_short(given)}"
    return Part(path, credit(field, given), detail, field.weight, field.rung)


def _at(path: str, value: Any) -> tuple[bool, Any]:
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return False, None
        value = value[key]
    return True, value


def _schema(gold: ExtractionGold, value: dict[str, Any]) -> Part:
    """The share of fields that are there and of the type the prompt asks for."""
    wrong: list[str] = []
    count = 0
    for path, field in leaves(gold.fields):
        count += 1
        present, given = _at(path, value)
        if not present or not fits(field, given):
            wrong.append(path)
    return Part("schema", 1 - len(wrong) / count, f"missing or of another type: {', '.join(wrong) or 'none'}")


def _unwrap(value: dict[str, Any], fields: dict[str, Field]) -> tuple[dict[str, Any], bool]:
    """The object inside an object of one other key, as in {"result": {…}}."""
    if len(value) == 1 and not value.keys() & fields.keys():
        inner = next(iter(value.values()))
        if isinstance(inner, dict) and inner.keys() & fields.keys():
            return inner, True
    return value, False


def _extras(fields: dict[str, Field], value: dict[str, Any], above: str = "") -> Iterator[str]:
    """The paths of fields that were not asked for; a column counts once, however many rows have it."""
    for name, given in value.items():
        field = fields.get(name)
        if field is None:
            yield f"{above}{name}"
        elif field.kind == "object" and isinstance(given, dict):
            yield from _extras(field.fields, given, f"{above}{name}.")
        elif field.kind == "rows" and isinstance(given, list):
            for row in given:
                if isinstance(row, dict):
                    yield from _extras(field.fields, row, f"{above}{name}[].")


def _deductions(json: JsonObject, extras: list[str], wrapped: bool) -> tuple[float, str | None]:
    faults = (*json.faults, *(("wrapped in another object",) if wrapped else ()))
    penalty = (
        min(MOST_EXTRA, EXTRA * len(extras))
        + min(MOST_FAULTS, FAULT * len(faults))
        + min(1.0, RIVAL * json.rivals)
    )
    reasons = (
        (extras, f"fields nobody asked for: {', '.join(extras[:8])}"),
        (faults, f"not valid JSON as asked: {', '.join(faults)}"),
        (json.rivals, f"{json.rivals} more object(s) that say something else"),
    )
    note = "; ".join(sentence for there, sentence in reasons if there)
    return min(1.0, penalty), f"Taken off for {note}." if note else None


def _short(value: Any) -> str:
    if isinstance(value, Ambiguous):
        return repr(value)[:160]
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}…"
