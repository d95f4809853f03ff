"""CPU of an answer that a ready grader grades, over the same way with nothing to grade. Prints a table.

python bench/ready_graders.py          2,000 answers for each, different from each other
python bench/ready_graders.py 500      so many
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from typing import Any

from checks import cpu

from probatio.core.records import SampleAnswer
from probatio.grading.daily_answers import PackedCase, examine
from probatio.jail.workers import Pool
from probatio.suites.daily_suite import Case
from probatio.suites.ready_graders import READY, read_expectations

os.environ["PROBATIO_CHECKED_MB"] = "0"  # every answer is graded, none is looked up
NOTHING = "nothing"
EXPECTED: dict[str, Any] = {
    "contains": {"contains": "Enterprise"},
    "icontains": {"icontains": "enterprise"},
    "regex": {"regex": r"\bEnterprise\b"},
    "number": {"number": {"value": 90, "unit": "km/h"}},
    "choice": {"choice": {"right": "Enterprise", "of": ["Free", "Pro", "Enterprise"]}},
    "json": {"json": {"fields": {"plan": "Enterprise", "seats": 5}}},
    "similar": {"similar": "The plan Enterprise includes single sign-on for all of your seats."},
}
ANSWER = (
    'The plan {} includes it, as the page of prices says. {{"plan": "Enterprise", "seats": 5}} So 90 km/h. '
)
_salts = itertools.count()  # an answer that was graded before is remembered


def measure(name: str, count: int) -> float:
    """CPU seconds of an answer, once the worker is there and has seen the case."""
    expect = () if name == NOTHING else read_expectations(EXPECTED[name])
    packed = PackedCase.of(Case("plan", "Which plan?", "plans", expect=expect), READY)
    pool, salt = Pool(), next(_salts)

    async def grade() -> float:
        began = 0.0
        for number in range(-200, count):
            if number == 0:
                began = cpu()
            answer = SampleAnswer(
                case="plan", model="", response=ANSWER.format(f"Enterprise {salt} {number}")
            )
            await examine(pool, packed, answer, checked=True, choice="auto")
        return (cpu() - began) / count

    try:
        return asyncio.run(grade())
    finally:
        pool.close()


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    own = min(measure(NOTHING, count) for _ in range(3))
    print(f"The engine's own: {1000 * own:.3f} ms\n\n| grader | over it, ms |\n|---|---|")
    for name in EXPECTED:
        print(f"| {name} | {1000 * (min(measure(name, count) for _ in range(3)) - own):+.3f} |", flush=True)


if __name__ == "__main__":
    main()
