"""Strues, the whole language: `toolchain.py check FILE` and `toolchain.py run FILE`."""

from __future__ import annotations

import sys
from itertools import accumulate, repeat

TYPE_CHECKING = False  # importing `typing` or `re` takes longer than a small program runs
if TYPE_CHECKING:
    from typing import Any
DIGITS, LENGTH, FRAMES, WHOLE = 18, 1_000_000, 6000, "[…]"  # the limits; a quotation that sees the whole pile


class Problem(Exception):
    """Its arguments: line, stage (syntax, word, effect or run), message."""


class Reader:
    """From text to bodies. A body is a list of nodes (kind, value, line) in the order in which they run."""

    def __init__(self, source: str) -> None:
        self.words, tokens = dict(WORDS), []
        for line, text in enumerate(source.split("\n"), 1):
            parts = text.partition("#")[0].split('"')  # every second part is a text
            if len(parts) % 2 == 0:
                raise Problem(line, "syntax", "the text is not closed on its line")
            for position, part in enumerate(parts):
                spaced = part.translate({ord(bracket): f" {bracket} " for bracket in "[]()"})
                tokens += [(token, line) for token in (['"' + part] if position % 2 else spaced.split())]
            tokens.append(("\n", line))
        self.tokens = iter(tokens)
        self.words["the program"] = [[], [], self.body("", 1), line]

    def body(self, opening: str, opened: int) -> list[Any]:
        body: list[Any] = []
        start, turned, closing = 0, False, {"[": "]", "(": ")"}.get(opening)
        for token, line in self.tokens:
            if token in ("\n", closing):
                body[start:] = body[start:][::-1] if turned else body[start:]  # a turned line runs from its end
                if token == closing:
                    return body
                start, turned = len(body), False
            elif token == "<" and start == len(body) and not turned:
                turned = True
            elif token == "to" and start == len(body) and not turned and not opening:
                self.define(line)
            else:
                body.append(self.node(token, line))
        if opening:
            raise Problem(opened, "syntax", f"`{opening}` is not closed")
        return body

    def node(self, token: str, line: int) -> tuple[str, Any, int]:
        if token in ("[", "("):
            return "quotation" if token == "[" else "list", self.body(token, line), line
        if token in ("]", ")", "<", "to"):
            raise Problem(line, "syntax", f"`{token}` stands in a wrong place")
        if token[0] == "-" and token[1:].isdigit():
            raise Problem(line, "syntax", f"a negative number has its sign behind it: {token[1:]}-")
        if token[0] in '"@':
            return "text" if token[0] == '"' else "name", token[1:], line
        return ("word", token, line) if (number := as_number(token)) is None else ("number", number, line)

    def define(self, line: int) -> None:
        header = [token for token, _ in iter(lambda: next(self.tokens, ("[", line)), ("[", line))]
        name, (takes, arrow, leaves) = "".join(header[:1]), " ".join(header[1:]).partition("->")
        if not name[:1].isalpha() or name in self.words or not arrow or {*takes.split(), *leaves.split()} - TYPES:
            raise Problem(line, "syntax", "write: to NEW-WORD types -> types [ … ] with number, text, list, any")
        self.words[name] = word = [takes.split(), leaves.split(), None, line]
        word[2] = self.body("[", line)


class Walker:
    """Goes through a body with a pile: of types when it checks, of values when it runs. A quotation is a function of a pile."""

    def __init__(self, words: dict[str, Any], runs: bool) -> None:
        self.words, self.runs = words, runs

    def body(self, body: list[Any], pile: list[Any], names: dict[str, Any]) -> list[Any]:
        for kind, value, line in body:
            if kind == "word" and value not in names:
                self.word(value, value.removesuffix("~"), pile, line)
            elif kind == "quotation":
                pile.append(lambda pile, body=value: self.body(body, pile, dict(names)))
            elif kind == "name":
                if not pile:
                    raise Problem(line, "effect", f"`@{value}` needs a value, but the pile has nothing")
                names[value] = pile.pop()
            else:
                held = tuple(self.body(value, [], dict(names))) if kind == "list" else value
                pile.append(names[value] if kind == "word" else held if self.runs else kind)
        return pile

    def word(self, token: str, word: str, pile: list[Any], line: int) -> None:
        if word not in self.words:
            raise Problem(line, "word", f"`{token}` is not a word, a name or a number")
        takes, leaves, function = self.words[word][:3]
        taken = pile[max(0, len(pile) - len(takes)) :]
        kinds = [KINDS.get(type(item), WHOLE) if self.runs or callable(item) else item for item in taken]
        if len(taken) < len(takes) or not all(map(fits, takes, kinds)):
            needs = f"`{token}` needs {' '.join(takes)}, but the pile has {' '.join(kinds) or 'nothing'}"
            raise Problem(line, "run" if self.runs else "effect", needs)
        pile[len(pile) - len(takes) :] = [item for item in taken if token != word and not callable(item)]
        if not self.runs:
            self.follow(word, takes, taken, pile, line)
        elif isinstance(function, list):
            pile += self.body(function, taken, {})
        else:
            try:
                result = function(pile, *taken) if WHOLE in takes else function(*taken)
                results = [result] if len(leaves) == 1 else result if leaves else []
                if any(abs(item) >= 10**DIGITS if isinstance(item, int) else len(item) > LENGTH for item in results):
                    raise ValueError
            except (ArithmeticError, LookupError, TypeError, ValueError):
                raise Problem(line, "run", f"`{word}` has no result for {' '.join(map(written, taken))[:60]}") from None
            pile += results

    def follow(self, word: str, takes: list[str], taken: list[Any], pile: list[Any], line: int) -> None:
        """Check the quotations of a word, some of which see only what they are given, and put on the pile what it leaves."""
        wanted = {"times": pile[:], "again": [*pile, "number"]}.get(word)
        for need, quotation in zip(takes, taken, strict=True):
            gives, _, wants = need.strip("[]").partition("->")
            if wants:
                self.agree(f"the quotation of `{word}`", [wants], quotation(gives.split(",")), line)
            elif need == WHOLE:
                wanted = self.agree(f"a quotation of `{word}`", wanted, quotation(pile[:]), line)
        pile[:] = pile if wanted is None else wanted[:-1] if word == "again" else wanted
        pile += [taken[int(kind)] if kind.isdigit() else kind for kind in self.words[word][1]]

    def agree(self, who: str, wanted: list[Any] | None, left: list[Any], line: int) -> list[Any]:
        if wanted is not None and not (len(wanted) == len(left) and all(map(fits, wanted, left))):
            must, does = (" ".join(map(written, pile)) or "nothing" for pile in (wanted, left))
            raise Problem(line, "effect", f"{who} must leave {must}, but leaves {does}")
        return left


