"""How many standard errors one day puts a worse copy of a model and the original apart, on one suite or on
several.

    python bench/sensitivity.py SUITE=ORIGINAL:COPY,COPY… [SUITE=…]

ORIGINAL and COPY are results folders with one closed day each, of the same suite. The differences of the
cases (mean of their samples, copy minus original) are paired; their mean over its standard error is how far
apart the day puts the two. Tokens are those of the original's prompts and answers: z grows with √tokens, so
suites of unequal size can be compared at the same number.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean, stdev

import msgspec

from probatio.core.records import Grade, Response


def case_scores(folder: Path) -> tuple[dict[str, float], int]:
    """Case → its mean score, 0–100, and the tokens read and written."""
    (day,) = (each for each in (folder / "daily").iterdir() if each.is_dir())
    grades = [
        msgspec.json.decode(line, type=Grade)
        for line in (day / "graded_results.jsonl").read_bytes().splitlines()
    ]
    responses = (
        msgspec.json.decode(line, type=Response)
        for line in (day / "raw_responses.jsonl").read_bytes().splitlines()
    )
    tokens = sum((each.tokens_in or 0) + (each.tokens_out or 0) for each in responses)
    found: dict[str, list[float]] = {}
    for grade in grades:
        found.setdefault(grade.task_id, []).append(100 * grade.score)
    return {case: mean(scores) for case, scores in found.items()}, tokens


def apart(original: dict[str, float], copy: dict[str, float]) -> tuple[float, float]:
    """The mean difference and how many standard errors that is."""
    differences = [copy[case] - score for case, score in original.items() if case in copy]
    error = stdev(differences) / len(differences) ** 0.5
    return mean(differences), mean(differences) / error if error else 0.0


def main() -> None:
    print("| suite | copy | cases | tokens | score | difference | standard errors | per √(10,000 tokens) |")
    print("|---|---|---|---|---|---|---|---|")
    for given in sys.argv[1:]:
        suite, _, folders = given.partition("=")
        first, _, others = folders.partition(":")
        original, tokens = case_scores(Path(first))
        print(f"| {suite} | original | {len(original)} | {tokens:,} | {mean(original.values()):.1f} | | | |")
        for folder in filter(None, others.split(",")):
            copy, _ = case_scores(Path(folder))
            difference, errors = apart(original, copy)
            fair = errors / (tokens / 10_000) ** 0.5
            told = f"{mean(copy.values()):.1f} | {difference:+.1f} | {errors:+.2f} | {fair:+.2f}"
            print(f"| {suite} | {Path(folder).name} | {len(copy)} | | {told} |")


if __name__ == "__main__":
    main()
