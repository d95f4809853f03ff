"""Rewriting a checked tree by a rule: what twists do.
A rule changes the nodes it is about and leaves the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faber import tree
from faber.types import NUMERIC, TEXTUS, Generic, Primitive, Unknown

Rewrite = Callable[[tree.Program], tree.Program]

BACKWARDS = "+ backwards"
"""The operator of a sum of which only the running program knows whether it joins texts."""


def keep(program: tree.Program) -> tree.Program:
    return program


def _rewrite(*kinds: type[tree.Node]) -> Callable[[Callable[[Any], Any]], Rewrite]:
    """Apply a rule to every node of these kinds, the inner ones first.
    What the rule returns takes the node's place; one that returns nothing has changed the node itself."""

    def decorate(rule: Callable[[Any], Any]) -> Rewrite:
        def each(value: Any) -> Any:
            if isinstance(value, list):
                return [each(part) for part in value]
            if not isinstance(value, tree.Node):
                return value
            for name in value.__struct_fields__:
                if name != "type":
                    part = getattr(value, name)
                    if isinstance(part, (list, tree.Node)):
                        setattr(value, name, each(part))
            return (rule(value) if isinstance(value, kinds) else None) or value

        return each

    return decorate


@_rewrite(tree.Range)
def exchange_ranges(node: tree.Range) -> None:
    node.inclusive = not node.inclusive


def _shift(by: int) -> Rewrite:
    @_rewrite(tree.Index)
    def rule(node: tree.Index) -> None:
        if not _counts(node):
            return
        if isinstance(node.index, tree.Range):
            node.index.start, node.index.stop = _move(node.index.start, by), _move(node.index.stop, by)
        else:
            node.index = _move(node.index, by)

    return rule


def _counts(node: tree.Index) -> bool:
    """Whether the brackets hold a place in a list or a text, and not a key or a place from the end."""
    of, index = node.object.type, node.index
    holder = (
        isinstance(of, Unknown)
        or of is None
        or _is_text(of)
        or (isinstance(of, Generic) and of.name == "lista")
    )
    if not holder or (isinstance(index, tree.Unary) and index.operator == "-"):
        return False
    return isinstance(index, (tree.Number, tree.Range)) or _is_number(index.type)


def _move(index: tree.Expression, by: int) -> tree.Expression:
    """`index + by`, as a person would write it."""
    if isinstance(index, tree.Number) and index.text.isdigit():
        return tree.Number(index.at, str(int(index.text) + by), type=index.type)
    if isinstance(index, tree.Unary) and index.operator == "-":
        return index  # from the end
    if isinstance(index, tree.Binary) and index.operator in "+-" and isinstance(index.right, tree.Number):
        sum_ = (1 if index.operator == "+" else -1) * int(index.right.value) + by
        if sum_ == 0:
            return index.left
        return _sum(index, index.left, sum_)
    return _sum(index, index, by)


def _sum(like: tree.Expression, left: tree.Expression, number: int) -> tree.Expression:
    right = tree.Number(like.at, str(abs(number)), type=like.type)
    return tree.Binary(like.at, "+" if number > 0 else "-", left, right, type=like.type)


count_from_zero = _shift(-1)
count_from_one = _shift(1)


def _negate(test: tree.Expression) -> tree.Expression:
    if isinstance(test, tree.Unary) and test.operator == "!":
        return test.value
    return tree.Unary(test.at, "!", test, type=test.type)


@_rewrite(tree.If, tree.Guard)
def negate_conditions(node: tree.If | tree.Guard) -> None:
    for part in [node] if isinstance(node, tree.If) else node.clauses:
        part.test = _negate(part.test)


@_rewrite(tree.While, tree.Do)
def negate_loop_tests(node: tree.While | tree.Do) -> None:
    if node.test is not None:
        node.test = _negate(node.test)


def _exchange(operators: dict[str, str]) -> Rewrite:
    @_rewrite(tree.Binary)
    def rule(node: tree.Binary) -> None:
        node.operator = operators.get(node.operator, node.operator)

    return rule


mirror_comparisons = _exchange({"<": ">", ">": "<", "<=": ">=", ">=": "<="})
exchange_logic = _exchange({"&&": "||", "||": "&&"})


@_rewrite(tree.Binary)
def subtract_from(node: tree.Binary) -> None:
    if node.operator == "-":
        node.left, node.right = node.right, node.left


@_rewrite(tree.Binary)
def divide_whole(node: tree.Binary) -> tree.Node:
    if node.operator != "/":
        return node
    trunc = tree.Member(node.at, tree.Name(node.at, "Math"), "trunc")
    return tree.Call(node.at, trunc, [node], type=node.type)


def _join(when_unknown: str) -> Rewrite:
    @_rewrite(tree.Binary)
    def rule(node: tree.Binary) -> None:
        if node.operator != "+":
            return
        if _is_text(node.left.type) or _is_text(node.right.type):
            node.left, node.right = node.right, node.left
        elif not (_is_number(node.left.type) and _is_number(node.right.type)):
            node.operator = when_unknown

    return rule


join_backwards = _join(BACKWARDS)
write_joins_backwards = _join("+")


@_rewrite(tree.Loop)
def loop_backwards(node: tree.Loop) -> None:
    """`[...source].reverse()`, a name that only TypeScript knows: it stands in no program that is shown."""
    if node.over == "ex" and not node.is_async:
        node.source, node.steps = _call(_spread(_apply_steps(node)), "reverse"), []


@_rewrite(tree.Loop)
def write_loops_backwards(node: tree.Loop) -> None:
    if node.over == "ex" and not node.is_async:
        plain = not node.steps and (isinstance(node.source, tree.Array) or _is_list(node.source))
        node.source, node.steps = _call(node.source if plain else _spread(_apply_steps(node)), "inversa"), []


def _apply_steps(node: tree.Loop) -> tree.Expression:
    return tree.Pipeline(node.at, node.source, node.steps) if node.steps else node.source


def _spread(source: tree.Expression) -> tree.Expression:
    return tree.Array(source.at, [tree.Spread(source.at, source)], type=Generic("lista", [Unknown()]))


def _call(source: tree.Expression, method: str) -> tree.Expression:
    return tree.Call(
        source.at, tree.Member(source.at, source, method), [], type=Generic("lista", [Unknown()])
    )


def _is_list(node: tree.Expression) -> bool:
    return isinstance(node, tree.Name) and isinstance(node.type, Generic) and node.type.name == "lista"


def reverse_arguments(program: tree.Program) -> tree.Program:
    """Of calls by name of the program's own functions."""
    functions: set[str] = set()

    @_rewrite(tree.Function)
    def note(node: tree.Function) -> None:
        functions.add(node.name)

    @_rewrite(tree.Call)
    def turn(node: tree.Call) -> None:
        if isinstance(node.callee, tree.Name) and node.callee.name in functions:
            node.arguments = node.arguments[::-1]

    return turn(note(program))


def _is_text(type_: object) -> bool:
    return isinstance(type_, Primitive) and type_.name == TEXTUS.name


def _is_number(type_: object) -> bool:
    return isinstance(type_, Primitive) and type_.name in NUMERIC
