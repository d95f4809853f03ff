"""Prompts: what a model is shown for a task. First what all tasks of a condition share, then the question.

The shared part (context, then examples) comes first and is the same to the letter for every task of a
condition, so that a server's prompt cache reads it once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from probatio.core.inside import read_inside, walk_inside
from probatio.core.records import Compare, Example, Task
from probatio.core.text.blanks import fill
from probatio.languages.comparison import show_output
from probatio.languages.contract import Commands, Language, LanguageSpec, Twisting, trim_program, twist_of
from probatio.languages.finding import find_language
from probatio.suites.contexts import context_text
from probatio.suites.feedback import TEXTS, UNCHECKED_VERDICTS
from probatio.suites.language_suite import Suite, digest, without_filing
from probatio.suites.task_types import KINDS, TaskKind

EXAMPLE = "{name}:\n```{fence}\n{program}\n```"
EXAMPLE_INPUT = "Input:\n```\n{stdin}\n```"
EXAMPLE_OUTPUT = "Output:\n```\n{output}\n```"
INPUT = "Its standard input is:\n\n```\n{stdin}\n```\n\n"
MUST_PRINT = "{words}\n\n```\n{stdout}\n```"
MUST_PRINT_FOR_INPUT = (
    "It reads standard input. With this input:\n\n```\n{stdin}\n```\n\n{words}\n\n```\n{stdout}\n```\n\n"
    "It is tested with other inputs, too."
)

CHARACTERS_PER_TOKEN = 3.5
"""A rough rule for code in English prompts, used only for estimates, which are labelled as such."""


def render(suite: Suite, task: Task, context: str, n_shot: int, dialect: str) -> str:
    """The prompt of one trial."""
    shared = _render_shared(
        suite.language,
        _shown(suite.spec, suite.compare),
        _shown(suite.host) if suite.host else None,
        suite.introduction,
        context_text(suite, context, dialect),
        suite.examples[:n_shot],
        dialect,
    )
    return f"{shared}\n\n{render_question(suite, task, dialect)}"


def render_question(suite: Suite, task: Task, dialect: str) -> str:
    """The part of the prompt that is about this task alone."""
    kind, host = KINDS[task.type], suite.host
    values = {
        "language": suite.spec.name,
        "a_language": _with_article(suite.spec.name),
        "fence": suite.spec.fences[0],
        "host": host.name if host else "",
        "a_host": _with_article(host.name) if host else "",
        "host_fence": host.fences[0] if host else "",
        "goal": task.goal.strip(),
        "material": show_material(suite, task, dialect),
        "diagnostics": (task.diagnostics or "").strip(),
        "input": _input(task),
        "must_print": _must_print(task, kind),
    }
    return fill(suite.questions[task.type], values)


def show_material(suite: Suite, task: Task, dialect: str) -> str:
    """What a question is about, in the language and dialect it is shown in."""
    language, kind = suite.language, KINDS[task.type].material
    spec = suite.host if kind == "host program" and suite.host else suite.spec
    text = trim_program(task.material or "", spec.whole)
    match kind:
        case "program" if twist_of(dialect) and isinstance(language, Twisting):
            return language.respell(text, dialect)  # a task under a twist is written for it
        case "program":
            return language.program_in(text, dialect)
        case "template" | "broken program":  # neither can be parsed
            return language.template_in(text, dialect)
        case _:
            return text


def _input(task: Task) -> str:
    stdin = task.runs[0].stdin.strip("\n")
    return INPUT.format(stdin=stdin) if stdin else ""


def _must_print(task: Task, kind: TaskKind) -> str:
    first = task.runs[0]
    stdout = show_output(first.stdout, task.compare)
    if not any(test.stdin for test in task.tests):
        return MUST_PRINT.format(words=kind.must_print, stdout=stdout)
    words = kind.must_print[0].lower() + kind.must_print[1:]
    return MUST_PRINT_FOR_INPUT.format(words=words, stdin=first.stdin.strip("\n"), stdout=stdout)


def _with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


class _Shown(NamedTuple):
    """How programs of a language are shown."""

    name: str
    fence: str
    whole: bool
    compare: Compare = UNSET


def _shown(spec: LanguageSpec, compare: Compare = UNSET) -> _Shown:
    return _Shown(spec.name, spec.fences[0], spec.whole, compare)


@lru_cache(maxsize=64)
def _render_shared(
    language: Language,
    ours: _Shown,
    host: _Shown | None,
    introduction: str,
    context: str,
    examples: tuple[Example, ...],
    dialect: str,
) -> str:
    parts = [introduction, context]
    if examples:
        parts.append("# Examples")
        parts += [
            _example(
                example, language.program_in(trim_program(example.program, ours.whole), dialect), ours, host
            )
            for example in examples
        ]
    return "\n\n".join(part for part in parts if part)


def _example(example: Example, program: str, ours: _Shown, host: _Shown | None) -> str:
    parts = []
    if example.host and host:
        text = trim_program(example.host, host.whole)
        parts.append(EXAMPLE.format(name=host.name, fence=host.fence, program=text))
    parts.append(EXAMPLE.format(name=ours.name, fence=ours.fence, program=program))
    if example.stdin:
        parts.append(EXAMPLE_INPUT.format(stdin=example.stdin.strip("\n")))
    if example.output:
        parts.append(EXAMPLE_OUTPUT.format(output=show_output(example.output, ours.compare)))
    if example.explanation:
        parts.append(example.explanation.strip())
    return "\n".join(parts)


def fingerprint(suite: Suite, grader_version: str) -> str:
    """The fingerprint that pins a suite's version: all that reaches a prompt or a grade, and the grader."""
    return digest(
        [without_filing(msgspec.structs.replace(task, solution=None)) for task in suite.tasks.values()],
        [without_filing(example) for example in suite.examples],
        [
            suite.introduction,
            suite.questions,
            EXAMPLE,
            EXAMPLE_OUTPUT,
            INPUT,
            MUST_PRINT,
            MUST_PRINT_FOR_INPUT,
        ],
        [kind.must_print for kind in KINDS.values()],
        TEXTS,
        {
            f"{name} {dialect}": context_text(suite, name, dialect)
            for name in suite.contexts
            for dialect in suite.language.dialects
        },
        [neutral_spec(spec) for spec in (suite.spec, suite.host) if spec],
        grader_version,
        *([{name: each.ranks_in_place for name, each in suite.ranked.items()}] if suite.ranked else ()),
        *([suite.compare] if suite.compare else []),
        # Words that only suites with such a language or example use.
        *([UNCHECKED_VERDICTS] if not suite.spec.has_check else []),
        *([EXAMPLE_INPUT] if any(example.stdin for example in suite.examples) else []),
    )


