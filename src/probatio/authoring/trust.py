"""What a folder asks for: a suite, a project with a models.yml, a results folder. Nothing is started."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import msgspec

from probatio.core.config import LOCAL_CONFIG, analyst_requests, config_requests, load_config
from probatio.core.errors import UsageError
from probatio.core.trust import (
    TrustRequest,
    find_unsaid,
    is_trusted,
    look_at,
    note_named,
    take_back,
    take_back_values,
    trust_folder,
    trust_values,
)
from probatio.runs.recorded_suites import find_unknown_suites
from probatio.runs.store.layout import DAILY, RUN_FILE
from probatio.suites.daily_suite import MANIFEST, read_daily
from probatio.suites.grader_entry import OwnGrader
from probatio.suites.language_file import FILE, read_language_file
from probatio.suites.requests import requests_of_grader, requests_of_judge, requests_of_language
from probatio.watch.alerts.channels import read_channels


class FolderRequests(msgspec.Struct, frozen=True):
    """All that a folder asks for, by what it is."""

    suite: tuple[TrustRequest, ...] = ()
    values: tuple[TrustRequest, ...] = ()
    """Of its models.yml."""
    recorded: tuple[TrustRequest, ...] = ()
    """Suites that its records name."""
    seen: str | None = None
    """The folder before the requests of its suite were read: they are of that content, or it has changed."""

    def __iter__(self) -> Iterator[TrustRequest]:
        return iter((*self.suite, *self.values, *self.recorded))


def collect_requests(folder: Path, *, mine: bool = False) -> FolderRequests:
    """What the folder asks for. Raises UsageError if it is nothing of ours."""
    asked = _collect(folder)
    if not asked.suite and not mine:
        return asked
    seen = look_at(folder, mine=mine)
    return msgspec.structs.replace(_collect(folder), seen=seen)


def _collect(folder: Path) -> FolderRequests:
    suite = [*_daily_requests(folder), *_language_requests(folder)]
    values = project_requests(folder)
    is_results = (folder / DAILY).is_dir() or any(folder.glob(f"*/{RUN_FILE}"))
    known = (folder / MANIFEST, folder / FILE, folder / LOCAL_CONFIG, folder / "tasks")
    if not is_results and not any(path.exists() for path in known):
        raise UsageError(
            f"{folder} is neither a suite ({MANIFEST}, {FILE}), nor a folder with {LOCAL_CONFIG}, nor one of "
            "results."
        )
    recorded = find_unknown_suites(folder) if is_results else []
    return FolderRequests(tuple(dict.fromkeys(suite)), tuple(dict.fromkeys(values)), tuple(recorded))


def find_open(folder: Path, asked: FolderRequests) -> FolderRequests:
    """What of it the user has not allowed yet."""
    suite = asked.suite if asked.suite and not is_trusted(folder) else ()
    return FolderRequests(suite, find_unsaid(asked.values), asked.recorded, asked.seen)


def give_trust(folder: Path, asked: FolderRequests, *, mine: bool) -> None:
    """Keep the user's word about all that the folder asks for."""
    if mine or asked.suite:
        trust_folder(folder, mine=mine, seen=asked.seen)
    if asked.values and not mine:
        trust_values(asked.values)
    note_named(*(Path(request.value) for request in asked.recorded))


def take_back_trust(folder: Path) -> bool:
    """Forget what was said about a folder and about the values of its models.yml. False if nothing was."""
    values = project_requests(folder) if folder.is_dir() else ()
    return any([take_back(folder), take_back(folder / LOCAL_CONFIG), take_back_values(values)])


def project_requests(folder: Path) -> tuple[TrustRequest, ...]:
    """Where the models.yml of a project would have keys and messages sent."""
    if not (folder / LOCAL_CONFIG).exists():
        return ()
    with chdir(folder):
        config = load_config()
        sent = (*config_requests(config), *analyst_requests(config))
        return tuple(dict.fromkeys((*sent, *(channel.request for channel in read_channels(None)))))


def _daily_requests(folder: Path) -> Iterator[TrustRequest]:
    if not (folder / MANIFEST).exists():
        return
    suite, _ = read_daily(folder)
    for use_case in suite.use_cases.values():
        if isinstance(use_case.grader, OwnGrader):
            yield from requests_of_grader(use_case.grader, folder)
    if any(use_case.grading != "deterministic" for use_case in suite.use_cases.values()):
        yield from requests_of_judge(suite.manifest.judge, folder)


def _language_requests(folder: Path) -> Iterator[TrustRequest]:
    if (folder / FILE).exists():
        about = read_language_file(folder)
        yield from requests_of_language(about.spec(folder), about.host_spec(folder), folder)
