"""A checked tree becomes a readable TypeScript program that does what a reader of the Faber program
expects."""

from __future__ import annotations

from faber import tree
from faber.emit.calls import CALLS_AND_MEMBERS, fill_formula
from faber.emit.declarations import DECLARATIONS
from faber.emit.emitter import Emitter
from faber.emit.expressions import EXPRESSIONS
from faber.emit.statements import STATEMENTS
from faber.library import CALLS, EXPORTS, FORMULAS, PRELUDE, VALUES

_KINDS = {
    "lista": "Array.isArray(x)",
    "tabula": "x instanceof Map",
    "copia": "x instanceof Set",
    "textus": 'typeof x === "string"',
}

_EXPRESSIONS = EXPRESSIONS | CALLS_AND_MEMBERS
_STATEMENTS = DECLARATIONS | STATEMENTS


def emit(program: tree.Program) -> str:
    """The program as TypeScript; helpers stand at its head, and only those it uses."""
    emitter = Emitter(_EXPRESSIONS, _STATEMENTS)
    collect_declarations(emitter, program.body)
    body = [line for node in program.body for line in [emitter.statement(node)] if line]
    head = [*write_imported_constants(program), *write_helpers(emitter)]
    return "\n".join([*head, *([""] if head and body else []), *body]) + "\n"


def collect_declarations(emitter: Emitter, body: list[tree.Statement]) -> None:
    """Note classes and unions wherever they are declared."""
    for node in body:
        if isinstance(node, tree.Class):
            emitter.classes[node.name] = node
        elif isinstance(node, tree.Union):
            emitter.unions[node.name] = node
        elif isinstance(node, (tree.Entry, tree.Do)):
            collect_declarations(emitter, node.body.body)
        elif isinstance(node, tree.Block):
            collect_declarations(emitter, node.body)
        elif isinstance(node, tree.Function) and node.body is not None:
            collect_declarations(emitter, node.body.body)


def write_helpers(emitter: Emitter) -> list[str]:
    # Its formulas may need functions of the prelude too, so the table is made first.
    table = write_dispatch_table(emitter) if "call" in emitter.needs else []
    return [PRELUDE[name] for name in PRELUDE if name in emitter.needs] + table


def write_dispatch_table(emitter: Emitter) -> list[str]:
    """What a library method is on each kind of value,
    for receivers whose type only the running program knows."""
    tables = []
    for kind in (*_KINDS, "fractus"):
        entries = []
        for name in sorted(emitter.dynamic):
            if name in CALLS.get(kind, {}):
                entries.append(f"{name}: (x, ...rest) => x.{CALLS[kind][name]}(...rest)")
            elif name in FORMULAS.get(kind, {}):
                formula = FORMULAS[kind][name].replace("$,", ", ...rest")
                for i in (1, 2):
                    formula = formula.replace(f"${i}", f"rest[{i - 1}]")
                entries.append(f"{name}: (x, ...rest) => {fill_formula(emitter, formula, 'x', [])}")
        if entries:
            tables.append(f"  {kind}: {{ {', '.join(entries)} }},")
    tests = "".join(f'{test} ? "{kind}" : ' for kind, test in _KINDS.items())
    return [
        "const $library: Record<string, Record<string, (x: any, ...rest: any[]) => any>> = {",
        *tables,
        "};",
        "function $call(x: any, name: string, ...rest: any[]): any {",
        f'  const kind = {tests}typeof x === "number" ? "fractus" : "";',
        "  const method = $library[kind]?.[name];",
        '  return method === undefined || typeof x[name] === "function" ? x[name](...rest) : method(x, '
        "...rest);",
        "}",
    ]


def write_imported_constants(program: tree.Program) -> list[str]:
    """Library names a program imports become constants at its head."""
    declared = {
        node.name for node in program.body if isinstance(node, (tree.Function, tree.Variable, tree.Class))
    }
    constants: dict[str, str] = {}
    for node in program.body:
        if isinstance(node, tree.Import) and node.module in EXPORTS:
            names = (
                [(n, n) for n in EXPORTS[node.module]]
                if node.items is None
                else [(i.name, i.local) for i in node.items]
            )
            constants |= {
                local: VALUES[name] for name, local in names if name in VALUES and local not in declared
            }
    return [f"const {local} = {value};" for local, value in constants.items()]
