"""Declarations in the words of a dialect."""

from __future__ import annotations

from collections.abc import Callable as Function
from itertools import zip_longest
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.print.brackets import OPEN
from probatio.languages.faber.print.layout import one_line, print_block, print_members
from probatio.languages.faber.print.printer import Printer


def print_import(printer: Printer, node: tree.Import) -> str:
    module = f'"{node.module}"' if node.module_is_text else printer.name(node.module)
    text = f"{printer.words['ex']} {module} {printer.words['importa']} "
    if node.items is None:
        return text + "*" + (f" {printer.words['ut']} {printer.variable(node.alias)}" if node.alias else "")
    return text + print_items(printer, node.items)


def print_items(printer: Printer, items: list[tree.Item]) -> str:
    return ", ".join(print_item(printer, item) for item in items)


def print_item(printer: Printer, item: tree.Item) -> str:
    name, local = printer.name(item.name), printer.variable(item.local)
    if item.rest:
        name = f"{printer.words['ceteri']} {local if item.name == item.local else name}"
    elif item.name == item.local and local != name:
        return f"{name} {printer.words['ut']} {local}"
    return name if item.name == item.local else f"{name} {printer.words['ut']} {local}"


def print_variable(printer: Printer, node: tree.Variable) -> str:
    declared = printer.type_name(node.declared) + " " if node.declared is not None else ""
    value = f" = {printer.text(node.value)}" if node.value is not None else ""
    return f"{printer.words[node.keyword]} {declared}{printer.variable(node.name)}{value}"


def print_list_pattern(printer: Printer, node: tree.ListPattern) -> str:
    names = ", ".join(
        "_" if i.skip else (printer.words["ceteri"] + " ") * i.rest + printer.variable(i.name) for i in node.items
    )
    value = f" = {printer.text(node.value)}" if node.value is not None else ""
    return f"{printer.words[node.keyword]} [{names}]{value}"


def print_destructure(printer: Printer, node: tree.Destructure) -> str:
    return f"{printer.words['ex']} {printer.text(node.value)} {printer.words[node.keyword]} {print_items(printer, node.items)}"


def print_parameter(printer: Printer, p: tree.Parameter, at_least: int, following: str) -> str:
    parts = [printer.words[p.preposition]] if p.preposition is not None else []
    parts += [printer.words["si"]] * p.optional + [printer.words["ceteri"]] * p.rest
    if p.declared is not None:
        parts.append(printer.type_name(p.declared))
    parts.append(printer.name(p.name) if p.alias is not None else printer.variable(p.name))
    if p.alias is not None:
        parts += [printer.words["ut"], printer.variable(p.alias)]
    if p.default is not None:
        parts += [printer.words["vel"], printer.text(p.default, at_least, following)]
    return " ".join(parts)


def print_signature(printer: Printer, node: tree.Function, name: str) -> str:
    prae = f"{printer.words['prae']} {printer.words['typus']} "
    inside = ", ".join(
        [prae + printer.name(t) for t in node.type_parameters] + printer.each(node.parameters, print_parameter)
    )
    text = f"{printer.words['functio']} {name}({inside})"
    if node.curator is not None:
        text += f" {printer.words['curata']} {printer.name(node.curator)}"
    if node.verb is not None and node.returns is not None:
        text += f" {printer.words.get(node.verb, node.verb)} {printer.type_name(node.returns)}"
    return text


def print_function(printer: Printer, node: tree.Function) -> str:
    text = print_signature(printer, node, printer.variable(node.name))
    return f"{text} {print_block(printer, node.body)}" if node.body is not None else text


def print_method(printer: Printer, node: tree.Function) -> str:
    text = (printer.words["generis"] + " ") * node.marked_static + print_signature(
        printer, node, printer.name(node.name)
    )
    text = f"{text} {print_block(printer, node.body)}" if node.body is not None else text
    return "".join(f"{printer.annotation(a)}\n{printer.indent()}" for a in node.annotations) + text


def print_alias(printer: Printer, node: tree.Alias) -> str:
    target = (
        f"{printer.words['typus']} {printer.variable(node.type_of or '')}"
        if node.target is None
        else printer.type_name(node.target)
    )
    return f"{printer.words['typus']} {printer.variable(node.name)} = {target}"


