"""Printing, first part: an expression in the words of a dialect, with no more parentheses than it needs."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.dialects import Dialect
from probatio.languages.faber.primaries import interpolated

# How tightly Faber binds, loosest first, as the parser reads it.
OPEN, CHOICE, OR, AND, EQUAL, COMPARE, BIT_OR, BIT_XOR, BIT_AND, RANGE, SUM, PRODUCT, PREFIX, POSTFIX, CALL = range(15)

BINARY = {
    "||": OR, "??": OR, "&&": AND, "==": EQUAL, "!=": EQUAL, "===": EQUAL, "!==": EQUAL,
    "<": COMPARE, "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "intra": COMPARE, "inter": COMPARE,
    "|": BIT_OR, "^": BIT_XOR, "&": BIT_AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT,
}  # fmt: skip
WORD_OF = {"||": "aut", "??": "vel", "&&": "et", "intra": "intra", "inter": "inter", "!": "non"}
Phrase = tuple[str, int]


class Phrases:
    def __init__(self, dialect: Dialect, bindings: dict[str, str]) -> None:
        self.dialect = dialect
        self.words = dialect.words
        self.bindings = bindings  # variables that cannot keep their name in this dialect
        self.renamed: dict[str, str] = {}

    def block(self, block: tree.Block) -> str:
        raise NotImplementedError

    # Names.

    def name(self, name: str) -> str:
        """A member, field, key or type parameter."""
        written = self.dialect.write_name(name)
        if written != name:
            self.renamed[name] = written
        return written

    def variable(self, name: str) -> str:
        """A name that is declared and read: a variable, function or parameter."""
        if name in self.bindings:
            self.renamed[name] = self.bindings[name]
            return self.bindings[name]
        return self.name(name)

    def type_name(self, node: tree.TypeName | tree.Number) -> str:
        if isinstance(node, tree.Number):
            return node.text
        mark = "?" * node.nullable
        if node.returns is not None:
            return f"({', '.join(map(self.type_name, node.takes or []))}) -> {self.type_name(node.returns)}"
        text = self.words[node.name] if node.name in ("nihil", "cursor") else self.dialect.write_type(node.name)
        if node.parameters:
            text += f"<{', '.join(map(self.type_name, node.parameters))}>"
        if node.preposition is not None:
            text = f"{self.words[node.preposition]} {text}"
        return text + mark

    # Expressions.

    def text(self, node: tree.Expression, at_least: int = OPEN) -> str:
        text, binds = PHRASE[type(node)](self, node)
        return f"({text})" if binds < at_least else text

    def followed(self, node: tree.Expression, at_least: int) -> str:
        """An operand that an operator follows: its end must not take the operator for its own."""
        text, binds = PHRASE[type(node)](self, node)
        edge = right_edge(node)
        greedy = isinstance(edge, tree.New) and edge.from_value
        return f"({text})" if greedy or binds < at_least else text

    def before_block(self, node: tree.Expression) -> str:
        """An expression that a block follows: its end must not take the block for its own."""
        text = self.text(node)
        return f"({text})" if open_ended(node) or text.startswith("{") else text

    def joined(self, nodes: list[tree.Expression]) -> str:
        return ", ".join(self.text(node) for node in nodes)

    def name_(self, node: tree.Name) -> Phrase:
        return self.variable(node.name), CALL

    def number(self, node: tree.Number) -> Phrase:
        return node.text, CALL

    def big(self, node: tree.BigInt) -> Phrase:
        return node.text + "n", CALL

    def quoted(self, node: tree.Text) -> Phrase:
        return f'"{node.inside}"', CALL

    def truth(self, node: tree.Truth) -> Phrase:
        return self.words["verum" if node.value else "falsum"], CALL

    def nothing(self, _: tree.Nothing) -> Phrase:
        return self.words["nihil"], CALL

    def self_(self, _: tree.Self) -> Phrase:
        return self.words["ego"], CALL

    def template(self, node: tree.Template) -> Phrase:
        return f"`{interpolated(node.inside, self.variable)}`", CALL

    def regex(self, node: tree.Regex) -> Phrase:
        return f'{self.words["sed"]} "{node.pattern}"' + (f" {node.flags}" if node.flags else ""), CALL

    def spread(self, node: tree.Spread) -> Phrase:
        return f"{self.words['sparge']} {self.text(node.value)}", OPEN

    def array(self, node: tree.Array) -> Phrase:
        return f"[{self.joined(node.elements)}]", CALL

    def object(self, node: tree.Object) -> Phrase:
        return "{ " + ", ".join(map(self.property, node.properties)) + " }" if node.properties else "{}", CALL

    def property(self, part: tree.Property | tree.Spread) -> str:
        if isinstance(part, tree.Spread):
            return self.text(part)
        key = f'"{part.key}"' if part.quoted else self.name(part.key)
        return f"{key}: {self.text(part.value)}"

    def binary(self, node: tree.Binary) -> Phrase:
        level = BINARY[node.operator]
        left, right = self.followed(node.left, level), self.text(node.right, level + 1)
        if (
            level == OR
            and isinstance(node.left, tree.Binary)
            and BINARY[node.left.operator] == OR
            and node.left.operator != node.operator
        ):
            left = f"({left})"
        edge = right_edge(node.left)
        taken = isinstance(edge, (tree.Cast, tree.Native, tree.TypeTest)) or (
            isinstance(edge, tree.Convert) and edge.target is None
        )
        if node.operator == "<" and taken:
            left = f"({left})"
        if node.operator == "??" and isinstance(edge, tree.Convert) and edge.fallback is None:
            left = f"({left})"
        word = WORD_OF.get(node.operator)
        return f"{left} {self.words[word] if word else node.operator} {right}", level

    def unary(self, node: tree.Unary) -> Phrase:
        value = self.text(node.value, PREFIX)
        if node.operator in "-~":
            return node.operator + value, PREFIX
        return f"{self.words[WORD_OF.get(node.operator, node.operator)]} {value}", PREFIX

    def assign(self, node: tree.Assign) -> Phrase:
        return f"{self.text(node.target, CALL)} {node.operator} {self.text(node.value)}", OPEN

    def conditional(self, node: tree.Conditional) -> Phrase:
        yes, no = self.text(node.yes), self.text(node.no, CHOICE)
        return f"{self.followed(node.test, OR)} {self.words['sic']} {yes} {self.words['secus']} {no}", CHOICE

    def range(self, node: tree.Range) -> Phrase:
        between = f" {self.words['usque']} " if node.inclusive else ".."
        stop = self.text(node.stop, SUM) if node.step is None else self.followed(node.stop, SUM)
        text = f"{self.followed(node.start, SUM)}{between}{stop}"
        if node.step is not None:
            text += f" {self.words['per']} {self.text(node.step, SUM)}"
        return text, RANGE

    def type_test(self, node: tree.TypeTest) -> Phrase:
        non = self.words["non"] + " " if node.negated else ""
        return f"{self.followed(node.value, EQUAL)} {non}{self.words['est']} {self.type_name(node.target)}", EQUAL

    def call(self, node: tree.Call) -> Phrase:
        return f"{self.text(node.callee, CALL)}{node.mark}({self.joined(node.arguments)})", CALL

    def member(self, node: tree.Member) -> Phrase:
        return f"{self.text(node.object, CALL)}{node.mark}.{self.name(node.name)}", CALL

    def index(self, node: tree.Index) -> Phrase:
        return f"{self.text(node.object, CALL)}{node.mark}[{self.text(node.index)}]", CALL

    def cede(self, node: tree.Cede) -> Phrase:
        return f"{self.words['cede']} {self.text(node.value, PREFIX)}", PREFIX

    def new(self, node: tree.New) -> Phrase:
        text = f"{self.words['novum']} {self.variable(node.class_name)}"
        if node.arguments is not None:
            text += f"({self.joined(node.arguments)})"
        if node.fields is None:
            return text, PREFIX
        if node.from_value:
            return f"{text} {self.words['de']} {self.text(node.fields)}", PREFIX
        return f"{text} {self.text(node.fields)}", PREFIX

    def shape(self, node: tree.Shape) -> Phrase:
        text = f"{self.words['finge']} {self.name(node.variant)}"
        if node.fields is not None:
            text += " " + self.text(node.fields)
        if node.union is not None:
            text += f" {self.words['qua']} {self.variable(node.union)}"
        return text, PREFIX

    def lambda_(self, node: tree.Lambda) -> Phrase:
        text = self.words["fiet" if node.is_async else "pro"]
        if node.parameters:
            text += " " + ", ".join(map(self.variable, node.parameters))
        if node.returns is not None:
            text += f" -> {self.type_name(node.returns)}"
        if isinstance(node.body, tree.Block):
            return f"{text} {self.block(node.body)}", OPEN
        return f"{text}: {self.text(node.body)}", OPEN

    def cast(self, node: tree.Cast) -> Phrase:
        return f"{self.converted(node.value)} {self.words['qua']} {self.type_name(node.target)}", POSTFIX

    def native(self, node: tree.Native) -> Phrase:
        return f"{self.converted(node.value)} {self.words['innatum']} {self.type_name(node.target)}", POSTFIX

    def converted(self, node: tree.Expression) -> str:
        """What stands before a postfix word; one that ends in an operand of its own would take that word with it."""
        chains = isinstance(node, (tree.Cast, tree.Native)) or (
            isinstance(node, tree.Convert) and node.fallback is None
        )
        return self.text(node, POSTFIX if chains else CALL)

    def convert(self, node: tree.Convert) -> Phrase:
        text = f"{self.converted(node.value)} {self.words[node.to]}"
        if node.target is not None:
            radix = f", {self.words[node.radix]}" if node.radix is not None else ""
            text += f"<{self.type_name(node.target)}{radix}>"
        if node.fallback is not None:
            text += f" {self.words['vel']} {self.text(node.fallback, PREFIX)}"
        return text, POSTFIX

    def shift(self, node: tree.Shift) -> Phrase:
        return f"{self.converted(node.value)} {self.words[node.direction]} {self.text(node.amount, PREFIX)}", POSTFIX

    def comptime(self, node: tree.Comptime) -> Phrase:
        if isinstance(node.body, tree.Block):
            return f"{self.words['praefixum']} {self.block(node.body)}", PREFIX
        return f"{self.words['praefixum']}({self.text(node.body)})", PREFIX

    def format(self, node: tree.Format) -> Phrase:
        return f"{self.words['scriptum']}({self.joined([node.pattern, *node.arguments])})", PREFIX

    def read(self, node: tree.Read) -> Phrase:
        return self.words["lege"] + (" " + self.words["lineam"] if node.line else ""), PREFIX

    def steps(self, steps: list[tree.Step]) -> str:
        return ", ".join(self.words[s.verb] + (f" {self.text(s.count)}" if s.count is not None else "") for s in steps)

    def pipeline(self, node: tree.Pipeline) -> Phrase:
        return f"{self.words['ex']} {self.text(node.source)} {self.steps(node.steps)}", OPEN

    def filter(self, node: tree.Filter) -> Phrase:
        text = f"{self.words['ab']} {self.text(node.source)}"
        if node.negated:
            text += " " + self.words["non"]
        if node.property is not None:
            text += " " + self.name(node.property)
        elif node.condition is not None:
            text += f" {self.words['ubi']} {self.text(node.condition)}"
        if node.steps:
            text += ", " + self.steps(node.steps)
        return text, OPEN


def right_edge(node: tree.Expression) -> tree.Expression:
    """The last operand that is not closed by a bracket of its own."""
    while True:
        if isinstance(node, tree.Binary):
            node = node.right
        elif isinstance(node, (tree.Unary, tree.Cede)):
            node = node.value
        elif isinstance(node, tree.Range):
            node = node.step or node.stop
        elif isinstance(node, tree.Shift):
            node = node.amount
        elif isinstance(node, tree.Convert) and node.fallback is not None:
            node = node.fallback
        elif isinstance(node, (tree.Assign, tree.Spread)):
            node = node.value
        elif isinstance(node, tree.Conditional):
            node = node.no
        elif isinstance(node, tree.Lambda) and isinstance(node.body, tree.Expression):
            node = node.body
        else:
            return node


def open_ended(node: tree.Expression) -> bool:
    """Would a `{` after the expression be read as part of it?"""
    edge = right_edge(node)
    if isinstance(edge, tree.New):
        return edge.fields is None or edge.from_value
    return isinstance(edge, (tree.Filter, tree.Pipeline)) or (
        isinstance(edge, tree.Shape) and edge.fields is None and edge.union is None
    )


PHRASE: dict[type[tree.Expression], Function[[Phrases, Any], Phrase]] = {
    tree.Name: Phrases.name_,
    tree.Number: Phrases.number,
    tree.BigInt: Phrases.big,
    tree.Text: Phrases.quoted,
    tree.Template: Phrases.template,
    tree.Truth: Phrases.truth,
    tree.Nothing: Phrases.nothing,
    tree.Self: Phrases.self_,
    tree.Regex: Phrases.regex,
    tree.Read: Phrases.read,
    tree.Spread: Phrases.spread,
    tree.Array: Phrases.array,
    tree.Object: Phrases.object,
    tree.Binary: Phrases.binary,
    tree.Unary: Phrases.unary,
    tree.Assign: Phrases.assign,
    tree.Conditional: Phrases.conditional,
    tree.Range: Phrases.range,
    tree.TypeTest: Phrases.type_test,
    tree.Call: Phrases.call,
    tree.Member: Phrases.member,
    tree.Index: Phrases.index,
    tree.Cede: Phrases.cede,
    tree.New: Phrases.new,
    tree.Shape: Phrases.shape,
    tree.Lambda: Phrases.lambda_,
    tree.Cast: Phrases.cast,
    tree.Native: Phrases.native,
    tree.Convert: Phrases.convert,
    tree.Shift: Phrases.shift,
    tree.Comptime: Phrases.comptime,
    tree.Format: Phrases.format,
    tree.Pipeline: Phrases.pipeline,
    tree.Filter: Phrases.filter,
}
