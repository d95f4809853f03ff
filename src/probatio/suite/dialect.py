"""Programs and templates of a suite in another dialect. Suites are written in latin; the other dialects are made here."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def program_in(program: str, dialect: str) -> str:
    """A latin program in the dialect, by parse and print; latin itself stays as its author wrote it."""
    if dialect == "latin":
        return program
    from probatio.languages import faber

    return faber.format(program, "latin", dialect).rstrip("\n")


@lru_cache(maxsize=1024)
def template_in(template: str, dialect: str) -> str:
    """A completion template in the dialect. With its blank it does not parse, so its words are exchanged one by one.

    A name after a dot is a member's and stays; that no other name is one of the language's words is what the suite's test
    holds, by reading the completed template back.
    """
    if dialect == "latin":
        return template
    from probatio.languages.faber import dialects
    from probatio.languages.faber.diagnostics import Lines, Report
    from probatio.languages.faber.parse.tokens import tokenize

    words = dialects.dialect(dialect).words
    tokens = tokenize(template, dialects.dialect("latin"), Report(Lines(template)))
    parts, at, previous = [], 0, ""
    for value, start, end in zip(tokens.values, tokens.starts, tokens.ends, strict=True):
        if template[start:end] in words and previous != ".":
            parts += [template[at:start], words[value]]
            at = end
        previous = value
    return "".join([*parts, template[at:]])
