"""The types of tasks, one row each: what is asked, about what, and how the answer is judged. Nothing else
depends on a type.

In a question, `{language}` and `{host}` are the names, `{fence}` and `{host_fence}` the words after ```,
`{goal}`, `{material}` and `{diagnostics}` come from the task, `{input}` and `{must_print}` are sentences made
from its runs. A suite may word any of them its own way in `questions.yml`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from probatio.core.records import TaskType

Material = Literal["program", "host program", "template", "broken program"]
Judged = Literal["program", "host program", "completion", "text"]


class TaskKind(msgspec.Struct, frozen=True):
    """What one type of task is."""

    question: str
    judged: Judged
    """What the answer is, and so how it is graded."""
    material: Material | None = None
    must_print: str = "It must print exactly:"
    """The words before an expected output that is shown."""
    control: bool = False
    """Whether it asks nothing about the language under test. Controls are in no rate, curve, factor or
    comparison but their own."""

    @property
    def needs_host(self) -> bool:
        return "host program" in (self.material, self.judged)


_PROGRAM_ONLY = "Answer with the {language} program only, in one ```{fence} code block."
_HOST_ONLY = "Answer with the {host} program only, in one ```{host_fence} code block."

KINDS: dict[TaskType, TaskKind] = {
    "translate_to": TaskKind(
        "Translate this {host} program to {language}. The {language} program must print the same output.\n\n"
        f"```{{host_fence}}\n{{material}}\n```\n\n{_PROGRAM_ONLY}",
        judged="program",
        material="host program",
    ),
    "translate_from": TaskKind(
        "Translate this {language} program to {host}. The {host} program must print the same output.\n\n"
        f"```{{fence}}\n{{material}}\n```\n\n{_HOST_ONLY}",
        judged="host program",
        material="program",
    ),
    "predict_output": TaskKind(
        "What does this {language} program print?\n\n```{fence}\n{material}\n```\n\n"
        "{input}Do not repeat the program. Answer with its output only, exactly as it is printed.",
        judged="text",
        material="program",
    ),
    "complete_code": TaskKind(
        "One part of this {language} program is missing; the blank is marked `___`. {goal}\n\n"
        "```{fence}\n{material}\n```\n\n{must_print}\n\nAnswer with the missing part only, in place of "
        "`___`.",
        judged="completion",
        material="template",
        must_print="The complete program must print:",
    ),
    "write": TaskKind(
        f"Write {{a_language}} program. {{goal}}\n\n{{must_print}}\n\n{_PROGRAM_ONLY}",
        judged="program",
    ),
    "repair": TaskKind(
        "This {language} program is broken. {goal}\n\n```{fence}\n{material}\n```\n\n"
        "What its check or its run says:\n\n```\n{diagnostics}\n```\n\n{must_print}\n\n"
        "Answer with the whole repaired program only, in one ```{fence} code block.",
        judged="program",
        material="broken program",
        must_print="The repaired program must print:",
    ),
    "write_host": TaskKind(
        f"Write {{a_host}} program. {{goal}}\n\n{{must_print}}\n\n{_HOST_ONLY}",
        judged="host program",
        control=True,
    ),
}

FIELDS = (
    "language", "a_language", "fence", "host", "a_host", "host_fence", "goal", "material", "diagnostics",
    "input", "must_print",
)  # fmt: skip
"""What a question may name in braces."""
