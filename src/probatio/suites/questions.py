"""What makes a question the one it is: a digest of its prompt, and one of all that its grade depends on.

Equal digests are the same question, whatever the version of the suite.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from probatio.core.records import Task
from probatio.languages.contract import LanguageSpec
from probatio.languages.finding import find_language
from probatio.suites.language_suite import Suite, digest, without_filing
from probatio.suites.prompt import neutral_spec


def digest_text(text: str) -> str:
    """A short digest of a prompt."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


class GradedBy:
    """Digests of all that the grades of a suite's tasks depend on: what is expected, the checker and the
    runner with their versions, and the grader."""

    def __init__(self, suite: Suite, grader_version: str) -> None:
        self._suite = suite
        self._grader_version = grader_version
        self._tools: dict[str, str] = {}
        self._known: dict[tuple[str, str], str] = {}

    def __call__(self, task_id: str, dialect: str) -> str:
        key = task_id, dialect
        if key not in self._known:
            task = self._suite.task(task_id, dialect)
            tools = self._digest_tools(self._suite.answer_language(task))
            self._known[key] = digest(_expected(task), dialect, tools, self._grader_version)
        return self._known[key]

    def _digest_tools(self, spec: LanguageSpec) -> str:
        if spec.name not in self._tools:
            self._tools[spec.name] = digest(neutral_spec(spec), find_language(spec).version())
        return self._tools[spec.name]


class SuiteContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Digests of the parts of a suite, so that two runs can tell later in which of them their suites
    differ."""

    introduction: str = ""
    questions: str = ""
    language: str = ""  # its commands and all else that language.yml says of it, and the host language
    contexts: dict[str, str] = {}
    examples: dict[str, str] = {}  # in their order
    tasks: dict[str, str] = {}  # with their solutions

    def shared_part(self, context: str, n_shot: int) -> tuple[str, ...]:
        """What stands before the question in every prompt of a condition."""
        return self.introduction, self.contexts.get(context, ""), *list(self.examples.values())[:n_shot]


def digest_content(suite: Suite, tasks: Iterable[str], contexts: Iterable[str]) -> SuiteContent:
    """The parts of a suite: its contexts and these levels of them, and these tasks."""
    return SuiteContent(
        introduction=digest_text(suite.introduction),
        questions=digest(suite.questions),
        language=digest(*(neutral_spec(spec) for spec in (suite.spec, suite.host) if spec)),
        contexts={
            name: digest_text(suite.template(name)[0]) for name in dict.fromkeys([*suite.contexts, *contexts])
        },
        examples={example.id: digest(without_filing(example)) for example in suite.examples},
        tasks={task: digest(without_filing(suite.tasks[task])) for task in tasks},
    )


def _expected(task: Task) -> Task:
    """The part of a task that its grade depends on: not its words, and not how it is filed."""
    return msgspec.structs.replace(
        without_filing(task), id="", goal="", category="", difficulty=None, solution=None
    )
