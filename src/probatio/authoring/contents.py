"""The texts of a folder, proven without running anything: prompts, contexts and their tokens, ids, the pinned fingerprint."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from probatio.authoring.report import GROWING, PINNED, PROMPTS, SECRET, TOKENS, UNIQUE, Proof
from probatio.errors import ProbatioError
from probatio.suite.contexts import context_text
from probatio.suite.language_file import LanguageFile
from probatio.suite.language_suite import Suite
from probatio.suite.prompt import CHARACTERS_PER_TOKEN, question, render
from probatio.suite.task_types import KINDS

_SHORTEST_SECRET = 25
"""Characters. A shorter solution may well stand in a text by chance."""


def tokens(suite: Suite) -> dict[str, int]:
    """The estimated tokens of each context, in the first dialect."""
    dialect = suite.language.dialects[0]
    return {name: math.ceil(len(context_text(suite, name, dialect)) / CHARACTERS_PER_TOKEN) for name in suite.contexts}


def content_proofs(suite: Suite, about: LanguageFile | None, fingerprint: str) -> Iterator[Proof]:
    """Whatever the texts alone can tell."""
    yield from _ids(suite)
    yield from _prompts(suite)
    yield from _tokens(suite, about)
    yield from _secrets(suite)
    if suite.pinned is not None:
        same = suite.pinned == fingerprint
        detail = (
            "" if same else f"it is {fingerprint} now: raise `version` and set `fingerprint`, or take the line out."
        )
        yield Proof("language.yml", PINNED, "proven" if same else "failed", detail)


def _ids(suite: Suite) -> Iterator[Proof]:
    """Those of tasks are unique, or the suite would not have been read."""
    twice = [name for name, count in Counter(example.id for example in suite.examples).items() if count > 1]
    detail = f"two examples are called {', '.join(twice)}." if twice else ""
    yield Proof("the folder", UNIQUE, "failed" if twice else "proven", detail)


def _prompts(suite: Suite) -> Iterator[Proof]:
    """In every dialect: each question, each context, and all examples."""
    for task in suite.tasks.values():
        first = next(iter(suite.contexts))
        fault = None
        for dialect in suite.language.dialects:
            try:
                if dialect == suite.language.dialects[0]:
                    render(suite, task, first, len(suite.examples), dialect)
                question(suite, task, dialect)
            except Exception as error:  # an implementation of a language is not ours, and may raise what it likes
                fault = fault or f"{dialect}: {error}"
        yield Proof(f"task {task.id}", PROMPTS, "failed" if fault else "proven", fault or "")
    for example in suite.examples:
        fault = None
        for dialect in suite.language.dialects:
            try:
                suite.language.program_in(example.program.strip(), dialect)
            except Exception as error:  # as above
                fault = fault or f"{dialect}: {error}"
        if fault:
            yield Proof(f"example {example.id}", PROMPTS, "failed", fault)


def _tokens(suite: Suite, about: LanguageFile | None) -> Iterator[Proof]:
    limits = about.context_tokens if about else {}
    for name in limits.keys() - suite.contexts.keys():
        yield Proof(
            "language.yml", TOKENS, "failed", f"context_tokens names `{name}`; there are {', '.join(suite.contexts)}."
        )
    for name in suite.contexts:
        try:
            for dialect in suite.language.dialects:
                context_text(suite, name, dialect)
        except ProbatioError as error:
            yield Proof(f"context {name}", PROMPTS, "failed", str(error))
            return
    before: tuple[str, int] | None = None
    for name, count in tokens(suite).items():
        limit = limits.get(name)
        if limit is not None:
            detail = "" if count <= limit else f"about {count}; language.yml allows {limit}."
            yield Proof(f"context {name}", TOKENS, "failed" if detail else "proven", detail)
        if before is not None:
            short = f"about {count} tokens; {before[0]} has {before[1]}." if count <= before[1] else ""
            yield Proof(f"context {name}", GROWING, "warning" if short else "proven", short)
        before = name, count


def _secrets(suite: Suite) -> Iterator[Proof]:
    """A solution that an example or a context shows is no measure of learning."""
    shown = {f"the example {example.id}": example.program for example in suite.examples}
    shown |= {f"the context {name}": text for name, text in suite.contexts.items()}
    for task in suite.tasks.values():
        secret = " ".join((task.solution or "").split())
        if KINDS[task.type].judged == "completion" or len(secret) < _SHORTEST_SECRET:
            continue
        where = next((place for place, text in shown.items() if secret in " ".join(text.split())), None)
        detail = f"{where} has it." if where else ""
        yield Proof(f"task {task.id}", SECRET, "warning" if where else "proven", detail)
