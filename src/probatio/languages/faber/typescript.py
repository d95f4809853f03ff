"""Emit: a checked tree becomes a readable TypeScript program that does what a reader of the Faber program expects."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.check import CONSTRUCTOR, has
from probatio.languages.faber.library import CALLS, EXPORTS, FORMULAS, PRELUDE, VALUES
from probatio.languages.faber.translate import EQUAL, MEMBER, PREFIX, Translator, kind_of

PROTOCOL = frozenset(("fit", "fiet", "fiunt", "fient"))
ABSTRACT = ("abstractum", "abstracta", "abstractus")
PUBLIC = ("publica", "publicum", "publicus")
_KINDS = {
    "lista": "Array.isArray(x)",
    "tabula": "x instanceof Map",
    "copia": "x instanceof Set",
    "textus": 'typeof x === "string"',
}


def emit(program: tree.Program) -> str:
    """The program as TypeScript; helpers stand at its head, and only those it uses."""
    return Emitter(program).program()


class Emitter(Translator):
    def __init__(self, source: tree.Program) -> None:
        super().__init__()
        self.source = source
        self.depth = 0
        self.protocol: str | None = None  # the verb of the top-level function around, which changes how errors leave it
        self.guarded = 0  # is an error thrown here caught in the same function?
        self.fresh = 0
        self.collect(source.body)

    def collect(self, body: list[tree.Statement]) -> None:
        """Note classes and unions wherever they are declared."""
        for node in body:
            if isinstance(node, tree.Class):
                self.classes[node.name] = node
            elif isinstance(node, tree.Union):
                self.unions[node.name] = node
            elif isinstance(node, (tree.Entry, tree.Do)):
                self.collect(node.body.body)
            elif isinstance(node, tree.Block):
                self.collect(node.body)
            elif isinstance(node, tree.Function) and node.body is not None:
                self.collect(node.body.body)

    def program(self) -> str:
        body = [line for node in self.source.body for line in [self.statement(node)] if line]
        head = [*self.imports(), *self.helpers()]
        return "\n".join([*head, *([""] if head and body else []), *body]) + "\n"

    def helpers(self) -> list[str]:
        dynamic = self.dispatch_table() if "call" in self.needs else []
        names = set(self.needs)
        return [PRELUDE[name] for name in PRELUDE if name in names] + dynamic

    def dispatch_table(self) -> list[str]:
        """What a library method is on each kind of value, for receivers whose type only the running program knows."""
        tables = []
        for kind in (*_KINDS, "fractus"):
            entries = []
            for name in sorted(self.dynamic):
                if name in CALLS.get(kind, {}):
                    entries.append(f"{name}: (x, ...rest) => x.{CALLS[kind][name]}(...rest)")
                elif name in FORMULAS.get(kind, {}):
                    formula = FORMULAS[kind][name].replace("$,", ", ...rest")
                    for i in (1, 2):
                        formula = formula.replace(f"${i}", f"rest[{i - 1}]")
                    entries.append(f"{name}: (x, ...rest) => {self.filled(formula, 'x', [])}")
            if entries:
                tables.append(f"  {kind}: {{ {', '.join(entries)} }},")
        tests = "".join(f'{test} ? "{kind}" : ' for kind, test in _KINDS.items())
        # The formulas may have asked for helpers of their own, which are written above this.
        return [
            "const $library: Record<string, Record<string, (x: any, ...rest: any[]) => any>> = {",
            *tables,
            "};",
            "function $call(x: any, name: string, ...rest: any[]): any {",
            f'  const kind = {tests}typeof x === "number" ? "fractus" : "";',
            "  const method = $library[kind]?.[name];",
            '  return method === undefined || typeof x[name] === "function" ? x[name](...rest) : method(x, ...rest);',
            "}",
        ]

    def imports(self) -> list[str]:
        """Library names a program imports become constants at its head."""
        declared = {
            node.name for node in self.source.body if isinstance(node, (tree.Function, tree.Variable, tree.Class))
        }
        found: dict[str, str] = {}
        for node in self.source.body:
            if isinstance(node, tree.Import) and node.module in EXPORTS:
                names = (
                    [(n, n) for n in EXPORTS[node.module]]
                    if node.items is None
                    else [(i.name, i.local) for i in node.items]
                )
                found |= {local: VALUES[name] for name, local in names if name in VALUES and local not in declared}
        return [f"const {local} = {value};" for local, value in found.items()]

    # Layout.

    def indent(self) -> str:
        return "  " * self.depth

    def line(self, text: str) -> str:
        return self.indent() + text

    def statement(self, node: tree.Statement) -> str:
        return EMIT[type(node)](self, node)

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

    # Control flow.

    def if_(self, node: tree.If) -> str:
        return self.caught(node.catch, lambda: self.line(self.if_text(node)))

    def if_text(self, node: tree.If) -> str:
        text = f"if ({self.text(node.test)}) {self.block(node.yes)}"
        if isinstance(node.no, tree.If) and node.no.catch is None:
            return f"{text} else {self.if_text(node.no)}"
        if isinstance(node.no, tree.If):
            return f"{text} else {self.block(tree.Block(node.no.at, [node.no]))}"
        return text if node.no is None else f"{text} else {self.block(node.no)}"

    def while_(self, node: tree.While) -> str:
        return self.caught(node.catch, lambda: self.line(f"while ({self.text(node.test)}) {self.block(node.body)}"))

    def loop(self, node: tree.Loop) -> str:
        return self.caught(node.catch, lambda: self.line(f"{self.loop_head(node)} {self.block(node.body)}"))

    def loop_head(self, node: tree.Loop) -> str:
        source, name = node.source, node.name
        if isinstance(source, tree.Range) and not node.steps:
            step = f"{name} += {self.text(source.step)}" if source.step is not None else f"{name}++"
            stop = self.text(source.stop, EQUAL)
            return f"for (let {name}: any = {self.text(source.start)}; {name} {'<=' if source.inclusive else '<'} {stop}; {step})"
        if node.over == "de":
            if kind_of(source.type) == "tabula":
                return f"for (const {name} of {self.text(source, MEMBER)}.keys())"
            return f"for (const {name} in {self.text(source)})"
        values = self.stepped(self.text(source, MEMBER), node.steps) if node.steps else self.text(source)
        return f"for {'await ' * node.is_async}(const {name} of {values})"

    def with_(self, node: tree.With) -> str:
        """Assignments to plain names go to the object."""
        simple = isinstance(node.object, (tree.Name, tree.Self))
        owner = self.text(node.object) if simple else self.unused("object")
        self.depth += 1
        lines = [] if simple else [self.line(f"const {owner}: any = {self.text(node.object)};")]
        for statement in node.body.body:
            if (
                isinstance(statement, tree.ExpressionStatement)
                and isinstance(statement.value, tree.Assign)
                and isinstance(statement.value.target, tree.Name)
            ):
                assign = statement.value
                lines.append(self.line(f"{owner}.{assign.target.name} {assign.operator} {self.text(assign.value)};"))  # type: ignore[attr-defined]
            else:
                lines.append(self.statement(statement))
        self.depth -= 1
        return self.line("{\n" + "\n".join(lines) + f"\n{self.indent()}}}") if lines else ""

    def switch(self, node: tree.Switch) -> str:
        return self.caught(node.catch, lambda: self.chosen(node))

    def chosen(self, node: tree.Switch) -> str:
        if isinstance(node.value, (tree.Name, tree.Truth, tree.Number, tree.Text)):
            return (
                self.line(self.cases(self.text(node.value, EQUAL), node)) if node.cases else self.default(node.default)
            )
        value = self.unused("value")
        self.depth += 1
        inner = self.line(self.cases(value, node)) if node.cases else self.default(node.default)
        head = self.line(f"const {value}: any = {self.text(node.value)};")
        self.depth -= 1
        return f"{self.indent()}{{\n{head}\n{inner}\n{self.indent()}}}"

    def default(self, block: tree.Block | None) -> str:
        return "" if block is None else self.line(self.block(block))

    def cases(self, value: str, node: tree.Switch) -> str:
        text = " else ".join(
            f"if ({value} === {self.text(case.test, EQUAL + 1)}) {self.block(case.body)}" for case in node.cases
        )
        return text if node.default is None else f"{text} else {self.block(node.default)}"

    def match(self, node: tree.Match) -> str:
        names, heads = [], []
        for value in node.values:
            simple = isinstance(value, tree.Name)
            names.append(self.text(value) if simple else self.unused("value"))
            if not simple:
                heads.append(f"const {names[-1]}: any = {self.text(value)};")
        self.depth += bool(heads)
        chain = " else ".join(self.match_case(case, node, names) for case in node.cases)
        if node.default is not None:
            chain = f"{chain} else {self.block(node.default)}" if chain else self.block(node.default)
        lines = [self.line(head) for head in heads] + ([self.line(chain)] if chain else [])
        self.depth -= bool(heads)
        if not heads:
            return "\n".join(lines)
        return f"{self.indent()}{{\n" + "\n".join(lines) + f"\n{self.indent()}}}"

    def match_case(self, case: tree.MatchCase, node: tree.Match, names: list[str]) -> str:
        tests, heads = [], []
        for pattern, value, name in zip(case.patterns, node.values, names, strict=False):
            if pattern.wildcard:
                continue
            tests.append(f'{name}.tag === "{pattern.variant}"')
            if pattern.alias is not None:
                heads.append(f"const {pattern.alias}: any = {name};")
            fields = self.fields(pattern.variant, value)
            for i, binding in enumerate(pattern.bindings):
                field = fields[i] if fields is not None and i < len(fields) else binding
                heads.append(f"const {binding} = ({name} as any).{field};")
        return f"if ({' && '.join(tests) or 'true'}) {self.block(case.body, tuple(heads))}"

    def fields(self, variant: str, value: tree.Expression) -> list[str] | None:
        """The variant's fields in order: of the value's own union, or of any that has the variant."""
        own = self.unions.get(getattr(value.type, "name", ""))
        for union in ([own] if own is not None else []) + list(self.unions.values()):
            for declared in union.variants:
                if declared.name == variant:
                    return [f.name for f in declared.fields]
        return None

    def guard(self, node: tree.Guard) -> str:
        return "\n".join(self.line(f"if ({self.text(c.test)}) {self.block(c.body)}") for c in node.clauses)

    def assert_(self, node: tree.Assert) -> str:
        test = self.text(node.test)
        if node.message is not None:
            message = self.text(node.message)
        else:
            shown = f"({test})" if isinstance(node.test, tree.Binary) else test
            message = (
                '"' + f"Assertion failed: {shown}".replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
            )
        return self.line(f"if (!({test})) throw new Error({message});")

    def return_(self, node: tree.Return) -> str:
        return self.line("return;" if node.value is None else f"return {self.text(node.value)};")

    def break_(self, _: tree.Break) -> str:
        return self.line("break;")

    def continue_(self, _: tree.Continue) -> str:
        return self.line("continue;")

    def throw(self, node: tree.Throw) -> str:
        value = self.text(node.value)
        if node.fatal:
            return self.line(f"throw new {self.need('Panic')}({value});")
        if self.protocol is not None and not self.guarded:
            # What leaves such a function leaves it as a failed response.
            return self.line(f"throw new Error(`EFAIL: ${{{value}}}`);")
        return self.line(f"throw {value};")

    def print_(self, node: tree.Print) -> str:
        method = {"scribe": "log", "vide": "debug", "mone": "warn"}[node.keyword]
        return self.line(f"console.{method}({self.joined(node.arguments)});")

    def try_(self, node: tree.Try) -> str:
        body = self.guarded_block(node.body) if node.catch is not None else self.block(node.body)
        always = f" finally {self.block(node.always)}" if node.always is not None else ""
        return self.line(f"try {body}{self.catch(node.catch)}{always}")

    def do(self, node: tree.Do) -> str:
        if node.test is None:
            if node.catch is None:
                return self.line(self.block(node.body))
            return self.line(f"try {self.guarded_block(node.body)}{self.catch(node.catch)}")
        if node.catch is None:
            return self.line(f"do {self.block(node.body)} while ({self.text(node.test)});")
        inner = tree.Try(node.at, node.body, node.catch, None)
        return self.line(f"do {self.block(tree.Block(node.at, [inner]))} while ({self.text(node.test)});")

    def manage(self, node: tree.Manage) -> str:
        if node.resource is None:
            return self.caught(node.catch, lambda: self.line(self.block(node.body)))
        return self.caught(node.catch, lambda: self.managed(node))

    def managed(self, node: tree.Manage) -> str:
        name = node.name or self.unused("resource")
        assert node.resource is not None
        self.depth += 1
        value = self.text(node.resource, PREFIX) if node.is_async else self.text(node.resource)
        head = self.line(f"const {name}: any = {'await ' * node.is_async}{value};")
        body = self.line(f"try {self.block(node.body)} finally {{ {name}?.solve?.(); }}")
        self.depth -= 1
        return f"{self.indent()}{{\n{head}\n{body}\n{self.indent()}}}"

    def dispatch(self, node: tree.Dispatch) -> str:
        return self.line(f'throw new Error("Nothing answers at {node.target}");')

    def entry(self, node: tree.Entry) -> str:
        if not node.is_async:
            return self.line(self.block(node.body))
        outside, self.yields = self.yields, False
        text = f"(async () => {self.block(node.body)})();"
        self.yields = outside
        return self.line(text)

    def suite(self, node: tree.Suite) -> str:
        return self.line(f'describe("{node.name}", () => {self.block(tree.Block(node.at, node.body))});')

    def test(self, node: tree.Test) -> str:
        if node.modifier == "futurum":
            return self.line(f'test.todo("{node.reason}: {node.name}");')
        skip = ".skip" if node.modifier == "omitte" else ""
        return self.line(f'test{skip}("{node.name}", () => {self.block(node.body)});')

    def setup(self, node: tree.Setup) -> str:
        when = "before" if node.keyword.startswith("praepara") else "after"
        is_async = "async " if node.keyword.endswith("bit") else ""
        return self.line(f"{when}{'All' if node.all else 'Each'}({is_async}() => {self.block(node.body)});")

    def plain_block(self, node: tree.Block) -> str:
        return self.line(self.block(node))

    def expression_statement(self, node: tree.ExpressionStatement) -> str:
        value = node.value
        if self.yields and isinstance(leftmost(value), tree.Cede) and not isinstance(value, tree.Cede):
            # `cede i * i` reads `(cede i) * i`, but it is the product that is meant to be handed out.
            return self.line(f"yield {self.text(without_cede(value))};")
        text = self.text(value)
        if text.startswith(("{", "function", "class", "async (", "let")) or isinstance(node.value, tree.Lambda):
            text = f"({text})"
        return self.line(f"{text};")


def leftmost(node: tree.Expression) -> tree.Expression:
    while isinstance(node, tree.Binary):
        node = node.left
    return node


def without_cede(node: tree.Expression) -> tree.Expression:
    if isinstance(node, tree.Binary):
        return tree.Binary(node.at, node.operator, without_cede(node.left), node.right)
    return node.value if isinstance(node, tree.Cede) else node


def asynchronous(node: tree.Function) -> bool:
    return node.verb in ("fiet", "fient") or has(node, "futura")


def generating(node: tree.Function) -> bool:
    return node.verb in ("fiunt", "fient") or has(node, "cursor")


def is_static(node: tree.Field) -> bool:
    return node.is_static or has(node, "generis")


def can_end(block: tree.Block) -> bool:
    """May the block be run through to its end?"""
    return not block.body or not isinstance(block.body[-1], (tree.Return, tree.Throw))


EMIT: dict[type[tree.Statement], Function[[Emitter, Any], str]] = {
    tree.Import: Emitter.silent,
    tree.Variable: Emitter.variable,
    tree.ListPattern: Emitter.list_pattern,
    tree.Destructure: Emitter.destructure,
    tree.Function: Emitter.function,
    tree.Alias: Emitter.alias,
    tree.Enum: Emitter.enum,
    tree.Class: Emitter.class_,
    tree.Contract: Emitter.contract,
    tree.Union: Emitter.union,
    tree.If: Emitter.if_,
    tree.While: Emitter.while_,
    tree.Loop: Emitter.loop,
    tree.With: Emitter.with_,
    tree.Switch: Emitter.switch,
    tree.Match: Emitter.match,
    tree.Guard: Emitter.guard,
    tree.Assert: Emitter.assert_,
    tree.Return: Emitter.return_,
    tree.Break: Emitter.break_,
    tree.Continue: Emitter.continue_,
    tree.Throw: Emitter.throw,
    tree.Print: Emitter.print_,
    tree.Try: Emitter.try_,
    tree.Do: Emitter.do,
    tree.Manage: Emitter.manage,
    tree.Dispatch: Emitter.dispatch,
    tree.Entry: Emitter.entry,
    tree.Suite: Emitter.suite,
    tree.Test: Emitter.test,
    tree.Setup: Emitter.setup,
    tree.Block: Emitter.plain_block,
    tree.ExpressionStatement: Emitter.expression_statement,
}
