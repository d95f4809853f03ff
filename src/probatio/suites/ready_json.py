"""What JSON in an answer has to be: fields with their values, or a schema. A part of the ready graders."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from probatio.core.records.check_result import Part

_TRIES = 100
"""Opening brackets from which reading is tried: a hostile answer has nothing else."""
_SHOWN = 80
_NOTHING = object()


def read_json(value: Any) -> dict[str, Any]:
    """Fields with their weights, or a schema."""
    given = dict(value) if isinstance(value, dict) else {}
    if given.keys() == {"schema"}:
        return {"schema": read_schema(given["schema"])}
    fields, weights = given.get("fields"), given.get("weights", {})
    if given.keys() - {"fields", "weights"} or not isinstance(fields, dict) or not fields:
        raise ValueError("it has `fields`, such as {fields: {name: Ada, age: 36}}, or a `schema`")
    if not isinstance(weights, dict):
        raise ValueError("`weights` are fields with numbers, such as {name: 2}")
    weights = {str(name): weight for name, weight in weights.items()}
    fields = {str(name): wanted for name, wanted in fields.items()}
    if strange := sorted(weights.keys() - fields.keys()):
        raise ValueError(f"`weights` names `{strange[0]}`, which is none of the fields")
    if not all(_is_number(weight) and 0 < weight <= 1e9 for weight in weights.values()):
        raise ValueError("a weight has to be a number above 0")
    return {"fields": _as_json(fields), "weights": weights}


def _as_json(value: Any) -> Any:
    """The value as JSON has it: every key a text."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        raise ValueError("the value holds what JSON has not; put dates in quotes") from None


def count_fields(value: Mapping[str, Any]) -> int:
    return len(value.get("fields", ())) or 1


def grade_json(value: Mapping[str, Any], text: str) -> Sequence[Part]:
    """The last JSON in the answer: each field a part, or its schema."""
    if "schema" in value:
        return grade_contained(value["schema"], text)
    found = find_json(text)
    return [
        _grade_field(path, wanted, found, value["weights"].get(path, 1))
        for path, wanted in value["fields"].items()
    ]


def _grade_field(path: str, wanted: Any, found: Any, weight: float) -> Part:
    given = found
    for key in path.split("."):
        given = given.get(key, _NOTHING) if isinstance(given, dict) else _NOTHING
    was = "no JSON there" if found is _NOTHING else "missing" if given is _NOTHING else f"was {_show(given)}"
    return Part(path, float(_is_same(wanted, given)), f"expected {_show(wanted)}, {was}", weight)


def gold_json(value: Mapping[str, Any]) -> str | None:
    made: dict[str, Any] = {}
    for path, wanted in value.get("fields", {}).items():
        *above, last = path.split(".")
        at = made
        for key in above:
            at = at.setdefault(key, {})
            if not isinstance(at, dict):
                return None
        at[last] = wanted
    return json.dumps(made, ensure_ascii=False) if made else None


def grade_contained(schema: Mapping[str, Any], text: str) -> Sequence[Part]:
    """The last JSON in the answer is as the schema says."""
    return _grade_schema("contains-json", schema, find_json(text))


def grade_whole(schema: Mapping[str, Any], text: str) -> Sequence[Part]:
    """The whole answer is JSON, as the schema says."""
    try:
        found = _DECODER.decode(text)
    except (ValueError, RecursionError):
        found = _NOTHING
    return _grade_schema("is-json", schema, found)


def _grade_schema(name: str, schema: Mapping[str, Any], found: Any) -> Sequence[Part]:
    fault = "no JSON there" if found is _NOTHING else find_fault(schema, found)
    return (Part(name, float(fault is None), fault or ""),)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_OPENING = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def find_json(text: str) -> Any:
    """The last object or list of JSON in the answer, in chatter or a fence; `_NOTHING` if there is none."""
    found: Any = _NOTHING
    at = tries = 0
    while tries < _TRIES and (opening := _OPENING.search(text, at)):
        try:
            found, at = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at = opening.end()
            tries += 1
    return found