def fits(need: Any, kind: Any) -> bool:
    if callable(need) or callable(kind) or "[" in need + kind:
        return need is kind or (kind == WHOLE and need[0] == "[")
    return need == kind or "any" in (need, kind) or (need == "series" and kind != "number")


def as_number(text: str) -> Any:
    digits = text.removesuffix("-")
    fine = digits.isascii() and digits.isdigit() and len(digits) <= DIGITS
    return int("-" * (text != digits) + digits) if fine else None


def written(value: Any) -> str:
    if isinstance(value, int):
        return f"{-value}-" if value < 0 else str(value)
    return WHOLE if callable(value) else value if isinstance(value, str) else f"({' '.join(map(written, value))})"


# fmt: off
TYPES, KINDS, SUM = {"number", "text", "list", "any"}, {int: "number", str: "text", tuple: "list"}, "number number : number"
WORDS: dict[str, Any] = {name: [*map(str.split, effect.split(":")), function] for name, effect, function in (
    # takes, the top last : leaves (a digit is a value it took); series is text or list; a Python error is "no result"
    ("add", SUM, lambda x, y: y + x), ("sub", SUM, lambda x, y: y - x), ("mul", SUM, lambda x, y: y * x),
    ("div", SUM, lambda x, y: y // x), ("mod", SUM, lambda x, y: y % x), ("larger", SUM, max), ("smaller", SUM, min),
    ("twin", "any : 0 0", lambda x: (x, x)), ("trade", "any any : 1 0", lambda x, y: (y, x)), ("drop", "any :", id),
    ("tell", "any :", lambda x: print(written(x))), ("show", "any : text", written), ("value", "text : number", as_number),
    ("line", ": text", lambda: sys.stdin.readline().rstrip("\n")), ("lines", ": list", lambda: (*sys.stdin.read().splitlines(),)),
    ("chars", "text : list", tuple), ("numbers", "text : list", lambda t: tuple(0 + as_number(part) for part in t.split())),
    ("cut", "text text : list", lambda x, t: tuple(t.split(x))), ("lay", "any list : list", lambda x, s: (*s, x)),
    ("glue", "text list : text", lambda x, s: x.join(map(written, s))), ("join", "series series : 1", lambda x, y: y + x),
    ("upto", "number : list", lambda n: tuple(range(1, min(n, LENGTH + 1) + 1))), ("turn", "series : 0", lambda s: s[::-1]),
    ("pick", "number series : any", lambda n, s: s[range(1, len(s) + 1).index(n)]), ("size", "series : number", len),
    ("front", "number series : 1", lambda n, s: s[: max(0, n)]), ("beyond", "number series : 1", lambda n, s: s[max(0, n) :]),
    ("seek", "any list : number", lambda x, s: +(x in s and s.index(x) + 1)), ("sort", "list : list", lambda s: tuple(sorted(s))),
    ("each", "list [any->any] : list", lambda s, q: tuple(q([x])[0] for x in s)),
    ("sift", "list [any->number] : list", lambda s, q: tuple(x for x in s if q([x])[0] > 0)),
    ("fold", "list any [any,any->any] : any", lambda s, x, q: [*accumulate(s, lambda y, z: q([y, z])[0], initial=x)][-1]),
    ("weave", "list [any->any] [any->any] : list", lambda s, *q: tuple(q[i % 2]([x])[0] for i, x in enumerate(s))),
    ("do", "[…] :", lambda pile, q: q(pile)), ("again", "[…] :", lambda pile, q: all(q(pile).pop() > 0 for _ in repeat(0))),
    ("times", "number […] :", lambda pile, n, q: all(q(pile) is pile for _ in range(n))),
    ("weigh", "any any […] […] […] :", lambda pile, x, y, *q: q[(y > x) - (y < x) + 1](pile)))}
# fmt: on


def problem_of(command: str, source: str) -> str:
    try:
        words = Reader(source).words
        checker = Walker(words, False)
        for name, (takes, leaves, body, line) in [*words.items()][len(WORDS) :]:
            checker.agree(f"`{name}`", leaves, checker.body(body, takes[:], {}), line)
        if command == "run":
            Walker(words, True).body(words["the program"][2], [], {})
    except Problem as problem:
        return "line {}: {}: {}".format(*problem.args)
    except (RecursionError, MemoryError):
        return "run: words or brackets are nested too deep, or there is too little memory"
    return ""


if __name__ == "__main__":
    sys.setrecursionlimit(FRAMES)
    command, path = sys.argv[1:] if len(sys.argv) == 3 else sys.exit("usage: toolchain.py check FILE, or run FILE")
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123, pathlib is slow to import
        sys.exit(problem_of(command, file.read()) or 0)
