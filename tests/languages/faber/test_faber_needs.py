"""What a program needs, found without its tokens, is what its tokens say; also where it is broken."""

from __future__ import annotations

import random

import pytest

from faber.needs import _find_by_piece, _find_by_token, find_needs
from probatio.suites.language_suite import load_suite

SIGNS = '."#\n .0x1e5n_ab§¤'


@pytest.fixture(scope="module")
def programs() -> list[str]:
    suite = load_suite("faber")
    texts = [text for task in suite.tasks.values() for text in (task.material, task.solution) if text]
    return [*texts, *(example.program for example in suite.examples)]


def broken(program: str, chance: random.Random) -> str:
    signs = list(program)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(signs) + 1)
        if chance.random() < 0.5:
            del signs[at : at + 1]
        else:
            signs.insert(at, chance.choice(SIGNS))
    return "".join(signs)


def test_pieces_tell_what_tokens_tell(programs: list[str]) -> None:
    chance = random.Random(5)
    compared = 0
    for program in programs:
        for text in (program, *(broken(program, chance) for _ in range(3))):
            if not any(sign in text for sign in ("`", "'", '"."')):
                assert _find_by_piece(text) == _find_by_token(text), text
                compared += 1
    assert compared > 400
    assert any(find_needs(program) for program in programs)
