"""Emit, second part: an expression as TypeScript, with no more parentheses than it needs."""

from __future__ import annotations

import re
from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.calls import (
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
    CallTranslator,
    Text,
    kind_of,
)

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
PLACEHOLDER = re.compile(r"§(\d*)")


class Translator(CallTranslator):
    # Expressions.

    def text(self, node: tree.Expression, at_least: int = ASSIGN) -> str:
        text, binds = TRANSLATE[type(node)](self, node)
        return f"({text})" if binds < at_least else text

    def name(self, node: tree.Name) -> Text:
        return node.name, ATOM

    def number(self, node: tree.Number) -> Text:
        return node.text.lstrip("0") or "0" if node.text.isdigit() else node.text, ATOM

    def big(self, node: tree.BigInt) -> Text:
        return (str(int(node.text)) if node.text.isdigit() else node.text) + "n", ATOM

    def quoted(self, node: tree.Text) -> Text:
        return f'"{node.inside}"', ATOM

    def truth(self, node: tree.Truth) -> Text:
        return ("true" if node.value else "false"), ATOM

    def nothing(self, _: tree.Nothing) -> Text:
        return "null", ATOM

    def self_(self, _: tree.Self) -> Text:
        # Outside every function there is no object; the reference's runtime has an empty one there.
        return ("this" if self.inside else "({} as any)"), ATOM

    def template(self, node: tree.Template) -> Text:
        return f"`{node.inside}`", ATOM

    def regex(self, node: tree.Regex) -> Text:
        pattern = node.pattern.replace('\\"', '"').replace("\\/", "/").replace("/", "\\/")
        return f"/{pattern or '(?:)'}/{node.flags.replace('x', '')}", ATOM

    def spread(self, node: tree.Spread) -> Text:
        return f"...{self.text(node.value)}", ASSIGN

    def array(self, node: tree.Array) -> Text:
        return f"[{self.joined(node.elements)}]", ATOM

    def object(self, node: tree.Object) -> Text:
        if not node.properties:
            return "{}", ATOM
        parts = []
        for part in node.properties:
            if isinstance(part, tree.Spread):
                parts.append(self.text(part))
            else:
                parts.append(f"{self.key(part)}: {self.text(part.value)}")
        return "{ " + ", ".join(parts) + " }", ATOM

    def key(self, part: tree.Property) -> str:
        return f'"{part.key}"' if part.quoted else part.key

    def binary(self, node: tree.Binary) -> Text:
        if node.operator == "intra":
            return self.intra(node)
        if node.operator == "inter":
            return f"{self.text(node.right, MEMBER)}.includes({self.text(node.left)})", MEMBER
        level = BINARY[node.operator]
        left, right = self.text(node.left, level), self.text(node.right, level + 1)
        if level in (OR, AND):
            left, right = self.unmixed(node.operator, node.left, left), self.unmixed(node.operator, node.right, right)
        return f"{left} {node.operator} {right}", level

    def unmixed(self, operator: str, node: tree.Expression, text: str) -> str:
        """JavaScript refuses `??` beside `||` or `&&` without parentheses."""
        other = node.operator if isinstance(node, tree.Binary) else ""
        mixes = (operator == "??") != (other == "??") and other in ("??", "||", "&&")
        return f"({text})" if mixes and not text.startswith("(") else text

    def intra(self, node: tree.Binary) -> Text:
        if not isinstance(node.right, tree.Range):
            return f"{self.text(node.right, MEMBER)}.includes({self.text(node.left)})", MEMBER
        low, high = self.text(node.right.start, SHIFT), self.text(node.right.stop, SHIFT)
        if isinstance(node.left, (tree.Name, tree.Number)):
            value = self.text(node.left)
            return f"{value} >= {low} && {value} {'<=' if node.right.inclusive else '<'} {high}", AND
        inclusive = "true" if node.right.inclusive else "false"
        return f"{self.need('within')}({self.text(node.left)}, {low}, {high}, {inclusive})", MEMBER

    def unary(self, node: tree.Unary) -> Text:
        if node.operator in ("nulla", "nonnulla"):
            text = f"{self.need('empty')}({self.text(node.value)})"
            return (text, MEMBER) if node.operator == "nulla" else (f"!{text}", PREFIX)
        if node.operator in TESTS:
            test, level = TESTS[node.operator]
            return f"{self.text(node.value, level)} {test}", level
        text = self.text(node.value, PREFIX)
        return (f"-({text})" if node.operator == "-" and text.startswith("-") else node.operator + text), PREFIX

    def assign(self, node: tree.Assign) -> Text:
        target = node.target
        if (
            isinstance(target, tree.Index)
            and kind_of(target.object.type) == "tabula"
            and not isinstance(target.index, tree.Range)
        ):
            table, key = self.text(target.object, MEMBER), self.text(target.index)
            value = self.text(node.value)
            if node.operator != "=":
                operator = node.operator[:-1]
                value = f"{table}.get({key})! {operator} {self.text(node.value, BINARY[operator] + 1)}"
            return f"{table}.set({key}, {value})", MEMBER
        return f"{self.text(target, MEMBER)} {node.operator} {self.text(node.value)}", ASSIGN

    def conditional(self, node: tree.Conditional) -> Text:
        return f"{self.text(node.test, OR)} ? {self.text(node.yes)} : {self.text(node.no)}", CHOICE

    def range(self, node: tree.Range) -> Text:
        parts = [self.text(node.start), self.text(node.stop), "true" if node.inclusive else "false"]
        if node.step is not None:
            parts.append(self.text(node.step))
        return f"{self.need('range')}({', '.join(parts)})", MEMBER

    def type_test(self, node: tree.TypeTest) -> Text:
        name = node.target.name
        equal = "!==" if node.negated else "==="
        if name in TYPEOF:
            return f'typeof {self.text(node.value, PREFIX)} {equal} "{TYPEOF[name]}"', EQUAL
        if name in ("nihil", "incertum", "vacuum"):
            return f"{self.text(node.value, EQUAL)} {equal} {'null' if name == 'nihil' else 'undefined'}", EQUAL
        if name == "lista":
            test = f"Array.isArray({self.text(node.value)})"
        elif name == "objectum":
            test = f'(typeof {self.text(node.value, PREFIX)} === "object")'
        else:
            test = f"({self.text(node.value, COMPARE)} instanceof {INSTANCES.get(name, name)})"
        return (f"!{test}", PREFIX) if node.negated else (test, MEMBER)

    # The rest.

    def cede(self, node: tree.Cede) -> Text:
        if self.yields:
            return f"yield {self.text(node.value)}", ASSIGN
        return f"await {self.text(node.value, PREFIX)}", PREFIX

    def new(self, node: tree.New) -> Text:
        arguments = self.joined(node.arguments or [])
        if node.class_name not in self.classes:
            parts = [arguments] if arguments else []
            if node.fields is not None:
                parts.append(self.text(node.fields))
            return f"new {node.class_name}({', '.join(parts)})", MEMBER
        fields = self.text(node.fields) if node.fields is not None else ""
        if arguments:
            return f"new {node.class_name}({fields or '{}'}, {arguments})", MEMBER
        return f"new {node.class_name}({fields})", MEMBER

    def shape(self, node: tree.Shape) -> Text:
        parts = [f'tag: "{node.variant}"']
        if node.fields is not None and node.fields.properties:
            parts.append(self.text(node.fields)[2:-2])
        return "{ " + ", ".join(parts) + " }", ATOM

    def lambda_(self, node: tree.Lambda) -> Text:
        outside, self.yields = self.yields, False
        parameters = ", ".join(f"{name}: any" for name in node.parameters)
        returns = f": {self.type_name(node.returns)}" if node.returns is not None and not node.is_async else ""
        if isinstance(node.body, tree.Block):
            body = self.block(node.body)
        else:
            body = self.text(node.body)
            if body.startswith("{"):
                body = f"({body})"
        self.yields = outside
        return f"{'async ' * node.is_async}({parameters}){returns} => {body}", ASSIGN

    def cast(self, node: tree.Cast) -> Text:
        name = node.target.name
        if isinstance(node.value, tree.Object):
            if name in self.classes:
                return f"new {self.type_name(node.target)}({self.text(node.value)})", MEMBER
            if name == "copia":
                keys = ", ".join(f'"{p.key}"' for p in node.value.properties if isinstance(p, tree.Property))
                return f"new {self.plain_type(node.target)}({f'[{keys}]' if keys else ''})", MEMBER
            if name == "tabula":
                return self.table(node.value, node.target), MEMBER
        if isinstance(node.value, tree.Array) and name == "copia":
            return f"new {self.plain_type(node.target)}({self.text(node.value)})", MEMBER
        return f"{self.text(node.value, COMPARE)} as {self.type_name(node.target)}", COMPARE

    def native(self, node: tree.Native) -> Text:
        if isinstance(node.value, tree.Object):
            return self.table(node.value, node.target), MEMBER
        if isinstance(node.value, tree.Array) and not node.value.elements and node.target.parameters:
            return f"[] as {self.type_name(node.target)}", COMPARE
        return self.text(node.value), ASSIGN

    def table(self, node: tree.Object, target: tree.TypeName) -> str:
        entries = []
        for part in node.properties:
            if isinstance(part, tree.Spread):
                entries.append(f"...Object.entries({self.text(part.value)})")
            else:
                entries.append(f'["{part.key}", {self.text(part.value)}]')
        return f"new {self.plain_type(target)}({'[' + ', '.join(entries) + ']' if entries else ''})"

    def convert(self, node: tree.Convert) -> Text:
        value = self.text(node.value)
        if node.to == "numeratum":
            if node.target is not None and node.target.name == "magnus":
                return f"BigInt({value})", MEMBER
            text = f"parseInt({value}, {RADIX.get(node.radix or 'Dec')})"
        elif node.to == "fractatum":
            text = f"parseFloat({value})"
        else:
            text = f"{'String' if node.to == 'textatum' else 'Boolean'}({value})"
            if node.fallback is not None:
                return f"{text} || {self.text(node.fallback, AND)}", OR
        if node.fallback is None:
            return text, MEMBER
        fallback = self.text(node.fallback)
        return (
            f"{self.need('parsed')}({text}, () => {f'({fallback})' if fallback.startswith('{') else fallback})",
            MEMBER,
        )

    def shift(self, node: tree.Shift) -> Text:
        sign = "<<" if node.direction == "sinistratum" else ">>"
        return f"{self.text(node.value, SHIFT)} {sign} {self.text(node.amount, SUM)}", SHIFT

    def comptime(self, node: tree.Comptime) -> Text:
        if isinstance(node.body, tree.Block):
            return f"(() => {self.block(node.body)})()", MEMBER
        return self.text(node.body), ASSIGN

    def format(self, node: tree.Format) -> Text:
        pattern = node.pattern.inside
        if not node.arguments:
            return f'"{pattern}"', ATOM
        arguments = [self.text(argument) for argument in node.arguments]
        following = iter(range(len(pattern)))

        def fill(slot: re.Match[str]) -> str:
            i = int(slot.group(1)) if slot.group(1) else next(following)
            return "${" + (arguments[i] if i < len(arguments) else "undefined") + "}"

        return "`" + PLACEHOLDER.sub(fill, pattern.replace("`", "\\`").replace("${", "\\${")) + "`", ATOM

    def read(self, _: tree.Read) -> Text:
        return '(prompt() ?? "")', ATOM

    def pipeline(self, node: tree.Pipeline) -> Text:
        return self.stepped(self.text(node.source, MEMBER), node.steps), MEMBER

    def stepped(self, text: str, steps: list[tree.Step]) -> str:
        for step in steps:
            if step.verb == "summa":
                text += ".reduce((a: any, b: any) => a + b, 0)"
            elif step.count is not None:
                text += (
                    f".slice(0, {self.text(step.count)})"
                    if step.verb == "prima"
                    else f".slice(-{self.text(step.count, PREFIX)})"
                )
        return text

    def filter(self, node: tree.Filter) -> Text:
        text = self.text(node.source, MEMBER)
        if node.property is not None:
            text += f".filter(($it: any) => {'!' * node.negated}$it.{node.property})"
        elif node.condition is not None:
            test = self.text(node.condition, PREFIX if node.negated else ASSIGN)
            text += f".filter(() => {'!' * node.negated}{test})"
        return self.stepped(text, node.steps), MEMBER


