"""The static build: every page as a file, written next to the old build and then put in its place."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from probatio.core.errors import UsageError
from probatio.core.inside import find_name
from probatio.runs.collector import calm_collector
from probatio.site.addresses import addresses, render
from probatio.site.downloads import open_file
from probatio.site.facts.runs import UnreadableRun
from probatio.site.rendering import PageReply
from probatio.site.snapshot import Site

MARK = ".probatio-site"
"""Stands in a folder that we built and may build again."""


class SiteBuild(msgspec.Struct, frozen=True):
    """A finished build in numbers."""

    folder: str
    pages: int
    bytes: int
    seconds: float
    skipped: int  # addresses that had nothing to show after all


def build(site: Site, out: Path, progress: Callable[[int], None] = lambda pages: None) -> SiteBuild:
    """Write every page of the site into `out`, which must be new, empty or an earlier build."""
    _require_results(site)
    _require_ours(out)
    began = time.perf_counter()
    part = out.with_name(f".{out.name}.part")
    left_out = -1
    while left_out != len(site.left_out):  # a page finds that a run is unreadable, and earlier pages name it
        left_out = len(site.left_out)
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        pages = size = skipped = 0
        folders: set[Path] = set()
        with calm_collector():
            for path in _addresses(site):
                page = render(site, path)
                if left_out != len(site.left_out):
                    break
                if page is None:
                    skipped += 1
                    continue
                target = part / (path + "index.html" if path.endswith("/") or not path else path)
                if target.parent not in folders:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    folders.add(target.parent)
                size += _write(site, page, target)
                pages += 1
                progress(pages)
    (part / MARK).write_text(
        "Built by probatio; `probatio site build` may replace this folder.\n", encoding="utf-8"
    )
    (part / ".nojekyll").touch()  # GitHub Pages would leave out what begins with an underscore
    shutil.rmtree(out, ignore_errors=True)
    part.replace(out)
    return SiteBuild(str(out), pages, size, round(time.perf_counter() - began, 3), skipped)


def _addresses(site: Site) -> Iterator[str]:
    """Every address; a run that is found to be unreadable is left out, and ends the list."""
    try:
        yield from addresses(site)
    except UnreadableRun as error:
        site.leave_out(error.run, str(error))


def _require_results(site: Site) -> None:
    """An empty site would replace a full one without a word."""
    if site.records or site.runs:
        return
    wrong = "there is no such folder" if not site.results.exists() else "it holds no recorded day and no run"
    raise UsageError(
        f"{site.results}: {wrong}, so there is nothing to build. Name the results folder with --results; "
        "`probatio daily` and `probatio trial` fill one, `probatio site demo` makes one to look at."
    )


def _require_ours(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; name a folder with --out.")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).exists():
        raise UsageError(
            f"{out} holds something else than an earlier build of the site; name another folder with --out."
        )


def _write(site: Site, page: PageReply, target: Path) -> int:
    if page.file is None:
        target.write_bytes(page.body)
        return len(page.body)
    with open_file(site, page.file) as source:
        try:
            # Raw answers of a year are gigabytes; on one disk they need not lie there twice.
            # The name of the open file is a link to it; only with a folder's descriptor given does Python
            # follow it.
            os.link(
                find_name(source.fileno(), page.file),
                target,
                src_dir_fd=source.fileno(),
                follow_symlinks=True,
            )
        except (OSError, NotImplementedError):  # another disk; or a system that links no open file
            with target.open("wb") as copy:
                shutil.copyfileobj(source, copy)
        return os.fstat(source.fileno()).st_size
