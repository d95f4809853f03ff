"""Declarations made ready to run: variables, functions, enumerations, classes and imports."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.evaluate.builder import RETURN, Builder, Run
from probatio.languages.faber.evaluate.calls import promising
from probatio.languages.faber.evaluate.expressions import constant, unescaped
from probatio.languages.faber.evaluate.library import MODULES, Sequence
from probatio.languages.faber.evaluate.parts import elements, member
from probatio.languages.faber.evaluate.scopes import Frame, FrameShape
from probatio.languages.faber.evaluate.values import (
    UNDEFINED,
    Blueprint,
    Declined,
    Instance,
    Record,
    Thrown,
    Value,
    error,
    number_text,
)
from probatio.languages.faber.evaluate.values import Function as Callable_

CONSTRUCTOR = "creo"
_PROTOCOL = ("fit", "fiet", "fiunt", "fient")
_AWAITED = ("figendum", "variandum")


def _nothing(frame: Frame) -> Value:
    return None


def _variable(builder: Builder, node: tree.Variable) -> Run:
    if node.has_annotation("externa"):
        raise Declined("a variable from outside")
    value = _initial(builder, node.keyword, node.value)
    slot = builder.scope.declare(node.name)
    if node.value is None and node.keyword == "fixum":
        raise Declined("a constant without a value")

    named = isinstance(node.value, tree.Lambda)

    def run(frame: Frame) -> Value:
        found = frame[slot] = value(frame)
        if named:
            found.name = node.name

    return run


def _initial(builder: Builder, keyword: str, value: tree.Expression | None) -> Run:
    if value is None:
        return constant(UNDEFINED)
    if keyword in _AWAITED:
        yields, builder.yields = builder.yields, False
        run = builder.value(tree.Cede(value.at, value))
        builder.yields = yields
        return run
    return builder.value(value)


def _list_pattern(builder: Builder, node: tree.ListPattern) -> Run:
    value = _initial(builder, node.keyword, node.value)
    slots = [None if item.skip else builder.scope.declare(item.name) for item in node.items]

    def run(frame: Frame) -> Value:
        found = elements(value(frame))
        for place, (slot, item) in enumerate(zip(slots, node.items, strict=True)):
            if slot is not None:
                frame[slot] = found[place:] if item.rest else found[place] if place < len(found) else UNDEFINED

    return run


def _destructure(builder: Builder, node: tree.Destructure) -> Run:
    value = _initial(builder, node.keyword, node.value)
    slots = [builder.scope.declare(item.local) for item in node.items]

    def run(frame: Frame) -> Value:
        found = value(frame)
        for slot, item in zip(slots, node.items, strict=True):
            if item.rest:
                taken = {each.name for each in node.items if not each.rest}
                frame[slot] = Record({name: part for name, part in found.fields.items() if name not in taken})
            else:
                frame[slot] = member(found, item.name)

    return run


def _function(builder: Builder, node: tree.Function) -> Run:
    slot = builder.scope.declare(node.name)
    at_top = not builder.inside and builder.scope.outer is None
    make = function_of(builder, node, node.verb if at_top and node.verb in _PROTOCOL else None)

    def run(frame: Frame) -> Value:
        frame[slot] = make(frame)

    return run


def function_of(builder: Builder, node: tree.Function, protocol: str | None = None) -> Run:
    """A function or method; `protocol` says how a top-level one of that verb must end."""
    if node.body is None:
        raise Declined("a function without a body")
    outside = (builder.scope, builder.yields, builder.inside, builder.protocol, builder.guarded)
    shape = FrameShape(builder.scope.shape)
    builder.scope = builder.scope.inner(shape)
    builder.yields, builder.inside, builder.protocol, builder.guarded = node.is_generator, True, protocol, 0
    handed = builder.scope.declare("$handed")
    slots, defaults = [], []
    for each in node.parameters:
        defaults.append(builder.value(each.default) if each.default is not None else None)
        slots.append(builder.scope.declare(each.alias or each.name))
    first, last = (slots[0], slots[-1] + 1) if slots else (0, 0)
    builder.scope = builder.scope.inner()
    body = builder.body(node.body.body)
    builder.scope, builder.yields, builder.inside, builder.protocol, builder.guarded = outside
    rest = next((place for place, each in enumerate(node.parameters) if each.rest), None)
    tick, must_end, generates = builder.machine.tick, protocol in ("fit", "fiet"), node.is_generator
    plain = rest is None and not any(defaults) and not generates

    def make(frame: Frame) -> Value:
        def invoke(ego: Value, arguments: list[Value]) -> Value:
            tick()
            own = shape.new(frame, ego)
            if plain and len(arguments) == len(slots):
                own[first:last] = arguments
                return own[1] if body(own) is RETURN else _fell_off() if must_end else UNDEFINED
            own[handed] = []
            for place, slot in enumerate(slots):
                value = arguments[place] if place < len(arguments) else UNDEFINED
                default = defaults[place]
                if place == rest:
                    value = arguments[place:]
                elif value is UNDEFINED and default is not None:
                    value = default(own)
                own[slot] = value
            ended = body(own)
            if generates:
                return Sequence(own[handed])
            return own[1] if ended is RETURN else _fell_off() if must_end else UNDEFINED

        return Callable_(node.name, promising(invoke) if node.is_async and not node.is_generator else invoke)

    if node.is_generator and (node.is_async or _prints(node.body)):
        raise Declined("a generator that does more than hand out values")
    return make


def _fell_off() -> Value:
    raise Thrown(error("EPROTO: No terminal response"))


def _prints(part: Any) -> bool:
    if isinstance(part, (tree.Print, tree.Call)):
        return True
    if isinstance(part, tree.Node):
        return any(_prints(getattr(part, name)) for name in part.__struct_fields__)
    return any(map(_prints, part)) if isinstance(part, list) else False


def _enum(builder: Builder, node: tree.Enum) -> Run:
    slot = builder.scope.declare(node.name)
    fields: dict[str, Value] = {}
    following = 0.0
    for each in node.members:
        if isinstance(each.value, tree.Text):
            fields[each.name] = unescaped(each.value.inside)
            continue
        if isinstance(each.value, tree.Number):
            following = -each.value.value if each.negative else each.value.value
        fields[each.name] = following
        following += 1

    # Numbers lead back to their names, and keys that are numbers come first.
    back = {number_text(value): name for name, value in fields.items() if type(value) is float}
    ordered = {key: back[key] for key in sorted(back, key=float)} | fields

    def run(frame: Frame) -> Value:
        frame[slot] = Record(ordered)

    return run


def _class(builder: Builder, node: tree.Class) -> Run:
    builder.classes.add(node.name)
    slot = builder.scope.declare(node.name)
    parent = builder.value(tree.Name(node.at, node.parent)) if node.parent else None
    if any(isinstance(each, tree.Field) and each.is_reactive for each in node.members):
        raise Declined("an accessor field")
    builder.inside, inside = True, builder.inside
    fields = [(each, _field_value(builder, each)) for each in node.members if isinstance(each, tree.Field)]
    methods = [
        (each, function_of(builder, each)) for each in node.members if isinstance(each, tree.Function) and each.body
    ]
    builder.inside = inside

    def run(frame: Frame) -> Value:
        above = parent(frame) if parent is not None else None
        if above is not None and not isinstance(above, Blueprint):
            raise Declined("a parent that is no class")
        blueprint = frame[slot] = Blueprint(node.name, above)
        ordered = sorted(methods, key=lambda pair: pair[0].name != CONSTRUCTOR)
        for each, make in ordered:
            (blueprint.statics if each.has_annotation("generis") else blueprint.methods)[each.name] = make(frame)
        for field, value in fields:
            if _is_static(field):
                blueprint.statics[field.name] = value(FrameShape(builder.scope.shape).new(frame, blueprint))
        blueprint.construct = _constructor(blueprint, [pair for pair in fields if not _is_static(pair[0])], frame)
        return None

    return run


def _field_value(builder: Builder, node: tree.Field) -> Run:
    outer = builder.scope
    builder.scope = outer.inner(FrameShape(outer.shape))
    value = builder.value(node.value) if node.value is not None else constant(UNDEFINED)
    builder.scope = outer
    return value


def _is_static(node: tree.Field) -> bool:
    return node.is_static or node.has_annotation("generis")


def _constructor(
    blueprint: Blueprint, fields: list[tuple[tree.Field, Run]], frame: Frame
) -> Function[[list[Value]], Value]:
    """Fields by their defaults, then as given, the parent's first; then `creo`, once the whole object stands."""

    def fill(made: Instance, given: Value) -> None:
        above = blueprint.parent
        if above is not None and hasattr(above.construct, "fill"):
            above.construct.fill(made, given)  # type: ignore[union-attr]
        for field, value in fields:
            made.fields[field.name] = value([frame, None, made])
        for field, _ in fields:
            if isinstance(given, Record) and given.fields.get(field.name, UNDEFINED) is not UNDEFINED:
                made.fields[field.name] = given.fields[field.name]

    def construct(arguments: list[Value]) -> Value:
        made = Instance(blueprint)
        fill(made, arguments[0] if arguments else UNDEFINED)
        creo = blueprint.method(CONSTRUCTOR)
        if creo is not None:
            creo.invoke(made, arguments[1:])
        return made

    construct.fill = fill  # type: ignore[attr-defined]
    return construct


def _import(builder: Builder, node: tree.Import) -> Run:
    exported = MODULES.get(node.module)
    if exported is None:
        raise Declined(f"the module {node.module}")
    names = [(name, name) for name in exported] if node.items is None else [(i.name, i.local) for i in node.items]
    if unknown := [name for name, _ in names if name not in exported]:
        raise Declined(f"{unknown[0]} of the module {node.module}")
    taken = [(builder.scope.declare(local), exported[name]) for name, local in names]

    def run(frame: Frame) -> Value:
        for slot, value in taken:
            frame[slot] = value

    return run


DECLARATIONS: dict[type[tree.Statement], Function[[Builder, Any], Run]] = {
    tree.Import: _import,
    tree.Variable: _variable,
    tree.ListPattern: _list_pattern,
    tree.Destructure: _destructure,
    tree.Function: _function,
    tree.Alias: lambda builder, node: _nothing,
    tree.Enum: _enum,
    tree.Class: _class,
    tree.Contract: lambda builder, node: _nothing,
    tree.Union: lambda builder, node: _nothing,
}
