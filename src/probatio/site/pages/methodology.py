"""The methodology page, made from the suite's manifest and the simulator's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from probatio.core.errors import UsageError
from probatio.core.trust import Untrusted
from probatio.runs.store.days import suite_folder
from probatio.site.facts.own_figures import find_own_figures
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.suites.daily_suite import constants_of_its_own
from probatio.suites.own_manifest import OwnConstant
from probatio.watch.alerts.describing import find_figures
from probatio.watch.simulate.characteristics import constants_digest
from probatio.watch.simulate.faults import FAULTS
from probatio.watch.simulate.profiles import FROZEN_PROFILES, HARD_PROFILES, JUDGED, PROFILES


def page(request: PageRequest) -> PageReply:
    site, manifest = request.site, request.site.manifest
    last = site.records[site.last_date] if site.last_date else None
    try:
        folder, unknown = suite_folder(site.results, last) if last else None, False
    except Untrusted:
        folder, unknown = None, True
    own = find_own_figures(folder, manifest, compute=site.compute) if folder is not None else None
    measured = own.figures if own else None
    if folder is None and not unknown:
        measured = find_figures(manifest, None)
    faults: dict[str, list[Any]] = {}
    for each in measured.faults if measured else ():
        faults.setdefault(each.fault, []).append(each)
    return html(
        request,
        "methodology.html",
        manifest=manifest,
        measured=measured,
        of_own=own,
        own=last.suite if last is not None and (folder is not None or unknown) else None,
        stale=measured is not None and measured.constants != constants_digest(manifest),
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


def _own_constants(folder: Path | None) -> tuple[OwnConstant, ...]:
    """How the suite differs from the built-in one. Empty if its folder is gone."""
    try:
        return constants_of_its_own(folder)
    except UsageError:
        return ()
