"""Expressions as TypeScript, with no more parentheses than they need."""

from __future__ import annotations

import re
from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.emit.calls import kind_of
from probatio.languages.faber.emit.emitter import Emitter
from probatio.languages.faber.emit.precedence import (
    AND,
    ASSIGN,
    ATOM,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    CHOICE,
    COMPARE,
    EQUAL,
    MEMBER,
    OR,
    PREFIX,
    PRODUCT,
    SHIFT,
    SUM,
    Bound,
)
from probatio.languages.faber.emit.types import typescript_type
from probatio.languages.faber.rewriting import BACKWARDS

BINARY = {
    "??": OR, "||": OR, "&&": AND, "|": BIT_OR, "^": BIT_XOR, "&": BIT_AND,
    "==": EQUAL, "!=": EQUAL, "===": EQUAL, "!==": EQUAL,
    "<": COMPARE, "<=": COMPARE, ">": COMPARE, ">=": COMPARE,
    "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT,
}  # fmt: skip
TESTS = {
    "nihil": ("== null", EQUAL),
    "nonnihil": ("!= null", EQUAL),
    "negativum": ("< 0", COMPARE),
    "positivum": ("> 0", COMPARE),
    "verum": ("=== true", EQUAL),
    "falsum": ("=== false", EQUAL),
}
PLACEHOLDER = re.compile(r"§(\d*)")

# Expressions.


def emit_name(emitter: Emitter, node: tree.Name) -> Bound:
    return node.name, ATOM


def emit_number(emitter: Emitter, node: tree.Number) -> Bound:
    return node.text.lstrip("0") or "0" if node.text.isdigit() else node.text, ATOM


def emit_bigint(emitter: Emitter, node: tree.BigInt) -> Bound:
    return (str(int(node.text)) if node.text.isdigit() else node.text) + "n", ATOM


def emit_text(emitter: Emitter, node: tree.Text) -> Bound:
    return f'"{node.inside}"', ATOM


def emit_truth(emitter: Emitter, node: tree.Truth) -> Bound:
    return ("true" if node.value else "false"), ATOM


def emit_nothing(emitter: Emitter, _: tree.Nothing) -> Bound:
    return "null", ATOM


def emit_self(emitter: Emitter, _: tree.Self) -> Bound:
    # Outside every function there is no object; the reference's runtime has an empty one there.
    return ("this" if emitter.inside else "({} as any)"), ATOM


def emit_template(emitter: Emitter, node: tree.Template) -> Bound:
    return f"`{node.inside}`", ATOM


def emit_regex(emitter: Emitter, node: tree.Regex) -> Bound:
    pattern = node.pattern.replace('\\"', '"').replace("\\/", "/").replace("/", "\\/")
    return f"/{pattern or '(?:)'}/{node.flags.replace('x', '')}", ATOM


def emit_spread(emitter: Emitter, node: tree.Spread) -> Bound:
    return f"...{emitter.text(node.value)}", ASSIGN


def emit_array(emitter: Emitter, node: tree.Array) -> Bound:
    return f"[{emitter.joined(node.elements)}]", ATOM


def emit_object(emitter: Emitter, node: tree.Object) -> Bound:
    if not node.properties:
        return "{}", ATOM
    parts = []
    for part in node.properties:
        if isinstance(part, tree.Spread):
            parts.append(emitter.text(part))
        else:
            parts.append(f"{property_key(part)}: {emitter.text(part.value)}")
    return "{ " + ", ".join(parts) + " }", ATOM


def property_key(part: tree.Property) -> str:
    return f'"{part.key}"' if part.quoted else part.key


def emit_binary(emitter: Emitter, node: tree.Binary) -> Bound:
    if node.operator == "intra":
        return emit_intra(emitter, node)
    if node.operator == "inter":
        return f"{emitter.text(node.right, MEMBER)}.includes({emitter.text(node.left)})", MEMBER
    if node.operator == BACKWARDS:
        return f"{emitter.need('joined')}({emitter.text(node.left)}, {emitter.text(node.right)})", MEMBER
    level = BINARY[node.operator]
    left, right = emitter.text(node.left, level), emitter.text(node.right, level + 1)
    if level in (OR, AND):
        left, right = unmixed(node.operator, node.left, left), unmixed(node.operator, node.right, right)
    return f"{left} {node.operator} {right}", level


