"""Statements as TypeScript."""

from __future__ import annotations

from faber import tree
from faber.emit.calls import kind_of
from faber.emit.emitter import EQUAL, MEMBER, PREFIX, Emitter, Statements
from faber.emit.expressions import apply_steps


def if_text(emitter: Emitter, node: tree.If) -> str:
    text = f"if ({emitter.text(node.test)}) {emitter.block(node.yes)}"
    if isinstance(node.no, tree.If) and node.no.catch is None:
        return f"{text} else {if_text(emitter, node.no)}"
    if isinstance(node.no, tree.If):
        return f"{text} else {emitter.block(tree.Block(node.no.at, [node.no]))}"
    return text if node.no is None else f"{text} else {emitter.block(node.no)}"


def loop_head(emitter: Emitter, node: tree.Loop) -> str:
    source, name = node.source, node.name
    if isinstance(source, tree.Range) and not node.steps:
        step = f"{name} += {emitter.text(source.step)}" if source.step is not None else f"{name}++"
        stop = emitter.text(source.stop, EQUAL)
        return (
            f"for (let {name}: any = {emitter.text(source.start)}; {name} "
            f"{'<=' if source.inclusive else '<'} {stop}; {step})"
        )
    if node.over == "de":
        if kind_of(source.type) == "tabula":
            return f"for (const {name} of {emitter.text(source, MEMBER)}.keys())"
        return f"for (const {name} in {emitter.text(source)})"
    values = (
        apply_steps(emitter, emitter.text(source, MEMBER), node.steps) if node.steps else emitter.text(source)
    )
    return f"for {'await ' * node.is_async}(const {name} of {values})"


def emit_with(emitter: Emitter, node: tree.With) -> str:
    """Assignments to plain names go to the object."""
    simple = isinstance(node.object, (tree.Name, tree.Self))
    owner = emitter.text(node.object) if simple else emitter.make_name("object")
    emitter.depth += 1
    lines = [] if simple else [emitter.line(f"const {owner}: any = {emitter.text(node.object)};")]
    for statement in node.body.body:
        if (
            isinstance(statement, tree.ExpressionStatement)
            and isinstance(statement.value, tree.Assign)
            and isinstance(statement.value.target, tree.Name)
        ):
            assign, name = statement.value, statement.value.target.name
            lines.append(emitter.line(f"{owner}.{name} {assign.operator} {emitter.text(assign.value)};"))
        else:
            lines.append(emitter.statement(statement))
    emitter.depth -= 1
    return emitter.line(emitter.braces(lines)) if lines else ""


def emit_switch(emitter: Emitter, node: tree.Switch) -> str:
    simple = isinstance(node.value, (tree.Name, tree.Truth, tree.Number, tree.Text))
    value = emitter.text(node.value, EQUAL) if simple else emitter.make_name("value")
    emitter.depth += not simple
    cases = [
        f"if ({value} === {emitter.text(case.test, EQUAL + 1)}) {emitter.block(case.body)}"
        for case in node.cases
    ]
    inner = join_cases(emitter, cases, node.default)
    if simple:
        return inner
    head = emitter.line(f"const {value}: any = {emitter.text(node.value)};")
    emitter.depth -= 1
    return emitter.line(emitter.braces([head, inner]))


def join_cases(emitter: Emitter, cases: list[str], default: tree.Block | None) -> str:
    if default is not None:
        cases.append(emitter.block(default))
    return emitter.line(" else ".join(cases)) if cases else ""


def emit_match(emitter: Emitter, node: tree.Match) -> str:
    names, heads = [], []
    for value in node.values:
        simple = isinstance(value, tree.Name)
        names.append(emitter.text(value) if simple else emitter.make_name("value"))
        if not simple:
            heads.append(f"const {names[-1]}: any = {emitter.text(value)};")
    emitter.depth += bool(heads)
    cases = [match_case(emitter, case, node, names) for case in node.cases]
    chain = join_cases(emitter, cases, node.default)
    lines = [emitter.line(head) for head in heads] + ([chain] if chain else [])
    emitter.depth -= bool(heads)
    return emitter.line(emitter.braces(lines)) if heads else "\n".join(lines)


