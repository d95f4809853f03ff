"""Emit: a checked tree becomes a readable TypeScript program that does what a reader of the Faber program expects."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.calls import EQUAL, MEMBER, PREFIX, kind_of
from probatio.languages.faber.declared import DeclarationEmitter
from probatio.languages.faber.library import CALLS, EXPORTS, FORMULAS, PRELUDE, VALUES

_KINDS = {
    "lista": "Array.isArray(x)",
    "tabula": "x instanceof Map",
    "copia": "x instanceof Set",
    "textus": 'typeof x === "string"',
}


def emit(program: tree.Program) -> str:
    """The program as TypeScript; helpers stand at its head, and only those it uses."""
    return Emitter(program).program()


class Emitter(DeclarationEmitter):
    def __init__(self, source: tree.Program) -> None:
        super().__init__()
        self.source = source
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

    def statement(self, node: tree.Statement) -> str:
        return EMIT[type(node)](self, node)

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
