"""The standard library as the evaluator knows it: what each method does, by kind of receiver, and the modules.

Written from the language's description, not from the emitter's tables, so that a slip in one is found by the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from probatio.languages.faber.evaluate.lists import (
    LISTA_CALLS,
    LISTA_FORMULAS,
    Method,
    at,
    bounds,
    chosen,
    each_in,
    extreme,
    flat,
    includes,
    invoked,
    item,
    joined,
    mapped,
    reduced,
    reversed_in_place,
    whole,
)
from probatio.languages.faber.evaluate.values import (
    RANGE_ERROR,
    UNDEFINED,
    Bag,
    Declined,
    Function,
    Record,
    Table,
    Thrown,
    Value,
    error,
    key_of,
    number,
    number_text,
    text,
)


def _deleted(entries: dict[Value, Any], key: Value) -> bool:
    return entries.pop(key_of(key), None) is not None


def _table(pairs: list[tuple[Value, Value]]) -> Table:
    table = Table()
    for key, value in pairs:
        table.put(key, value)
    return table


def _pairs(table: Table) -> list[tuple[Value, Value]]:
    return list(table.entries.values())


def _cleared(entries: dict[Value, Any]) -> Value:
    entries.clear()
    return UNDEFINED


def _picked(table: Table, arguments: list[Value], chosen: bool) -> Table:
    keys = flat([at(arguments, 0)], 1)
    return _table([pair for pair in _pairs(table) if includes(keys, pair[0]) is chosen])


def _fallback(value: Value, otherwise: Value) -> Value:
    return otherwise if value is None or value is UNDEFINED else value


_TABULA_CALLS: dict[str, Method] = {
    "pone": lambda t, a: t.put(at(a, 0), at(a, 1)),
    "accipe": lambda t, a: t.get(at(a, 0)),
    "habet": lambda t, a: key_of(at(a, 0)) in t.entries,
    "dele": lambda t, a: _deleted(t.entries, at(a, 0)),
    "purga": lambda t, a: _cleared(t.entries),
    "claves": lambda t, a: Sequence([key for key, _ in _pairs(t)]),
    "valores": lambda t, a: Sequence([value for _, value in _pairs(t)]),
    "paria": lambda t, a: Sequence([[key, value] for key, value in _pairs(t)]),
}
_TABULA_FORMULAS: dict[str, Method] = {
    "accipeAut": lambda t, a: _fallback(t.get(at(a, 0)), at(a, 1)),
    "longitudo": lambda t, a: float(len(t.entries)),
    "vacua": lambda t, a: not t.entries,
    "selecta": lambda t, a: _picked(t, a, True),
    "omissa": lambda t, a: _picked(t, a, False),
    "conflata": lambda t, a: _table([*_pairs(t), *_pairs(a[0])]),
    "inversa": lambda t, a: _table([(value, key) for key, value in _pairs(t)]),
    "mappaValores": lambda t, a: _table([(key, invoked(a[0], value)) for key, value in _pairs(t)]),
    "mappaClaves": lambda t, a: _table([(invoked(a[0], key), value) for key, value in _pairs(t)]),
    "inLista": lambda t, a: [[key, value] for key, value in _pairs(t)],
    "inObjectum": lambda t, a: Record({text(key): value for key, value in _pairs(t)}),
}


class Sequence:
    """An iterator over what is in a table: it can be gone through, and no more is known of it."""

    __slots__ = ("values",)

    def __init__(self, values: list[Value]) -> None:
        self.values = values


def _bag_added(bag: Bag, value: Value) -> Bag:
    bag.entries.setdefault(key_of(value), value)
    return bag


def _bag(values: list[Value], other: Bag, inside: bool) -> Bag:
    return Bag([each for each in values if (key_of(each) in other.entries) is inside])


_COPIA_CALLS: dict[str, Method] = {
    "adde": lambda s, a: _bag_added(s, at(a, 0)),
    "habet": lambda s, a: key_of(at(a, 0)) in s.entries,
    "dele": lambda s, a: s.entries.pop(key_of(at(a, 0)), UNDEFINED) is not UNDEFINED,
    "purga": lambda s, a: _cleared(s.entries),
    "valores": lambda s, a: Sequence(s.values()),
    "perambula": lambda s, a: each_in(s.values(), a),
}
_COPIA_FORMULAS: dict[str, Method] = {
    "longitudo": lambda s, a: float(len(s.entries)),
    "vacua": lambda s, a: not s.entries,
    "unio": lambda s, a: Bag([*s.values(), *a[0].values()]),
    "intersectio": lambda s, a: _bag(s.values(), a[0], True),
    "differentia": lambda s, a: _bag(s.values(), a[0], False),
    "symmetrica": lambda s, a: Bag([*_bag(s.values(), a[0], False).values(), *_bag(a[0].values(), s, False).values()]),
    "subcopia": lambda s, a: not _bag(s.values(), a[0], False).entries,
    "supercopia": lambda s, a: not _bag(a[0].values(), s, False).entries,
    "inLista": lambda s, a: s.values(),
}


def _split(words: str, arguments: list[Value]) -> Value:
    mark = at(arguments, 0)
    if mark is UNDEFINED:
        return [words]
    return list(words) if text(mark) == "" else words.split(text(mark))


def _replaced(words: str, arguments: list[Value]) -> Value:
    old, new = at(arguments, 0), at(arguments, 1)
    if type(old) is not str or type(new) is not str or "$" in new:
        raise Declined("such a replacement")
    return words.replace(old, new)


_TEXTUS_CALLS: dict[str, Method] = {
    "sectio": lambda s, a: s[bounds(a, len(s))],
    "continet": lambda s, a: text(at(a, 0)) in s,
    "initium": lambda s, a: s.startswith(text(at(a, 0))),
    "finis": lambda s, a: s.endswith(text(at(a, 0))),
    "maiuscula": lambda s, a: s.upper(),
    "minuscula": lambda s, a: s.lower(),
    "recide": lambda s, a: s.strip(),
    "divide": _split,
    "muta": _replaced,
}
_TEXTUS_FORMULAS: dict[str, Method] = {"longitudo": lambda s, a: float(len(s))}


def rounded(value: float) -> float:
    return value if value != value or math.isinf(value) else math.copysign(math.floor(value + 0.5), value)


def _floored(cut: Callable[[float], int]) -> Callable[[float], float]:
    def apply(value: float) -> float:
        if value != value or math.isinf(value):
            return value
        whole_part = float(cut(value))
        return whole_part or math.copysign(0.0, value)

    return apply


def _lesser(pick: Callable[[list[float]], float], empty: float) -> Callable[..., float]:
    return lambda *values: extreme(pick, empty)(list(values), [])


_NUMBER_FORMULAS: dict[str, Method] = {
    "absolutum": lambda n, a: abs(n),
    "signum": lambda n, a: n if n != n or n == 0 else math.copysign(1.0, n),
    "minimus": lambda n, a: _lesser(min, math.inf)(n, at(a, 0)),
    "maximus": lambda n, a: _lesser(max, -math.inf)(n, at(a, 0)),
    "rotunda": lambda n, a: rounded(n),
    "pavimentum": lambda n, a: _floored(math.floor)(n),
    "tectum": lambda n, a: _floored(math.ceil)(n),
    "trunca": lambda n, a: _floored(math.trunc)(n),
}


def _fixed(value: float, arguments: list[Value]) -> Value:
    places = 0 if at(arguments, 0) is UNDEFINED else whole(arguments[0])
    if abs(value) >= 1e21 or value != value:
        return number_text(value)
    from decimal import ROUND_HALF_UP, Decimal

    return str(Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _repeated(words: str, arguments: list[Value]) -> Value:
    count = whole(at(arguments, 0))
    if count < 0 or len(words) * count > 1_000_000:
        raise Thrown(error("Invalid count value", RANGE_ERROR))
    return words * count


_NATIVE: dict[type, dict[str, Method]] = {
    list: {
        "push": LISTA_CALLS["adde"], "pop": LISTA_CALLS["remove"], "shift": LISTA_CALLS["decapita"],
        "unshift": LISTA_CALLS["praepone"], "includes": LISTA_CALLS["continet"], "indexOf": LISTA_CALLS["indiceDe"],
        "find": LISTA_CALLS["inveni"], "findIndex": LISTA_CALLS["inveniIndicem"], "every": LISTA_CALLS["omnes"],
        "some": LISTA_CALLS["aliquis"], "filter": chosen, "map": mapped, "slice": LISTA_CALLS["sectio"],
        "reduce": reduced, "forEach": each_in, "join": joined, "reverse": reversed_in_place, "flat": LISTA_CALLS["plana"],
        "concat": lambda xs, a: [*xs, *flat(a, 1)],
        "toString": lambda xs, a: text(xs),
    },
    str: {
        "slice": _TEXTUS_CALLS["sectio"], "includes": _TEXTUS_CALLS["continet"], "startsWith": _TEXTUS_CALLS["initium"],
        "endsWith": _TEXTUS_CALLS["finis"], "toUpperCase": _TEXTUS_CALLS["maiuscula"],
        "toLowerCase": _TEXTUS_CALLS["minuscula"], "trim": _TEXTUS_CALLS["recide"], "split": _split, "replaceAll": _replaced,
        "charAt": lambda s, a: "" if (sign := item(s, number(at(a, 0)))) is UNDEFINED else sign,
        "indexOf": lambda s, a: float(s.find(text(at(a, 0)))),
        "repeat": _repeated,
        "padStart": lambda s, a: s.rjust(whole(at(a, 0)), text(a[1]) if len(a) > 1 and len(text(a[1])) == 1 else " "),
        "padEnd": lambda s, a: s.ljust(whole(at(a, 0)), text(a[1]) if len(a) > 1 and len(text(a[1])) == 1 else " "),
        "charCodeAt": lambda s, a: float(ord(s[whole(at(a, 0))])),
        "toString": lambda s, a: s,
    },
    float: {"toFixed": _fixed, "toString": lambda n, a: number_text(n) if not a else _radix(n, a)},
    bool: {"toString": lambda n, a: text(n)},
    Table: {
        "set": _TABULA_CALLS["pone"], "get": _TABULA_CALLS["accipe"], "has": _TABULA_CALLS["habet"],
        "delete": _TABULA_CALLS["dele"], "clear": _TABULA_CALLS["purga"], "keys": _TABULA_CALLS["claves"],
        "values": _TABULA_CALLS["valores"], "entries": _TABULA_CALLS["paria"],
    },
    Bag: {
        "add": _COPIA_CALLS["adde"], "has": _COPIA_CALLS["habet"], "delete": _COPIA_CALLS["dele"],
        "clear": _COPIA_CALLS["purga"], "forEach": _COPIA_CALLS["perambula"],
    },
}  # fmt: skip
"""Methods of the run time's own, under the names they have there."""


