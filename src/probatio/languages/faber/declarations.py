"""Parser, fourth part: declarations of variables, functions, types and imports."""

from __future__ import annotations

from probatio.languages.faber.expressions import ExpressionReader
from probatio.languages.faber.tokens import END, NAME, NUMBER, STRING
from probatio.languages.faber.tree import (
    Alias,
    Annotation,
    Class,
    Contract,
    Enum,
    EnumMember,
    Field,
    Function,
    Import,
    Item,
    ListPattern,
    Number,
    Parameter,
    Statement,
    Text,
    Union,
    Variable,
    Variant,
    VariantField,
)
from probatio.languages.faber.vocabulary import KEYWORD_NAMES

DECLARING = frozenset(("fixum", "varia", "figendum", "variandum"))
RETURN_VERBS = frozenset(("->", "fit", "fiet", "fiunt", "fient"))
PREPOSITIONS = frozenset(("de", "in", "ex"))
ABSTRACT = frozenset(("abstractum", "abstracta", "abstractus"))
MEMBER_STARTS = frozenset(
    ("@", "functio", "publicus", "privatus", "protectus", "abstractus", "generis", "nexum", "de", "in", "(", NAME)
)
_RAW_ANNOTATIONS = frozenset(("innatum", "subsidia", "radix", "verte"))


