"""Where brackets are needed: how tightly an expression binds,
and which words its open end would take for its own."""

from __future__ import annotations

from faber import tree
from faber.parse.expressions import OPERAND_WORDS, TESTS
from faber.parse.operands import PIPELINE_VERBS
from faber.parse.tokens import NAME

# How tightly Faber binds, loosest first, as the parser reads it.
OPEN, CHOICE, OR, AND, EQUAL, COMPARE, BIT_OR, BIT_XOR = range(8)
BIT_AND, RANGE, SUM, PRODUCT, PREFIX, POSTFIX, CALL = range(8, 15)

BINARY = {
    "||": OR, "??": OR, "&&": AND, "==": EQUAL, "!=": EQUAL, "===": EQUAL, "!==": EQUAL,
    "<": COMPARE, "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "intra": COMPARE, "inter": COMPARE,
    "|": BIT_OR, "^": BIT_XOR, "&": BIT_AND, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT,
}  # fmt: skip
SUMS_FIRST = BINARY | dict.fromkeys(("+", "-"), PRODUCT) | dict.fromkeys(("*", "/", "%"), SUM)
LEVEL: dict[type[tree.Expression], int] = {
    **dict.fromkeys((tree.Spread, tree.Assign, tree.Lambda, tree.Pipeline, tree.Filter), OPEN),
    tree.Conditional: CHOICE,
    tree.TypeTest: EQUAL,
    tree.Range: RANGE,
    **dict.fromkeys(
        (tree.Unary, tree.Cede, tree.New, tree.Shape, tree.Comptime, tree.Format, tree.Read), PREFIX
    ),
    **dict.fromkeys((tree.Cast, tree.Native, tree.Convert, tree.Shift), POSTFIX),
}

NOTHING: frozenset[str] = frozenset()
OPERATORS = frozenset((*BINARY, "sic", "..", "per", "est", "non"))
FLAGS = "FLAGS"  # a name that could be the flags of a regular expression
OPERANDS = OPERAND_WORDS | {NAME, FLAGS}

_FIRST = {
    tree.Assign: "target", tree.Conditional: "test", tree.Binary: "left", tree.Range: "start",
    tree.TypeTest: "value",
    tree.Cast: "value", tree.Native: "value", tree.Convert: "value", tree.Shift: "value",
    tree.Call: "callee", tree.Member: "object", tree.Index: "object",
}  # fmt: skip


def binds(node: tree.Expression, binary: dict[str, int]) -> int:
    return binary[node.operator] if isinstance(node, tree.Binary) else LEVEL.get(type(node), CALL)


def leading(node: tree.Expression) -> set[int]:
    """The identities of the parts that start where the expression starts."""
    parts = {id(node)}
    while type(node) in _FIRST:
        node = getattr(node, _FIRST[type(node)])
        parts.add(id(node))
    return parts


def taker(node: tree.Expression, following: str, binary: dict[str, int]) -> tree.Expression | None:
    """The part at the expression's end that would take what follows for its own.

    `following` is a word, a sign, NAME or FLAGS, with a newline before it where it stands on the next line.
    In a test like `nihil novum A` the part is the whole test: `nihil (novum A)` would be a call.
    """
    word, test = following.lstrip("\n"), None
    while word not in takes(node, same_line=word == following):
        if test is None and isinstance(node, tree.Unary) and node.operator in TESTS:
            test = node
        last, at_least = last_operand(node, binary)
        if last is None or binds(last, binary) < at_least:
            return None
        node = last
    return test or node


def takes(node: tree.Expression, same_line: bool) -> frozenset[str]:
    """The words, signs and operators that, following this very node, are read as part of it."""
    match node:
        case tree.Nothing() | tree.Truth():
            return OPERANDS if same_line else NOTHING  # `nihil x` on one line is a test of x
        case tree.Regex(flags=""):
            return frozenset((FLAGS,))
        case tree.Read(line=False):
            return frozenset(("lineam",))
        case tree.New(from_value=True):
            return OPERATORS | {"{"}
        case tree.New(fields=None):
            return frozenset(("{", "de"))
        case tree.Shape(fields=None, union=None):
            return frozenset("{")
        case tree.Cast() | tree.Native() | tree.TypeTest():
            return frozenset("<")
        case tree.Convert(fallback=None, target=None):
            return frozenset(("??", "<"))
        case tree.Convert(fallback=None):
            return frozenset(("??",))
        case tree.Pipeline():
            return frozenset((",", "{"))
        case tree.Filter():
            open_for = {",", "{"} | PIPELINE_VERBS
            if node.property is None and node.condition is None and not node.steps:
                open_for |= {NAME, FLAGS, "ubi"} if node.negated else {NAME, FLAGS, "ubi", "non"}
            return frozenset(open_for)
    return NOTHING


def last_operand(node: tree.Expression, binary: dict[str, int]) -> tuple[tree.Expression | None, int]:
    """The operand the expression ends with, and how tightly it must bind to stand there without brackets."""
    match node:
        case tree.Binary():
            return node.right, binds(node, binary) + 1
        case tree.Unary() | tree.Cede():
            return node.value, PREFIX
        case tree.Range():
            return node.step or node.stop, SUM
        case tree.Shift():
            return node.amount, PREFIX
        case tree.Convert():
            return node.fallback, PREFIX
        case tree.Conditional():
            return node.no, CHOICE
        case tree.Assign() | tree.Spread():
            return node.value, OPEN
        case tree.New(from_value=True):
            return node.fields, OPEN
        case tree.Lambda(body=tree.Expression() as body):
            return body, OPEN
        case tree.Pipeline() | tree.Filter(steps=[_, *_]):
            return node.steps[-1].count, OPEN
        case tree.Filter():
            bare = node.property is None and not node.negated
            return node.condition or (node.source if bare else None), OPEN
    return None, OPEN
