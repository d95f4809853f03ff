"""A ladder of Python functions in one file: each has hidden tests, so a bad one costs only itself."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Collection
from typing import Any

import msgspec

from probatio.builtin.daily.code_generation.ladder import ProgramLadder, Rung, describe_size, size_credit
from probatio.core.records.check_result import CheckResult, Part
from probatio.core.text.fences import find_fences
from probatio.jail import Choice
from probatio.languages.python import Call, CallFailed, Result, run_calls
from probatio.languages.python.hidden_tests import HiddenTest, calls_of, describe_faults, fault
from probatio.languages.python.solution_text import FENCES, dedent

LONGEST = 60_000
"""Characters of a solution that are parsed; more than ten times the longest answer."""
IMPORTS = 600
"""Characters of import lines that cost nothing, all together; the most in any kept answer is 182."""
LONGEST_ALIAS = 12
"""Characters of a name in `import … as name`: a longer one could carry code as text."""
TRIES = 3
"""A rung that ends or hangs the process costs the rungs after it nothing, so often."""
MISSING = "there is no such function in the answer"
_DISPATCH = "_rung"
_LOADER = f"""
def _load(texts, names, run=exec, compiled=compile, anything=Exception):
    for text in texts:
        try:
            run(compiled(text, "solution.py", "exec"), names)
        except anything:
            pass
_load(TEXTS, globals())
{_DISPATCH} = (lambda names: lambda name, *args: names[name](*args))(globals())
"""
"""Builtins are taken before the solution is loaded: `from re import *` has another `compile`."""
_NOT_PARSED = (SyntaxError, ValueError, RecursionError, MemoryError)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CONTINUES = re.compile(r"[\s)\]}]|(?:else|elif|except|finally)\b|$")


class FunctionRung(Rung, frozen=True):
    """One function, or one set of its tests. `strict`: only all tests together count. `limit`: the most
    characters of its definition. `free`: how many of them do not count for the other functions; None for
    all."""

    function: str
    tests: tuple[HiddenTest, ...]
    strict: bool = False
    limit: int | None = None
    free: int | None = None


class TopStatement(msgspec.Struct, frozen=True):
    """A statement of the file."""

    text: str
    defines: str | None
    """The function or lambda it defines."""
    imports: bool = False
    """Whether it only imports: then its length is free, up to `IMPORTS`."""
    builds_on: bool = False
    """Whether the definition uses an earlier one of the same name, as `f = cache(f)` does."""


def check(gold: dict[str, Any], answer: str, isolation: Choice) -> CheckResult:
    """Every rung of the ladder, by the functions in the answer."""
    ladder = msgspec.convert(gold, ProgramLadder[FunctionRung])
    asked = {rung.function: rung.free for rung in ladder.rungs}
    found = drop_replaced(statements(answer), asked.keys())
    lengths = lengths_of(found, asked)
    there = [rung for rung in ladder.rungs if rung.function in lengths]
    results, timely = _call_all(found, there, isolation)
    return CheckResult(
        tuple(_part(rung, results.get(rung.rung), lengths.get(rung.function, 0)) for rung in ladder.rungs),
        timely=timely,
    )


def _part(rung: FunctionRung, results: list[Result] | None, length: int) -> Part:
    if results is None:
        return Part(rung.name, 0.0, MISSING, rung=rung.rung)
    faults = [fault(test, result) for test, result in zip(rung.tests, results, strict=True)]
    earned = credit(rung, faults)
    detail = describe_faults(rung.tests, faults)
    if not detail:
        earned *= size_credit(length, rung.limit)
        detail = describe_size(length, rung.limit, "characters")
    return Part(rung.name, earned, detail, rung=rung.rung)


def credit(rung: FunctionRung, faults: list[str | None]) -> float:
    """The share of tests passed, beyond what the same result for every call would pass. A rung with a limit
    is strict: the size of a wrong program does not count."""
    passed = sum(why is None for why in faults)
    if rung.strict or rung.limit is not None:
        return float(passed == len(faults))
    luck = max(Counter(test.raises or repr(test.expected) for test in rung.tests).values())
    if luck == len(faults):
        return float(passed == len(faults))
    return max(0.0, (passed - luck) / (len(faults) - luck))


def _call_all(
    found: list[TopStatement], rungs: list[FunctionRung], isolation: Choice
) -> tuple[dict[int, list[Result]], bool]:
    """The results of all calls, and whether all were timely. All rungs share a process; if it ends early, the
    rungs after that one get another."""
    # Each statement is loaded separately: one that raises takes no other with it.
    source = _LOADER.replace("TEXTS", repr([each.text for each in found]))
    results: dict[int, list[Result]] = {}
    timely = True
    for _ in range(TRIES):
        if not rungs:
            break
        calls = [
            Call((rung.function, *call.args), call.wants_args)
            for rung in rungs
            for call in calls_of(rung.tests)
        ]
        called = run_calls(source, _DISPATCH, calls, isolation)
        given, timely = iter(called), timely and called.timely
        for rung in rungs:
            results[rung.rung] = [_own(next(given)) for _ in rung.tests]
        silent = [rung for rung in rungs if isinstance(results[rung.rung][-1], CallFailed)]
        last = max((n for n, rung in enumerate(rungs) if rung not in silent), default=-1)
        rungs = rungs[last + 2 :]  # behind the last that was answered stands the one it ended in
    return results, timely


def _own(result: Result) -> Result:
    """The result without the function's name among the arguments."""
    args = getattr(result, "args", None)
    return result if not args else msgspec.structs.replace(result, args=args[1:])


