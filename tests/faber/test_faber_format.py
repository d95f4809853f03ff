"""Formatting prints one canonical text, keeps comments and blank lines, and never changes what a program
means."""

from __future__ import annotations

import pytest

import faber
from faber.analysis import analyse
from faber.dialects import NAMES, find_dialect
from faber.vocabulary import WORDS
from faber_programs.material import meaning, programs

READABLE = [p for p in programs() if not (a := analyse(p, semantic=False)).diagnostics and a.program.complete]


def tree(source: str, dialect_name: str = "latin") -> object:
    analysis = analyse(source, dialect_name, semantic=False)
    assert not analysis.diagnostics, analysis.diagnostics
    return meaning(analysis.program)


def test_the_canonical_print() -> None:
    source = "si x>1{scribe 'a'}secus{scribe\"b\"}fixum  y=(1+2)*3;[1].f()"
    assert faber.format(source) == (
        'si x > 1 {\n    scribe "a"\n} secus {\n    scribe "b"\n}\nfixum y = (1 + 2) * 3;\n[1].f()\n'
    )


def test_formatting_twice_is_formatting_once() -> None:
    for source in READABLE:
        once = faber.format(source)
        assert faber.format(once) == once


def test_the_print_reads_as_the_same_tree() -> None:
    for source in READABLE:
        assert tree(faber.format(source)) == tree(source)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "latin"])
def test_there_and_back_through_a_dialect_is_the_same_tree_and_the_same_verdict(name: str) -> None:
    for source in READABLE:
        there = faber.convert(source, "latin", name)
        assert there.diagnostics == []
        assert tree(faber.format(there.text, name, "latin")) == tree(source)
        assert bool(faber.check(there.text, name)) == bool(faber.check(source))


ENDS = {
    "a value before the name a filter goes by": ("ab nihil\nsc", "ab (nihil) sc"),
    "the program that failed in CI": (
        "fixum textus? inter  textus ab nihil\nsc mori ribe t",
        "fixum textus? inter;\ntextus\nab (nihil) sc\nmori ribe\nt",
    ),
    "a value before a filter's `non`": ("ab x et falsum\nnon i", "ab x et (falsum) non i"),
    "a value before `non est`": ("verum\nnon est T", "(verum) non est T"),
    "a test before `non est`": ("nihil falsum\nnon est T", "(nihil falsum) non est T"),
    "a test is no call": ("si nihil novum A ergo x", "si (nihil novum A) ergo x"),
    "a test of what would have brackets elsewhere": (
        "nihil x numeratum vel lege textatum",
        "nihil x numeratum vel lege textatum",
    ),
    "a filter of a filter": ("ab (ab x) y", "ab (ab x) y"),
    "a filter of a filter's condition": ("ab (ab x non) ubi y", "ab (ab x non) ubi y"),
    "the steps of a filter of a pipeline": ("ab ex x summa summa", "ab (ex x summa), summa"),
    "the steps after a filter's condition": ("ab x ubi (ab y), summa", "ab x ubi (ab y), summa"),
    "the steps of a loop over a filter": ("ex (ab x) prima 1 pro y {}", "ex (ab x) prima 1 pro y {}"),
    "a filter before a comma": (
        "adfirma (ab x), [sparge (ab y), ab z]",
        "adfirma (ab x), [sparge (ab y), ab z]",
    ),
    "a pipeline before a comma": ("x = { a: (ex x summa), b: ab x }", "x = { a: (ex x summa), b: ab x }"),
    "a default before a comma": (
        "functio f(x vel (ab y), z vel ab y)",
        "functio f(x vel (ab y), z vel ab y)",
    ),
    "a regular expression before a name": ('ab (sed "a") i', 'ab (sed "a") i'),
    "a field before a type like flags": (
        'genus A { T x: (sed "a") i y }',
        'genus A {\n    T x: (sed "a")\n    i y\n}',
    ),
    "a field before a borrowed one": (
        "genus A { T x: (novum A) de B y }",
        "genus A {\n    T x: (novum A)\n    de B y\n}",
    ),
    "a value on the line before is only a value": (
        "genus A { T x: nihil\nT y }",
        "genus A {\n    T x: nihil\n    T y\n}",
    ),
    "a name that starts another statement": ("(fixum); (genus.x = 1)", "(fixum);\n(genus.x = 1)"),
    "a pipeline that starts a statement": ("si x ergo (ex x summa)", "si x ergo (ex x summa)"),
    "a name that starts a branch": ("si x {} secus (reddit)", "si x {} secus (reddit)"),
    "a resource like a kind of resource": ("cura (arena) {}", "cura (arena) {}"),
    "a resource like a name for it": ("cura (pro: x) {}", "cura (pro: x) {}"),
    "an annotation without brackets: a filter": ("@ nota ab x y[1]\nfixum x", "@ nota ab x y,[1]\nfixum x"),
    "an annotation without brackets: a value": (
        "@ nota nihil\nnon est T\nfixum x",
        "@ nota nihil\n non est T\nfixum x",
    ),
    "an annotation without brackets: a lambda": (
        "@ nota pro {} qua T\nfixum x",
        "@ nota pro {} qua T\nfixum x",
    ),
    "an annotation before a type": (
        "genus A { @ n x = (ab y)\nT z }",
        "genus A {\n    @ n x = (ab y)\n    T z\n}",
    ),
}
"""Kinds of expressions whose end, or beginning, was once printed so that what stands beside it was read as
part of it."""


