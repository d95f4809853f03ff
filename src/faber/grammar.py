"""The grammar, gathered from the rules that stand above the parser's functions,
in the words of any dialect."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from faber.dialects import find_dialect

MODULES = (
    "program", "blocks", "control_flow", "statements", "declarations", "expressions", "operands",
    "types", "tokens",
)  # fmt: skip
"""The modules of `parse` where the rules stand, in the order they are shown."""

_RULE = re.compile(r"^ *# (?P<rule>[A-Za-z_]+ = (?:.*\n *# {3,})*.*) ;(?:  (?P<note>.*))?$", re.MULTILINE)
_LITERAL = re.compile(r'"([^"]+)"')


@cache
def read_rules() -> dict[str, str]:
    """Rule name → its definition, as it stands above the function that reads it."""
    folder = Path(__file__).parent / "parse"
    definitions = {}
    for module in MODULES:
        for match in _RULE.finditer((folder / f"{module}.py").read_text(encoding="utf-8")):
            text = re.sub(r"\s*\n *# +", " ", match["rule"])
            name, definition = text.split(" = ", 1)
            definitions[name] = definition + (f"  (* {match['note']} *)" if match["note"] else "")
    return definitions


def render_grammar(dialect: str = "latin") -> str:
    """All rules as EBNF, keywords spelt as the dialect spells them."""
    chosen = find_dialect(dialect)
    words, others = chosen.words, chosen.twist.grammar if chosen.twist else {}
    lines = []
    for name, definition in (read_rules() | others).items():
        spelt = (
            definition if name.isupper() else _LITERAL.sub(lambda m: f'"{words.get(m[1], m[1])}"', definition)
        )
        lines.append(f"{name} = {spelt} ;")
    return "\n".join(lines) + "\n"
