"""The tree of a program. Two trees are equal when they mean the same; positions and surface forms do not count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from probatio.languages.faber.types import Type


@dataclass(slots=True)
class Node:
    at: int = field(compare=False)  # offset of the first character


@dataclass(slots=True)
class Expression(Node):
    type: Type | None = field(default=None, compare=False, init=False, repr=False)  # set by the check


@dataclass(slots=True)
class Statement(Node):
    end: int = field(default=0, compare=False, init=False, repr=False)  # offset behind the last character
    annotations: list[Annotation] = field(default_factory=list, init=False)


# Types as written


@dataclass(slots=True)
class TypeName(Node):
    """`name<parameters>?`; a function type has `returns`, a union has the name `unio` and its members as parameters."""

    name: str
    parameters: list[TypeName | Number] = field(default_factory=list)
    nullable: bool = False
    preposition: str | None = None
    takes: list[TypeName] | None = None
    returns: TypeName | None = None


# Expressions


@dataclass(slots=True)
class Name(Expression):
    name: str


@dataclass(slots=True)
class Number(Expression):
    text: str

    @property
    def value(self) -> float:
        return (
            float(int(self.text, 0))
            if self.text[:1] == "0" and self.text[1:2].isalpha() and self.text[1] not in "eE"
            else float(self.text)
        )


@dataclass(slots=True)
class BigInt(Expression):
    text: str


@dataclass(slots=True)
class Text(Expression):
    inside: str  # as it stands between double quotes, escapes included


@dataclass(slots=True)
class Truth(Expression):
    value: bool


@dataclass(slots=True)
class Nothing(Expression):
    pass


@dataclass(slots=True)
class Self(Expression):
    pass


@dataclass(slots=True)
class Template(Expression):
    inside: str


@dataclass(slots=True)
class Regex(Expression):
    pattern: str
    flags: str


@dataclass(slots=True)
class Spread(Expression):
    value: Expression


@dataclass(slots=True)
class Array(Expression):
    elements: list[Expression]


@dataclass(slots=True)
class Property(Node):
    key: str
    quoted: bool
    value: Expression


@dataclass(slots=True)
class Object(Expression):
    properties: list[Property | Spread]


@dataclass(slots=True)
class Binary(Expression):
    operator: str  # a sign; `&&`, `||` and `??` also for their words; or `intra`, `inter`
    left: Expression
    right: Expression


@dataclass(slots=True)
class Unary(Expression):
    operator: str  # `!`, `-`, `~` or the Latin word
    value: Expression


@dataclass(slots=True)
class Assign(Expression):
    operator: str
    target: Expression
    value: Expression


@dataclass(slots=True)
class Conditional(Expression):
    test: Expression
    yes: Expression
    no: Expression


@dataclass(slots=True)
class Range(Expression):
    start: Expression
    stop: Expression
    step: Expression | None
    inclusive: bool


@dataclass(slots=True)
class TypeTest(Expression):
    value: Expression
    target: TypeName
    negated: bool


@dataclass(slots=True)
class Call(Expression):
    callee: Expression
    arguments: list[Expression]
    mark: str = ""  # `?` calls only what is not nothing, `!` promises that it is not


@dataclass(slots=True)
class Member(Expression):
    object: Expression
    name: str
    mark: str = ""


@dataclass(slots=True)
class Index(Expression):
    object: Expression
    index: Expression
    mark: str = ""


@dataclass(slots=True)
class Cede(Expression):
    value: Expression


@dataclass(slots=True)
class New(Expression):
    class_name: str
    arguments: list[Expression] | None
    fields: Expression | None
    from_value: bool  # `de value` instead of `{ … }`


@dataclass(slots=True)
class Shape(Expression):
    variant: str
    fields: Object | None
    union: str | None


@dataclass(slots=True)
class Lambda(Expression):
    parameters: list[str]
    returns: TypeName | None
    body: Expression | Block
    is_async: bool
    places: list[int] = field(default_factory=list, compare=False)  # where the parameters stand


@dataclass(slots=True)
class Cast(Expression):
    value: Expression
    target: TypeName


@dataclass(slots=True)
class Native(Expression):
    value: Expression
    target: TypeName


@dataclass(slots=True)
class Convert(Expression):
    value: Expression
    to: str
    target: TypeName | None
    radix: str | None
    fallback: Expression | None


@dataclass(slots=True)
class Shift(Expression):
    value: Expression
    direction: str
    amount: Expression


@dataclass(slots=True)
class Comptime(Expression):
    body: Expression | Block


@dataclass(slots=True)
class Format(Expression):
    pattern: Text
    arguments: list[Expression]


@dataclass(slots=True)
class Read(Expression):
    line: bool


@dataclass(slots=True)
class Step(Node):
    """One `prima n`, `ultima n` or `summa` of a pipeline."""

    verb: str
    count: Expression | None


@dataclass(slots=True)
class Pipeline(Expression):
    source: Expression
    steps: list[Step]


@dataclass(slots=True)
class Filter(Expression):
    source: Expression
    negated: bool
    property: str | None
    condition: Expression | None
    steps: list[Step]


# Statements


@dataclass(slots=True)
class Annotation(Node):
    name: str
    arguments: list[Expression] = field(default_factory=list)


@dataclass(slots=True)
class Block(Statement):
    body: list[Statement]
    form: str = field(
        default="block", compare=False
    )  # or `ergo`, `reddit`, `bare`: how a one-statement body was written


@dataclass(slots=True)
class Program(Node):
    body: list[Statement]
    complete: bool = field(default=True, compare=False)  # False where a statement could not be read and was left out


@dataclass(slots=True)
class ExpressionStatement(Statement):
    value: Expression


@dataclass(slots=True)
class Item(Node):
    """One name of an import, an object destructuring or an array pattern."""

    name: str
    local: str
    rest: bool = False
    skip: bool = False


@dataclass(slots=True)
class Import(Statement):
    module: str
    module_is_text: bool = field(compare=False)
    items: list[Item] | None  # None: everything
    alias: str | None


@dataclass(slots=True)
class Variable(Statement):
    keyword: str
    name: str
    declared: TypeName | None
    value: Expression | None
    type: Type | None = field(default=None, compare=False, init=False, repr=False)


@dataclass(slots=True)
class ListPattern(Statement):
    keyword: str
    items: list[Item]
    value: Expression | None
    leading: bool = field(default=False, compare=False)  # written `ex value fixum […]`


@dataclass(slots=True)
class Destructure(Statement):
    keyword: str
    items: list[Item]
    value: Expression


@dataclass(slots=True)
class Parameter(Node):
    name: str
    declared: TypeName | None
    preposition: str | None
    optional: bool
    rest: bool
    alias: str | None
    default: Expression | None


@dataclass(slots=True)
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


@dataclass(slots=True)
class Alias(Statement):
    name: str
    target: TypeName | None
    type_of: str | None


@dataclass(slots=True)
class EnumMember(Node):
    end: int = field(default=0, compare=False, init=False, repr=False)
    name: str
    value: Number | Text | None
    negative: bool


@dataclass(slots=True)
class Enum(Statement):
    name: str
    members: list[EnumMember]


@dataclass(slots=True)
class VariantField(Node):
    name: str
    declared: TypeName


@dataclass(slots=True)
class Variant(Node):
    end: int = field(default=0, compare=False, init=False, repr=False)
    name: str
    fields: list[VariantField]


@dataclass(slots=True)
class Union(Statement):
    name: str
    type_parameters: list[str]
    variants: list[Variant]


@dataclass(slots=True)
class Field(Statement):
    name: str
    declared: TypeName
    value: Expression | None
    is_static: bool
    is_reactive: bool


@dataclass(slots=True)
class Class(Statement):
    name: str
    type_parameters: list[str]
    parent: str | None
    contracts: list[str]
    members: list[Field | Function]


@dataclass(slots=True)
class Contract(Statement):
    name: str
    type_parameters: list[str]
    methods: list[Function]


@dataclass(slots=True)
class Catch(Node):
    name: str
    body: Block


@dataclass(slots=True)
class If(Statement):
    test: Expression
    yes: Block
    catch: Catch | None
    no: Block | If | None


@dataclass(slots=True)
class While(Statement):
    test: Expression
    body: Block
    catch: Catch | None


@dataclass(slots=True)
class Loop(Statement):
    over: str  # `ex`: values, `de`: keys
    source: Expression
    steps: list[Step]
    name: str
    is_async: bool
    body: Block
    catch: Catch | None
    name_at: int = field(default=0, compare=False)


@dataclass(slots=True)
class With(Statement):
    object: Expression
    body: Block


@dataclass(slots=True)
class Case(Node):
    end: int = field(default=0, compare=False, init=False, repr=False)
    test: Expression
    body: Block


@dataclass(slots=True)
class Switch(Statement):
    value: Expression
    cases: list[Case]
    default: Block | None
    catch: Catch | None


@dataclass(slots=True)
class Pattern(Node):
    variant: str
    wildcard: bool
    alias: str | None
    bindings: list[str]


@dataclass(slots=True)
class MatchCase(Node):
    end: int = field(default=0, compare=False, init=False, repr=False)
    patterns: list[Pattern]
    body: Block


@dataclass(slots=True)
class Match(Statement):
    values: list[Expression]
    cases: list[MatchCase]
    default: Block | None


@dataclass(slots=True)
class Guard(Statement):
    clauses: list[Case]


@dataclass(slots=True)
class Assert(Statement):
    test: Expression
    message: Expression | None


@dataclass(slots=True)
class Return(Statement):
    value: Expression | None


@dataclass(slots=True)
class Break(Statement):
    pass


@dataclass(slots=True)
class Continue(Statement):
    pass


@dataclass(slots=True)
class Throw(Statement):
    value: Expression
    fatal: bool


@dataclass(slots=True)
class Print(Statement):
    keyword: str
    arguments: list[Expression]


@dataclass(slots=True)
class Try(Statement):
    body: Block
    catch: Catch | None
    always: Block | None


@dataclass(slots=True)
class Do(Statement):
    body: Block
    catch: Catch | None
    test: Expression | None


@dataclass(slots=True)
class Manage(Statement):
    kind: str | None
    resource: Expression | None
    declared: TypeName | None
    name: str | None
    is_async: bool
    body: Block
    catch: Catch | None


@dataclass(slots=True)
class Dispatch(Statement):
    target: str
    arguments: list[Expression]
    verb: str | None
    declared: TypeName | None
    name: str | None
    alias: str | None
    body: Block | None
    catch: Catch | None


@dataclass(slots=True)
class Entry(Statement):
    is_async: bool
    body: Block


@dataclass(slots=True)
class Suite(Statement):
    name: str
    body: list[Statement]


@dataclass(slots=True)
class Test(Statement):
    name: str
    modifier: str | None
    reason: str | None
    body: Block


@dataclass(slots=True)
class Setup(Statement):
    keyword: str
    all: bool
    body: Block
