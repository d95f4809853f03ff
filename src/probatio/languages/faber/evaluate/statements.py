"""Statements made ready to run. Each gives None where it ends normally, else how control leaves it."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.evaluate.builder import BREAK, CONTINUE, RETURN, Builder, Run
from probatio.languages.faber.evaluate.console import printed
from probatio.languages.faber.evaluate.expressions import stepped
from probatio.languages.faber.evaluate.operators import SIGNS
from probatio.languages.faber.evaluate.parts import elements, member, set_part
from probatio.languages.faber.evaluate.scopes import RETURNED, Frame
from probatio.languages.faber.evaluate.values import (
    PANIC,
    UNDEFINED,
    Declined,
    Record,
    Table,
    Thrown,
    Value,
    error,
    number_text,
    same,
    text,
    truth,
)


def _caught(builder: Builder, catch: tree.Catch | None, build: Function[[], Run]) -> Run:
    """The statement, and its own `cape` where it has one."""
    if catch is None:
        return build()
    builder.guarded += 1
    run = build()
    builder.guarded -= 1
    handle, slots = builder.block(catch.body, (catch.name,))

    def guarded(frame: Frame) -> Value:
        try:
            return run(frame)
        except Thrown as thrown:
            frame[slots[0]] = thrown.value
            return handle(frame)

    return guarded


def _if(builder: Builder, node: tree.If) -> Run:
    def build() -> Run:
        test, (yes, _) = builder.value(node.test), builder.block(node.yes)
        if node.no is None:

            def choose(frame: Frame) -> Value:
                holds = test(frame)
                return yes(frame) if holds is True or (holds is not False and truth(holds)) else None

            return choose
        no = _if(builder, node.no) if isinstance(node.no, tree.If) else builder.block(node.no)[0]
        return lambda frame: yes(frame) if truth(test(frame)) else no(frame)

    return _caught(builder, node.catch, build)


def _while(builder: Builder, node: tree.While) -> Run:
    def build() -> Run:
        test, (body, _), tick = builder.value(node.test), builder.block(node.body), builder.machine.tick

        def run(frame: Frame) -> Value:
            while truth(test(frame)):
                tick()
                left = body(frame)
                if left is not None and left is not CONTINUE:
                    return None if left is BREAK else left
            return None

        return run

    return _caught(builder, node.catch, build)


def _loop(builder: Builder, node: tree.Loop) -> Run:
    return _caught(builder, node.catch, lambda: _loop_over(builder, node))


def _loop_over(builder: Builder, node: tree.Loop) -> Run:
    source = node.source
    if isinstance(source, tree.Range) and not node.steps:
        return _counting(builder, node, source)
    values = stepped(builder, builder.value(source), node.steps)
    body, slots = builder.block(node.body, (node.name,))
    tick, slot, keys = builder.machine.tick, slots[0], node.over == "de"

    def run(frame: Frame) -> Value:
        found = values(frame)
        for each in _keys(found) if keys else found if type(found) is list else elements(found):
            tick()
            frame[slot] = each
            left = body(frame)
            if left is not None and left is not CONTINUE:
                return None if left is BREAK else left
        return None

    return run


def _keys(value: Value) -> list[Value]:
    if isinstance(value, Table):
        return [key for key, _ in value.entries.values()]
    if isinstance(value, Record):
        return list(value.fields)
    if type(value) in (list, str):
        return [number_text(float(place)) for place in range(len(value))]
    raise Declined("the keys of such a value")


def _counting(builder: Builder, node: tree.Loop, source: tree.Range) -> Run:
    """Upwards only: a range that begins above its end has no rounds. Its end is looked at anew in every round."""
    start, stop = builder.value(source.start), builder.value(source.stop)
    step = builder.value(source.step) if source.step is not None else None
    body, slots = builder.block(node.body, (node.name,))
    tick, slot, within, add = builder.machine.tick, slots[0], SIGNS["<=" if source.inclusive else "<"], SIGNS["+"]

    def run(frame: Frame) -> Value:
        at = start(frame)
        while within(at, stop(frame)):
            tick()
            frame[slot] = at
            left = body(frame)
            if left is not None and left is not CONTINUE:
                return None if left is BREAK else left
            at = add(at, 1.0 if step is None else step(frame))
        return None

    return run


def _with(builder: Builder, node: tree.With) -> Run:
    owner = builder.value(node.object)
    steps: list[Function[[Frame, Value], Value]] = []
    for statement in node.body.body:
        assign = statement.value if isinstance(statement, tree.ExpressionStatement) else None
        if not (isinstance(assign, tree.Assign) and isinstance(assign.target, tree.Name)):
            raise Declined("such a statement inside `in`")
        steps.append(_field_setter(builder, assign, assign.target.name))

    def run(frame: Frame) -> Value:
        found = owner(frame)
        for step in steps:
            step(frame, found)
        return None

    return run


def _field_setter(builder: Builder, assign: tree.Assign, name: str) -> Function[[Frame, Value], Value]:
    value = builder.value(assign.value)
    if assign.operator == "=":
        return lambda frame, owner: set_part(owner, name, value(frame))
    combine = SIGNS[assign.operator[:-1]]
    return lambda frame, owner: set_part(owner, name, combine(member(owner, name), value(frame)))


def _switch(builder: Builder, node: tree.Switch) -> Run:
    def build() -> Run:
        value = builder.value(node.value)
        cases = [(builder.value(case.test), builder.block(case.body)[0]) for case in node.cases]
        default = builder.block(node.default)[0] if node.default is not None else None

        def run(frame: Frame) -> Value:
            found = value(frame)
            for test, body in cases:
                if same(found, test(frame)):
                    return body(frame)
            return default(frame) if default is not None else None

        return run

    return _caught(builder, node.catch, build)


def _match(builder: Builder, node: tree.Match) -> Run:
    values = builder.values(node.values)
    cases = []
    for case in node.cases:
        names: list[str] = []
        reads: list[tuple[int, str | None]] = []
        for place, (pattern, value) in enumerate(zip(case.patterns, node.values, strict=False)):
            if pattern.alias is not None:
                names.append(pattern.alias)
                reads.append((place, None))
            fields = _fields(builder, pattern.variant, value)
            for at, binding in enumerate(pattern.bindings):
                names.append(binding)
                reads.append((place, fields[at] if fields is not None and at < len(fields) else binding))
        body, slots = builder.block(case.body, tuple(names))
        wanted = [None if pattern.wildcard else pattern.variant for pattern in case.patterns]
        cases.append((wanted, list(zip(slots, reads, strict=True)), body))
    default = builder.block(node.default)[0] if node.default is not None else None

    def run(frame: Frame) -> Value:
        found = [value(frame) for value in values]
        if not all(isinstance(each, Record) for each in found):
            raise Declined("discerning what has no variants")
        for wanted, bound, body in cases:
            if all(name is None or each.fields.get("tag") == name for name, each in zip(wanted, found, strict=False)):
                for slot, (place, name) in bound:
                    frame[slot] = found[place] if name is None else found[place].fields.get(name, UNDEFINED)
                return body(frame)
        return default(frame) if default is not None else None

    return run


def _fields(builder: Builder, variant: str, value: tree.Expression) -> list[str] | None:
    """The fields of a variant in order: of the value's own union, else of any that has it."""
    own = builder.unions.get(getattr(value.type, "name", ""))
    for union in [*([own] if own is not None else []), *builder.unions.values()]:
        for each in union.variants:
            if each.name == variant:
                return [field.name for field in each.fields]
    return None


