"""The standard library: what its modules export, and how its methods are written in TypeScript."""

from __future__ import annotations

from faber.types import (
    BIVALENS,
    FRACTUS,
    NUMERUS,
    OCTETI,
    TEXTUS,
    UNKNOWN,
    VACUUM,
    Callable,
    Generic,
    Type,
)


def _functions(names: str, returns: Type) -> dict[str, Type]:
    return dict.fromkeys(names.split(), Callable([], returns))


def _later(type_: Type) -> Type:
    return Generic("promissum", [type_])


_NUMBERS = Generic("lista", [NUMERUS])

EXPORTS: dict[str, dict[str, Type]] = {
    "norma": {
        **_functions("scribe vide mone", VACUUM),
        **_functions("lege", TEXTUS),
        **_functions("series seriesAb", _NUMBERS),
        **_functions("fortuitus pavimentum tectum rotundus absolutus radix potentia", NUMERUS),
        **_functions("minimus maximus numerus", NUMERUS),
        **_functions("textus", TEXTUS),
        "PI": NUMERUS,
        "E": NUMERUS,
    },
    "norma/tempus": {
        **_functions("nunc nunc_nano nunc_secunda", NUMERUS),
        **_functions("dormi", _later(VACUUM)),
        **dict.fromkeys(("MILLISECUNDUM", "SECUNDUM", "MINUTUM", "HORA", "DIES"), NUMERUS),
    },
    "norma/mathesis": {
        **_functions(
            "pavimentum tectum rotundum truncatum radix potentia logarithmus logarithmus10", FRACTUS
        ),
        **_functions("exponens sinus cosinus tangens absolutum signum minimus maximus constringens", FRACTUS),
        **dict.fromkeys(("PI", "E", "TAU"), FRACTUS),
    },
    "norma/aleator": {
        **_functions("fractus", FRACTUS),
        **_functions("inter", NUMERUS),
        **_functions("octeti", OCTETI),
        **_functions("uuid", TEXTUS),
        **_functions("selige miscita", UNKNOWN),
        **_functions("semen", VACUUM),
    },
    "norma/solum": {
        **_functions("legens ausculta scribens inspice ambula", UNKNOWN),
        **_functions("leget", _later(TEXTUS)),
        **_functions("lege hauri iunge dir basis extensio resolve domus", TEXTUS),
        **_functions("scribet apponet dele duplica move trunca tange crea vacua deleArborem", _later(VACUUM)),
        **_functions("inscribe appone", VACUUM),
        **_functions("exstat", BIVALENS),
        **_functions("elenca", _later(Generic("lista", [TEXTUS]))),
    },
}
"""Module → what it exports, with its type. Other modules are not known and give no names."""

_MATH = {
    "pavimentum": "floor",
    "tectum": "ceil",
    "rotundum": "round",
    "truncatum": "trunc",
    "radix": "sqrt",
    "potentia": "pow",
    "logarithmus": "log",
    "logarithmus10": "log10",
    "exponens": "exp",
    "sinus": "sin",
    "cosinus": "cos",
    "tangens": "tan",
    "absolutum": "abs",
    "signum": "sign",
    "minimus": "min",
    "maximus": "max",
    "PI": "PI",
    "E": "E",
}

VALUES: dict[str, str] = {
    **{name: f"Math.{js}" for name, js in _MATH.items()},
    "constringens": "(x: number, lo: number, hi: number) => Math.min(Math.max(x, lo), hi)",
    "TAU": "Math.PI * 2",
    "nunc": "Date.now",
    "nunc_secunda": "() => Math.floor(Date.now() / 1000)",
    "nunc_nano": "() => Math.round(performance.now() * 1e6)",
    "dormi": "(ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))",
    "MILLISECUNDUM": "1",
    "SECUNDUM": "1000",
    "MINUTUM": "60000",
    "HORA": "3600000",
    "DIES": "86400000",
    "fractus": "Math.random",
    "inter": "(lo: number, hi: number) => Math.floor(Math.random() * (hi - lo + 1)) + lo",
    "octeti": "(n: number) => crypto.getRandomValues(new Uint8Array(n))",
    "uuid": "() => crypto.randomUUID()",
    "selige": "(xs: any[]) => xs[Math.floor(Math.random() * xs.length)]",
    "miscita": "(xs: any[]) => { const a = [...xs]; for (let i = a.length - 1; i > 0; i--) { "
    "const j = Math.floor(Math.random() * (i + 1)); [a[i], a[j]] = [a[j], a[i]]; } return a; }",
    "semen": "(_: number) => {}",
}
"""Exported name → its TypeScript value.
A name without one passes the check and is missing when the program runs."""

