"""Expressions made ready to run: literals, names, operators, conversions and functions."""

from __future__ import annotations

import re
from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.evaluate.builder import Builder, Run
from probatio.languages.faber.evaluate.calls import CALLS, lambda_of
from probatio.languages.faber.evaluate.conversions import CONVERSIONS
from probatio.languages.faber.evaluate.operators import PREFIXES, SIGNS, quick
from probatio.languages.faber.evaluate.parts import elements, part_of, set_part, sliced
from probatio.languages.faber.evaluate.scopes import EGO, PARENT, Frame
from probatio.languages.faber.evaluate.values import (
    UNDEFINED,
    Declined,
    Promise,
    Record,
    Value,
    text,
    truth,
)

_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_PLACEHOLDER = re.compile(r"§(\d*)")


def unescaped(inside: str) -> str:
    """A text as its escapes mean it."""

    def read(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code[1:].strip("{}"), 16))
        return _LETTERS.get(code, code)

    return _ESCAPE.sub(read, inside) if "\\" in inside else inside


def constant(value: Value) -> Run:
    return lambda frame: value


def _literal(builder: Builder, node: tree.Number | tree.Text) -> Run:
    return constant(node.value if isinstance(node, tree.Number) else unescaped(node.inside))


def _name(builder: Builder, node: tree.Name) -> Run:
    found = builder.scope.find(node.name)
    if found is None:
        raise Declined(f"the name {node.name}")
    depth, slot = found
    if depth == 0:
        return lambda frame: frame[slot]
    if depth == 1:
        return lambda frame: frame[PARENT][slot]

    def read(frame: Frame) -> Value:
        for _ in range(depth):
            frame = frame[PARENT]
        return frame[slot]

    return read


def assign_name(builder: Builder, name: str) -> Function[[Frame, Value], None]:
    found = builder.scope.find(name)
    if found is None:
        raise Declined(f"the name {name}")
    depth, slot = found

    def write(frame: Frame, value: Value) -> None:
        for _ in range(depth):
            frame = frame[PARENT]
        frame[slot] = value

    return write


def _template(builder: Builder, node: tree.Template) -> Run:
    parts: list[Run] = []
    rest = node.inside
    while "${" in rest:
        before, _, after = rest.partition("${")
        code, closed, rest = after.partition("}")
        if not closed or "{" in code or before.endswith("\\"):
            raise Declined("such a template")
        parts += [constant(unescaped(before)), builder.value(_pasted(code))]
    parts.append(constant(unescaped(rest)))
    return lambda frame: "".join([text(part(frame)) for part in parts])


def _pasted(code: str) -> tree.Expression:
    """What stands inside `${}` is JavaScript; where it reads the same as Faber, it means the same."""
    from probatio.languages.faber.analysis import analyse

    read = analyse(f"scribe {code}", semantic=False)
    if read.diagnostics or len(read.program.body) != 1 or "!" in code.replace("!=", "") or "?" in code:
        raise Declined("such a template")
    statement = read.program.body[0]
    if not isinstance(statement, tree.Print) or len(statement.arguments) != 1:
        raise Declined("such a template")
    return statement.arguments[0]


def _array(builder: Builder, node: tree.Array) -> Run:
    if not any(isinstance(each, tree.Spread) for each in node.elements):
        parts = builder.values(node.elements)
        return lambda frame: [part(frame) for part in parts]
    spread = [
        (isinstance(each, tree.Spread), builder.value(each.value if isinstance(each, tree.Spread) else each))
        for each in node.elements
    ]

    def build(frame: Frame) -> Value:
        values: list[Value] = []
        for is_spread, part in spread:
            values += elements(part(frame)) if is_spread else [part(frame)]
        return values

    return build


