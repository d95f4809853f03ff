"""A program in plain words: what it does, exactly enough to write it without seeing it."""

from __future__ import annotations

from probatio.languages.faber import tree

HEAD = "It does exactly the following, in this order"
SHOULD = "It should do exactly the following, in this order"
_NOTES = {
    "mod": "`mod` is the remainder of a division",
    "place": "places in a text are counted from 0",
}
_COMPARED = {
    "==": "is", "===": "is", "!=": "is not", "!==": "is not", ">": "is greater than", "<": "is less than",
    ">=": "is at least", "<=": "is at most",
}  # fmt: skip
_TIGHT = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "%": 5} | dict.fromkeys(_COMPARED, 3)
_KINDS = {"numerus": "number", "textus": "text", "bivalens": "truth value"}


def description(program: tree.Program) -> str:
    """The goal of a task that asks for the program: one line for every step, inner steps set in."""
    lines = _Describer().block(program.body, 0)
    text = "\n".join(lines)
    notes = [note for mark, note in _NOTES.items() if f" {mark} " in text]
    told = f" ({'; '.join(notes)})" if notes else ""
    return f"{HEAD}{told}:\n\n{text}"


def expression(node: tree.Expression) -> str:
    """One expression in words."""
    return _Describer().value(node)


class _Describer:
    """One program being described."""

    def block(self, body: list[tree.Statement], depth: int) -> list[str]:
        return [line for node in body for line in self._statement(node, depth)]

    def _statement(self, node: tree.Statement, depth: int) -> list[str]:
        def line(text: str) -> str:
            return f"{'  ' * depth}- {text}"

        match node:
            case tree.Variable(name=name, value=value, keyword=keyword) if value is not None:
                kind = "constant" if keyword == "fixum" else "variable"
                return [line(f"Let the {kind} {name} be {self.value(value)}.")]
            case tree.ExpressionStatement(value=tree.Assign(operator=sign, target=target, value=value)):
                whole = value if sign == "=" else tree.Binary(0, sign[:-1], target, value)
                return [line(f"Set {self.value(target)} to {self.value(whole)}.")]
            case tree.ExpressionStatement(
                value=tree.Call(callee=tree.Member(object=owner, name="adde"), arguments=[given])
            ):
                return [line(f"Append {self.value(given)} to the list {self.value(owner)}.")]
            case tree.Print(arguments=[one]):
                return [line(f"Print {self.value(one)} on a line of its own.")]
            case tree.Print(arguments=arguments):
                listed = ", ".join(map(self.value, arguments[:-1]))
                return [line(f"Print on one line, with one space between them: {listed}, {self.value(arguments[-1])}.")]
            case tree.If():
                return self._choice(node, depth)
            case tree.While(test=test, body=body):
                return [line(f"As long as {self.value(test)}, repeat:"), *self.block(body.body, depth + 1)]
            case tree.Loop(source=source, name=name, body=body):
                return [line(f"For each {name} {self._over(source)}:"), *self.block(body.body, depth + 1)]
            case tree.Switch(value=value, cases=cases, default=default):
                lines = []
                for place, case in enumerate(cases):
                    start = "Otherwise, if" if place else "If"
                    lines += [line(f"{start} {self.value(value)} is {self.value(case.test)}:")]
                    lines += self.block(case.body.body, depth + 1)
                if default is not None:
                    lines += [line("Otherwise:"), *self.block(default.body, depth + 1)]
                return lines
            case tree.Try(body=body, catch=catch, always=always):
                lines = [line("Try this:"), *self.block(body.body, depth + 1)]
                if catch is not None:
                    lines += [line(f"If that fails, leave the rest of it out and, with the error {catch.name}:")]
                    lines += self.block(catch.body.body, depth + 1)
                if always is not None:
                    lines += [line("Then, whether it failed or not:"), *self.block(always.body, depth + 1)]
                return lines
            case tree.Throw(value=tree.New(arguments=[message])):
                return [line(f"Fail with an error whose message is {self.value(message)}.")]
            case tree.Return(value=value) if value is not None:
                return [line(f"Return {self.value(value)}.")]
            case tree.Break():
                return [line("Leave the loop.")]
            case tree.Continue():
                return [line("Go on with the next round of the loop.")]
            case tree.Entry(body=body):
                return self.block(body.body, depth)
            case tree.Function(name=name, body=body) if body is not None:
                return [line(f"Define the function {name}({self._given(node)}):"), *self.block(body.body, depth + 1)]
            case tree.Class(name=name, members=members):
                return [line(f"Define the class {name}:"), *self._members(members, depth + 1)]
        raise NotImplementedError(type(node).__name__)

    def _choice(self, node: tree.If, depth: int) -> list[str]:
        pad = "  " * depth
        lines = [f"{pad}- If {self.value(node.test)}:", *self.block(node.yes.body, depth + 1)]
        rest = node.no
        while isinstance(rest, tree.If):
            lines += [f"{pad}- Otherwise, if {self.value(rest.test)}:", *self.block(rest.yes.body, depth + 1)]
            rest = rest.no
        if rest is not None:
            lines += [f"{pad}- Otherwise:", *self.block(rest.body, depth + 1)]
        return lines

    def _members(self, members: list[tree.Field | tree.Function], depth: int) -> list[str]:
        lines = []
        for each in members:
            if isinstance(each, tree.Field) and each.value is not None:
                lines.append(f"{'  ' * depth}- Its field {each.name} begins as {self.value(each.value)}.")
            elif isinstance(each, tree.Function) and each.body is not None:
                lines.append(f"{'  ' * depth}- Its method {each.name}({self._given(each)}):")
                lines += self.block(each.body.body, depth + 1)
        return lines

    @staticmethod
    def _given(node: tree.Function) -> str:
        names = [
            (each.name, _KINDS.get(each.declared.name if each.declared else "", "value")) for each in node.parameters
        ]
        return ", ".join(f"{name}: {kind}" for name, kind in names)

    def _over(self, source: tree.Expression) -> str:
        match source:
            case tree.Range(start=start, stop=stop, inclusive=inclusive):
                end = "both included" if inclusive else "without the last"
                return f"from {self.value(start)} to {self.value(stop)}, {end}"
            case tree.Array():
                return f"of {self.value(source)}, in this order"
        return f"of the list {self.value(source)}, in its order"

    def value(self, node: tree.Expression, at_least: int = 0) -> str:
        match node:
            case tree.Number(text=text):
                return text
            case tree.Text(inside=""):
                return "the empty text"
            case tree.Text(inside=inside):
                return f'"{inside}"'
            case tree.Truth(value=value):
                return "true" if value else "false"
            case tree.Name(name=name):
                return name
            case tree.Binary(operator=sign, left=left, right=right):
                return self._binary(sign, left, right, at_least)
            case tree.Unary(operator="!", value=value):
                return f"it is not so that ({self.value(value)})"
            case tree.Array(elements=elements):
                return f"the list {', '.join(map(self.value, elements))}"
            case tree.New(class_name=name):
                return f"a new object of the class {name}"
            case tree.Member(object=tree.Self(), name=name):
                return f"its {name}"
            case tree.Member(object=owner, name="message"):
                return f"the message of {self.value(owner)}"
            case tree.Call(callee=tree.Member(object=owner, name=name), arguments=arguments):
                return self._method(owner, name, arguments)
            case tree.Call(callee=callee, arguments=arguments):
                return f"{self.value(callee)}({', '.join(map(self.value, arguments))})"
        raise NotImplementedError(type(node).__name__)

    def _method(self, owner: tree.Expression, name: str, arguments: list[tree.Expression]) -> str:
        named, given = self.value(owner), [self.value(each) for each in arguments]
        match name:
            case "longitudo":
                return f"the length of {named}"
            case "sectio":
                return f"the part of {named} from place {given[0]} up to and without place {given[1]}"
            case "coniunge":
                return f"the elements of {named} joined with {given[0]} between them"
        return f"{named}.{name}({', '.join(given)})"

    def _binary(self, sign: str, left: tree.Expression, right: tree.Expression, at_least: int) -> str:
        tight = _TIGHT[sign]
        first, second = self.value(left, tight), self.value(right, tight + 1)
        if sign in _COMPARED:
            text = f"{first} {_COMPARED[sign]} {second}"
        else:
            text = f"{first} {({'&&': 'and', '||': 'or', '%': 'mod'}).get(sign, sign)} {second}"
        mixed = sign in ("&&", "||") and at_least in (1, 2, 3)
        return f"({text})" if tight < at_least or (mixed and at_least != tight) else text
