"""Statements in the words of a dialect."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from faber import tree
from faber.parse.control_flow import BINDING
from faber.parse.program import STATEMENTS as STATEMENT_STARTS
from faber.parse.statements import RESOURCES
from faber.print.brackets import OPEN
from faber.print.expressions import print_stepped
from faber.print.layout import print_block, print_members
from faber.print.printer import Printer, Statements

STARTS = frozenset(STATEMENT_STARTS) | {"reddit"}


def print_body(printer: Printer, block: tree.Block) -> str:
    if block.form == "block" or len(block.body) != 1:
        return print_block(printer, block)
    inner = block.body[0]
    if block.form == "reddit" and isinstance(inner, tree.Return) and inner.value is not None:
        return f"{printer.words['reddit']} {printer.text(inner.value)}"
    text = printer.statement(inner)
    return text if block.form == "bare" else f"{printer.words['ergo']} {text}"


def print_catch(printer: Printer, node: tree.Catch | None) -> str:
    if node is None:
        return ""
    return f" {printer.words['cape']} {printer.variable(node.name)} {print_block(printer, node.body)}"


def print_if(printer: Printer, node: tree.If, word: str = "si") -> str:
    test, yes = printer.before_block(node.test), print_body(printer, node.yes)
    text = f"{printer.words[word]} {test} {yes}{print_catch(printer, node.catch)}"
    if isinstance(node.no, tree.If):
        return f"{text} {print_if(printer, node.no, 'sin')}"
    return text if node.no is None else f"{text} {printer.words['secus']} {print_body(printer, node.no)}"


def print_while(printer: Printer, node: tree.While) -> str:
    test, body = printer.before_block(node.test), print_body(printer, node.body)
    return f"{printer.words['dum']} {test} {body}{print_catch(printer, node.catch)}"


def print_loop(printer: Printer, node: tree.Loop) -> str:
    verb = printer.words["fiet" if node.is_async else "pro"]
    head = (
        f"{printer.words[node.over]} {print_stepped(printer, node.source, node.steps)} {verb} "
        f"{printer.variable(node.name)}"
    )
    return f"{head} {print_body(printer, node.body)}{print_catch(printer, node.catch)}"


def print_with(printer: Printer, node: tree.With) -> str:
    return f"{printer.words['in']} {printer.before_block(node.object)} {print_block(printer, node.body)}"


def print_cases(
    printer: Printer, node: tree.Switch | tree.Match, end: int, write: Function[[Printer, Any], str]
) -> str:
    """The cases one to a line, the remaining one last."""

    def write_case(printer: Printer, case: Any) -> str:
        if isinstance(case, tree.Block):
            return f"{printer.words['ceterum']} {print_body(printer, case)}"
        return f"{printer.words['casu']} {write(printer, case)} {print_body(printer, case.body)}"

    cases = [*node.cases, *([node.default] if node.default is not None else [])]
    return print_members(printer, cases, end, write_case)


def print_switch(printer: Printer, node: tree.Switch) -> str:
    end = node.catch.at if node.catch is not None else node.end
    cases = print_cases(printer, node, end, lambda printer, case: printer.before_block(case.test))
    return (
        f"{printer.words['elige']} {printer.before_block(node.value)} "
        f"{cases}{print_catch(printer, node.catch)}"
    )


def print_match(printer: Printer, node: tree.Match) -> str:
    values = [*(printer.text(v, OPEN, ",") for v in node.values[:-1]), printer.before_block(node.values[-1])]
    cases = print_cases(printer, node, node.end, print_patterns)
    return f"{printer.words['discerne']} {', '.join(values)} {cases}"


def print_patterns(printer: Printer, node: tree.MatchCase) -> str:
    return ", ".join(print_pattern(printer, pattern) for pattern in node.patterns)


def print_pattern(printer: Printer, node: tree.Pattern) -> str:
    if node.wildcard:
        return "_"
    text = printer.name(node.variant)
    if node.alias is not None:
        return f"{text} {printer.words['ut']} {printer.variable(node.alias)}"
    return (
        f"{text} {printer.words['pro']} {', '.join(map(printer.variable, node.bindings))}"
        if node.bindings
        else text
    )


def print_guard(printer: Printer, node: tree.Guard) -> str:
    return f"{printer.words['custodi']} {print_members(printer, node.clauses, node.end, print_clause)}"


def print_clause(printer: Printer, node: tree.Case) -> str:
    return f"{printer.words['si']} {printer.before_block(node.test)} {print_body(printer, node.body)}"


def print_assert(printer: Printer, node: tree.Assert) -> str:
    parts = [node.test] if node.message is None else [node.test, node.message]
    return f"{printer.words['adfirma']} {printer.join(parts)}"


def print_return(printer: Printer, node: tree.Return) -> str:
    return printer.words["redde"] + (f" {printer.text(node.value)}" if node.value is not None else "")


def print_throw(printer: Printer, node: tree.Throw) -> str:
    return f"{printer.words['mori' if node.fatal else 'iace']} {printer.text(node.value)}"


def print_try(printer: Printer, node: tree.Try) -> str:
    always = (
        f" {printer.words['demum']} {print_block(printer, node.always)}" if node.always is not None else ""
    )
    return (
        f"{printer.words['tempta']} "
        f"{print_block(printer, node.body)}{print_catch(printer, node.catch)}{always}"
    )


def print_do(printer: Printer, node: tree.Do) -> str:
    test = f" {printer.words['dum']} {printer.text(node.test)}" if node.test is not None else ""
    return f"{printer.words['fac']} {print_block(printer, node.body)}{print_catch(printer, node.catch)}{test}"


def print_manage(printer: Printer, node: tree.Manage) -> str:
    text = printer.words["cura"]
    if node.kind is not None:
        text += " " + printer.words[node.kind]
    if node.resource is not None:
        resource = printer.before_block(node.resource)
        taken = BINDING if node.kind is not None else BINDING | RESOURCES
        text += f" ({resource})" if printer.kind(resource) in taken else f" {resource}"
    if node.name is not None:
        declared = printer.type_name(node.declared) + " " if node.declared is not None else ""
        text += (
            f" {printer.words['fiet' if node.is_async else 'pro']} {declared}{printer.variable(node.name)}"
        )
    return f"{text} {print_block(printer, node.body)}{print_catch(printer, node.catch)}"


def print_dispatch(printer: Printer, node: tree.Dispatch) -> str:
    text = f'{printer.words["ad"]} "{node.target}" ({printer.join(node.arguments)})'
    if node.name is not None:
        text += f" {printer.words[node.verb]}" if node.verb is not None else ""
        text += f" {printer.type_name(node.declared)}" if node.declared is not None else ""
        text += f" {printer.words['pro']} {printer.variable(node.name)}"
        text += f" {printer.words['ut']} {printer.variable(node.alias)}" if node.alias is not None else ""
    if node.body is not None:
        text += " " + print_block(printer, node.body)
    return text + print_catch(printer, node.catch)


def print_entry(printer: Printer, node: tree.Entry) -> str:
    return f"{printer.words['incipiet' if node.is_async else 'incipit']} {print_body(printer, node.body)}"


def print_suite(printer: Printer, node: tree.Suite) -> str:
    return f'{printer.words["probandum"]} "{node.name}" {print_members(printer, node.body, node.end)}'


def print_test(printer: Printer, node: tree.Test) -> str:
    modifier = f'{printer.words[node.modifier]} "{node.reason}" ' if node.modifier is not None else ""
    return f'{printer.words["proba"]} {modifier}"{node.name}" {print_block(printer, node.body)}'


def print_setup(printer: Printer, node: tree.Setup) -> str:
    return (
        f"{printer.words[node.keyword]} "
        f"{(printer.words['omnia'] + ' ') * node.all}{print_block(printer, node.body)}"
    )


def print_expression_statement(printer: Printer, node: tree.ExpressionStatement) -> str:
    text = printer.text(node.value)
    # What starts like another kind of statement, or like the body of a branch, would be read as one.
    return f"({text})" if text.startswith("{") or printer.kind(text) in STARTS else text


STATEMENTS: Statements = {
    tree.If: print_if,
    tree.While: print_while,
    tree.Loop: print_loop,
    tree.With: print_with,
    tree.Switch: print_switch,
    tree.Match: print_match,
    tree.Guard: print_guard,
    tree.Assert: print_assert,
    tree.Return: print_return,
    tree.Break: lambda printer, _: printer.words["rumpe"],
    tree.Continue: lambda printer, _: printer.words["perge"],
    tree.Throw: print_throw,
    tree.Print: lambda printer, node: f"{printer.words[node.keyword]} {printer.join(node.arguments)}",
    tree.Try: print_try,
    tree.Do: print_do,
    tree.Manage: print_manage,
    tree.Dispatch: print_dispatch,
    tree.Entry: print_entry,
    tree.Suite: print_suite,
    tree.Test: print_test,
    tree.Setup: print_setup,
    tree.Block: print_block,
    tree.ExpressionStatement: print_expression_statement,
}