def match_case(emitter: Emitter, case: tree.MatchCase, node: tree.Match, names: list[str]) -> str:
    tests, heads = [], []
    for pattern, value, name in zip(case.patterns, node.values, names, strict=False):
        if pattern.wildcard:
            continue
        tests.append(f'{name}.tag === "{pattern.variant}"')
        if pattern.alias is not None:
            heads.append(f"const {pattern.alias}: any = {name};")
        fields = variant_fields(emitter, pattern.variant, value)
        for i, binding in enumerate(pattern.bindings):
            field = fields[i] if fields is not None and i < len(fields) else binding
            heads.append(f"const {binding} = ({name} as any).{field};")
    return f"if ({' && '.join(tests) or 'true'}) {emitter.block(case.body, tuple(heads))}"


def variant_fields(emitter: Emitter, variant: str, value: tree.Expression) -> list[str] | None:
    """The variant's fields in order: of the value's own union, or of any that has the variant."""
    own = emitter.unions.get(getattr(value.type, "name", ""))
    for union in ([own] if own is not None else []) + list(emitter.unions.values()):
        for declared in union.variants:
            if declared.name == variant:
                return [f.name for f in declared.fields]
    return None


def emit_guard(emitter: Emitter, node: tree.Guard) -> str:
    return "\n".join(
        emitter.line(f"if ({emitter.text(c.test)}) {emitter.block(c.body)}") for c in node.clauses
    )


def emit_assert(emitter: Emitter, node: tree.Assert) -> str:
    test = emitter.text(node.test)
    if node.message is not None:
        message = emitter.text(node.message)
    else:
        condition = f"({test})" if isinstance(node.test, tree.Binary) else test
        message = (
            '"'
            + f"Assertion failed: {condition}".replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            + '"'
        )
    return emitter.line(f"if (!({test})) throw new Error({message});")


def emit_return(emitter: Emitter, node: tree.Return) -> str:
    return emitter.line("return;" if node.value is None else f"return {emitter.text(node.value)};")


def emit_throw(emitter: Emitter, node: tree.Throw) -> str:
    value = emitter.text(node.value)
    if node.fatal:
        return emitter.line(f"throw new {emitter.need('Panic')}({value});")
    if emitter.protocol is not None and not emitter.guarded:
        # What leaves such a function leaves it as a failed response.
        return emitter.line(f"throw new Error(`EFAIL: ${{{value}}}`);")
    return emitter.line(f"throw {value};")


def emit_print(emitter: Emitter, node: tree.Print) -> str:
    method = {"scribe": "log", "vide": "debug", "mone": "warn"}[node.keyword]
    return emitter.line(f"console.{method}({emitter.join(node.arguments)});")


def emit_try(emitter: Emitter, node: tree.Try) -> str:
    body = emitter.guard_block(node.body) if node.catch is not None else emitter.block(node.body)
    always = f" finally {emitter.block(node.always)}" if node.always is not None else ""
    return emitter.line(f"try {body}{emitter.catch(node.catch)}{always}")


def emit_do(emitter: Emitter, node: tree.Do) -> str:
    if node.test is None:
        if node.catch is None:
            return emitter.line(emitter.block(node.body))
        return emitter.line(f"try {emitter.guard_block(node.body)}{emitter.catch(node.catch)}")
    if node.catch is None:
        return emitter.line(f"do {emitter.block(node.body)} while ({emitter.text(node.test)});")
    inner = tree.Try(node.at, node.body, node.catch, None)
    return emitter.line(
        f"do {emitter.block(tree.Block(node.at, [inner]))} while ({emitter.text(node.test)});"
    )


