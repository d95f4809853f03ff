"""The examples of docs/daily.md, made from the case files and graded by the real graders, so that the page can't drift.

python -m builtin.daily.examples      in tests/: writes them into the page anew
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from builtin.daily.cases import graded
from day.days import built_in
from probatio.grade.check_result import CheckResult
from probatio.suite.calibration import load_calibration
from probatio.suite.daily_suite import Case, UseCase, load_daily

PAGE = Path(__file__).parents[3] / "docs" / "daily.md"
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
LONG = 1500  # characters: a longer answer is folded up


def example(use_case: UseCase) -> str:
    """One case in full: the prompt, the gold answer, a wrong one with its grade, and what the judge is to say of another."""
    case = next(case for case in use_case.cases if case.id == EXAMPLES[use_case.id])
    blocks = [f"The case `{case.id}`:\n\n{_fenced(case.prompt)}"]
    if use_case.grading != "judge":
        proofs = [proof for proof in built_in(use_case.id, "proofs") if proof["case"] == case.id]
        gold, wrong = (next(proof for proof in proofs if proof["kind"] == kind) for kind in ("gold", "wrong"))
        blocks += [_graded(case, gold), _graded(case, wrong, beside=gold["answer"])]
    if use_case.rubric:
        blocks.append(_judged(use_case))
    return "\n\n".join(blocks)


def _graded(case: Case, proof: dict[str, Any], beside: str | None = None) -> str:
    """An answer and its grade; of a long one only the lines that differ from the answer it stands `beside`."""
    checked = graded(case.id, proof["answer"])
    title = "A gold answer" if beside is None else f"A wrong one ({proof['why'].rstrip('.')})"
    shown = _fenced(proof["answer"])
    if len(proof["answer"]) > LONG and beside is None:
        shown = f"<details><summary>The page, {len(proof['answer']):,} characters</summary>\n\n{shown}\n\n</details>"
    elif len(proof["answer"]) > LONG and beside is not None:
        changes = difflib.ndiff(beside.splitlines(), proof["answer"].splitlines())
        shown = _fenced("\n".join(line for line in changes if line.startswith(("- ", "+ "))))
    return f"{title}, worth **{100 * checked.score:.0f}**{_parts(checked)}:\n\n{shown}"


def _parts(checked: CheckResult) -> str:
    lost = [f"{part.name} {part.score:.2g}" for part in checked.parts if part.score < 0.995]
    off = [f"{100 * checked.penalty:.0f} points taken off"] if checked.penalty else []
    return f" ({', '.join([*lost, *off])})" if lost or off else ""


def _judged(use_case: UseCase) -> str:
    """A frozen answer with its reference marks, and the anchors they are taken from."""
    item = next(item for item in load_calibration(load_daily()) if item.use_case == use_case.id)
    assert use_case.rubric
    rows = "\n".join(
        f"| {criterion.id} | {criterion.question} | {item.marks[criterion.id]}: {criterion.anchors[item.marks[criterion.id]]} |"
        for criterion in use_case.rubric.criteria
    )
    mean = sum(c.weight * item.marks[c.id] for c in use_case.rubric.criteria) / sum(
        c.weight for c in use_case.rubric.criteria
    )
    shown = _fenced(item.answer) if len(item.answer) < LONG else f"(the answer `{item.id}` of calibration.yml)"
    return (
        f"What the judge is to say of the frozen answer `{item.id}` to `{item.case}` (mean mark {mean:.2f}, a judged part of "
        f"{25 * (mean - 1):.0f}):\n\n{shown}\n\n| criterion | question | reference mark |\n|---|---|---|\n{rows}"
    )


def _fenced(text: str) -> str:
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
