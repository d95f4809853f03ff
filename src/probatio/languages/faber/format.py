"""Formatting and conversion: a tree printed in one canonical way, in the words of any dialect, with its comments."""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.dialects import ESCAPE, Dialect
from probatio.languages.faber.edges import OPEN, leading
from probatio.languages.faber.layout import ONE_LINE, Layout
from probatio.languages.faber.parser import STATEMENTS
from probatio.languages.faber.statements import BINDING, RESOURCES
from probatio.languages.faber.vocabulary import NOT_READABLE

STARTS = frozenset(STATEMENTS) | {"reddit"}
READ_OTHERWISE = NOT_READABLE | {"verum", "falsum", "nihil", "ego", "lege"}


def show(
    program: tree.Program, source: str, comments: list[tuple[int, int]], dialect: Dialect, foreign: bool, separate: bool
) -> tuple[str, dict[str, str]]:
    """The program as text, and which names had to change.

    `foreign` says that it was written in another dialect; `separate` puts a semicolon after every statement.
    """
    bindings = unreadable(program) if foreign and not dialect.escapes else {}
    printer = Printer(dialect, bindings, source, comments, separate)
    text = "\n".join(printer.sequence(program.body, len(source) + 1, separators=True))
    return (text + "\n" if text else ""), printer.renamed


def unreadable(program: tree.Program) -> dict[str, str]:
    """Names of another dialect's program that Latin could declare but not read back, with the names they get."""
    found: dict[str, str] = {}
    stack: list[Any] = [program]
    while stack:
        node = stack.pop()
        if isinstance(node, (list, tuple)):
            stack.extend(node)
        elif is_dataclass(node):
            if isinstance(node, tree.Name) and node.name in READ_OTHERWISE:
                found[node.name] = ESCAPE + node.name
            stack.extend(getattr(node, f.name) for f in fields(node) if f.name != "type")
    return found