_CALLS = {
    "lista": "adde push, praepone unshift, remove pop, decapita shift, continet includes, indiceDe indexOf, "
    "inveni find, inveniIndicem findIndex, omnes every, aliquis some, filtrata filter, mappata map, "
    "explanata flatMap, plana flat, inverte reverse, sectio slice, reducta reduce, perambula forEach, "
    "coniunge join",
    "tabula": (
        "pone set, accipe get, habet has, dele delete, purga clear, claves keys, valores values, paria "
        "entries"
    ),
    "copia": "adde add, habet has, dele delete, purga clear, valores values, perambula forEach",
    "textus": "sectio slice, continet includes, initium startsWith, finis endsWith, maiuscula toUpperCase, "
    "minuscula toLowerCase, recide trim, divide split, muta replaceAll",
}

CALLS: dict[str, dict[str, str]] = {
    kind: dict(pair.split() for pair in text.split(", ")) for kind, text in _CALLS.items()
}
"""Kind of receiver → library method → the JavaScript method it is."""

FORMULAS: dict[str, dict[str, str]] = {
    "lista": {
        "addita": "[...$0, $1]",
        "praeposita": "[$1, ...$0]",
        "remota": "$0.slice(0, -1)",
        "decapitata": "$0.slice(1)",
        "purga": "($0.length = 0)",
        "primus": "$0[0]",
        "ultimus": "$0.at(-1)",
        "accipe": "$0[$1]",
        "longitudo": "$0.length",
        "vacua": "($0.length === 0)",
        "inversa": "[...$0].reverse()",
        "ordinata": "$sort([...$0]$,)",
        "ordina": "$sort($0$,)",
        "prima": "$0.slice(0, $1)",
        "ultima": "$0.slice(-$1)",
        "omissa": "$0.slice($1)",
        "filtra": "$keep($0, $1)",
        "summa": "$0.reduce((a: any, b: any) => a + b, 0)",
        "medium": "$mean($0)",
        "minimus": "Math.min(...$0)",
        "maximus": "Math.max(...$0)",
        "minimusPer": "$least($0, $1, -1)",
        "maximusPer": "$least($0, $1, 1)",
        "numera": "$0.filter($1).length",
        "congrega": "Object.groupBy($0, $1)",
        "unica": "[...new Set($0)]",
        "planaOmnia": "$0.flat(Infinity)",
        "fragmenta": "$chunks($0, $1)",
        "densa": "$0.filter(Boolean)",
        "partire": "$parts($0, $1)",
        "miscita": "$shuffled($0)",
        "specimen": "$shuffled($0)[0]",
        "specimina": "$shuffled($0).slice(0, $1)",
    },
    "tabula": {
        "accipeAut": "($0.get($1) ?? $2)",
        "longitudo": "$0.size",
        "vacua": "($0.size === 0)",
        "selecta": "$picked($0, [$1], true)",
        "omissa": "$picked($0, [$1], false)",
        "conflata": "new Map([...$0, ...$1])",
        "inversa": "new Map([...$0].map(([k, v]) => [v, k]))",
        "mappaValores": "new Map([...$0].map(([k, v]) => [k, ($1)(v)]))",
        "mappaClaves": "new Map([...$0].map(([k, v]) => [($1)(k), v]))",
        "inLista": "[...$0]",
        "inObjectum": "Object.fromEntries($0)",
    },
    "copia": {
        "longitudo": "$0.size",
        "vacua": "($0.size === 0)",
        "unio": "new Set([...$0, ...$1])",
        "intersectio": "$set($0, $1, true)",
        "differentia": "$set($0, $1, false)",
        "symmetrica": "$either($0, $1)",
        "subcopia": "($set($0, $1, false).size === 0)",
        "supercopia": "($set($1, $0, false).size === 0)",
        "inLista": "[...$0]",
    },
    "textus": {"longitudo": "$0.length"},
    "numerus": {
        "absolutum": "Math.abs($0)",
        "signum": "Math.sign($0)",
        "minimus": "Math.min($0, $1)",
        "maximus": "Math.max($0, $1)",
    },
    "fractus": {
        "absolutum": "Math.abs($0)",
        "signum": "Math.sign($0)",
        "minimus": "Math.min($0, $1)",
        "maximus": "Math.max($0, $1)",
        "rotunda": "Math.round($0)",
        "pavimentum": "Math.floor($0)",
        "tectum": "Math.ceil($0)",
        "trunca": "Math.trunc($0)",
    },
}
"""Kind of receiver → library method → what it becomes. $0 is the receiver, $1… the arguments, `$,` the
remaining arguments after a comma, and a name after $ is a function from PRELUDE. These also work without
parentheses, as properties."""

