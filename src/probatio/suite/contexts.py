"""Contexts: how much of the language a model is shown, from nothing to all of it, in any dialect.

A context is a Markdown template in the suite's `contexts/` folder. What it says about the language comes from the language's
own tables, so that it can't go stale:

    {{words: declarations, types}}   the words of these groups, or of `all`, with their TypeScript counterparts
    {{grammar}}                      the grammar
    {{w: fixum}}                     one word, as the dialect spells it
    ```faber … ```                   a program, written in latin, shown in the dialect
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from probatio.errors import UsageError
from probatio.inside import read_inside
from probatio.suite.dialect import program_in
from probatio.suite.language_suite import BUILT_IN, DEFAULT_SUITE, Suite

CONTEXTS = ("examples-only", "grammar-only", "minimal", "basic", "complete")
"""From least to most."""

_PLACEHOLDER = re.compile(r"\{\{\s*(?P<kind>words|grammar|w)\s*(?::\s*(?P<argument>[^}]*?))?\s*\}\}")
_PROGRAM = re.compile(r"(?P<open>```faber\n)(?P<body>.*?)(?P<close>\n```)", re.DOTALL)


def known_contexts(suite: Suite) -> tuple[str, ...]:
    """The five levels, and any further contexts in the suite's folder."""
    own = sorted(file.stem for file in (suite.folder / "contexts").glob("*.md"))
    return (*CONTEXTS, *(name for name in own if name not in CONTEXTS))


@lru_cache(maxsize=256)
def context_text(folder: str, context: str, dialect: str) -> str:
    """The context as a model reads it."""
    for place in (Path(folder), BUILT_IN / DEFAULT_SUITE):
        file = place / "contexts" / f"{context}.md"
        if file.exists():
            text = read_inside(file, place).decode().replace("\r\n", "\n")
            return rendered(text, dialect, str(file)).strip()
    raise UsageError(f"There is no context `{context}` in {folder}/contexts.")


def rendered(template: str, dialect: str, where: str) -> str:
    """A template with its placeholders filled and its programs in the dialect."""

    def fill(match: re.Match[str]) -> str:
        kind, argument = match["kind"], match["argument"] or ""
        if kind == "grammar":
            return f"```ebnf\n{_grammar(dialect)}\n```"
        if kind == "w":
            return _word(argument, dialect, where)
        return _table([group.strip() for group in argument.split(",")], dialect, where)

    text = _PROGRAM.sub(lambda match: match["open"] + program_in(match["body"], dialect) + match["close"], template)
    return _PLACEHOLDER.sub(fill, text)


def _word(latin: str, dialect: str, where: str) -> str:
    from probatio.languages.faber import dialects

    try:
        return dialects.dialect(dialect).words[latin]
    except KeyError:
        raise UsageError(f"{where}: Faber has no word `{latin}`.") from None


def _table(groups: list[str], dialect: str, where: str) -> str:
    from probatio.languages.faber.vocabulary import WORDS

    known = list(dict.fromkeys(word.group for word in WORDS))
    groups = known if groups == ["all"] else groups
    if strange := [group for group in groups if group not in known]:
        raise UsageError(f"{where}: no group of words is called {strange[0]!r}; there are {', '.join(known)}.")
    rows = [
        f"| `{_word(word.latin, dialect, where)}` | {f'`{word.typescript}`' if word.typescript else ''} "
        f"| {_meaning(word.meaning, dialect)} |"
        for word in WORDS
        if word.group in groups
    ]
    return "\n".join(["| Faber | TypeScript | meaning |", "|---|---|---|", *rows])


def _meaning(text: str, dialect: str) -> str:
    """A word's meaning, with the words of the language it names between backticks in the dialect."""
    from probatio.languages.faber import dialects

    words = dialects.dialect(dialect).words
    return re.sub(r"`[^`]*`", lambda code: re.sub(r"\w+", lambda word: words.get(word[0], word[0]), code[0]), text)


def _grammar(dialect: str) -> str:
    from probatio.languages.faber.grammar import grammar

    return grammar(dialect).rstrip("\n")
