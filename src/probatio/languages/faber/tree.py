"""The tree of a program. Two trees are equal when they mean the same; positions and surface forms do not count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from probatio.languages.faber.nodes import (
    Array,
    Assign,
    BigInt,
    Binary,
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
    Node,
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
    TypeName,
    TypeTest,
    Unary,
)

if TYPE_CHECKING:
    from probatio.languages.faber.types import Type

__all__ = [
    "Alias",
    "Annotation",
    "Array",
    "Assert",
    "Assign",
    "BigInt",
    "Binary",
    "Block",
    "Break",
    "Call",
    "Case",
    "Cast",
    "Catch",
    "Cede",
    "Class",
    "Comptime",
    "Conditional",
    "Continue",
    "Contract",
    "Convert",
    "Destructure",
    "Dispatch",
    "Do",
    "Entry",
    "Enum",
    "EnumMember",
    "Expression",
    "ExpressionStatement",
    "Field",
    "Filter",
    "Format",
    "Function",
    "Guard",
    "If",
    "Import",
    "Index",
    "Item",
    "Lambda",
    "ListPattern",
    "Loop",
    "Manage",
    "Match",
    "MatchCase",
    "Member",
    "Name",
    "Native",
    "New",
    "Node",
    "Nothing",
    "Number",
    "Object",
    "Parameter",
    "Pattern",
    "Pipeline",
    "Print",
    "Program",
    "Property",
    "Range",
    "Read",
    "Regex",
    "Return",
    "Self",
    "Setup",
    "Shape",
    "Shift",
    "Spread",
    "Statement",
    "Step",
    "Suite",
    "Switch",
    "Template",
    "Test",
    "Text",
    "Throw",
    "Truth",
    "Try",
    "TypeName",
    "TypeTest",
    "Unary",
    "Union",
    "Variable",
    "Variant",
    "VariantField",
    "While",
    "With",
]


@dataclass(slots=True)
class Statement(Node):
    end: int = field(default=0, compare=False, init=False, repr=False)  # offset behind the last character
    annotations: list[Annotation] = field(default_factory=list, init=False)


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