class Printer(Layout):
    def body(self, block: tree.Block) -> str:
        if block.form == "block" or len(block.body) != 1:
            return self.block(block)
        inner = block.body[0]
        if block.form == "reddit" and isinstance(inner, tree.Return) and inner.value is not None:
            return f"{self.words['reddit']} {self.text(inner.value)}"
        text = self.statement(inner)
        return text if block.form == "bare" else f"{self.words['ergo']} {text}"

    def catch(self, node: tree.Catch | None) -> str:
        return "" if node is None else f" {self.words['cape']} {self.variable(node.name)} {self.block(node.body)}"

    def statement(self, node: Any) -> str:
        text = SHOW[type(node)](self, node)
        annotations = getattr(node, "annotations", None)
        if annotations:
            head = [self.annotation(a) for a in annotations]
            text = f"\n{self.indent()}".join([*head, text])
        return text

    def annotation(self, node: tree.Annotation, following: str = "") -> str:
        text = f"@ {self.dialect.write_annotation(node.name)}"
        for argument in node.arguments:
            raw = node.name in ("innatum", "subsidia", "radix", "verte") and isinstance(argument, tree.Text)
            self.unbracketed |= leading(argument)  # a bracket after an annotation's name is no argument of it
            text += " " + (argument.inside if raw else self.text(argument, OPEN, following))  # type: ignore[attr-defined]
        return text

    # Declarations.

    def import_(self, node: tree.Import) -> str:
        module = f'"{node.module}"' if node.module_is_text else self.name(node.module)
        text = f"{self.words['ex']} {module} {self.words['importa']} "
        if node.items is None:
            return text + "*" + (f" {self.words['ut']} {self.variable(node.alias)}" if node.alias else "")
        return text + self.items(node.items)

    def items(self, items: list[tree.Item]) -> str:
        return ", ".join(map(self.item, items))

    def item(self, item: tree.Item) -> str:
        name, local = self.name(item.name), self.variable(item.local)
        if item.rest:
            name = f"{self.words['ceteri']} {local if item.name == item.local else name}"
        elif item.name == item.local and local != name:
            return f"{name} {self.words['ut']} {local}"
        return name if item.name == item.local else f"{name} {self.words['ut']} {local}"

    def variable_(self, node: tree.Variable) -> str:
        declared = self.type_name(node.declared) + " " if node.declared is not None else ""
        value = f" = {self.text(node.value)}" if node.value is not None else ""
        return f"{self.words[node.keyword]} {declared}{self.variable(node.name)}{value}"

    def list_pattern(self, node: tree.ListPattern) -> str:
        names = ", ".join(
            "_" if i.skip else (self.words["ceteri"] + " ") * i.rest + self.variable(i.name) for i in node.items
        )
        value = f" = {self.text(node.value)}" if node.value is not None else ""
        return f"{self.words[node.keyword]} [{names}]{value}"

    def destructure(self, node: tree.Destructure) -> str:
        return f"{self.words['ex']} {self.text(node.value)} {self.words[node.keyword]} {self.items(node.items)}"

    def parameter(self, p: tree.Parameter, at_least: int, following: str) -> str:
        parts = [self.words[p.preposition]] if p.preposition is not None else []
        parts += [self.words["si"]] * p.optional + [self.words["ceteri"]] * p.rest
        if p.declared is not None:
            parts.append(self.type_name(p.declared))
        parts.append(self.name(p.name) if p.alias is not None else self.variable(p.name))
        if p.alias is not None:
            parts += [self.words["ut"], self.variable(p.alias)]
        if p.default is not None:
            parts += [self.words["vel"], self.text(p.default, at_least, following)]
        return " ".join(parts)

    def signature(self, node: tree.Function, name: str) -> str:
        prae = f"{self.words['prae']} {self.words['typus']} "
        inside = ", ".join(
            [prae + self.name(t) for t in node.type_parameters] + self.each(node.parameters, self.parameter)
        )
        text = f"{self.words['functio']} {name}({inside})"
        if node.curator is not None:
            text += f" {self.words['curata']} {self.name(node.curator)}"
        if node.verb is not None and node.returns is not None:
            text += f" {self.words.get(node.verb, node.verb)} {self.type_name(node.returns)}"
        return text

    def function(self, node: tree.Function) -> str:
        text = self.signature(node, self.variable(node.name))
        return f"{text} {self.block(node.body)}" if node.body is not None else text

    def method(self, node: tree.Function) -> str:
        text = (self.words["generis"] + " ") * node.marked_static + self.signature(node, self.name(node.name))
        text = f"{text} {self.block(node.body)}" if node.body is not None else text
        return "".join(f"{self.annotation(a)}\n{self.indent()}" for a in node.annotations) + text

    def alias(self, node: tree.Alias) -> str:
        target = (
            f"{self.words['typus']} {self.variable(node.type_of or '')}"
            if node.target is None
            else self.type_name(node.target)
        )
        return f"{self.words['typus']} {self.variable(node.name)} = {target}"

    def generics(self, names: list[str]) -> str:
        return f"<{', '.join(map(self.name, names))}>" if names else ""

    def short(self, head: str, parts: list[str], node: tree.Statement) -> str | None:
        text = f"{head} {{ {', '.join(parts)} }}" if parts else f"{head} {{}}"
        pending = self.next_comment < len(self.comments) and self.comments[self.next_comment][0] < node.end
        return text if len(text) <= ONE_LINE and not pending else None

    def enum(self, node: tree.Enum) -> str:
        head = f"{self.words['ordo']} {self.variable(node.name)}"
        parts = [self.enum_member(m) for m in node.members]
        return self.short(head, parts, node) or f"{head} {self.members(node.members, node.end)}"

    def enum_member(self, node: tree.EnumMember) -> str:
        value = f" = {'-' * node.negative}{self.text(node.value)}" if node.value is not None else ""
        return self.name(node.name) + value

    def union(self, node: tree.Union) -> str:
        head = f"{self.words['discretio']} {self.variable(node.name)}{self.generics(node.type_parameters)}"
        parts = [self.variant(v) for v in node.variants]
        return self.short(head, parts, node) or f"{head} {self.members(node.variants, node.end)}"

    def variant(self, node: tree.Variant) -> str:
        fields_ = ", ".join(f"{self.type_name(f.declared)} {self.name(f.name)}" for f in node.fields)
        return self.name(node.name) + (f" {{ {fields_} }}" if fields_ else "")

    def class_(self, node: tree.Class) -> str:
        text = f"{self.words['genus']} {self.variable(node.name)}{self.generics(node.type_parameters)}"
        if node.parent is not None:
            text += f" {self.words['sub']} {self.variable(node.parent)}"
        if node.contracts:
            text += f" {self.words['implet']} {', '.join(map(self.variable, node.contracts))}"
        members = [Member(m, n) for m, n in zip_longest(node.members, node.members[1:])]
        return f"{text} {self.members(members, node.end)}"

    def member_(self, node: Member) -> str:
        if isinstance(node.inner, tree.Function):
            return self.method(node.inner)
        after = node.following
        if isinstance(after, tree.Field) and not after.annotations:
            return self.field(node.inner, "\n" + self.kind(self.declared(after)))
        return self.field(node.inner)

    def declared(self, node: tree.Field) -> str:
        marks = (self.words["generis"] + " ") * node.is_static + (self.words["nexum"] + " ") * node.is_reactive
        return f"{marks}{self.type_name(node.declared)} {self.name(node.name)}"

    def field(self, node: tree.Field, following: str = "") -> str:
        declared = self.declared(node)
        opening = "\n" + self.kind(declared)
        head = [f"{self.annotation(a, opening)}\n{self.indent()}" for a in node.annotations]
        value = f": {self.text(node.value, OPEN, following)}" if node.value is not None else ""
        return "".join(head) + declared + value

    def contract(self, node: tree.Contract) -> str:
        head = f"{self.words['pactum']} {self.variable(node.name)}{self.generics(node.type_parameters)}"
        return f"{head} {self.members([Member(m) for m in node.methods], node.end)}"

    # Control flow.

    def if_(self, node: tree.If, word: str = "si") -> str:
        text = f"{self.words[word]} {self.before_block(node.test)} {self.body(node.yes)}{self.catch(node.catch)}"
        if isinstance(node.no, tree.If):
            return f"{text} {self.if_(node.no, 'sin')}"
        return text if node.no is None else f"{text} {self.words['secus']} {self.body(node.no)}"

    def while_(self, node: tree.While) -> str:
        return f"{self.words['dum']} {self.before_block(node.test)} {self.body(node.body)}{self.catch(node.catch)}"

    def loop(self, node: tree.Loop) -> str:
        verb = self.words["fiet" if node.is_async else "pro"]
        head = f"{self.words[node.over]} {self.stepped(node.source, node.steps)} {verb} {self.variable(node.name)}"
        return f"{head} {self.body(node.body)}{self.catch(node.catch)}"

    def with_(self, node: tree.With) -> str:
        return f"{self.words['in']} {self.before_block(node.object)} {self.block(node.body)}"

    def cases(self, nodes: list[Any], default: tree.Block | None, end: int) -> str:
        rows = [*nodes, *([Default(default)] if default is not None else [])]
        return self.members(rows, end)

    def switch(self, node: tree.Switch) -> str:
        end = node.catch.at if node.catch is not None else node.end
        cases = self.cases(node.cases, node.default, end)
        return f"{self.words['elige']} {self.before_block(node.value)} {cases}{self.catch(node.catch)}"

    def case(self, node: tree.Case) -> str:
        return f"{self.words['casu']} {self.before_block(node.test)} {self.body(node.body)}"

    def default(self, node: Default) -> str:
        return f"{self.words['ceterum']} {self.body(node.block)}"

    def match(self, node: tree.Match) -> str:
        values = [*(self.text(v, OPEN, ",") for v in node.values[:-1]), self.before_block(node.values[-1])]
        return f"{self.words['discerne']} {', '.join(values)} {self.cases(node.cases, node.default, node.end)}"

    def match_case(self, node: tree.MatchCase) -> str:
        return f"{self.words['casu']} {', '.join(map(self.pattern, node.patterns))} {self.body(node.body)}"

    def pattern(self, node: tree.Pattern) -> str:
        if node.wildcard:
            return "_"
        text = self.name(node.variant)
        if node.alias is not None:
            return f"{text} {self.words['ut']} {self.variable(node.alias)}"
        return f"{text} {self.words['pro']} {', '.join(map(self.variable, node.bindings))}" if node.bindings else text

    def guard(self, node: tree.Guard) -> str:
        return f"{self.words['custodi']} {self.members([Clause(c) for c in node.clauses], node.end)}"

    def clause(self, node: Clause) -> str:
        return f"{self.words['si']} {self.before_block(node.case.test)} {self.body(node.case.body)}"

    def assert_(self, node: tree.Assert) -> str:
        parts = [node.test] if node.message is None else [node.test, node.message]
        return f"{self.words['adfirma']} {self.joined(parts)}"

    def return_(self, node: tree.Return) -> str:
        return self.words["redde"] + (f" {self.text(node.value)}" if node.value is not None else "")

    def break_(self, _: tree.Break) -> str:
        return self.words["rumpe"]

    def continue_(self, _: tree.Continue) -> str:
        return self.words["perge"]

    def throw(self, node: tree.Throw) -> str:
        return f"{self.words['mori' if node.fatal else 'iace']} {self.text(node.value)}"

    def print_(self, node: tree.Print) -> str:
        return f"{self.words[node.keyword]} {self.joined(node.arguments)}"

    def try_(self, node: tree.Try) -> str:
        always = f" {self.words['demum']} {self.block(node.always)}" if node.always is not None else ""
        return f"{self.words['tempta']} {self.block(node.body)}{self.catch(node.catch)}{always}"

    def do(self, node: tree.Do) -> str:
        test = f" {self.words['dum']} {self.text(node.test)}" if node.test is not None else ""
        return f"{self.words['fac']} {self.block(node.body)}{self.catch(node.catch)}{test}"

    def manage(self, node: tree.Manage) -> str:
        text = self.words["cura"]
        if node.kind is not None:
            text += " " + self.words[node.kind]
        if node.resource is not None:
            resource = self.before_block(node.resource)
            taken = BINDING if node.kind is not None else BINDING | RESOURCES
            text += f" ({resource})" if self.kind(resource) in taken else f" {resource}"
        if node.name is not None:
            declared = self.type_name(node.declared) + " " if node.declared is not None else ""
            text += f" {self.words['fiet' if node.is_async else 'pro']} {declared}{self.variable(node.name)}"
        return f"{text} {self.block(node.body)}{self.catch(node.catch)}"

    def dispatch(self, node: tree.Dispatch) -> str:
        text = f'{self.words["ad"]} "{node.target}" ({self.joined(node.arguments)})'
        if node.name is not None:
            text += f" {self.words[node.verb]}" if node.verb is not None else ""
            text += f" {self.type_name(node.declared)}" if node.declared is not None else ""
            text += f" {self.words['pro']} {self.variable(node.name)}"
            text += f" {self.words['ut']} {self.variable(node.alias)}" if node.alias is not None else ""
        if node.body is not None:
            text += " " + self.block(node.body)
        return text + self.catch(node.catch)

    def entry(self, node: tree.Entry) -> str:
        return f"{self.words['incipiet' if node.is_async else 'incipit']} {self.body(node.body)}"

    def suite(self, node: tree.Suite) -> str:
        return f'{self.words["probandum"]} "{node.name}" {self.members(node.body, node.end)}'

    def test(self, node: tree.Test) -> str:
        modifier = f'{self.words[node.modifier]} "{node.reason}" ' if node.modifier is not None else ""
        return f'{self.words["proba"]} {modifier}"{node.name}" {self.block(node.body)}'

    def setup(self, node: tree.Setup) -> str:
        return f"{self.words[node.keyword]} {(self.words['omnia'] + ' ') * node.all}{self.block(node.body)}"

    def expression_statement(self, node: tree.ExpressionStatement) -> str:
        text = self.text(node.value)
        # What starts like another kind of statement, or like the body of a branch, would be read as one.
        return f"({text})" if text.startswith("{") or self.kind(text) in STARTS else text