def _radix(value: float, arguments: list[Value]) -> Value:
    raise Declined("a number in another base")


FORMULAS: dict[type, dict[str, Method]] = {
    list: LISTA_FORMULAS,
    Table: _TABULA_FORMULAS,
    Bag: _COPIA_FORMULAS,
    str: _TEXTUS_FORMULAS,
    float: _NUMBER_FORMULAS,
}
"""Methods that also work as properties, without parentheses."""

METHODS: dict[type, dict[str, Method]] = {
    list: {**_NATIVE[list], **LISTA_CALLS, **LISTA_FORMULAS},
    Table: {**_NATIVE[Table], **_TABULA_CALLS, **_TABULA_FORMULAS},
    Bag: {**_NATIVE[Bag], **_COPIA_CALLS, **_COPIA_FORMULAS},
    str: {**_NATIVE[str], **_TEXTUS_CALLS, **_TEXTUS_FORMULAS},
    float: {**_NATIVE[float], **_NUMBER_FORMULAS},
    bool: _NATIVE[bool],
}


def _math(function: Callable[..., float]) -> Function:
    def invoke(_: Value, arguments: list[Value]) -> Value:
        try:
            return float(function(*(number(each) for each in arguments)))
        except (ValueError, OverflowError, ZeroDivisionError, TypeError):
            raise Declined("mathematics at its borders") from None

    return Function("", invoke)


