"""What a piece of our own code means, as a digest: the parsed program without comments, docstrings and file names.

A fingerprint that reads text changes with a comment, and a new fingerprint starts all baselines anew. So a module counts as
its syntax tree. An import counts as what it brings: the meaning of the module it comes from, and the name; a module may be
renamed or moved, but not exchanged for another.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parent
ROOT = PACKAGE.name

_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_params"})
"""Fields of a node that carry no meaning here, or that not every Python version has."""


def digest_of(modules: Mapping[str, str], other_files: Iterable[str] = ()) -> str:
    """The digest of these modules (name → source) taken together, and of other files' texts. No name of a file is in it."""
    own = {name: _hash(_dump(_without_prose(ast.parse(text)))) for name, text in modules.items()}
    whole = [_hash(own[name], *sorted(_bindings(ast.parse(text), own))) for name, text in modules.items()]
    return _hash(*sorted(whole), *sorted(_hash(_without_comment_lines(text)) for text in other_files))


def imports(text: str) -> Iterator[str]:
    """Every name a module imports: the modules themselves, and what might be a module in a `from … import`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_file(module: str) -> Path | None:
    """The file of one of our modules, looked up by path: importing a module only to read it may start much."""
    first, *rest = module.split(".")
    if first != ROOT:
        return None
    place = PACKAGE.joinpath(*rest)
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)


def package_digest(package: str) -> str:
    """The digest of all modules of one of our packages."""
    folder = PACKAGE.joinpath(*package.split(".")[1:])
    files = sorted(folder.rglob("*.py"))
    return digest_of({str(file): file.read_text(encoding="utf-8") for file in files})


def _bindings(tree: ast.Module, own: Mapping[str, str]) -> Iterator[str]:
    """What each import of a module brings: from which meaning or which foreign module, which name, under which name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield _hash(own.get(alias.name, _foreign(alias.name)), "", alias.asname or "")
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            module = node.module or ""
            for alias in node.names:
                inner = own.get(f"{module}.{alias.name}")
                source, name = (inner, "") if inner else (own.get(module, _foreign(module)), alias.name)
                yield _hash(source, name, alias.asname or alias.name)


def _foreign(module: str) -> str:
    """A module that is not among those digested: others' by its name, ours by nothing, since ours may be renamed."""
    return "" if module.partition(".")[0] == ROOT else module


class _Prose(ast.NodeTransformer):
    """Drops strings that stand alone (docstrings, notes under a constant) and imports, which count apart."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        bare = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if bare else self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None


def _without_prose(tree: ast.Module) -> ast.AST:
    return _Prose().visit(tree)  # type: ignore[no-any-return]


def _dump(value: object) -> str:
    """A syntax tree as text that is the same in every Python version: empty fields are left out, and so are positions."""
    if isinstance(value, ast.AST):
        fields = ((name, field) for name, field in ast.iter_fields(value) if name not in _SKIPPED)
        shown = (f"{name}={_dump(field)}" for name, field in fields if field is not None and field != [])
        return f"{type(value).__name__}({','.join(shown)})"
    if isinstance(value, list):
        return f"[{','.join(map(_dump, value))}]"
    return repr(value)


def _without_comment_lines(text: str) -> str:
    """A script's text without its comment lines and blank lines: the part of our code that we can't parse."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("//"))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