def _is_same(wanted: Any, given: Any) -> bool:
    """Equal as JSON: true is not 1, and 1 is 1.0."""
    if isinstance(wanted, dict):
        same_keys = isinstance(given, dict) and wanted.keys() == given.keys()
        return same_keys and all(_is_same(each, given[key]) for key, each in wanted.items())
    if isinstance(wanted, list):
        same_length = isinstance(given, list) and len(wanted) == len(given)
        return same_length and all(map(_is_same, wanted, given))
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    return bool(wanted == given)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _show(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


TYPES: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "object": lambda value: isinstance(value, dict),
        "array": lambda value: isinstance(value, list),
        "string": lambda value: isinstance(value, str),
        "number": _is_number,
        "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
        "boolean": lambda value: isinstance(value, bool),
        "null": lambda value: value is None,
    }
)
RULES: Mapping[str, tuple[Callable[[Any], bool], Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "minimum": (_is_number, lambda rule, value: not _is_number(value) or value >= rule),
        "maximum": (_is_number, lambda rule, value: not _is_number(value) or value <= rule),
        "minLength": (_is_number, lambda rule, value: not isinstance(value, str) or len(value) >= rule),
        "maxLength": (_is_number, lambda rule, value: not isinstance(value, str) or len(value) <= rule),
        "minItems": (_is_number, lambda rule, value: not isinstance(value, list) or len(value) >= rule),
        "maxItems": (_is_number, lambda rule, value: not isinstance(value, list) or len(value) <= rule),
        "const": (lambda rule: True, _is_same),
        "enum": (TYPES["array"], lambda rule, value: any(_is_same(each, value) for each in rule)),
        "required": (
            lambda rule: isinstance(rule, list) and all(isinstance(each, str) for each in rule),
            lambda rule, value: not isinstance(value, dict) or all(each in value for each in rule),
        ),
    }
)
"""Keyword of a schema → what its value has to be, and whether a value of the answer keeps to it."""
_NOTES = ("$schema", "title", "description")
_NESTING = ("type", "properties", "additionalProperties", "items")


def read_schema(value: Any) -> dict[str, Any]:
    """A schema of the keywords known here; `true` stands for any JSON. Another keyword is an error: passed
    over, it would hold nothing."""
    value = {} if value is True else _as_json(value)
    if not isinstance(value, dict):
        raise ValueError("the schema has to be a table, or `true` for any JSON")
    for key, rule in value.items():
        if key in RULES and not RULES[key][0](rule):
            raise ValueError(f"the schema's `{key}` can't be {_show(rule)}")
        if key not in (*RULES, *_NOTES, *_NESTING):
            known = ", ".join([*_NESTING, *RULES])
            raise ValueError(f"the schema has the keyword `{key}`; the known ones are {known}")
    names = value.get("type", [])
    if not all(isinstance(name, str) and name in TYPES for name in _as_list(names)):
        raise ValueError(f"the schema's `type` is one of {', '.join(TYPES)}")
    if not isinstance(value.get("additionalProperties", True), bool):
        raise ValueError("the schema's `additionalProperties` is true or false")
    if not isinstance(value.get("properties", {}), dict):
        raise ValueError("the schema's `properties` is a table of schemas")
    read = dict(value)
    if "properties" in value:
        read["properties"] = {name: read_schema(each) for name, each in value["properties"].items()}
    if "items" in value:
        read["items"] = read_schema(value["items"])
    return read


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def find_fault(schema: Mapping[str, Any], value: Any, place: str = "the JSON") -> str | None:
    """What of the value is not as the schema says."""
    if "type" in schema and not any(TYPES[name](value) for name in _as_list(schema["type"])):
        return f"{place} is no {' or '.join(_as_list(schema['type']))}"
    for key, (_, keeps) in RULES.items():
        if key in schema and not keeps(schema[key], value):
            return f"{place} breaks {key}: {_show(schema[key])}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if schema.get("additionalProperties") is False and (more := sorted(value.keys() - known.keys())):
            return f"{place} has the unknown key {_show(more[0])}"
        for name in known:
            if name in value and (fault := find_fault(known[name], value[name], name)):
                return fault
    if isinstance(value, list) and "items" in schema:
        return next(
            filter(None, (find_fault(schema["items"], each, f"an item of {place}") for each in value)), None
        )
    return None
