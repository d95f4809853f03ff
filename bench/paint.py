"""What a reader's browser does with every kind of page: bytes, first paint, script, layout and shift, by
Chromium's own trace.

    python bench/paint.py               a demo made for it
    python bench/paint.py RESULTS       a results folder, such as one of `probatio site demo`

Each page is opened with an empty cache from the live server, on a desk (1280 px) and on a phone whose
processor is four times slower (375 px). First paint is seconds by the clock; script and layout are seconds of
the page's own thread, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn
from playwright.sync_api import Browser, sync_playwright

from probatio.jail.browser.chromium import executable
from probatio.site.addresses import KINDS, PageKind
from probatio.site.demo import fill_days, fill_runs
from probatio.site.live import LiveSite, application
from probatio.site.snapshot import Site, load_site

ROUNDS = 3
SHOWN_MODEL = "demo-cooked"
SIZES = {"desk": ({"width": 1280, "height": 860}, 1), "phone, CPU / 4": ({"width": 375, "height": 812}, 4)}
SCRIPT = {
    "EvaluateScript",
    "FunctionCall",
    "v8.compile",
    "RunMicrotasks",
    "TimerFire",
    "EventDispatch",
    "FireAnimationFrame",
}
LAYOUT = {"Layout", "UpdateLayoutTree", "PrePaint", "Paint"}
CATEGORIES = ["loading", "devtools.timeline", "v8", "blink.user_timing"]


class Opening(NamedTuple):
    """One opening of one page: milliseconds, bytes over the wire, and the share of the screen that moved."""

    paint: float
    script: float
    layout: float
    sent: int
    shift: float


def pages(site: Site) -> dict[str, str]:
    """Address of a kind of page → one page of that kind, of the model with a fall where there is a choice."""
    kinds = [kind for kind in KINDS if kind.address.endswith("/") or kind.address in ("", "404.html")]
    return {kind.address: page for kind in kinds if (page := _example(kind, site)) is not None}


def _example(kind: PageKind, site: Site) -> str | None:
    every = list(islice(kind.every(site), 2000))
    if not every:
        return None
    names = max(every, key=lambda names: (SHOWN_MODEL in names.values(), names.get("date", "")))
    return kind.address.format(**names)


@contextlib.contextmanager
def serving(results: Path) -> Iterator[tuple[Site, str]]:
    """The live site in a thread: its snapshot and its address."""
    live = LiveSite(lambda: load_site(results, bench=None), results, None)
    server = uvicorn.Server(uvicorn.Config(application(live), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield live.site, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join()


def opened(browser: Browser, address: str, size: Any, slower: int) -> Opening:
    """The page in a fresh profile, traced until nothing more happens."""
    context = browser.new_context(viewport=size)
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    sent: list[int] = []
    devtools.on("Network.loadingFinished", lambda event: sent.append(int(event["encodedDataLength"])))
    devtools.send("Network.enable")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.goto(address, wait_until="load")
    page.wait_for_load_state("networkidle")
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    trace = json.loads(browser.stop_tracing())["traceEvents"]
    context.close()
    return _read(trace, address, sum(sent))


def _read(trace: list[dict[str, Any]], address: str, sent: int) -> Opening:
    """The page's thread is the one that painted it first."""
    painted = next(each for each in trace if each["name"] == "firstContentfulPaint")
    here = [each for each in trace if (each["pid"], each["tid"]) == (painted["pid"], painted["tid"])]
    began = max(
        each["ts"] for each in here if each["name"] == "navigationStart" and each["ts"] < painted["ts"]
    )
    shift = sum(each["args"]["data"]["score"] for each in here if each["name"] == "LayoutShift")
    return Opening((painted["ts"] - began) / 1000, _spent(here, SCRIPT), _spent(here, LAYOUT), sent, shift)


def _spent(events: list[dict[str, Any]], names: set[str]) -> float:
    """Milliseconds of the thread in these events; one inside another counts once."""
    total, until = 0.0, 0.0
    for each in sorted(
        (each for each in events if each["name"] in names and each["ph"] == "X"), key=lambda each: each["ts"]
    ):
        if each["ts"] >= until:
            total += each.get("tdur", each["dur"])
            until = each["ts"] + each["dur"]
    return total / 1000


def measure(results: Path) -> None:
    with serving(results) as (site, base), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable())
        print(
            f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; median of {ROUNDS} openings\n"
        )
        print(
            "| page | kB sent |"
            + "".join(f" {name}: first paint | script | layout | shift |" for name in SIZES)
        )
        print("|---|---|" + "---|---|---|---|" * len(SIZES))
        for kind, path in pages(site).items():
            row, sent = "", 0
            with urllib.request.urlopen(
                base + path
            ):  # the server makes a page once; its cost is in bench/site.py
                pass
            for size, slower in SIZES.values():
                found = [opened(browser, base + path, size, slower) for _ in range(ROUNDS)]
                middle = [statistics.median(values) for values in zip(*found, strict=True)]
                sent = found[-1].sent
                row += f" {middle[0]:.0f} ms | {middle[1]:.1f} ms | {middle[2]:.1f} ms |"
                row += f" {max(each.shift for each in found):.3f} |"
            print(f"| `/{kind}` | {sent / 1000:.1f} |{row}", flush=True)
        browser.close()


def main() -> None:
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory(prefix="probatio-bench-paint-") as folder:
        results, last = Path(folder) / "results", dt.date(2026, 3, 31)
        fill_days(results, 90, last)
        fill_runs(results, last)
        measure(results)


if __name__ == "__main__":
    main()
