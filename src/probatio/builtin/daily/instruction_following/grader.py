"""Instruction following: every instruction is one part, multiplied by the substance of the answer.

"No forbidden word" is easy to keep by saying nothing, or something else. So the answer also needs substance:
it must be long enough, varied enough, about the matter, and not a copy of the prompt.
"""

from __future__ import annotations

import msgspec

from probatio.builtin.daily.instruction_following.reading import Reading, words
from probatio.builtin.daily.instruction_following.rules import KINDS, TextRule
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice
from probatio.suites.daily_suite import Case

LONGEST = 20_000  # characters looked at
_ECHO = 6  # words in a row: so many are not the same as in the prompt by chance


class Substance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an answer needs to be an answer to this prompt at all."""

    words: int  # at least so many …
    distinct: int  # … so many of them different
    about: tuple[str, ...]  # beginnings of words the matter calls for
    hits: int  # so many of these


class InstructionGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: tuple[TextRule, ...]
    substance: Substance
    bare: float = 1.0  # weight of "nothing else"; on a ladder it is part of the first rung


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """Each rule's score, times the substance. A part of every prompt: nothing else in the answer."""
    gold = msgspec.convert(case.gold, InstructionGold)
    reading = Reading(answer[:LONGEST])
    worth = substance(gold.substance, reading, case.prompt)
    parts = tuple(
        Part(rule.name, score * worth, f"{rule.kind} of {rule.of}: {score:.2f}", rule.weight, rule.rung)
        for rule in gold.rules
        for score in [KINDS[rule.kind].score(rule, reading)]
    )
    ladder = any(rule.rung for rule in gold.rules)
    chatter = "chatter round the answer" if reading.framed else ""
    bare = Part("nothing else", worth * (not reading.framed), chatter, gold.bare, rung=int(ladder))
    thin = f"Only {worth:.0%} of the substance of an answer: too short, off the matter, or an echo."
    return CheckResult((*parts, bare), note=thin if worth < 1 else None)


def substance(wanted: Substance, reading: Reading, prompt: str) -> float:
    """0–1: the weakest of length, variety, matter and freshness."""
    answer = [word.casefold() for word in reading.words]
    hits = sum(any(word.startswith(stem.casefold()) for word in answer) for stem in wanted.about)
    return min(
        1.0,
        len(answer) / wanted.words,
        len(set(answer)) / wanted.distinct,
        hits / wanted.hits,
        2 * (1 - echo(answer, [word.casefold() for word in words(prompt)])),
    )


def echo(answer: list[str], prompt: list[str]) -> float:
    """The share of the answer's runs of words that stand in the prompt."""
    asked = {tuple(prompt[at : at + _ECHO]) for at in range(len(prompt) - _ECHO + 1)}
    runs = [tuple(answer[at : at + _ECHO]) for at in range(len(answer) - _ECHO + 1)]
    return sum(run in asked for run in runs) / len(runs) if runs else 0.0
