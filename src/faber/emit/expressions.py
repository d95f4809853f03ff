"""Expressions as TypeScript, with no more parentheses than they need."""

from __future__ import annotations

import re

from faber import tree
from faber.emit.calls import kind_of
from faber.emit.emitter import (
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
    Emitter,
    Expressions,
    plain_type,
    typescript_type,
)
from faber.rewriting import BACKWARDS

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
TYPEOF = {
    "textus": "string",
    "numerus": "number",
    "fractus": "number",
    "decimus": "number",
    "bivalens": "boolean",
    "magnus": "bigint",
}
INSTANCES = {
    "tabula": "Map",
    "copia": "Set",
    "octeti": "Uint8Array",
    "erratum": "Error",
    "tempus": "Date",
    "promissum": "Promise",
}
RADIX = {"Dec": 10, "Hex": 16, "Oct": 8, "Bin": 2}


def emit_number(emitter: Emitter, node: tree.Number) -> Bound:
    return node.text.lstrip("0") or "0" if node.text.isdigit() else node.text, ATOM


def emit_bigint(emitter: Emitter, node: tree.BigInt) -> Bound:
    return (str(int(node.text)) if node.text.isdigit() else node.text) + "n", ATOM


def emit_self(emitter: Emitter, _: tree.Self) -> Bound:
    # Outside every function there is no object; the reference's runtime has an empty one there.
    return ("this" if emitter.inside else "({} as any)"), ATOM


def emit_regex(emitter: Emitter, node: tree.Regex) -> Bound:
    pattern = node.pattern.replace('\\"', '"').replace("\\/", "/").replace("/", "\\/")
    return f"/{pattern or '(?:)'}/{node.flags.replace('x', '')}", ATOM


def emit_object(emitter: Emitter, node: tree.Object) -> Bound:
    if not node.properties:
        return "{}", ATOM
    parts = []
    for part in node.properties:
        if isinstance(part, tree.Spread):
            parts.append(emitter.text(part))
        else:
            key = f'"{part.key}"' if part.quoted else part.key
            parts.append(f"{key}: {emitter.text(part.value)}")
    return "{ " + ", ".join(parts) + " }", ATOM


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
        left = separate_mixed(node.operator, node.left, left)
        right = separate_mixed(node.operator, node.right, right)
    return f"{left} {node.operator} {right}", level


def separate_mixed(operator: str, node: tree.Expression, text: str) -> str:
    """JavaScript refuses `??` next to `||` or `&&` without parentheses."""
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
    arguments = emitter.join(node.arguments or [])
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


def emit_type_test(emitter: Emitter, node: tree.TypeTest) -> Bound:
    name = node.target.name
    equal = "!==" if node.negated else "==="
    if name in TYPEOF:
        return f'typeof {emitter.text(node.value, PREFIX)} {equal} "{TYPEOF[name]}"', EQUAL
    if name in ("nihil", "incertum", "vacuum"):
        return (
            f"{emitter.text(node.value, EQUAL)} {equal} {'null' if name == 'nihil' else 'undefined'}",
            EQUAL,
        )
    if name == "lista":
        test = f"Array.isArray({emitter.text(node.value)})"
    elif name == "objectum":
        test = f'(typeof {emitter.text(node.value, PREFIX)} === "object")'
    else:
        test = f"({emitter.text(node.value, COMPARE)} instanceof {INSTANCES.get(name, name)})"
    return (f"!{test}", PREFIX) if node.negated else (test, MEMBER)


def emit_cast(emitter: Emitter, node: tree.Cast) -> Bound:
    name = node.target.name
    if isinstance(node.value, tree.Object):
        if name in emitter.classes:
            return f"new {typescript_type(node.target)}({emitter.text(node.value)})", MEMBER
        if name == "copia":
            keys = ", ".join(f'"{p.key}"' for p in node.value.properties if isinstance(p, tree.Property))
            return f"new {plain_type(node.target)}({f'[{keys}]' if keys else ''})", MEMBER
        if name == "tabula":
            return emit_table(emitter, node.value, node.target), MEMBER
    if isinstance(node.value, tree.Array) and name == "copia":
        return f"new {plain_type(node.target)}({emitter.text(node.value)})", MEMBER
    return f"{emitter.text(node.value, COMPARE)} as {typescript_type(node.target)}", COMPARE


def emit_native(emitter: Emitter, node: tree.Native) -> Bound:
    if isinstance(node.value, tree.Object):
        return emit_table(emitter, node.value, node.target), MEMBER
    if isinstance(node.value, tree.Array) and not node.value.elements and node.target.parameters:
        return f"[] as {typescript_type(node.target)}", COMPARE
    return emitter.text(node.value), ASSIGN


def emit_table(emitter: Emitter, node: tree.Object, target: tree.TypeName) -> str:
    entries = []
    for part in node.properties:
        if isinstance(part, tree.Spread):
            entries.append(f"...Object.entries({emitter.text(part.value)})")
        else:
            entries.append(f'["{part.key}", {emitter.text(part.value)}]')
    return f"new {plain_type(target)}({'[' + ', '.join(entries) + ']' if entries else ''})"


def emit_convert(emitter: Emitter, node: tree.Convert) -> Bound:
    value = emitter.text(node.value)
    if node.to == "numeratum":
        if node.target is not None and node.target.name == "magnus":
            return f"BigInt({value})", MEMBER
        text = f"parseInt({value}, {RADIX.get(node.radix or 'Dec')})"
    elif node.to == "fractatum":
        text = f"parseFloat({value})"
    else:
        text = f"{'String' if node.to == 'textatum' else 'Boolean'}({value})"
        if node.fallback is not None:
            return f"{text} || {emitter.text(node.fallback, AND)}", OR
    if node.fallback is None:
        return text, MEMBER
    fallback = emitter.text(node.fallback)
    return (
        f"{emitter.need('parsed')}({text}, () => "
        f"{f'({fallback})' if fallback.startswith('{') else fallback})",
        MEMBER,
    )


def emit_shift(emitter: Emitter, node: tree.Shift) -> Bound:
    sign = "<<" if node.direction == "sinistratum" else ">>"
    return f"{emitter.text(node.value, SHIFT)} {sign} {emitter.text(node.amount, SUM)}", SHIFT


EXPRESSIONS: Expressions = {
    tree.Name: lambda _, node: (node.name, ATOM),
    tree.Number: emit_number,
    tree.BigInt: emit_bigint,
    tree.Text: lambda _, node: (f'"{node.inside}"', ATOM),
    tree.Template: lambda _, node: (f"`{node.inside}`", ATOM),
    tree.Truth: lambda _, node: ("true" if node.value else "false", ATOM),
    tree.Nothing: lambda _, __: ("null", ATOM),
    tree.Self: emit_self,
    tree.Regex: emit_regex,
    tree.Read: lambda _, __: ('(prompt() ?? "")', ATOM),
    tree.Spread: lambda emitter, node: (f"...{emitter.text(node.value)}", ASSIGN),
    tree.Array: lambda emitter, node: (f"[{emitter.join(node.elements)}]", ATOM),
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
    tree.Pipeline: lambda emitter, node: (
        apply_steps(emitter, emitter.text(node.source, MEMBER), node.steps),
        MEMBER,
    ),
    tree.Filter: emit_filter,
    tree.TypeTest: emit_type_test,
    tree.Cast: emit_cast,
    tree.Native: emit_native,
    tree.Convert: emit_convert,
    tree.Shift: emit_shift,
}
