"""Summarization, the part checked by code: key facts said, nothing untrue or invented, limits of length and form kept."""

from __future__ import annotations

import re

import msgspec

from probatio.grade.claims import Claim, asserted, in_order, is_sentence, look, statements
from probatio.grade.extract import fenced_blocks
from probatio.grade.forbidden import Span, earned, figures_part, forbidden_part, length_part
from probatio.grade.parts import Checked, Part
from probatio.sandbox import Choice
from probatio.suite.daily_suite import Case

SOURCE_BEGINS = "\nText:\n"  # in every prompt: what follows is what the answer's figures must come from

FACTS, FIGURES, LENGTH, FORM, FORBIDDEN, ORDER = 6.0, 1.5, 1.5, 0.5, 0.5, 0.5  # weights of the parts
UNTRUE = 0.06  # taken off for each claim that the source contradicts

_BULLET = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+\S", re.MULTILINE)


class Gold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a summary of the case's text has to hold and to avoid."""

    facts: tuple[Claim, ...]
    words: Span
    untrue: tuple[Claim, ...] = ()  # what a careless reader takes from the text, and it does not say
    forbidden: dict[str, str] = {}  # what is forbidden → the phrases that show it
    derived: tuple[str, ...] = ()  # figures that follow from the text without standing in it
    bullets: int = 0  # so many, and nothing else; 0 for prose
    order: tuple[str, ...] = ()  # facts in the order that was asked for


def check(case: Case, answer: str, isolation: Choice = "auto") -> Checked:
    """The parts of a summary that code can see."""
    gold = msgspec.convert(case.gold, Gold)
    text = _unfenced(answer)
    read = [statement for statement in statements(text, gold.words.read) if is_sentence(statement)]
    seen = {fact.id: look(fact, read) for fact in gold.facts}
    total = sum(fact.weight for fact in gold.facts)
    coverage = sum(seen[fact.id].credit * fact.weight for fact in gold.facts) / total
    share = earned(coverage)

    parts = [
        Part(f"fact: {fact.id}", seen[fact.id].credit, seen[fact.id].state, FACTS * fact.weight / total)
        for fact in gold.facts
    ]
    source = case.prompt.partition(SOURCE_BEGINS)[2] or case.prompt
    parts.append(figures_part(text, source, gold.derived, share, FIGURES))
    parts.append(length_part(text, gold.words, share, LENGTH))
    parts.append(_form_part(text, gold.bullets, share))
    everything = statements(text)
    for name, phrases in gold.forbidden.items():
        parts.append(forbidden_part(f"no {name}", phrases, everything, share, FORBIDDEN))
    if gold.order:
        parts.append(Part("order", in_order(seen[fact] for fact in gold.order), "", ORDER))

    untrue = [claim.id for claim in gold.untrue if asserted(claim, everything)]
    note = f"The text says otherwise: {', '.join(untrue)}." if untrue else None
    return Checked(tuple(parts), penalty=UNTRUE * len(untrue), note=note)


def _unfenced(answer: str) -> str:
    """The answer without a fence that encloses it; words round a fence stay, they were not asked for."""
    for block in reversed(fenced_blocks(answer)):
        answer = f"{answer[: block.start]}\n{block.body}\n{answer[block.end :]}"
    return answer.strip()


def _form_part(text: str, bullets: int, share: float) -> Part:
    lines = [line for line in text.splitlines() if line.strip()]
    found = sum(1 for line in lines if _BULLET.match(line))
    if bullets:
        strays = len(lines) - found
        score = max(0.0, 1 - (abs(found - bullets) + strays) / bullets)
        return Part(
            "form", share * score, f"{found} bullets and {strays} other lines, {bullets} bullets asked for", FORM
        )
    return Part("form", share * (found == 0), f"{found} bullets, prose asked for" if found else "", FORM)
