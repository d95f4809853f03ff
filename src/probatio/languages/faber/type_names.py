"""Parser, first part: types as they are written."""

from __future__ import annotations

from probatio.languages.faber.cursor import Cursor
from probatio.languages.faber.tokens import NAME, NUMBER
from probatio.languages.faber.tree import Number, TypeName
from probatio.languages.faber.vocabulary import DECLARABLE_TYPES, KEYWORD_NAMES


class TypeReader(Cursor):
    __slots__ = ()

    # type = function_type | [ "de" | "in" ] word [ "<" type_argument { "," type_argument } ">" ] [ "?" ] { "[" "]" [ "?" ] } ;
    def type_name(self) -> TypeName:
        self.deeper()
        at = self.starts[self.i]
        if self.take("("):
            result = self.function_type(at)
            self.depth -= 1
            return result
        preposition = self.kinds[self.advance()] if self.kinds[self.i] in ("de", "in") else None
        result = TypeName(at, self.type_word(), preposition=preposition)
        if self.take("<"):
            result.parameters.append(self.type_argument())
            while self.take(","):
                result.parameters.append(self.type_argument())
            self.expect(">")
        result.nullable = self.take("?")
        if result.name == "unio" and result.parameters:
            result.parameters = [p for p in result.parameters if isinstance(p, TypeName)]
            self.depth -= 1
            return result
        while self.kinds[self.i] == "[" and self.kinds[self.i + 1] == "]":
            self.i += 2
            result = TypeName(at, "lista", [result], self.take("?"))
        self.depth -= 1
        return result

    # function_type = "(" [ type { "," type } ] ")" "->" type ;
    def function_type(self, at: int) -> TypeName:
        takes = []
        if self.kinds[self.i] != ")":
            takes.append(self.type_name())
            while self.take(","):
                takes.append(self.type_name())
        self.expect(")")
        self.expect("->")
        return TypeName(at, "", takes=takes, returns=self.type_name())

    # type_argument = NUMBER | type ;
    def type_argument(self) -> TypeName | Number:
        if self.kinds[self.i] == NUMBER:
            return Number(self.starts[self.i], self.values[self.advance()])
        return self.type_name()

    # word = NAME | KEYWORD ;
    def type_word(self) -> str:
        kind = self.kinds[self.i]
        if kind == NAME:
            self.i += 1
            return self.dialect.read_type(self.values[self.i - 1])
        if kind in KEYWORD_NAMES:
            # `nihil` and `cursor` are types; any other keyword is taken as the name of one.
            self.i += 1
            return kind if kind in ("nihil", "cursor") or not self.dialect.escapes else self.values[self.i - 1]
        self.error("expected", f"Expected a type but found {self.found()}.")
        text = self.values[self.i]
        self.advance()
        return text

    def at_type_word(self) -> bool:
        """Does a built-in type stand here, or a word the dialect uses for one?"""
        if self.kinds[self.i] != NAME:
            return False
        text = self.values[self.i]
        return (self.dialect.type_of.get(text) if self.dialect.escapes else text) in DECLARABLE_TYPES
