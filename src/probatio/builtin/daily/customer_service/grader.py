"""Customer service, the part checked by code: what the policy wants said, in its order; nothing promised that it forbids."""

from __future__ import annotations

import msgspec

from probatio.grade.claims import (
    Claim,
    Statement,
    asserted,
    in_order,
    is_sentence,
    look,
    mentions,
    statements,
)
from probatio.grade.extract import fenced_blocks
from probatio.grade.forbidden import Span, earned, figures_part, forbidden_part, length_part
from probatio.grade.parts import Checked, Part
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


def check(case: Case, answer: str, isolation: Choice = "auto") -> Checked:
    """The parts of a reply that code can see."""
    gold = msgspec.convert(case.gold, Gold)
    text = _letter(answer)
    everything = statements(text)
    read = [statement for statement in statements(text, gold.words.read) if is_sentence(statement)]
    seen = {element.id: look(element, read) for element in gold.elements}
    total = sum(element.weight for element in gold.elements)
    share = earned(sum(seen[element.id].credit * element.weight for element in gold.elements) / total)

    parts = [
        Part(element.id, seen[element.id].credit, seen[element.id].state, ELEMENTS * element.weight / total)
        for element in gold.elements
    ]
    broken = [promise.id for promise in gold.promises if asserted(promise, everything)]
    detail = f"promised: {', '.join(broken)}" if broken else ""
    parts.append(Part("no forbidden promise", 0.0 if broken else share, detail, PROMISES))
    parts.append(figures_part(text, case.prompt, gold.derived, share, FIGURES))
    parts.append(Part("addressed by name", share * _among(gold.name, everything, first=_GREETING_WORDS), "", NAME))
    parts.append(Part("signed", share * _among(gold.signature, everything, last=_CLOSING_WORDS), "", SIGNATURE))
    for name, phrases in {"rudeness": _RUDE, **gold.avoid}.items():
        parts.append(forbidden_part(f"no {name}", phrases, everything, share, TONE))
    parts.append(length_part(text, gold.words, share, LENGTH))
    if gold.order:
        parts.append(Part("order of the steps", in_order(seen[step] for step in gold.order), "", ORDER))

    note = f"Promised against the policy: {', '.join(broken)}." if broken else None
    return Checked(tuple(parts), penalty=BROKEN * len(broken), note=note)


def _letter(answer: str) -> str:
    """The answer without a fence that encloses the letter; words round it stay, the customer would read them too."""
    for block in reversed(fenced_blocks(answer)):
        answer = f"{answer[: block.start]}\n{block.body}\n{answer[block.end :]}"
    return answer.strip()


def _among(phrases: str, read: list[Statement], first: int | None = None, last: int | None = None) -> bool:
    """Whether a phrase stands among the first or the last words of the letter."""
    letter = [word for statement in read for word in statement if word.text[0].isalnum()]
    part = tuple(letter[:first] if first is not None else letter[-(last or 0) :])
    return bool(mentions(phrases, [part]))
