"""What each built-in grader does, as digests: which answers were graded, and which grades they got.

behaviour.json has them next to the grader's version. An answer graded otherwise under the same version fails
a test.

    python -m builtin.behaviour [GRADER…]     in tests/: writes the digests again, for all graders or some

It refuses a grade that moved while the grader's version did not. Only new or changed answers need no new
version.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from probatio.authoring.check.daily import check, grade_answers
from probatio.authoring.check.report import Claim
from probatio.builtin.daily.graders import GRADERS
from probatio.core.records import UNASKED_ERRORS, Assessment
from probatio.grading import GRADER_VERSION
from probatio.grading.judge.protocol import Unreadable, judge_prompt, read_marks, repair_prompt, score_marks
from probatio.jail.workers.choosing import use
from probatio.runs.regrade import regrade
from probatio.suites.calibration import load_calibration
from probatio.suites.daily_proofs import DailyProof
from probatio.suites.daily_suite import DAILY, load_daily
from scripts import script

os.environ["PROBATIO_CHECKED_MB"] = "0"  # every answer is graded now, none is looked up

FILE = Path(__file__).parent / "behaviour.json"
RECORDED = Path(__file__).parents[3] / "shared" / "recorded"
PROGRAMS, JUDGE = "programs", "judge"


class Graded(NamedTuple):
    """An answer and its grade. `group` is what a failure names: a case, a folder of tasks, a type of task."""

    group: str
    answer: str
    grade: object


Behaviour = dict[str, str]
"""Group → digest of its answers, digest of their grades."""


def digest(graded: Iterable[Graded]) -> Behaviour:
    groups: dict[str, list[Graded]] = {}
    for each in graded:
        groups.setdefault(each.group, []).append(each)
    return {
        name: f"{_hash(a.answer for a in found)} {_hash(a.grade for a in found)}"
        for name, found in groups.items()
    }


def _hash(parts: Iterable[object]) -> str:
    lines = "\n".join(json.dumps(part, sort_keys=True) for part in parts)
    return hashlib.sha256(lines.encode()).hexdigest()[:12]


def describe_grade(found: Assessment) -> object:
    """Score and breakdown. Details are left out: some hold the words of a tool, which change with its
    version."""
    if found.error_type in UNASKED_ERRORS:
        raise RuntimeError(f"An answer could not be graded here: {found.error_detail}")
    parts = [
        (part["name"], round(part["score"], 6), part["weight"], part.get("rung", 0))
        for part in found.breakdown.get("parts", ())
    ]
    checked = found.breakdown.get("checked")
    penalty = found.breakdown.get("penalty")
    return [found.level_a, found.error_type, None if checked is None else round(checked, 6), penalty, parts]


def grade_proofs(use_case: str) -> tuple[Behaviour, list[str]]:
    """The behaviour on the proofs, and what `suite check` says has failed."""
    graded: list[Graded] = []

    def seen(trial: DailyProof, found: Assessment) -> None:
        graded.append(Graded(trial.case, f"{trial.kind} {trial.answer}", describe_grade(found)))

    if use_case == "web_design":
        use("8", print)  # two pages at a time, also on two cores: pages that fall short are mostly waited for
    try:
        report = check(DAILY, "auto", lambda done, total: None, only=(use_case,), seen=seen)
    finally:
        use(None, print)
    failed = [
        f"{each.subject}: {each.claim}: {each.detail}"
        for each in report.proofs
        if each.state in ("failed", "open") and each.claim != Claim.MARKS  # the judge is asked by no test
    ]
    return digest(graded), failed


def grade_frontier(use_case: str) -> Behaviour:
    sets = script("frontier").kept_sets()
    kept = [each for answers in sets.values() for each in answers if each.use_case == use_case]
    answers = [DailyProof(each.case, "wrong", each.answer) for each in kept]
    if not answers:
        return {}
    found = asyncio.run(grade_answers(load_daily(), {use_case: answers}, "auto", lambda done, total: None))
    return digest(
        Graded(answer.case, answer.answer, describe_grade(grade))
        for answer, grade in found[use_case]
        if grade
    )


@functools.cache
def graded_frontier_programs() -> dict[str, list[tuple[Any, Assessment]]]:
    """Set → its kept answers to generated Faber, each with its grade."""
    frontier = script("frontier_faber")
    sets = frontier.kept_sets()
    suites = frontier.suites(sets)
    return {
        name: [(each, frontier.graded(suites[each.asked.folder], each.asked, each.answer)) for each in kept]
        for name, kept in sets.items()
    }


def grade_frontier_programs() -> Behaviour:
    return digest(
        Graded(each.asked.folder, f"{each.asked.dialect} {each.answer}", _levels(grade))
        for kept in graded_frontier_programs().values()
        for each, grade in kept
    )


def _levels(found: Assessment) -> object:
    if found.error_type in UNASKED_ERRORS:
        raise RuntimeError(f"An answer could not be graded here: {found.error_detail}")
    return [found.level_a, found.level_b, found.level_c, found.error_type]


class Recorded(NamedTuple):
    """A line of the recorded answers, its grade now, and what the original harness said of it."""

    answer: dict[str, Any]
    grade: dict[str, Any]
    reference: dict[str, Any]


@functools.cache
def regrade_recorded() -> list[Recorded]:
    """Answers of real models to another harness, where the shared material is there."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "graded.jsonl"
        regrade(str(RECORDED / "raw_responses.jsonl"), Path(folder), RECORDED, out)
        files = (RECORDED / "raw_responses.jsonl", out, RECORDED / "reference.jsonl")
        lines = [map(json.loads, file.read_text(encoding="utf-8").splitlines()) for file in files]
    return [Recorded(*each) for each in zip(*lines, strict=True)]


