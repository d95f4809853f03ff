"""A program in plain words: what it does, exactly enough to write it without seeing it."""

from __future__ import annotations

from faber import tree

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


def describe_program(program: tree.Program) -> str:
    """The goal of a task that asks for the program: one line for every step, inner steps set in."""
    text = "\n".join(_describe_block(program.body, 0))
    notes = [note for mark, note in _NOTES.items() if f" {mark} " in text]
    told = f" ({'; '.join(notes)})" if notes else ""
    return f"{HEAD}{told}:\n\n{text}"


def _describe_block(body: list[tree.Statement], depth: int) -> list[str]:
    return [line for node in body for line in _describe_statement(node, depth)]


def _describe_statement(node: tree.Statement, depth: int) -> list[str]:
    def line(text: str) -> str:
        return f"{'  ' * depth}- {text}"

    match node:
        case tree.Variable(name=name, value=value, keyword=keyword) if value is not None:
            kind = "constant" if keyword == "fixum" else "variable"
            return [line(f"Let the {kind} {name} be {describe_value(value)}.")]
        case tree.ExpressionStatement(value=tree.Assign(operator=sign, target=target, value=value)):
            whole = value if sign == "=" else tree.Binary(0, sign[:-1], target, value)
            return [line(f"Set {describe_value(target)} to {describe_value(whole)}.")]
        case tree.ExpressionStatement(
            value=tree.Call(callee=tree.Member(object=owner, name="adde"), arguments=[given])
        ):
            return [line(f"Append {describe_value(given)} to the list {describe_value(owner)}.")]
        case tree.Print(arguments=[one]):
            return [line(f"Print {describe_value(one)} on a line of its own.")]
        case tree.Print(arguments=arguments):
            listed = ", ".join(map(describe_value, arguments))
            return [line(f"Print on one line, with one space between them: {listed}.")]
        case tree.If():
            return _describe_choice(node, depth)
        case tree.While(test=test, body=body):
            return [
                line(f"As long as {describe_value(test)}, repeat:"),
                *_describe_block(body.body, depth + 1),
            ]
        case tree.Loop(source=source, name=name, body=body):
            return [
                line(f"For each {name} {_describe_source(source)}:"),
                *_describe_block(body.body, depth + 1),
            ]
        case tree.Switch():
            return _describe_switch(node, depth)
        case tree.Try():
            return _describe_try(node, depth)
        case tree.Throw(value=tree.New(arguments=[message])):
            return [line(f"Fail with an error whose message is {describe_value(message)}.")]
        case tree.Return(value=value) if value is not None:
            return [line(f"Return {describe_value(value)}.")]
        case tree.Break():
            return [line("Leave the loop.")]
        case tree.Continue():
            return [line("Go on with the next round of the loop.")]
        case tree.Entry(body=body):
            return _describe_block(body.body, depth)
        case tree.Function(name=name, body=body) if body is not None:
            return [
                line(f"Define the function {name}({_list_parameters(node)}):"),
                *_describe_block(body.body, depth + 1),
            ]
        case tree.Class(name=name, members=members):
            return [line(f"Define the class {name}:"), *_describe_members(members, depth + 1)]
    raise NotImplementedError(type(node).__name__)


def _describe_choice(node: tree.If, depth: int) -> list[str]:
    pad = "  " * depth
    lines: list[str] = []
    rest: tree.If | tree.Block | None = node
    while isinstance(rest, tree.If):
        start = "Otherwise, if" if lines else "If"
        lines += [f"{pad}- {start} {describe_value(rest.test)}:", *_describe_block(rest.yes.body, depth + 1)]
        rest = rest.no
    if rest is not None:
        lines += [f"{pad}- Otherwise:", *_describe_block(rest.body, depth + 1)]
    return lines