def _object(builder: Builder, node: tree.Object) -> Run:
    parts = [
        (None, builder.value(each.value)) if isinstance(each, tree.Spread) else (each.key, builder.value(each.value))
        for each in node.properties
    ]

    def build(frame: Frame) -> Value:
        fields: dict[str, Value] = {}
        for key, part in parts:
            value = part(frame)
            if key is not None:
                if key.isdigit():
                    raise Declined("a number as a key")
                fields[unescaped(key)] = value
            elif isinstance(value, Record):
                fields |= value.fields
            elif value is not None and value is not UNDEFINED:
                raise Declined("spreading such a value")
        return Record(fields)

    return build


def _binary(builder: Builder, node: tree.Binary) -> Run:
    sign = node.operator
    if sign == "intra":
        return _intra(builder, node)
    left, right = builder.value(node.left), builder.value(node.right)
    if sign == "&&":
        return lambda frame: right(frame) if truth(value := left(frame)) else value
    if sign == "||":
        return lambda frame: value if truth(value := left(frame)) else right(frame)
    if sign == "??":
        return lambda frame: right(frame) if (value := left(frame)) is None or value is UNDEFINED else value
    return quick(sign, left, right)


def _intra(builder: Builder, node: tree.Binary) -> Run:
    left = builder.value(node.left)
    if not isinstance(node.right, tree.Range):
        right, within = builder.value(node.right), SIGNS["inter"]
        return lambda frame: within(left(frame), right(frame))
    low, high = builder.value(node.right.start), builder.value(node.right.stop)
    above, below = SIGNS[">="], SIGNS["<=" if node.right.inclusive else "<"]

    def test(frame: Frame) -> Value:
        value = left(frame)
        return above(value, low(frame)) and below(value, high(frame))

    return test


def _unary(builder: Builder, node: tree.Unary) -> Run:
    apply, value = PREFIXES[node.operator], builder.value(node.value)
    return lambda frame: apply(value(frame))


def _assign(builder: Builder, node: tree.Assign) -> Run:
    value, target = builder.value(node.value), node.target
    combine = None if node.operator == "=" else SIGNS[node.operator[:-1]]
    if isinstance(target, tree.Name):
        found = builder.scope.find(target.name)
        if combine is None and found is not None and found[0] == 0:
            return _assign_here(found[1], value)
        write, read = assign_name(builder, target.name), builder.value(target)

        def assign(frame: Frame) -> Value:
            new = value(frame) if combine is None else combine(read(frame), value(frame))
            write(frame, new)
            return new

        return assign
    if isinstance(target, tree.Member):
        owner, key = builder.value(target.object), constant(target.name)
    elif isinstance(target, tree.Index):
        owner, key = builder.value(target.object), builder.value(target.index)
    else:
        raise Declined("assigning to such a target")

    def put(frame: Frame) -> Value:
        object_, place = owner(frame), key(frame)
        old = UNDEFINED if combine is None else part_of(object_, place)
        new = value(frame)
        new = new if combine is None else combine(old, new)
        set_part(object_, place, new)
        return new

    return put


def _assign_here(slot: int, value: Run) -> Run:
    def assign(frame: Frame) -> Value:
        new = frame[slot] = value(frame)
        return new

    return assign


def _conditional(builder: Builder, node: tree.Conditional) -> Run:
    test, yes, no = builder.value(node.test), builder.value(node.yes), builder.value(node.no)
    return lambda frame: yes(frame) if truth(test(frame)) else no(frame)


def _range(builder: Builder, node: tree.Range) -> Run:
    start, stop = builder.value(node.start), builder.value(node.stop)
    step = builder.value(node.step) if node.step is not None else constant(1.0)

    def build(frame: Frame) -> Value:
        low, high, by = start(frame), stop(frame), step(frame)
        if {type(low), type(high), type(by)} != {float} or by == 0:
            raise Declined("a range of what is no number")
        values = []
        while (
            (low <= high if node.inclusive else low < high)
            if by > 0
            else (low >= high if node.inclusive else low > high)
        ):
            values.append(low)
            low += by
            builder.machine.tick()
        return values

    return build


