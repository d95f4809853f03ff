"""Parts of values: members, elements, slices, and setting them."""

from __future__ import annotations

from probatio.languages.faber.evaluate.library import FORMULAS, METHODS, Sequence
from probatio.languages.faber.evaluate.lists import item
from probatio.languages.faber.evaluate.values import (
    ERROR,
    UNDEFINED,
    Bag,
    Blueprint,
    Declined,
    Instance,
    Record,
    Table,
    Value,
    text,
    type_error,
)


def elements(value: Value) -> list[Value]:
    """What a loop over a value goes through."""
    if type(value) is list or type(value) is str:
        return list(value)
    if isinstance(value, Table):
        return [[key, each] for key, each in value.entries.values()]
    if isinstance(value, Bag):
        return value.values()
    if isinstance(value, Sequence):
        return value.values
    raise type_error("it is not iterable")


def sliced(values: Value, start: Value, stop: Value) -> Value:
    if type(values) not in (list, str):
        raise Declined("a part of what is no list and no text")
    return METHODS[type(values)]["sectio"](values, [start, stop])


def member(owner: Value, name: str) -> Value:
    """A member that is read, not called."""
    if isinstance(owner, Record):
        if name in owner.fields:
            return owner.fields[name]
        if isinstance(owner, Instance):
            method = owner.blueprint.method(name)
            if method is not None:
                return method
            if owner.blueprint.is_a(ERROR):
                return {"name": owner.blueprint.name, "message": ""}.get(name, UNDEFINED)
        return UNDEFINED
    if isinstance(owner, Blueprint):
        return owner.statics.get(name, UNDEFINED)
    if owner is None or owner is UNDEFINED:
        raise type_error(f"Cannot read properties of {text(owner)} (reading '{name}')")
    formula = FORMULAS.get(type(owner), {}).get(name)
    if formula is not None:
        return formula(owner, [])
    if name == "length" and type(owner) in (list, str):
        return float(len(owner))
    if name == "size" and isinstance(owner, (Table, Bag)):
        return float(len(owner.entries))
    if name in METHODS.get(type(owner), {}):
        raise Declined("a method that is not called")
    return UNDEFINED


def part_of(owner: Value, place: Value) -> Value:
    """`owner[place]`, or the field of that name."""
    if type(owner) in (list, str):
        if isinstance(place, str) and not place.isdigit():
            return float(len(owner)) if place == "length" else UNDEFINED
        return item(owner, place)
    if isinstance(owner, Table):
        return owner.get(place)
    if isinstance(owner, Record):
        return owner.fields.get(text(place), UNDEFINED)
    if isinstance(owner, Blueprint):
        return owner.statics.get(text(place), UNDEFINED)
    if owner is None or owner is UNDEFINED:
        raise type_error(f"Cannot read properties of {text(owner)} (reading '{text(place)}')")
    raise Declined("a part of such a value")


def set_part(owner: Value, place: Value, value: Value) -> None:
    if type(owner) is list:
        if type(place) is not float or not place.is_integer() or not 0 <= place <= len(owner):
            raise Declined("an element beyond the end of a list")
        owner[int(place) : int(place) + 1] = [value]
    elif isinstance(owner, Table):
        owner.put(place, value)
    elif isinstance(owner, Record):
        owner.fields[text(place)] = value
    elif isinstance(owner, Blueprint):
        owner.statics[text(place)] = value
    elif owner is None or owner is UNDEFINED:
        raise type_error(f"Cannot set properties of {text(owner)} (setting '{text(place)}')")
    else:
        raise Declined("setting a part of such a value")
