"""Parser, second part: expressions. A rule stands above the function that reads it."""

from __future__ import annotations

import re
from collections.abc import Callable

from probatio.languages.faber import hints
from probatio.languages.faber.cursor import Stop
from probatio.languages.faber.tokens import BIGINT, END, NAME, NUMBER, STRING, TEMPLATE
from probatio.languages.faber.tree import (
    Array,
    Assign,
    BigInt,
    Binary,
    Block,
    Call,
    Cast,
    Cede,
    Comptime,
    Conditional,
    Convert,
    Expression,
    Filter,
    Format,
    Index,
    Lambda,
    Member,
    Name,
    Native,
    New,
    Nothing,
    Number,
    Object,
    Pipeline,
    Property,
    Range,
    Read,
    Regex,
    Self,
    Shape,
    Shift,
    Spread,
    Step,
    Template,
    Text,
    Truth,
    TypeTest,
    Unary,
)
from probatio.languages.faber.type_names import TypeReader
from probatio.languages.faber.vocabulary import KEYWORD_NAMES, NOT_READABLE, words

ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|="))

LEVELS = {
    **dict.fromkeys(("||", "aut", "vel"), 1),
    **dict.fromkeys(("&&", "et"), 2),
    **dict.fromkeys(("==", "!=", "===", "!==", "est", "non"), 3),
    **dict.fromkeys(("<", "<=", ">", ">=", "intra", "inter"), 4),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(("..", "ante", "usque"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "/", "%"), 10),
}
"""How tightly an infix operator binds; `non` only as the first half of `non est`."""

OPERATOR_OF = {"aut": "||", "vel": "??", "et": "&&"}
PREFIX_OF = {"non": "!", "-": "-", "~": "~"} | {
    w: w for w in ("nulla", "nonnulla", "nonnihil", "negativum", "positivum")
}
TESTS = frozenset(("nihil", "verum", "falsum"))
OPERAND_WORDS = words("verum falsum nihil ego non nulla nonnulla negativum positivum novum cede")
CONVERSIONS = frozenset(("numeratum", "fractatum", "textatum", "bivalentum"))
POSTFIX = CONVERSIONS | {"qua", "innatum", "dextratum", "sinistratum"}
PIPELINE_VERBS = frozenset(("prima", "ultima", "summa"))
RADIXES = ("Dec", "Hex", "Oct", "Bin")
PIPELINE_LOOKAHEAD = 20
_FLAGS = re.compile("[imsxu]+")
_WORD = re.compile("[A-Za-z_][A-Za-z0-9_]*")


