"""The methodology page, made from the suite's manifest and the simulator's figures."""

from __future__ import annotations

from typing import Any

import msgspec

from probatio.alerts.telling import figures_of
from probatio.simulate.characteristics import constants_digest
from probatio.simulate.noise import FAULTS, JUDGED, PROFILES
from probatio.site.rendering import PageReply, PageRequest, html
from probatio.store.days import suite_folder


def page(request: PageRequest) -> PageReply:
    site, manifest = request.site, request.site.manifest
    last = site.records[site.last_date] if site.last_date else None
    folder = suite_folder(site.results, last) if last else None
    measured = figures_of(manifest, folder)
    faults: dict[str, list[Any]] = {}
    for each in measured.faults if measured else ():
        faults.setdefault(each.fault, []).append(each)
    return html(
        request,
        "methodology.html",
        manifest=manifest,
        measured=measured,
        own=last.suite if last is not None and folder is not None else None,
        stale=measured is not None and measured.constants != constants_digest(manifest),
        faults=faults,
        titles={"profile": PROFILES, "noise": JUDGED, "fault": FAULTS},
        evidence=msgspec.to_builtins(manifest.evidence),
        attribution=msgspec.to_builtins(manifest.attribution),
    )
