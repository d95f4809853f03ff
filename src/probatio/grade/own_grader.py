"""A grader of one's own: a command that reads one case and one answer, and prints a score with its parts.

    standard input    {"case": {"id": …, "prompt": …, "gold": {…}, …}, "answer": "…"}
    standard output   {"score": 0.5, "parts": [{"name": "sum", "score": 0.5, "weight": 1, "detail": "…"}], "note": null}

It runs in the jail, once for each answer, under its limits. Whatever it does wrong is a `GraderFault` with a sentence: it says
nothing about the answer, which is kept and graded again later.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import msgspec

from probatio import sandbox
from probatio.errors import UsageError
from probatio.grade.check_result import CheckResult, Part
from probatio.languages.command import PASSED, error_line, signal_name
from probatio.languages.contract import Commands
from probatio.languages.toolchain import Tool, tool
from probatio.sandbox import Choice, Memo, ProgramOutcome, Runtime
from probatio.suite.daily_suite import Case
from probatio.suite.grader_entry import OwnGrader

MEMO = Memo()
"""In the jail a grader sees the case and the answer and nothing else, so the same question has the same reply."""

MOST_PARTS = 1000
LONGEST_TEXT = 500
"""Characters of a part's detail and of a note that are kept."""
ROUNDED = 0.005
"""A score so near to what the parts make together is the same, rounded; below it, the rest is a deduction."""
_RESERVED_MB = 1024
_BY_SIGNAL = range(129, 160)
_SHOWN = 120


class GraderFault(Exception):
    """The grader failed: nothing is known about the answer."""


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    score: Annotated[float, msgspec.Meta(ge=0, le=1)]
    weight: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    detail: str = ""
    rung: Annotated[int, msgspec.Meta(ge=0)] = 0


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    score: Annotated[float, msgspec.Meta(ge=0, le=1)]
    parts: Annotated[tuple[_Part, ...], msgspec.Meta(min_length=1, max_length=MOST_PARTS)]
    note: str | None = None


_decode = msgspec.json.Decoder(_Said).decode


def check_own(grader: OwnGrader, case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """What the grader says of the answer. Raises `GraderFault` where it says nothing that can be believed."""
    who, limits = f"the grader of `{grader.use_case}`", grader.says.limits
    try:
        outcome = _run(grader, _question(case, answer), isolation)
    except UsageError as error:
        raise GraderFault(str(error).removesuffix(".")) from error
    if outcome.stopped:
        raise GraderFault(f"{who} {PASSED[outcome.stopped].format(**msgspec.to_builtins(limits))}")
    if outcome.exit in _BY_SIGNAL:
        raise GraderFault(f"{who} was ended by {signal_name(outcome.exit)}")
    if outcome.exit != 0:
        raise GraderFault(f"{who} ended with exit {outcome.exit}: {_placeless(error_line(outcome), grader)}")
    return _read(outcome.stdout, who, case)


def fault_of(grader: OwnGrader) -> str | None:
    """Why a grader can't be started here, as a sentence; None where it can."""
    try:
        _tool(_state(grader))
    except UsageError as error:
        return str(error)
    return None


def _question(case: Case, answer: str) -> bytes:
    """Half a surrogate pair, which no UTF-8 has, becomes a question mark: a grader that quotes it could not be read."""
    asked = {"case": msgspec.to_builtins(case), "answer": answer.encode("utf-8", "replace").decode()}
    return json.dumps(asked).encode()


def _run(grader: OwnGrader, question: bytes, isolation: Choice) -> ProgramOutcome:
    says = grader.says
    choice: Choice = "none" if says.isolation == "none" else isolation
    if says.processes and (reason := sandbox.unheld_processes(sandbox.isolation(choice).kind)):
        raise UsageError(f"The grader of `{grader.use_case}` asks for new processes, and {reason}.")
    state = _state(grader)
    found = _tool(state)
    runtime = Runtime(
        found.argv, found.reads, found.env, _RESERVED_MB, "command", scratch=says.processes, processes=says.processes
    )
    if says.isolation == "none":
        return sandbox.run(runtime, question, says.limits, choice)
    name = hashlib.blake2b(b"\0".join((choice.encode(), state, question)), digest_size=32).digest()
    return MEMO.get(name, lambda: sandbox.run(runtime, question, says.limits, choice))


def _state(grader: OwnGrader) -> bytes:
    """The grader with the state of its files: one that was edited meanwhile is another one."""
    stats = [(name, stat.st_mtime_ns, stat.st_size) for name, file in grader.files() if (stat := file.stat())]
    return msgspec.json.encode((grader, stats))


@functools.lru_cache(maxsize=64)
def _tool(state: bytes) -> Tool:
    """The command, found once. Raises UsageError where something it names is not there."""
    grader, _ = msgspec.json.decode(state, type=tuple[OwnGrader, list[tuple[str, int, int]]])
    says, where = grader.says, f"suite.yml, grader of `{grader.use_case}`: "
    if says.isolation == "none":
        return _unjailed(grader, where)
    commands = Commands(
        run=says.command,
        reads=says.reads,
        env=says.env,
        limits=says.limits,
        processes=says.processes,
        folder=grader.folder,
    )
    return tool(grader.use_case, "command", commands, says.command, where)


def _unjailed(grader: OwnGrader, where: str) -> Tool:
    """The command as the user would start it: with their packages, and an environment without keys."""
    words = [
        word.replace("{python}", sys.executable).replace("{folder}", grader.folder) for word in grader.says.command
    ]
    binary = shutil.which(words[0])
    if binary is None:
        raise UsageError(f"{where}command names `{words[0]}`, which is not there or not executable.")
    env = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ} | grader.says.env
    return Tool((binary, *words[1:]), (), tuple(sorted(env.items())), binary, (), python=False)


def _read(said: str, who: str, case: Case) -> CheckResult:
    try:
        told = _decode(said.encode("utf-8", "replace"))
    except msgspec.ValidationError as error:
        raise GraderFault(f"{who} does not print what it should: {str(error).replace('$.', '')}") from None
    except msgspec.DecodeError as error:
        shown = " ".join(said.split())[:_SHOWN]
        printed = f"it printed: {shown}" if shown else "it printed nothing"
        raise GraderFault(f"{who} does not print one JSON object ({error}); {printed}") from None
    parts = tuple(
        Part(each.name, each.score, each.detail[:LONGEST_TEXT], each.weight, each.rung) for each in told.parts
    )
    if high := next((part for part in parts if part.rung > case.rungs), None):
        raise GraderFault(f"{who} gives the part `{high.name}` rung {high.rung}; the case has {case.rungs}")
    total = math.fsum(part.weight for part in parts)
    if not 0 < total < math.inf:
        raise GraderFault(f"{who} gives its parts the weight {total:g} together")
    made = CheckResult(parts).score
    if told.score > made + ROUNDED:
        raise GraderFault(f"{who} says score {told.score:g}, and its parts make {made:g}")
    deducted = made - told.score if made - told.score > ROUNDED else 0.0
    return CheckResult(parts, round(deducted, 9), told.note[:LONGEST_TEXT] if told.note else None)


def _placeless(text: str, grader: OwnGrader) -> str:
    """A message without places of this machine."""
    return text.replace(f"{Path(grader.folder)}/", "")
