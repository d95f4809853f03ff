"""Declarations in the words of a dialect."""

from __future__ import annotations

from itertools import pairwise

from faber import tree
from faber.print.brackets import OPEN
from faber.print.layout import print_block, print_members, print_short
from faber.print.printer import Printer, Statements


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
        "_" if i.skip else (printer.words["ceteri"] + " ") * i.rest + printer.variable(i.name)
        for i in node.items
    )
    value = f" = {printer.text(node.value)}" if node.value is not None else ""
    return f"{printer.words[node.keyword]} [{names}]{value}"


def print_destructure(printer: Printer, node: tree.Destructure) -> str:
    return (
        f"{printer.words['ex']} {printer.text(node.value)} {printer.words[node.keyword]} "
        f"{print_items(printer, node.items)}"
    )


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
        [prae + printer.name(t) for t in node.type_parameters]
        + printer.each(node.parameters, print_parameter)
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


def print_head(printer: Printer, word: str, node: tree.Union | tree.Class | tree.Contract) -> str:
    names = ", ".join(map(printer.name, node.type_parameters))
    return f"{printer.words[word]} {printer.variable(node.name)}" + (f"<{names}>" if names else "")


def print_enum(printer: Printer, node: tree.Enum) -> str:
    head = f"{printer.words['ordo']} {printer.variable(node.name)}"
    return print_short(printer, head, node.members, node.end, print_enum_member)


def print_enum_member(printer: Printer, node: tree.EnumMember) -> str:
    value = f" = {'-' * node.negative}{printer.text(node.value)}" if node.value is not None else ""
    return printer.name(node.name) + value


def print_union(printer: Printer, node: tree.Union) -> str:
    head = print_head(printer, "discretio", node)
    return print_short(printer, head, node.variants, node.end, print_variant)


def print_variant(printer: Printer, node: tree.Variant) -> str:
    fields_ = ", ".join(f"{printer.type_name(f.declared)} {printer.name(f.name)}" for f in node.fields)
    return printer.name(node.name) + (f" {{ {fields_} }}" if fields_ else "")


def print_class(printer: Printer, node: tree.Class) -> str:
    text = print_head(printer, "genus", node)
    if node.parent is not None:
        text += f" {printer.words['sub']} {printer.variable(node.parent)}"
    if node.contracts:
        text += f" {printer.words['implet']} {', '.join(map(printer.variable, node.contracts))}"
    following = {id(member): after for member, after in pairwise(node.members)}

    def write_member(printer: Printer, member: tree.Field | tree.Function) -> str:
        if isinstance(member, tree.Function):
            return print_method(printer, member)
        after = following.get(id(member))
        if isinstance(after, tree.Field) and not after.annotations:
            return print_field(printer, member, "\n" + printer.kind(print_declared(printer, after)))
        return print_field(printer, member)

    return f"{text} {print_members(printer, node.members, node.end, write_member)}"


def print_declared(printer: Printer, node: tree.Field) -> str:
    marks = (printer.words["generis"] + " ") * node.is_static + (
        printer.words["nexum"] + " "
    ) * node.is_reactive
    return f"{marks}{printer.type_name(node.declared)} {printer.name(node.name)}"


def print_field(printer: Printer, node: tree.Field, following: str = "") -> str:
    declared = print_declared(printer, node)
    opening = "\n" + printer.kind(declared)
    head = [f"{printer.annotation(a, opening)}\n{printer.indent()}" for a in node.annotations]
    value = f": {printer.text(node.value, OPEN, following)}" if node.value is not None else ""
    return "".join(head) + declared + value


def print_contract(printer: Printer, node: tree.Contract) -> str:
    head = print_head(printer, "pactum", node)
    return f"{head} {print_members(printer, node.methods, node.end, print_method)}"


DECLARATIONS: Statements = {
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
