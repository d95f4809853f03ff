"""The tree of a program: types as written, expressions and statements.
The check notes the types of expressions in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from faber.types import Type

SURFACE = frozenset(
    ("at", "end", "type", "form", "complete", "module_is_text", "leading", "places", "name_at")
)
"""Fields that say where and in which of several forms a thing was written, or what the check noted.
They carry no meaning."""


class Node(Struct, eq=False):
    at: int  # offset of the first character


class Extent(Node, kw_only=True):
    """A node that knows where it ends."""

    end: int = 0  # offset behind the last character


class Expression(Node, kw_only=True):
    type: Type | None = None  # set by the check


class Statement(Extent, kw_only=True):
    annotations: list[Annotation] = []

    def has_annotation(self, name: str) -> bool:
        return any(annotation.name == name for annotation in self.annotations)


# Types as written


class TypeName(Node):
    """`name<parameters>?`; a function type has `returns`,
    a union has the name `unio` and its members as parameters."""

    name: str
    parameters: list[TypeName | Number] = []
    nullable: bool = False
    preposition: str | None = None
    takes: list[TypeName] | None = None
    returns: TypeName | None = None


# Expressions


class Name(Expression):
    name: str


class Number(Expression):
    text: str

    @property
    def value(self) -> float:
        has_prefix = self.text[:1] == "0" and self.text[1:2].isalpha() and self.text[1] not in "eE"
        return float(int(self.text, 0)) if has_prefix else float(self.text)


class BigInt(Expression):
    text: str


class Text(Expression):
    inside: str  # as it stands between double quotes, escapes included


class Truth(Expression):
    value: bool


class Nothing(Expression):
    pass


class Self(Expression):
    pass


class Template(Expression):
    inside: str


class Regex(Expression):
    pattern: str
    flags: str


class Spread(Expression):
    value: Expression


class Array(Expression):
    elements: list[Expression]


class Property(Node):
    key: str
    quoted: bool
    value: Expression


class Object(Expression):
    properties: list[Property | Spread]


class Binary(Expression):
    operator: str  # a sign; `&&`, `||` and `??` also for their words; or `intra`, `inter`
    left: Expression
    right: Expression


class Unary(Expression):
    operator: str  # `!`, `-`, `~` or the Latin word
    value: Expression


class Assign(Expression):
    operator: str
    target: Expression
    value: Expression


class Conditional(Expression):
    test: Expression
    yes: Expression
    no: Expression


class Range(Expression):
    start: Expression
    stop: Expression
    step: Expression | None
    inclusive: bool


class TypeTest(Expression):
    value: Expression
    target: TypeName
    negated: bool


class Call(Expression):
    callee: Expression
    arguments: list[Expression]
    mark: str = ""  # `?` calls only what is not nothing, `!` promises that it is not


class Member(Expression):
    object: Expression
    name: str
    mark: str = ""


class Index(Expression):
    object: Expression
    index: Expression
    mark: str = ""


class Cede(Expression):
    value: Expression


class New(Expression):
    class_name: str
    arguments: list[Expression] | None
    fields: Expression | None
    from_value: bool  # `de value` instead of `{ … }`


class Shape(Expression):
    variant: str
    fields: Object | None
    union: str | None


class Lambda(Expression):
    parameters: list[str]
    returns: TypeName | None
    body: Expression | Block
    is_async: bool
    places: list[int] = []  # where the parameters stand


class Cast(Expression):
    value: Expression
    target: TypeName


class Native(Expression):
    value: Expression
    target: TypeName


class Convert(Expression):
    value: Expression
    to: str
    target: TypeName | None
    radix: str | None
    fallback: Expression | None


class Shift(Expression):
    value: Expression
    direction: str
    amount: Expression


class Comptime(Expression):
    body: Expression | Block


class Format(Expression):
    pattern: Text
    arguments: list[Expression]


class Read(Expression):
    line: bool


class Step(Node):
    """One `prima n`, `ultima n` or `summa` of a pipeline."""

    verb: str
    count: Expression | None


class Pipeline(Expression):
    source: Expression
    steps: list[Step]


class Filter(Expression):
    source: Expression
    negated: bool
    property: str | None
    condition: Expression | None
    steps: list[Step]


# Statements


class Annotation(Node):
    name: str
    arguments: list[Expression] = []


class Block(Statement):
    body: list[Statement]
    form: str = "block"  # or `ergo`, `reddit`, `bare`: how a one-statement body was written


class Program(Node):
    body: list[Statement]
    complete: bool = True  # False where a statement could not be read and was left out


class ExpressionStatement(Statement):
    value: Expression


class Item(Node):
    """One name of an import, an object destructuring or an array pattern."""

    name: str
    local: str
    rest: bool = False
    skip: bool = False


class Import(Statement):
    module: str
    module_is_text: bool
    items: list[Item] | None  # None: everything
    alias: str | None


class Variable(Statement):
    keyword: str
    name: str
    declared: TypeName | None
    value: Expression | None
    type: Type | None = None  # set by the check


class ListPattern(Statement):
    keyword: str
    items: list[Item]
    value: Expression | None
    leading: bool = False  # written `ex value fixum […]`


class Destructure(Statement):
    keyword: str
    items: list[Item]
    value: Expression


class Parameter(Node):
    name: str
    declared: TypeName | None
    preposition: str | None
    optional: bool
    rest: bool
    alias: str | None
    default: Expression | None


class Function(Statement):
    """A function, a method or, without a body, a signature."""

    name: str
    type_parameters: list[str]
    parameters: list[Parameter]
    curator: str | None
    verb: str | None  # `->`, `fit`, `fiet`, `fiunt`, `fient`
    returns: TypeName | None
    body: Block | None
    marked_static: bool = False

    @property
    def is_async(self) -> bool:
        return self.verb in ("fiet", "fient") or self.has_annotation("futura")

    @property
    def is_generator(self) -> bool:
        return self.verb in ("fiunt", "fient") or self.has_annotation("cursor")


class Alias(Statement):
    name: str
    target: TypeName | None
    type_of: str | None


class EnumMember(Extent):
    name: str
    value: Number | Text | None
    negative: bool


class Enum(Statement):
    name: str
    members: list[EnumMember]


class VariantField(Node):
    name: str
    declared: TypeName


class Variant(Extent):
    name: str
    fields: list[VariantField]


class Union(Statement):
    name: str
    type_parameters: list[str]
    variants: list[Variant]


class Field(Statement):
    name: str
    declared: TypeName
    value: Expression | None
    is_static: bool
    is_reactive: bool


class Class(Statement):
    name: str
    type_parameters: list[str]
    parent: str | None
    contracts: list[str]
    members: list[Field | Function]


class Contract(Statement):
    name: str
    type_parameters: list[str]
    methods: list[Function]


class Catch(Node):
    name: str
    body: Block


class If(Statement):
    test: Expression
    yes: Block
    catch: Catch | None
    no: Block | If | None


class While(Statement):
    test: Expression
    body: Block
    catch: Catch | None


class Loop(Statement):
    over: str  # `ex`: values, `de`: keys
    source: Expression
    steps: list[Step]
    name: str
    is_async: bool
    body: Block
    catch: Catch | None
    name_at: int = 0


class With(Statement):
    object: Expression
    body: Block


class Case(Extent):
    test: Expression
    body: Block


class Switch(Statement):
    value: Expression
    cases: list[Case]
    default: Block | None
    catch: Catch | None


class Pattern(Node):
    variant: str
    wildcard: bool
    alias: str | None
    bindings: list[str]


class MatchCase(Extent):
    patterns: list[Pattern]
    body: Block


class Match(Statement):
    values: list[Expression]
    cases: list[MatchCase]
    default: Block | None


class Guard(Statement):
    clauses: list[Case]


class Assert(Statement):
    test: Expression
    message: Expression | None


class Return(Statement):
    value: Expression | None


class Break(Statement):
    pass


class Continue(Statement):
    pass


class Throw(Statement):
    value: Expression
    fatal: bool


class Print(Statement):
    keyword: str
    arguments: list[Expression]


class Try(Statement):
    body: Block
    catch: Catch | None
    always: Block | None


class Do(Statement):
    body: Block
    catch: Catch | None
    test: Expression | None


class Manage(Statement):
    kind: str | None
    resource: Expression | None
    declared: TypeName | None
    name: str | None
    is_async: bool
    body: Block
    catch: Catch | None


class Dispatch(Statement):
    target: str
    arguments: list[Expression]
    verb: str | None
    declared: TypeName | None
    name: str | None
    alias: str | None
    body: Block | None
    catch: Catch | None


class Entry(Statement):
    is_async: bool
    body: Block


class Suite(Statement):
    name: str
    body: list[Statement]


class Test(Statement):
    name: str
    modifier: str | None
    reason: str | None
    body: Block


class Setup(Statement):
    keyword: str
    all: bool
    body: Block