def unmixed(operator: str, node: tree.Expression, text: str) -> str:
    """JavaScript refuses `??` beside `||` or `&&` without parentheses."""
    other = node.operator if isinstance(node, tree.Binary) else ""
    mixes = (operator == "??") != (other == "??") and other in ("??", "||", "&&")
    return f"({text})" if mixes and not text.startswith("(") else text


def emit_intra(emitter: Emitter, node: tree.Binary) -> Bound:
    if not isinstance(node.right, tree.Range):
        return f"{emitter.text(node.right, MEMBER)}.includes({emitter.text(node.left)})", MEMBER
    low, high = emitter.text(node.right.start, SHIFT), emitter.text(node.right.stop, SHIFT)
    if isinstance(node.left, (tree.Name, tree.Number)):
        value = emitter.text(node.left)
        return f"{value} >= {low} && {value} {'<=' if node.right.inclusive else '<'} {high}", AND
    inclusive = "true" if node.right.inclusive else "false"
    return f"{emitter.need('within')}({emitter.text(node.left)}, {low}, {high}, {inclusive})", MEMBER


def emit_unary(emitter: Emitter, node: tree.Unary) -> Bound:
    if node.operator in ("nulla", "nonnulla"):
        text = f"{emitter.need('empty')}({emitter.text(node.value)})"
        return (text, MEMBER) if node.operator == "nulla" else (f"!{text}", PREFIX)
    if node.operator in TESTS:
        test, level = TESTS[node.operator]
        return f"{emitter.text(node.value, level)} {test}", level
    text = emitter.text(node.value, PREFIX)
    return (f"-({text})" if node.operator == "-" and text.startswith("-") else node.operator + text), PREFIX


def emit_assign(emitter: Emitter, node: tree.Assign) -> Bound:
    target = node.target
    if (
        isinstance(target, tree.Index)
        and kind_of(target.object.type) == "tabula"
        and not isinstance(target.index, tree.Range)
    ):
        table, key = emitter.text(target.object, MEMBER), emitter.text(target.index)
        value = emitter.text(node.value)
        if node.operator != "=":
            operator = node.operator[:-1]
            value = f"{table}.get({key})! {operator} {emitter.text(node.value, BINARY[operator] + 1)}"
        return f"{table}.set({key}, {value})", MEMBER
    return f"{emitter.text(target, MEMBER)} {node.operator} {emitter.text(node.value)}", ASSIGN


def emit_conditional(emitter: Emitter, node: tree.Conditional) -> Bound:
    return f"{emitter.text(node.test, OR)} ? {emitter.text(node.yes)} : {emitter.text(node.no)}", CHOICE


def emit_range(emitter: Emitter, node: tree.Range) -> Bound:
    parts = [emitter.text(node.start), emitter.text(node.stop), "true" if node.inclusive else "false"]
    if node.step is not None:
        parts.append(emitter.text(node.step))
    return f"{emitter.need('range')}({', '.join(parts)})", MEMBER


def emit_cede(emitter: Emitter, node: tree.Cede) -> Bound:
    if emitter.yields:
        return f"yield {emitter.text(node.value)}", ASSIGN
    return f"await {emitter.text(node.value, PREFIX)}", PREFIX


def emit_new(emitter: Emitter, node: tree.New) -> Bound:
    arguments = emitter.joined(node.arguments or [])
    if node.class_name not in emitter.classes:
        parts = [arguments] if arguments else []
        if node.fields is not None:
            parts.append(emitter.text(node.fields))
        return f"new {node.class_name}({', '.join(parts)})", MEMBER
    fields = emitter.text(node.fields) if node.fields is not None else ""
    if arguments:
        return f"new {node.class_name}({fields or '{}'}, {arguments})", MEMBER
    return f"new {node.class_name}({fields})", MEMBER


