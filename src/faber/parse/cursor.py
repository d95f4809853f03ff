"""The parser's place in the tokens: looking, taking, expecting, and finding the way again after an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from faber import tree
from faber.diagnostics import Report
from faber.dialects import Dialect
from faber.parse.tokens import END, NAME, Tokens
from faber.vocabulary import KEYWORD_NAMES, words

T = TypeVar("T")

MAX_DEPTH = 400
"""How deep constructs may nest: far beyond any program people write,
well within Python's stack (see `limits`)."""

STATEMENT_STARTS = words("functio varia fixum si dum pro redde tempta")
"""Where reading goes on after an error: the reference resumes at these words only,
and so at the same next error."""


class Stop(Exception):
    """Reading a top-level statement cannot go on; it is dropped and the next one is tried."""


class Cursor:
    """Where the parser stands. All functions of the grammar share one cursor and move it on.

    `parse_expression` and `parse_statement` close the two circles of the grammar: an operand may hold an
    expression in brackets, and an expression a block of statements. What stands below these two in the
    grammar finds them here.
    """

    __slots__ = (
        "assigns_right", "depth", "dialect", "ends", "i", "kinds", "parse_expression", "parse_statement",
        "report", "starts", "sums_first", "tokens", "values", "words",
    )  # fmt: skip

    def __init__(
        self,
        tokens: Tokens,
        dialect: Dialect,
        report: Report,
        parse_expression: Callable[[Cursor], tree.Expression],
        parse_statement: Callable[[Cursor], tree.Statement],
    ) -> None:
        self.tokens = tokens
        self.parse_expression, self.parse_statement = parse_expression, parse_statement
        self.kinds, self.values = tokens.kinds, tokens.values
        self.starts, self.ends = tokens.starts, tokens.ends
        self.dialect, self.words = dialect, dialect.words
        reads = dialect.twist.reads if dialect.twist else ""
        self.assigns_right, self.sums_first = reads == "assignment to the right", reads == "sums first"
        self.report = report
        self.i = 0
        self.depth = 0

    # Taking tokens.

    def step(self) -> int:
        """Step over the current token, which is not the end; where it stands."""
        self.i += 1
        return self.starts[self.i - 1]

    def advance(self) -> int:
        """Step over the current token; the index of the token stepped over,
        or of the one before when at the end."""
        if self.kinds[self.i] != END:
            self.i += 1
        return self.i - 1

    def take(self, kind: str) -> bool:
        if self.kinds[self.i] == kind:
            self.i += 1
            return True
        return False

    def expect(self, kind: str) -> int | None:
        """Take a token of this kind, or report and step over what stands there instead."""
        if self.kinds[self.i] == kind:
            self.i += 1
            return self.i - 1
        self.report_missing(self.spell(kind), hint_for_missing(kind, self.kinds[self.i]))
        self.advance()
        return None

    def identifier(self) -> str:
        """A name that is no keyword; else the empty name."""
        at = self.expect(NAME)
        return "" if at is None else self.dialect.read_name(self.values[at])

    def name(self) -> str:
        """A name; keywords are names here."""
        kind = self.kinds[self.i]
        if kind == NAME or kind in KEYWORD_NAMES:
            self.i += 1
            return self.dialect.read_name(self.values[self.i - 1])
        return self.identifier()

    def parse_separated(self, parse: Callable[[Cursor], T]) -> list[T]:
        """One part and those that follow it, each after a comma."""
        parts = [parse(self)]
        while self.take(","):
            parts.append(parse(self))
        return parts

    def same_line(self, first: int, second: int) -> bool:
        return self.tokens.source.find("\n", self.starts[first], self.starts[second]) < 0

    # Errors.

    def error(self, code: str, message: str, hint: str | None = None) -> Stop:
        """Report what is wrong here; the hint gets the dialect's words in its {keyword} places.
        Where reading cannot go on, raise what this returns."""
        said = hint.format_map(self.words) if hint else None
        self.report.add("syntax", code, self.starts[self.i], message, said)
        return Stop()

    def report_missing(self, what: str, hint: str | None = None) -> Stop:
        return self.error("expected", f"Expected {what} but found {self.current_text()}.", hint)

    def report_unexpected(self) -> Stop:
        text = self.current_text()
        hint = _UNEXPECTED.get(self.kinds[self.i])
        return self.error("unexpected", f"{text[0].upper()}{text[1:]} cannot stand here.", hint)

    def current_text(self) -> str:
        """What stands here, as a message quotes it."""
        kind = self.kinds[self.i]
        return "the end of the program" if kind == END else f"'{self.values[self.i]}'"

    def spell(self, kind: str) -> str:
        """A kind of token as a reader knows it, in the words of the dialect."""
        if kind in KEYWORD_NAMES:
            return f"'{self.words[kind]}'"
        return {NAME: "a name", "STRING": "a text"}.get(kind, f"'{kind}'")

    def deeper(self) -> None:
        """Go one construct deeper; a program that nests without end is given up, not followed."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"Constructs nest deeper than {MAX_DEPTH} levels here."
            stop = self.error("nesting", message, "Split the program into functions.")
            self.i = len(self.kinds) - 1
            raise stop

    def synchronize(self) -> None:
        """Skip to where the next statement may start."""
        self.advance()
        kinds = self.kinds
        while kinds[self.i] != END and kinds[self.i] not in STATEMENT_STARTS:
            self.i += 1


def hint_for_missing(expected: str, current: str) -> str | None:
    """Why an expected token may be missing where another one stands.
    {…} are places for the dialect's words."""
    if expected == ")" and current == ":":
        return "Parameters are type-first: `{numerus} x`, not `x: {numerus}`."
    if expected == ")" and current == "=":
        return "A parameter's default is written `{numerus} x {vel} 1`."
    if expected == ")" and current == ",":
        return "`{scribe}` takes its arguments without parentheses: `{scribe} a, b`."
    if expected == "{" and current == ":":
        return "A return type is written after an arrow: `() -> T`."
    if expected == "{" and current in ("NAME", "="):
        return "A body is a block `{{ … }}`, or follows `{ergo}` or `{reddit}`."
    if expected == "pro":
        return "A loop over values is written `{ex} list {pro} x {{ … }}`."
    return None


_UNEXPECTED = {
    "!": "There is no prefix `!`: write `{non} x`.",
    "/": "Comments start with `#`.",
    "*": "There is no `**`, and no `/* … */` comment: comments start with `#`.",
    "+": "There is no `++`: write `x += 1`.",
    ">": "There is no `=>`: a lambda is written `{pro} x: x + 1`.",
    ":": "Types stand before names: `{fixum} {numerus} x = 1`, not `x: {numerus}`.",
    ".": "After `{novum} X()` nothing follows directly: write `({novum} X()).f()`.",
    "scribe": "`{scribe}` is a statement and cannot be part of an expression.",
    ")": "Is a value missing before it?",
    "}": "Is a value missing before it, or is there one `}}` too many?",
}
