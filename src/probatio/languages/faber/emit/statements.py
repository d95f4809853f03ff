"""Statements as TypeScript."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from probatio.languages.faber import tree
from probatio.languages.faber.emit.calls import kind_of
from probatio.languages.faber.emit.emitter import Emitter
from probatio.languages.faber.emit.expressions import apply_steps
from probatio.languages.faber.emit.precedence import (
    EQUAL,
    MEMBER,
    PREFIX,
)


def emit_if(emitter: Emitter, node: tree.If) -> str:
    return emitter.caught(node.catch, lambda: emitter.line(if_text(emitter, node)))


def if_text(emitter: Emitter, node: tree.If) -> str:
    text = f"if ({emitter.text(node.test)}) {emitter.block(node.yes)}"
    if isinstance(node.no, tree.If) and node.no.catch is None:
        return f"{text} else {if_text(emitter, node.no)}"
    if isinstance(node.no, tree.If):
        return f"{text} else {emitter.block(tree.Block(node.no.at, [node.no]))}"
    return text if node.no is None else f"{text} else {emitter.block(node.no)}"


def emit_while(emitter: Emitter, node: tree.While) -> str:
    return emitter.caught(
        node.catch, lambda: emitter.line(f"while ({emitter.text(node.test)}) {emitter.block(node.body)}")
    )


def emit_loop(emitter: Emitter, node: tree.Loop) -> str:
    return emitter.caught(node.catch, lambda: emitter.line(f"{loop_head(emitter, node)} {emitter.block(node.body)}"))


def loop_head(emitter: Emitter, node: tree.Loop) -> str:
    source, name = node.source, node.name
    if isinstance(source, tree.Range) and not node.steps:
        step = f"{name} += {emitter.text(source.step)}" if source.step is not None else f"{name}++"
        stop = emitter.text(source.stop, EQUAL)
        return f"for (let {name}: any = {emitter.text(source.start)}; {name} {'<=' if source.inclusive else '<'} {stop}; {step})"
    if node.over == "de":
        if kind_of(source.type) == "tabula":
            return f"for (const {name} of {emitter.text(source, MEMBER)}.keys())"
        return f"for (const {name} in {emitter.text(source)})"
    values = apply_steps(emitter, emitter.text(source, MEMBER), node.steps) if node.steps else emitter.text(source)
    return f"for {'await ' * node.is_async}(const {name} of {values})"


def emit_with(emitter: Emitter, node: tree.With) -> str:
    """Assignments to plain names go to the object."""
    simple = isinstance(node.object, (tree.Name, tree.Self))
    owner = emitter.text(node.object) if simple else emitter.unused("object")
    emitter.depth += 1
    lines = [] if simple else [emitter.line(f"const {owner}: any = {emitter.text(node.object)};")]
    for statement in node.body.body:
        if (
            isinstance(statement, tree.ExpressionStatement)
            and isinstance(statement.value, tree.Assign)
            and isinstance(statement.value.target, tree.Name)
        ):
            assign = statement.value
            lines.append(emitter.line(f"{owner}.{assign.target.name} {assign.operator} {emitter.text(assign.value)};"))  # type: ignore[attr-defined]
        else:
            lines.append(emitter.statement(statement))
    emitter.depth -= 1
    return emitter.line("{\n" + "\n".join(lines) + f"\n{emitter.indent()}}}") if lines else ""


def emit_switch(emitter: Emitter, node: tree.Switch) -> str:
    return emitter.caught(node.catch, lambda: switch_text(emitter, node))


def switch_text(emitter: Emitter, node: tree.Switch) -> str:
    if isinstance(node.value, (tree.Name, tree.Truth, tree.Number, tree.Text)):
        return (
            emitter.line(switch_cases(emitter, emitter.text(node.value, EQUAL), node))
            if node.cases
            else default_text(emitter, node.default)
        )
    value = emitter.unused("value")
    emitter.depth += 1
    inner = emitter.line(switch_cases(emitter, value, node)) if node.cases else default_text(emitter, node.default)
    head = emitter.line(f"const {value}: any = {emitter.text(node.value)};")
    emitter.depth -= 1
    return f"{emitter.indent()}{{\n{head}\n{inner}\n{emitter.indent()}}}"


def default_text(emitter: Emitter, block: tree.Block | None) -> str:
    return "" if block is None else emitter.line(emitter.block(block))


def switch_cases(emitter: Emitter, value: str, node: tree.Switch) -> str:
    text = " else ".join(
        f"if ({value} === {emitter.text(case.test, EQUAL + 1)}) {emitter.block(case.body)}" for case in node.cases
    )
    return text if node.default is None else f"{text} else {emitter.block(node.default)}"


def emit_match(emitter: Emitter, node: tree.Match) -> str:
    names, heads = [], []
    for value in node.values:
        simple = isinstance(value, tree.Name)
        names.append(emitter.text(value) if simple else emitter.unused("value"))
        if not simple:
            heads.append(f"const {names[-1]}: any = {emitter.text(value)};")
    emitter.depth += bool(heads)
    chain = " else ".join(match_case(emitter, case, node, names) for case in node.cases)
    if node.default is not None:
        chain = f"{chain} else {emitter.block(node.default)}" if chain else emitter.block(node.default)
    lines = [emitter.line(head) for head in heads] + ([emitter.line(chain)] if chain else [])
    emitter.depth -= bool(heads)
    if not heads:
        return "\n".join(lines)
    return f"{emitter.indent()}{{\n" + "\n".join(lines) + f"\n{emitter.indent()}}}"


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
    return "\n".join(emitter.line(f"if ({emitter.text(c.test)}) {emitter.block(c.body)}") for c in node.clauses)


def emit_assert(emitter: Emitter, node: tree.Assert) -> str:
    test = emitter.text(node.test)
    if node.message is not None:
        message = emitter.text(node.message)
    else:
        condition = f"({test})" if isinstance(node.test, tree.Binary) else test
        message = (
            '"' + f"Assertion failed: {condition}".replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        )
    return emitter.line(f"if (!({test})) throw new Error({message});")


def emit_return(emitter: Emitter, node: tree.Return) -> str:
    return emitter.line("return;" if node.value is None else f"return {emitter.text(node.value)};")


def emit_break(emitter: Emitter, _: tree.Break) -> str:
    return emitter.line("break;")


def emit_continue(emitter: Emitter, _: tree.Continue) -> str:
    return emitter.line("continue;")


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
    return emitter.line(f"console.{method}({emitter.joined(node.arguments)});")


def emit_try(emitter: Emitter, node: tree.Try) -> str:
    body = emitter.guarded_block(node.body) if node.catch is not None else emitter.block(node.body)
    always = f" finally {emitter.block(node.always)}" if node.always is not None else ""
    return emitter.line(f"try {body}{emitter.catch(node.catch)}{always}")


def emit_do(emitter: Emitter, node: tree.Do) -> str:
    if node.test is None:
        if node.catch is None:
            return emitter.line(emitter.block(node.body))
        return emitter.line(f"try {emitter.guarded_block(node.body)}{emitter.catch(node.catch)}")
    if node.catch is None:
        return emitter.line(f"do {emitter.block(node.body)} while ({emitter.text(node.test)});")
    inner = tree.Try(node.at, node.body, node.catch, None)
    return emitter.line(f"do {emitter.block(tree.Block(node.at, [inner]))} while ({emitter.text(node.test)});")


def emit_manage(emitter: Emitter, node: tree.Manage) -> str:
    if node.resource is None:
        return emitter.caught(node.catch, lambda: emitter.line(emitter.block(node.body)))
    return emitter.caught(node.catch, lambda: managed_text(emitter, node))


def managed_text(emitter: Emitter, node: tree.Manage) -> str:
    name = node.name or emitter.unused("resource")
    assert node.resource is not None
    emitter.depth += 1
    value = emitter.text(node.resource, PREFIX) if node.is_async else emitter.text(node.resource)
    head = emitter.line(f"const {name}: any = {'await ' * node.is_async}{value};")
    body = emitter.line(f"try {emitter.block(node.body)} finally {{ {name}?.solve?.(); }}")
    emitter.depth -= 1
    return f"{emitter.indent()}{{\n{head}\n{body}\n{emitter.indent()}}}"


def emit_dispatch(emitter: Emitter, node: tree.Dispatch) -> str:
    return emitter.line(f'throw new Error("Nothing answers at {node.target}");')


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


def emit_plain_block(emitter: Emitter, node: tree.Block) -> str:
    return emitter.line(emitter.block(node))


def emit_expression_statement(emitter: Emitter, node: tree.ExpressionStatement) -> str:
    value = node.value
    if emitter.yields and isinstance(leftmost(value), tree.Cede) and not isinstance(value, tree.Cede):
        # `cede i * i` reads `(cede i) * i`, but it is the product that is meant to be handed out.
        return emitter.line(f"yield {emitter.text(without_cede(value))};")
    text = emitter.text(value)
    if text.startswith(("{", "function", "class", "async (", "let")) or isinstance(node.value, tree.Lambda):
        text = f"({text})"
    return emitter.line(f"{text};")


def leftmost(node: tree.Expression) -> tree.Expression:
    while isinstance(node, tree.Binary):
        node = node.left
    return node


def without_cede(node: tree.Expression) -> tree.Expression:
    if isinstance(node, tree.Binary):
        return tree.Binary(node.at, node.operator, without_cede(node.left), node.right)
    return node.value if isinstance(node, tree.Cede) else node


STATEMENTS: dict[type[tree.Statement], Function[[Emitter, Any], str]] = {
    tree.If: emit_if,
    tree.While: emit_while,
    tree.Loop: emit_loop,
    tree.With: emit_with,
    tree.Switch: emit_switch,
    tree.Match: emit_match,
    tree.Guard: emit_guard,
    tree.Assert: emit_assert,
    tree.Return: emit_return,
    tree.Break: emit_break,
    tree.Continue: emit_continue,
    tree.Throw: emit_throw,
    tree.Print: emit_print,
    tree.Try: emit_try,
    tree.Do: emit_do,
    tree.Manage: emit_manage,
    tree.Dispatch: emit_dispatch,
    tree.Entry: emit_entry,
    tree.Suite: emit_suite,
    tree.Test: emit_test,
    tree.Setup: emit_setup,
    tree.Block: emit_plain_block,
    tree.ExpressionStatement: emit_expression_statement,
}