def emit_shape(emitter: Emitter, node: tree.Shape) -> Bound:
    parts = [f'tag: "{node.variant}"']
    if node.fields is not None and node.fields.properties:
        parts.append(emitter.text(node.fields)[2:-2])
    return "{ " + ", ".join(parts) + " }", ATOM


def emit_lambda(emitter: Emitter, node: tree.Lambda) -> Bound:
    outside, emitter.yields = emitter.yields, False
    parameters = ", ".join(f"{name}: any" for name in node.parameters)
    returns = f": {typescript_type(node.returns)}" if node.returns is not None and not node.is_async else ""
    if isinstance(node.body, tree.Block):
        body = emitter.block(node.body)
    else:
        body = emitter.text(node.body)
        if body.startswith("{"):
            body = f"({body})"
    emitter.yields = outside
    return f"{'async ' * node.is_async}({parameters}){returns} => {body}", ASSIGN


def emit_comptime(emitter: Emitter, node: tree.Comptime) -> Bound:
    if isinstance(node.body, tree.Block):
        return f"(() => {emitter.block(node.body)})()", MEMBER
    return emitter.text(node.body), ASSIGN


def emit_format(emitter: Emitter, node: tree.Format) -> Bound:
    pattern = node.pattern.inside
    if not node.arguments:
        return f'"{pattern}"', ATOM
    arguments = [emitter.text(argument) for argument in node.arguments]
    following = iter(range(len(pattern)))

    def fill(slot: re.Match[str]) -> str:
        i = int(slot.group(1)) if slot.group(1) else next(following)
        return "${" + (arguments[i] if i < len(arguments) else "undefined") + "}"

    return "`" + PLACEHOLDER.sub(fill, pattern.replace("`", "\\`").replace("${", "\\${")) + "`", ATOM


def emit_read(emitter: Emitter, _: tree.Read) -> Bound:
    return '(prompt() ?? "")', ATOM


def emit_pipeline(emitter: Emitter, node: tree.Pipeline) -> Bound:
    return apply_steps(emitter, emitter.text(node.source, MEMBER), node.steps), MEMBER


def apply_steps(emitter: Emitter, text: str, steps: list[tree.Step]) -> str:
    for step in steps:
        if step.verb == "summa":
            text += ".reduce((a: any, b: any) => a + b, 0)"
        elif step.count is not None:
            text += (
                f".slice(0, {emitter.text(step.count)})"
                if step.verb == "prima"
                else f".slice(-{emitter.text(step.count, PREFIX)})"
            )
    return text


def emit_filter(emitter: Emitter, node: tree.Filter) -> Bound:
    text = emitter.text(node.source, MEMBER)
    if node.property is not None:
        text += f".filter(($it: any) => {'!' * node.negated}$it.{node.property})"
    elif node.condition is not None:
        test = emitter.text(node.condition, PREFIX if node.negated else ASSIGN)
        text += f".filter(() => {'!' * node.negated}{test})"
    return apply_steps(emitter, text, node.steps), MEMBER


EXPRESSIONS: dict[type[tree.Expression], Function[[Emitter, Any], Bound]] = {
    tree.Name: emit_name,
    tree.Number: emit_number,
    tree.BigInt: emit_bigint,
    tree.Text: emit_text,
    tree.Template: emit_template,
    tree.Truth: emit_truth,
    tree.Nothing: emit_nothing,
    tree.Self: emit_self,
    tree.Regex: emit_regex,
    tree.Read: emit_read,
    tree.Spread: emit_spread,
    tree.Array: emit_array,
    tree.Object: emit_object,
    tree.Binary: emit_binary,
    tree.Unary: emit_unary,
    tree.Assign: emit_assign,
    tree.Conditional: emit_conditional,
    tree.Range: emit_range,
    tree.Cede: emit_cede,
    tree.New: emit_new,
    tree.Shape: emit_shape,
    tree.Lambda: emit_lambda,
    tree.Comptime: emit_comptime,
    tree.Format: emit_format,
    tree.Pipeline: emit_pipeline,
    tree.Filter: emit_filter,
}
