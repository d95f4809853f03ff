"""The judge outside a day: calibrate it on demand, and pin its marks as the new reference under the next
patch version."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from probatio.ask.budget import Budget
from probatio.ask.client import ChatClient
from probatio.ask.routes import open_route
from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.errors import Incomplete, UsageError
from probatio.core.files import put
from probatio.core.inside import read_inside
from probatio.core.records import Calibration, Stamp
from probatio.core.yamlfile import compose_yaml
from probatio.grading.judge.asking import Judge, ask_over, judge_model
from probatio.grading.judge.calibration import ROUND, Judged, calibration_by, calibration_set, judge_items
from probatio.suites.calibration import FILE as CALIBRATION
from probatio.suites.calibration import find_calibrating
from probatio.suites.daily_suite import DailySuite, load_daily

MANIFEST = "suite.yml"


def calibrate_now(
    suite: DailySuite, env: Mapping[str, str], max_connections: int
) -> tuple[list[Judged], Calibration]:
    """Ask the judge for its marks on the frozen answers, outside a day; gives them and the calibration."""
    items = calibration_set(suite)
    if not items:
        raise UsageError(f"The suite in {suite.folder} needs no judge.")

    async def ask() -> tuple[list[Judged], Calibration]:
        entry = suite.manifest.judge
        async with ChatClient(max_connections) as client:
            with open_route(judge_model(entry), env) as route:
                stamp = Stamp(ROUND, suite.version, None, "")
                ask = ask_over(client, route, suite.sampling, entry)
                judge = Judge(entry, ask, stamp, lambda reply: None, Budget())
                judged = await judge_items(judge, suite, items)
                return judged, calibration_by(judge, suite, judged)

    return asyncio.run(ask())


def require_own_answers(suite: DailySuite) -> None:
    """Refuse to pin marks on frozen answers of another suite, before anything is paid for."""
    if find_calibrating(suite) is not suite:
        raise UsageError(
            f"--pin has nothing to write to: {suite.folder} has no {CALIBRATION}, and its judge has "
            "the built-in frozen answers. Put a file with answers to your own cases and their marks "
            "into the suite's folder."
        )


def pin_marks(suite: DailySuite, judged: Sequence[Judged]) -> DailySuite:
    """Make today's marks the reference. If the judge failed on one answer, nothing is changed."""
    if failed := [each for each in judged if each.marks is None]:
        raise Incomplete(
            f"Nothing was pinned: {len(failed)} answers could not be judged ({failed[0].error})."
        )
    marks = {
        each.item.id: {name: str(mark.mark) for name, mark in (each.marks or {}).items()} for each in judged
    }
    _rewrite(suite.folder / CALIBRATION, lambda root: _mark_scalars(root, marks))
    _rewrite(
        suite.folder / MANIFEST,
        lambda root: _top_scalars(root, {"version": f'"{next_patch(suite.version)}"'}),
    )
    pinned = load_daily(suite.folder)
    if pinned.manifest.fingerprint is None:  # a suite of one's own need not pin its content
        return pinned
    fingerprint = daily_fingerprint(pinned)
    _rewrite(suite.folder / MANIFEST, lambda root: _top_scalars(root, {"fingerprint": fingerprint}))
    return load_daily(suite.folder)


def next_patch(version: str) -> str:
    """2.0.0 → 2.0.1."""
    head, _, last = version.rpartition(".")
    if not head or not last.isdigit():
        raise UsageError(f"The suite's version {version} has no patch number to raise; write it as 1.2.3.")
    return f"{head}.{int(last) + 1}"


Replacement = tuple[Any, str]
"""A scalar of a YAML file, and the text that takes its place."""


def _rewrite(path: Path, replacements: Any) -> None:
    """Replace scalars in place, so that comments and layout of the file stay."""
    text = read_inside(path).decode()
    for node, new in sorted(
        replacements(compose_yaml(text, path)), key=lambda each: -each[0].start_mark.index
    ):
        text = text[: node.start_mark.index] + new + text[node.end_mark.index :]
    try:
        put(path, text.encode())
    except OSError as error:
        raise UsageError(
            f"{path} can't be written: {error.strerror}; give a copy of the suite with --suite."
        ) from None


def _top_scalars(root: Any, values: Mapping[str, str]) -> list[Replacement]:
    replacements = [(node, values[key.value]) for key, node in root.value if key.value in values]
    if len(replacements) != len(values):
        raise UsageError(f"{MANIFEST} lacks one of {', '.join(values)}.")
    return replacements


def _mark_scalars(root: Any, marks: Mapping[str, Mapping[str, str]]) -> list[Replacement]:
    replacements: list[Replacement] = []
    items = next(node for key, node in root.value if key.value == "items")
    for item in items.value:
        fields = {key.value: node for key, node in item.value}
        new = marks[fields["id"].value]
        replacements += [(node, new[key.value]) for key, node in fields["marks"].value]
    return replacements
