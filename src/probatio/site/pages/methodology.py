"""The methodology page, made from the suite's manifest and the simulator's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from probatio.core.errors import ProbatioError, UsageError
from probatio.core.trust import Untrusted
from probatio.runs.store.days import suite_folder
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.suites.daily_suite import DailyManifest, constants_of_its_own, load_daily
from probatio.suites.own_manifest import OwnConstant
from probatio.watch.alerts.describing import find_figures
from probatio.watch.simulate.faults import FAULTS
from probatio.watch.simulate.figures import (
    FIGURES,
    Characteristics,
    constants_digest,
    count_cases,
    describe_cases,
    read,
)
from probatio.watch.simulate.profiles import FROZEN_PROFILES, HARD_PROFILES, JUDGED, PROFILES


def page(request: PageRequest) -> PageReply:
    site, manifest = request.site, request.site.manifest
    last = site.records[site.last_date] if site.last_date else None
    try:
        folder, unknown = suite_folder(site.results, last) if last else None, False
    except Untrusted:
        folder, unknown = None, True
    measured = None
    if folder is not None:
        measured = read(folder / FIGURES) if (folder / FIGURES).exists() else None
    elif not unknown:
        measured = find_figures(manifest, None)
    faults: dict[str, list[Any]] = {}
    for each in measured.faults if measured else ():
        faults.setdefault(each.fault, []).append(each)
    return html(
        request,
        "methodology.html",
        manifest=manifest,
        measured=measured,
        of_own=describe_cases(measured.cases) if measured and measured.cases else None,
        own=last.suite if last is not None and (folder is not None or unknown) else None,
        stale=measured is not None and _is_stale(measured, manifest, folder),
        faults=faults,
        titles={
            "profile": PROFILES,
            "hard": {**HARD_PROFILES, **FROZEN_PROFILES},
            "noise": JUDGED,
            "fault": FAULTS,
        },
        evidence=msgspec.to_builtins(manifest.evidence),
        attribution=msgspec.to_builtins(manifest.attribution),
        own_constants=_own_constants(folder),
    )


def _is_stale(figures: Characteristics, manifest: DailyManifest, folder: Path | None) -> bool:
    """Whether the suite has changed since: its constants, or the cases of a suite of one's own."""
    if figures.constants != constants_digest(manifest):
        return True
    if folder is None:
        return False
    try:
        return figures.cases != count_cases(load_daily(folder))
    except ProbatioError:
        return True


def _own_constants(folder: Path | None) -> tuple[OwnConstant, ...]:
    """How the suite differs from the built-in one. Empty if its folder is gone."""
    try:
        return constants_of_its_own(folder)
    except UsageError:
        return ()
