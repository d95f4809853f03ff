"""The answers that the demo of the site shows: chosen of those kept in tests/frontier, graded, and written
into the package.

    python tools/demo_answers.py        writes src/probatio/site/demo_answers.json, and says how large it is

For each case that code grades: a right answer, three of models that answered at once, and the right one cut
off. Run it again when a prompt, a grader or the kept answers change; tests/site/test_demo.py says when.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from probatio.builtin.daily.graders import check
from probatio.site.demo_answers import KEPT, KeptAnswer, KeptCase
from probatio.suites.daily_suite import Case, load_daily

FRONTIER = Path(__file__).parent.parent / "tests" / "frontier"
SETS = ("thinking-1", "at-once-1", "at-once-2", "at-once-3")
CUTS = (0.85, 0.75, 0.65, 0.5)
"""Shares of the right answer that are kept of one that is cut off. A cut program is worth nothing; there the
answers given at once are low enough."""


def choose() -> dict[str, KeptCase]:
    """Case → its answers, the best first."""
    lines = [line for name in SETS for line in (FRONTIER / f"{name}.jsonl").read_text().splitlines()]
    given = [json.loads(line) for line in lines]
    return {
        case.id: _of_case(case, [each["answer"] for each in given if each["case"] == case.id])
        for case in load_daily().cases.values()
        if case.id in {each["case"] for each in given}
    }


def _of_case(case: Case, texts: list[str]) -> KeptCase:
    shown = [(number, 1.0) for number in range(len(texts))]
    if case.use_case != "code_generation":
        shown += [(0, share) for share in CUTS]
    all_kept = KeptCase(tuple(texts), tuple(KeptAnswer(0.0, *each) for each in shown))
    graded = [
        msgspec.structs.replace(kept, score=round(check(case, all_kept.show(kept)).score, 4))
        for kept in all_kept.answers
    ]
    return KeptCase(all_kept.texts, tuple(sorted(graded, key=lambda kept: -kept.score)))


def main() -> None:
    answers = choose()
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(answers), indent=1) + b"\n")
    count = sum(len(each.answers) for each in answers.values())
    print(f"{count} answers to {len(answers)} cases, {KEPT.stat().st_size / 1000:.0f} kB: {KEPT.name}")


if __name__ == "__main__":
    main()