def _describe_switch(node: tree.Switch, depth: int) -> list[str]:
    pad = "  " * depth
    lines: list[str] = []
    for case in node.cases:
        start = "Otherwise, if" if lines else "If"
        lines.append(f"{pad}- {start} {describe_value(node.value)} is {describe_value(case.test)}:")
        lines += _describe_block(case.body.body, depth + 1)
    if node.default is not None:
        lines += [f"{pad}- Otherwise:", *_describe_block(node.default.body, depth + 1)]
    return lines


def _describe_try(node: tree.Try, depth: int) -> list[str]:
    pad = "  " * depth
    lines = [f"{pad}- Try this:", *_describe_block(node.body.body, depth + 1)]
    if (catch := node.catch) is not None:
        lines.append(f"{pad}- If that fails, leave the rest of it out and, with the error {catch.name}:")
        lines += _describe_block(catch.body.body, depth + 1)
    if node.always is not None:
        lines += [f"{pad}- Then, whether it failed or not:", *_describe_block(node.always.body, depth + 1)]
    return lines


def _describe_members(members: list[tree.Field | tree.Function], depth: int) -> list[str]:
    lines = []
    for each in members:
        if isinstance(each, tree.Field) and each.value is not None:
            lines.append(f"{'  ' * depth}- Its field {each.name} begins as {describe_value(each.value)}.")
        elif isinstance(each, tree.Function) and each.body is not None:
            lines.append(f"{'  ' * depth}- Its method {each.name}({_list_parameters(each)}):")
            lines += _describe_block(each.body.body, depth + 1)
    return lines


def _list_parameters(node: tree.Function) -> str:
    kinds = (_KINDS.get(each.declared.name if each.declared else "", "value") for each in node.parameters)
    return ", ".join(f"{each.name}: {kind}" for each, kind in zip(node.parameters, kinds, strict=True))


def _describe_source(source: tree.Expression) -> str:
    match source:
        case tree.Range(start=start, stop=stop, inclusive=inclusive):
            end = "both included" if inclusive else "without the last"
            return f"from {describe_value(start)} to {describe_value(stop)}, {end}"
        case tree.Array():
            return f"of {describe_value(source)}, in this order"
    return f"of the list {describe_value(source)}, in its order"


def describe_value(node: tree.Expression, at_least: int = 0) -> str:
    """An expression in words."""
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
            return _describe_binary(sign, left, right, at_least)
        case tree.Unary(operator="!", value=value):
            return f"it is not so that ({describe_value(value)})"
        case tree.Array(elements=elements):
            return f"the list {', '.join(map(describe_value, elements))}"
        case tree.New(class_name=name):
            return f"a new object of the class {name}"
        case tree.Member(object=tree.Self(), name=name):
            return f"its {name}"
        case tree.Member(object=owner, name="message"):
            return f"the message of {describe_value(owner)}"
        case tree.Call(callee=tree.Member(object=owner, name=name), arguments=arguments):
            return _describe_call(owner, name, arguments)
        case tree.Call(callee=callee, arguments=arguments):
            return f"{describe_value(callee)}({', '.join(map(describe_value, arguments))})"
    raise NotImplementedError(type(node).__name__)


def _describe_call(owner: tree.Expression, name: str, arguments: list[tree.Expression]) -> str:
    named, given = describe_value(owner), [describe_value(each) for each in arguments]
    match name:
        case "longitudo":
            return f"the length of {named}"
        case "sectio":
            return f"the part of {named} from place {given[0]} up to and without place {given[1]}"
        case "coniunge":
            return f"the elements of {named} joined with {given[0]} between them"
    return f"{named}.{name}({', '.join(given)})"


def _describe_binary(sign: str, left: tree.Expression, right: tree.Expression, at_least: int) -> str:
    tight = _TIGHT[sign]
    first, second = describe_value(left, tight), describe_value(right, tight + 1)
    if sign in _COMPARED:
        text = f"{first} {_COMPARED[sign]} {second}"
    else:
        text = f"{first} {({'&&': 'and', '||': 'or', '%': 'mod'}).get(sign, sign)} {second}"
    mixed = sign in ("&&", "||") and at_least in (1, 2, 3)
    return f"({text})" if tight < at_least or (mixed and at_least != tight) else text
