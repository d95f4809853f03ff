"""The examples of docs/daily-suite.md, made from the case files and graded by the real graders, so that the
page can't drift.

python -m builtin.daily.examples      in tests/: writes them into the page again
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from builtin.daily.cases import graded
from probatio.core.records.check_result import CheckResult
from probatio.suites.calibration import load_calibration
from probatio.suites.daily_suite import Case, UseCase, load_daily
from watch.day.days import built_in

PAGE = Path(__file__).parents[3] / "docs" / "daily-suite.md"
EXAMPLES = {
    "structured_extraction": "extract_depot",
    "math_reasoning": "math_products",
    "code_generation": "code_short",
    "instruction_following": "follow_list",
    "report_analysis": "report_depots",
    "summarization": "sum_library",
    "customer_service": "cs_late_return",
    "web_design": "web_pricing",
    "game_design": "gd_card_game",
    "creative_writing": "cw_ferry_letter",
}
"""Use case → the easiest of its cases, which is the shortest to read."""
FENCE = "````"
LONG = 450  # characters: what is longer is shown in part, and the page says where the whole is
LOSSES = 3  # parts of a wrong answer that are named


def example(use_case: UseCase) -> str:
    """One case: its prompt, a wrong answer with its grade, and what the judge should say about a frozen
    answer."""
    case = next(case for case in use_case.cases if case.id == EXAMPLES[use_case.id])
    blocks = [f"The case `{case.id}`:\n\n{_fence(_shorten(case.prompt))}"]
    if use_case.grading != "judge":
        proofs = [proof for proof in built_in(use_case.id, "proofs") if proof["case"] == case.id]
        gold, wrong = (next(proof for proof in proofs if proof["kind"] == kind) for kind in ("gold", "wrong"))
        blocks.append(_describe_wrong(case, gold, wrong))
    else:
        blocks.append(_describe_judged(use_case))
    return "\n\n".join(blocks)


def _describe_wrong(case: Case, gold: dict[str, Any], wrong: dict[str, Any]) -> str:
    """The scores of both answers, and the lines in which they differ if these are few."""
    scores = [graded(case.id, proof["answer"]) for proof in (gold, wrong)]
    changes = difflib.ndiff(gold["answer"].splitlines(), wrong["answer"].splitlines())
    lines = "\n".join(line for line in changes if line.startswith(("- ", "+ ")))
    shown = f":\n\n{_fence(lines)}" if len(lines) <= LONG else ". Both are in proofs.yml."
    return (
        f"The gold answer gets **{100 * scores[0].score:.0f}**, a wrong one ({wrong['why'].rstrip('.')}) "
        f"**{100 * scores[1].score:.0f}**{_list_losses(scores[1])}{shown}"
    )


def _list_losses(checked: CheckResult) -> str:
    lost = [f"{part.name} {part.score:.2g}" for part in checked.parts if part.score < 0.995]
    off = [f"{100 * checked.penalty:.0f} points taken off"] if checked.penalty else []
    if len(lost) > LOSSES:
        lost = [*lost[:LOSSES], f"and {len(lost) - LOSSES} more"]
    return f" ({', '.join([*lost, *off])})" if lost or off else ""


def _describe_judged(use_case: UseCase) -> str:
    """The reference marks of a frozen answer, with the anchors they are taken from."""
    item = next(item for item in load_calibration(load_daily()) if item.use_case == use_case.id)
    assert use_case.rubric
    criteria = use_case.rubric.criteria
    rows = "\n".join(
        f"| {criterion.id} | {item.marks[criterion.id]}: {criterion.anchors[item.marks[criterion.id]]} |"
        for criterion in criteria
    )
    mean = sum(c.weight * item.marks[c.id] for c in criteria) / sum(c.weight for c in criteria)
    return (
        f"The judge should mark the frozen answer `{item.id}` to `{item.case}` so "
        f"(mean mark {mean:.2f}, a judged part of {25 * (mean - 1):.0f}):\n\n"
        f"| criterion | reference mark |\n|---|---|\n{rows}"
    )


def _shorten(text: str) -> str:
    """Whole lines from the beginning, up to LONG characters."""
    lines = text.strip().splitlines()
    kept = 1
    while kept < len(lines) and len("\n".join(lines[: kept + 1])) <= LONG:
        kept += 1
    left = len(lines) - kept
    return "\n".join([*lines[:kept], *([f"… {left} more lines in cases.yml"] if left else [])])


def _fence(text: str) -> str:
    return f"{FENCE}text\n{text.strip()}\n{FENCE}"


def marked(use_case: str) -> tuple[str, str]:
    """The comments between which an example stands."""
    return f"<!-- example {use_case} -->", f"<!-- end {use_case} -->"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for use_case in load_daily().use_cases.values():
        begin, end = marked(use_case.id)
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = f"{before}{begin}\n{example(use_case)}\n{end}{after}"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
