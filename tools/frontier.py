"""Answers of frontier-class models to the daily suite: prompts written out for them, their answers graded and
kept.

    python tools/frontier.py ask FOLDER [USE_CASE…]          one file per case: FOLDER/NN.txt, nothing else
    python tools/frontier.py grade FOLDER [USE_CASE…]        grade FOLDER/answers/NN.txt, rungs one by one
    python tools/frontier.py keep FOLDER NAME [USE_CASE…]    keep them in tests/frontier/NAME.jsonl
    python tools/frontier.py table                        the scores of the kept sets, for docs/daily-suite.md

A subject is given FOLDER and nothing else; it writes FOLDER/answers/NN.txt.
tests/frontier/README.md tells how the kept answers were made.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import NamedTuple

from probatio.builtin.daily.graders import check
from probatio.suites.daily_suite import Case, DailySuite, load_daily

KEPT = Path(__file__).parent.parent / "tests" / "frontier"


class Kept(NamedTuple):
    """One kept answer: its case, the digest of the prompt it was given to, itself."""

    use_case: str
    case: str
    prompt: str
    answer: str


class Graded(NamedTuple):
    """A kept answer, graded: its score, and the lowest score of each rung."""

    score: float
    rungs: dict[int, float]


def digest(case: Case) -> str:
    return hashlib.sha256(case.prompt.encode()).hexdigest()[:16]


def kept_sets(folder: Path = KEPT) -> dict[str, list[Kept]]:
    """Name of a set → its answers. A set is of one subject: at-once-1, at-once-2 …, thinking-1 …"""
    return {
        file.stem: [Kept(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in sorted(folder.glob("*.jsonl"))
    }


def graded(suite: DailySuite, use_case: str, kept: list[Kept]) -> dict[str, Graded]:
    """Case → grade, of the answers to one use case."""
    cases = {case.id: case for case in suite.use_cases[use_case].cases}
    found = {}
    for each in kept:
        if each.use_case == use_case:
            result = check(cases[each.case], each.answer)
            rungs: dict[int, float] = {}
            for part in result.parts:
                if part.rung:
                    rungs[part.rung] = min(part.score, rungs.get(part.rung, 1.0))
            found[each.case] = Graded(result.score, rungs)
    return found


def mean(grades: dict[str, Graded]) -> float:
    """The score of a use case, in points of 100."""
    return 100 * sum(each.score for each in grades.values()) / len(grades)


def top_third(case: Case) -> range:
    return range(case.rungs - case.rungs // 3 + 1, case.rungs + 1)


def always_right(case: Case, subjects: list[dict[str, Graded]]) -> list[int]:
    """The rungs of the top third that every subject has right; an answer that is missing has none."""
    rungs = [subject[case.id].rungs if case.id in subject else {} for subject in subjects]
    return [rung for rung in top_third(case) if rungs and all(each.get(rung, 0.0) >= 1 for each in rungs)]


def deterministic(suite: DailySuite) -> list[str]:
    return [each.id for each in suite.use_cases.values() if each.grading == "deterministic"]


def table(suite: DailySuite) -> str:
    """Markdown: a row for each use case, a column for each set, and what the at-once sets always have right
    at the top."""
    sets = kept_sets()
    lines = [
        f"| use case | {' | '.join(sets)} | always right at once, top third |",
        "|---" * (len(sets) + 2) + "|",
    ]
    for use_case in deterministic(suite):
        grades = {name: graded(suite, use_case, kept) for name, kept in sets.items()}
        scores = [f"{mean(each):.1f}" if each else "" for each in grades.values()]
        at_once = [each for name, each in grades.items() if name.startswith("at-once") and each]
        right = [
            f"`{case.id}` {', '.join(map(str, found))}"
            for case in suite.use_cases[use_case].cases
            if (found := always_right(case, at_once))
        ]
        lines.append(
            f"| {suite.use_cases[use_case].title} | {' | '.join(scores)} | {'; '.join(right) or 'none'} |"
        )
    return "\n".join(lines)


def chosen(suite: DailySuite, use_cases: list[str]) -> dict[str, Case]:
    """Number → case, of the use cases graded by code alone, or of those named."""
    wanted = use_cases or deterministic(suite)
    cases = [case for use_case in wanted for case in suite.use_cases[use_case].cases]
    return {f"{number:02}": case for number, case in enumerate(cases, start=1)}


def ask(folder: Path, cases: dict[str, Case]) -> None:
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    for number, case in cases.items():
        (folder / f"{number}.txt").write_text(case.prompt)


def asked(folder: Path, number: str) -> str:
    file = folder / f"{number}.txt"
    return file.read_text() if file.exists() else ""


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
    other = [
        f"{number} ({case.id})" for number, case in cases.items() if asked(folder, number) != case.prompt
    ]
    if other:
        sys.exit(
            f"{folder}: the suite's prompts are not those the subject was given: {', '.join(other)}. Ask "
            "again."
        )
    file = KEPT / f"{name}.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    replaced = {case.use_case for case in cases.values()}
    lines = [line for line in lines if line["use_case"] not in replaced]
    for number, case in cases.items():
        answer = (folder / "answers" / f"{number}.txt").read_text()
        lines.append({"use_case": case.use_case, "case": case.id, "prompt": digest(case), "answer": answer})
    KEPT.mkdir(exist_ok=True)
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def main() -> None:
    suite = load_daily()
    if sys.argv[1:] == ["table"]:
        print(table(suite))
        return
    action, folder, *rest = sys.argv[1:]
    if action == "keep":
        keep(Path(folder), rest[0], chosen(suite, rest[1:]))
    else:
        {"ask": ask, "grade": grade}[action](Path(folder), chosen(suite, rest))


if __name__ == "__main__":
    main()
