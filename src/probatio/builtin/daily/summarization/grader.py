"""Summarization, the part checked by code: the key facts, nothing invented, the right length and form."""

from __future__ import annotations

import re

import msgspec

from probatio.builtin.daily.reading.claims import Claim, is_said
from probatio.builtin.daily.reading.prose import (
    Prose,
    WordLimits,
    claim_parts,
    describe_copy,
    figures_part,
    forbidden_part,
    length_part,
    order_part,
    read_prose,
)
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice
from probatio.suites.daily_suite import Case

SOURCE_BEGINS = "\nText:\n"  # in every prompt: what follows is what the answer's figures must come from

FACTS, FIGURES, LENGTH, FORM, FORBIDDEN, ORDER = 6.0, 1.5, 1.5, 0.5, 0.5, 0.5  # weights of the parts
UNTRUE = 0.06  # taken off for each claim that the source contradicts

_BULLET = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+\S", re.MULTILINE)


class SummaryGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a summary of the case's text has to hold and to avoid."""

    facts: tuple[Claim, ...]
    words: WordLimits
    untrue: tuple[Claim, ...] = ()  # what a careless reader believes to have read in the text
    forbidden: dict[str, str] = {}  # what is forbidden → the phrases that show it
    derived: tuple[str, ...] = ()  # figures that follow from the text without standing in it
    bullets: int = 0  # so many, and nothing else; 0 for prose
    order: tuple[str, ...] = ()  # facts in the order that was asked for


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """The parts of a summary that code can see."""
    gold = msgspec.convert(case.gold, SummaryGold)
    prose = read_prose(answer, gold.facts, gold.words, case.prompt)
    source = case.prompt.partition(SOURCE_BEGINS)[2] or case.prompt
    parts = claim_parts(prose, gold.facts, FACTS, prefix="fact: ")
    parts.append(figures_part(prose, source, gold.derived, FIGURES))
    parts.append(length_part(prose, gold.words, LENGTH))
    parts.append(_form_part(prose, gold.bullets))
    parts += [
        forbidden_part(prose, f"no {name}", phrases, FORBIDDEN) for name, phrases in gold.forbidden.items()
    ]
    if gold.order:
        parts.append(order_part(prose, "order", gold.order, ORDER))
    untrue = [claim.id for claim in gold.untrue if is_said(claim, prose.statements)]
    note = f"The text says otherwise: {', '.join(untrue)}." if untrue else describe_copy(prose)
    return CheckResult(tuple(parts), penalty=UNTRUE * len(untrue), note=note)


def _form_part(prose: Prose, bullets: int) -> Part:
    """As many bullets as were asked for and nothing else, or none where prose was asked for."""
    lines = [line for line in prose.text.splitlines() if line.strip()]
    count = sum(1 for line in lines if _BULLET.match(line))
    if not bullets:
        return Part(
            "form", prose.earned * (count == 0), f"{count} bullets, prose asked for" if count else "", FORM
        )
    others = len(lines) - count
    score = max(0.0, 1 - (abs(count - bullets) + others) / bullets)
    detail = f"{count} bullets and {others} other lines, {bullets} bullets asked for"
    return Part("form", prose.earned * score, detail, FORM)
