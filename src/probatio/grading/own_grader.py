"""A user's own grader: a command that reads one case and one answer, and prints a score with its parts.

    standard input    {"case": {"id": …, "prompt": …, "gold": {…}, …}, "answer": "…"}
    standard output   0.5, or true, or
                      {"score": 0.5, "parts": [{"name": "sum", "score": 0.5, "weight": 1, "detail": "…"}],
                       "note": null}, with `score` or `parts` or both

It runs in the jail, once for each answer, under its limits. Whatever it does wrong is a `GraderFault`: that
says nothing about the answer, which is kept and graded again later.
"""

from __future__ import annotations

import functools
import json
import math
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import msgspec

from probatio import jail
from probatio.core import jsonfile
from probatio.core.errors import UsageError
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice, ProgramOutcome, Runtime
from probatio.languages.command import PASSED, error_line, signal_name
from probatio.languages.contract import Commands
from probatio.languages.toolchain import Tool, tool
from probatio.suites.daily_suite import Case
from probatio.suites.grader_entry import OwnGrader

MOST_PARTS = 1000
LONGEST_TEXT = 500
"""Characters of a part's detail and of a note that are kept."""
ROUNDED = 0.005
"""A score that differs less from its parts is rounded; a lower one has a deduction."""
_RESERVED_MB = 1024
_BY_SIGNAL = range(129, 160)
_SHOWN = 120
_BOOLEANS = {"true": 1.0, "True": 1.0, "false": 0.0, "False": 0.0}
"""As JSON and as Python write them."""
_WANTED = "a number from 0 to 1, true or false, or one JSON object"


class GraderFault(Exception):
    """The grader failed: nothing is known about the answer."""


class _PrintedPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    score: Annotated[float, msgspec.Meta(ge=0, le=1)]
    weight: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    detail: str = ""
    rung: Annotated[int, msgspec.Meta(ge=0)] = 0


class _Printed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    score: Annotated[float, msgspec.Meta(ge=0, le=1)] | msgspec.UnsetType = msgspec.UNSET
    parts: (
        Annotated[tuple[_PrintedPart, ...], msgspec.Meta(min_length=1, max_length=MOST_PARTS)]
        | msgspec.UnsetType
    ) = msgspec.UNSET
    note: str | None = None


_decode = jsonfile.Decoder(_Printed).decode