MODULES: dict[str, dict[str, Value]] = {
    "norma/mathesis": {
        "pavimentum": _math(_floored(math.floor)), "tectum": _math(_floored(math.ceil)), "rotundum": _math(rounded),
        "truncatum": _math(_floored(math.trunc)), "radix": _math(math.sqrt), "potentia": _math(math.pow),
        "logarithmus": _math(math.log), "logarithmus10": _math(math.log10), "exponens": _math(math.exp),
        "sinus": _math(math.sin), "cosinus": _math(math.cos), "tangens": _math(math.tan), "absolutum": _math(abs),
        "signum": _math(lambda n: 0.0 if n == 0 else math.copysign(1.0, n)), "minimus": _math(_lesser(min, math.inf)),
        "maximus": _math(_lesser(max, -math.inf)), "constringens": _math(lambda x, low, high: min(max(x, low), high)),
        "PI": math.pi, "E": math.e, "TAU": math.tau,
    },
    "norma/tempus": {
        "MILLISECUNDUM": 1.0, "SECUNDUM": 1e3, "MINUTUM": 6e4, "HORA": 36e5, "DIES": 864e5,
    },
    "norma": {"radix": _math(math.sqrt), "potentia": _math(math.pow), "PI": math.pi, "E": math.e},
}  # fmt: skip
"""Module → name → value, as far as it does not depend on clock, chance or files."""