def _guard(builder: Builder, node: tree.Guard) -> Run:
    clauses = [(builder.value(clause.test), builder.block(clause.body)[0]) for clause in node.clauses]

    def run(frame: Frame) -> Value:
        for test, body in clauses:
            if truth(test(frame)) and (left := body(frame)) is not None:
                return left
        return None

    return run


def _assert(builder: Builder, node: tree.Assert) -> Run:
    test = builder.value(node.test)
    message = builder.value(node.message) if node.message is not None else None

    def run(frame: Frame) -> Value:
        if not truth(test(frame)):
            if message is None:
                raise Declined("the message of an assertion that has none")
            raise Thrown(error(text(message(frame))))

    return run


def _return(builder: Builder, node: tree.Return) -> Run:
    if not builder.inside:
        raise Declined("a return outside of every function")
    if node.value is None:
        return _bare_return
    value = builder.value(node.value)

    def run(frame: Frame) -> Value:
        frame[RETURNED] = value(frame)
        return RETURN

    return run


def _bare_return(frame: Frame) -> Value:
    frame[RETURNED] = UNDEFINED
    return RETURN


def _throw(builder: Builder, node: tree.Throw) -> Run:
    value, fatal = builder.value(node.value), node.fatal
    leaves = builder.protocol is not None and not builder.guarded

    def run(frame: Frame) -> Value:
        found = value(frame)
        if fatal:
            raise Thrown(error(text(found), PANIC))
        raise Thrown(error(f"EFAIL: {text(found)}") if leaves else found)

    return run


