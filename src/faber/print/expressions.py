"""Expressions in the words of a dialect, with no more parentheses than they need."""

from __future__ import annotations

from faber import tree
from faber.parse.expressions import TESTS
from faber.parse.operands import rename_in_template
from faber.print.brackets import (
    CALL,
    CHOICE,
    EQUAL,
    OPEN,
    OR,
    POSTFIX,
    PREFIX,
    SUM,
    binds,
    leading,
)
from faber.print.layout import print_block
from faber.print.printer import Expressions, Printer

WORD_OF = {"||": "aut", "??": "vel", "&&": "et", "intra": "intra", "inter": "inter", "!": "non"}


def print_regex(printer: Printer, node: tree.Regex) -> str:
    return f'{printer.words["sed"]} "{node.pattern}"' + (f" {printer.name(node.flags)}" if node.flags else "")


def print_object(printer: Printer, node: tree.Object) -> str:
    return "{ " + ", ".join(printer.each(node.properties, print_property)) + " }" if node.properties else "{}"


def print_property(printer: Printer, part: tree.Property | tree.Spread, at_least: int, following: str) -> str:
    if isinstance(part, tree.Spread):
        return printer.text(part, at_least, following)
    key = f'"{part.key}"' if part.quoted else printer.name(part.key)
    return f"{key}: {printer.text(part.value, at_least, following)}"


def print_binary(printer: Printer, node: tree.Binary) -> str:
    level = binds(node, printer.binary)
    left, right = printer.text(node.left, level, node.operator), printer.text(node.right, level + 1)
    mixed = isinstance(node.left, tree.Binary) and node.left.operator != node.operator
    if mixed and level == binds(node.left, printer.binary) == OR:
        left = f"({left})"
    word = WORD_OF.get(node.operator)
    return f"{left} {printer.words[word] if word else node.operator} {right}"


def print_unary(printer: Printer, node: tree.Unary) -> str:
    if node.operator in TESTS:
        printer.unbracketed |= leading(node.value)  # `nihil (x)` is a call
    value = printer.text(node.value, PREFIX)
    if node.operator in "-~":
        return node.operator + value
    return f"{printer.words[WORD_OF.get(node.operator, node.operator)]} {value}"


def print_assign(printer: Printer, node: tree.Assign) -> str:
    if node.operator == "=" and printer.reads == "assignment to the right":
        return f"{printer.text(node.value, CHOICE)} = {printer.text(node.target, CALL)}"
    return f"{printer.text(node.target, CALL)} {node.operator} {printer.text(node.value)}"


def print_conditional(printer: Printer, node: tree.Conditional) -> str:
    yes, no = printer.text(node.yes), printer.text(node.no, CHOICE)
    return f"{printer.text(node.test, OR, 'sic')} {printer.words['sic']} {yes} {printer.words['secus']} {no}"


def print_range(printer: Printer, node: tree.Range) -> str:
    between = f" {printer.words['usque']} " if node.inclusive else ".."
    stop = printer.text(node.stop, SUM, "" if node.step is None else "per")
    text = f"{printer.text(node.start, SUM, '..')}{between}{stop}"
    if node.step is not None:
        text += f" {printer.words['per']} {printer.text(node.step, SUM)}"
    return text


def print_type_test(printer: Printer, node: tree.TypeTest) -> str:
    words = ["non", "est"] if node.negated else ["est"]
    value = printer.text(node.value, EQUAL, words[0])
    return f"{value} {' '.join(printer.words[w] for w in words)} {printer.type_name(node.target)}"


def print_call(printer: Printer, node: tree.Call) -> str:
    return f"{printer.text(node.callee, CALL)}{node.mark}({printer.join(node.arguments)})"


def print_new(printer: Printer, node: tree.New) -> str:
    text = f"{printer.words['novum']} {printer.variable(node.class_name)}"
    if node.arguments is not None:
        text += f"({printer.join(node.arguments)})"
    if node.fields is None:
        return text
    if node.from_value:
        return f"{text} {printer.words['de']} {printer.text(node.fields)}"
    return f"{text} {printer.text(node.fields)}"


def print_shape(printer: Printer, node: tree.Shape) -> str:
    text = f"{printer.words['finge']} {printer.name(node.variant)}"
    if node.fields is not None:
        text += " " + printer.text(node.fields)
    if node.union is not None:
        text += f" {printer.words['qua']} {printer.variable(node.union)}"
    return text


def print_lambda(printer: Printer, node: tree.Lambda) -> str:
    text = printer.words["fiet" if node.is_async else "pro"]
    if node.parameters:
        text += " " + ", ".join(map(printer.variable, node.parameters))
    if node.returns is not None:
        text += f" -> {printer.type_name(node.returns)}"
    if isinstance(node.body, tree.Block):
        return f"{text} {print_block(printer, node.body)}"
    return f"{text}: {printer.text(node.body)}"


