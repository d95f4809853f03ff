"""The emitted TypeScript is readable, and runs as a reader of the Faber program expects."""

from __future__ import annotations

import pytest

from probatio.languages import faber


def test_the_emitted_program_is_readable() -> None:
    source = (
        "functio area(fractus a, fractus b vel 2.0) -> fractus { redde (a + 1) * b }\nfixum x = area(3.5)\nscribe x\n"
    )
    assert faber.compile(source) == (
        "function area(a: number, b: number = 2.0): number {\n  return (a + 1) * b;\n}\nconst x = area(3.5);\nconsole.log(x);\n"
    )


def test_helpers_are_written_only_where_they_are_used() -> None:
    assert "$sort" not in faber.compile("scribe [1].longitudo()")
    assert "function $sort" in faber.compile("scribe [2, 1].ordinata()")


def test_a_rejected_program_is_not_compiled() -> None:
    with pytest.raises(faber.Rejected) as caught:
        faber.compile("scribe nusquam")
    assert [d.code for d in caught.value.diagnostics] == ["undefined"]


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        ("varia x = 0 x = (2 + 3) * 4 scribe x", "20\n"),
        ("fixum a = 3 scribe - -a, -(-a), 2 - -a", "3 3 5\n"),
        ("scribe (1 vel 2) aut 3, 1 + (verum sic 1 secus 2)", "1 2\n"),
        ("fixum x = 5 scribe non (x est textus), x non est numerus", "true false\n"),
        (
            'fixum xs = [3, 1, 2] scribe xs.filtrata(pro x: x > 1).mappata(pro x: x * 10).ordinata().coniunge("-")',
            "20-30\n",
        ),
        ("fixum f = pro x: { a: x } scribe f(1).a", "1\n"),
        ("scribe `a\\tb`, 'c\"d'", 'a\tb c"d\n'),
        ("genus A { numerus n: 1 } genus B sub A { numerus m: 2 } fixum b = novum B { n: 5 } scribe b.n + b.m", "7\n"),
        (
            'genus A { textus t: "" functio creo(textus x) { ego.t = x } }'
            ' genus B sub A { functio t2() -> ignotum { redde ego.t + "!" } }'
            ' scribe (novum B("q")).t2()',
            "q!\n",
        ),
        ('functio radix(numerus n) -> textus { redde "mea" } scribe radix(4)', "mea\n"),
        ('ex "norma/mathesis" importa radix ut r, PI scribe r(16), PI > 3.1', "4 true\n"),
        (
            'functio f(D d) -> ignotum { discerne d { casu A pro p, q { redde q + p } } redde "?" }'
            " discretio D { A { textus x, textus y } }"
            ' scribe f(finge A { x: "1", y: "2" } qua D)',
            "21\n",
        ),
        (
            'fixum t = { a: 1 } innatum tabula<textus, numerus> t["a"] += 4 t["b"] = (1 + 1) * 2 scribe t["a"], t["b"]',
            "5 4\n",
        ),
        ('scribe "0" numeratum vel 7, "x" numeratum vel 7, "ff" numeratum<numerus, Hex>', "0 7 255\n"),
        (
            "functio g(numerus n) fiunt numerus { ex 0..n pro i { cede i * i } } scribe [sparge g(4)]",
            "[ 0, 1, 4, 9 ]\n",
        ),
        ('functio f() fit numerus { tempta { iace "x" } cape e { redde 1 } redde 2 } scribe f()', "1\n"),
        ("fixum xs = [[1, 2], [3]] ex xs pro x { scribe x.longitudo() }", "2\n1\n"),
        ("fixum lista<numerus>? xs = nihil scribe xs?.longitudo(), xs?.summa()", "undefined undefined\n"),
        ("fixum o = { n: 1 } in o { n += 2 m = 3 } scribe o.n, o.m", "3 3\n"),
        ("varia n = 0 fac { n += 1 } dum n < 3 scribe n", "3\n"),
        ('elige 1 + 1 { casu 1 ergo scribe "unum" casu 2 ergo scribe "duo" }', "duo\n"),
        ("fixum s = {} qua copia<numerus> s.adde(1) s.adde(1) scribe s.longitudo(), s.habet(1)", "1 true\n"),
        ("fixum xs = [1, 2, 3, 4] scribe xs.partire(pro x: x > 2)[0].longitudo(), xs.fragmenta(3)[1][0]", "2 4\n"),
        ("incipit { fixum a = 1 scribe a } fixum a = 2 scribe a", "1\n2\n"),
        ('scribe scriptum("§1 et §0, § et §", 1, 2)', "2 et 1, 1 et 2\n"),
        ("scribe 6 & 3 == 2, 1 sinistratum 3, 17 dextratum 2", "true 8 4\n"),
        ("fixum a = [1, 2, 3, 4] scribe a[1..3], a[1 usque -1], a[-1], a[2 * (0 + 1)]", "[ 2, 3 ] [ 2, 3, 4 ] 4 3\n"),
    ],
)
def test_programs_do_what_a_reader_expects(source: str, stdout: str) -> None:
    outcome = faber.run(source)
    assert (outcome.exit, outcome.stdout) == (0, stdout), outcome.stderr


def test_an_uncaught_error_ends_the_program_with_one() -> None:
    outcome = faber.run('scribe 1\niace novum Error("foras")\nscribe 2')
    assert (outcome.exit, outcome.stdout) == (1, "1\n")
    assert "foras" in outcome.stderr


@pytest.mark.parametrize("dialect", ["english", "symbols", "scrambled"])
def test_a_program_runs_the_same_in_every_dialect(dialect: str) -> None:
    source = (
        'functio f(numerus n) -> textus {\n si n > 1 { redde `n ${n}` } secus { redde "parvus" }\n}\nscribe f(1), f(2)'
    )
    converted = faber.format(source, "latin", dialect)
    assert converted != source
    assert faber.run(converted, dialect).stdout == faber.run(source).stdout == "parvus n 2\n"
