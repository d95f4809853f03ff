"""Declarations as TypeScript: variables, functions, types and classes."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.emit.emitter import Emitter
from probatio.languages.faber.emit.precedence import PREFIX
from probatio.languages.faber.emit.types import typescript_type
from probatio.languages.faber.vocabulary import CONSTRUCTOR

PROTOCOL = frozenset(("fit", "fiet", "fiunt", "fient"))
ABSTRACT = ("abstractum", "abstracta", "abstractus")
PUBLIC = ("publica", "publicum", "publicus")


def emit_import(emitter: Emitter, _: tree.Statement) -> str:
    return ""


def export_mark(emitter: Emitter, node: tree.Statement) -> str:
    return "export " if emitter.depth == 0 and any(node.has_annotation(word) for word in PUBLIC) else ""


def emit_variable(emitter: Emitter, node: tree.Variable) -> str:
    keyword = "const" if node.keyword in ("fixum", "figendum") else "let"
    declared = f": {typescript_type(node.declared)}" if node.declared is not None else ""
    if node.has_annotation("externa"):
        return emitter.line(f"declare {keyword} {node.name}{declared};")
    return emitter.line(
        f"{export_mark(emitter, node)}{keyword} {node.name}{declared}{initial_value(emitter, node.keyword, node.value)};"
    )


def initial_value(emitter: Emitter, keyword: str, value: tree.Expression | None) -> str:
    if value is None:
        return ""
    if keyword in ("figendum", "variandum"):
        return f" = await {emitter.text(value, PREFIX)}"
    return f" = {emitter.text(value)}"


def emit_list_pattern(emitter: Emitter, node: tree.ListPattern) -> str:
    keyword = "const" if node.keyword in ("fixum", "figendum") else "let"
    names = ", ".join("" if item.skip else "..." * item.rest + item.name for item in node.items)
    return emitter.line(f"{keyword} [{names}]{initial_value(emitter, node.keyword, node.value)};")


def emit_destructure(emitter: Emitter, node: tree.Destructure) -> str:
    keyword = "const" if node.keyword in ("fixum", "figendum") else "let"
    names = ", ".join(
        f"...{i.local}" if i.rest else i.name if i.name == i.local else f"{i.name}: {i.local}" for i in node.items
    )
    return emitter.line(f"{keyword} {{ {names} }}{initial_value(emitter, node.keyword, node.value)};")


def emit_parameters(emitter: Emitter, node: tree.Function) -> str:
    parts = []
    for p in node.parameters:
        name = p.alias or p.name
        optional = "?" if p.optional and p.default is None and not p.rest else ""
        default = f" = {emitter.text(p.default)}" if p.default is not None else ""
        parts.append(f"{'...' * p.rest}{name}{optional}: {typescript_type(p.declared)}{default}")
    return ", ".join(parts)


def return_type(node: tree.Function) -> str:
    if node.returns is None:
        return ""
    text = typescript_type(node.returns)
    if node.is_generator:
        text = f"{'Async' * node.is_async}Generator<{text}>"
    elif node.is_async:
        text = f"Promise<{text}>"
    return f": {text}"


def emit_function(emitter: Emitter, node: tree.Function) -> str:
    types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
    signature = f"{node.name}{types}({emit_parameters(emitter, node)}){return_type(node)}"
    if node.body is None:
        return emitter.line(f"declare function {signature};")
    outside = (emitter.protocol, emitter.guarded, emitter.yields, emitter.inside)
    emitter.inside = True
    emitter.protocol = node.verb if emitter.depth == 0 and node.verb in PROTOCOL else None
    emitter.guarded, emitter.yields = 0, node.is_generator
    tail = (
        ('throw new Error("EPROTO: No terminal response");',)
        if emitter.protocol in ("fit", "fiet") and can_end(node.body)
        else ()
    )
    body = emitter.block(node.body, tail=tail)
    emitter.protocol, emitter.guarded, emitter.yields, emitter.inside = outside
    return emitter.line(
        f"{export_mark(emitter, node)}{'async ' * node.is_async}function{'*' * node.is_generator} {signature} {body}"
    )


def emit_method(emitter: Emitter, node: tree.Function) -> str:
    signature = f"{node.name}({emit_parameters(emitter, node)}){return_type(node)}"
    if node.body is None:
        return emitter.line(f"abstract {signature};")
    outside = (emitter.protocol, emitter.guarded, emitter.yields, emitter.inside)
    emitter.protocol, emitter.guarded, emitter.yields, emitter.inside = None, 0, node.is_generator, True
    body = emitter.block(node.body)
    emitter.protocol, emitter.guarded, emitter.yields, emitter.inside = outside
    static = "static " if node.has_annotation("generis") else ""
    return emitter.line(f"{static}{'async ' * node.is_async}{'*' * node.is_generator}{signature} {body}")


def emit_alias(emitter: Emitter, node: tree.Alias) -> str:
    target = f"typeof {node.type_of}" if node.target is None else typescript_type(node.target)
    return emitter.line(f"{export_mark(emitter, node)}type {node.name} = {target};")


def emit_enum(emitter: Emitter, node: tree.Enum) -> str:
    members = []
    for m in node.members:
        value = "" if m.value is None else f" = {'-' * m.negative}{emitter.text(m.value)}"
        members.append(f"{m.name}{value}")
    return emitter.line(f"{export_mark(emitter, node)}enum {node.name} {{ {', '.join(members)} }}")


def emit_union(emitter: Emitter, node: tree.Union) -> str:
    types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
    variants = []
    for v in node.variants:
        fields = "".join(f"; {f.name}: {typescript_type(f.declared)}" for f in v.fields)
        variants.append(f'{{ tag: "{v.name}"{fields} }}')
    return emitter.line(f"{export_mark(emitter, node)}type {node.name}{types} = {' | '.join(variants) or 'never'};")


def emit_contract(emitter: Emitter, node: tree.Contract) -> str:
    types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
    emitter.depth += 1
    lines = [
        emitter.line(f"{m.name}({emit_parameters(emitter, m)}){return_type(m) or ': void'};") for m in node.methods
    ]
    emitter.depth -= 1
    body = "{\n" + "\n".join(lines) + f"\n{emitter.indent()}}}" if lines else "{}"
    return emitter.line(f"{export_mark(emitter, node)}interface {node.name}{types} {body}")


def emit_class(emitter: Emitter, node: tree.Class) -> str:
    types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
    parent = f" extends {node.parent}" if node.parent else ""
    # `implements` would name contracts that need not exist.
    abstract = "abstract " * any(node.has_annotation(word) for word in ABSTRACT)
    head = f"{export_mark(emitter, node)}{abstract}class {node.name}{types}{parent}"
    emitter.depth += 1
    outside, emitter.inside = emitter.inside, True
    fields = [m for m in node.members if isinstance(m, tree.Field)]
    lines = [emit_field(emitter, f) for f in fields]
    lines.append(emit_constructor(emitter, node, [f for f in fields if not is_static(f)]))
    constructors = [m for m in node.members if isinstance(m, tree.Function) and m.name == CONSTRUCTOR]
    methods = [m for m in node.members if isinstance(m, tree.Function) and m.name != CONSTRUCTOR]
    lines += [emit_method(emitter, m) for m in [*constructors[-1:], *methods]]
    emitter.inside = outside
    emitter.depth -= 1
    return f"{emitter.line(head)} {{\n" + "\n".join(line for line in lines if line) + f"\n{emitter.indent()}}}"


def emit_field(emitter: Emitter, node: tree.Field) -> str:
    value = f" = {emitter.text(node.value)}" if node.value is not None else ""
    type_ = typescript_type(node.declared)
    if node.is_reactive:
        return (
            emitter.line(f"#{node.name}: {type_}{value};")
            + "\n"
            + "\n".join(
                emitter.line(text)
                for text in (
                    f"get {node.name}(): {type_} {{ return this.#{node.name}; }}",
                    f"set {node.name}(value: {type_}) {{ this.#{node.name} = value; }}",
                )
            )
        )
    mark = "" if node.value is not None or is_static(node) else "!"
    return emitter.line(f"{'static ' * is_static(node)}{node.name}{mark}: {type_}{value};")


def emit_constructor(emitter: Emitter, node: tree.Class, fields: list[tree.Field]) -> str:
    """Takes the given fields over the defaults, then runs `creo` once the whole object stands."""
    known_parent = node.parent is not None
    built = inherited_constructor(emitter, node)
    if not fields and not known_parent and built is None:
        return ""
    rest = ", ...rest: any[]" if built is not None else ""
    lines = (
        [f"super(given{', ...rest' if emitter.classes.get(node.parent or '') and built is not None else ''});"]
        if known_parent
        else []
    )
    lines += [f"if (given.{f.name} !== undefined) this.{f.name} = given.{f.name};" for f in fields]
    if built is not None:
        call = f"(this as any).{CONSTRUCTOR}(...rest);"
        lines.append(f"if (new.target === {node.name}) {call}" if is_extended(emitter, node) else call)
    emitter.depth += 1
    body = "\n".join(emitter.line(text) for text in lines)
    emitter.depth -= 1
    return emitter.line(f"constructor(given: any = {{}}{rest}) {{\n{body}\n{emitter.indent()}}}")


def inherited_constructor(emitter: Emitter, node: tree.Class) -> tree.Function | None:
    """The `creo` that runs for this class: its own or an inherited one."""
    seen = set()
    current: tree.Class | None = node
    while current is not None and current.name not in seen:
        seen.add(current.name)
        for member in reversed(current.members):
            if isinstance(member, tree.Function) and member.name == CONSTRUCTOR:
                return member
        current = emitter.classes.get(current.parent or "")
    return None


def is_extended(emitter: Emitter, node: tree.Class) -> bool:
    return any(other.parent == node.name for other in emitter.classes.values())


def is_static(node: tree.Field) -> bool:
    return node.is_static or node.has_annotation("generis")


def can_end(block: tree.Block) -> bool:
    """May the block be run through to its end?"""
    return not block.body or not isinstance(block.body[-1], (tree.Return, tree.Throw))


DECLARATIONS: dict[type[tree.Statement], Function[[Emitter, Any], str]] = {
    tree.Import: emit_import,
    tree.Variable: emit_variable,
    tree.ListPattern: emit_list_pattern,
    tree.Destructure: emit_destructure,
    tree.Function: emit_function,
    tree.Alias: emit_alias,
    tree.Enum: emit_enum,
    tree.Class: emit_class,
    tree.Contract: emit_contract,
    tree.Union: emit_union,
}
