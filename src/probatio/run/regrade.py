"""Grading again: stored answers, today's grader, and what it grades otherwise. No model is called."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from probatio.errors import UsageError
from probatio.inside import open_new
from probatio.records import UNASKED_ERRORS, UNCHECKED, Grade, Response
from probatio.run.engine import grade_line
from probatio.run.record import find_run, read_run
from probatio.run.stored_answers import StoredAnswers
from probatio.run.trials import Assessor
from probatio.sandbox import Choice, isolation
from probatio.store.address import brought_home, is_address, run_at
from probatio.store.files import replacement
from probatio.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.store.lines import has_lines
from probatio.store.packed import packed_of
from probatio.store.run_folder import RunFolder
from probatio.suite.language_suite import Suite, load_suite
from probatio.workers import shared

T = TypeVar("T")
A = TypeVar("A")


class Flip(msgspec.Struct, frozen=True):
    """One answer that is graded otherwise than before."""

    trial: str
    before: str
    after: str
    why: str | None


class Report(msgspec.Struct, frozen=True):
    out: Path
    graded: int
    passed: int
    errors: int  # could not be asked
    unchecked: int  # could not be checked, again or anew
    compared: int
    unknown_tasks: int
    flips: list[Flip]
    remarks: list[str]  # what the answers lacked


def assess_again(
    answers: Iterable[T], assess: Callable[[T], Awaitable[A]], ahead: int | None = None
) -> Iterator[tuple[T, A]]:
    """Each answer with its assessment, in order. While one is waited for, those after it go on: no core waits for a slow one."""
    waiting = iter(answers)
    pool = shared()
    going: deque[tuple[T, asyncio.Future[A]]] = deque()

    async def next_ones() -> list[tuple[T, A]]:
        for one in islice(waiting, max(0, (ahead or pool.ahead) - len(going))):
            going.append((one, asyncio.ensure_future(assess(one))))
        done: list[tuple[T, A]] = []
        while going and (not done or going[0][1].done()):
            one, assessed = going.popleft()
            done.append((one, await assessed))
        return done

    with asyncio.Runner() as runner:
        while some := runner.run(next_ones()):
            yield from some


def regrade(run: str, results: Path, suite_folder: Path | None, out: Path | None, sandbox: Choice = "auto") -> Report:
    """Grade the answers of a run, or of a raw_responses.jsonl of any harness that writes the same fields."""
    if is_address(run):  # the grades have to stand somewhere: in a copy of the run, or in the file that was named
        run = str(brought_home(run, results) if out is None else run_at(run, whole=True))
    named = Path(run).is_file()  # the user's own word, also where it is a link
    source = Path(run) if named else find_run(run, results) / ANSWERS
    if not has_lines(source):
        raise UsageError(f"{source} does not exist: the run holds no answers yet.")
    suite = _suite(suite_folder, source.parent)
    earlier = source.parent / GRADES
    isolation(sandbox)  # refuses here, before anything is written, where no jail can be built
    before = {key: _outcome(grade) for key, grade in RunFolder(source.parent).grades().items()}
    target = out or earlier
    graded = passed = errors = unchecked = compared = unknown_tasks = 0
    flips: list[Flip] = []

    stored = StoredAnswers(source.resolve() if named else source, suite.language.dialects[0])

    def known() -> Iterator[Response]:
        nonlocal unknown_tasks
        for response in stored:
            if response.task_id in suite.tasks:
                yield response
            else:
                unknown_tasks += 1

    with replacement(target) as part:
        with _writable(part, target) as file:
            for response, assessment in assess_again(known(), Assessor(suite, sandbox)):
                grade = grade_line(response, assessment)
                file.write(msgspec.json.encode(grade) + b"\n")
                graded += 1
                passed += grade.correct
                unchecked += grade.error_type == UNCHECKED
                errors += grade.error_type in UNASKED_ERRORS and grade.error_type != UNCHECKED
                earlier_outcome, outcome = before.pop(response.key, None), _outcome(grade)
                compared += earlier_outcome is not None
                if earlier_outcome is not None and earlier_outcome != outcome:
                    flips.append(Flip(str(response.key), earlier_outcome, outcome, grade.error_detail))
        if out is None and flips:
            _keep(earlier)
    return Report(target, graded, passed, errors, unchecked, compared, unknown_tasks, flips, stored.remarks)


def _writable(part: Path, target: Path) -> BinaryIO:
    try:
        return os.fdopen(open_new(part), "wb")
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror}; name another file with --out.") from None


def _suite(folder: Path | None, beside: Path) -> Suite:
    if folder is None and (beside / RUN_FILE).exists():
        return load_suite(read_run(beside).suite_folder)
    return load_suite(folder)


def _outcome(grade: Grade) -> str:
    return "pass" if grade.correct else grade.error_type or "fail"


def _keep(earlier: Path) -> None:
    """The grades that are replaced stay beside the new ones, numbered."""
    number, earlier = 1, earlier if earlier.exists() else packed_of(earlier)
    while (kept := earlier.with_name(f"{earlier.stem}.before-{number}{earlier.suffix}")).exists():
        number += 1
    earlier.rename(kept)
