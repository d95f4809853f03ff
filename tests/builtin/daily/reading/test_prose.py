"""Prose answers: claims share a weight, and keeping to limits counts only as far as the answer says what was
asked."""

from __future__ import annotations

import pytest

from probatio.builtin.daily.reading.claims import Claim
from probatio.builtin.daily.reading.prose import (
    FULL_AT,
    WordLimits,
    claim_parts,
    figures_part,
    forbidden_part,
    length_part,
    read_prose,
    share_earned,
    without_fences,
)

CLAIMS = (
    Claim("closes", wordings=(("plant", "closes"),), weight=3.0),
    Claim("hires", wordings=(("hire*",),)),
)
SPAN = WordLimits(max=10)


def test_the_claims_share_the_weight_by_their_own() -> None:
    prose = read_prose("The plant closes in June.", CLAIMS, SPAN)
    parts = claim_parts(prose, CLAIMS, 6.0, prefix="fact: ")
    assert [(part.name, part.score, part.weight) for part in parts] == [
        ("fact: closes", 1.0, 4.5),
        ("fact: hires", 0.0, 1.5),
    ]


def test_an_answer_that_says_nothing_earns_nothing_for_keeping_to_limits() -> None:
    silent = read_prose("Good morning.", CLAIMS, SPAN)
    assert silent.earned == 0
    assert length_part(silent, SPAN, 1.0).score == 0
    assert figures_part(silent, "", (), 1.0).score == 0
    assert forbidden_part(silent, "no rudeness", "stupid", 1.0).score == 0


def test_most_of_the_claims_earn_all_credit_for_limits() -> None:
    assert share_earned(FULL_AT) == share_earned(1.0) == 1.0
    assert share_earned(FULL_AT / 2) == pytest.approx(0.5)


def test_claims_beyond_the_limit_are_not_read_but_forbidden_words_are() -> None:
    prose = read_prose(f"{'So it is said by all of us here. ' * 2}The plant closes. Stupid.", CLAIMS, SPAN)
    assert prose.sightings["closes"].state == "absent"
    full = read_prose("The plant closes and they hire. Stupid, stupid.", CLAIMS, SPAN)
    assert forbidden_part(full, "no rudeness", "stupid", 1.0).score == 0


def test_fences_come_off_and_what_stands_round_them_stays() -> None:
    assert without_fences("Here:\n```\nDear Ms Berg\n```\nBye") == "Here:\n\nDear Ms Berg\n\nBye"
