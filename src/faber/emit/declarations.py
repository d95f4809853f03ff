"""Declarations as TypeScript: variables, functions, types and classes."""

from __future__ import annotations

from faber import tree
from faber.emit.emitter import PREFIX, Emitter, Statements, typescript_type
from faber.vocabulary import CONSTRUCTOR

KEYWORD = {"fixum": "const", "figendum": "const", "varia": "let", "variandum": "let"}
PROTOCOL = frozenset(("fit", "fiet", "fiunt", "fient"))
ABSTRACT = ("abstractum", "abstracta", "abstractus")
PUBLIC = ("publica", "publicum", "publicus")


def export_mark(emitter: Emitter, node: tree.Statement) -> str:
    return "export " if emitter.depth == 0 and any(node.has_annotation(word) for word in PUBLIC) else ""


def emit_variable(emitter: Emitter, node: tree.Variable) -> str:
    declared = f": {typescript_type(node.declared)}" if node.declared is not None else ""
    if node.has_annotation("externa"):
        return emitter.line(f"declare {KEYWORD[node.keyword]} {node.name}{declared};")
    return emitter.line(
        f"{export_mark(emitter, node)}{KEYWORD[node.keyword]} "
        f"{node.name}{declared}{initial_value(emitter, node)};"
    )


def initial_value(emitter: Emitter, node: tree.Variable | tree.ListPattern | tree.Destructure) -> str:
    if node.value is None:
        return ""
    if node.keyword in ("figendum", "variandum"):
        return f" = await {emitter.text(node.value, PREFIX)}"
    return f" = {emitter.text(node.value)}"


def emit_list_pattern(emitter: Emitter, node: tree.ListPattern) -> str:
    names = ", ".join("" if item.skip else "..." * item.rest + item.name for item in node.items)
    return emitter.line(f"{KEYWORD[node.keyword]} [{names}]{initial_value(emitter, node)};")


def emit_destructure(emitter: Emitter, node: tree.Destructure) -> str:
    names = ", ".join(
        f"...{i.local}" if i.rest else i.name if i.name == i.local else f"{i.name}: {i.local}"
        for i in node.items
    )
    return emitter.line(f"{KEYWORD[node.keyword]} {{ {names} }}{initial_value(emitter, node)};")


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


def type_parameters(node: tree.Function | tree.Union | tree.Contract | tree.Class) -> str:
    return f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""


def emit_function(emitter: Emitter, node: tree.Function) -> str:
    signature = f"{node.name}{type_parameters(node)}({emit_parameters(emitter, node)}){return_type(node)}"
    if node.body is None:
        return emitter.line(f"declare function {signature};")
    protocol = node.verb if emitter.depth == 0 and node.verb in PROTOCOL else None
    # May the body be run through to its end?
    ends = not node.body.body or not isinstance(node.body.body[-1], (tree.Return, tree.Throw))
    unanswered = ('throw new Error("EPROTO: No terminal response");',)
    tail = unanswered if protocol in ("fit", "fiet") and ends else ()
    body = emit_body(emitter, node, node.body, protocol, tail)
    return emitter.line(
        f"{export_mark(emitter, node)}{'async ' * node.is_async}function{'*' * node.is_generator} "
        f"{signature} {body}"
    )


def emit_body(
    emitter: Emitter,
    node: tree.Function,
    block: tree.Block,
    protocol: str | None = None,
    tail: tuple[str, ...] = (),
) -> str:
    outside = (emitter.protocol, emitter.guarded, emitter.yields, emitter.inside)
    emitter.protocol, emitter.guarded, emitter.yields, emitter.inside = protocol, 0, node.is_generator, True
    body = emitter.block(block, tail=tail)
    emitter.protocol, emitter.guarded, emitter.yields, emitter.inside = outside
    return body


