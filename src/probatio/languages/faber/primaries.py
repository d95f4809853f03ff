"""Parser, second part: what an expression is made of: names, literals, lambdas, pipelines."""

from __future__ import annotations

import re
from collections.abc import Callable

from probatio.languages.faber.cursor import Stop
from probatio.languages.faber.tokens import BIGINT, END, NAME, NUMBER, STRING, TEMPLATE
from probatio.languages.faber.tree import (
    Array,
    BigInt,
    Block,
    Expression,
    Filter,
    Lambda,
    Name,
    Nothing,
    Number,
    Object,
    Pipeline,
    Property,
    Regex,
    Self,
    Spread,
    Step,
    Template,
    Text,
    Truth,
)
from probatio.languages.faber.type_names import TypeReader
from probatio.languages.faber.vocabulary import KEYWORD_NAMES, NOT_READABLE

PIPELINE_VERBS = frozenset(("prima", "ultima", "summa"))
PIPELINE_LOOKAHEAD = 20
REGEX_FLAGS = re.compile("[imsxu]+")
_WORD = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class PrimaryReader(TypeReader):
    __slots__ = ()

    # arguments = [ argument { "," argument } ] ;
    def arguments(self) -> list[Expression]:
        """Reads on through the closing parenthesis."""
        found: list[Expression] = []
        if self.kinds[self.i] != ")":
            found.append(self.argument())
            while self.take(","):
                found.append(self.argument())
        self.expect(")")
        return found

    # argument = [ "sparge" ] expression ;
    def argument(self) -> Expression:
        if self.kinds[self.i] == "sparge":
            at = self.starts[self.i]
            self.i += 1
            return Spread(at, self.expression())
        return self.expression()

    # primary = NAME | KEYWORD | NUMBER | BIGINT | STRING | TEMPLATE | "verum" | "falsum" | "nihil" | "ego"
    #         | array | object | "(" expression ")" | lambda | filter | pipeline | regex ;
    def primary(self) -> Expression:
        i = self.i
        kind, at = self.kinds[i], self.starts[i]
        if kind == NAME:
            self.i += 1
            return Name(at, self.dialect.read_name(self.values[i]))
        read = _PRIMARY.get(kind)
        if read is not None:
            return read(self, at)
        if kind == "ex" and self.pipeline_follows():
            return self.pipeline(at)
        if kind in KEYWORD_NAMES and kind not in NOT_READABLE:
            self.i += 1
            return Name(at, self.dialect.read_name(self.values[i]))
        raise self.unexpected()

    def number(self, at: int) -> Expression:
        self.i += 1
        return Number(at, self.values[self.i - 1])

    def big(self, at: int) -> Expression:
        self.i += 1
        text = self.values[self.i - 1]
        if not text.isdigit() and text[1:2] not in "xXbBoO":
            raise Stop  # a fraction is no whole number; like the reference, the statement is dropped without a word
        return BigInt(at, text)

    def text(self, at: int) -> Expression:
        self.i += 1
        return Text(at, self.values[self.i - 1])

    def template(self, at: int) -> Expression:
        self.i += 1
        inside = self.values[self.i - 1]
        return Template(at, interpolated(inside, self.dialect.read_name) if self.dialect.escapes else inside)

    def truth(self, at: int) -> Expression:
        self.i += 1
        return Truth(at, self.kinds[self.i - 1] == "verum")

    def nothing(self, at: int) -> Expression:
        self.i += 1
        return Nothing(at)

    def self_(self, at: int) -> Expression:
        self.i += 1
        return Self(at)

    def parenthesized(self, at: int) -> Expression:
        self.i += 1
        value = self.expression()
        self.expect(")")
        return value

    # array = "[" [ argument { "," argument } [ "," ] ] "]" ;
    def array(self, at: int) -> Expression:
        self.i += 1
        elements: list[Expression] = []
        if self.kinds[self.i] != "]":
            elements.append(self.argument())
            while self.take(",") and self.kinds[self.i] != "]":
                elements.append(self.argument())
        self.expect("]")
        return Array(at, elements)

    # object = "{" [ property { "," property } ] "}" ;
    def object(self, at: int) -> Expression:
        self.i += 1
        properties: list[Property | Spread] = []
        if self.kinds[self.i] != "}":
            properties.append(self.property())
            while self.take(","):
                properties.append(self.property())
        self.expect("}")
        return Object(at, properties)

    # property = "sparge" expression | ( word | STRING ) ":" expression ;
    def property(self) -> Property | Spread:
        at = self.starts[self.i]
        if self.take("sparge"):
            return Spread(at, self.expression())
        quoted = self.kinds[self.i] == STRING
        key = self.values[self.advance()] if quoted else self.name()
        self.expect(":")
        return Property(at, key, quoted, self.expression())

    # lambda = ( "pro" | "fit" | "fiet" ) [ word { "," word } ] [ "->" type ] ( ":" expression | block ) ;
    def lambda_(self, at: int) -> Expression:
        is_async = self.kinds[self.i] == "fiet"
        self.i += 1
        parameters, places = [], []
        if self.kinds[self.i] not in (":", "{", "->"):
            while True:
                places.append(self.starts[self.i])
                parameters.append(self.name())
                if not self.take(","):
                    break
        returns = self.type_name() if self.take("->") else None
        body: Expression | Block
        if self.kinds[self.i] == "{":
            body = self.block()
        else:
            self.expect(":")
            body = self.expression()
        return Lambda(at, parameters, returns, body, is_async, places)

    # filter = "ab" expression [ "non" ] [ "ubi" expression | NAME ] [ "," ] [ steps ] ;
    def filter(self, at: int) -> Expression:
        self.i += 1
        source = self.expression()
        negated = self.take("non")
        name, condition = None, None
        if self.take("ubi"):
            condition = self.expression()
        elif self.kinds[self.i] == NAME:
            name = self.identifier()
        steps = self.steps() if self.take(",") or self.kinds[self.i] in PIPELINE_VERBS else []
        return Filter(at, source, negated, name, condition, steps)

    # pipeline = "ex" expression steps ;
    def pipeline(self, at: int) -> Expression:
        self.i += 1
        source = self.expression()
        steps = self.steps()
        if not steps:
            self.error(
                "unexpected",
                f"Expected {', '.join(self.dialect.words[v] for v in sorted(PIPELINE_VERBS))} but found {self.found()}.",
            )
            raise Stop
        return Pipeline(at, source, steps)

    def pipeline_follows(self) -> bool:
        """Inside an expression `ex` starts a pipeline when one of its verbs comes soon."""
        for kind in self.kinds[self.i + 1 : self.i + 1 + PIPELINE_LOOKAHEAD]:
            if kind in PIPELINE_VERBS:
                return True
            if kind in ("pro", "fit", "fiet", "importa", "fixum", "varia", "figendum", "variandum", "}", ";", END):
                return False
        return False

    # steps = step { "," step } ;
    # step = ( "prima" | "ultima" ) expression | "summa" ;
    def steps(self) -> list[Step]:
        found = []
        while (verb := self.kinds[self.i]) in PIPELINE_VERBS:
            at = self.starts[self.i]
            self.i += 1
            found.append(Step(at, verb, None if verb == "summa" else self.expression()))
            if not self.take(","):
                break
        return found

    # regex = "sed" STRING [ NAME ] ;
    def regex(self, at: int) -> Expression:
        self.i += 1
        if self.kinds[self.i] != STRING:
            self.error("expected", f"Expected the pattern as a text but found {self.found()}.")
            raise Stop
        pattern = self.values[self.advance()]
        flags = self.dialect.read_name(self.values[self.i])
        if self.kinds[self.i] == NAME and REGEX_FLAGS.fullmatch(flags):
            self.i += 1
            return Regex(at, pattern, flags)
        return Regex(at, pattern, "")


_PRIMARY = {
    NUMBER: PrimaryReader.number,
    BIGINT: PrimaryReader.big,
    STRING: PrimaryReader.text,
    TEMPLATE: PrimaryReader.template,
    "verum": PrimaryReader.truth,
    "falsum": PrimaryReader.truth,
    "nihil": PrimaryReader.nothing,
    "ego": PrimaryReader.self_,
    "(": PrimaryReader.parenthesized,
    "[": PrimaryReader.array,
    "{": PrimaryReader.object,
    "pro": PrimaryReader.lambda_,
    "fit": PrimaryReader.lambda_,
    "fiet": PrimaryReader.lambda_,
    "ab": PrimaryReader.filter,
    "sed": PrimaryReader.regex,
}


def interpolated(inside: str, rename: Callable[[str], str]) -> str:
    """The inside of a template with every word in its ${ } renamed."""
    return _INTERPOLATION.sub(lambda m: _WORD.sub(lambda w: rename(w.group()), m.group()), inside)


_INTERPOLATION = re.compile(r"\$\{[^}]*\}")
