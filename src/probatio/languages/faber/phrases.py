"""Printing, first part: an expression in the words of a dialect, with no more parentheses than it needs."""

from __future__ import annotations

import re
from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.dialects import Dialect
from probatio.languages.faber.edges import (
    CALL,
    CHOICE,
    EQUAL,
    FLAGS,
    OPEN,
    OR,
    POSTFIX,
    PREFIX,
    SUM,
    binds,
    leading,
    taker,
)
from probatio.languages.faber.expressions import TESTS
from probatio.languages.faber.primaries import REGEX_FLAGS, interpolated
from probatio.languages.faber.tokens import NAME

WORD_OF = {"||": "aut", "??": "vel", "&&": "et", "intra": "intra", "inter": "inter", "!": "non"}
FIRST_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\S")


class Phrases:
    def __init__(self, dialect: Dialect, bindings: dict[str, str]) -> None:
        self.dialect = dialect
        self.words = dialect.words
        self.bindings = bindings  # variables that cannot keep their name in this dialect
        self.renamed: dict[str, str] = {}
        self.closed: set[int] = set()  # parts that must not take the word after them
        self.unbracketed: set[int] = set()  # parts that start where a bracket would be read otherwise

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

    def kind(self, text: str) -> str:
        """What the parser takes the first word of a text for: the Latin keyword, or a name."""
        word = FIRST_WORD.match(text)
        found = word.group() if word is not None else ""
        name = FLAGS if REGEX_FLAGS.fullmatch(self.dialect.read_name(found)) else NAME
        return self.dialect.keyword_of.get(found, name)

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

    def text(self, node: tree.Expression, at_least: int = OPEN, following: str = "") -> str:
        """Brackets go round the part that would take what follows the expression for its own (see `taker`)."""
        part = taker(node, following) if following else None
        if part is not None:
            self.closed.add(id(part))
        text = PHRASE[type(node)](self, node)
        return self.enclosed(node, text) if binds(node) < at_least or id(node) in self.closed else text

    def enclosed(self, node: tree.Expression, text: str) -> str:
        """Brackets, or where none can stand what else ends the phrase: a comma, a newline, or nothing but its own form."""
        if id(node) not in self.unbracketed:
            return f"({text})"
        if isinstance(node, (tree.Filter, tree.Pipeline)):
            return f"{text},"
        return f"{text}\n" if isinstance(node, (tree.Nothing, tree.Truth, tree.Unary)) else text

    def before_block(self, node: tree.Expression) -> str:
        """An expression that a block follows: its end must not take the block for its own."""
        text = self.text(node, OPEN, "{")
        return f"({text})" if text.startswith("{") else text

    def joined(self, nodes: list[tree.Expression]) -> str:
        return ", ".join(self.each(nodes, self.text))

    def each(self, nodes: list[Any], write: Function[[Any, int, str], str]) -> list[str]:
        """The parts of a list, of which all but the last have a comma behind."""
        return [write(node, OPEN, "," if node is not nodes[-1] else "") for node in nodes]

    def name_(self, node: tree.Name) -> str:
        return self.variable(node.name)

    def number(self, node: tree.Number) -> str:
        return node.text

    def big(self, node: tree.BigInt) -> str:
        return node.text + "n"

    def quoted(self, node: tree.Text) -> str:
        return f'"{node.inside}"'

    def truth(self, node: tree.Truth) -> str:
        return self.words["verum" if node.value else "falsum"]

    def nothing(self, _: tree.Nothing) -> str:
        return self.words["nihil"]

    def self_(self, _: tree.Self) -> str:
        return self.words["ego"]

    def template(self, node: tree.Template) -> str:
        return f"`{interpolated(node.inside, self.variable)}`"

    def regex(self, node: tree.Regex) -> str:
        return f'{self.words["sed"]} "{node.pattern}"' + (f" {self.name(node.flags)}" if node.flags else "")

    def spread(self, node: tree.Spread) -> str:
        return f"{self.words['sparge']} {self.text(node.value)}"

    def array(self, node: tree.Array) -> str:
        return f"[{self.joined(node.elements)}]"

    def object(self, node: tree.Object) -> str:
        return "{ " + ", ".join(self.each(node.properties, self.property)) + " }" if node.properties else "{}"

    def property(self, part: tree.Property | tree.Spread, at_least: int, following: str) -> str:
        if isinstance(part, tree.Spread):
            return self.text(part, at_least, following)
        key = f'"{part.key}"' if part.quoted else self.name(part.key)
        return f"{key}: {self.text(part.value, at_least, following)}"

    def binary(self, node: tree.Binary) -> str:
        level = binds(node)
        left, right = self.text(node.left, level, node.operator), self.text(node.right, level + 1)
        mixed = isinstance(node.left, tree.Binary) and node.left.operator != node.operator
        if mixed and level == binds(node.left) == OR:
            left = f"({left})"
        word = WORD_OF.get(node.operator)
        return f"{left} {self.words[word] if word else node.operator} {right}"

    def unary(self, node: tree.Unary) -> str:
        if node.operator in TESTS:
            self.unbracketed |= leading(node.value)  # `nihil (x)` is a call
        value = self.text(node.value, PREFIX)
        if node.operator in "-~":
            return node.operator + value
        return f"{self.words[WORD_OF.get(node.operator, node.operator)]} {value}"

    def assign(self, node: tree.Assign) -> str:
        return f"{self.text(node.target, CALL)} {node.operator} {self.text(node.value)}"

    def conditional(self, node: tree.Conditional) -> str:
        yes, no = self.text(node.yes), self.text(node.no, CHOICE)
        return f"{self.text(node.test, OR, 'sic')} {self.words['sic']} {yes} {self.words['secus']} {no}"

    def range(self, node: tree.Range) -> str:
        between = f" {self.words['usque']} " if node.inclusive else ".."
        stop = self.text(node.stop, SUM, "" if node.step is None else "per")
        text = f"{self.text(node.start, SUM, '..')}{between}{stop}"
        if node.step is not None:
            text += f" {self.words['per']} {self.text(node.step, SUM)}"
        return text

    def type_test(self, node: tree.TypeTest) -> str:
        words = ["non", "est"] if node.negated else ["est"]
        value = self.text(node.value, EQUAL, words[0])
        return f"{value} {' '.join(self.words[w] for w in words)} {self.type_name(node.target)}"

    def call(self, node: tree.Call) -> str:
        return f"{self.text(node.callee, CALL)}{node.mark}({self.joined(node.arguments)})"

    def member(self, node: tree.Member) -> str:
        return f"{self.text(node.object, CALL)}{node.mark}.{self.name(node.name)}"

    def index(self, node: tree.Index) -> str:
        return f"{self.text(node.object, CALL)}{node.mark}[{self.text(node.index)}]"

    def cede(self, node: tree.Cede) -> str:
        return f"{self.words['cede']} {self.text(node.value, PREFIX)}"

    def new(self, node: tree.New) -> str:
        text = f"{self.words['novum']} {self.variable(node.class_name)}"
        if node.arguments is not None:
            text += f"({self.joined(node.arguments)})"
        if node.fields is None:
            return text
        if node.from_value:
            return f"{text} {self.words['de']} {self.text(node.fields)}"
        return f"{text} {self.text(node.fields)}"

    def shape(self, node: tree.Shape) -> str:
        text = f"{self.words['finge']} {self.name(node.variant)}"
        if node.fields is not None:
            text += " " + self.text(node.fields)
        if node.union is not None:
            text += f" {self.words['qua']} {self.variable(node.union)}"
        return text

    def lambda_(self, node: tree.Lambda) -> str:
        text = self.words["fiet" if node.is_async else "pro"]
        if node.parameters:
            text += " " + ", ".join(map(self.variable, node.parameters))
        if node.returns is not None:
            text += f" -> {self.type_name(node.returns)}"
        if isinstance(node.body, tree.Block):
            return f"{text} {self.block(node.body)}"
        return f"{text}: {self.text(node.body)}"

    def cast(self, node: tree.Cast) -> str:
        return f"{self.converted(node.value)} {self.words['qua']} {self.type_name(node.target)}"

    def native(self, node: tree.Native) -> str:
        return f"{self.converted(node.value)} {self.words['innatum']} {self.type_name(node.target)}"

    def converted(self, node: tree.Expression) -> str:
        """What stands before a postfix word; one that ends in an operand of its own would take that word with it."""
        chains = isinstance(node, (tree.Cast, tree.Native)) or (
            isinstance(node, tree.Convert) and node.fallback is None
        )
        return self.text(node, POSTFIX if chains else CALL)

    def convert(self, node: tree.Convert) -> str:
        text = f"{self.converted(node.value)} {self.words[node.to]}"
        if node.target is not None:
            radix = f", {self.words[node.radix]}" if node.radix is not None else ""
            text += f"<{self.type_name(node.target)}{radix}>"
        if node.fallback is not None:
            text += f" {self.words['vel']} {self.text(node.fallback, PREFIX)}"
        return text

    def shift(self, node: tree.Shift) -> str:
        return f"{self.converted(node.value)} {self.words[node.direction]} {self.text(node.amount, PREFIX)}"

    def comptime(self, node: tree.Comptime) -> str:
        if isinstance(node.body, tree.Block):
            return f"{self.words['praefixum']} {self.block(node.body)}"
        return f"{self.words['praefixum']}({self.text(node.body)})"

    def format(self, node: tree.Format) -> str:
        return f"{self.words['scriptum']}({self.joined([node.pattern, *node.arguments])})"

    def read(self, node: tree.Read) -> str:
        return self.words["lege"] + (" " + self.words["lineam"] if node.line else "")

    def steps(self, steps: list[tree.Step]) -> str:
        return ", ".join(self.each(steps, self.step))

    def step(self, step: tree.Step, at_least: int, following: str) -> str:
        verb = self.words[step.verb]
        return verb if step.count is None else f"{verb} {self.text(step.count, at_least, following)}"

    def stepped(self, source: tree.Expression, steps: list[tree.Step]) -> str:
        """What a pipeline or a loop runs over."""
        return f"{self.text(source, OPEN, steps[0].verb)} {self.steps(steps)}" if steps else self.text(source)

    def pipeline(self, node: tree.Pipeline) -> str:
        return f"{self.words['ex']} {self.stepped(node.source, node.steps)}"

    def filter(self, node: tree.Filter) -> str:
        chosen = "" if node.property is None else self.name(node.property)
        comma = "," if node.steps else ""
        following = "non" if node.negated else "ubi" if node.condition else self.kind(chosen) if chosen else comma
        text = f"{self.words['ab']} {self.text(node.source, OPEN, following)}"
        if node.negated:
            text += " " + self.words["non"]
        if chosen:
            text += " " + chosen
        elif node.condition is not None:
            text += f" {self.words['ubi']} {self.text(node.condition, OPEN, comma)}"
        return f"{text}, {self.steps(node.steps)}" if node.steps else text


PHRASE: dict[type[tree.Expression], Function[[Phrases, Any], str]] = {
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
