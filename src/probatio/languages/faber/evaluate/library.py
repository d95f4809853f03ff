"""The standard library as the evaluator knows it: what each method does, by kind of receiver, and the modules.

Written from the language's description, not from the emitter's tables, so that a slip in one is found by the other.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

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
    same,
    text,
    truth,
    type_error,
)

Method = Callable[[Any, list[Value]], Value]


def _at(arguments: list[Value], place: int) -> Value:
    return arguments[place] if place < len(arguments) else UNDEFINED


def invoked(function: Value, *arguments: Value) -> Value:
    if not isinstance(function, Function):
        raise type_error(f"{text(function) if not isinstance(function, (Table, Bag)) else 'it'} is not a function")
    return function.invoke(UNDEFINED, list(arguments))


def _by(arguments: list[Value]) -> Callable[[Value, int, list[Value]], Value]:
    function = _at(arguments, 0)
    return lambda value, place, values: invoked(function, value, float(place), values)


def whole(value: Value) -> int:
    """A number as a place: cut to a whole one, nothing is 0."""
    size = number(value)
    return 0 if size != size else int(max(-1e15, min(1e15, size)))


def _bounds(arguments: list[Value], length: int) -> slice:
    def place(value: Value, otherwise: int) -> int:
        if value is UNDEFINED:
            return otherwise
        given = whole(value)
        return max(0, length + given) if given < 0 else min(given, length)

    return slice(place(_at(arguments, 0), 0), place(_at(arguments, 1), length))


def _truncated_list(values: list[Value], kept: list[Value]) -> Value:
    values[:] = kept
    return UNDEFINED


def includes(values: list[Value], wanted: Value) -> bool:
    return any(key_of(each) == key_of(wanted) for each in values)


def _pushed(values: list[Value], arguments: list[Value]) -> Value:
    values.extend(arguments)
    return float(len(values))


def _unshifted(values: list[Value], arguments: list[Value]) -> Value:
    values[:0] = arguments
    return float(len(values))


def _reduced(values: list[Value], arguments: list[Value]) -> Value:
    rest = list(enumerate(values))
    if len(arguments) > 1:
        result = arguments[1]
    elif rest:
        result = rest.pop(0)[1]
    else:
        raise type_error("Reduce of empty array with no initial value")
    for place, value in rest:
        result = invoked(arguments[0], result, value, float(place), values)
    return result


def _sorted(values: list[Value], arguments: list[Value]) -> list[Value]:
    if arguments:
        return sorted(values, key=functools.cmp_to_key(lambda a, b: _sign(number(invoked(arguments[0], a, b)))))
    if {type(each) for each in values} not in ({float}, {str}, set()):
        raise Declined("sorting values of several kinds")
    return sorted(values)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _sorted_in_place(values: list[Value], arguments: list[Value]) -> Value:
    values[:] = _sorted(values, arguments)
    return values


def _reversed_in_place(values: list[Value], arguments: list[Value]) -> Value:
    values.reverse()
    return values


def added(a: Value, b: Value) -> Value:
    """`+`."""
    kind = type(a)
    if kind is type(b) and (kind is float or kind is str or kind is int):
        return a + b
    if kind is str or type(b) is str or isinstance(a, (list, Record)) or isinstance(b, (list, Record)):
        return text(a) + text(b)
    if int in (kind, type(b)):
        raise type_error("Cannot mix BigInt and other types, use explicit conversions")
    return number(a) + number(b)


def _flat(values: list[Value], depth: float) -> list[Value]:
    flat: list[Value] = []
    for each in values:
        flat += _flat(each, depth - 1) if type(each) is list and depth >= 1 else [each]
    return flat


def _groups(values: list[Value], arguments: list[Value]) -> Value:
    raise Declined("an object without a prototype")


def _least(sign: int) -> Method:
    def method(values: list[Value], arguments: list[Value]) -> Value:
        if not values:
            raise type_error("Reduce of empty array with no initial value")
        best = values[0]
        for each in values[1:]:
            a, b = number(invoked(arguments[0], each)), number(invoked(arguments[0], best))
            best = each if _sign(a - b) == sign else best
        return best

    return method


def _extreme(pick: Callable[[list[float]], float], empty: float) -> Method:
    def method(values: list[Value], arguments: list[Value]) -> Value:
        numbers = [number(each) for each in values]
        return math.nan if any(n != n for n in numbers) else pick(numbers) if numbers else empty

    return method


def _parts(values: list[Value], arguments: list[Value]) -> Value:
    kept = [truth(invoked(_at(arguments, 0), each)) for each in values]
    pairs = list(zip(values, kept, strict=True))
    return [[each for each, yes in pairs if yes], [each for each, yes in pairs if not yes]]


def _chosen(values: list[Value], arguments: list[Value]) -> list[Value]:
    test = _by(arguments)
    return [each for place, each in enumerate(list(values)) if truth(test(each, place, values))]


def _mapped(values: list[Value], arguments: list[Value]) -> list[Value]:
    change = _by(arguments)
    return [change(each, place, values) for place, each in enumerate(list(values))]


def _found(values: list[Value], arguments: list[Value]) -> int | None:
    test = _by(arguments)
    return next((place for place, each in enumerate(values) if truth(test(each, place, values))), None)


def _each(values: list[Value], arguments: list[Value]) -> Value:
    _mapped(values, arguments)
    return UNDEFINED


def _taken(values: list[Value], place: int) -> Value:
    return values.pop(place) if values else UNDEFINED


def _place_of(values: list[Value], wanted: Value) -> float:
    return float(next((place for place, each in enumerate(values) if same(each, wanted)), -1))


def item(values: list[Value] | str, place: Value) -> Value:
    """`values[place]`."""
    if type(place) is not float:
        place = number(place) if type(place) is str else math.nan
    return values[int(place)] if place == place and place.is_integer() and 0 <= place < len(values) else UNDEFINED


def _joined(values: list[Value], arguments: list[Value]) -> Value:
    mark = _at(arguments, 0)
    return ("," if mark is UNDEFINED else text(mark)).join(
        "" if each is None or each is UNDEFINED else text(each) for each in values
    )


_LISTA_CALLS: dict[str, Method] = {
    "adde": _pushed,
    "praepone": _unshifted,
    "remove": lambda xs, a: _taken(xs, -1),
    "decapita": lambda xs, a: _taken(xs, 0),
    "continet": lambda xs, a: includes(xs, _at(a, 0)),
    "indiceDe": lambda xs, a: _place_of(xs, _at(a, 0)),
    "inveni": lambda xs, a: UNDEFINED if (place := _found(xs, a)) is None else xs[place],
    "inveniIndicem": lambda xs, a: -1.0 if (place := _found(xs, a)) is None else float(place),
    "omnes": lambda xs, a: all(truth(_by(a)(each, place, xs)) for place, each in enumerate(xs)),
    "aliquis": lambda xs, a: any(truth(_by(a)(each, place, xs)) for place, each in enumerate(xs)),
    "filtrata": _chosen,
    "mappata": _mapped,
    "explanata": lambda xs, a: _flat(_mapped(xs, a), 1),
    "plana": lambda xs, a: _flat(xs, 1 if _at(a, 0) is UNDEFINED else number(a[0])),
    "inverte": _reversed_in_place,
    "sectio": lambda xs, a: xs[_bounds(a, len(xs))],
    "reducta": _reduced,
    "perambula": _each,
    "coniunge": _joined,
}
_LISTA_FORMULAS: dict[str, Method] = {
    "addita": lambda xs, a: [*xs, _at(a, 0)],
    "praeposita": lambda xs, a: [_at(a, 0), *xs],
    "remota": lambda xs, a: xs[:-1],
    "decapitata": lambda xs, a: xs[1:],
    "purga": lambda xs, a: _truncated_list(xs, []),
    "primus": lambda xs, a: xs[0] if xs else UNDEFINED,
    "ultimus": lambda xs, a: xs[-1] if xs else UNDEFINED,
    "accipe": lambda xs, a: item(xs, _at(a, 0)),
    "longitudo": lambda xs, a: float(len(xs)),
    "vacua": lambda xs, a: not xs,
    "inversa": lambda xs, a: xs[::-1],
    "ordinata": _sorted,
    "ordina": _sorted_in_place,
    "prima": lambda xs, a: xs[_bounds([0.0, _at(a, 0)], len(xs))],
    "ultima": lambda xs, a: xs[_bounds([-number(_at(a, 0))], len(xs))],
    "omissa": lambda xs, a: xs[_bounds([_at(a, 0)], len(xs))],
    "filtra": lambda xs, a: _truncated_list(xs, [each for each in xs if truth(invoked(_at(a, 0), each))]),
    "summa": lambda xs, a: functools.reduce(added, xs, 0.0),
    "medium": lambda xs, a: number(functools.reduce(added, xs, 0.0)) / len(xs) if xs else math.nan,
    "minimus": _extreme(min, math.inf),
    "maximus": _extreme(max, -math.inf),
    "minimusPer": _least(-1),
    "maximusPer": _least(1),
    "numera": lambda xs, a: float(len(_chosen(xs, a))),
    "congrega": _groups,
    "unica": lambda xs, a: Bag(xs).values(),
    "planaOmnia": lambda xs, a: _flat(xs, math.inf),
    "fragmenta": lambda xs, a: [xs[start : start + whole(a[0])] for start in range(0, len(xs), max(1, whole(a[0])))],
    "densa": lambda xs, a: [each for each in xs if truth(each)],
    "partire": _parts,
}


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
    keys = _flat([_at(arguments, 0)], 1)
    return _table([pair for pair in _pairs(table) if includes(keys, pair[0]) is chosen])


def _fallback(value: Value, otherwise: Value) -> Value:
    return otherwise if value is None or value is UNDEFINED else value


_TABULA_CALLS: dict[str, Method] = {
    "pone": lambda t, a: t.put(_at(a, 0), _at(a, 1)),
    "accipe": lambda t, a: t.get(_at(a, 0)),
    "habet": lambda t, a: key_of(_at(a, 0)) in t.entries,
    "dele": lambda t, a: _deleted(t.entries, _at(a, 0)),
    "purga": lambda t, a: _cleared(t.entries),
    "claves": lambda t, a: Sequence([key for key, _ in _pairs(t)]),
    "valores": lambda t, a: Sequence([value for _, value in _pairs(t)]),
    "paria": lambda t, a: Sequence([[key, value] for key, value in _pairs(t)]),
}
_TABULA_FORMULAS: dict[str, Method] = {
    "accipeAut": lambda t, a: _fallback(t.get(_at(a, 0)), _at(a, 1)),
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
    "adde": lambda s, a: _bag_added(s, _at(a, 0)),
    "habet": lambda s, a: key_of(_at(a, 0)) in s.entries,
    "dele": lambda s, a: s.entries.pop(key_of(_at(a, 0)), UNDEFINED) is not UNDEFINED,
    "purga": lambda s, a: _cleared(s.entries),
    "valores": lambda s, a: Sequence(s.values()),
    "perambula": lambda s, a: _each(s.values(), a),
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
    mark = _at(arguments, 0)
    if mark is UNDEFINED:
        return [words]
    return list(words) if text(mark) == "" else words.split(text(mark))


def _replaced(words: str, arguments: list[Value]) -> Value:
    old, new = _at(arguments, 0), _at(arguments, 1)
    if type(old) is not str or type(new) is not str or "$" in new:
        raise Declined("such a replacement")
    return words.replace(old, new)


_TEXTUS_CALLS: dict[str, Method] = {
    "sectio": lambda s, a: s[_bounds(a, len(s))],
    "continet": lambda s, a: text(_at(a, 0)) in s,
    "initium": lambda s, a: s.startswith(text(_at(a, 0))),
    "finis": lambda s, a: s.endswith(text(_at(a, 0))),
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
    return lambda *values: _extreme(pick, empty)(list(values), [])


_NUMBER_FORMULAS: dict[str, Method] = {
    "absolutum": lambda n, a: abs(n),
    "signum": lambda n, a: n if n != n or n == 0 else math.copysign(1.0, n),
    "minimus": lambda n, a: _lesser(min, math.inf)(n, _at(a, 0)),
    "maximus": lambda n, a: _lesser(max, -math.inf)(n, _at(a, 0)),
    "rotunda": lambda n, a: rounded(n),
    "pavimentum": lambda n, a: _floored(math.floor)(n),
    "tectum": lambda n, a: _floored(math.ceil)(n),
    "trunca": lambda n, a: _floored(math.trunc)(n),
}


def _fixed(value: float, arguments: list[Value]) -> Value:
    places = 0 if _at(arguments, 0) is UNDEFINED else whole(arguments[0])
    if abs(value) >= 1e21 or value != value:
        return number_text(value)
    from decimal import ROUND_HALF_UP, Decimal

    return str(Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _repeated(words: str, arguments: list[Value]) -> Value:
    count = whole(_at(arguments, 0))
    if count < 0 or len(words) * count > 1_000_000:
        raise Thrown(error("Invalid count value", RANGE_ERROR))
    return words * count


_NATIVE: dict[type, dict[str, Method]] = {
    list: {
        "push": _LISTA_CALLS["adde"], "pop": _LISTA_CALLS["remove"], "shift": _LISTA_CALLS["decapita"],
        "unshift": _LISTA_CALLS["praepone"], "includes": _LISTA_CALLS["continet"], "indexOf": _LISTA_CALLS["indiceDe"],
        "find": _LISTA_CALLS["inveni"], "findIndex": _LISTA_CALLS["inveniIndicem"], "every": _LISTA_CALLS["omnes"],
        "some": _LISTA_CALLS["aliquis"], "filter": _chosen, "map": _mapped, "slice": _LISTA_CALLS["sectio"],
        "reduce": _reduced, "forEach": _each, "join": _joined, "reverse": _reversed_in_place, "flat": _LISTA_CALLS["plana"],
        "concat": lambda xs, a: [*xs, *_flat(a, 1)],
        "toString": lambda xs, a: text(xs),
    },
    str: {
        "slice": _TEXTUS_CALLS["sectio"], "includes": _TEXTUS_CALLS["continet"], "startsWith": _TEXTUS_CALLS["initium"],
        "endsWith": _TEXTUS_CALLS["finis"], "toUpperCase": _TEXTUS_CALLS["maiuscula"],
        "toLowerCase": _TEXTUS_CALLS["minuscula"], "trim": _TEXTUS_CALLS["recide"], "split": _split, "replaceAll": _replaced,
        "charAt": lambda s, a: "" if (sign := item(s, number(_at(a, 0)))) is UNDEFINED else sign,
        "indexOf": lambda s, a: float(s.find(text(_at(a, 0)))),
        "repeat": _repeated,
        "padStart": lambda s, a: s.rjust(whole(_at(a, 0)), text(a[1]) if len(a) > 1 and len(text(a[1])) == 1 else " "),
        "padEnd": lambda s, a: s.ljust(whole(_at(a, 0)), text(a[1]) if len(a) > 1 and len(text(a[1])) == 1 else " "),
        "charCodeAt": lambda s, a: float(ord(s[whole(_at(a, 0))])),
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
    list: _LISTA_FORMULAS,
    Table: _TABULA_FORMULAS,
    Bag: _COPIA_FORMULAS,
    str: _TEXTUS_FORMULAS,
    float: _NUMBER_FORMULAS,
}
"""Methods that also work as properties, without parentheses."""

METHODS: dict[type, dict[str, Method]] = {
    list: {**_NATIVE[list], **_LISTA_CALLS, **_LISTA_FORMULAS},
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
