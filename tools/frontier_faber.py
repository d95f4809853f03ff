"""Answers of frontier-class models to generated Faber: prompts written out for them, their answers graded and
kept.

    python tools/frontier_faber.py ask FOLDER SUITE           one file per task: FOLDER/NN.txt, nothing else
    python tools/frontier_faber.py grade FOLDER SUITE         grade FOLDER/answers/NN.txt, with reasons
    python tools/frontier_faber.py keep FOLDER SUITE NAME     keep them in tests/frontier/faber
    python tools/frontier_faber.py table                      what the kept sets score
    python tools/frontier_faber.py prices                     the price of each twist, for docs/generate.md
    python tools/frontier_faber.py lost                       every wrong kept answer, and the right one

SUITE is a folder of tests/frontier/faber: level-2, level-4, level-6, or level-5, whose tasks are asked under
the twists. All are asked with the context `minimal` and no examples.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from probatio.core.records import Assessment, Response
from probatio.grading import assess
from probatio.suites.language_suite import Suite, load_suite
from probatio.suites.prompt import render

KEPT = Path(__file__).parent.parent / "tests" / "frontier" / "faber"
FIRST = KEPT / "at-once-1.jsonl"  # which task was asked in which dialect: every set asks the same


class Asked(NamedTuple):
    """One task in one dialect, of one folder."""

    folder: str
    dialect: str
    task: str


class Kept(NamedTuple):
    """One kept answer."""

    asked: Asked
    answer: str


def kept_set(file: Path) -> list[Kept]:
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [Kept(Asked(line["folder"], line["dialect"], line["task"]), line["answer"]) for line in lines]


def kept_sets(folder: Path = KEPT) -> dict[str, list[Kept]]:
    """Name of a set → its answers: at-once-1 …, thinking-1 …"""
    return {file.stem: kept_set(file) for file in sorted(folder.glob("*.jsonl"))}


def numbered(folder: str) -> dict[str, Asked]:
    """Number → what is asked, of one folder."""
    asked = [each.asked for each in kept_set(FIRST) if each.asked.folder == folder]
    return {f"{number:02}": each for number, each in enumerate(asked, start=1)}


def prompt(suite: Suite, asked: Asked) -> str:
    return render(suite, suite.task(asked.task, asked.dialect), "minimal", 0, asked.dialect)


def graded(suite: Suite, asked: Asked, answer: str) -> Assessment:
    task = suite.task(asked.task, asked.dialect)
    response = Response(
        task_id=task.id,
        model="subject",
        n_shot=0,
        dialect=asked.dialect,
        context="minimal",
        timestamp="",
        run_id="kept",
        framework_version="",
        response=answer,
    )
    return assess(task, response, suite.answer_language(task))


def suites(sets: dict[str, list[Kept]]) -> dict[str, Suite]:
    return {
        name: load_suite(KEPT / name)
        for name in {each.asked.folder for kept in sets.values() for each in kept}
    }


def right(suites: dict[str, Suite], kept: list[Kept]) -> list[bool]:
    """Which answers are right."""
    grades = [graded(suites[each.asked.folder], each.asked, each.answer) for each in kept]
    for each, grade in zip(kept, grades, strict=True):
        if grade.error_type == "unchecked":
            raise RuntimeError(f"{each.asked.task} could not be checked: {grade.error_detail}")
    return [grade.correct for grade in grades]


def table() -> str:
    """Markdown: a row for each set, a column for each folder."""
    sets = kept_sets()
    loaded = suites(sets)
    lines = [f"| set | {' | '.join(sorted(loaded))} |", "|---" * (len(loaded) + 1) + "|"]
    for name, kept in sets.items():
        found = [
            right(loaded, [each for each in kept if each.asked.folder == folder]) for folder in sorted(loaded)
        ]
        lines.append(
            f"| {name} | {' | '.join(f'{sum(each)} of {len(each)}' if each else '' for each in found)} |"
        )
    return "\n".join(lines)


def prices() -> str:
    """Markdown: of the tasks that were asked under each twist, how many are right without it and with it, all
    at once.

    `plain-N` has the same tasks without the twist, of other subjects.
    """
    sets = kept_sets()
    loaded = suites(sets)
    plain: dict[str, list[bool]] = {}
    twisted: dict[str, list[tuple[str, bool]]] = {}
    for name, kept in sets.items():
        if name.startswith("thinking"):
            continue
        for each, good in zip(kept, right(loaded, kept), strict=True):
            twist = each.asked.dialect.partition("+")[2]
            if twist:
                twisted.setdefault(twist, []).append((each.asked.task, good))
            elif name.startswith("plain"):
                plain.setdefault(each.asked.task, []).append(good)
    lines = ["| twist | tasks, three subjects | right without it | right with it |", "|---|---|---|---|"]
    whole = [0.0, 0.0, 0.0]
    for twist, found in sorted(twisted.items()):
        row = (
            len(found),
            sum(sum(plain[task]) / len(plain[task]) for task, _ in found),
            sum(good for _, good in found),
        )
        whole = [sum(both) for both in zip(whole, row, strict=True)]
        lines.append(f"| {twist} | {row[0]} | {row[1]:g} | {row[2]} |")
    return "\n".join([*lines, f"| all | {whole[0]:g} | {whole[1]:g} | {whole[2]:g} |"])


def lost() -> Iterator[str]:
    sets = kept_sets()
    loaded = suites(sets)
    for name, kept in sets.items():
        for each in kept:
            suite = loaded[each.asked.folder]
            if not (grade := graded(suite, each.asked, each.answer)).correct:
                task = suite.task(each.asked.task, each.asked.dialect)
                yield f"## {name} {each.asked.folder} {each.asked.dialect} {task.id} ({grade.error_type})"
                yield (
                    f"{grade.error_detail}\n--- asked\n{prompt(suite, each.asked)}\n--- "
                    f"answered\n{each.answer}"
                )


def main() -> None:
    match sys.argv[1:]:
        case ["table"]:
            print(table())
        case ["prices"]:
            print(prices())
        case ["lost"]:
            for each in lost():
                print(each)
        case ["ask", folder, name]:
            suite = load_suite(KEPT / name)
            (Path(folder) / "answers").mkdir(parents=True, exist_ok=True)
            for number, asked in numbered(name).items():
                (Path(folder) / f"{number}.txt").write_text(prompt(suite, asked))
        case ["grade", folder, name]:
            suite = load_suite(KEPT / name)
            for number, asked in numbered(name).items():
                grade = graded(suite, asked, (Path(folder) / "answers" / f"{number}.txt").read_text())
                print(
                    number,
                    asked.task,
                    "right" if grade.correct else f"{grade.error_type}: {grade.error_detail}",
                )
        case ["keep", folder, name, subject]:
            suite = load_suite(KEPT / name)
            file = KEPT / f"{subject}.jsonl"
            kept = [each for each in (kept_set(file) if file.exists() else []) if each.asked.folder != name]
            for number, asked in numbered(name).items():
                if (Path(folder) / f"{number}.txt").read_text() != prompt(suite, asked):
                    sys.exit(f"{folder}/{number}.txt is not the prompt of {asked.task} today. Ask again.")
                kept.append(Kept(asked, (Path(folder) / "answers" / f"{number}.txt").read_text()))
            lines = [{**each.asked._asdict(), "answer": each.answer} for each in kept]
            file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
