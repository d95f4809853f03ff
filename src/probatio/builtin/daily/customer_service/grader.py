"""Customer service, the part checked by code: what the policy asks for, and no forbidden promise."""

from __future__ import annotations

import msgspec

from probatio.builtin.daily.reading.claims import Claim, is_said
from probatio.builtin.daily.reading.prose import (
    WordLimits,
    claim_parts,
    describe_copy,
    figures_part,
    forbidden_part,
    length_part,
    order_part,
    read_prose,
)
from probatio.builtin.daily.reading.statements import mentions
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice
from probatio.suites.daily_suite import Case

ELEMENTS, PROMISES, FIGURES, LENGTH = 6.0, 2.0, 1.0, 1.0  # weights of the parts
ORDER, NAME, SIGNATURE, TONE = 0.8, 0.5, 0.3, 0.4
BROKEN = 0.1  # taken off for each forbidden promise, and the credit for making none is lost

_GREETING_WORDS = 14  # the name stands among the first words of a letter, below its subject at most
_CLOSING_WORDS = 12  # and the signature among the last
_RUDE = (
    "calm down|as i said|as already stated|obviously|your problem|not our problem|not our fault|"
    "stupid|ridiculous"
)


class LetterGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a reply has to say and to avoid."""

    elements: tuple[Claim, ...]
    promises: tuple[Claim, ...]  # that the policy forbids
    name: str
    signature: str
    words: WordLimits
    avoid: dict[str, str] = {}  # what is to be avoided → the phrases that show it
    derived: tuple[str, ...] = ()  # figures that follow from policy and message without standing there
    order: tuple[str, ...] = ()
    rungs: dict[str, int] = {}  # parts that are no elements → their rung


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """The parts of a reply that code can see."""
    gold = msgspec.convert(case.gold, LetterGold)
    prose = read_prose(answer, gold.elements, gold.words, case.prompt)
    broken = [promise.id for promise in gold.promises if is_said(promise, prose.statements)]
    detail = f"promised: {', '.join(broken)}" if broken else ""
    avoided = {"rudeness": _RUDE, **gold.avoid}
    parts = claim_parts(prose, gold.elements, ELEMENTS)
    parts.append(Part("no forbidden promise", 0.0 if broken else prose.earned, detail, PROMISES))
    parts.append(figures_part(prose, case.prompt, gold.derived, FIGURES))
    words = tuple(word for statement in prose.statements for word in statement if word.text[0].isalnum())
    greeted = bool(mentions(gold.name, [words[:_GREETING_WORDS]]))
    signed = bool(mentions(gold.signature, [words[-_CLOSING_WORDS:]]))
    parts.append(Part("addressed by name", prose.earned * greeted, "", NAME))
    parts.append(Part("signed", prose.earned * signed, "", SIGNATURE))
    parts += [forbidden_part(prose, f"no {name}", phrases, TONE) for name, phrases in avoided.items()]
    parts.append(length_part(prose, gold.words, LENGTH))
    if gold.order:
        parts.append(order_part(prose, "order of the steps", gold.order, ORDER))
    note = f"Promised against the policy: {', '.join(broken)}." if broken else describe_copy(prose)
    parts = [msgspec.structs.replace(part, rung=gold.rungs.get(part.name, part.rung)) for part in parts]
    return CheckResult(tuple(parts), penalty=BROKEN * len(broken), note=note)
