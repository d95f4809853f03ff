"""Grading stored answers again with today's grader, and listing what changed. No model is called."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from probatio.core.errors import UsageError
from probatio.core.files import replacement
from probatio.core.inside import open_new
from probatio.core.records import UNASKED_ERRORS, UNCHECKED, Grade, Response
from probatio.jail import Choice, find_isolation
from probatio.jail.workers import get_pool
from probatio.runs.record import find_run, read_run
from probatio.runs.store.address import bring_home, is_address, run_at
from probatio.runs.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.runs.store.lines import has_lines, read_lines
from probatio.runs.store.packed import path_of_packed
from probatio.runs.store.run_folder import RunFolder
from probatio.runs.trials import Assessor
from probatio.suites.language_suite import Suite, load_suite

T = TypeVar("T")
A = TypeVar("A")
_NEEDED = frozenset({"task_id", "model", "response"})


class Flip(msgspec.Struct, frozen=True):
    """One answer with another grade than before."""

    trial: str
    before: str
    after: str
    why: str | None


class RegradeReport(msgspec.Struct, frozen=True):
    out: Path
    graded: int
    passed: int
    errors: int  # could not be asked
    unchecked: int  # could not be checked
    compared: int
    unknown_tasks: int
    flips: list[Flip]
    remarks: list[str]  # what the answers lacked


class StoredAnswers:
    """The answers of a file of any harness, one at a time. Missing fields are `unknown`, and counted."""

    def __init__(self, path: Path, dialect: str) -> None:
        self._path = path
        self._unknown: dict[str, Any] = {
            "timestamp": "unknown", "run_id": "unknown", "framework_version": "unknown", "git_sha": None,
            "n_shot": 0, "context": "unknown", "dialect": dialect,
        }  # fmt: skip
        self._lacking: Counter[str] = Counter()
        self._unusable = 0

    def __iter__(self) -> Iterator[Response]:
        for line in read_lines(self._path, dict[str, Any]):
            if not line.keys() >= _NEEDED:
                self._unusable += 1
                continue
            missing = [name for name in self._unknown if name not in line]
            self._lacking.update(missing)
            try:
                yield msgspec.convert({**self._unknown, **line}, Response, strict=False)
            except msgspec.ValidationError:
                self._unusable += 1

    @property
    def remarks(self) -> list[str]:
        """One line each for what was missing and for what could not be used."""
        remarks = []
        # Other harnesses know no dialects, so a missing one is not worth a remark.
        lacking = {name: count for name, count in self._lacking.items() if name != "dialect"}
        if lacking:
            fields = ", ".join(f"{name} ({count})" for name, count in lacking.items())
            remarks.append(f"Some answers lack fields, which are taken as unknown: {fields}.")
        if self._unusable:
            remarks.append(
                f"{self._unusable} lines have no task_id, model or response that can be read; left out."
            )
        return remarks


def assess_again(
    answers: Iterable[T], assess: Callable[[T], Awaitable[A]], ahead: int | None = None
) -> Iterator[tuple[T, A]]:
    """Each answer with its assessment, in order. Later answers are graded while a slow one is waited for."""
    waiting = iter(answers)
    pool = get_pool()
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


def regrade(
    run: str, results: Path, suite_folder: Path | None, out: Path | None, sandbox: Choice = "auto"
) -> RegradeReport:
    """Grade the answers of a run, or of a raw_responses.jsonl of any harness that writes the same fields."""
    if is_address(
        run
    ):  # the grades have to stand somewhere: in a copy of the run, or in the file that was named
        run = str(bring_home(run, results) if out is None else run_at(run))
    named = Path(run).is_file()  # the user's own word, also where it is a link
    source = Path(run) if named else find_run(run, results) / ANSWERS
    if not has_lines(source):
        raise UsageError(f"{source} does not exist: the run holds no answers yet.")
    suite = _suite(suite_folder, source.parent)
    earlier = source.parent / GRADES
    find_isolation(sandbox)  # refuses here, before anything is written, where no jail can be built
    before = {key: _outcome(grade) for key, grade in RunFolder(source.parent).grades().items()}
    target = out or earlier
    graded = passed = errors = unchecked = compared = unknown_tasks = 0
    flips: list[Flip] = []

    stored = StoredAnswers(source.resolve() if named else source, suite.language.dialects[0])

    def select_known() -> Iterator[Response]:
        nonlocal unknown_tasks
        for response in stored:
            if response.task_id in suite.tasks:
                yield response
            else:
                unknown_tasks += 1

    with replacement(target) as part:
        with _writable(part, target) as file:
            assessor = Assessor(suite, sandbox)
            for response, assessment in assess_again(select_known(), assessor):
                grade = assessor.grade_line(response, assessment)
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
    return RegradeReport(
        target, graded, passed, errors, unchecked, compared, unknown_tasks, flips, stored.remarks
    )


def _writable(part: Path, target: Path) -> BinaryIO:
    try:
        return os.fdopen(open_new(part), "wb")
    except OSError as error:
        raise UsageError(
            f"{target} can't be written: {error.strerror}; name another file with --out."
        ) from None


def _suite(folder: Path | None, run: Path) -> Suite:
    if folder is None and (run / RUN_FILE).exists():
        return load_suite(read_run(run).suite_folder(run))
    return load_suite(folder)


def _outcome(grade: Grade) -> str:
    return "pass" if grade.correct else grade.error_type or "fail"


def _keep(earlier: Path) -> None:
    """Keep the grades that are replaced under a numbered name."""
    number, earlier = 1, earlier if earlier.exists() else path_of_packed(earlier)
    name, _, suffixes = earlier.name.partition(".")
    while (kept := earlier.with_name(f"{name}.before-{number}.{suffixes}")).exists():
        number += 1
    earlier.rename(kept)
