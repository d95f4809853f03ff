"""Feedback: what a model is told of a wrong answer before it may try again.

The expected output is shown only where the question shows it. Of a test that the question does not show,
neither the input nor the output is told.
"""

from __future__ import annotations

from probatio.core.records import CRASHED_CHECKER, Feedback, Grade, Task
from probatio.languages.comparison import keeps_margin
from probatio.suites.task_types import KINDS

LONGEST = 2_000
"""Characters of what a checker or a program printed."""

WRONG = "That is not right."
AGAIN = "Try again. Answer in the same form as before."

VERDICTS = {
    "truncated": "The answer was cut off before it was complete.",
    "no program": "There is no program in the answer.",
    "text": "That is not what the program prints.",
    "check": "The checker refuses the program.",
    "crash": "The checker breaks on the program.",
    "timeout": "The program passes the check, but it does not end within its time limit.",
    "run": "The program passes the check, but it fails when it is run.",
    "some tests": "The program is right for {right} of its {tests} tests.",
    "output": "The program runs, but it does not print what it should.",
}
"""How far an answer got."""

UNCHECKED_VERDICTS = {
    "check": "The program is refused before it runs.",
    "timeout": "The program does not end within its time limit.",
    "run": "The program fails when it is run.",
}
"""The same where the language has no check that a program could pass."""

CHECKER_SAYS = "The checker says:\n\n```\n{text}\n```"
RUN_SAYS = "Its run says:\n\n```\n{text}\n```"
PRINTED = "It printed:\n\n```\n{text}\n```"
SHOULD_PRINT = "It should print:\n\n```\n{text}\n```"

TEXTS = (WRONG, AGAIN, VERDICTS, CHECKER_SAYS, RUN_SAYS, PRINTED, SHOULD_PRINT, LONGEST)
"""All of it reaches prompts, so all of it is in the fingerprint of a suite."""


def feedback(task: Task, grade: Grade, told: Feedback, *, shows_output: bool, has_check: bool) -> str:
    """The feedback to an answer with this grade. `shows_output`: the question says what must be printed;
    `has_check`: the language of the answer has a check."""
    parts = [WRONG]
    reached = _find_level(task, grade)
    if told != "none":
        uncheckable = None if has_check else UNCHECKED_VERDICTS.get(reached)
        parts = [f"{WRONG} {uncheckable or VERDICTS[reached].format(**_tests(grade))}"]
    if told == "diagnostics":
        parts += _diagnostics(task, grade, reached, shows_output, has_check)
    return "\n\n".join([*parts, AGAIN])


def _find_level(task: Task, grade: Grade) -> str:
    if grade.error_type == "truncated":
        return "truncated"
    if KINDS[task.type].judged == "text":
        return "text"
    if grade.error_type == CRASHED_CHECKER:
        return "crash"
    if "program" not in grade.breakdown:
        return "no program"
    if not grade.level_a:
        return "check"
    if grade.error_type == "timeout":
        return "timeout"
    if not grade.level_b:
        return "run"
    return "some tests" if len(grade.breakdown.get("tests", ())) > 1 else "output"


def _tests(grade: Grade) -> dict[str, int]:
    tests = grade.breakdown.get("tests", ())
    return {"right": sum(map(bool, tests)), "tests": len(tests)}


def _diagnostics(task: Task, grade: Grade, reached: str, shows_output: bool, has_check: bool) -> list[str]:
    """What the toolchain said and what was printed. A prediction has no toolchain, and its output would be
    the answer."""
    if reached in ("check", "crash"):
        said = _cut(grade.error_detail)
        return [CHECKER_SAYS.format(text=said) if has_check else RUN_SAYS.format(text=said)]
    if reached not in ("run", "timeout", "output", "some tests"):
        return []
    parts = []
    if stderr := _cut(grade.breakdown.get("stderr")):
        parts.append(RUN_SAYS.format(text=stderr))
    keep = keeps_margin(task.compare)
    tests = grade.breakdown.get("tests", ())
    if tests and tests[0]:  # the first is the one that the question shows, and it is right
        return parts
    parts.append(PRINTED.format(text=_cut(grade.breakdown.get("stdout"), keep=keep) or "(nothing)"))
    if shows_output:
        parts.append(SHOULD_PRINT.format(text=_cut(task.runs[0].stdout, keep=keep)))
    return parts


def _cut(text: object, *, keep: bool = False) -> str:
    """As much of it as is shown, without the white space round it unless that counts (`keep`)."""
    shown = str(text or "").rstrip("\n") if keep else str(text or "").strip()
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}\n…"