def check_own(grader: OwnGrader, case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """What the grader says of the answer. Raises `GraderFault` where it says nothing that can be believed."""
    who, limits = f"the grader of `{grader.use_case}`", grader.says.limits
    # Half a surrogate pair, which is no UTF-8, becomes a question mark.
    asked = {"case": msgspec.to_builtins(case), "answer": answer.encode("utf-8", "replace").decode()}
    try:
        outcome = _run(grader, json.dumps(asked).encode(), isolation)
    except UsageError as error:
        raise GraderFault(str(error).removesuffix(".")) from error
    if outcome.stopped:
        raise GraderFault(f"{who} {PASSED[outcome.stopped].format(**msgspec.to_builtins(limits))}")
    if outcome.exit in _BY_SIGNAL:
        raise GraderFault(f"{who} was ended by {signal_name(outcome.exit)}")
    if outcome.exit != 0:
        line = error_line(outcome).replace(f"{Path(grader.folder)}/", "")  # without places of this machine
        raise GraderFault(f"{who} ended with exit {outcome.exit}: {line}")
    return msgspec.structs.replace(_read(outcome.stdout, who, case), timely=outcome.timely)


def fault_of(grader: OwnGrader) -> str | None:
    """Why a grader can't be started here, as a sentence; None where it can."""
    try:
        _tool(_state(grader), grader.is_outside("auto"))
    except UsageError as error:
        return str(error)
    return None


def _run(grader: OwnGrader, question: bytes, isolation: Choice) -> ProgramOutcome:
    grader.require_trust(isolation)
    says, outside = grader.says, grader.is_outside(isolation)
    choice: Choice = "none" if outside else isolation
    if says.processes and (reason := jail.explain_unheld_processes(jail.find_isolation(choice).kind)):
        raise UsageError(f"The grader of `{grader.use_case}` asks for new processes, and {reason}.")
    found = _tool(_state(grader), outside)
    runtime = Runtime(
        found.argv,
        found.reads,
        found.env,
        _RESERVED_MB,
        "command",
        scratch=says.processes or found.scratch,
        processes=says.processes,
    )
    return jail.run(runtime, question, says.limits, choice)


def _state(grader: OwnGrader) -> bytes:
    """The grader with the state of its files, so that an edited one is found again."""
    stats = [(name, stat.st_mtime_ns, stat.st_size) for name, file in grader.files() if (stat := file.stat())]
    return msgspec.json.encode((grader, stats))


@functools.lru_cache(maxsize=64)
def _tool(state: bytes, outside: bool) -> Tool:
    """The command, found once. Raises UsageError where something it names is not there."""
    grader, _ = jsonfile.decode(state, tuple[OwnGrader, list[tuple[str, int, int]]])
    says, where = grader.says, f"suite.yml, grader of `{grader.use_case}`: "
    if outside:
        return _find_unjailed(grader, where)
    commands = Commands(
        run=says.command,
        reads=says.reads,
        env=says.env,
        limits=says.limits,
        processes=says.processes,
        folder=grader.folder,
    )
    return tool(grader.use_case, "command", commands, says.command, where)


def _find_unjailed(grader: OwnGrader, where: str) -> Tool:
    """The command as the user would start it: with their packages, and an environment without keys."""
    words = [
        word.replace("{python}", sys.executable).replace("{folder}", grader.folder)
        for word in grader.says.command
    ]
    binary = shutil.which(words[0])
    if binary is None:
        raise UsageError(f"{where}command names `{words[0]}`, which is not there or not executable.")
    env = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    # What it leaves behind would be another content of the folder than the one that is trusted.
    env |= {"PYTHONDONTWRITEBYTECODE": "1"} | grader.says.env
    return Tool((binary, *words[1:]), (), tuple(sorted(env.items())), binary, (), python=False)


def _read(said: str, who: str, case: Case) -> CheckResult:
    shown = " ".join(said.split())[:_SHOWN]
    bare = _read_bare(said.strip())
    if bare is not None:
        if not 0 <= bare <= 1:  # nor is NaN
            raise GraderFault(f"{who} printed {shown}; a score lies between 0 and 1")
        return CheckResult((Part("score", bare),))
    if not said.lstrip().startswith("{"):
        raise GraderFault(f"{who} does not print {_WANTED}; it printed {shown or 'nothing'}")
    try:
        printed = _decode(said.encode("utf-8", "replace"))
    except msgspec.ValidationError as error:
        raise GraderFault(f"{who} does not print what it should: {str(error).replace('$.', '')}") from None
    except msgspec.DecodeError as error:
        raise GraderFault(f"{who} does not print one JSON object ({error}); it printed {shown}") from None
    if printed.parts:
        parts = _weigh(printed.parts, who, case)
    elif printed.score is not msgspec.UNSET:
        parts = (Part("score", printed.score),)
    else:
        raise GraderFault(f"{who} prints an object with neither `score` nor `parts`")
    made = CheckResult(parts).score
    score = made if printed.score is msgspec.UNSET else printed.score
    if score > made + ROUNDED:
        raise GraderFault(f"{who} says score {score:g}, and its parts make {made:g}")
    deducted = made - score if made - score > ROUNDED else 0.0
    return CheckResult(parts, round(deducted, 9), printed.note[:LONGEST_TEXT] if printed.note else None)


def _read_bare(word: str) -> float | None:
    """A score without more; None if it is anything else."""
    if word in _BOOLEANS:
        return _BOOLEANS[word]
    try:
        return float(word)
    except ValueError:
        return None


def _weigh(printed: tuple[_PrintedPart, ...], who: str, case: Case) -> tuple[Part, ...]:
    if high := next((part for part in printed if part.rung > case.rungs), None):
        raise GraderFault(f"{who} gives the part `{high.name}` rung {high.rung}; the case has {case.rungs}")
    total = math.fsum(part.weight for part in printed)
    if not 0 < total < math.inf:
        raise GraderFault(f"{who} gives its parts the weight {total:g} together")
    return tuple(
        Part(each.name, each.score, each.detail[:LONGEST_TEXT], each.weight, each.rung) for each in printed
    )
