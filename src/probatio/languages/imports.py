"""What a Python script imports, read off its words.

The script may be a stranger's, and Python's own parser is not made for that: 180 kB of `import a.a.a…` take
it 30 s and 9 GB, 256 kB of f-strings 13 s. One regular expression that never goes back takes time by length
alone.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import MOST_TEXT, read_inside, read_named, walk_inside

_OF_SITE = frozenset({"exit", "quit", "help", "copyright", "credits", "license", "site"})
"""The names that Python's module `site` adds."""
_SUFFIXES = frozenset({".py", ".pyw", ""})
_WORD = re.compile(
    r"""
      \#[^\n]*+ | \\\n                             # a comment; a line that goes on
    | ''' | \"\"\"                                # a long text begins
    | '(?:[^'\\\n]|\\.)*+'? | "(?:[^"\\\n]|\\.)*+"?
    | \w++ | \n[ \t\f]*+ | \S
    """,
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_WITH_A_BODY = frozenset(
    "if elif else for while try except finally with def class async match case".split()  # noqa: SIM905
)


class Imports(msgspec.Struct, frozen=True):
    """What a script asks of the interpreter it runs in."""

    modules: tuple[tuple[str, bool], ...]
    """By their first names; whether the script can't run without the module."""
    uses_site: bool
    """Whether it may need the module `site`."""


def read_imports(scripts: Iterable[Path], folder: Path) -> list[Imports]:
    """What each script of a language imports. Raises UsageError where there is too much to read."""
    found: list[Imports] = []
    weight = 0
    for script in scripts:
        text = read_inside(script, folder) if script.is_relative_to(folder) else read_named(script)
        weight += len(text)
        if weight > MOST_TEXT:
            raise UsageError(
                f"{folder} shows its commands more than {MOST_TEXT >> 20} MB of Python. "
                "Name the scripts that are needed in place of their folder."
            )
        found.append(_scan(text))
    return found


def list_scripts(path: Path, folder: Path) -> list[Path]:
    """The Python of a path that a command names: the file itself, or the files of a folder."""
    if path.is_dir():
        return [file for file in walk_inside(path, folder) if file.suffix == ".py"]
    return [path] if path.suffix in _SUFFIXES else []


@functools.lru_cache(maxsize=64)
def _scan(text: bytes) -> Imports:
    modules: dict[str, bool] = {}
    uses_site = False
    for words, top in _statements(text.decode("utf-8-sig", "replace").replace("\r\n", "\n")):
        uses_site = uses_site or _names_site(words)
        for name in _imported(words):
            modules[name] = modules.get(name, False) or top
    return Imports(tuple(modules.items()), uses_site)


def _statements(text: str) -> Iterator[tuple[list[str], bool]]:
    """Each statement as its words, and whether it is one of the script's own level."""
    words: list[str] = []
    depth, at, top = 0, 0, True
    while match := _WORD.search(text, at):
        word, at = match[0], match.end()
        first = word[0]
        if word in ("'''", '"""'):
            at = _find_end(text, at, word)
        elif first == "\n" and depth == 0:
            yield words, top
            words, top = [], word == "\n"
        elif first not in "#\\\n'\"":
            depth += (word in _OPEN) - (word in _CLOSE and depth > 0)
            words.append(word)
            if depth == 0 and (word == ";" or (word == ":" and words[0] in _WITH_A_BODY)):
                yield words, top
                words, top = [], top and word == ";"
    yield words, top


def _find_end(text: str, at: int, quotes: str) -> int:
    """Where a long text ends: at quotes with an even number of backslashes before them."""
    while (at := text.find(quotes, at)) >= 0:
        before = at
        while text[before - 1] == "\\":
            before -= 1
        if (at - before) % 2 == 0:
            return at + 3
        at += 1
    return len(text)


def _imported(words: Sequence[str]) -> Iterator[str]:
    if words[:1] == ["import"]:
        yield from (word for before, word in itertools.pairwise(words) if before in ("import", ","))
    elif words[:1] == ["from"] and words[1:2] != ["."]:
        yield from words[1:2]


def _names_site(words: Sequence[str]) -> bool:
    for at, word in enumerate(words):
        if word in _OF_SITE and words[at - 1 : at] not in (["."], ["def"], ["class"]):
            after = list(words[at + 1 : at + 3])
            if after[:1] != ["="] or after == ["=", "="]:  # else a keyword, as in f(help="…")
                return True
    return False
