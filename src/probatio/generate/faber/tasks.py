"""From a drawn program to a task of any type."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from probatio.generate.faber.describing import HEAD, SHOULD, description
from probatio.generate.faber.draft import Draft
from probatio.generate.faber.drawing import Drawn
from probatio.generate.faber.gaps import fault, gap
from probatio.generate.faber.host import typescript
from probatio.languages.faber import tree
from probatio.languages.faber.twists import RANGES_INCLUDE_ENDS
from probatio.records import Task


class Made(msgspec.Struct, frozen=True):
    """A task, and the TypeScript programs that must print what it expects."""

    task: Task
    program: str
    shape: str
    host: str


def made(draft: Draft, drawn: Drawn, kind: str, name: str) -> Made | None:
    """The task, or None where the program has no part that would do."""
    host = typescript(drawn.program)
    asked = _ASKED[kind](draft, drawn, host)
    if asked is None:
        return None
    task = msgspec.structs.replace(
        asked,
        id=name,
        type=kind,
        category=drawn.purpose,
        difficulty=draft.level.difficulty,
        expected_output=drawn.outcome.stdout.strip(),
    )
    return Made(task, drawn.text, drawn.shape, host)


def _task(goal: str = "", material: str | None = None, solution: str | None = None, said: str | None = None) -> Task:
    return Task(id="", type="write", category="", goal=goal, material=material, solution=solution, diagnostics=said)


def _translate_to(draft: Draft, drawn: Drawn, host: str) -> Task | None:
    return _task(material=host, solution=drawn.text)


def _translate_from(draft: Draft, drawn: Drawn, host: str) -> Task | None:
    return _task(_ranges(drawn), drawn.text, host)


def _predict(draft: Draft, drawn: Drawn, host: str) -> Task | None:
    return _task(_ranges(drawn), drawn.text)


def _complete(draft: Draft, drawn: Drawn, host: str) -> Task | None:
    found = gap(draft, drawn)
    return None if found is None else _task(f"{found.goal} {_ranges(drawn)}".strip(), found.template, found.solution)


def _write(draft: Draft, drawn: Drawn, host: str) -> Task | None:
    return _task(description(drawn.program), None, drawn.text)


def _write_host(draft: Draft, drawn: Drawn, host: str) -> Task | None:
    return _task(description(drawn.program), None, host)


def _repair(draft: Draft, drawn: Drawn, host: str) -> Task | None:
    found = fault(draft, drawn)
    if found is None:
        return None
    goal = description(drawn.program).replace(HEAD, SHOULD)
    return _task(goal, found.text, drawn.text, found.diagnostics)


def _ranges(drawn: Drawn) -> str:
    """What the smaller contexts leave open, and no reader should have to guess."""
    ranged = any(isinstance(node, tree.Loop) and isinstance(node.source, tree.Range) for node in drawn.nodes())
    return RANGES_INCLUDE_ENDS if ranged else ""


_ASKED: dict[str, Callable[[Draft, Drawn, str], Task | None]] = {
    "translate_to": _translate_to,
    "translate_from": _translate_from,
    "predict_output": _predict,
    "complete_code": _complete,
    "write": _write,
    "write_host": _write_host,
    "repair": _repair,
}

QUESTIONS = {
    "translate_from": "Translate this {language} program to {host}. The {host} program must print the same output. {goal}\n\n"
    "```{fence}\n{material}\n```\n\nAnswer with the {host} program only, in one ```{host_fence} code block.",
    "predict_output": "What does this {language} program print? {goal}\n\n```{fence}\n{material}\n```\n\n"
    "Do not repeat the program. Answer with its output only, exactly as it is printed.",
    "write": "Write {a_language} program. {goal}\n\n"
    "It is run, and what it prints must be exactly what the steps above give.\n\n"
    "Answer with the {language} program only, in one ```{fence} code block.",
    "write_host": "Write {a_host} program. {goal}\n\n"
    "It is run, and what it prints must be exactly what the steps above give.\n\n"
    "Answer with the {host} program only, in one ```{host_fence} code block.",
}
"""Own wording: the output of a program to be written is not shown, or it could be printed without being computed."""
