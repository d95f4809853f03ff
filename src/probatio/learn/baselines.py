"""Named baselines: what was pinned under a name, and whether it is still what it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from probatio.core.files import put
from probatio.core.jsonfile import read_json
from probatio.learn.trials import find_lines, open_lines
from probatio.runs.store.layout import ANSWERS, DAY_FILE, GRADES, RUN_FILE, SCORES

BASELINES = "baselines.json"
"""In the results folder: the name of each baseline and what it stands for."""

_PARTS = (RUN_FILE, DAY_FILE, ANSWERS, GRADES, SCORES)
"""What a comparison reads. Packing a run changes none of it; grading it again does."""


class Baseline(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a name stands for. One that an older version saved has no digest."""

    selection: str
    digest: str | None = None
    pinned: str | None = None


def read_baselines(results: Path) -> dict[str, Baseline]:
    """The baselines of a results folder by name. Older files hold bare selections."""
    try:
        there = read_json(results / BASELINES, dict[str, str | Baseline], "a list of baselines")
    except FileNotFoundError:
        return {}
    return {name: Baseline(one) if isinstance(one, str) else one for name, one in there.items()}


def write_baselines(baselines: Mapping[str, Baseline], results: Path) -> None:
    put(results / BASELINES, msgspec.json.format(msgspec.json.encode(baselines)) + b"\n")


def digest_folders(folders: Iterable[Path]) -> str:
    """A digest of all that is compared: records, answers and grades. Days count with their dates."""
    digest = sha256()
    for folder in folders:
        if (folder / DAY_FILE).exists():
            digest.update(folder.name.encode() + b"\0")
        for name in _PARTS:
            if file := find_lines(folder, name):
                digest.update(name.encode() + b"\0")
                with open_lines(file) as lines:
                    for line in lines:
                        digest.update(line)
    return digest.hexdigest()


def describe_change(name: str, baseline: Baseline, folders: Iterable[Path]) -> str | None:
    """The sentence about a baseline that is not what was pinned; None if it is."""
    if baseline.digest is None:
        return f"The baseline {name} was saved without a digest, so it may have changed since. Pin it again."
    if digest_folders(folders) == baseline.digest:
        return None
    return (
        f"The baseline {name} ({baseline.selection}) has changed since it was pinned on {baseline.pinned}: "
        "its answers or grades are others. Put them back, or pin it again."
    )
