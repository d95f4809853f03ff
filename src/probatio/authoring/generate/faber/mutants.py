"""A drawn program as a Python function whose statements can be switched off and whose literals can be
changed.

Some hundred changed programs are run for each one that is kept, and the real runtime would take too long over
them. This knows only what the generator draws: whole numbers that are not negative, texts, lists, functions,
choices, loops, errors and simple objects. It decides whether a part matters, never what a program prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from faber import tree

_DECLARATIONS = (tree.Variable, tree.Function, tree.Class)
_SAME = {"&&": "and", "||": "or", "===": "==", "!==": "!="}


class Differs(Exception):
    """It prints something else, or does not end."""


class _Thrown(Exception):
    def __init__(self, message: str) -> None:
        self.message = message


_FAILURES = (Differs, _Thrown, ArithmeticError, TypeError, LookupError, ValueError, AttributeError, NameError)


def _text(value: Any) -> str:
    return str(value) if type(value) is not bool else "true" if value else "false"


class Mutants:
    """A program and all its variants. `lines` is what it prints as it is;
    None where it fails or does not end."""

    def __init__(self, program: tree.Program, rounds: int) -> None:
        self.statements: list[tree.Statement] = []
        self.literals: list[tree.Number | tree.Text] = []
        self._rounds = rounds
        writer = _Writer(self.statements, self.literals)
        body = "\n".join(writer.block(program.body, 1))
        names: dict[str, Any] = {"_text": _text, "_Thrown": _Thrown, "_Differs": Differs}
        # made by the lines below from a tree of our own
        exec(f"def _program(_on, _k, _show, _left):\n{body}\n", names)
        self._run: Callable[..., None] = names["_program"]
        self._on = [True] * len(self.statements)
        self.values: list[int | str] = [
            node.inside if isinstance(node, tree.Text) else int(node.value) for node in self.literals
        ]
        self.lines = self._collect_output()

    def _collect_output(self) -> list[str] | None:
        lines: list[str] = []
        left = [self._rounds]
        try:
            self._run(self._on, self.values, lambda *values: lines.append(" ".join(map(_text, values))), left)
        except _FAILURES:
            return None
        self._rounds = (self._rounds - left[0]) * 2 + 50  # a changed program that takes longer has changed
        return lines

    def same(self) -> bool:
        """Does the program, as it is now, print the lines?"""
        expected, count = self.lines or [], 0

        def show(*values: Any) -> None:
            nonlocal count
            if count >= len(expected) or expected[count] != " ".join(map(_text, values)):
                raise Differs
            count += 1

        try:
            self._run(self._on, self.values, show, [self._rounds])
        except _FAILURES:
            return False
        return count == len(expected)

    def same_without(self, place: int) -> bool:
        """Also without this statement? Then it stays switched off."""
        self._on[place] = False
        if self.same():
            return True
        self._on[place] = True
        return False

    def same_with(self, place: int, others: Sequence[int | str]) -> bool:
        """Also with every one of these in place of the literal?"""
        value = self.values[place]
        try:
            for other in others:
                self.values[place] = other
                if not self.same():
                    return False
            return True
        finally:
            self.values[place] = value


class _Writer:
    """The tree as lines of Python."""

    def __init__(self, statements: list[tree.Statement], literals: list[tree.Number | tree.Text]) -> None:
        self._statements = statements
        self._literals = literals
        self._fresh = 0

    def block(self, body: list[tree.Statement], depth: int) -> list[str]:
        hoisted = [node for node in body if isinstance(node, (tree.Function, tree.Class))]
        rest = [node for node in body if not isinstance(node, (tree.Function, tree.Class))]
        lines = [line for node in [*hoisted, *rest] for line in self._guard(node, depth)]
        return lines or ["    " * depth + "pass"]

    def _guard(self, node: tree.Statement, depth: int) -> list[str]:
        if isinstance(node, _DECLARATIONS):
            return self._statement(node, depth)
        self._statements.append(node)
        head = f"{'    ' * depth}if _on[{len(self._statements) - 1}]:"
        return [head, *self._statement(node, depth + 1)]

    def _statement(self, node: tree.Statement, depth: int) -> list[str]:
        pad = "    " * depth
        match node:
            case tree.Variable(name=name, value=value) if value is not None:
                return [f"{pad}v_{name} = {self._value(value)}"]
            case tree.ExpressionStatement(value=tree.Assign(operator=sign, target=target, value=value)):
                whole = value if sign == "=" else tree.Binary(0, sign[:-1], target, value, type=target.type)
                new = self._value(whole)
                return [f"{pad}{self._value(target)} = {new}"]
            case tree.ExpressionStatement(value=value):
                return [f"{pad}{self._value(value)}"]
            case tree.Print(arguments=arguments):
                return [f"{pad}_show({', '.join(map(self._value, arguments))})"]
            case tree.If():
                return self._if(node, depth)
            case tree.While(test=test, body=body):
                count = [f"{pad}    _left[0] -= 1", f"{pad}    if _left[0] < 0: raise _Differs"]
                return [f"{pad}while {self._value(test)}:", *count, *self.block(body.body, depth + 1)]
            case tree.Loop(source=source, name=name, body=body, over="ex", steps=[]):
                return [f"{pad}for v_{name} in {self._over(source)}:", *self.block(body.body, depth + 1)]
            case tree.Switch():
                return self._switch(node, depth)
            case tree.Try():
                return self._try(node, depth)
            case tree.Throw(value=tree.New(arguments=[message])):
                return [f"{pad}raise _Thrown({self._value(message)})"]
            case tree.Return(value=value) if value is not None:
                return [f"{pad}return {self._value(value)}"]
            case tree.Break():
                return [f"{pad}break"]
            case tree.Continue():
                return [f"{pad}continue"]
            case tree.Entry(body=body):
                return self.block(body.body, depth)
            case tree.Function(name=name, parameters=parameters, body=body) if body is not None:
                given = ", ".join(f"v_{each.name}" for each in parameters)
                return [f"{pad}def v_{name}({given}):", *self.block(body.body, depth + 1)]
            case tree.Class(name=name, members=members):
                return self._class(name, members, depth)
        raise NotImplementedError(type(node).__name__)

    def _if(self, node: tree.If, depth: int) -> list[str]:
        pad = "    " * depth
        lines = [f"{pad}if {self._value(node.test)}:", *self.block(node.yes.body, depth + 1)]
        if isinstance(node.no, tree.If):
            lines += [f"{pad}else:", *self._statement(node.no, depth + 1)]
        elif node.no is not None:
            lines += [f"{pad}else:", *self.block(node.no.body, depth + 1)]
        return lines

    def _switch(self, node: tree.Switch, depth: int) -> list[str]:
        pad = "    " * depth
        self._fresh += 1
        found = f"_value{self._fresh}"
        lines = [f"{pad}{found} = {self._value(node.value)}"]
        for place, each in enumerate(node.cases):
            lines.append(f"{pad}{'elif' if place else 'if'} {found} == {self._value(each.test)}:")
            lines += self.block(each.body.body, depth + 1)
        if node.default is not None:
            lines += [f"{pad}else:", *self.block(node.default.body, depth + 1)]
        return lines

    def _try(self, node: tree.Try, depth: int) -> list[str]:
        pad = "    " * depth
        lines = [f"{pad}try:", *self.block(node.body.body, depth + 1)]
        if (catch := node.catch) is not None:
            lines += [f"{pad}except _Thrown as v_{catch.name}:", *self.block(catch.body.body, depth + 1)]
        if node.always is not None:
            lines += [f"{pad}finally:", *self.block(node.always.body, depth + 1)]
        return lines

    def _class(self, name: str, members: list[tree.Field | tree.Function], depth: int) -> list[str]:
        pad = "    " * depth
        lines = [f"{pad}class v_{name}:"]
        for each in members:
            if isinstance(each, tree.Field) and each.value is not None:
                lines.append(f"{pad}    {each.name} = {self._value(each.value)}")
            elif isinstance(each, tree.Function) and each.body is not None:
                given = ", ".join(["_self", *(f"v_{one.name}" for one in each.parameters)])
                lines += [f"{pad}    def {each.name}({given}):", *self.block(each.body.body, depth + 2)]
        return lines

    def _over(self, source: tree.Expression) -> str:
        if isinstance(source, tree.Range):
            stop = self._value(source.stop)
            return f"range({self._value(source.start)}, {stop + ' + 1' if source.inclusive else stop})"
        return f"list({self._value(source)})"

    def _value(self, node: tree.Expression) -> str:
        match node:
            case tree.Number() | tree.Text():
                self._literals.append(node)
                return f"_k[{len(self._literals) - 1}]"
            case tree.Name(name=name):
                return f"v_{name}"
            case tree.Self():
                return "_self"
            case tree.Truth(value=value):
                return str(value)
            case tree.Binary(operator="+", left=left, right=right) if str(node.type) == "textus":
                return f"(_text({self._value(left)}) + _text({self._value(right)}))"
            case tree.Binary(operator=sign, left=left, right=right):
                return f"({self._value(left)} {_SAME.get(sign, sign)} {self._value(right)})"
            case tree.Unary(operator="!", value=value):
                return f"(not {self._value(value)})"
            case tree.Array(elements=elements):
                return f"[{', '.join(map(self._value, elements))}]"
            case tree.New(class_name=name):
                return f"v_{name}()"
            case tree.Member(object=owner, name=name):
                return f"{self._value(owner)}.{name}"
            case tree.Call(callee=tree.Member(object=owner, name=name), arguments=arguments):
                return self._method(self._value(owner), name, [self._value(each) for each in arguments])
            case tree.Call(callee=callee, arguments=arguments):
                return f"{self._value(callee)}({', '.join(map(self._value, arguments))})"
        raise NotImplementedError(type(node).__name__)

    @staticmethod
    def _method(owner: str, name: str, arguments: list[str]) -> str:
        match name:
            case "longitudo":
                return f"len({owner})"
            case "sectio":
                return f"{owner}[{':'.join(arguments)}]"
            case "adde":
                return f"{owner}.append({arguments[0]})"
            case "coniunge":
                return f"{arguments[0]}.join(map(_text, {owner}))"
        return f"{owner}.{name}({', '.join(arguments)})"