TRANSLATE: dict[type[tree.Expression], Function[[Translator, Any], Text]] = {
    tree.Name: Translator.name,
    tree.Number: Translator.number,
    tree.BigInt: Translator.big,
    tree.Text: Translator.quoted,
    tree.Template: Translator.template,
    tree.Truth: Translator.truth,
    tree.Nothing: Translator.nothing,
    tree.Self: Translator.self_,
    tree.Regex: Translator.regex,
    tree.Read: Translator.read,
    tree.Spread: Translator.spread,
    tree.Array: Translator.array,
    tree.Object: Translator.object,
    tree.Binary: Translator.binary,
    tree.Unary: Translator.unary,
    tree.Assign: Translator.assign,
    tree.Conditional: Translator.conditional,
    tree.Range: Translator.range,
    tree.TypeTest: Translator.type_test,
    tree.Call: Translator.call,
    tree.Member: Translator.member,
    tree.Index: Translator.index,
    tree.Cede: Translator.cede,
    tree.New: Translator.new,
    tree.Shape: Translator.shape,
    tree.Lambda: Translator.lambda_,
    tree.Cast: Translator.cast,
    tree.Native: Translator.native,
    tree.Convert: Translator.convert,
    tree.Shift: Translator.shift,
    tree.Comptime: Translator.comptime,
    tree.Format: Translator.format,
    tree.Pipeline: Translator.pipeline,
    tree.Filter: Translator.filter,
}
