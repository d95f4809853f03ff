"""Mutated answers through the real checks: no exception, no check above 2 s of CPU, no growth. Prints what it
found.

python bench/fuzz_checks.py 100000              so many answers, over all graders that read texts
python bench/fuzz_checks.py 2000 code_generation  of one use case
"""

from __future__ import annotations

import asyncio
import random
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from probatio.core.errors import CannotCheck
from probatio.core.records import Response
from probatio.core.yamlfile import read_yaml
from probatio.grading.daily_answers import PackedCase, examine
from probatio.jail.workers import Pool, Unchecked
from probatio.suites.daily_suite import DAILY, load_daily

TEXTS = (
    "structured_extraction", "math_reasoning", "instruction_following", "report_analysis", "summarization",
    "customer_service",
)  # fmt: skip
AT_ONCE = 8
ODD = (
    "\ud800", "\udfff", "\ud83d", "\0", "\x1b[2J", "\x7f", "\u200b", "\u202e", "\ufeff", "\u0301", "\u00a0",
    "𝟗", "Ⅸ", "٣", "½",
    "```", "~~~", "{", "}", "[", "]", "**", "\\frac{", "^", "(", ")", "√", "±", "∞", "NaN", "1e999", "-",
    "\r", "\n", "\t",
    "\u2028",
    "<think>", "</think>", '"', "'", "\\", "$", "%", "dB", "degC", "0", "9" * 30, ":", "=", "A:", "C:", "::",
    ",", "…", "null",
)  # fmt: skip


class Found(NamedTuple):
    checked: int
    unchecked: Counter[str]
    own_growth_mb: float


def mutated(text: str, chance: random.Random) -> str:
    """The text after a few cuts, repetitions, odd characters and swaps."""
    for _ in range(chance.randint(1, 6)):
        at, to = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        odd = chance.choice(ODD)
        match chance.randrange(7):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:at] + text[at:to] * chance.randint(2, 8) + text[to:]
            case 2:
                text = text[:at] + odd * chance.choice((1, 1, 2, 50, 5000)) + text[at:]
            case 3:
                text = text[:at] + text[at:to][::-1] + text[to:]
            case 4:
                text = text[:at] + chr(chance.randrange(0x11_0000)) + text[at:]
            case 5:
                text = text.replace(text[at : at + 1] or "a", odd, chance.randint(1, 40))
            case _:
                text = text[:at] + text[at:to].swapcase() + text[to:]
        text = text[:60_000]
    return text


def answers(count: int, use_cases: tuple[str, ...], seed: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(seed)
    proofs = [
        proof
        for use_case in use_cases
        for proof in read_yaml(DAILY / use_case / "proofs.yml", dict)["proofs"]
    ]
    for _ in range(count):
        proof = chance.choice(proofs)
        yield proof["case"], mutated(proof["answer"], chance)


def fuzz(count: int, use_cases: tuple[str, ...] = TEXTS, seed: int = 12) -> Found:
    """Check so many mutated answers; what was unchecked, by its reason."""
    suite, pool, unchecked = load_daily(), Pool(), Counter[str]()
    packed = {case.id: PackedCase.of(case) for case in suite.cases.values()}
    waiting = answers(count, use_cases, seed)
    checked = 0
    first = 0

    async def work() -> None:
        nonlocal checked, first
        for case, text in waiting:
            response = Response(
                timestamp="", run_id="", framework_version=(
                    ""
                ), task_id=case, model="m", n_shot=0, context="base",
                response=text, finish_reason="stop",
            )  # fmt: skip
            try:
                await examine(pool, packed[case], response, checked=True, choice="auto")
            except (Unchecked, CannotCheck) as error:
                unchecked[f"{case}: {error}"] += 1
                print(f"unchecked: {case}: {error}: {text[:120]!r}", file=sys.stderr, flush=True)
            checked += 1
            if checked == count // 10:
                first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    async def all_of_them() -> None:
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))

    try:
        asyncio.run(all_of_them())
    finally:
        pool.close()
    return Found(checked, unchecked, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first) / 1024)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    found = fuzz(count, tuple(sys.argv[2:]) or TEXTS)
    print(
        f"{found.checked} answers, {found.unchecked.total()} could not be checked, "
        f"{found.own_growth_mb:.1f} MB grown"
    )
    for why, times in found.unchecked.most_common(20):
        print(f"{times:6d}  {why}")


if __name__ == "__main__":
    main()
