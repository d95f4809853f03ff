"""Parser, fifth part: the statements that do something."""

from __future__ import annotations

from probatio.languages.faber import hints
from probatio.languages.faber.cursor import Stop
from probatio.languages.faber.declarations import DECLARING, DeclarationReader
from probatio.languages.faber.tokens import END, NAME, STRING
from probatio.languages.faber.tree import (
    Assert,
    Block,
    Break,
    Case,
    Catch,
    Continue,
    Destructure,
    Dispatch,
    Do,
    Entry,
    Expression,
    ExpressionStatement,
    Guard,
    If,
    ListPattern,
    Loop,
    Manage,
    Match,
    MatchCase,
    Pattern,
    Print,
    Return,
    Setup,
    Statement,
    Suite,
    Switch,
    Test,
    Throw,
    Try,
    While,
    With,
)
from probatio.languages.faber.vocabulary import KEYWORD_NAMES

BINDING = frozenset(("pro", "fit", "fiet"))
RESOURCES = frozenset(("arena", "page"))
SETUPS = frozenset(("praepara", "praeparabit", "postpara", "postparabit"))


class StatementReader(DeclarationReader):
    __slots__ = ()

    def statement(self) -> Statement:
        raise NotImplementedError

    # block = "{" { ";" | statement } "}" ;
    def block(self) -> Block:
        at = self.starts[self.i]
        self.expect("{")
        body: list[Statement] = []
        kinds = self.kinds
        while True:
            kind = kinds[self.i]
            if kind == ";":
                self.i += 1
            elif kind == "}" or kind == END:
                break
            else:
                body.append(self.statement())
        self.expect("}")
        result = Block(at, body)
        result.end = self.ends[self.i - 1]
        return result

    # body = block | "ergo" statement | "reddit" expression ;
    def body(self) -> Block:
        if self.take("reddit"):
            return self.given()
        if self.take("ergo"):
            return self.one("ergo")
        return self.block()

    # open_body = block | "reddit" expression | statement ;
    def open_body(self) -> Block:
        if self.kinds[self.i] == "{":
            return self.block()
        if self.take("reddit"):
            return self.given()
        return self.one("bare")

    def given(self) -> Block:
        at = self.starts[self.i]
        statement = Return(at, self.expression())
        return self.wrapped(at, statement, "reddit")

    def one(self, form: str) -> Block:
        at = self.starts[self.i]
        return self.wrapped(at, self.statement(), form)

    def wrapped(self, at: int, statement: Statement, form: str) -> Block:
        result = Block(at, [statement], form)
        result.end = statement.end = self.ends[self.i - 1]
        return result

    # catch = "cape" word block ;
    def catch(self) -> Catch | None:
        at = self.starts[self.i]
        if not self.take("cape"):
            return None
        name = self.name()
        return Catch(at, name, self.block())

    # if = "si" if_rest ;
    # if_rest = expression body [ catch ] [ "secus" ( if | open_body ) | "sin" if_rest ] ;
    def if_(self) -> If:
        """Also reads `sin`, which is `secus si` in one word and continues the same way."""
        self.deeper()
        at = self.starts[self.i]
        self.i += 1
        test = self.expression()
        yes = self.body()
        catch = self.catch()
        no: Block | If | None = None
        if self.kinds[self.i] == "sin":
            no = self.if_()
        elif self.take("secus"):
            no = self.if_() if self.kinds[self.i] == "si" else self.open_body()
        self.depth -= 1
        result = If(at, test, yes, catch, no)
        result.end = self.ends[self.i - 1]
        return result

    # while = "dum" expression body [ catch ] ;
    def while_(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        test = self.expression()
        body = self.body()
        return While(at, test, body, self.catch())

    # loop = "ex" expression [ steps ] ( "pro" | "fit" | "fiet" ) word body [ catch ]
    #      | "de" expression ( "pro" | "fit" | "fiet" ) word body [ catch ] ;
    # destructuring = "ex" expression ( "fixum" | "varia" | "figendum" | "variandum" ) ( list_pattern | items ) ;
    def loop(self) -> Statement:
        at = self.starts[self.i]
        over = self.kinds[self.i]
        self.i += 1
        source = self.expression()
        keyword = self.kinds[self.i]
        if over == "ex" and keyword in DECLARING:
            self.i += 1
            if self.kinds[self.i] == "[":
                return ListPattern(at, keyword, self.list_pattern(), source, leading=True)
            return Destructure(at, keyword, self.items(), source)
        steps = self.steps() if over == "ex" else []
        verb = self.kinds[self.i]
        if verb in BINDING:
            self.i += 1
        else:
            pro = self.dialect.words["pro"]
            self.error(
                "expected",
                f"Expected '{pro}' and the loop's variable but found {self.found()}.",
                hints.expected("pro", self),
            )
            raise Stop
        name_at = self.starts[self.i]
        name = self.name()
        body = self.body()
        return Loop(at, over, source, steps, name, verb == "fiet", body, self.catch(), name_at)

    # with = "in" expression block ;
    def with_(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        value = self.expression()
        return With(at, value, self.block())

    # switch = "elige" expression "{" { "casu" expression body } [ "ceterum" open_body ] "}" [ catch ] ;
    def switch(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        value = self.expression()
        self.expect("{")
        cases: list[Case] = []
        default = None
        while self.kinds[self.i] not in ("}", END):
            place = self.starts[self.i]
            if self.take("casu"):
                test = self.expression()
                cases.append(Case(place, test, self.body()))
                cases[-1].end = self.ends[self.i - 1]
            else:
                default = self.default_case()
                break
        self.expect("}")
        return Switch(at, value, cases, default, self.catch())

    def default_case(self) -> Block:
        if self.take("ceterum"):
            return self.open_body()
        casu, ceterum = self.dialect.words["casu"], self.dialect.words["ceterum"]
        self.error("case", f"Every case starts with '{casu}' or '{ceterum}', not with {self.found()}.")
        raise Stop

    # match = "discerne" expression { "," expression } "{" { "casu" pattern { "," pattern } body } [ "ceterum" open_body ] "}" ;
    def match(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        values = [self.expression()]
        while self.take(","):
            values.append(self.expression())
        self.expect("{")
        cases: list[MatchCase] = []
        default = None
        while self.kinds[self.i] not in ("}", END):
            place = self.starts[self.i]
            if self.take("casu"):
                patterns = [self.pattern()]
                while self.take(","):
                    patterns.append(self.pattern())
                cases.append(MatchCase(place, patterns, self.body()))
                cases[-1].end = self.ends[self.i - 1]
            else:
                default = self.default_case()
                break
        self.expect("}")
        return Match(at, values, cases, default)

    # pattern = "_" | word [ "ut" word | "pro" word { "," word } ] ;
    def pattern(self) -> Pattern:
        at = self.starts[self.i]
        if self.kinds[self.i] == NAME and self.values[self.i] == "_":
            self.i += 1
            return Pattern(at, "_", True, None, [])
        variant = self.name()
        if self.take("ut"):
            return Pattern(at, variant, False, self.name(), [])
        bindings = []
        if self.take("pro"):
            bindings.append(self.name())
            while self.kinds[self.i] == "," and self.binding_follows():
                self.i += 1
                bindings.append(self.name())
        return Pattern(at, variant, False, None, bindings)

    def binding_follows(self) -> bool:
        """After a comma: another name of this pattern, or the next pattern?"""
        kind = self.kinds[self.i + 1]
        if kind == NAME and self.values[self.i + 1] == "_":
            return False
        if kind != NAME and kind not in KEYWORD_NAMES:
            return False
        return self.kinds[self.i + 2] not in ("ut", "pro")

    # guard = "custodi" "{" { "si" expression body } "}" ;
    def guard(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        self.expect("{")
        clauses = []
        while self.kinds[self.i] not in ("}", END):
            place = self.starts[self.i]
            if not self.take("si"):
                self.error("guard", f"Every guard starts with '{self.dialect.words['si']}', not with {self.found()}.")
                raise Stop
            test = self.expression()
            clauses.append(Case(place, test, self.body()))
            clauses[-1].end = self.ends[self.i - 1]
        self.expect("}")
        return Guard(at, clauses)

    # assert = "adfirma" expression [ "," expression ] ;
    def assert_(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        test = self.expression()
        return Assert(at, test, self.expression() if self.take(",") else None)

    # return = "redde" [ expression ] ;
    def return_(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        return Return(at, None if self.kinds[self.i] in ("}", END) else self.expression())

    # break = "rumpe" ;
    def break_(self) -> Statement:
        self.i += 1
        return Break(self.starts[self.i - 1])

    # continue = "perge" ;
    def continue_(self) -> Statement:
        self.i += 1
        return Continue(self.starts[self.i - 1])

    # throw = ( "iace" | "mori" ) expression ;
    def throw(self) -> Statement:
        self.i += 1
        fatal = self.kinds[self.i - 1] == "mori"
        return Throw(self.starts[self.i - 1], self.expression(), fatal)

    # print = ( "scribe" | "vide" | "mone" ) expression { "," expression } ;
    def print_(self) -> Statement:
        at, keyword = self.starts[self.i], self.kinds[self.i]
        self.i += 1
        arguments = [self.expression()]
        while self.take(","):
            arguments.append(self.expression())
        return Print(at, keyword, arguments)

    # try = "tempta" block [ catch ] [ "demum" block ] ;
    def try_(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        body = self.block()
        catch = self.catch()
        return Try(at, body, catch, self.block() if self.take("demum") else None)

    # do = "fac" block [ catch ] [ "dum" expression ] ;
    def do(self) -> Statement:
        if self.kinds[self.i + 1] != "{":
            return self.expression_statement()
        at = self.starts[self.i]
        self.i += 1
        body = self.block()
        catch = self.catch()
        return Do(at, body, catch, self.expression() if self.take("dum") else None)

    # manage = "cura" [ "arena" | "page" ] [ expression ] [ ( "pro" | "fit" | "fiet" ) [ NAME ] NAME ] block [ catch ] ;
    def manage(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        kind = self.kinds[self.advance()] if self.kinds[self.i] in RESOURCES else None
        resource = None if self.kinds[self.i] in BINDING or self.kinds[self.i] == "{" else self.expression()
        name, declared, is_async = None, None, False
        if self.kinds[self.i] in BINDING:
            is_async = self.kinds[self.i] == "fiet"
            self.i += 1
            if self.kinds[self.i] == NAME and self.kinds[self.i + 1] == NAME:
                declared = self.type_name()
            name = self.identifier()
        body = self.block()
        return Manage(at, kind, resource, declared, name, is_async, body, self.catch())

    # dispatch = "ad" STRING "(" arguments ")" [ dispatch_binding ] [ block ] [ catch ] ;
    # dispatch_binding = [ "fit" | "fiet" | "fiunt" | "fient" ] [ type ] "pro" NAME [ "ut" NAME ] ;
    def dispatch(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        place = self.expect(STRING)
        target = "" if place is None else self.values[place]
        self.expect("(")
        arguments = self.arguments()
        verb, declared, name, alias = None, None, None, None
        if self.kinds[self.i] in ("fit", "fiet", "fiunt", "fient", "pro"):
            if self.kinds[self.i] != "pro":
                verb = self.kinds[self.advance()]
            if self.kinds[self.i] == NAME:
                declared = self.type_name()
            self.expect("pro")
            name = self.identifier()
            alias = self.identifier() if self.take("ut") else None
        body = self.block() if self.kinds[self.i] == "{" else None
        return Dispatch(at, target, arguments, verb, declared, name, alias, body, self.catch())

    # entry = ( "incipit" | "incipiet" ) body ;
    def entry(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        return Entry(at, self.kinds[self.i - 1] == "incipiet", self.body())

    # suite = "probandum" STRING "{" { suite | test | setup } "}" ;
    def suite(self) -> Statement:
        self.deeper()
        at = self.starts[self.i]
        self.i += 1
        name = self.quoted()
        self.expect("{")
        body: list[Statement] = []
        while (kind := self.kinds[self.i]) not in ("}", END):
            if kind in SETUPS or kind in ("probandum", "proba"):
                read = self.suite if kind == "probandum" else self.test if kind == "proba" else self.setup
                part = read()
                part.end = self.ends[self.i - 1]
                body.append(part)
            else:
                self.error("unexpected", f"{self.found().capitalize()} cannot stand in a group of tests.")
                self.i += 1
        self.expect("}")
        self.depth -= 1
        return Suite(at, name, body)

    # test = "proba" [ ( "omitte" | "futurum" ) STRING ] STRING block ;
    def test(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        modifier, reason = None, None
        if self.kinds[self.i] in ("omitte", "futurum"):
            modifier = self.kinds[self.advance()]
            reason = self.quoted()
        name = self.quoted()
        return Test(at, name, modifier, reason, self.block())

    def quoted(self) -> str:
        place = self.expect(STRING)
        return "" if place is None else self.values[place]

    # setup = ( "praepara" | "praeparabit" | "postpara" | "postparabit" ) [ "omnia" ] block ;
    def setup(self) -> Statement:
        at, keyword = self.starts[self.i], self.kinds[self.i]
        self.i += 1
        everything = self.take("omnia")
        return Setup(at, keyword, everything, self.block())

    # expression_statement = expression ;
    def expression_statement(self) -> Statement:
        at = self.starts[self.i]
        value: Expression = self.expression()
        return ExpressionStatement(at, value)
