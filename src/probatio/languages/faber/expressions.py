"""Parser, third part: expressions. A rule stands above the function that reads it."""

from __future__ import annotations

from probatio.languages.faber import hints
from probatio.languages.faber.cursor import Stop
from probatio.languages.faber.primaries import PrimaryReader
from probatio.languages.faber.tokens import NAME, STRING
from probatio.languages.faber.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Cede,
    Comptime,
    Conditional,
    Convert,
    Expression,
    Format,
    Index,
    Member,
    Name,
    Native,
    New,
    Object,
    Range,
    Read,
    Shape,
    Shift,
    Text,
    TypeTest,
    Unary,
)
from probatio.languages.faber.vocabulary import words

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
RADIXES = ("Dec", "Hex", "Oct", "Bin")


class ExpressionReader(PrimaryReader):
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


_PREFIX_FORMS = {
    "novum": ExpressionReader.new,
    "finge": ExpressionReader.shape,
    "praefixum": ExpressionReader.comptime,
    "scriptum": ExpressionReader.format,
    "lege": ExpressionReader.read,
}
