"""Which rules of Faber's language.yml a task takes: the built-in tasks name theirs so, and fresh ones."""

from __future__ import annotations

import re

from faber.library import METHODS
from probatio.core.records import Task
from probatio.suites.inference import find_gold
from probatio.suites.language_suite import BLANK
from probatio.suites.task_types import KINDS

_TAKEN_BY = {
    "type first": r"\b(?:numerus|fractus|textus|bivalens|lista|tabula|ignotum)\b",
    "collection first": r"\b(?:ex|de)\b[^\n]*\bpro\b",
    "ranges": r"\.\.|\busque\b|\bante\b",
    "bare conditions": r"\b(?:si|sin|dum|elige|custodi)\b",
    "functions": r"\bfunctio\b|\bpro\s+\w+(?:\s*,\s*\w+)*\s*:",
    "objects": r"\b(?:genus|ego|ordo)\b|\bnovum\s+(?!Error\b)",
    "tagged unions": r"\b(?:discretio|discerne|finge)\b",
    "errors": r"\b(?:tempta|cape|demum|iace)\b",
    "conversions": r"\b(?:numeratum|fractatum|textatum|bivalentum|innatum|qua)\b",
    "absent values": r"\b(?:nihil|vel)\b",
    "methods": rf"\.(?:{'|'.join(sorted(METHODS))})\b",
    "modules and entry": r"\b(?:importa|incipit|incipiet|futura|cede)\b",
}
_ASIDE = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*')


def find_decisions(task: Task) -> tuple[str, ...]:
    """By the program that is to be read or written; of a completion, by the lines with its blank, since the
    others are there to be seen."""
    program = find_gold(task) or ""
    if KINDS[task.type].judged == "completion":
        lines = [line for line in (task.material or "").splitlines() if BLANK in line]
        program = "\n".join(lines).replace(BLANK, program)
    code = _ASIDE.sub('""', program)
    return tuple(rule for rule, sign in _TAKEN_BY.items() if re.search(sign, code))