def _format(builder: Builder, node: tree.Format) -> Run:
    if not node.arguments:
        return constant(unescaped(node.pattern.inside))
    arguments = builder.values(node.arguments)
    pieces: list[str | int] = []
    at, following = 0, 0
    for slot in _PLACEHOLDER.finditer(node.pattern.inside):
        pieces.append(unescaped(node.pattern.inside[at : slot.start()]))
        pieces.append(int(slot[1]) if slot[1] else following)
        following += not slot[1]
        at = slot.end()
    pieces.append(unescaped(node.pattern.inside[at:]))

    def fill(frame: Frame) -> Value:
        values = [argument(frame) for argument in arguments]
        return "".join(
            [p if isinstance(p, str) else text(values[p]) if p < len(values) else "undefined" for p in pieces]
        )

    return fill


def _shape(builder: Builder, node: tree.Shape) -> Run:
    fields = _object(builder, node.fields) if node.fields is not None else constant(Record({}))
    return lambda frame: Record({"tag": node.variant, **fields(frame).fields})


def _pipeline(builder: Builder, node: tree.Pipeline) -> Run:
    return stepped(builder, builder.value(node.source), node.steps)


def stepped(builder: Builder, source: Run, steps: list[tree.Step]) -> Run:
    """What `prima`, `ultima` and `summa` leave of a list."""
    from functools import reduce

    for step in steps:
        source = _step(builder, source, step, reduce)
    return source


def _step(builder: Builder, source: Run, step: tree.Step, reduce: Any) -> Run:
    if step.verb == "summa":
        add = SIGNS["+"]
        return lambda frame: reduce(add, source(frame), 0.0)
    if step.count is None:
        return source
    count = builder.value(step.count)
    if step.verb == "prima":
        return lambda frame: sliced(source(frame), 0.0, count(frame))
    return lambda frame: sliced(source(frame), -count(frame), UNDEFINED)


def _filter(builder: Builder, node: tree.Filter) -> Run:
    if node.property is None:
        raise Declined("a filter by a condition")
    source, name = builder.value(node.source), node.property

    def kept(frame: Frame) -> Value:
        return [each for each in source(frame) if truth(part_of(each, name)) is not node.negated]

    return stepped(builder, kept, node.steps)


def _cede(builder: Builder, node: tree.Cede) -> Run:
    value = builder.value(node.value)
    if builder.yields:
        handed = builder.value(tree.Name(node.at, "$handed"))
        return lambda frame: handed(frame).append(value(frame))

    def wait(frame: Frame) -> Value:
        found = value(frame)
        if not isinstance(found, Promise):
            return found
        if found.thrown is not None:
            raise found.thrown
        return found.value

    return wait


def _comptime(builder: Builder, node: tree.Comptime) -> Run:
    if isinstance(node.body, tree.Block):
        made = lambda_of(builder, [], node.body, False)
        return lambda frame: made(frame).invoke(UNDEFINED, [])
    return builder.value(node.body)


EXPRESSIONS: dict[type[tree.Expression], Function[[Builder, Any], Run]] = {
    tree.Name: _name,
    tree.Number: _literal,
    tree.BigInt: lambda builder, node: constant(int(node.text, 0) if not node.text.isdigit() else int(node.text)),
    tree.Text: _literal,
    tree.Truth: lambda builder, node: constant(node.value),
    tree.Nothing: lambda builder, node: constant(None),
    tree.Self: lambda builder, node: lambda frame: frame[EGO],
    tree.Template: _template,
    tree.Array: _array,
    tree.Object: _object,
    tree.Binary: _binary,
    tree.Unary: _unary,
    tree.Assign: _assign,
    tree.Conditional: _conditional,
    tree.Range: _range,
    tree.Format: _format,
    tree.Shape: _shape,
    tree.Pipeline: _pipeline,
    tree.Filter: _filter,
    tree.Cede: _cede,
    tree.Comptime: _comptime,
    tree.Lambda: lambda builder, node: lambda_of(builder, node.parameters, node.body, node.is_async),
    **CONVERSIONS,
    **CALLS,
}
