"""Prompts: what a model is shown for a task. First what all tasks of a condition share, then the question.

The shared part (context, then examples) comes first and is the same to the letter for every task of a condition, so that
a server's prompt cache reads it once.
"""

from __future__ import annotations

from functools import lru_cache

from probatio.records import Example, Task, TaskType
from probatio.suite.contexts import CONTEXTS, context_text
from probatio.suite.dialect import program_in, template_in
from probatio.suite.language_suite import Suite, digest

INTRODUCTION = "Faber is a small programming language that compiles to TypeScript."

QUESTIONS: dict[TaskType, str] = {
    "translate_ts_to_faber": (
        "Translate this TypeScript program to Faber. The Faber program must print the same output.\n\n"
        "```typescript\n{material}\n```\n\n"
        "Answer with the Faber program only, in one ```faber code block."
    ),
    "translate_faber_to_ts": (
        "Translate this Faber program to TypeScript. The TypeScript program must print the same output.\n\n"
        "```faber\n{material}\n```\n\n"
        "Answer with the TypeScript program only, in one ```typescript code block."
    ),
    "predict_output": (
        "What does this Faber program print?\n\n"
        "```faber\n{material}\n```\n\n"
        "Do not repeat the program. Answer with its output only, exactly as it is printed."
    ),
    "complete_code": (
        "One part of this Faber program is missing; the blank is marked `___`. {goal}\n\n"
        "```faber\n{material}\n```\n\n"
        "The complete program must print:\n\n```\n{expected}\n```\n\n"
        "Answer with the missing part only, in place of `___`."
    ),
    "write_faber": (
        "Write a Faber program. {goal}\n\n"
        "It must print exactly:\n\n```\n{expected}\n```\n\n"
        "Answer with the Faber program only, in one ```faber code block."
    ),
    "write_typescript": (
        "Write a TypeScript program. {goal}\n\n"
        "It must print exactly:\n\n```\n{expected}\n```\n\n"
        "Answer with the TypeScript program only, in one ```typescript code block."
    ),
}

EXAMPLE = "TypeScript:\n```typescript\n{typescript}\n```\nFaber:\n```faber\n{faber}\n```"
EXAMPLE_OUTPUT = "Output:\n```\n{output}\n```"


CHARACTERS_PER_TOKEN = 3.5
"""A rough rule for code in English prompts, used only for estimates, which are labelled as such."""


def render(suite: Suite, task: Task, context: str, n_shot: int, dialect: str) -> str:
    """The prompt of one trial."""
    shared = _shared(suite.folder.as_posix(), suite.examples[:n_shot], context, dialect)
    return f"{shared}\n\n{question(task, dialect)}"


def question(task: Task, dialect: str) -> str:
    """The part of the prompt that is about this task alone."""
    return QUESTIONS[task.type].format(
        goal=task.goal.strip(),
        material=_material(task, dialect),
        expected=task.expected_output.strip(),
    )


def _material(task: Task, dialect: str) -> str:
    """The program a question is about, in the language and dialect it is shown in."""
    faber = (task.input_faber or task.input or "").strip()
    match task.type:
        case "translate_ts_to_faber":
            return (task.input or "").strip()
        case "translate_faber_to_ts" | "predict_output":
            return program_in(faber, dialect)
        case "complete_code":
            return template_in((task.input or faber).strip(), dialect)
        case _:
            return ""


@lru_cache(maxsize=64)
def _shared(folder: str, examples: tuple[Example, ...], context: str, dialect: str) -> str:
    parts = [INTRODUCTION, context_text(folder, context, dialect)]
    if examples:
        parts.append("# Examples")
        parts += [_example(example, dialect) for example in examples]
    return "\n\n".join(part for part in parts if part)


def _example(example: Example, dialect: str) -> str:
    faber = program_in(example.faber.strip(), dialect)
    parts = [EXAMPLE.format(typescript=example.typescript.strip(), faber=faber)]
    if example.output:
        parts.append(EXAMPLE_OUTPUT.format(output=example.output.strip()))
    if example.explanation:
        parts.append(example.explanation.strip())
    return "\n".join(parts)


def fingerprint(suite: Suite, grader_version: str) -> str:
    """What pins a suite to its version: every task, example, prompt text and context in every dialect, and the grader."""
    from probatio.languages.faber.dialects import NAMES

    folder = suite.folder.as_posix()
    return digest(
        list(suite.tasks.values()),
        suite.examples,
        {f"{name} {dialect}": context_text(folder, name, dialect) for name in CONTEXTS for dialect in NAMES},
        [INTRODUCTION, QUESTIONS, EXAMPLE, EXAMPLE_OUTPUT],
        grader_version,
    )