def print_cast(printer: Printer, node: tree.Cast | tree.Native) -> str:
    word = printer.words["qua" if isinstance(node, tree.Cast) else "innatum"]
    return f"{print_converted(printer, node.value)} {word} {printer.type_name(node.target)}"


def print_converted(printer: Printer, node: tree.Expression) -> str:
    """What stands before a postfix word;
    one that ends in an operand of its own would take that word with it."""
    chains = isinstance(node, (tree.Cast, tree.Native)) or (
        isinstance(node, tree.Convert) and node.fallback is None
    )
    return printer.text(node, POSTFIX if chains else CALL)


def print_convert(printer: Printer, node: tree.Convert) -> str:
    text = f"{print_converted(printer, node.value)} {printer.words[node.to]}"
    if node.target is not None:
        radix = f", {printer.words[node.radix]}" if node.radix is not None else ""
        text += f"<{printer.type_name(node.target)}{radix}>"
    if node.fallback is not None:
        text += f" {printer.words['vel']} {printer.text(node.fallback, PREFIX)}"
    return text


def print_shift(printer: Printer, node: tree.Shift) -> str:
    return (
        f"{print_converted(printer, node.value)} {printer.words[node.direction]} "
        f"{printer.text(node.amount, PREFIX)}"
    )


def print_comptime(printer: Printer, node: tree.Comptime) -> str:
    if isinstance(node.body, tree.Block):
        return f"{printer.words['praefixum']} {print_block(printer, node.body)}"
    return f"{printer.words['praefixum']}({printer.text(node.body)})"


def print_steps(printer: Printer, steps: list[tree.Step]) -> str:
    return ", ".join(printer.each(steps, print_step))


def print_step(printer: Printer, step: tree.Step, at_least: int, following: str) -> str:
    verb = printer.words[step.verb]
    return verb if step.count is None else f"{verb} {printer.text(step.count, at_least, following)}"


def print_stepped(printer: Printer, source: tree.Expression, steps: list[tree.Step]) -> str:
    """What a pipeline or a loop runs over."""
    return (
        f"{printer.text(source, OPEN, steps[0].verb)} {print_steps(printer, steps)}"
        if steps
        else printer.text(source)
    )


def print_filter(printer: Printer, node: tree.Filter) -> str:
    chosen = "" if node.property is None else printer.name(node.property)
    comma = "," if node.steps else ""
    following = (
        "non" if node.negated else "ubi" if node.condition else printer.kind(chosen) if chosen else comma
    )
    text = f"{printer.words['ab']} {printer.text(node.source, OPEN, following)}"
    if node.negated:
        text += " " + printer.words["non"]
    if chosen:
        text += " " + chosen
    elif node.condition is not None:
        text += f" {printer.words['ubi']} {printer.text(node.condition, OPEN, comma)}"
    return f"{text}, {print_steps(printer, node.steps)}" if node.steps else text


EXPRESSIONS: Expressions = {
    tree.Name: lambda printer, node: printer.variable(node.name),
    tree.Number: lambda _, node: node.text,
    tree.BigInt: lambda _, node: node.text + "n",
    tree.Text: lambda _, node: f'"{node.inside}"',
    tree.Template: lambda printer, node: f"`{rename_in_template(node.inside, printer.variable)}`",
    tree.Truth: lambda printer, node: printer.words["verum" if node.value else "falsum"],
    tree.Nothing: lambda printer, _: printer.words["nihil"],
    tree.Self: lambda printer, _: printer.words["ego"],
    tree.Regex: print_regex,
    tree.Read: lambda printer, node: printer.words["lege"] + f" {printer.words['lineam']}" * node.line,
    tree.Spread: lambda printer, node: f"{printer.words['sparge']} {printer.text(node.value)}",
    tree.Array: lambda printer, node: f"[{printer.join(node.elements)}]",
    tree.Object: print_object,
    tree.Binary: print_binary,
    tree.Unary: print_unary,
    tree.Assign: print_assign,
    tree.Conditional: print_conditional,
    tree.Range: print_range,
    tree.TypeTest: print_type_test,
    tree.Call: print_call,
    tree.Member: lambda printer, node: (
        f"{printer.text(node.object, CALL)}{node.mark}.{printer.name(node.name)}"
    ),
    tree.Index: lambda printer, node: (
        f"{printer.text(node.object, CALL)}{node.mark}[{printer.text(node.index)}]"
    ),
    tree.Cede: lambda printer, node: f"{printer.words['cede']} {printer.text(node.value, PREFIX)}",
    tree.New: print_new,
    tree.Shape: print_shape,
    tree.Lambda: print_lambda,
    tree.Cast: print_cast,
    tree.Native: print_cast,
    tree.Convert: print_convert,
    tree.Shift: print_shift,
    tree.Comptime: print_comptime,
    tree.Format: lambda printer, node: (
        f"{printer.words['scriptum']}({printer.join([node.pattern, *node.arguments])})"
    ),
    tree.Pipeline: lambda printer, node: (
        f"{printer.words['ex']} {print_stepped(printer, node.source, node.steps)}"
    ),
    tree.Filter: print_filter,
}
