"""Reads the EBNF of the documentation and makes up sentences from it."""

from __future__ import annotations

import random
import re

from faber.vocabulary import KEYWORD_NAMES, NOT_READABLE

_TOKEN = re.compile(r'"[^"]+"|[A-Za-z_]+|[\[\](){}|]')

TERMINALS = {
    "NAME": ["x", "y", "nomen", "Persona", "numerus", "lista", "textus", "i", "longitudo"],
    "KEYWORD": sorted(KEYWORD_NAMES - NOT_READABLE - {"verum", "falsum", "nihil", "ego", "lege"}),
    "NUMBER": ["0", "1", "42", "2.5", "1e3", "0xff"],
    "BIGINT": ["12n"],
    "STRING": ['"a"', '"b c"', "'d\"e'", '"§ et §"', '"x\\n"'],
    "TEMPLATE": ["`t ${x} u`"],
}


ALMOST_ALWAYS, OFTEN, RARELY = 0.8, 0.4, 0.05
INFIX = frozenset(
    (
        "conditional",
        "or",
        "and",
        "equality",
        "comparison",
        "bit_or",
        "bit_xor",
        "bit_and",
        "range",
        "sum",
        "product",
        "postfix",
        "call",
    )
)
"""Levels every expression passes through: taking their options often would make expressions endless."""


class Grammar:
    """Each node is ("lit", text), ("ref", name), ("seq", nodes), ("opt", node), ("rep", node) or ("alt", id,
    nodes)."""

    def __init__(self, rules: dict[str, str]) -> None:
        self.count = 0
        self.rules = {}
        for name, definition in rules.items():
            if name.islower() and name != "comment":
                self.tokens = _TOKEN.findall(definition.split("  (*")[0])
                self.rules[name] = self.choice(name)

    def choice(self, rule: str):  # type: ignore[no-untyped-def]
        options = [self.sequence(rule)]
        while self.tokens and self.tokens[0] == "|":
            self.tokens.pop(0)
            options.append(self.sequence(rule))
        self.count += 1
        return ("alt", f"{rule}/{self.count}", options)

    def sequence(self, rule: str):  # type: ignore[no-untyped-def]
        parts = []
        while self.tokens and self.tokens[0] not in "|])}":
            token = self.tokens.pop(0)
            if token in "[{(":
                inner = self.choice(rule)
                self.tokens.pop(0)
                parts.append({"[": ("opt", inner), "{": ("rep", inner), "(": inner}[token])
            else:
                parts.append(("lit", token[1:-1]) if token[0] == '"' else ("ref", token))
        return ("seq", parts)

    def alternatives(self) -> set[str]:
        names: set[str] = set()

        def walk(node) -> None:  # type: ignore[no-untyped-def]
            if node[0] == "alt":
                names.update(f"{node[1]}.{i}" for i in range(len(node[2])))
                for option in node[2]:
                    walk(option)
            elif node[0] == "seq":
                for part in node[1]:
                    walk(part)
            elif node[0] in ("opt", "rep"):
                walk(node[1])

        for rule in self.rules.values():
            walk(rule)
        return {name for name in names if not name.startswith("program/")}

    def sentence(
        self, rule: str, chance: random.Random, depth: int, wanted: frozenset[str] = frozenset()
    ) -> tuple[str, set[str]]:
        """A text of the rule, and which alternatives were taken on the way; `wanted` ones are taken more
        often."""
        words: list[str] = []
        wanted_rules = {chance.choice(sorted(wanted)).split("/")[0]} if wanted else set()
        taken: set[str] = set()

        def write(node, room: int, often: float) -> None:  # type: ignore[no-untyped-def]
            kind = node[0]
            if kind == "lit":
                words.append(node[1])
            elif kind == "ref":
                if node[1] in TERMINALS:
                    words.append(chance.choice(TERMINALS[node[1]]))
                else:
                    nests = node[1] in ("expression", "statement", "block", "type")
                    write(
                        self.rules[node[1]],
                        room - nests,
                        ALMOST_ALWAYS if node[1] in wanted_rules else RARELY if node[1] in INFIX else OFTEN,
                    )
            elif kind == "seq":
                for part in node[1]:
                    write(part, room, often)
            elif kind in ("opt", "rep"):
                if room > 0 and chance.random() < often:
                    write(node[1], room, often)
            else:
                options = list(range(len(node[2])))
                if room <= 0:
                    plain = [i for i in options if self.is_plain(node[2][i])]
                    options = plain or options
                new = [i for i in options if f"{node[1]}.{i}" in wanted]
                i = chance.choice(new if new and chance.random() < 0.5 else options)
                taken.add(f"{node[1]}.{i}")
                write(node[2][i], room, often)

        write(self.rules[rule], depth, OFTEN)
        return " ".join(words), taken

    def is_plain(self, node) -> bool:  # type: ignore[no-untyped-def]
        """Does the option lead to no further nesting?"""
        if node[0] == "ref":
            return node[1] in TERMINALS or node[1] in (
                "word",
                "break",
                "continue",
                "postfix",
                "call",
                "primary",
                "read",
                "return",
            )
        if node[0] == "seq":
            return all(self.is_plain(part) for part in node[1])
        if node[0] == "alt":
            return any(self.is_plain(option) for option in node[2])
        return True
