"""A digest of what our own code does: taken from the parsed program, without comments, docstrings and file names.

A digest of the text would change with every comment, and a new fingerprint starts all baselines anew. So a module counts as
its syntax tree. An import counts as what it brings: the name, and the digest of the module it comes from. A module may be
renamed or moved; another module in its place is seen.

The digest is the same in every Python version that can read the code.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent
ROOT = PACKAGE.name

_MEANINGLESS = frozenset({"ctx", "kind", "type_comment"})
"""Fields of a node that say nothing about what the program does: how a name is used, the `u` before a text, a comment."""

_TYPES_ONLY = "TYPE_CHECKING"
"""The condition of code that only a type checker reads; an import may move there and back."""


def digest_of(modules: Mapping[str, str], other_files: Iterable[str] = ()) -> str:
    """The digest of these modules (name → source) together, and of other files' texts. No file's name is part of it."""
    trees = {name: ast.parse(source) for name, source in modules.items()}
    bindings = {name: list(_bindings(tree)) for name, tree in trees.items()}
    bodies = {name: _hash(_dump(_Meaning().visit(tree))) for name, tree in trees.items()}
    scripts = (_hash(_without_comment_lines(text)) for text in other_files)
    return _hash(*sorted(_with_imports(bodies, bindings).values()), *sorted(scripts))


def imports(source: str) -> Iterator[str]:
    """Every module a source may import; of `from a import b` both `a` and `a.b`, since `b` may be a module."""
    for binding in _bindings(ast.parse(source)):
        yield binding.module
        if binding.name:
            yield f"{binding.module}.{binding.name}"


def module_file(module: str) -> Path | None:
    """The file of one of our modules, found by its path: to import it only to read it could start much."""
    first, *rest = module.split(".")
    if first != ROOT:
        return None
    place = PACKAGE.joinpath(*rest)
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)


def package_digest(package: str) -> str:
    """The digest of all modules of one of our packages."""
    folder = PACKAGE.joinpath(*package.split(".")[1:])
    return digest_of({_module_name(file): file.read_text(encoding="utf-8") for file in folder.rglob("*.py")})


def _module_name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class _Binding(NamedTuple):
    """What one import brings: `name` of `module` (or the module itself), known here by another name."""

    module: str
    name: str
    known_as: str


def _bindings(tree: ast.Module) -> Iterator[_Binding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (_Binding(alias.name, "", alias.asname or "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            if node.level or node.module is None:
                raise ValueError(f"line {node.lineno}: a relative import can't be followed; name the whole module.")
            names = (alias for alias in node.names if alias.name != _TYPES_ONLY)
            yield from (_Binding(node.module, alias.name, alias.asname or alias.name) for alias in names)


def _with_imports(bodies: Mapping[str, str], bindings: Mapping[str, list[_Binding]]) -> Mapping[str, str]:
    """The digest of each module from its own body and from the modules it imports.

    Modules import each other in circles, so the digests are refined in rounds, until a round tells no more modules apart.
    One round is not enough: two packages that only pass on the names of others have the same body.
    """
    digests, kinds = bodies, 0
    while len(set(digests.values())) > kinds:
        kinds = len(set(digests.values()))
        digests = {
            name: _hash(body, *sorted(_imported(binding, digests) for binding in bindings[name]))
            for name, body in bodies.items()
        }
    return digests


def _imported(binding: _Binding, digests: Mapping[str, str]) -> str:
    module, name, known_as = binding
    if name and (inner := digests.get(f"{module}.{name}")):
        return _hash(inner, "", known_as)
    return _hash(digests.get(module, _outside(module)), name, known_as)


def _outside(module: str) -> str:
    """A module that is not among those digested: others' by its name, ours by nothing, since ours may be renamed."""
    return "" if module.partition(".")[0] == ROOT else module


class _Meaning(ast.NodeTransformer):
    """Drops what does nothing: strings that stand alone (docstrings, notes under a constant), `pass`, what only a type checker
    reads, and imports, which are counted apart. Makes f-strings the same in every Python version."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        alone = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if alone else self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        return None

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.AST]:
        if isinstance(node.test, ast.Name) and node.test.id == _TYPES_ONLY:
            return [self.visit(statement) for statement in node.orelse]
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Python 3.12 adds an empty text at the end of some formats: `f"{value:{width}}"`."""
        node.values = [part for part in node.values if not (isinstance(part, ast.Constant) and part.value == "")]
        return self.generic_visit(node)


def _dump(value: object) -> str:
    """A syntax tree as text. Positions and empty fields are left out: newer Python versions have more fields, empty here."""
    if isinstance(value, ast.AST):
        fields = ((name, field) for name, field in ast.iter_fields(value) if name not in _MEANINGLESS)
        shown = (f"{name}={_dump(field)}" for name, field in fields if field is not None and field != [])
        return f"{type(value).__name__}({','.join(shown)})"
    if isinstance(value, list):
        return f"[{','.join(map(_dump, value))}]"
    return ascii(value)  # repr shows a character or its number, depending on the Unicode tables of the Python version


def _without_comment_lines(text: str) -> str:
    """A script's text without its comment lines and blank lines: code that we can't parse."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("//"))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