def fingerprint_as_asked(suite: Suite, grader_version: str, dialects: Iterable[str] = ()) -> str:
    """What a run records: the suite's content, and the versions of the toolchains on this machine that grade
    its answers.

    The twists of the run's dialects count too. A run without a twist has the fingerprint it would have if
    there were none.
    """
    twisted = {dialect: _under_twist(suite, dialect) for dialect in dialects if twist_of(dialect)}
    parts = [fingerprint(suite, grader_version), list_toolchains(suite), *([twisted] if twisted else [])]
    return digest(*parts)


def _under_twist(suite: Suite, dialect: str) -> list[object]:
    """All that a twist changes in prompts and grades."""
    contexts = [context_text(suite, name, dialect) for name in suite.contexts]
    examples = [
        suite.language.program_in(trim_program(example.program, suite.spec.whole), dialect)
        for example in suite.examples
    ]
    return [contexts, examples, suite.twists[twist_of(dialect)]]


def list_toolchains(suite: Suite) -> dict[str, str]:
    """The version of what checks and runs the programs of the language and of its host."""
    return {
        spec.implementation or spec.name: find_language(spec).version()
        for spec in (suite.spec, suite.host)
        if spec
    }


def neutral_spec(spec: LanguageSpec) -> tuple[LanguageSpec, str]:
    """A language without the path of its folder, and the digest of the files its commands use there."""
    if spec.commands is None:
        return spec, ""
    neutral = msgspec.structs.replace(spec, commands=msgspec.structs.replace(spec.commands, folder=""))
    return neutral, _digest_files(spec.commands)


FOLDER = "{folder}"


def _digest_files(commands: Commands) -> str:
    """The digest of the files in the language's folder that its commands use: they move grades."""
    root = Path(commands.folder)
    summed = hashlib.sha256()
    for path in sorted(set(_files(commands, root))):
        content = hashlib.sha256(read_inside(path, root)).hexdigest()
        summed.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return summed.hexdigest()


def _files(commands: Commands, root: Path) -> Iterator[Path]:
    for word in (*(word for words in commands.called for word in words), *commands.reads):
        if FOLDER not in word:
            continue
        place = Path(word.replace(FOLDER, str(root)))
        if place.exists():
            yield from (each for each in walk_inside(place, root) if each.suffix != ".pyc")