def grade_recorded() -> Behaviour:
    fields = ("level_a", "level_b", "level_c", "error_type")
    return digest(
        Graded(each.reference["type"], each.answer["response"] or "", [each.grade[field] for field in fields])
        for each in regrade_recorded()
    )


def grade_by_judge() -> Behaviour:
    """What the judge is asked about the calibration set, and how replies are read."""
    suite = load_daily()
    found = []
    for item in load_calibration(suite):
        rubric = suite.use_cases[item.use_case].rubric
        assert rubric is not None
        asked = judge_prompt(suite.cases[item.case], rubric, item.answer)
        reply = json.dumps({name: {"mark": mark, "reason": "so"} for name, mark in item.marks.items()})
        other = json.dumps({name: {"mark": 1} for name in item.marks})
        replies = (reply, f"```json\n{reply}\n```", f"I think {reply}", f"{reply}\n{other}", other[:-1], "")
        marks = [_read(each, rubric) for each in replies]
        found.append(
            Graded(item.use_case, item.answer, [asked, repair_prompt(asked, other[:-1], "It ends."), marks])
        )
    return digest(found)


def _read(reply: str, rubric: Any) -> object:
    try:
        return score_marks(read_marks(reply, rubric), rubric)
    except Unreadable as error:
        return str(error)


def version(grader: str) -> int | str:
    return GRADER_VERSION if grader == PROGRAMS else GRADERS[grader].version


def sources(grader: str) -> Mapping[str, Callable[[], Behaviour]]:
    """Where the answers of a grader come from → how they are graded."""
    if grader == JUDGE:
        return {"calibration": grade_by_judge}
    if grader == PROGRAMS:
        return {"frontier": grade_frontier_programs, "recorded": grade_recorded}
    return {"proofs": lambda: grade_proofs(grader)[0], "frontier": functools.partial(grade_frontier, grader)}


def pinned() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return found


def moved(grader: str, source: str, now: Behaviour) -> list[str]:
    """Sentences that say what is not as pinned, and what to do about it; none if all is as pinned."""
    entry = pinned().get(grader, {})
    before = entry.get(source, {})
    again = f"run `python -m builtin.behaviour {grader}` in tests/"
    if entry.get("version") != version(grader):
        return [f"{grader} has version {version(grader)}, pinned is {entry.get('version')}: {again}."]
    sentences = []
    for group in sorted(before.keys() | now.keys()):
        (old_answers, _, old), (answers, _, new) = (
            each.get(group, "").partition(" ") for each in (before, now)
        )
        if old_answers != answers:
            sentences.append(f"{grader}, {source}, {group}: other answers than those pinned: {again}.")
        elif old != new:
            where = (
                "GRADER_VERSION in probatio.grading"
                if grader == PROGRAMS
                else "GRADERS in builtin/daily/graders.py"
            )
            sentences.append(
                f"{grader}, {source}, {group}: the same answers get other grades. If that is intended, "
                "raise the grader's "
                f"version ({where}), pin the suites' new versions and fingerprints, say in the changelog "
                f"what moved, and {again}."
            )
    return sentences


def main(graders: list[str]) -> None:
    everything = pinned()
    for grader in graders or [*GRADERS, PROGRAMS]:
        entry: dict[str, Any] = {"version": version(grader)}
        for source, grade in sources(grader).items():
            now = (
                grade()
                if source != "recorded" or RECORDED.is_dir()
                else everything.get(grader, {}).get(source, {})
            )
            if told := [each for each in moved(grader, source, now) if "get other grades" in each]:
                sys.exit("\n".join(told))
            entry |= {source: now} if now else {}
        everything[grader] = entry
        FILE.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
