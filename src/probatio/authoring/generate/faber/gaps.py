"""Completions and repairs: a part of a program left out, or changed for the worse."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

import faber
from faber import tree
from faber.analysis import analyse
from probatio.authoring.generate.faber.describing import describe_value
from probatio.authoring.generate.faber.draft import Draft
from probatio.authoring.generate.faber.drawing import DrawnProgram
from probatio.authoring.generate.faber.runs import Runs
from probatio.suites.language_suite import BLANK

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
_PLACES = {
    "operator": _OPERATOR,
    "variable": re.compile(r"(?<=[ (])\w+(?= [-+*%<>=)]|\))"),
    "number": _NUMBER,
}
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_OTHER = {
    "==": ("!=", ">"), "!=": ("==", "<"), "<": (">=", ">"), ">": ("<=", "<"), "<=": (">", "=="),
    ">=": ("<", "=="), "+": ("-", "*"), "-": ("+",), "*": ("+",), "%": ("+",), "et": ("aut",), "aut": ("et",),
}  # fmt: skip


class Gap(msgspec.Struct, frozen=True):
    """A template, what its blank stands for, and what the question says of it."""

    template: str
    solution: str
    goal: str


class BrokenProgram(msgspec.Struct, frozen=True):
    """A broken program and what is said of it."""

    text: str
    diagnostics: str


def make_gap(draft: Draft, drawn: DrawnProgram, runs: Runs) -> Gap | None:
    """A part left out. Its goal tells in words what is missing, or only of what kind it is,
    and the output must tell the rest."""
    if not draft.maybe(draft.level.told):
        return _hide_part(draft, drawn, runs)
    # from level 4 on a single word would be too little
    of_words = {1: 1.0, 2: 0.6, 3: 0.6}.get(draft.level.number, 0.0)
    return _word(draft, drawn.text) if draft.maybe(of_words) else _describe_gap(draft, drawn, runs)


def _cut(text: str, start: int, end: int, goal: str) -> Gap:
    return Gap(f"{text[:start]}{BLANK}{text[end:]}", text[start:end], goal)


def _word(draft: Draft, text: str) -> Gap | None:
    found = draft.one(list(_STATEMENT_WORD.finditer(text)))
    place = 1 if found[1] else 2
    return _cut(text, *found.span(place), f"The blank is the word that {_WORDS[found[place]]}.")


def _describe_gap(draft: Draft, drawn: DrawnProgram, runs: Runs) -> Gap | None:
    places = [(found, "condition") for found in _CONDITION.finditer(drawn.text)]
    places += [(found, "value") for found in _VALUE.finditer(drawn.text)]
    if not places:
        return None
    found, kind = draft.one(places)
    read = analyse(f"scribe {found[1]}", semantic=False)
    statement = read.program.body[0] if read.program.body and not read.diagnostics else None
    if not isinstance(statement, tree.Print) or len(statement.arguments) != 1:
        return None
    of = "condition that" if kind == "condition" else "value"
    goal = f"The blank is the {of} {describe_value(statement.arguments[0])}."
    if " mod " in goal:
        goal += " (`mod` is the remainder of a division.)"
    others = ("verum", "falsum") if kind == "condition" else ("0", "1")
    return _cut_needed(drawn, found.span(1), goal, others, runs)


def _hide_part(draft: Draft, drawn: DrawnProgram, runs: Runs) -> Gap | None:
    """An operator, a variable or a number that only the output tells;
    another of the same kind must not do."""
    kind = draft.one(("operator", "operator", "operator", "variable", "number"))
    places = list(_PLACES[kind].finditer(drawn.text))
    names = list(dict.fromkeys(_DECLARED.findall(drawn.text)))
    if kind == "variable":
        places = [found for found in places if found[0] in names]
    if not places or (kind == "variable" and len(names) < 2):
        return None
    found = draft.one(places)
    others: Sequence[str]
    if kind == "variable":
        goal, others = "The blank is the name of a variable.", names
    elif kind == "number":
        goal = "The blank is a number from 0 to 40."
        others = [str(number) for number in (0, 1, 2, int(found[0]) + 1)]
    else:
        logical = "a logical" if found[0] in ("et", "aut") else "an arithmetic"
        of = "a comparison" if found[0] in _COMPARISONS else logical
        goal, others = f"The blank is {of} operator.", _OTHER[found[0]]
    return _cut_needed(drawn, found.span(), goal, others, runs)


def _cut_needed(
    drawn: DrawnProgram, span: tuple[int, int], goal: str, others: Sequence[str], runs: Runs
) -> Gap | None:
    """The gap, if none of the others, put in place of the blank, gives the same output."""
    cut = _cut(drawn.text, *span, goal)
    changed = [cut.template.replace(BLANK, other) for other in others if other != cut.solution]
    return None if drawn.printed in runs.find_changed(changed) else cut


def break_program(draft: Draft, drawn: DrawnProgram, runs: Runs) -> BrokenProgram | None:
    """One or two changes that make it wrong, or one that the check refuses."""
    kind = draft.between(1, 4)
    if kind == 1:
        variables = list(re.finditer(r"\bvaria\b", drawn.text))
        return _find_refusal(drawn, _put(draft, drawn.text, variables, lambda found: "fixum"))
    if kind == 2:
        return _find_refusal(drawn, _misspell(draft, drawn.text))
    text = drawn.text
    for _ in range(2 if draft.level.number > 4 else 1):
        text = _change(draft, text)
    (printed,) = runs.find_changed([text]) if text != drawn.text else [None]
    if printed is None or printed.strip() == drawn.printed.strip():
        return None
    return BrokenProgram(text, f"expected {drawn.printed.strip()[:200]!r}, printed {printed.strip()[:200]!r}")


def _find_refusal(drawn: DrawnProgram, text: str) -> BrokenProgram | None:
    diagnostics = faber.check(text)
    if text == drawn.text or not diagnostics:
        return None
    return BrokenProgram(text, "\n".join(str(each) for each in diagnostics[:3]))


def _misspell(draft: Draft, text: str) -> str:
    """A name with two letters exchanged, in one place."""
    names = set(re.findall(r"(?:varia|fixum) (?:\w+(?:<\w+>)? )?(\w+) =", text))
    places = [
        found for found in re.finditer(r"\b\w+\b", text) if found[0] in names and len(set(found[0][1:3])) == 2
    ]
    return _put(draft, text, places, lambda found: found[0][0] + found[0][2] + found[0][1] + found[0][3:])


def _change(draft: Draft, text: str) -> str:
    """Another operator, or a larger number."""
    if draft.maybe(0.6):
        return _put(draft, text, list(_OPERATOR.finditer(text)), lambda found: draft.one(_OTHER[found[1]]))
    numbers = list(_NUMBER.finditer(text))
    return _put(draft, text, numbers, lambda found: str(int(found[0]) + draft.between(1, 3)))


def _put(
    draft: Draft, text: str, places: Sequence[re.Match[str]], change: Callable[[re.Match[str]], str]
) -> str:
    """The text with one of the places changed; unchanged if there are no places."""
    if not places:
        return text
    found = draft.one(places)
    return text[: found.start()] + change(found) + text[found.end() :]
