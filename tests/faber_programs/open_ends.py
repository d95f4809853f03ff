"""Makes up programs in which what follows an expression could be read as part of it, and writes programs over
other lines."""

from __future__ import annotations

import random

from faber.diagnostics import Report
from faber.dialects import find_dialect
from faber.parse.tokens import tokenize

PARTS = (
    "x", "1", '"a"', "`a`", "ego", "nihil", "verum", "falsum", "lege", "lege lineam", 'sed "a"', 'sed "a" i',
    "[]", "{}",
    "novum A", "novum A(x)", "novum A { b: x }", "finge V", "finge V qua U", "pro: x", "pro { }",
    "praefixum (1)", "praefixum { }", "ab x", "ab x non", "ab x y", "ab x ubi z", "ab x, prima 1",
    "ex x summa", "ex x prima 1",
    "fixum", "genus", "reddit", "arena", "lineam", "prima", "est", "casu",
)  # fmt: skip
"""Expressions with all the ends there are, keywords that are read as names among them."""

FRAMES = (
    "({})", "({})", "- {}", "non {}", "nihil {}", "falsum {}", "cede {}", "{} et {}", "{} vel {}", "{} < {}",
    "{} + {}",
    "{} est T", "{} non est T", "{} qua T", "{} innatum T", "{} textatum", "{} numeratum",
    "{} numeratum<T> vel {}",
    "{} sinistratum {}", "{}..{}", "{} usque {} per {}", "{} sic {} secus {}", "{} ? {} : {}", "x = {}",
    "{}({})", "{}[{}]", "{}.i", "{}?.i", "f({}, {})", "[{}, {}]", "[sparge {}, {}]",
    "{{ a: {}, sparge {}, b: {} }}",
    "novum A de {}", "finge V {{ a: {} }}", "pro x: {}", "pro {{ {} }}", 'scriptum("§", {}, {})',
    "ab {} i", "ab {} non i", "ab {} non", "ab {} ubi {}", "ab {}, prima {}", "ab {} summa",
    "ex {} summa", "ex {} prima {}, summa",
)  # fmt: skip

STATEMENTS = (
    "{}", "{}; {}", "{} {}", "fixum x = {}", "fixum x = {} {}", "redde {}", "scribe {}, {}", "adfirma {}, {}",
    "iace {}",
    "si {} {{ {} }} secus {}", "si {} ergo {} secus {}", "si {} reddit {} sin {} {{ }}",
    "dum {} {{ }}", "fac {{ {} }} dum {}", "ex {} pro x {{ }}", "ex {} prima {}, ultima {} pro x {{ }}",
    "ex {} fixum i", "de {} pro x ergo {}", "in {} {{ }}", "incipit ergo {}", "custodi {{ si {} ergo {} }}",
    "elige {} {{ casu {} {{ }} casu {} reddit {} ceterum {} }}", "discerne {}, {} {{ casu A ergo {} }}",
    "cura {} {{ }}", "cura {} pro x {{ }}", "cura arena {} {{ }}",
    "functio f(x vel {}, y vel {}) {{ redde {} }}",
    "genus A {{ numerus x: {} i y: {} de B z }}", "genus A {{ numerus x: {} lista<T> y: {} nihil z }}",
    "genus A {{ @ nota {}\n i x @ nota {}\n functio f() {{ }} }}", "@ nota {}\n functio f() {{ }}",
    "@ nota {}\n fixum x",
)  # fmt: skip


def open_ended(chance: random.Random) -> str:
    """A statement whose expressions end in every way, with brackets and without."""
    return _filled(chance, chance.choice(STATEMENTS), depth=chance.randint(1, 3))


def _filled(chance: random.Random, frame: str, depth: int) -> str:
    def part() -> str:
        if depth == 0 or chance.random() < 0.4:
            return chance.choice(PARTS)
        return _filled(chance, chance.choice(FRAMES), depth - 1)

    return frame.format(*(part() for _ in range(frame.count("{}"))))


def respaced(chance: random.Random, source: str) -> str:
    """The same tokens with blanks, newlines and comments between them as chance will have it."""
    tokens = tokenize(source, find_dialect("latin"), Report(source))
    newlines, comments = chance.choice((0.05, 0.2, 0.5)), chance.choice((0, 0.05, 0.2))
    blanks = (" ", "\n", f" # {chance.randrange(100)}\n")
    chosen = chance.choices(blanks, (1 - newlines - comments, newlines, comments), k=len(tokens.kinds))
    places = zip(tokens.starts, tokens.ends, chosen, strict=True)
    return "".join(source[start:end] + blank for start, end, blank in places if end > start)
