"""Whatever the text, nothing raises; whatever the program, printing it changes nothing."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from languages.faber.ebnf import TERMINALS, Grammar
from languages.faber.material import programs
from probatio.languages import faber
from probatio.languages.faber.dialects import NAMES
from probatio.languages.faber.grammar import rules
from probatio.languages.faber.pipeline import analyse
from probatio.languages.faber.vocabulary import KEYWORD_NAMES, TYPE_NAMES

GRAMMAR = Grammar(rules())
SIGNS = [*"()[]{},;:.=<>+-*/%&|^~!?@#\"'`\\§\n", "..", "==", "===", "!=", "<=", ">=", "->", "+=", "&&", "||", "${"]
PIECES = sorted(KEYWORD_NAMES) + sorted(TYPE_NAMES) + SIGNS + [word for words in TERMINALS.values() for word in words]
RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

token_soup = st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)
sentences = st.integers(0, 2**32).map(lambda seed: sentence(random.Random(seed)))


def sentence(chance: random.Random) -> str:
    """A few statements made up from the grammar, some with a comment behind."""
    texts = [GRAMMAR.sentence("statement", chance, depth=3)[0] for _ in range(chance.randint(1, 4))]
    return "".join(text + chance.choice(["\n", ";\n", "  # quid\n", "\n\n# quod\n"]) for text in texts)


def never_raises(source: str) -> None:
    for dialect in NAMES:
        faber.check(source, dialect)
        faber.format(source, dialect)
    faber.check(source, strict=True)
    faber.format(source, "latin", "english")
    try:
        faber.compile(source)
    except faber.Rejected as rejected:
        assert rejected.diagnostics


def printing_changes_nothing(source: str) -> None:
    analysis = analyse(source, semantic=False)
    if analysis.diagnostics or not analysis.program.complete:
        return
    printed = faber.conversion(source)
    assert printed.diagnostics == []
    assert analyse(printed.text, semantic=False).program == analysis.program
    assert faber.format(printed.text) == printed.text
    for dialect in NAMES[1:]:
        there = faber.conversion(source, "latin", dialect)
        assert there.diagnostics == []
        back = faber.conversion(there.text, dialect, "latin")
        assert analyse(back.text, semantic=False).program == analysis.program


@RELAXED
@given(st.text(max_size=300))
def test_nothing_raises_on_arbitrary_text(source: str) -> None:
    never_raises(source)


@RELAXED
@given(token_soup)
def test_nothing_raises_on_arbitrary_tokens(source: str) -> None:
    never_raises(source)


@RELAXED
@given(st.one_of(token_soup, sentences))
def test_printing_changes_nothing_in_what_can_be_read(source: str) -> None:
    printing_changes_nothing(source)


@RELAXED
@given(sentences)
def test_nothing_raises_on_sentences_of_the_grammar(source: str) -> None:
    never_raises(source)


def mutated(chance: random.Random, source: str, others: list[str]) -> str:
    """A program with a few bytes or tokens changed, dropped, doubled or taken from another program."""
    for _ in range(chance.randint(1, 6)):
        kind = chance.randrange(6)
        words = source.split(" ")
        at = chance.randrange(len(source) + 1)
        if kind == 0:
            source = (
                source[:at] + chr(chance.choice((chance.randrange(128), chance.randrange(0x10000)))) + source[at + 1 :]
            )
        elif kind == 1:
            source = source[:at] + source[at + chance.randint(1, 10) :]
        elif kind == 2:
            source = source[:at] + f" {chance.choice(PIECES)} " + source[at:]
        elif kind == 3:
            i = chance.randrange(len(words))
            source = " ".join([*words[:i], chance.choice(PIECES), *words[i + 1 :]])
        elif kind == 4:
            other = chance.choice(others)
            cut = chance.randrange(len(other) + 1)
            source = source[:at] + other[cut : cut + 80] + source[at:]
        else:
            i = chance.randrange(len(words))
            source = " ".join([*words[:i], words[i], *words[i:]])
    return source.encode("utf-8", "replace").decode("utf-8")


def mutate_for(seconds: float, seed: int) -> int:
    chance = random.Random(seed)
    material = programs()
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        source = mutated(chance, chance.choice(material), material)
        try:
            never_raises(source)
            printing_changes_nothing(source)
        except Exception:
            print(repr(source))
            raise
        count += 1
    return count


def test_mutated_programs_never_raise_and_print_the_same() -> None:
    assert mutate_for(2, seed=3) > 20


@pytest.mark.slow
def test_a_minute_of_mutated_programs_never_raises_and_prints_the_same() -> None:
    assert mutate_for(60, seed=int(time.time())) > 1000