@pytest.mark.parametrize(("source", "printed"), ENDS.values(), ids=ENDS)
def test_what_stands_beside_an_expression_stays_beside_it(source: str, printed: str) -> None:
    assert faber.format(source) == printed + "\n"
    for name in NAMES:
        there = faber.convert(source, "latin", name)
        assert there.diagnostics == []
        assert tree(faber.format(there.text, name, "latin")) == tree(source)


def test_a_module_or_flags_named_like_a_word_of_the_dialect_are_escaped() -> None:
    source = 'ex test importa x\nscribe sed "a" is\n'
    there = faber.convert(source, "latin", "english")
    assert there.text == 'from id_test import x\nprint regex "a" id_is\n'
    assert faber.format(there.text, "english", "latin") == source


def test_a_name_that_starts_another_statement_comes_back_from_a_dialect() -> None:
    there = faber.convert("(fixum)\n", "latin", "english")
    assert there.text == "fixum\n"
    assert faber.format(there.text, "english", "latin") == "(fixum)\n"


def test_a_pipeline_whose_verb_a_print_moves_out_of_sight_comes_back_unchanged_with_the_reason() -> None:
    # Latin takes the name `prima` for the verb it looks for before the brace
    source = "scribe ex { a: prima } summa"
    assert faber.format(source) == source + "\n"
    result = faber.convert(source, "latin", "english")
    assert (result.text, [d.code for d in result.diagnostics]) == (source, ["print"])


def test_every_comment_survives() -> None:
    source = """# head
fixum xs = [ # one
    1, # two
    2
] # three

# four
si verum { # five
    # six
} secus { scribe 1 } # seven
elige 1 {
    # eight
    casu 1 ergo scribe 1 # nine
    # ten
}
genus A {
    numerus x # eleven
    # twelve
}
# end"""
    printed = faber.format(source)
    numbers = [
        "head",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "end",
    ]
    assert sorted(line.split("# ")[1] for line in printed.splitlines() if "#" in line) == sorted(numbers)
    assert faber.format(printed) == printed


def test_blank_lines_between_statements_stay_but_never_two() -> None:
    assert faber.format("scribe 1\n\n\n\nscribe 2\nscribe 3") == "scribe 1\n\nscribe 2\nscribe 3\n"


def test_what_cannot_be_read_comes_back_unchanged_with_the_reason() -> None:
    result = faber.convert("scribe (1", "latin", "english")
    assert result.text == "scribe (1"
    assert [d.code for d in result.diagnostics] == ["expected"]


def test_a_name_that_is_a_word_of_the_dialect_is_renamed_visibly_and_back() -> None:
    source = "fixum class = 1\nfixum id_class = 2\nscribe class + id_class, `${class}`\n"
    there = faber.convert(source, "latin", "english")
    assert (
        there.text
        == "const id_class = 1\nconst id_id_class = 2\nprint id_class + id_id_class, `${id_class}`\n"
    )
    assert there.renamed == {"class": "id_class", "id_class": "id_id_class"}
    assert faber.format(there.text, "english", "latin") == source


def test_a_foreign_name_that_latin_cannot_read_is_renamed() -> None:
    result = faber.convert("const si = 1\nprint si\n", "english", "latin")
    assert result.text == "fixum id_si = 1\nscribe id_si\n"
    assert result.renamed == {"si": "id_si"}


def test_a_foreign_name_that_is_a_value_in_latin_is_renamed() -> None:
    result = faber.convert("const nihil = 1\nprint nihil, null\n", "english", "latin")
    assert result.text == "fixum id_nihil = 1\nscribe id_nihil, nihil\n"
    assert result.renamed == {"nihil": "id_nihil"}


def test_the_words_of_a_dialect_are_all_different() -> None:
    for name in NAMES:
        assert len(set(find_dialect(name).words.values())) == len(WORDS)


def test_scrambled_words_are_pronounceable_nonsense_and_fixed() -> None:
    words = find_dialect("scrambled").words
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words.values())
    assert not set(words.values()) & set(words)
    assert [words[w] for w in ("fixum", "functio", "scribe")] == ["flarskour", "bopouk", "flirzolsail"]


def test_latin_words_mean_nothing_in_another_dialect() -> None:
    assert faber.classify_errors(faber.check("fixum x = 1", "english")) is not None
    assert [d.code for d in faber.check("const numerus x = 1", "english")] == ["type"]


def test_an_unknown_dialect_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="latin, english, symbols, scrambled"):
        faber.check("", "klingon")
