"""Deep and large programs end with a diagnostic or a result, never in a crash or a hang."""

from __future__ import annotations

import time

import pytest

import faber

DEEP = 10_000
MEGABYTE = 1_000_000
FUNCTION = (
    "functio f{0}(numerus a) -> numerus {{\n    si a > 1 {{ redde a * f{0}(a - 1) }}\n    redde 1\n}}\n"
)

NESTED = {
    "parentheses": "scribe " + "(" * DEEP + "1" + ")" * DEEP,
    "lists": "scribe " + "[" * DEEP + "]" * DEEP,
    "objects": "scribe " + "{ a: " * DEEP + "1" + "}" * DEEP,
    "open parentheses": "scribe " + "(" * DEEP,
    "blocks": "si verum { " * DEEP + "}" * DEEP,
    "else-ifs": "si 1 { } " + "sin 1 { } " * DEEP,
    "signs": "scribe " + "-" * DEEP + "1",
    "sums": "scribe 1" + " + 1" * DEEP,
    "members": "fixum a = 1 scribe a" + ".b" * DEEP,
    "lambdas": "fixum f = " + "pro x: " * DEEP + "1",
    "types": "fixum lista" + "<lista" * DEEP + ">" * DEEP + " x = 1",
    "casts": "scribe 1" + " qua numerus" * DEEP,
    "suites": 'probandum "x" { ' * DEEP,
}
LARGE = {
    "functions": "".join(FUNCTION.format(i) for i in range(MEGABYTE // len(FUNCTION))),
    "quotes": '"' * MEGABYTE,
    "open quotes": '"\n' * (MEGABYTE // 2),
    "backticks": "`" * (MEGABYTE + 1),
    "foreign letters": "é~" * (MEGABYTE // 2),
    "braces": "}" * MEGABYTE,
    "annotations": "@ " * (MEGABYTE // 2),
    "members": "genus A { " + "x " * (MEGABYTE // 2),
    "comments": "# x\n" * (MEGABYTE // 4),
}


@pytest.mark.parametrize("kind", NESTED)
def test_ten_thousand_levels_end_with_a_diagnostic(kind: str) -> None:
    source = NESTED[kind]
    assert faber.check(source)
    assert faber.convert(source, "latin", "english").diagnostics
    with pytest.raises(faber.Rejected):
        faber.compile(source)


@pytest.mark.parametrize("width", [5, 15, 40, 90])
def test_long_chains_inside_deep_nesting_end_somehow(width: int) -> None:
    source = "scribe " + "(" * 300 + "1" + (" + 1" * width + ")") * 300
    diagnostics = faber.check(source)
    printed = faber.convert(source, "latin", "english")
    codes = {d.code for d in [*diagnostics, *printed.diagnostics]}
    assert codes <= {"nesting", "print"}
    if not diagnostics:
        assert faber.compile(source)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [kind if kind == "quotes" else pytest.param(kind, marks=pytest.mark.soak) for kind in LARGE]
)
def test_a_megabyte_is_read_in_seconds(kind: str) -> None:
    start = time.process_time()
    faber.check(LARGE[kind])
    assert time.process_time() - start < 20


@pytest.mark.slow
def test_a_megabyte_is_printed_and_compiled() -> None:
    source = LARGE["functions"]
    assert faber.format(source).count("functio ") == source.count("functio ")
    assert faber.compile(source).count("function ") == source.count("functio ")


def test_moderate_nesting_is_no_error() -> None:
    source = "scribe " + "(" * 150 + "1" + ")" * 150 + " + 1" * 150
    assert faber.check(source) == []
    assert faber.convert(source).diagnostics == []
    assert faber.compile(source).count(" + 1") == 150