class DeclarationReader(ExpressionReader):
    __slots__ = ()

    # annotation = "@" word [ expression ] ;
    def annotations(self) -> list[Annotation]:
        """Each annotation ends at the end of its line."""
        found = []
        while self.kinds[self.i] == "@":
            start = self.i
            at = self.starts[start]
            self.i += 1
            kind = self.kinds[self.i]
            if (kind != NAME and kind not in KEYWORD_NAMES) or not self.same_line(start, self.i):
                self.report.add(
                    "syntax", "annotation", at, f"Expected the annotation's name after '@' but found {self.found()}."
                )
                continue
            name = self.dialect.read_annotation(self.values[self.i], kind if kind != NAME else None)
            self.i += 1
            annotation = Annotation(at, name)
            if name in _RAW_ANNOTATIONS:
                while self.kinds[self.i] != END and self.same_line(start, self.i):
                    self.i += 1
                annotation.arguments.append(
                    Text(at, self.tokens.source[self.ends[start + 1] : self.ends[self.i - 1]].strip())
                )
            else:
                kind = self.kinds[self.i]
                if (kind in (STRING, NAME) or kind in KEYWORD_NAMES) and self.same_line(start, self.i):
                    annotation.arguments.append(self.expression())
            found.append(annotation)
        return found

    # variable = ( "fixum" | "varia" | "figendum" | "variandum" ) ( list_pattern | [ declared ] word ) [ "=" expression ] ;
    # declared = type ;  a built-in type in any form, or a NAME directly before the variable's
    def variable(self) -> Statement:
        at = self.starts[self.i]
        keyword = self.kinds[self.i]
        self.i += 1
        if self.kinds[self.i] == "[":
            items = self.list_pattern()
            return ListPattern(at, keyword, items, self.expression() if self.take("=") else None)
        declared = None
        following = self.kinds[self.i + 1]
        if (self.at_type_word() and following != "=") or (self.kinds[self.i] == NAME and following == NAME):
            declared = self.type_name()
        name = self.name()
        return Variable(at, keyword, name, declared, self.expression() if self.take("=") else None)

    # list_pattern = "[" [ list_item { "," list_item } ] "]" ;
    # list_item = "_" | [ "ceteri" ] NAME ;
    def list_pattern(self) -> list[Item]:
        self.expect("[")
        items = []
        while self.kinds[self.i] not in ("]", END):
            at = self.starts[self.i]
            rest = self.take("ceteri")
            if not rest and self.kinds[self.i] == NAME and self.values[self.i] == "_":
                self.i += 1
                items.append(Item(at, "_", "_", skip=True))
            else:
                name = self.identifier()
                items.append(Item(at, name, name, rest))
            if self.kinds[self.i] != "]":
                self.expect(",")
        self.expect("]")
        return items

    # item = [ "ceteri" ] word [ "ut" word ] ;
    def item(self) -> Item:
        at = self.starts[self.i]
        rest = self.take("ceteri")
        name = self.name()
        return Item(at, name, self.name() if self.take("ut") else name, rest)

    # items = item { "," item } ;
    def items(self) -> list[Item]:
        found = [self.item()]
        while self.take(","):
            found.append(self.item())
        return found

    # import = "ex" ( STRING | NAME ) "importa" ( "*" [ "ut" NAME ] | items ) ;
    def import_(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        is_text = self.kinds[self.i] == STRING
        module = self.values[self.i] if is_text else self.dialect.read_name(self.values[self.i])
        self.i += 2
        if self.take("*"):
            return Import(at, module, is_text, None, self.identifier() if self.take("ut") else None)
        return Import(at, module, is_text, self.items(), None)

    # function = "functio" word "(" [ type_parameters ] [ parameters ] ")" [ "curata" NAME ] [ returns ] [ block ] ;
    def function(self) -> Statement:
        result = self.signature(with_type_parameters=True)
        if self.kinds[self.i] == "{":
            result.body = self.block()
        return result

    def signature(self, with_type_parameters: bool) -> Function:
        at = self.starts[self.i]
        self.expect("functio")
        name = self.name()
        self.expect("(")
        type_parameters: list[str] = []
        parameters: list[Parameter] = []
        if not with_type_parameters or self.type_parameters(type_parameters):
            self.parameters(parameters)
        self.expect(")")
        curator = self.identifier() if self.take("curata") else None
        result = Function(at, name, type_parameters, parameters, curator, None, None, None)
        self.returns(result)
        return result

    # type_parameters = "prae" "typus" NAME { "," "prae" "typus" NAME } [ "," ] ;
    def type_parameters(self, found: list[str]) -> bool:
        """Do parameters follow?"""
        while self.take("prae"):
            self.expect("typus")
            found.append(self.identifier())
            if not self.take(","):
                return False
        return True

    # parameters = parameter { "," parameter } ;
    def parameters(self, found: list[Parameter]) -> None:
        if self.kinds[self.i] == ")":
            return
        found.append(self.parameter())
        while self.take(","):
            found.append(self.parameter())

    # parameter = [ "de" | "in" | "ex" ] [ "si" ] [ "ceteri" ] [ declared ] word [ "ut" word ] [ "vel" expression ] ;
    def parameter(self) -> Parameter:
        at = self.starts[self.i]
        preposition = self.kinds[self.advance()] if self.kinds[self.i] in PREPOSITIONS else None
        optional = self.take("si")
        rest = self.take("ceteri")
        declared = None
        kind = self.kinds[self.i]
        if kind == "(" or self.at_type_word() or (kind == NAME and self.kinds[self.i + 1] in (NAME, "<", "[")):
            declared = self.type_name()
        name = self.name()
        alias = self.name() if self.take("ut") else None
        default = self.expression() if self.take("vel") else None
        return Parameter(at, name, declared, preposition, optional, rest, alias, default)

    # returns = ( "->" | "fit" | "fiet" | "fiunt" | "fient" ) type ;
    def returns(self, function: Function) -> None:
        if self.kinds[self.i] in RETURN_VERBS:
            function.verb = self.kinds[self.i]
            self.i += 1
            function.returns = self.type_name()

    # alias = "typus" word "=" ( type | "typus" NAME ) ;
    def alias(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        name = self.name()
        self.expect("=")
        if self.take("typus"):
            return Alias(at, name, None, self.identifier())
        return Alias(at, name, self.type_name(), None)

    # enum = "ordo" NAME "{" { enum_member [ "," ] } "}" ;
    def enum(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        name = self.identifier()
        self.expect("{")
        members = []
        while self.kinds[self.i] not in ("}", END):
            member = self.enum_member()
            member.end = self.ends[self.i - 1]
            members.append(member)
            self.take(",")
        self.expect("}")
        return Enum(at, name, members)

    # enum_member = word [ "=" ( [ "-" ] NUMBER | STRING ) ] ;
    def enum_member(self) -> EnumMember:
        at = self.starts[self.i]
        name = self.name()
        if not self.take("="):
            return EnumMember(at, name, None, False)
        negative = self.take("-")
        place = self.advance()
        kind, text = self.kinds[place], self.values[place]
        if kind == NUMBER:
            return EnumMember(at, name, Number(self.starts[place], text), negative)
        if kind == STRING:
            if negative:
                self.error("enum-value", "A text cannot be negative.")
            return EnumMember(at, name, Text(self.starts[place], text), negative)
        self.error("enum-value", f"Expected a number or a text as the member's value, found '{text}'.")
        return EnumMember(at, name, None, False)

    # union = "discretio" NAME [ generics ] "{" { variant [ "," ] } "}" ;
    def union(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        name = self.identifier()
        generics = self.generics()
        self.expect("{")
        variants = []
        while self.kinds[self.i] not in ("}", END):
            variant = self.variant()
            variant.end = self.ends[self.i - 1]
            variants.append(variant)
            self.take(",")
        self.expect("}")
        return Union(at, name, generics, variants)

    # variant = NAME [ "{" { type word [ "," ] } "}" ] ;
    def variant(self) -> Variant:
        at = self.starts[self.i]
        name = self.identifier()
        fields = []
        if self.take("{"):
            while self.kinds[self.i] not in ("}", END):
                place = self.starts[self.i]
                declared = self.type_name()
                fields.append(VariantField(place, self.name(), declared))
                self.take(",")
            self.expect("}")
        return Variant(at, name, fields)

    # generics = "<" NAME { "," NAME } ">" ;
    def generics(self) -> list[str]:
        found: list[str] = []
        if self.take("<"):
            found.append(self.identifier())
            while self.take(","):
                found.append(self.identifier())
            self.expect(">")
        return found

    # class = "genus" NAME [ generics ] [ "sub" NAME ] [ "implet" NAME { "," NAME } ] "{" { member } "}" ;
    def class_(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        name = self.identifier()
        generics = self.generics()
        parent = self.identifier() if self.take("sub") else None
        contracts: list[str] = []
        if self.take("implet"):
            contracts.append(self.identifier())
            while self.take(","):
                contracts.append(self.identifier())
        self.expect("{")
        members = []
        while self.kinds[self.i] not in ("}", END):
            start = self.i
            member = self.member()
            if self.i == start:
                self.next_member()
                continue
            member.end = self.ends[self.i - 1]
            members.append(member)
        self.expect("}")
        return Class(at, name, generics, parent, contracts, members)

    # member = { annotation } [ "generis" ] [ "nexum" ] ( method | field ) ;
    # method = method_signature block ;
    # field = type word [ ":" expression ] ;
    def member(self) -> Field | Function:
        at = self.starts[self.i]
        annotations = self.annotations()
        is_static = self.take("generis")
        is_reactive = self.take("nexum")
        member: Field | Function
        if self.kinds[self.i] == "functio":
            member = self.signature(with_type_parameters=False)
            member.at, member.marked_static = at, is_static
            if not any(a.name in ABSTRACT for a in annotations):
                member.body = self.block()
        else:
            declared = self.type_name()
            name = self.name()
            member = Field(at, name, declared, self.expression() if self.take(":") else None, is_static, is_reactive)
        member.annotations = annotations
        return member

    def next_member(self) -> None:
        """Skip to where the next member of a class may start, stepping over whole blocks."""
        self.advance()
        depth = 0
        while (kind := self.kinds[self.i]) != END:
            if kind == "{":
                depth += 1
            elif kind == "}":
                if not depth:
                    return
                depth -= 1
            elif not depth and kind in MEMBER_STARTS:
                return
            self.i += 1

    # contract = "pactum" NAME [ generics ] "{" { { annotation } method_signature } "}" ;
    # method_signature = "functio" word "(" [ parameters ] ")" [ "curata" NAME ] [ returns ] ;
    def contract(self) -> Statement:
        at = self.starts[self.i]
        self.i += 1
        name = self.identifier()
        generics = self.generics()
        self.expect("{")
        methods = []
        while self.kinds[self.i] not in ("}", END):
            place = self.starts[self.i]
            annotations = self.annotations()
            method = self.signature(with_type_parameters=False)
            method.at, method.annotations, method.end = place, annotations, self.ends[self.i - 1]
            methods.append(method)
        self.expect("}")
        return Contract(at, name, generics, methods)
