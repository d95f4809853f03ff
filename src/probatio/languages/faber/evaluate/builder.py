"""What building a runnable program from its tree knows at the place it has reached, and what the running program reports to."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Mapping
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.evaluate.scopes import Frame, FrameShape, Scope
from probatio.languages.faber.evaluate.values import Declined, OutOfSteps, Value

Run = Function[[Frame], Value]
"""An expression, ready to run; a statement too, which gives None, or how control leaves it."""

BREAK, CONTINUE, RETURN = "break", "continue", "return"


class Machine:
    """A run: its output, and the steps it has left."""

    __slots__ = ("out", "steps")

    def __init__(self, steps: int) -> None:
        self.out: list[str] = []
        self.steps = steps

    def tick(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps

    def show(self, line: str) -> None:
        self.out.append(line)


class Builder:
    """One program being made ready. The functions of the other modules share it; two tables say which takes which node."""

    def __init__(
        self,
        machine: Machine,
        expressions: Mapping[type[tree.Expression], Function[[Builder, Any], Run]],
        statements: Mapping[type[tree.Statement], Function[[Builder, Any], Run]],
    ) -> None:
        self.machine = machine
        self.expressions = expressions
        self.statements = statements
        self.holding: set[int] = set()  # blocks with a function inside, which could hold on to their names
        self.scope = Scope(FrameShape(None), None)
        self.unions: dict[str, tree.Union] = {}
        self.classes: set[str] = set()
        self.yields = False  # does `cede` hand out here, or wait?
        self.inside = False  # inside a function or method
        self.protocol: str | None = None  # the verb of the top-level function around
        self.guarded = 0  # is an error thrown here caught in the same function?

    def value(self, node: tree.Expression) -> Run:
        build = self.expressions.get(type(node))
        if build is None:
            raise Declined(f"a {type(node).__name__}")
        return build(self, node)

    def values(self, nodes: list[tree.Expression]) -> list[Run]:
        return [self.value(node) for node in nodes]

    def statement(self, node: tree.Statement) -> Run:
        build = self.statements.get(type(node))
        if build is None:
            raise Declined(f"a {type(node).__name__}")
        return build(self, node)

    def block(self, block: tree.Block, names: tuple[str, ...] = ()) -> tuple[Run, list[int]]:
        """A block with a scope of its own, and the slots of the names it begins with."""
        if id(block) in self.holding:
            return self._framed(block, names)
        outer, self.scope = self.scope, self.scope.inner()
        slots = [self.scope.declare(name) for name in names]
        run = self.body(block.body)
        self.scope = outer
        return run, slots

    def _framed(self, block: tree.Block, names: tuple[str, ...]) -> tuple[Run, list[int]]:
        """The block in a frame of its own; names it begins with are handed over through slots outside."""
        outer = self.scope
        outside = [outer.shape.slot() for _ in names]
        shape = FrameShape(outer.shape)
        self.scope = outer.inner(shape)
        inside = [self.scope.declare(name) for name in names]
        run = self.body(block.body)
        self.scope = outer
        pairs = list(zip(inside, outside, strict=True))

        def framed(frame: Frame) -> Value:
            own = shape.new(frame, frame[2])
            for to, at in pairs:
                own[to] = frame[at]
            left = run(own)
            if left is RETURN:
                frame[1] = own[1]
            return left

        return framed, outside

    def body(self, statements: list[tree.Statement]) -> Run:
        """Statements one after the other; functions are there from the beginning."""
        for name in declared_names(statements):
            self.scope.declare(name)
        hoisted = [self.statement(node) for node in statements if isinstance(node, tree.Function)]
        rest = [self.statement(node) for node in statements if not isinstance(node, tree.Function)]
        steps = (*hoisted, *rest)
        if len(steps) == 1:
            return steps[0]

        def run(frame: Frame) -> Value:
            for step in steps:
                left = step(frame)
                if left is not None:
                    return left
            return None

        return run


def declared_names(statements: list[tree.Statement]) -> list[str]:
    """What a block declares: its functions may name it, wherever in the block it stands."""
    names: list[str] = []
    for node in statements:
        if isinstance(node, (tree.Variable, tree.Function, tree.Class, tree.Enum)):
            names.append(node.name)
        elif isinstance(node, (tree.Destructure, tree.ListPattern, tree.Import)):
            names += [item.local for item in node.items or [] if not item.skip]
    return names


def note_holding(part: Any, holding: set[int]) -> bool:
    """Is there a function, lambda or class in a part of the tree? Blocks that have one are noted."""
    found = isinstance(part, (tree.Lambda, tree.Function, tree.Class))
    if isinstance(part, tree.Node):
        for name in part.__struct_fields__:
            inner = getattr(part, name)
            if (type(inner) is list or isinstance(inner, tree.Node)) and note_holding(inner, holding):
                found = True
        if found and isinstance(part, tree.Block):
            holding.add(id(part))
    elif type(part) is list:
        for each in part:
            found = note_holding(each, holding) or found
    return found
