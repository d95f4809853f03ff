"""Twists: one rule of meaning exchanged, by the compiler, from one table. Every claim about a program is one
about its run."""

from __future__ import annotations

from pathlib import Path

import pytest

import faber
from faber.grammar import render_grammar
from faber.twists import RANGES_INCLUDE_ENDS, TWISTS
from probatio.languages.faber import LANGUAGE
from probatio.suites.contexts import context_text
from probatio.suites.language_suite import load_suite

SUITE = load_suite("faber")
ADAPTABLE = sorted(TWISTS.keys() - {"divide-whole"})


def printed(program: str, dialect: str = "latin") -> str:
    outcome = LANGUAGE.run(program, dialect, "", "auto")
    assert outcome.exit == 0, outcome.stderr
    return outcome.stdout.strip()


@pytest.mark.parametrize("name", TWISTS)
def test_the_example_of_a_twist_prints_what_the_table_says_with_and_without_it(name: str) -> None:
    example = TWISTS[name].example
    assert printed(example.program) == example.plain
    assert printed(example.program, f"latin+{name}") == example.twisted != example.plain


@pytest.mark.parametrize("name", ADAPTABLE)
def test_a_plain_program_can_be_written_so_that_it_does_the_same_under_the_twist(name: str) -> None:
    example = TWISTS[name].example
    written = faber.format(example.program, "latin", f"latin+{name}")
    assert printed(written, f"latin+{name}") == example.plain
    scrambled = faber.format(example.program, "latin", f"scrambled+{name}")
    assert faber.compile(scrambled, f"scrambled+{name}") == faber.compile(written, f"latin+{name}")


@pytest.mark.parametrize(
    "name", sorted(TWISTS.keys() - {"divide-whole", "loops-backwards"})
)  # what TypeScript alone has
def test_a_twisted_program_can_be_written_in_plain_faber(name: str) -> None:
    example = TWISTS[name].example
    assert printed(faber.format(example.program, f"latin+{name}", "latin")) == example.twisted


@pytest.mark.parametrize(
    ("name", "program", "output"),
    [
        (
            "one-based",
            'fixum xs = [4, 5, 6]\nvaria i = 2\nscribe xs[i], xs[i + 1], xs[-1], "abc"[1]',
            "5 6 6 a",
        ),
        ("one-based", 'fixum m = { a: 1 } innatum tabula<textus, numerus>\nscribe m["a"]', "1"),
        ("sums-first", "scribe 10 - 2 * 3 + 1, 7 % 4 + 1, (2 * 3) + 4", "32 2 10"),
        ("assign-right", 'varia s = "a"\ns + "b" = s\nvaria xs = [1, 2]\n9 = xs[0]\nscribe s, xs[0]', "ab 9"),
        (
            "si-unless",
            'varia n = 3\nsi n == 1 { scribe "x" } sin n == 3 { scribe "y" } secus { scribe "z" }',
            "x",
        ),
        ("si-unless", 'si falsum ergo scribe "runs"', "runs"),
        ("dum-until", "varia i = 0\nfac {\n    i += 1\n} dum i == 3\nscribe i", "3"),
        ("compare-mirrored", "scribe [3, 9, 5].filtrata(pro n: n > 4).coniunge(), 1 == 1", "3 true"),
        ("logic-swapped", "scribe falsum et falsum aut verum", "false"),
        ("minus-from", "varia n = 5\nn -= 2\nscribe -n, 1 - n, (1 - 10) - 100", "-3 2 91"),
        ("divide-whole", "scribe 7 / 2 + 1, 7 % 2", "4 1"),
        (
            "join-backwards",
            'fixum iunge = pro a, b: a + b\nscribe iunge("x", "y"), iunge(2, 3), "n" + 1',
            "yx 5 1n",
        ),
        ("loops-backwards", "ex [1, 2, 3, 4] prima 2 pro x { scribe x }", "2\n1"),
        (
            "arguments-backwards",
            "functio f(numerus a, numerus b, numerus c) { scribe a, b, c }\nf(1, 2, 3)",
            "3 2 1",
        ),
        ("ranges-swapped", "scribe 3 intra 1..3, 3 intra 1 usque 3, [7, 8, 9][0..1]", "true false [ 7, 8 ]"),
    ],
)
def test_a_rule_holds_wherever_it_applies_and_nowhere_else(name: str, program: str, output: str) -> None:
    assert printed(program, f"latin+{name}") == output


def test_assignment_to_the_right_refuses_what_cannot_be_assigned_to() -> None:
    assert faber.check("varia n = 1\nn = n + 1") == []
    assert [each.code for each in faber.check("varia n = 1\nn = n + 1", "latin+assign-right")] == [
        "assignment-target"
    ]


@pytest.mark.parametrize("name", ADAPTABLE)
def test_every_example_shown_is_true_under_the_twist(name: str) -> None:
    """An example that compiles to the same as before is as true as before; the others are run."""
    dialect = f"latin+{name}"
    for example in SUITE.examples:
        shown = LANGUAGE.program_in(example.program.strip(), dialect)
        if faber.compile(shown, dialect) != faber.compile(example.program):
            assert printed(shown, dialect) == example.output.strip(), example.id


@pytest.mark.parametrize("name", TWISTS)
def test_every_context_that_says_anything_states_the_rule_and_shows_programs_that_compile(name: str) -> None:
    for words in LANGUAGE.dialects:
        dialect = f"{words}+{name}"
        for context in SUITE.contexts:
            text, plain = (context_text(SUITE, context, each) for each in (dialect, words))
            assert (LANGUAGE.rule(dialect) in text) == bool(plain), context
            if words == "latin":
                blocks = text.split("```faber\n")[1:]
                assert [faber.check(block.split("\n```")[0], dialect) for block in blocks] == [[]] * len(
                    blocks
                )


def test_no_context_says_what_the_twist_makes_false() -> None:
    templates = "\n".join([*SUITE.contexts.values(), RANGES_INCLUDE_ENDS])  # what contexts say, and goals
    for name, twist in TWISTS.items():
        for usual, instead in twist.says:
            assert usual in templates  # a phrase that no context has any more would go unnoticed
            assert usual not in LANGUAGE.restate(templates, f"latin+{name}")
            assert instead in LANGUAGE.restate(templates, f"latin+{name}")
    assert "| `usque` | `(range)` | range with its end |" in context_text(SUITE, "basic", "latin")
    assert "| `usque` | `(range)` | range without its end |" in context_text(
        SUITE, "basic", "latin+ranges-swapped"
    )
    assert "product = sum {" in render_grammar("latin+sums-first")
    assert "product = prefix {" in render_grammar("latin")


def test_a_dialect_with_an_unknown_twist_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"no twist 'one-basd'; choose one of .*one-based"):
        faber.check("scribe 1", "latin+one-basd")


def test_the_page_lists_every_twist_as_the_table_has_it() -> None:
    page = (Path(__file__).parents[3] / "docs" / "generate.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in page.splitlines()
        if line.startswith("| `")
    ]
    assert [row[0].strip("` ") for row in rows] == list(TWISTS)
    for name, rule, _, plain, twisted, tasks in rows:
        twist = TWISTS[name.strip("` ")]
        assert rule == LANGUAGE.twists[twist.name]
        assert plain.strip("`") == " ".join((twist.example.plain or "").split())
        assert twisted.strip("`") == " ".join(twist.example.twisted.split())
        assert int(tasks.strip("| ")) == (
            len(SUITE.twists[twist.name].tasks) if twist.name in SUITE.twists else 0
        )
