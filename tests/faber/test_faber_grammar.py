"""The grammar in the documentation is the parser's own, and the parser reads what it describes."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from faber.analysis import analyse
from faber.grammar import MODULES, read_rules, render_grammar
from faber_programs.ebnf import Grammar

ROOT = Path(__file__).parents[2]


def test_the_documentation_shows_the_grammar_as_it_stands_above_the_parsers_functions() -> None:
    text = (ROOT / "docs" / "faber.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```ebnf\n(.*?)```", text, re.DOTALL)
    assert shown == render_grammar()


def test_every_function_that_reads_a_construct_has_its_rule_above_it() -> None:
    folder = ROOT / "src" / "faber" / "parse"
    for module in MODULES[1:-1]:
        source = (folder / f"{module}.py").read_text(encoding="utf-8")
        for match in re.finditer(
            r"(?P<before>.*)\ndef (?P<name>\w+)\(cursor: Cursor\) -> "
            r"(?:Statement|Block|If|Case|Pattern|TypeName)\b",
            source,
        ):
            assert match["before"].startswith("# ") or match["name"] in UNRULED, f"{module}.{match['name']}"


UNRULED = {"parse_returned_value", "parse_default_case"}


def test_no_rule_stands_in_a_module_that_the_grammar_leaves_out() -> None:
    folder = ROOT / "src" / "faber" / "parse"
    for path in folder.glob("*.py"):
        if path.stem not in MODULES:
            assert not re.search(r"^ *# [a-z_]+ = .*;", path.read_text(encoding="utf-8"), re.MULTILINE), (
                path.name
            )


def test_every_rule_is_defined_and_used() -> None:
    known = set(read_rules())
    bare = [re.sub(r'"[^"]*"|  \(\*.*', "", definition) for definition in read_rules().values()]
    used = {name for definition in bare for name in re.findall(r"[a-z_]{2,}", definition)}
    parser_rules = {name for name in known if name.islower() and name != "comment"}
    assert parser_rules - used == {"program"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sentences", "share"), [(3_000, 0.9), pytest.param(20_000, 1.0, marks=pytest.mark.soak)]
)
def test_every_alternative_of_every_rule_occurs_in_a_program_the_parser_reads(
    sentences: int, share: float
) -> None:
    described = Grammar(read_rules())
    chance = random.Random(1)
    missing = described.alternatives()
    for _ in range(sentences):
        if not missing:
            break
        start = chance.choice(("statement", "statement", "expression_statement", "class", "print"))
        text, taken = described.sentence(start, chance, depth=3, wanted=frozenset(missing))
        if missing & taken and not analyse(text, semantic=False).diagnostics:
            missing -= taken
    assert len(missing) <= (1 - share) * len(described.alternatives()), sorted(missing)
