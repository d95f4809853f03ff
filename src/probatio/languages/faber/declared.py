"""Emit, third part: declarations as TypeScript, and the layout of its lines."""

from __future__ import annotations

from collections.abc import Callable as Function

from probatio.languages.faber import tree
from probatio.languages.faber.calls import PREFIX
from probatio.languages.faber.check import has
from probatio.languages.faber.signatures import CONSTRUCTOR
from probatio.languages.faber.translate import Translator

PROTOCOL = frozenset(("fit", "fiet", "fiunt", "fient"))
ABSTRACT = ("abstractum", "abstracta", "abstractus")
PUBLIC = ("publica", "publicum", "publicus")


class DeclarationEmitter(Translator):
    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.protocol: str | None = None  # the verb of the top-level function around, which changes how errors leave it
        self.guarded = 0  # is an error thrown here caught in the same function?
        self.fresh = 0

    def statement(self, node: tree.Statement) -> str:
        raise NotImplementedError

    # Layout.

    def indent(self) -> str:
        return "  " * self.depth

    def line(self, text: str) -> str:
        return self.indent() + text

    def block(self, block: tree.Block, head: tuple[str, ...] = (), tail: tuple[str, ...] = ()) -> str:
        self.depth += 1
        lines = [self.line(text) for text in head]
        lines += [text for node in block.body for text in [self.statement(node)] if text]
        lines += [self.line(text) for text in tail]
        self.depth -= 1
        return "{\n" + "\n".join(lines) + f"\n{self.indent()}}}" if lines else "{}"

    def guarded_block(self, block: tree.Block) -> str:
        self.guarded += 1
        text = self.block(block)
        self.guarded -= 1
        return text

    def caught(self, node: tree.Catch | None, write: Function[[], str]) -> str:
        """The statement, inside `try` where it has a `cape` of its own."""
        if node is None:
            return write()
        self.depth += 1
        self.guarded += 1
        inner = write()
        self.guarded -= 1
        self.depth -= 1
        return f"{self.indent()}try {{\n{inner}\n{self.indent()}}}{self.catch(node)}"

    def catch(self, node: tree.Catch | None) -> str:
        return "" if node is None else f" catch ({node.name}: any) {self.block(node.body)}"

    def unused(self, stem: str) -> str:
        self.fresh += 1
        return f"${stem}{self.fresh}"

    # Declarations.

    def silent(self, _: tree.Statement) -> str:
        return ""

    def exported(self, node: tree.Statement) -> str:
        return "export " if self.depth == 0 and any(has(node, word) for word in PUBLIC) else ""

    def variable(self, node: tree.Variable) -> str:
        keyword = "const" if node.keyword in ("fixum", "figendum") else "let"
        declared = f": {self.type_name(node.declared)}" if node.declared is not None else ""
        if has(node, "externa"):
            return self.line(f"declare {keyword} {node.name}{declared};")
        return self.line(f"{self.exported(node)}{keyword} {node.name}{declared}{self.value(node.keyword, node.value)};")

    def value(self, keyword: str, value: tree.Expression | None) -> str:
        if value is None:
            return ""
        if keyword in ("figendum", "variandum"):
            return f" = await {self.text(value, PREFIX)}"
        return f" = {self.text(value)}"

    def list_pattern(self, node: tree.ListPattern) -> str:
        keyword = "const" if node.keyword in ("fixum", "figendum") else "let"
        names = ", ".join("" if item.skip else "..." * item.rest + item.name for item in node.items)
        return self.line(f"{keyword} [{names}]{self.value(node.keyword, node.value)};")

    def destructure(self, node: tree.Destructure) -> str:
        keyword = "const" if node.keyword in ("fixum", "figendum") else "let"
        names = ", ".join(
            f"...{i.local}" if i.rest else i.name if i.name == i.local else f"{i.name}: {i.local}" for i in node.items
        )
        return self.line(f"{keyword} {{ {names} }}{self.value(node.keyword, node.value)};")

    def parameters(self, node: tree.Function) -> str:
        parts = []
        for p in node.parameters:
            name = p.alias or p.name
            optional = "?" if p.optional and p.default is None and not p.rest else ""
            default = f" = {self.text(p.default)}" if p.default is not None else ""
            parts.append(f"{'...' * p.rest}{name}{optional}: {self.type_name(p.declared)}{default}")
        return ", ".join(parts)

    def result(self, node: tree.Function, is_async: bool, is_generator: bool) -> str:
        if node.returns is None:
            return ""
        text = self.type_name(node.returns)
        if is_generator:
            text = f"{'Async' * is_async}Generator<{text}>"
        elif is_async:
            text = f"Promise<{text}>"
        return f": {text}"

    def function(self, node: tree.Function) -> str:
        types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
        is_async, is_generator = asynchronous(node), generating(node)
        signature = f"{node.name}{types}({self.parameters(node)}){self.result(node, is_async, is_generator)}"
        if node.body is None:
            return self.line(f"declare function {signature};")
        outside = (self.protocol, self.guarded, self.yields, self.inside)
        self.inside = True
        self.protocol = node.verb if self.depth == 0 and node.verb in PROTOCOL else None
        self.guarded, self.yields = 0, is_generator
        tail = (
            ('throw new Error("EPROTO: No terminal response");',)
            if self.protocol in ("fit", "fiet") and can_end(node.body)
            else ()
        )
        body = self.block(node.body, tail=tail)
        self.protocol, self.guarded, self.yields, self.inside = outside
        return self.line(f"{self.exported(node)}{'async ' * is_async}function{'*' * is_generator} {signature} {body}")

    def method(self, node: tree.Function) -> str:
        is_async, is_generator = asynchronous(node), generating(node)
        signature = f"{node.name}({self.parameters(node)}){self.result(node, is_async, is_generator)}"
        if node.body is None:
            return self.line(f"abstract {signature};")
        outside = (self.protocol, self.guarded, self.yields, self.inside)
        self.protocol, self.guarded, self.yields, self.inside = None, 0, is_generator, True
        body = self.block(node.body)
        self.protocol, self.guarded, self.yields, self.inside = outside
        static = "static " if has(node, "generis") else ""
        return self.line(f"{static}{'async ' * is_async}{'*' * is_generator}{signature} {body}")

    def alias(self, node: tree.Alias) -> str:
        target = f"typeof {node.type_of}" if node.target is None else self.type_name(node.target)
        return self.line(f"{self.exported(node)}type {node.name} = {target};")

    def enum(self, node: tree.Enum) -> str:
        members = []
        for m in node.members:
            value = "" if m.value is None else f" = {'-' * m.negative}{self.text(m.value)}"
            members.append(f"{m.name}{value}")
        return self.line(f"{self.exported(node)}enum {node.name} {{ {', '.join(members)} }}")

    def union(self, node: tree.Union) -> str:
        types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
        variants = []
        for v in node.variants:
            fields = "".join(f"; {f.name}: {self.type_name(f.declared)}" for f in v.fields)
            variants.append(f'{{ tag: "{v.name}"{fields} }}')
        return self.line(f"{self.exported(node)}type {node.name}{types} = {' | '.join(variants) or 'never'};")

    def contract(self, node: tree.Contract) -> str:
        types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
        self.depth += 1
        lines = [
            self.line(f"{m.name}({self.parameters(m)}){self.result(m, asynchronous(m), generating(m)) or ': void'};")
            for m in node.methods
        ]
        self.depth -= 1
        body = "{\n" + "\n".join(lines) + f"\n{self.indent()}}}" if lines else "{}"
        return self.line(f"{self.exported(node)}interface {node.name}{types} {body}")

    def class_(self, node: tree.Class) -> str:
        types = f"<{', '.join(node.type_parameters)}>" if node.type_parameters else ""
        parent = f" extends {node.parent}" if node.parent else ""
        # `implements` would name contracts that need not exist.
        head = (
            f"{self.exported(node)}{'abstract ' * any(has(node, w) for w in ABSTRACT)}class {node.name}{types}{parent}"
        )
        self.depth += 1
        outside, self.inside = self.inside, True
        fields = [m for m in node.members if isinstance(m, tree.Field)]
        lines = [self.field(f) for f in fields]
        lines.append(self.constructor(node, [f for f in fields if not is_static(f)]))
        constructors = [m for m in node.members if isinstance(m, tree.Function) and m.name == CONSTRUCTOR]
        methods = [m for m in node.members if isinstance(m, tree.Function) and m.name != CONSTRUCTOR]
        lines += [self.method(m) for m in [*constructors[-1:], *methods]]
        self.inside = outside
        self.depth -= 1
        return f"{self.line(head)} {{\n" + "\n".join(line for line in lines if line) + f"\n{self.indent()}}}"

    def field(self, node: tree.Field) -> str:
        value = f" = {self.text(node.value)}" if node.value is not None else ""
        type_ = self.type_name(node.declared)
        if node.is_reactive:
            return (
                self.line(f"#{node.name}: {type_}{value};")
                + "\n"
                + "\n".join(
                    self.line(text)
                    for text in (
                        f"get {node.name}(): {type_} {{ return this.#{node.name}; }}",
                        f"set {node.name}(value: {type_}) {{ this.#{node.name} = value; }}",
                    )
                )
            )
        mark = "" if node.value is not None or is_static(node) else "!"
        return self.line(f"{'static ' * is_static(node)}{node.name}{mark}: {type_}{value};")

    def constructor(self, node: tree.Class, fields: list[tree.Field]) -> str:
        """Takes the given fields over the defaults, then runs `creo` once the whole object stands."""
        known_parent = node.parent is not None
        built = self.builder(node)
        if not fields and not known_parent and built is None:
            return ""
        rest = ", ...rest: any[]" if built is not None else ""
        lines = (
            [f"super(given{', ...rest' if self.classes.get(node.parent or '') and built is not None else ''});"]
            if known_parent
            else []
        )
        lines += [f"if (given.{f.name} !== undefined) this.{f.name} = given.{f.name};" for f in fields]
        if built is not None:
            call = f"(this as any).{CONSTRUCTOR}(...rest);"
            lines.append(f"if (new.target === {node.name}) {call}" if self.extended(node) else call)
        self.depth += 1
        body = "\n".join(self.line(text) for text in lines)
        self.depth -= 1
        return self.line(f"constructor(given: any = {{}}{rest}) {{\n{body}\n{self.indent()}}}")

    def builder(self, node: tree.Class) -> tree.Function | None:
        """The `creo` that runs for this class: its own or an inherited one."""
        seen = set()
        current: tree.Class | None = node
        while current is not None and current.name not in seen:
            seen.add(current.name)
            for member in reversed(current.members):
                if isinstance(member, tree.Function) and member.name == CONSTRUCTOR:
                    return member
            current = self.classes.get(current.parent or "")
        return None

    def extended(self, node: tree.Class) -> bool:
        return any(other.parent == node.name for other in self.classes.values())


def asynchronous(node: tree.Function) -> bool:
    return node.verb in ("fiet", "fient") or has(node, "futura")


def generating(node: tree.Function) -> bool:
    return node.verb in ("fiunt", "fient") or has(node, "cursor")


def is_static(node: tree.Field) -> bool:
    return node.is_static or has(node, "generis")


def can_end(block: tree.Block) -> bool:
    """May the block be run through to its end?"""
    return not block.body or not isinstance(block.body[-1], (tree.Return, tree.Throw))
