"""Does everything in a program matter? A statement left out or a literal changed must show in what is
printed.

What does not matter is taken out of the program, not the program out of the suite: it becomes smaller,
and every part counts.
"""

from __future__ import annotations

import functools
from typing import Any

from faber import tree
from probatio.authoring.generate.faber.mutants import Mutants

_DECLARATIONS = (tree.Variable, tree.Function, tree.Class)
_PLAIN = frozenset(
    ("at", "end", "type", "name", "keyword", "operator", "text", "inside", "form", "places", "declared")
)
_CHANGES = (1, -1, 3, -4, 11, 6, -7, 99, -99)
"""What is added to a number, before its half, its double and nothing;
a number matters if one of them shows."""


def idle_parts(mutants: Mutants) -> list[tree.Node]:
    """Statements without which the same is printed, and literals that could be others."""
    idle: list[tree.Node] = []
    inside: set[int] = set()
    for place, node in enumerate(mutants.statements):  # the outer ones come first
        if id(node) not in inside and mutants.same_without(place):
            idle.append(node)
            inside |= {id(each) for each in nodes_of(node)}
    for place, literal in enumerate(mutants.literals):
        if id(literal) in inside:
            continue
        value = mutants.values[place]
        others: list[int | str] = [f"{value}?"]
        if isinstance(value, int):
            changed = (*(value + by for by in _CHANGES), value // 2, value * 2, 0)
            others = [other for other in changed if other >= 0]
        if mutants.same_with(place, others):
            idle.append(literal)
    return idle


def mend(program: tree.Program, idle: list[tree.Node]) -> bool:
    """Take idle parts out of the tree, as many as can be; where none can, the statement around the first.
    What is printed may then be something else. False where nothing could be done."""
    gone = {id(node) for node in idle}
    _without(program.body, gone)
    if len(gone) == len(idle) and not _without_holder(program.body, idle[0]):
        return False
    _tidy(program.body)
    while _drop_unused(program):
        pass
    return True


def _without_holder(body: list[Any], part: tree.Node) -> bool:
    """Take out the innermost statement with this part inside; a declaration stays. Was there one?"""
    for place, node in enumerate(body):
        if _holds(node, {id(part)}):
            if any(_without_holder(inner, part) for inner in _lists(node) if inner):
                return True
            if isinstance(node, tree.Statement) and not isinstance(
                node, (*_DECLARATIONS, tree.Entry, tree.Field)
            ):
                del body[place]
                return True
    return False


def _without(body: list[Any], gone: set[int]) -> None:
    """Statements, elements of lists, halves of conditions;
    a choice that is always taken becomes what it holds."""
    kept: list[Any] = []
    for node in body:
        if id(node) in gone:
            _forget(node, gone)
            last = kept[-1] if kept else None
            if isinstance(node, tree.Return) and isinstance(last, tree.If) and last.no is None:
                kept[-1:] = last.yes.body  # what follows is never reached: the condition always holds
            continue
        test = node.test if isinstance(node, (tree.If, tree.While)) else None
        if isinstance(test, tree.Binary) and test.operator in ("&&", "||"):
            for half, other in ((test.left, test.right), (test.right, test.left)):
                if _holds(half, gone):
                    _forget(half, gone)
                    node.test = other
                    break
        elif isinstance(node, tree.If) and node.no is None and test is not None and _holds(test, gone):
            _forget(test, gone)
            _without(node.yes.body, gone)
            kept += node.yes.body
            continue
        for inner in _lists(node):
            _without(inner, gone)
        kept.append(node)
    body[:] = kept


def _lists(part: Any) -> list[list[Any]]:
    """The lists directly inside a node: bodies, cases, elements."""
    found: list[list[Any]] = []
    for name in part.__struct_fields__:
        each = getattr(part, name)
        if name in ("type", "arguments"):  # a call keeps what it is given
            continue
        if isinstance(each, list):
            found.append(each)
        elif isinstance(each, tree.Node):
            found += _lists(each)
    return found


def nodes_of(part: Any) -> list[tree.Node]:
    """A node, or a list of them, with all that is inside."""
    found: list[tree.Node] = []
    waiting: list[Any] = [part]
    while waiting:
        node = waiting.pop()
        if type(node) is list:
            waiting += node
        elif isinstance(node, tree.Node):
            found.append(node)
            waiting += [getattr(node, name) for name in _inner(type(node))]
    return found


@functools.cache
def _inner(kind: type[tree.Node]) -> tuple[str, ...]:
    """The fields of a node that can hold others."""
    return tuple(name for name in kind.__struct_fields__ if name not in _PLAIN)


def _holds(part: tree.Node, gone: set[int]) -> bool:
    return any(id(node) in gone for node in nodes_of(part))


def _forget(part: tree.Node, gone: set[int]) -> None:
    gone.difference_update(id(node) for node in nodes_of(part))


def _tidy(statements: list[tree.Statement]) -> None:
    """Branches that have become empty go, and statements of which nothing else is left."""
    for node in statements:
        for block in _blocks(node):
            _tidy(block.body)
        if isinstance(node, tree.If):
            _tidy_if(node)
        elif isinstance(node, tree.Try) and node.always is not None and not node.always.body:
            node.always = None
        elif isinstance(node, tree.Switch):
            node.cases[:] = [case for case in node.cases if case.body.body]
            node.default = node.default if node.default is not None and node.default.body else None
    statements[:] = [
        node
        for node in statements
        if all(block.body for block in _blocks(node)) and (not isinstance(node, tree.Switch) or node.cases)
    ]


def _tidy_if(node: tree.If) -> None:
    """An empty `secus` goes; an empty `si` leaves what follows it,
    under the opposite of its condition if there is no other."""
    if isinstance(node.no, tree.If):
        _tidy_if(node.no)
        if not node.no.yes.body:
            node.no = None
    elif node.no is not None and not node.no.body:
        node.no = None
    if not node.yes.body and isinstance(node.no, tree.If):
        node.test, node.yes, node.no = node.no.test, node.no.yes, node.no.no
    elif not node.yes.body and isinstance(node.no, tree.Block):
        node.test, node.yes, node.no = tree.Unary(node.test.at, "!", node.test), node.no, None


def _blocks(node: Any) -> list[tree.Block]:
    """The blocks directly inside a statement."""
    found: list[tree.Block] = []
    for name in node.__struct_fields__:
        part = getattr(node, name)
        parts = part if isinstance(part, list) else [part]
        for each in parts:
            if isinstance(each, tree.Block):
                found.append(each)
            elif (
                isinstance(each, (tree.Case, tree.Catch, tree.MatchCase, tree.If, tree.Function))
                and each is not node
            ):
                found += _blocks(each)
    return found


def _drop_unused(program: tree.Program) -> bool:
    """Take out declarations whose names are not read. Gives whether there were any."""
    used: set[str] = set()
    lists: list[list[Any]] = [program.body]
    for node in nodes_of(program.body):
        if isinstance(node, (tree.Name, tree.Member)):
            used.add(node.name)
        elif isinstance(node, tree.New):
            used.add(node.class_name)
        elif isinstance(node, tree.Block):
            lists.append(node.body)
    dropped = False
    for body in lists:
        idle = [node for node in body if isinstance(node, _DECLARATIONS) and node.name not in used]
        dropped = dropped or bool(idle)
        body[:] = [node for node in body if not any(node is each for each in idle)]
    return dropped