class ExpressionReader(TypeReader):
    __slots__ = ()

    # expression = conditional [ ( "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" ) expression ] ;
    def expression(self) -> Expression:
        self.deeper()
        left = self.conditional()
        kind = self.kinds[self.i]
        if kind in ASSIGNMENTS:
            at = self.starts[self.i]
            self.i += 1
            value = self.expression()
            if isinstance(left, (Name, Member, Index)):
                left = Assign(at, kind, left, value)
            else:
                self.error("assignment-target", "Only a name or a member can be assigned to.")
                raise Stop
        self.depth -= 1
        return left

    # conditional = or [ "?" expression ":" conditional | "sic" expression "secus" conditional ] ;
    def conditional(self) -> Expression:
        test = self.binary(1)
        kind = self.kinds[self.i]
        if kind != "?" and kind != "sic":
            return test
        self.i += 1
        yes = self.expression()
        between = ":" if kind == "?" else "secus"
        if not self.take(between):
            self.error("expected", f"Expected {self.spell(between)} but found {self.found()}.")
        self.deeper()
        no = self.conditional()
        self.depth -= 1
        return Conditional(test.at, test, yes, no)

    # or = and { ( "||" | "aut" ) and } | and { "vel" and } ;
    # and = equality { ( "&&" | "et" ) equality } ;
    # equality = comparison { ( "==" | "!=" | "===" | "!==" ) comparison | [ "non" ] "est" type } ;
    # comparison = bit_or { ( "<" | "<=" | ">" | ">=" | "intra" | "inter" ) bit_or } ;
    # bit_or = bit_xor { "|" bit_xor } ;
    # bit_xor = bit_and { "^" bit_and } ;
    # bit_and = range { "&" range } ;
    # range = sum [ ( ".." | "ante" | "usque" ) sum [ "per" sum ] ] ;
    # sum = product { ( "+" | "-" ) product } ;
    # product = prefix { ( "*" | "/" | "%" ) prefix } ;
    def binary(self, lowest: int) -> Expression:
        """All infix levels from `lowest` up, by precedence climbing."""
        left = self.prefix()
        kinds = self.kinds
        highest = 10  # what was read last bounds what may still follow at this level
        family = ""
        depth = self.depth
        while True:
            kind = kinds[self.i]
            level = LEVELS.get(kind)
            if level is None or level < lowest or level > highest:
                break
            at = self.starts[self.i]
            if level == 3 and kind in ("est", "non"):
                if kind == "non":
                    if kinds[self.i + 1] != "est":
                        break
                    self.i += 1
                self.i += 1
                left = TypeTest(at, left, self.type_name(), kind == "non")
            elif level == 8:
                self.i += 1
                stop = self.binary(9)
                step = self.binary(9) if self.take("per") else None
                left = Range(at, left, stop, step, kind == "usque")
                level = 7
            else:
                self.i += 1
                if level == 1:
                    family = self.one_family(family, kind)
                left = Binary(at, OPERATOR_OF.get(kind, kind), left, self.binary(level + 1))
            highest = level
            self.deeper()
        self.depth = depth
        return left

    def one_family(self, family: str, kind: str) -> str:
        now = "vel" if kind == "vel" else "aut"
        if family and family != now:
            vel, aut = self.dialect.words["vel"], self.dialect.words["aut"]
            self.error(
                "mixed-or",
                f"'{vel}' and '{aut}' cannot follow each other without parentheses.",
                f"Write (a {aut} b) {vel} c.",
            )
        return now

    # prefix = ( "non" | "-" | "~" | "nulla" | "nonnulla" | "nonnihil" | "negativum" | "positivum" | "cede" ) prefix
    #        | ( "nihil" | "verum" | "falsum" ) prefix
    #        | new | shape | comptime | format | read | postfix ;
    def prefix(self) -> Expression:
        kind = self.kinds[self.i]
        if kind == NAME:
            return self.postfix()
        at = self.starts[self.i]
        if kind in PREFIX_OF or kind == "cede" or (kind in TESTS and self.operand_follows()):
            self.i += 1
            self.deeper()
            value = self.prefix()
            self.depth -= 1
            return Cede(at, value) if kind == "cede" else Unary(at, PREFIX_OF.get(kind, kind), value)
        if kind in _PREFIX_FORMS:
            self.i += 1
            return _PREFIX_FORMS[kind](self, at)
        return self.postfix()

    def operand_follows(self) -> bool:
        """`nihil x` tests x when x stands on the same line; otherwise `nihil` is a value."""
        following = self.kinds[self.i + 1]
        return (following == NAME or following in OPERAND_WORDS) and self.same_line(self.i, self.i + 1)

    # new = "novum" NAME [ "(" arguments ")" ] [ object | "de" expression ] ;
    def new(self, at: int) -> Expression:
        class_name = self.identifier()
        arguments = None
        if self.take("("):
            arguments = self.arguments()
        if self.kinds[self.i] == "{":
            return New(at, class_name, arguments, self.primary(), False)
        if self.take("de"):
            return New(at, class_name, arguments, self.expression(), True)
        return New(at, class_name, arguments, None, False)

    # shape = "finge" NAME [ object ] [ "qua" NAME ] ;
    def shape(self, at: int) -> Expression:
        variant = self.identifier()
        fields = self.primary() if self.kinds[self.i] == "{" else None
        union = self.identifier() if self.take("qua") else None
        return Shape(at, variant, fields if isinstance(fields, Object) else None, union)

    # comptime = "praefixum" ( block | "(" expression ")" ) ;
    def comptime(self, at: int) -> Expression:
        if self.kinds[self.i] == "{":
            return Comptime(at, self.block())
        if self.take("("):
            body = self.expression()
            self.expect(")")
            return Comptime(at, body)
        self.error("expected", f"Expected '{{' or '(' but found {self.found()}.")
        raise Stop

    # format = "scriptum" "(" STRING { "," expression } ")" ;
    def format(self, at: int) -> Expression:
        self.expect("(")
        if self.kinds[self.i] != STRING:
            self.error("expected", f"Expected a text to fill in but found {self.found()}.", hints.format_text(self))
            raise Stop
        pattern = Text(self.starts[self.i], self.values[self.i])
        self.i += 1
        arguments = []
        while self.take(","):
            arguments.append(self.expression())
        self.expect(")")
        return Format(at, pattern, arguments)

    # read = "lege" [ "lineam" ] ;
    def read(self, at: int) -> Expression:
        return Read(at, self.take("lineam"))

    # postfix = call { "qua" type | "innatum" type | ( "sinistratum" | "dextratum" ) prefix | conversion } ;
    # conversion = ( "numeratum" | "fractatum" ) [ "<" type [ "," ( "Dec" | "Hex" | "Oct" | "Bin" ) ] ">" ] [ "vel" prefix ]
    #            | ( "textatum" | "bivalentum" ) [ "vel" prefix ] ;
    def postfix(self) -> Expression:
        value = self.call()
        kind = self.kinds[self.i]
        if kind not in POSTFIX:
            return value
        depth = self.depth
        while kind in POSTFIX:
            at = self.starts[self.i]
            self.i += 1
            if kind == "qua":
                value = Cast(at, value, self.type_name())
            elif kind == "innatum":
                value = Native(at, value, self.type_name())
            elif kind in CONVERSIONS:
                value = self.conversion(at, kind, value)
            else:
                value = Shift(at, value, kind, self.prefix())
            kind = self.kinds[self.i]
            self.deeper()
        self.depth = depth
        return value

    def conversion(self, at: int, kind: str, value: Expression) -> Expression:
        target, radix = None, None
        if kind in ("numeratum", "fractatum") and self.take("<"):
            target = self.type_name()
            if self.take(","):
                if self.kinds[self.i] in RADIXES:
                    radix = self.kinds[self.advance()]
                else:
                    self.error("expected", f"Expected one of {', '.join(RADIXES)} but found {self.found()}.")
            self.expect(">")
        fallback = self.prefix() if self.take("vel") else None
        return Convert(at, value, kind, target, radix, fallback)

    # call = primary { [ "?" | "!" ] ( "." word | "[" expression "]" | "(" arguments ")" ) } ;
    def call(self) -> Expression:
        value = self.primary()
        kinds = self.kinds
        depth = self.depth
        while True:
            kind = kinds[self.i]
            mark = ""
            if kind in ("?", "!"):
                if kinds[self.i + 1] not in (".", "[", "("):
                    break
                mark = kind
                self.i += 1
                kind = kinds[self.i]
            at = self.starts[self.i]
            if kind == ".":
                self.i += 1
                value = Member(at, value, self.name(), mark)
            elif kind == "(":
                self.i += 1
                value = Call(at, value, self.arguments(), mark)
            elif kind == "[":
                self.i += 1
                value = Index(at, value, self.expression(), mark)
                self.expect("]")
            else:
                break
            self.deeper()
        self.depth = depth
        return value

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
        flags = ""
        if self.kinds[self.i] == NAME and _FLAGS.fullmatch(self.values[self.i]):
            flags = self.values[self.advance()]
        return Regex(at, pattern, flags)