class Member:
    """A member of a class or contract: printed with its own words, not as a statement."""

    __slots__ = ("annotations", "at", "end", "following", "inner")

    def __init__(self, inner: tree.Field | tree.Function, following: tree.Field | tree.Function | None = None) -> None:
        self.inner = inner
        self.following = following
        self.at, self.end = inner.at, inner.end
        self.annotations: list[tree.Annotation] = []


class Default:
    """The last case of a choice."""

    __slots__ = ("at", "block", "end")

    def __init__(self, block: tree.Block) -> None:
        self.block = block
        self.at, self.end = block.at, block.end


class Clause:
    """One condition of a guard."""

    __slots__ = ("at", "case", "end")

    def __init__(self, case: tree.Case) -> None:
        self.case = case
        self.at, self.end = case.at, case.end


SHOW: dict[type[Any], Function[[Printer, Any], str]] = {
    Member: Printer.member_,
    Default: Printer.default,
    Clause: Printer.clause,
    tree.Case: Printer.case,
    tree.MatchCase: Printer.match_case,
    tree.EnumMember: Printer.enum_member,
    tree.Variant: Printer.variant,
    tree.Import: Printer.import_,
    tree.Variable: Printer.variable_,
    tree.ListPattern: Printer.list_pattern,
    tree.Destructure: Printer.destructure,
    tree.Function: Printer.function,
    tree.Alias: Printer.alias,
    tree.Enum: Printer.enum,
    tree.Class: Printer.class_,
    tree.Contract: Printer.contract,
    tree.Union: Printer.union,
    tree.If: Printer.if_,
    tree.While: Printer.while_,
    tree.Loop: Printer.loop,
    tree.With: Printer.with_,
    tree.Switch: Printer.switch,
    tree.Match: Printer.match,
    tree.Guard: Printer.guard,
    tree.Assert: Printer.assert_,
    tree.Return: Printer.return_,
    tree.Break: Printer.break_,
    tree.Continue: Printer.continue_,
    tree.Throw: Printer.throw,
    tree.Print: Printer.print_,
    tree.Try: Printer.try_,
    tree.Do: Printer.do,
    tree.Manage: Printer.manage,
    tree.Dispatch: Printer.dispatch,
    tree.Entry: Printer.entry,
    tree.Suite: Printer.suite,
    tree.Test: Printer.test,
    tree.Setup: Printer.setup,
    tree.Block: Printer.block,
    tree.ExpressionStatement: Printer.expression_statement,
}
