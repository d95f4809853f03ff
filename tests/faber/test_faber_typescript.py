"""The emitted TypeScript is readable, and the same whatever dialect a program is written in."""

from __future__ import annotations

import pytest

import faber
from faber_programs.material import programs


def test_the_emitted_program_is_readable() -> None:
    source = (
        "functio area(fractus a, fractus b vel 2.0) -> fractus { redde (a + 1) * b }\nfixum x = "
        "area(3.5)\nscribe x\n"
    )
    assert faber.compile(source) == (
        "function area(a: number, b: number = 2.0): number {\n  return (a + 1) * b;\n}\nconst x = "
        "area(3.5);\nconsole.log(x);\n"
    )


def test_helpers_are_written_only_where_they_are_used() -> None:
    assert "$sort" not in faber.compile("scribe [1].longitudo()")
    assert "function $sort" in faber.compile("scribe [2, 1].ordinata()")


def test_a_rejected_program_is_not_compiled() -> None:
    with pytest.raises(faber.Rejected) as caught:
        faber.compile("scribe nusquam")
    assert [d.code for d in caught.value.diagnostics] == ["undefined"]


@pytest.mark.parametrize("dialect", ["english", "symbols", "scrambled"])
def test_a_program_is_compiled_to_the_same_text_from_every_dialect(dialect: str) -> None:
    differs = []
    for source in programs():
        try:
            compiled = faber.compile(source)
        except faber.Rejected:
            continue
        there = faber.convert(source, "latin", dialect)
        if not there.renamed and faber.compile(there.text, dialect) != compiled:
            differs.append(source)
    assert not differs
