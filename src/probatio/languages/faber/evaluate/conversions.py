"""Type tests and conversions from one type to another, made ready to run."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.evaluate.builder import Builder, Run
from probatio.languages.faber.evaluate.operators import SIGNS, parsed_fraction, parsed_whole
from probatio.languages.faber.evaluate.scopes import Frame
from probatio.languages.faber.evaluate.values import (
    ERROR,
    UNDEFINED,
    Bag,
    Blueprint,
    Instance,
    Promise,
    Record,
    Table,
    Value,
    text,
    truth,
    type_error,
)
from probatio.languages.faber.evaluate.values import Function as Callable_

_RADIX = {"Dec": 10, "Hex": 16, "Oct": 8, "Bin": 2}


def _error(frame: Frame) -> Value:
    return ERROR


_TYPEOF = {"textus": str, "numerus": float, "fractus": float, "decimus": float, "bivalens": bool, "magnus": int}
_KINDS: dict[str, type] = {"lista": list, "tabula": Table, "copia": Bag, "promissum": Promise}


def _type_test(builder: Builder, node: tree.TypeTest) -> Run:
    value, name = builder.value(node.value), node.target.name
    if name in _TYPEOF:
        kind = _TYPEOF[name]
        return lambda frame: (type(value(frame)) is kind) is not node.negated
    if name in _KINDS:
        return lambda frame: (type(value(frame)) is _KINDS[name]) is not node.negated
    if name in ("nihil", "incertum", "vacuum"):
        wanted = None if name == "nihil" else UNDEFINED
        return lambda frame: (value(frame) is wanted) is not node.negated
    if name in ("erratum", "Error"):
        blueprint: Run = _error
    elif name == "objectum":
        return lambda frame: (
            (type(found := value(frame)) not in (str, float, bool, int, Callable_) and found is not UNDEFINED)
            is not node.negated
        )
    else:
        blueprint = builder.value(tree.Name(node.at, name))

    def test(frame: Frame) -> Value:
        found, wanted = value(frame), blueprint(frame)
        if not isinstance(wanted, Blueprint):
            raise type_error("Right-hand side of 'instanceof' is not callable")
        return (isinstance(found, Instance) and found.blueprint.is_a(wanted)) is not node.negated

    return test


def _cast(builder: Builder, node: tree.Cast) -> Run:
    value, name = builder.value(node.value), node.target.name
    if isinstance(node.value, tree.Object):
        if name in builder.classes:
            blueprint = builder.value(tree.Name(node.at, name))
            return lambda frame: blueprint(frame).construct([value(frame)])
        if name == "copia":
            return lambda frame: Bag(list(value(frame).fields))
        if name == "tabula":
            return lambda frame: _table_of(value(frame))
    if isinstance(node.value, tree.Array) and name == "copia":
        return lambda frame: Bag(value(frame))
    return value


def _native(builder: Builder, node: tree.Native) -> Run:
    value = builder.value(node.value)
    return (lambda frame: _table_of(value(frame))) if isinstance(node.value, tree.Object) else value


def _table_of(record: Record) -> Table:
    table = Table()
    for key, value in record.fields.items():
        table.put(key, value)
    return table


def _convert(builder: Builder, node: tree.Convert) -> Run:
    value = builder.value(node.value)
    fallback = builder.value(node.fallback) if node.fallback is not None else None
    if node.to == "numeratum" and node.target is not None and node.target.name == "magnus":
        return lambda frame: int(text(value(frame)))
    if node.to in ("numeratum", "fractatum"):
        radix = _RADIX.get(node.radix or "Dec", 10)

        def convert(frame: Frame) -> Value:
            given = value(frame)
            made = parsed_whole(given, radix) if node.to == "numeratum" else parsed_fraction(given)
            return fallback(frame) if fallback is not None and made != made else made

        return convert
    make: Function[[Value], Value] = text if node.to == "textatum" else truth
    if fallback is None:
        return lambda frame: make(value(frame))
    return lambda frame: made if truth(made := make(value(frame))) else fallback(frame)


def _shift(builder: Builder, node: tree.Shift) -> Run:
    apply, value, amount = SIGNS[node.direction], builder.value(node.value), builder.value(node.amount)
    return lambda frame: apply(value(frame), amount(frame))


CONVERSIONS: dict[type[tree.Expression], Function[[Builder, Any], Run]] = {
    tree.TypeTest: _type_test,
    tree.Cast: _cast,
    tree.Native: _native,
    tree.Convert: _convert,
    tree.Shift: _shift,
}
