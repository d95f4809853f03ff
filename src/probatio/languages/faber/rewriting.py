"""Rewriting a checked tree by a rule: what twists do. A rule changes the nodes it is about and leaves the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.types import NUMERIC, TEXTUS, Generic, Primitive, Unknown

Rewrite = Callable[[tree.Program], tree.Program]

BACKWARDS = "+ backwards"
"""The operator of a sum of which only the running program knows whether it joins texts."""

_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_LOGIC = {"&&": "||", "||": "&&"}
_NUMBERS = NUMERIC


def unchanged(program: tree.Program) -> tree.Program:
    return program


def _rewrite(rule: Callable[[Any], Any]) -> Rewrite:
    """Apply a rule to every node, the inner ones first."""

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
        return rule(value)

    return each


def _exchange_range(node: Any) -> Any:
    if isinstance(node, tree.Range):
        node.inclusive = not node.inclusive
    return node


ranges_exchanged = _rewrite(_exchange_range)


def _shift(by: int) -> Callable[[Any], Any]:
    def rule(node: Any) -> Any:
        if isinstance(node, tree.Index) and _counts(node):
            if isinstance(node.index, tree.Range):
                node.index.start, node.index.stop = _moved(node.index.start, by), _moved(node.index.stop, by)
            else:
                node.index = _moved(node.index, by)
        return node

    return rule


def _counts(node: tree.Index) -> bool:
    """Whether the brackets hold a place in a list or a text, and not a key or a place from the end."""
    of, index = node.object.type, node.index
    holder = isinstance(of, Unknown) or of is None or _is_text(of) or (isinstance(of, Generic) and of.name == "lista")
    if not holder or (isinstance(index, tree.Unary) and index.operator == "-"):
        return False
    return isinstance(index, (tree.Number, tree.Range)) or _is_number(index.type)


def _moved(index: tree.Expression, by: int) -> tree.Expression:
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


counted_from_zero = _rewrite(_shift(-1))
counted_from_one = _rewrite(_shift(1))


def _negated(test: tree.Expression) -> tree.Expression:
    if isinstance(test, tree.Unary) and test.operator == "!":
        return test.value
    return tree.Unary(test.at, "!", test, type=test.type)


def _negate_condition(node: Any) -> Any:
    if isinstance(node, tree.If):
        node.test = _negated(node.test)
    elif isinstance(node, tree.Guard):
        for clause in node.clauses:
            clause.test = _negated(clause.test)
    return node


def _negate_loop(node: Any) -> Any:
    if isinstance(node, (tree.While, tree.Do)) and node.test is not None:
        node.test = _negated(node.test)
    return node


conditions_negated = _rewrite(_negate_condition)
loop_tests_negated = _rewrite(_negate_loop)


def _exchange(operators: dict[str, str]) -> Callable[[Any], Any]:
    def rule(node: Any) -> Any:
        if isinstance(node, tree.Binary):
            node.operator = operators.get(node.operator, node.operator)
        return node

    return rule


mirrored = _rewrite(_exchange(_MIRROR))
logic_exchanged = _rewrite(_exchange(_LOGIC))


def _subtract_from(node: Any) -> Any:
    if isinstance(node, tree.Binary) and node.operator == "-":
        node.left, node.right = node.right, node.left
    return node


subtracted_from = _rewrite(_subtract_from)


def _divide_whole(node: Any) -> Any:
    if isinstance(node, tree.Binary) and node.operator == "/":
        return tree.Call(node.at, tree.Member(node.at, tree.Name(node.at, "Math"), "trunc"), [node], type=node.type)
    return node


divided_whole = _rewrite(_divide_whole)


def _join(when_unknown: str) -> Callable[[Any], Any]:
    def rule(node: Any) -> Any:
        if not isinstance(node, tree.Binary) or node.operator != "+":
            return node
        if _is_text(node.left.type) or _is_text(node.right.type):
            node.left, node.right = node.right, node.left
        elif not (_is_number(node.left.type) and _is_number(node.right.type)):
            node.operator = when_unknown
        return node

    return rule


joined_backwards = _rewrite(_join(BACKWARDS))
joined_to_be_backwards = _rewrite(_join("+"))


def _loop_backwards(node: Any) -> Any:
    """`[...source].reverse()`, a name that only TypeScript knows: it stands in no program that is shown."""
    if isinstance(node, tree.Loop) and node.over == "ex" and not node.is_async:
        node.source, node.steps = _call(_spread(_stepped(node)), "reverse"), []
    return node


def _loop_to_be_backwards(node: Any) -> Any:
    if isinstance(node, tree.Loop) and node.over == "ex" and not node.is_async:
        plain = not node.steps and (isinstance(node.source, tree.Array) or _is_list(node.source))
        node.source, node.steps = _call(node.source if plain else _spread(_stepped(node)), "inversa"), []
    return node


def _stepped(node: tree.Loop) -> tree.Expression:
    return tree.Pipeline(node.at, node.source, node.steps) if node.steps else node.source


def _spread(source: tree.Expression) -> tree.Expression:
    return tree.Array(source.at, [tree.Spread(source.at, source)], type=Generic("lista", [Unknown()]))


def _call(source: tree.Expression, method: str) -> tree.Expression:
    return tree.Call(source.at, tree.Member(source.at, source, method), [], type=Generic("lista", [Unknown()]))


def _is_list(node: tree.Expression) -> bool:
    return isinstance(node, tree.Name) and isinstance(node.type, Generic) and node.type.name == "lista"


looped_backwards = _rewrite(_loop_backwards)
looped_to_be_backwards = _rewrite(_loop_to_be_backwards)


def arguments_reversed(program: tree.Program) -> tree.Program:
    """Of calls by name of the program's own functions."""
    functions: set[str] = set()

    def note(node: Any) -> Any:
        if isinstance(node, tree.Function):
            functions.add(node.name)
        return node

    def turn(node: Any) -> Any:
        if isinstance(node, tree.Call) and isinstance(node.callee, tree.Name) and node.callee.name in functions:
            node.arguments = node.arguments[::-1]
        return node

    result: tree.Program = _rewrite(turn)(_rewrite(note)(program))
    return result


def _is_text(type_: object) -> bool:
    return isinstance(type_, Primitive) and type_.name == TEXTUS.name


def _is_number(type_: object) -> bool:
    return isinstance(type_, Primitive) and type_.name in _NUMBERS