_PREFIX_FORMS = {
    "novum": ExpressionReader.new,
    "finge": ExpressionReader.shape,
    "praefixum": ExpressionReader.comptime,
    "scriptum": ExpressionReader.format,
    "lege": ExpressionReader.read,
}

_PRIMARY = {
    NUMBER: ExpressionReader.number,
    BIGINT: ExpressionReader.big,
    STRING: ExpressionReader.text,
    TEMPLATE: ExpressionReader.template,
    "verum": ExpressionReader.truth,
    "falsum": ExpressionReader.truth,
    "nihil": ExpressionReader.nothing,
    "ego": ExpressionReader.self_,
    "(": ExpressionReader.parenthesized,
    "[": ExpressionReader.array,
    "{": ExpressionReader.object,
    "pro": ExpressionReader.lambda_,
    "fit": ExpressionReader.lambda_,
    "fiet": ExpressionReader.lambda_,
    "ab": ExpressionReader.filter,
    "sed": ExpressionReader.regex,
}


def interpolated(inside: str, rename: Callable[[str], str]) -> str:
    """The inside of a template with every word in its ${ } renamed."""
    return _INTERPOLATION.sub(lambda m: _WORD.sub(lambda w: rename(w.group()), m.group()), inside)


_INTERPOLATION = re.compile(r"\$\{[^}]*\}")
