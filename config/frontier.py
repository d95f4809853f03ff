"""Answers of frontier-class models to the daily suite: prompts written out for them, their answers graded and kept.

    python config/frontier.py ask FOLDER [USE_CASE…]          one file per case: FOLDER/NN.txt, nothing else
    python config/frontier.py grade FOLDER [USE_CASE…]        grade FOLDER/answers/NN.txt: scores, and rungs one by one
    python config/frontier.py keep FOLDER NAME [USE_CASE…]    add them to tests/frontier/NAME.jsonl, in place of older ones

A subject is given FOLDER and nothing else; it writes FOLDER/answers/NN.txt.
tests/frontier/README.md tells how the kept answers were made.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from probatio.builtin.daily.graders import check
from probatio.suite.daily_suite import Case, DailySuite, load_daily

KEPT = Path(__file__).parent.parent / "tests" / "frontier"


def chosen(suite: DailySuite, use_cases: list[str]) -> dict[str, Case]:
    """Number → case, of the use cases graded by code alone, or of those named."""
    wanted = use_cases or [each.id for each in suite.use_cases.values() if each.grading == "deterministic"]
    cases = [case for use_case in wanted for case in suite.use_cases[use_case].cases]
    return {f"{number:02}": case for number, case in enumerate(cases, start=1)}


def ask(folder: Path, cases: dict[str, Case]) -> None:
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    for number, case in cases.items():
        (folder / f"{number}.txt").write_text(case.prompt)


def grade(folder: Path, cases: dict[str, Case]) -> None:
    scores: dict[str, list[float]] = {}
    for number, case in cases.items():
        file = folder / "answers" / f"{number}.txt"
        if not file.exists():
            print(f"{number} {case.id}: no answer")
            continue
        found = check(case, file.read_text())
        scores.setdefault(case.use_case, []).append(found.score)
        print(f"{number} {case.id}: {100 * found.score:.1f}" + (f"  [{found.note}]" if found.note else ""))
        for part in found.parts:
            if part.score < 1:
                print(f"     rung {part.rung:2} {part.name}: {part.score:.2f}  {part.detail[:160]}")
    for use_case, each in scores.items():
        print(f"{use_case}: {100 * sum(each) / len(each):.1f}")


def keep(folder: Path, name: str, cases: dict[str, Case]) -> None:
    file = KEPT / f"{name}.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    replaced = {case.use_case for case in cases.values()}
    lines = [line for line in lines if line["use_case"] not in replaced]
    for number, case in cases.items():
        answer = (folder / "answers" / f"{number}.txt").read_text()
        prompt = hashlib.sha256(case.prompt.encode()).hexdigest()[:16]
        lines.append({"use_case": case.use_case, "case": case.id, "prompt": prompt, "answer": answer})
    KEPT.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def main() -> None:
    action, folder, *rest = sys.argv[1:]
    suite = load_daily()
    if action == "keep":
        keep(Path(folder), rest[0], chosen(suite, rest[1:]))
    else:
        {"ask": ask, "grade": grade}[action](Path(folder), chosen(suite, rest))


if __name__ == "__main__":
    main()
