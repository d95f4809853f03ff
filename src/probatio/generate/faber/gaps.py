"""Completions and repairs: a part of a program left out, or changed for the worse."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from probatio.generate.faber.describing import expression
from probatio.generate.faber.draft import Draft
from probatio.generate.faber.drawing import Drawn, evaluated
from probatio.languages import faber
from probatio.languages.faber import tree
from probatio.languages.faber.analysis import analyse
from probatio.suite.language_suite import BLANK

_WORDS = {
    "varia": "declares a variable which may change",
    "fixum": "declares a constant",
    "scribe": "prints",
    "si": "begins a condition",
    "sin": "begins a further condition, which counts if those before it do not hold",
    "secus": "stands before what is done if no condition holds",
    "dum": "begins a loop that goes on as long as a condition holds",
    "ex": "begins a loop over the elements of a list",
    "pro": "stands before the name of the loop's variable",
    "redde": "returns a value",
    "functio": "begins a function",
}
"""Words that every context but the empty one shows."""

_STATEMENT_WORD = re.compile(
    r"^ *(?:\} )?(varia|fixum|scribe|si|sin|secus|dum|ex|redde|functio)\b|\b(pro)\b", re.MULTILINE
)
_CONDITION = re.compile(r"^ *(?:\} )?(?:si|sin|dum) (.+) \{$", re.MULTILINE)
_VALUE = re.compile(r"^ *(?:[\w.]+ = |redde )(.*[-+*%].*)$", re.MULTILINE)
_OPERATOR = re.compile(r"(?<= )(==|!=|<=|>=|<|>|\+|-|\*|%|et|aut)(?= )")
_NUMBER = re.compile(r"(?<![\w\"])\d+(?![\w\"])")
_DECLARED = re.compile(r"\bvaria (?:numerus )?(\w+) = (?!\")")
_PLACES = {"operator": _OPERATOR, "variable": re.compile(r"(?<=[ (])\w+(?= [-+*%<>=)]|\))"), "number": _NUMBER}
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_OTHER = {
    "==": ("!=", ">"), "!=": ("==", "<"), "<": (">=", ">"), ">": ("<=", "<"), "<=": (">", "=="), ">=": ("<", "=="),
    "+": ("-", "*"), "-": ("+",), "*": ("+",), "%": ("+",), "et": ("aut",), "aut": ("et",),
}  # fmt: skip


class Gap(msgspec.Struct, frozen=True):
    """A template, what its blank stands for, and what the question says of it."""

    template: str
    solution: str
    goal: str


class Fault(msgspec.Struct, frozen=True):
    """A broken program and what is said of it."""

    text: str
    diagnostics: str


def gap(draft: Draft, drawn: Drawn) -> Gap | None:
    """A part left out. Its goal tells in words what is missing, or only of what kind it is, and the output must tell the rest."""
    told = draft.maybe(draft.level.told)
    if not told:
        return _to_infer(draft, drawn)
    of_words = {1: 1.0, 2: 0.6, 3: 0.6}.get(
        draft.level.number, 0.0
    )  # from level 4 on a single word would be too little
    return _word(draft, drawn.text) if draft.maybe(of_words) else _in_words(draft, drawn)


def _cut(text: str, start: int, end: int, goal: str) -> Gap:
    return Gap(f"{text[:start]}{BLANK}{text[end:]}", text[start:end], goal)


def _word(draft: Draft, text: str) -> Gap | None:
    found = draft.one(list(_STATEMENT_WORD.finditer(text)))
    place = 1 if found[1] else 2
    return _cut(text, *found.span(place), f"The blank is the word that {_WORDS[found[place]]}.")


def _in_words(draft: Draft, drawn: Drawn) -> Gap | None:
    places = [(found, "condition") for found in _CONDITION.finditer(drawn.text)]
    places += [(found, "value") for found in _VALUE.finditer(drawn.text)]
    if not places:
        return None
    found, kind = draft.one(places)
    read = analyse(f"scribe {found[1]}", semantic=False)
    statement = read.program.body[0] if read.program.body and not read.diagnostics else None
    if not isinstance(statement, tree.Print) or len(statement.arguments) != 1:
        return None
    words = expression(statement.arguments[0])
    goal = f"The blank is the condition that {words}." if kind == "condition" else f"The blank is the value {words}."
    cut = _cut(
        drawn.text, *found.span(1), f"{goal} (`mod` is the remainder of a division.)" if " mod " in goal else goal
    )
    others = ("verum", "falsum") if kind == "condition" else ("0", "1")
    return cut if _needed(drawn, cut, others) else None


def _to_infer(draft: Draft, drawn: Drawn) -> Gap | None:
    """An operator, a variable or a number that only the output tells; another of the same kind must not do."""
    kind = draft.one(("operator", "operator", "operator", "variable", "number"))
    places = list(_PLACES[kind].finditer(drawn.text))
    names = list(dict.fromkeys(_DECLARED.findall(drawn.text)))
    if kind == "variable":
        places = [found for found in places if found[0] in names]
    if not places or (kind == "variable" and len(names) < 2):
        return None
    found = draft.one(places)
    if kind == "variable":
        return _checked(drawn, found, "The blank is the name of a variable.", names)
    if kind == "number":
        near = [str(number) for number in (0, 1, 2, int(found[0]) + 1)]
        return _checked(drawn, found, "The blank is a number from 0 to 40.", near)
    of = "a comparison" if found[0] in _COMPARISONS else "a logical" if found[0] in ("et", "aut") else "an arithmetic"
    return _checked(drawn, found, f"The blank is {of} operator.", _OTHER[found[0]])


def _checked(drawn: Drawn, found: re.Match[str], goal: str, others: Sequence[str]) -> Gap | None:
    cut = _cut(drawn.text, *found.span(), goal)
    return cut if _needed(drawn, cut, others) else None


def _needed(drawn: Drawn, cut: Gap, others: Sequence[str]) -> bool:
    """Does none of the others, put in place of the blank, give the same output?"""
    for other in others:
        if other != cut.solution:
            outcome = evaluated(cut.template.replace(BLANK, other))
            if outcome is not None and outcome.stdout == drawn.outcome.stdout:
                return False
    return True


def fault(draft: Draft, drawn: Drawn) -> Fault | None:
    """One or two changes that make it wrong, or one that the check refuses."""
    kind = draft.between(1, 4)
    if kind == 1:
        return _refused(drawn, _constant_for_variable(draft, drawn.text))
    if kind == 2:
        return _refused(drawn, _misspelt(draft, drawn.text))
    text = drawn.text
    for _ in range(2 if draft.level.number > 4 else 1):
        text = _changed(draft, text)
    outcome = evaluated(text) if text != drawn.text else None
    if outcome is None or outcome.stdout.strip() == drawn.outcome.stdout.strip():
        return None
    expected, printed = drawn.outcome.stdout.strip()[:200], outcome.stdout.strip()[:200]
    return Fault(text, f"expected {expected!r}, printed {printed!r}")


def _refused(drawn: Drawn, text: str) -> Fault | None:
    diagnostics = faber.check(text)
    if text == drawn.text or not diagnostics:
        return None
    return Fault(text, "\n".join(str(each) for each in diagnostics[:3]))


def _constant_for_variable(draft: Draft, text: str) -> str:
    places = [found.start() for found in re.finditer(r"\bvaria\b", text)]
    if not places:
        return text
    at = draft.one(places)
    return text[:at] + "fixum" + text[at + len("varia") :]


def _misspelt(draft: Draft, text: str) -> str:
    """A name with two letters exchanged, in one place."""
    names = set(re.findall(r"(?:varia|fixum) (?:\w+(?:<\w+>)? )?(\w+) =", text))
    places = [found for found in re.finditer(r"\b\w+\b", text) if found[0] in names and len(set(found[0][1:3])) == 2]
    if not places:
        return text
    found = draft.one(places)
    name = found[0]
    return text[: found.start()] + name[0] + name[2] + name[1] + name[3:] + text[found.end() :]


def _changed(draft: Draft, text: str) -> str:
    if draft.maybe(0.6):
        operators = list(_OPERATOR.finditer(text))
        if not operators:
            return text
        found = draft.one(operators)
        return text[: found.start()] + draft.one(_OTHER[found[1]]) + text[found.end() :]
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return text
    found = draft.one(numbers)
    return text[: found.start()] + str(int(found[0]) + draft.between(1, 3)) + text[found.end() :]