def emit_manage(emitter: Emitter, node: tree.Manage) -> str:
    if node.resource is None:
        return emitter.line(emitter.block(node.body))
    name = node.name or emitter.make_name("resource")
    emitter.depth += 1
    value = emitter.text(node.resource, PREFIX) if node.is_async else emitter.text(node.resource)
    head = emitter.line(f"const {name}: any = {'await ' * node.is_async}{value};")
    body = emitter.line(f"try {emitter.block(node.body)} finally {{ {name}?.solve?.(); }}")
    emitter.depth -= 1
    return emitter.line(emitter.braces([head, body]))


def emit_entry(emitter: Emitter, node: tree.Entry) -> str:
    if not node.is_async:
        return emitter.line(emitter.block(node.body))
    outside, emitter.yields = emitter.yields, False
    text = f"(async () => {emitter.block(node.body)})();"
    emitter.yields = outside
    return emitter.line(text)


def emit_suite(emitter: Emitter, node: tree.Suite) -> str:
    return emitter.line(f'describe("{node.name}", () => {emitter.block(tree.Block(node.at, node.body))});')


def emit_test(emitter: Emitter, node: tree.Test) -> str:
    if node.modifier == "futurum":
        return emitter.line(f'test.todo("{node.reason}: {node.name}");')
    skip = ".skip" if node.modifier == "omitte" else ""
    return emitter.line(f'test{skip}("{node.name}", () => {emitter.block(node.body)});')


def emit_setup(emitter: Emitter, node: tree.Setup) -> str:
    when = "before" if node.keyword.startswith("praepara") else "after"
    is_async = "async " if node.keyword.endswith("bit") else ""
    return emitter.line(f"{when}{'All' if node.all else 'Each'}({is_async}() => {emitter.block(node.body)});")


def emit_expression_statement(emitter: Emitter, node: tree.ExpressionStatement) -> str:
    value = node.value
    if emitter.yields and isinstance(find_leftmost(value), tree.Cede) and not isinstance(value, tree.Cede):
        # `cede i * i` reads `(cede i) * i`, but it is the product that is meant to be handed out.
        return emitter.line(f"yield {emitter.text(drop_cede(value))};")
    text = emitter.text(value)
    if text.startswith(("{", "function", "class", "async (", "let")) or isinstance(node.value, tree.Lambda):
        text = f"({text})"
    return emitter.line(f"{text};")


def find_leftmost(node: tree.Expression) -> tree.Expression:
    while isinstance(node, tree.Binary):
        node = node.left
    return node


def drop_cede(node: tree.Expression) -> tree.Expression:
    if isinstance(node, tree.Binary):
        return tree.Binary(node.at, node.operator, drop_cede(node.left), node.right)
    return node.value if isinstance(node, tree.Cede) else node


STATEMENTS: Statements = {
    tree.If: lambda emitter, node: emitter.line(if_text(emitter, node)),
    tree.While: lambda emitter, node: emitter.line(
        f"while ({emitter.text(node.test)}) {emitter.block(node.body)}"
    ),
    tree.Loop: lambda emitter, node: emitter.line(f"{loop_head(emitter, node)} {emitter.block(node.body)}"),
    tree.With: emit_with,
    tree.Switch: emit_switch,
    tree.Match: emit_match,
    tree.Guard: emit_guard,
    tree.Assert: emit_assert,
    tree.Return: emit_return,
    tree.Break: lambda emitter, _: emitter.line("break;"),
    tree.Continue: lambda emitter, _: emitter.line("continue;"),
    tree.Throw: emit_throw,
    tree.Print: emit_print,
    tree.Try: emit_try,
    tree.Do: emit_do,
    tree.Manage: emit_manage,
    tree.Dispatch: lambda emitter, node: emitter.line(
        f'throw new Error("Nothing answers at {node.target}");'
    ),
    tree.Entry: emit_entry,
    tree.Suite: emit_suite,
    tree.Test: emit_test,
    tree.Setup: emit_setup,
    tree.Block: lambda emitter, node: emitter.line(emitter.block(node)),
    tree.ExpressionStatement: emit_expression_statement,
}