PRELUDE: dict[str, str] = {
    "sort": "function $sort(xs: any[], by?: (a: any, b: any) => number): any[] {\n"
    "  return xs.sort(by ?? ((a, b) => (a < b ? -1 : a > b ? 1 : 0)));\n}",
    "keep": "function $keep(xs: any[], test: (x: any) => boolean): void {\n"
    "  xs.splice(0, xs.length, ...xs.filter((x) => test(x)));\n}",
    "mean": "function $mean(xs: number[]): number {\n  return xs.reduce((a, b) => a + b, 0) / xs.length;\n}",
    "least": "function $least(xs: any[], by: (x: any) => any, sign: number): any {\n"
    "  return xs.reduce((best, x) => ((by(x) > by(best) ? 1 : by(x) < by(best) ? -1 : 0) === sign ? x : "
    "best));\n}",
    "chunks": "function $chunks(xs: any[], n: number): any[][] {\n"
    "  return Array.from({ length: Math.ceil(xs.length / n) }, (_, i) => xs.slice(i * n, i * n + n));\n}",
    "parts": "function $parts(xs: any[], test: (x: any) => boolean): any[][] {\n"
    "  const yes: any[] = [], no: any[] = [];\n  for (const x of xs) (test(x) ? yes : no).push(x);\n  "
    "return [yes, no];\n}",
    "shuffled": "function $shuffled(xs: any[]): any[] {\n  const a = [...xs];\n"
    "  for (let i = a.length - 1; i > 0; i--) {\n    const j = Math.floor(Math.random() * (i + 1));\n"
    "    [a[i], a[j]] = [a[j], a[i]];\n  }\n  return a;\n}",
    "picked": "function $picked(map: Map<any, any>, keys: any[], chosen: boolean): Map<any, any> {\n"
    "  const names = keys.flat();\n  return new Map([...map].filter(([k]) => names.includes(k) === "
    "chosen));\n}",
    "set": "function $set(a: Iterable<any>, b: Set<any>, inside: boolean): Set<any> {\n"
    "  return new Set([...a].filter((x) => b.has(x) === inside));\n}",
    "either": "function $either(a: Set<any>, b: Set<any>): Set<any> {\n"
    "  return new Set([...[...a].filter((x) => !b.has(x)), ...[...b].filter((x) => !a.has(x))]);\n}",
    "range": "function $range(start: number, stop: number, inclusive: boolean, step = 1): number[] {\n"
    "  const count = inclusive ? Math.floor((stop - start) / step) + 1 : Math.ceil((stop - start) / step);\n"
    "  return Array.from({ length: Math.max(0, count) }, (_, i) => start + i * step);\n}",
    "within": "function $within(x: any, low: any, high: any, inclusive: boolean): boolean {\n"
    "  return x >= low && (inclusive ? x <= high : x < high);\n}",
    "joined": "function $joined(a: any, b: any): any {\n"
    '  return typeof a === "string" || typeof b === "string" ? b + a : a + b;\n}',
    "maybe": (
        "function $maybe<T>(x: any, use: (x: any) => T): T | undefined {\n  return x == null ? undefined : "
        "use(x);\n}"
    ),
    "parsed": "function $parsed(number: number, otherwise: () => any): any {\n"
    "  return Number.isNaN(number) ? otherwise() : number;\n}",
    "empty": "function $empty(x: any): boolean {\n"
    '  if (x == null) return true;\n  if (typeof x === "string" || Array.isArray(x)) return x.length === 0;\n'
    "  if (x instanceof Map || x instanceof Set) return x.size === 0;\n"
    '  return typeof x === "object" ? Object.keys(x).length === 0 : !x;\n}',
    "Panic": 'class $Panic extends Error {\n  override name = "Panic";\n}',
}
"""Functions of our own that the emitted program may need; only those it uses are written into it."""

METHODS: frozenset[str] = frozenset(
    name for table in (CALLS, FORMULAS) for methods in table.values() for name in methods
)
COLLECTION_METHODS: frozenset[str] = frozenset(
    name
    for kind in ("lista", "tabula", "copia", "textus")
    for name in (*CALLS.get(kind, ()), *FORMULAS.get(kind, ()))
)
"""Methods of things one can hold several of.
On a receiver of another static type they are looked up when the program runs."""
