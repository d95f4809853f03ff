"""Lists as the evaluator knows them: what each method does, and what other kinds of values share with them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from probatio.languages.faber.evaluate.values import (
    UNDEFINED,
    Bag,
    Declined,
    Function,
    Record,
    Table,
    Value,
    key_of,
    number,
    same,
    text,
    truth,
    type_error,
)

Method = Callable[[Any, list[Value]], Value]


def at(arguments: list[Value], place: int) -> Value:
    return arguments[place] if place < len(arguments) else UNDEFINED


def invoked(function: Value, *arguments: Value) -> Value:
    if not isinstance(function, Function):
        raise type_error(f"{text(function) if not isinstance(function, (Table, Bag)) else 'it'} is not a function")
    return function.invoke(UNDEFINED, list(arguments))


def _by(arguments: list[Value]) -> Callable[[Value, int, list[Value]], Value]:
    function = at(arguments, 0)
    return lambda value, place, values: invoked(function, value, float(place), values)


def whole(value: Value) -> int:
    """A number as a place: cut to a whole one, nothing is 0."""
    size = number(value)
    return 0 if size != size else int(max(-1e15, min(1e15, size)))


def bounds(arguments: list[Value], length: int) -> slice:
    def place(value: Value, otherwise: int) -> int:
        if value is UNDEFINED:
            return otherwise
        given = whole(value)
        return max(0, length + given) if given < 0 else min(given, length)

    return slice(place(at(arguments, 0), 0), place(at(arguments, 1), length))


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


def reduced(values: list[Value], arguments: list[Value]) -> Value:
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


def reversed_in_place(values: list[Value], arguments: list[Value]) -> Value:
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


def flat(values: list[Value], depth: float) -> list[Value]:
    found: list[Value] = []
    for each in values:
        found += flat(each, depth - 1) if type(each) is list and depth >= 1 else [each]
    return found


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


def extreme(pick: Callable[[list[float]], float], empty: float) -> Method:
    def method(values: list[Value], arguments: list[Value]) -> Value:
        numbers = [number(each) for each in values]
        return math.nan if any(n != n for n in numbers) else pick(numbers) if numbers else empty

    return method


def _parts(values: list[Value], arguments: list[Value]) -> Value:
    kept = [truth(invoked(at(arguments, 0), each)) for each in values]
    pairs = list(zip(values, kept, strict=True))
    return [[each for each, yes in pairs if yes], [each for each, yes in pairs if not yes]]


def chosen(values: list[Value], arguments: list[Value]) -> list[Value]:
    test = _by(arguments)
    return [each for place, each in enumerate(list(values)) if truth(test(each, place, values))]


def mapped(values: list[Value], arguments: list[Value]) -> list[Value]:
    change = _by(arguments)
    return [change(each, place, values) for place, each in enumerate(list(values))]


def _found(values: list[Value], arguments: list[Value]) -> int | None:
    test = _by(arguments)
    return next((place for place, each in enumerate(values) if truth(test(each, place, values))), None)


def each_in(values: list[Value], arguments: list[Value]) -> Value:
    mapped(values, arguments)
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


def joined(values: list[Value], arguments: list[Value]) -> Value:
    mark = at(arguments, 0)
    return ("," if mark is UNDEFINED else text(mark)).join(
        "" if each is None or each is UNDEFINED else text(each) for each in values
    )


LISTA_CALLS: dict[str, Method] = {
    "adde": _pushed,
    "praepone": _unshifted,
    "remove": lambda xs, a: _taken(xs, -1),
    "decapita": lambda xs, a: _taken(xs, 0),
    "continet": lambda xs, a: includes(xs, at(a, 0)),
    "indiceDe": lambda xs, a: _place_of(xs, at(a, 0)),
    "inveni": lambda xs, a: UNDEFINED if (place := _found(xs, a)) is None else xs[place],
    "inveniIndicem": lambda xs, a: -1.0 if (place := _found(xs, a)) is None else float(place),
    "omnes": lambda xs, a: all(truth(_by(a)(each, place, xs)) for place, each in enumerate(xs)),
    "aliquis": lambda xs, a: any(truth(_by(a)(each, place, xs)) for place, each in enumerate(xs)),
    "filtrata": chosen,
    "mappata": mapped,
    "explanata": lambda xs, a: flat(mapped(xs, a), 1),
    "plana": lambda xs, a: flat(xs, 1 if at(a, 0) is UNDEFINED else number(a[0])),
    "inverte": reversed_in_place,
    "sectio": lambda xs, a: xs[bounds(a, len(xs))],
    "reducta": reduced,
    "perambula": each_in,
    "coniunge": joined,
}
LISTA_FORMULAS: dict[str, Method] = {
    "addita": lambda xs, a: [*xs, at(a, 0)],
    "praeposita": lambda xs, a: [at(a, 0), *xs],
    "remota": lambda xs, a: xs[:-1],
    "decapitata": lambda xs, a: xs[1:],
    "purga": lambda xs, a: _truncated_list(xs, []),
    "primus": lambda xs, a: xs[0] if xs else UNDEFINED,
    "ultimus": lambda xs, a: xs[-1] if xs else UNDEFINED,
    "accipe": lambda xs, a: item(xs, at(a, 0)),
    "longitudo": lambda xs, a: float(len(xs)),
    "vacua": lambda xs, a: not xs,
    "inversa": lambda xs, a: xs[::-1],
    "ordinata": _sorted,
    "ordina": _sorted_in_place,
    "prima": lambda xs, a: xs[bounds([0.0, at(a, 0)], len(xs))],
    "ultima": lambda xs, a: xs[bounds([-number(at(a, 0))], len(xs))],
    "omissa": lambda xs, a: xs[bounds([at(a, 0)], len(xs))],
    "filtra": lambda xs, a: _truncated_list(xs, [each for each in xs if truth(invoked(at(a, 0), each))]),
    "summa": lambda xs, a: functools.reduce(added, xs, 0.0),
    "medium": lambda xs, a: number(functools.reduce(added, xs, 0.0)) / len(xs) if xs else math.nan,
    "minimus": extreme(min, math.inf),
    "maximus": extreme(max, -math.inf),
    "minimusPer": _least(-1),
    "maximusPer": _least(1),
    "numera": lambda xs, a: float(len(chosen(xs, a))),
    "congrega": _groups,
    "unica": lambda xs, a: Bag(xs).values(),
    "planaOmnia": lambda xs, a: flat(xs, math.inf),
    "fragmenta": lambda xs, a: [xs[start : start + whole(a[0])] for start in range(0, len(xs), max(1, whole(a[0])))],
    "densa": lambda xs, a: [each for each in xs if truth(each)],
    "partire": _parts,
}
