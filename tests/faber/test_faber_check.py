"""What the check says, in which class, where, and with which hint."""

from __future__ import annotations

import pytest

import faber


def codes(source: str, dialect: str = "latin") -> list[str]:
    return [d.code for d in faber.check(source, dialect)]


def test_an_empty_program_is_a_program() -> None:
    assert faber.check("") == []
    assert faber.check("# only a remark") == []


def test_a_diagnostic_says_where_and_what() -> None:
    (diagnostic,) = faber.check("scribe 1\nscribe nusquam")
    assert (diagnostic.phase, diagnostic.line, diagnostic.column) == ("semantic", 2, 8)
    assert "'nusquam'" in diagnostic.message


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("scribe 1", None),
        ('scribe "a', "syntax_error"),
        ("scribe (1", "syntax_error"),
        ("scribe x", "type_error"),
        ("let x = (", "syntax_error"),
    ],
)
def test_the_grading_class_is_syntax_before_type(source: str, expected: str | None) -> None:
    assert faber.classify_errors(faber.check(source)) == expected


def test_a_parameter_with_its_type_behind_is_told_how_to_be_written() -> None:
    hints = [d.hint for d in faber.check("functio f(x: numerus) { }") if d.hint]
    assert hints[0] == "Parameters are type-first: `numerus x`, not `x: numerus`."


def test_hints_speak_the_dialect_of_the_program() -> None:
    (diagnostic,) = faber.check("scribe let", "latin")
    assert diagnostic.hint is not None
    assert "varia" in diagnostic.hint
    (diagnostic,) = faber.check("print var", "english")
    assert diagnostic.hint is not None
    assert "let" in diagnostic.hint


def test_one_reading_finds_several_errors() -> None:
    source = "fixum a = )\nfixum b = ]\nscribe c\n"
    assert codes(source) == ["unexpected", "unexpected"]
    assert codes("scribe a\nscribe b\nvaria c") == ["undefined", "undefined", "untyped"]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("fixum x = 1 x = 2", "immutable"),
        ("functio f(numerus a) { a = 2 }", "immutable"),
        ("ex [1] pro x { x = 2 }", "immutable"),
        ("varia x = 1 varia x = 2", "already-defined"),
        ("functio f(numerus a) { varia a = 1 }", "already-defined"),
        ("fixum textus t = 1", "type"),
        ("fixum lista<numerus> xs = []", "type"),
        ('scribe [1, "a"]', "type"),
        ('scribe 1 < "a"', "comparison"),
        ("fixum fractus x = 2.5 scribe x > 2", "comparison"),
        ("functio f() { redde 1 }", "return"),
        ("functio f() -> textus { redde 1 }", "return"),
        ("functio f() -> numerus", "no-body"),
        ("scribe cede 1", "cede"),
        ("figendum x = 1", "await"),
        ("typus A = B typus B = A", "circular-type"),
        ('ex "norma/mathesis" importa nusquam', "not-exported"),
        ("scribe 1 innatum numerus", "innatum"),
        ("functio f(numerus a vel 1, numerus b) { }", "parameter-order"),
        ("functio f(de numerus a vel 1) { }", "borrowed-default"),
        ("discretio D { A, B } fixum d = finge A qua D discerne d { casu A { } }", "exhaustive"),
        ("ordo O { a } scribe O.b", "enum-member"),
        ("scribe 1 aut 2 vel 3", "mixed-or"),
        ("scribe 1 = 2", "assignment-target"),
        ("@ publica\nscribe 1", "annotation"),
        ("scribe 0x", "malformed-number"),
        ("scribe `a", "unterminated-template"),
        ("scribe ā", "unexpected-character"),
    ],
)
def test_each_rule_has_its_code(source: str, code: str) -> None:
    assert code in codes(source)


@pytest.mark.parametrize(
    "source",
    [
        "fixum [a, _, ceteri r] = [1, 2, 3] scribe a, r",
        "functio f() -> numerus { redde g() } functio g() -> numerus { redde 1 }",
        "genus A { numerus x: nusquam functio creo() { ignotum_quid() } }",
        "fixum numerus x = 2.5",
        "fixum textus? t = nihil",
        "fixum ceterum = 1 scribe ceterum",
        "scribe novum Nusquam()",
        "fixum a = 1 scribe a",
    ],
)
def test_what_the_reference_lets_pass_passes(source: str) -> None:
    assert faber.check(source) == []


def test_strict_finds_what_the_reference_leaves_alone() -> None:
    source = """
genus A { numerus n: nusquam functio f() -> numerus { si verum { redde 1 } } }
functio g(numerus a, numerus b vel 1) -> numerus { redde a }
fixum xs = [1]
scribe g(), g("a"), xs.filtratura(), (novum A { m: 1 }).k
"""
    assert faber.check(source) == []
    codes = [d.code for d in faber.check(source, strict=True)]
    assert sorted(set(codes)) == ["strict-arguments", "strict-member", "strict-return", "type", "undefined"]


def test_strict_is_content_with_a_careful_program() -> None:
    source = """
functio signum_m(numerus n) -> textus {
    elige n { casu 0 reddit "nihil" ceterum reddit "aliquid" }
}
functio usque_ad(numerus n) -> numerus {
    dum verum { si n > 3 { redde n } }
}
fixum xs = [1, 2]
scribe signum_m(xs.longitudo()), xs.map(pro x: x), usque_ad(4)
"""
    assert faber.check(source, strict=True) == []
