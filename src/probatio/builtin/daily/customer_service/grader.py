"""Customer service, the part checked by code: all that the policy asks for, in order, and no promise that it forbids."""

from __future__ import annotations

import msgspec

from probatio.grade.check_result import CheckResult, Part
from probatio.grade.claims import Claim, asserted
from probatio.grade.prose import (
    Prose,
    Span,
    claim_parts,
    copied,
    figures_part,
    forbidden_part,
    length_part,
    order_part,
    read_prose,
)
from probatio.grade.statements import Statement, mentions
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case

ELEMENTS, PROMISES, FIGURES, ORDER, NAME, SIGNATURE, TONE, LENGTH = 6.0, 2.0, 1.0, 0.8, 0.5, 0.3, 0.4, 1.0  # weights
BROKEN = 0.1  # taken off for each forbidden promise, beside the whole credit for making none

_GREETING_WORDS = 14  # the name stands among the first words of a letter, below a line with its subject at most
_CLOSING_WORDS = 12  # and the signature among the last
_RUDE = "calm down|as i said|as already stated|obviously|your problem|not our problem|not our fault|stupid|ridiculous"


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a reply has to say and to avoid."""

    elements: tuple[Claim, ...]
    promises: tuple[Claim, ...]  # that the policy forbids
    name: str
    signature: str
    words: Span
    avoid: dict[str, str] = {}  # what is to be avoided → the phrases that show it
    derived: tuple[str, ...] = ()  # figures that follow from policy and message without standing there
    order: tuple[str, ...] = ()
    rungs: dict[str, int] = {}  # parts that are no elements → their rung


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """The parts of a reply that code can see."""
    gold = msgspec.convert(case.gold, Gold)
    prose = read_prose(answer, gold.elements, gold.words, case.prompt)
    broken = [promise.id for promise in gold.promises if asserted(promise, prose.statements)]
    detail = f"promised: {', '.join(broken)}" if broken else ""
    avoided = {"rudeness": _RUDE, **gold.avoid}
    parts = claim_parts(prose, gold.elements, ELEMENTS)
    parts.append(Part("no forbidden promise", 0.0 if broken else prose.earned, detail, PROMISES))
    parts.append(figures_part(prose, case.prompt, gold.derived, FIGURES))
    parts.append(Part("addressed by name", prose.earned * _among_first(gold.name, prose, _GREETING_WORDS), "", NAME))
    parts.append(Part("signed", prose.earned * _among_last(gold.signature, prose, _CLOSING_WORDS), "", SIGNATURE))
    parts += [forbidden_part(prose, f"no {name}", phrases, TONE) for name, phrases in avoided.items()]
    parts.append(length_part(prose, gold.words, LENGTH))
    if gold.order:
        parts.append(order_part(prose, "order of the steps", gold.order, ORDER))
    note = f"Promised against the policy: {', '.join(broken)}." if broken else copied(prose)
    parts = [msgspec.structs.replace(part, rung=gold.rungs.get(part.name, part.rung)) for part in parts]
    return CheckResult(tuple(parts), penalty=BROKEN * len(broken), note=note)


def _among_first(phrases: str, prose: Prose, count: int) -> bool:
    """Whether one of the phrases stands among the first words of the letter."""
    return bool(mentions(phrases, [_words(prose)[:count]]))


def _among_last(phrases: str, prose: Prose, count: int) -> bool:
    return bool(mentions(phrases, [_words(prose)[-count:]]))


def _words(prose: Prose) -> Statement:
    return tuple(word for statement in prose.statements for word in statement if word.text[0].isalnum())
