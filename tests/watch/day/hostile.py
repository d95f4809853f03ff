"""Answers that were seen to stop a day, blind it or keep it busy, by the use case they were given to; and
their families."""

from __future__ import annotations

HOSTILE_TEXTS: dict[str, tuple[tuple[str, str], ...]] = {
    # case → answers
    "math_expressions": (
        ("powers of powers", "C: sqrt((999999999999999^(12*12))^(12*12)+1)"),
        ("the same as LaTeX", r"C: \sqrt{(999999999999999^{(12*12)})^{(12*12)}+1}"),
        ("a quotient of them", "C: 1/(999999999999999^(12*12))^(12*12)+sqrt(2)"),
        ("two units", "C: 2 decade 3 octave"),
        ("half a pair", "A: \ud800\nB: \udfff\nC: sqrt(\ud83d)"),
    ),
    "math_quantities": (
        ("a unit times decibels", "A: 90 km dB\nB: 1 dB\nC: 2 decade 3 octave"),
        ("decibels squared", "A: 90 dB^2\nB: 90 dB^3\nC: 3 octave^2"),
        ("offset units", "A: 90 degC km\nB: 90 degF^2\nC: 2 degC 3 degF"),
        ("a number without end", "A: " + "9" * 40_000),
        ("an exponent without end", "A: 1e999999999\nB: 10^999999999 km\nC: 1/0"),
    ),
}
LONG: tuple[tuple[str, str], ...] = (
    ("dashes", "-" * 16_000),
    ("stars", "*" * 30_000),
    ("tildes", "~" * 30_000),
    ("braces", "{" * 30_000),
    ("brackets", "[" * 30_000),
    ("a fence and letters", "```" + "a" * 30_000),
    ("many fences", "```a\n" * 10_000),
    ("thoughts", "<think>" * 10_000),
    ("thoughts that end", "</think>" * 10_000),
    ("prose", "The committee met again on Tuesday, and nothing was decided. " * 170_000),
    ("spaces", " " * 40_000 + "x"),
    ("newlines", "\n" * 40_000 + "x"),
    ("a colon per line", "output: \n" * 6_000),
    ("digits", "1," * 25_000),
    ("control characters", "".join(map(chr, range(32))) * 500),
    ("lone surrogates", "\ud800\udfff word " * 2_000),
    ("combining marks", "a" + "\u0301" * 40_000),
)
"""For any use case whose answer is a text."""

SOLUTIONS: tuple[tuple[str, str], ...] = (
    ("raises half a pair", "raise ValueError('\\ud800')"),
    ("raises half a pair when called", "def {f}(*a, **k):\n    raise ValueError('\\ud800')"),
    ("returns half a pair", "def {f}(*a, **k):\n    return '\\ud800'"),
    ("returns an object named so", "def {f}(*a, **k):\n    return type('\\udc00', (), {{}})()"),
    (
        "a set of numbers with one hash",
        "import os, sys\n"
        "def {f}(*a, **k):\n"
        "    values = ', '.join(str(n * (2**61 - 1)) for n in range(1, 36000))\n"
        '    line = \'{{"call": 0, "value": {{"set": [\' + values + \']}}}}\\n\'\n'
        "    for handle in range(3, 20):\n"
        "        try: os.write(handle, line.encode()); break\n"
        "        except OSError: pass\n"
        "    os._exit(0)",
    ),
    (
        "nested without end",
        "import os\n"
        "def {f}(*a, **k):\n"
        "    for handle in range(3, 20):\n"
        "        try: os.write(handle, b'[' * 400000 + b'\\n'); break\n"
        "        except OSError: pass\n"
        "    os._exit(0)",
    ),
)

_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
    "<body><h1>Hello</h1>{body}</body></html>"
)


def page(body: str, title: str = "Page") -> str:
    return _PAGE.format(title=title, body=body)


CLOBBERED = (
    "computedRole",
    "computedName",
    "tabIndex",
    "textContent",
    "disabled",
    "scrollWidth",
    "labels",
    "open",
    "value",
)
PAGES: tuple[tuple[str, str], ...] = (
    (
        "half a pair as text",
        page('<p id="p"></p><script>document.getElementById("p").textContent = "😀 Ada"[0]</script>'),
    ),
    ("half a pair on the console", page('<script>console.error("\\ud800")</script>')),
    ("half a pair as an error", page('<script>throw new Error("\\ud800")</script>')),
    ("half a pair in the title", page('<script>document.title = "\\ud800"</script>')),
    ("half a pair in storage", page('<script>localStorage["\\ud800"] = "\\udfff \\\\ud800"</script>')),
    *(
        (f"a form field named {name}", page(f'<form id="f"><input name="{name}"> text</form>'))
        for name in CLOBBERED
    ),
    (
        "a field named after a method",
        page('<form id="f"><input name="getBoundingClientRect"><input name="matches"></form>'),
    ),
    (
        "images named after the document",
        page('<img name="createRange"><form name="body"></form><img name="compatMode">'),
    ),
)
_WAVES = "<script>setInterval(() => {{ for (let i = 0; i < 1000; i++) {what} }}, 1)</script>"
FLOODS: tuple[tuple[str, str], ...] = (
    ("errors without end", page('<script>for (;;) console.error("x")</script>')),
    ("errors in waves", page(_WAVES.format(what="console.error(i)"))),
    ("requests in waves", page(_WAVES.format(what='fetch("https://x.test/" + i)'))),
)
