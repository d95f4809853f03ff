"""Stories about three girls and their coins, drawn so that all numbers stay whole and small."""

from __future__ import annotations

import random

NAMES = ("Ada", "Mia", "Eva")
MOST = 600  # coins; no number of a story is larger

FIRST = ()  # one sentence for each, in the order of their names, and few coins
EASY = ("give", "find", "lose")
MIDDLE = (*EASY, "double", "half", "third", "as_many", "each", "swap")
HARD = (*MIDDLE, "half", "third", "as_many", "richest", "if", "if")


def story(steps: int, kinds: tuple[str, ...], chance: random.Random) -> tuple[str, tuple[int, ...]]:
    """A story of so many sentences, and what each of the three has at its end."""
    while True:
        coins = dict(zip(NAMES, chance.sample(range(6, 40) if kinds else range(3, 20), 3), strict=True))
        begin = ", ".join(f"{name} {count}" for name, count in coins.items())
        sentences: list[str] = []
        start = dict(coins)
        first = chance.sample(NAMES, 3) if kinds else NAMES
        while len(sentences) < steps:
            before = dict(coins)
            if len(sentences) < len(
                first
            ):  # each has more or less before anything else: the start is nobody's end
                sentence = _sentence(
                    chance.choice(("find", "lose")), coins, chance, first[len(sentences)], 19 if kinds else 3
                )
            else:
                sentence = _sentence(chance.choice(kinds), coins, chance)
            if (
                sentence is None
                or min(coins.values()) < 1
                or max(coins.values()) > MOST
                or sentence in sentences[-3:]
            ):
                coins = before
                continue
            sentences.append(sentence)
        if len({*coins.values(), *start.values()}) == 2 * len(NAMES):
            return f"{begin}. {' '.join(sentences)}", tuple(coins.values())


def _sentence(
    kind: str, coins: dict[str, int], chance: random.Random, who: str | None = None, most: int = 19
) -> str | None:
    """One sentence and what it does to the coins; None where it does not fit them."""
    x, y, z = chance.sample(NAMES, 3)
    x = who or x
    k = chance.randint(min(2, most // 3), most)
    if kind == "give":
        coins[x], coins[y] = coins[x] - k, coins[y] + k
        return f"{x} gives {y} {k}."
    if kind == "find":
        coins[x] += k
        return f"{x} finds {k}."
    if kind == "lose":
        coins[x] -= k
        return f"{x} loses {k}."
    if kind == "double":
        coins[x] *= 2
        return f"{x} doubles hers."
    if kind in ("half", "third"):
        part = 2 if kind == "half" else 3
        if coins[x] % part:
            return None
        share = coins[x] // part
        coins[x], coins[y] = coins[x] - share, coins[y] + share
        return f"{x} gives {y} {'half' if part == 2 else 'a third'} of hers."
    if kind == "as_many":
        coins[x] += coins[y]
        return f"{x} finds as many as {y} has."
    if kind == "each":
        coins[x], coins[y], coins[z] = coins[x] - 2 * k, coins[y] + k, coins[z] + k
        return f"{x} gives {k} to each of the others."
    if kind == "swap":
        coins[x], coins[y] = coins[y], coins[x]
        return f"{x} and {y} swap theirs."
    if kind == "richest":
        first, _, last = sorted(coins, key=coins.__getitem__, reverse=True)
        if len(set(coins.values())) < len(NAMES):
            return None
        coins[first], coins[last] = coins[first] - k, coins[last] + k
        return f"Whoever has most gives {k} to whoever has fewest."
    if coins[x] == coins[y]:
        return None
    coins[z] += k if coins[x] > coins[y] else -k
    return f"If {x} has more than {y}, {z} finds {k}, otherwise {z} loses {k}."
