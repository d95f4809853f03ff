"""The texts of a folder, proven without running anything: prompts, contexts and their tokens, ids, the pinned
fingerprint."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from probatio.authoring.check.report import Claim, Proof, conclude
from probatio.core.errors import ProbatioError
from probatio.suites.contexts import context_text
from probatio.suites.language_file import LanguageFile
from probatio.suites.language_suite import Suite
from probatio.suites.prompt import CHARACTERS_PER_TOKEN, render, render_question
from probatio.suites.task_types import KINDS

_SHORTEST_SECRET = 25
"""Characters. A shorter solution may well stand in a text by chance."""


def count_tokens(suite: Suite) -> dict[str, int]:
    """The estimated tokens of each context, in the first dialect."""
    dialect = suite.language.dialects[0]
    return {
        name: math.ceil(len(context_text(suite, name, dialect)) / CHARACTERS_PER_TOKEN)
        for name in suite.contexts
    }


def prove_contents(suite: Suite, about: LanguageFile | None, fingerprint: str) -> Iterator[Proof]:
    """Whatever the texts alone can tell."""
    # ids of tasks are unique, or the suite would not have been read
    twice = [name for name, count in Counter(example.id for example in suite.examples).items() if count > 1]
    fault = f"two examples are called {', '.join(twice)}." if twice else ""
    yield conclude("the folder", Claim.UNIQUE, fault)
    yield from _prove_prompts(suite)
    yield from _prove_tokens(suite, about)
    yield from _prove_secrets(suite)
    named = {rule for task in suite.tasks.values() for rule in task.rules or ()}
    for rule in suite.rules:
        fault = "" if rule in named else "nothing will be known of what it costs."
        yield conclude(f"rule {rule}", Claim.RULES, fault, "warning")
    if suite.pinned is not None:
        fault = f"it is {fingerprint} now: raise `version` and set `fingerprint`, or take the line out."
        yield conclude("language.yml", Claim.PINNED, fault if suite.pinned != fingerprint else "")


def _prove_prompts(suite: Suite) -> Iterator[Proof]:
    """In every dialect: each question, each context, and all examples."""
    for task in suite.tasks.values():
        first = next(iter(suite.contexts))
        fault = None
        for dialect in suite.language.dialects:
            try:
                if dialect == suite.language.dialects[0]:
                    render(suite, task, first, len(suite.examples), dialect)
                render_question(suite, task, dialect)
            except Exception as error:  # a language is not ours, and may raise what it likes
                fault = fault or f"{dialect}: {error}"
        yield conclude(f"task {task.id}", Claim.PROMPTS, fault)
    for example in suite.examples:
        fault = None
        for dialect in suite.language.dialects:
            try:
                suite.language.program_in(example.program.strip(), dialect)
            except Exception as error:  # as above
                fault = fault or f"{dialect}: {error}"
        if fault:
            yield Proof(f"example {example.id}", Claim.PROMPTS, "failed", fault)


def _prove_tokens(suite: Suite, about: LanguageFile | None) -> Iterator[Proof]:
    limits = about.context_tokens if about else {}
    for name in limits.keys() - suite.contexts.keys():
        fault = f"context_tokens names `{name}`; there are {', '.join(suite.contexts)}."
        yield conclude("language.yml", Claim.TOKENS, fault)
    for name in suite.contexts:
        try:
            for dialect in suite.language.dialects:
                context_text(suite, name, dialect)
        except ProbatioError as error:
            yield Proof(f"context {name}", Claim.PROMPTS, "failed", str(error))
            return
    before: tuple[str, int] | None = None
    for name, count in count_tokens(suite).items():
        limit = limits.get(name)
        if limit is not None:
            fault = "" if count <= limit else f"about {count}; language.yml allows {limit}."
            yield conclude(f"context {name}", Claim.TOKENS, fault)
        if before is not None:
            short = f"about {count} tokens; {before[0]} has {before[1]}." if count <= before[1] else ""
            yield conclude(f"context {name}", Claim.GROWING, short, "warning")
        before = name, count


def _prove_secrets(suite: Suite) -> Iterator[Proof]:
    """A solution that an example or a context shows is no measure of learning."""
    shown = {f"the example {example.id}": example.program for example in suite.examples}
    shown |= {f"the context {name}": text for name, text in suite.contexts.items()}
    for task in suite.tasks.values():
        secret = " ".join((task.solution or "").split())
        if KINDS[task.type].judged == "completion" or len(secret) < _SHORTEST_SECRET:
            continue
        where = next((place for place, text in shown.items() if secret in " ".join(text.split())), None)
        yield conclude(f"task {task.id}", Claim.SECRET, where and f"{where} has it.", "warning")
