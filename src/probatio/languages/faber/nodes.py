"""The tree of an expression, and of a type as it is written. Positions never count when two trees are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from probatio.languages.faber.tree import Block
    from probatio.languages.faber.types import Type


@dataclass(slots=True)
class Node:
    at: int = field(compare=False)  # offset of the first character


@dataclass(slots=True)
class Expression(Node):
    type: Type | None = field(default=None, compare=False, init=False, repr=False)  # set by the check


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
