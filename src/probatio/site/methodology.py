"""The methodology page, made from the suite's manifest and the simulator's figures."""

from __future__ import annotations

from typing import Any

import msgspec

from probatio.simulate.characteristics import PACKAGED, Characteristics, constants_digest, read
from probatio.simulate.noise import FAULTS, JUDGED, PROFILES
from probatio.site.rendering import PageReply, PageRequest, html


def page(request: PageRequest) -> PageReply:
    manifest = request.site.manifest
    measured = characteristics()
    faults: dict[str, list[Any]] = {}
    for each in measured.faults if measured else ():
        faults.setdefault(each.fault, []).append(each)
    return html(
        request,
        "methodology.html",
        manifest=manifest,
        measured=measured,
        stale=measured is not None and measured.constants != constants_digest(manifest),
        faults=faults,
        titles={"profile": PROFILES, "noise": JUDGED, "fault": FAULTS},
        evidence=msgspec.to_builtins(manifest.evidence),
        attribution=msgspec.to_builtins(manifest.attribution),
    )


def characteristics() -> Characteristics | None:
    """The figures of this version of the package; None where it has none."""
    return read() if PACKAGED.exists() else None