def _print(builder: Builder, node: tree.Print) -> Run:
    arguments, machine, shown = builder.values(node.arguments), builder.machine, node.keyword != "mone"

    def run(frame: Frame) -> Value:
        line = printed([argument(frame) for argument in arguments])
        if shown:
            machine.show(line)

    return run


def _try(builder: Builder, node: tree.Try) -> Run:
    if node.catch is None and node.always is None:
        raise Declined("`tempta` alone")
    run = _caught(builder, node.catch, lambda: builder.block(node.body)[0])
    if node.always is None:
        return run
    always, _ = builder.block(node.always)

    def finally_(frame: Frame) -> Value:
        try:
            left = run(frame)
            returned = frame[RETURNED]
        except Thrown:
            after = always(frame)
            if after is not None:
                return after
            raise
        after = always(frame)
        if after is not None:
            return after
        frame[RETURNED] = returned
        return left

    return finally_


def _do(builder: Builder, node: tree.Do) -> Run:
    if node.test is None:
        return _caught(builder, node.catch, lambda: builder.block(node.body)[0])
    body, test, tick = (
        _caught(builder, node.catch, lambda: builder.block(node.body)[0]), builder.value(node.test), builder.machine.tick,
    )  # fmt: skip

    def run(frame: Frame) -> Value:
        while True:
            tick()
            left = body(frame)
            if left is not None and left is not CONTINUE:
                return None if left is BREAK else left
            if not truth(test(frame)):
                return None

    return run


def _manage(builder: Builder, node: tree.Manage) -> Run:
    if node.is_async:
        raise Declined("a resource that is waited for")
    if node.resource is None:
        return _caught(builder, node.catch, lambda: builder.block(node.body)[0])
    resource = builder.value(node.resource)

    def build() -> Run:
        body, slots = builder.block(node.body, (node.name or "$resource",))

        def run(frame: Frame) -> Value:
            found = frame[slots[0]] = resource(frame)
            try:
                return body(frame)
            finally:
                if found is not None and found is not UNDEFINED:
                    release = member(found, "solve")
                    if release is not UNDEFINED:
                        release.invoke(found, [])

        return run

    return _caught(builder, node.catch, build)


def _entry(builder: Builder, node: tree.Entry) -> Run:
    """An asynchronous entry runs through at once here, so nothing may stand behind it."""
    return builder.block(node.body)[0]


def _expression(builder: Builder, node: tree.ExpressionStatement) -> Run:
    value = node.value
    if builder.yields and isinstance(_leftmost(value), tree.Cede) and not isinstance(value, tree.Cede):
        value = tree.Cede(value.at, _without_cede(value))
    run = builder.value(value)

    def statement(frame: Frame) -> Value:
        run(frame)

    return statement


def _leftmost(node: tree.Expression) -> tree.Expression:
    return _leftmost(node.left) if isinstance(node, tree.Binary) else node


def _without_cede(node: tree.Expression) -> tree.Expression:
    """`cede i * i` hands out the product."""
    if isinstance(node, tree.Binary):
        return tree.Binary(node.at, node.operator, _without_cede(node.left), node.right)
    return node.value if isinstance(node, tree.Cede) else node


STATEMENTS: dict[type[tree.Statement], Function[[Builder, Any], Run]] = {
    tree.If: _if,
    tree.While: _while,
    tree.Loop: _loop,
    tree.With: _with,
    tree.Switch: _switch,
    tree.Match: _match,
    tree.Guard: _guard,
    tree.Assert: _assert,
    tree.Return: _return,
    tree.Break: lambda builder, node: lambda frame: BREAK,
    tree.Continue: lambda builder, node: lambda frame: CONTINUE,
    tree.Throw: _throw,
    tree.Print: _print,
    tree.Try: _try,
    tree.Do: _do,
    tree.Manage: _manage,
    tree.Entry: _entry,
    tree.Block: lambda builder, node: builder.block(node)[0],
    tree.ExpressionStatement: _expression,
}
