"""From a drawn program to a task of any type."""

from __future__ import annotations

import re

import msgspec

from faber import tree
from faber.emit import emit
from faber.twists import RANGES_INCLUDE_ENDS
from probatio.authoring.generate.faber.decisions import find_decisions
from probatio.authoring.generate.faber.dependence import nodes_of
from probatio.authoring.generate.faber.describing import HEAD, SHOULD, describe_program
from probatio.authoring.generate.faber.draft import Draft
from probatio.authoring.generate.faber.drawing import DrawnProgram
from probatio.authoring.generate.faber.gaps import break_program, make_gap
from probatio.authoring.generate.faber.runs import Runs
from probatio.core.records import Task, TaskType

_CONSTRUCTOR = re.compile(r"\n  constructor\(given: any = \{\}\) \{\n(?:    .*\n)*  \}")
_COUNTER = re.compile(r"for \(let (\w+): any = ")
_LOOSE = re.compile(r" (==|!=) ")


class Made(msgspec.Struct, frozen=True):
    """A task, and the TypeScript programs that must print what it expects."""

    task: Task
    program: str
    shape: str
    compiled: str
    host: str


def make_task(draft: Draft, drawn: DrawnProgram, kind: TaskType, name: str, runs: Runs) -> Made | None:
    """The task, or None if the program has no part that would do. Raises NotRun."""
    host = write_host(drawn.program)
    goal, material, solution, diagnostics = "", None, None, None
    match kind:
        case "translate_to":
            material, solution = host, drawn.text
        case "translate_from":
            goal, material, solution = _describe_ranges(drawn), drawn.text, host
        case "predict_output":
            goal, material = _describe_ranges(drawn), drawn.text
        case "complete_code":
            gap = make_gap(draft, drawn, runs)
            if gap is None:
                return None
            goal = f"{gap.goal} {_describe_ranges(drawn)}".strip()
            material, solution = gap.template, gap.solution
        case "repair":
            broken = break_program(draft, drawn, runs)
            if broken is None:
                return None
            goal = describe_program(drawn.program).replace(HEAD, SHOULD)
            material, solution, diagnostics = broken.text, drawn.text, broken.diagnostics
        case "write" | "write_host":
            goal, solution = describe_program(drawn.program), drawn.text if kind == "write" else host
    task = Task(
        id=name,
        type=kind,
        category=drawn.purpose,
        goal=goal,
        material=material,
        diagnostics=diagnostics,
        solution=solution,
        expected_output=drawn.printed.strip(),
        difficulty=draft.level.difficulty,
    )
    task = msgspec.structs.replace(task, rules=find_decisions(task) or msgspec.UNSET)
    return Made(task, drawn.text, drawn.shape, emit(drawn.program), host)


def write_host(program: tree.Program) -> str:
    """The same program in TypeScript, as a person would write it: without what only a compiler needs.

    That it prints the same is proven by running it, like everything else.
    """
    text = _CONSTRUCTOR.sub("", emit(program))  # drawn programs give no fields to a new object
    text = _COUNTER.sub(r"for (let \1 = ", text)
    return _LOOSE.sub(r" \1= ", text).rstrip("\n")


def _describe_ranges(drawn: DrawnProgram) -> str:
    """What the smaller contexts leave open, and no reader should have to guess."""
    loops = [node for node in nodes_of(drawn.program.body) if isinstance(node, tree.Loop)]
    return RANGES_INCLUDE_ENDS if any(isinstance(loop.source, tree.Range) for loop in loops) else ""


QUESTIONS = {
    "translate_from": "Translate this {language} program to {host}. The {host} program must print the same "
    "output. {goal}\n\n"
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
"""Own wording: the output of a program to be written is not shown,
or it could be printed without being computed."""