def emit_method(emitter: Emitter, node: tree.Function) -> str:
    signature = f"{node.name}({emit_parameters(emitter, node)}){return_type(node)}"
    if node.body is None:
        return emitter.line(f"abstract {signature};")
    body = emit_body(emitter, node, node.body)
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
    variants = []
    for v in node.variants:
        fields = "".join(f"; {f.name}: {typescript_type(f.declared)}" for f in v.fields)
        variants.append(f'{{ tag: "{v.name}"{fields} }}')
    head = f"{export_mark(emitter, node)}type {node.name}{type_parameters(node)}"
    return emitter.line(f"{head} = {' | '.join(variants) or 'never'};")


def emit_contract(emitter: Emitter, node: tree.Contract) -> str:
    emitter.depth += 1
    lines = [
        emitter.line(f"{m.name}({emit_parameters(emitter, m)}){return_type(m) or ': void'};")
        for m in node.methods
    ]
    emitter.depth -= 1
    head = f"{export_mark(emitter, node)}interface {node.name}{type_parameters(node)}"
    return emitter.line(f"{head} {emitter.braces(lines)}")


def emit_class(emitter: Emitter, node: tree.Class) -> str:
    parent = f" extends {node.parent}" if node.parent else ""
    # `implements` would name contracts that need not exist.
    abstract = "abstract " * any(node.has_annotation(word) for word in ABSTRACT)
    head = f"{export_mark(emitter, node)}{abstract}class {node.name}{type_parameters(node)}{parent}"
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
    return emitter.line(f"{head} {emitter.braces([line for line in lines if line] or [''])}")


def emit_field(emitter: Emitter, node: tree.Field) -> str:
    value = f" = {emitter.text(node.value)}" if node.value is not None else ""
    type_ = typescript_type(node.declared)
    if node.is_reactive:
        lines = (
            f"#{node.name}: {type_}{value};",
            f"get {node.name}(): {type_} {{ return this.#{node.name}; }}",
            f"set {node.name}(value: {type_}) {{ this.#{node.name} = value; }}",
        )
        return "\n".join(map(emitter.line, lines))
    mark = "" if node.value is not None or is_static(node) else "!"
    return emitter.line(f"{'static ' * is_static(node)}{node.name}{mark}: {type_}{value};")


def emit_constructor(emitter: Emitter, node: tree.Class, fields: list[tree.Field]) -> str:
    """Takes the given fields over the defaults, then runs `creo` once the whole object stands."""
    built = inherits_constructor(emitter, node)
    if not fields and node.parent is None and not built:
        return ""
    lines = []
    if node.parent is not None:
        lines.append(
            "super(given, ...rest);" if built and node.parent in emitter.classes else "super(given);"
        )
    lines += [f"if (given.{f.name} !== undefined) this.{f.name} = given.{f.name};" for f in fields]
    if built:
        call = f"(this as any).{CONSTRUCTOR}(...rest);"
        is_extended = any(other.parent == node.name for other in emitter.classes.values())
        lines.append(f"if (new.target === {node.name}) {call}" if is_extended else call)
    rest = ", ...rest: any[]" if built else ""
    emitter.depth += 1
    lines = [emitter.line(text) for text in lines]
    emitter.depth -= 1
    return emitter.line(f"constructor(given: any = {{}}{rest}) {emitter.braces(lines)}")


def inherits_constructor(emitter: Emitter, node: tree.Class) -> bool:
    """Does a `creo` run for this class, its own or an inherited one?"""
    seen = set()
    current: tree.Class | None = node
    while current is not None and current.name not in seen:
        seen.add(current.name)
        if any(isinstance(m, tree.Function) and m.name == CONSTRUCTOR for m in current.members):
            return True
        current = emitter.classes.get(current.parent or "")
    return False


def is_static(node: tree.Field) -> bool:
    return node.is_static or node.has_annotation("generis")


DECLARATIONS: Statements = {
    tree.Import: lambda _, __: "",  # see write_imported_constants
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
