"""Grading again: stored answers, today's grader, and what flipped. No model is called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from probatio.errors import UsageError
from probatio.grade import assess
from probatio.records import UNASKED_ERRORS, Grade, Response
from probatio.run.engine import grade_line
from probatio.run.record import find_run, read_run
from probatio.sandbox import Choice, isolation
from probatio.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.store.lines import read_lines
from probatio.suite.language_suite import Suite, load_suite

BATCH = 256
"""Answers graded side by side; they are written in the order they were read."""


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
    errors: int
    compared: int
    unknown_tasks: int
    flips: list[Flip]


def regrade(run: str, results: Path, suite_folder: Path | None, out: Path | None, sandbox: Choice = "auto") -> Report:
    """Grade the answers of a run, or of a raw_responses.jsonl of any harness that writes the same fields."""
    source = Path(run) if Path(run).is_file() else find_run(run, results) / ANSWERS
    if not source.exists():
        raise UsageError(f"{source} does not exist: the run holds no answers yet.")
    suite = _suite(suite_folder, source.parent)
    earlier = source.parent / GRADES
    isolation(sandbox)  # refuses here, before anything is written, where no jail can be built
    before = {grade.key: _told(grade) for grade in read_lines(earlier, Grade)}
    target = out or earlier
    part = target.with_name(f"{target.name}.part")
    graded = passed = errors = compared = unknown_tasks = 0
    flips: list[Flip] = []
    try:
        file = part.open("wb")
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror}; name another file with --out.") from None
    with _gone_if_broken_off(part), file, ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        known = _of_suite(read_lines(source, Response), suite)
        while batch := list(islice(known, BATCH)):
            responses = [response for response in batch if response is not None]
            unknown_tasks += len(batch) - len(responses)
            for response, grade in zip(
                responses, pool.map(lambda one: _graded(one, suite, sandbox), responses), strict=True
            ):
                file.write(msgspec.json.encode(grade) + b"\n")
                graded += 1
                passed += grade.correct
                errors += grade.error_type in UNASKED_ERRORS
                told = before.pop(response.key, None)
                compared += told is not None
                if told is not None and told != _told(grade):
                    flips.append(Flip(" · ".join(map(str, response.key)), told, _told(grade), grade.error_detail))
        file.flush()
        os.fsync(file.fileno())
    if out is None and flips:
        _keep(earlier)
    part.replace(target)
    return Report(target, graded, passed, errors, compared, unknown_tasks, flips)


@contextmanager
def _gone_if_broken_off(part: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _graded(response: Response, suite: Suite, sandbox: Choice) -> Grade:
    return grade_line(response, assess(suite.tasks[response.task_id], response, sandbox))


def _of_suite(responses: Iterator[Response], suite: Suite) -> Iterator[Response | None]:
    """Each response, or None where its task is not in the suite."""
    return (response if response.task_id in suite.tasks else None for response in responses)


def _suite(folder: Path | None, beside: Path) -> Suite:
    if folder is None and (beside / RUN_FILE).exists():
        folder = read_run(beside).suite_folder
    return load_suite(folder)


def _told(grade: Grade) -> str:
    return "pass" if grade.correct else grade.error_type or "fail"


def _keep(earlier: Path) -> None:
    """The grades that are replaced stay beside the new ones, numbered."""
    number = 1
    while (kept := earlier.with_name(f"{earlier.stem}.before-{number}.jsonl")).exists():
        number += 1
    earlier.rename(kept)
