"""Calls, members and functions made ready to run."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.evaluate.builder import RETURN, Builder, Run
from probatio.languages.faber.evaluate.library import METHODS
from probatio.languages.faber.evaluate.parts import elements, member, part_of, sliced
from probatio.languages.faber.evaluate.scopes import EGO, Frame, FrameShape
from probatio.languages.faber.evaluate.values import (
    ERROR,
    RANGE_ERROR,
    TYPE_ERROR,
    UNDEFINED,
    Bag,
    Blueprint,
    Declined,
    Promise,
    Table,
    Thrown,
    Value,
    error,
    text,
    type_error,
)
from probatio.languages.faber.evaluate.values import Function as Callable_


def _member(builder: Builder, node: tree.Member) -> Run:
    owner, name = builder.value(node.object), node.name
    if node.mark == "?":
        return lambda frame: UNDEFINED if (found := owner(frame)) is None or found is UNDEFINED else member(found, name)
    return lambda frame: member(owner(frame), name)


def _index(builder: Builder, node: tree.Index) -> Run:
    owner, optional = builder.value(node.object), node.mark == "?"
    if isinstance(node.index, tree.Range):
        start, stop = builder.value(node.index.start), builder.value(node.index.stop)
        inclusive = node.index.inclusive

        def cut(frame: Frame) -> Value:
            values, low, high = owner(frame), start(frame), stop(frame)
            return sliced(values, low, (UNDEFINED if high == -1.0 else high + 1) if inclusive else high)

        return cut
    index = builder.value(node.index)
    literal = isinstance(node.index, tree.Unary) and isinstance(node.index.value, tree.Number)

    def read(frame: Frame) -> Value:
        values = owner(frame)
        if optional and (values is None or values is UNDEFINED):
            return UNDEFINED
        place = index(frame)
        if literal and type(values) in (list, str):
            place += len(values)
        return part_of(values, place)

    return read


_OF_FRACTIONS = ("rotunda", "pavimentum", "tectum", "trunca")


def _call(builder: Builder, node: tree.Call) -> Run:
    arguments, callee, optional = builder.values(node.arguments), node.callee, node.mark == "?"
    if any(isinstance(each, tree.Spread) for each in node.arguments):
        raise Declined("spreading into a call")
    if not isinstance(callee, tree.Member):
        if isinstance(callee, tree.Name) and callee.name.startswith("_"):
            raise Declined("a call of the console by name")
        function = builder.value(callee)

        def call(frame: Frame) -> Value:
            found = function(frame)
            if not isinstance(found, Callable_):
                if optional and (found is None or found is UNDEFINED):
                    return UNDEFINED
                raise type_error("it is not a function")
            return found.invoke(UNDEFINED, [argument(frame) for argument in arguments])

        return call
    owner, name, maybe = builder.value(callee.object), callee.name, callee.mark == "?"
    if name in _OF_FRACTIONS and str(callee.object.type) == "numerus":
        raise Declined(f"{name} of a numerus")

    def call_method(frame: Frame) -> Value:
        object_ = owner(frame)
        if maybe and (object_ is None or object_ is UNDEFINED):
            return UNDEFINED
        given = [argument(frame) for argument in arguments]
        methods = METHODS.get(type(object_))
        if methods is not None:
            method = methods.get(name)
            if method is None:
                raise type_error(f"{name} is not a function")
            return method(object_, given)
        found = member(object_, name)
        if isinstance(found, Callable_):
            return found.invoke(object_, given)
        if optional and (found is None or found is UNDEFINED):
            return UNDEFINED
        raise type_error(f"{name} is not a function")

    return call_method


_ERRORS = {"Error": ERROR, "TypeError": TYPE_ERROR, "RangeError": RANGE_ERROR}


def _new(builder: Builder, node: tree.New) -> Run:
    arguments = builder.values(node.arguments or [])
    fields = builder.value(node.fields) if node.fields is not None else None
    name = node.class_name
    if name in builder.classes:
        blueprint = builder.value(tree.Name(node.at, name))

        def construct(frame: Frame) -> Value:
            made = blueprint(frame)
            if not isinstance(made, Blueprint) or made.construct is None:
                raise Declined("a class used before it is there")
            return made.construct(
                [fields(frame) if fields else UNDEFINED, *(argument(frame) for argument in arguments)]
            )

        return construct
    if name in _ERRORS:

        def fail(frame: Frame) -> Value:
            given = [argument(frame) for argument in arguments]
            return error(text(given[0]) if given and given[0] is not UNDEFINED else "", _ERRORS[name])

        return fail
    if name == "Set":
        return lambda frame: Bag(elements(arguments[0](frame)) if arguments else [])
    if name == "Map" and not arguments:
        return lambda frame: Table()
    raise Declined(f"a new {name}")


def lambda_of(builder: Builder, parameters: list[str], body: tree.Expression | tree.Block, is_async: bool) -> Run:
    """A function without a name, which has the `ego` of where it stands."""
    outer, yields, inside = builder.scope, builder.yields, builder.inside
    shape = FrameShape(outer.shape)
    builder.scope, builder.yields, builder.inside = outer.inner(shape), False, True
    slots = [builder.scope.declare(name) for name in parameters]
    run = builder.body(body.body) if isinstance(body, tree.Block) else builder.value(body)
    is_block = isinstance(body, tree.Block)
    builder.scope, builder.yields, builder.inside = outer, yields, inside
    machine = builder.machine

    def make(frame: Frame) -> Value:
        ego = frame[EGO]

        def invoke(_: Value, arguments: list[Value]) -> Value:
            machine.tick()
            own = shape.new(frame, ego)
            for place, slot in enumerate(slots):
                own[slot] = arguments[place] if place < len(arguments) else UNDEFINED
            if not is_block:
                return run(own)
            return own[1] if run(own) is RETURN else UNDEFINED

        return Callable_("", promising(invoke) if is_async else invoke)

    return make


def promising(invoke: Function[[Value, list[Value]], Value]) -> Function[[Value, list[Value]], Value]:
    """An asynchronous function: it runs at once, and its end is kept until somebody waits for it."""

    def run(ego: Value, arguments: list[Value]) -> Value:
        try:
            found = invoke(ego, arguments)
        except Thrown as thrown:
            return Promise(UNDEFINED, thrown)
        return found if isinstance(found, Promise) else Promise(found, None)

    return run


CALLS: dict[type[tree.Expression], Function[[Builder, Any], Run]] = {
    tree.Member: _member,
    tree.Index: _index,
    tree.Call: _call,
    tree.New: _new,
}