def statements(answer: str) -> list[TopStatement]:
    """The statements of all Python blocks of an answer, or of the answer itself where it has no block; idle
    ones are left out."""
    blocks = [block for block in find_fences(answer) if block.body.strip()]
    ours = [block for block in blocks if block.language in FENCES] or blocks
    texts = [dedent(block.body) for block in ours] or [answer]
    found: list[TopStatement] = []
    left = LONGEST
    for text in texts:
        found += _of(text[:left])
        left = max(0, left - len(text))
    return found


def _of(text: str) -> list[TopStatement]:
    """A text's statements; of one with errors, those pieces that stand at its margin and have none."""
    # Python ends a line at \r, too, and its nodes count lines.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (whole := _parse(text)) is not None:
        return whole
    pieces: list[list[str]] = []
    for line in text.splitlines():
        goes_on = _CONTINUES.match(line) or (pieces and pieces[-1][-1].startswith("@"))
        if goes_on and pieces:
            pieces[-1].append(line)
        elif not goes_on:
            pieces.append([line])
    return [each for piece in pieces for each in _parse("\n".join(piece)) or ()]


def _parse(text: str) -> list[TopStatement] | None:
    try:
        with warnings.catch_warnings(action="ignore"):  # `1and` is odd, and still Python
            body = ast.parse(text).body
    except _NOT_PARSED:
        return None
    lines = text.encode("utf-8", "surrogatepass").split(b"\n")
    return [_statement(lines, node) for node in body if not _is_idle(node)]


def _statement(lines: list[bytes], node: ast.stmt) -> TopStatement:
    decorators = getattr(node, "decorator_list", ())
    first = min([node.lineno, *(each.lineno for each in decorators)])
    rows = lines[first - 1 : node.end_lineno]
    rows[-1] = rows[-1][: node.end_col_offset]
    rows[0] = rows[0][node.col_offset if first == node.lineno else 0 :]
    text = b"\n".join(rows).decode("utf-8", "surrogatepass")
    name = _find_name(node)
    return TopStatement(text, name, _only_imports(node), name is not None and name in _uses_at_once(node))


def _find_name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _only_imports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) and all(
        len(each.asname or "") <= LONGEST_ALIAS for each in node.names
    )


def _uses_at_once(node: ast.stmt) -> set[str]:
    """The names that are read when a definition is made: all but those in the bodies of functions, which are
    read when these are called."""
    used: set[str] = set()
    pending: list[ast.AST] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            used.add(each.id)
        for field, value in ast.iter_fields(each):
            if not (field == "body" and isinstance(each, _FUNCTIONS)):
                parts = value if isinstance(value, list) else [value]
                pending += [part for part in parts if isinstance(part, ast.AST)]
    return used


def _is_idle(node: ast.stmt) -> bool:
    """A constant or a print of constants at the top of the file. It is not loaded, so nothing can use it."""
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
        given = [*value.args, *(each.value for each in value.keywords)]
        return all(isinstance(each, ast.Constant) for each in given)
    return isinstance(value, ast.Constant)


def drop_replaced(found: list[TopStatement], asked: Collection[str]) -> list[TopStatement]:
    """The statements without those definitions of a function asked for that a later one replaces: a model may
    think again. What is dropped is not loaded, so a definition that the later one uses is not dropped."""
    kept: list[TopStatement] = []
    replaced: set[str] = set()
    for each in reversed(found):
        if each.defines in replaced:
            continue
        if each.defines is not None and each.defines in asked and not each.builds_on:
            replaced.add(each.defines)
        kept.append(each)
    return kept[::-1]


def lengths_of(found: list[TopStatement], asked: dict[str, int | None]) -> dict[str, int]:
    """Function → characters of its definitions, of everything else in the file but imports, and of the other
    functions beyond their free characters."""
    imports = sum(len(each.text) for each in found if each.imports)
    others = sum(len(each.text) for each in found if each.defines not in asked and not each.imports)
    others += max(0, imports - IMPORTS)
    own: dict[str, int] = {}
    for each in found:
        if each.defines is not None and each.defines in asked:
            own[each.defines] = own.get(each.defines, 0) + len(each.text)
    beyond = {
        name: max(0, length - free) for name, length in own.items() if (free := asked[name]) is not None
    }
    spilled = sum(beyond.values())
    return {name: length + others + spilled - beyond.get(name, 0) for name, length in own.items()}