def print_generics(printer: Printer, names: list[str]) -> str:
    return f"<{', '.join(map(printer.name, names))}>" if names else ""


def print_enum(printer: Printer, node: tree.Enum) -> str:
    head = f"{printer.words['ordo']} {printer.variable(node.name)}"
    parts = [print_enum_member(printer, m) for m in node.members]
    return one_line(printer, head, parts, node) or f"{head} {print_members(printer, node.members, node.end)}"


def print_enum_member(printer: Printer, node: tree.EnumMember) -> str:
    value = f" = {'-' * node.negative}{printer.text(node.value)}" if node.value is not None else ""
    return printer.name(node.name) + value


def print_union(printer: Printer, node: tree.Union) -> str:
    head = f"{printer.words['discretio']} {printer.variable(node.name)}{print_generics(printer, node.type_parameters)}"
    parts = [print_variant(printer, v) for v in node.variants]
    return one_line(printer, head, parts, node) or f"{head} {print_members(printer, node.variants, node.end)}"


def print_variant(printer: Printer, node: tree.Variant) -> str:
    fields_ = ", ".join(f"{printer.type_name(f.declared)} {printer.name(f.name)}" for f in node.fields)
    return printer.name(node.name) + (f" {{ {fields_} }}" if fields_ else "")


def print_class(printer: Printer, node: tree.Class) -> str:
    text = f"{printer.words['genus']} {printer.variable(node.name)}{print_generics(printer, node.type_parameters)}"
    if node.parent is not None:
        text += f" {printer.words['sub']} {printer.variable(node.parent)}"
    if node.contracts:
        text += f" {printer.words['implet']} {', '.join(map(printer.variable, node.contracts))}"
    members = [Member(m, n) for m, n in zip_longest(node.members, node.members[1:])]
    return f"{text} {print_members(printer, members, node.end)}"


def print_class_member(printer: Printer, node: Member) -> str:
    if isinstance(node.inner, tree.Function):
        return print_method(printer, node.inner)
    after = node.following
    if isinstance(after, tree.Field) and not after.annotations:
        return print_field(printer, node.inner, "\n" + printer.kind(declared_field(printer, after)))
    return print_field(printer, node.inner)


def declared_field(printer: Printer, node: tree.Field) -> str:
    marks = (printer.words["generis"] + " ") * node.is_static + (printer.words["nexum"] + " ") * node.is_reactive
    return f"{marks}{printer.type_name(node.declared)} {printer.name(node.name)}"


def print_field(printer: Printer, node: tree.Field, following: str = "") -> str:
    declared = declared_field(printer, node)
    opening = "\n" + printer.kind(declared)
    head = [f"{printer.annotation(a, opening)}\n{printer.indent()}" for a in node.annotations]
    value = f": {printer.text(node.value, OPEN, following)}" if node.value is not None else ""
    return "".join(head) + declared + value


def print_contract(printer: Printer, node: tree.Contract) -> str:
    head = f"{printer.words['pactum']} {printer.variable(node.name)}{print_generics(printer, node.type_parameters)}"
    return f"{head} {print_members(printer, [Member(m) for m in node.methods], node.end)}"


class Member:
    """A member of a class or contract: printed with its own words, not as a statement."""

    __slots__ = ("annotations", "at", "end", "following", "inner")

    def __init__(self, inner: tree.Field | tree.Function, following: tree.Field | tree.Function | None = None) -> None:
        self.inner = inner
        self.following = following
        self.at, self.end = inner.at, inner.end
        self.annotations: list[tree.Annotation] = []


DECLARATIONS: dict[type[Any], Function[[Printer, Any], str]] = {
    Member: print_class_member,
    tree.EnumMember: print_enum_member,
    tree.Variant: print_variant,
    tree.Import: print_import,
    tree.Variable: print_variable,
    tree.ListPattern: print_list_pattern,
    tree.Destructure: print_destructure,
    tree.Function: print_function,
    tree.Alias: print_alias,
    tree.Enum: print_enum,
    tree.Class: print_class,
    tree.Contract: print_contract,
    tree.Union: print_union,
}
