"""Numbers that a server made up and an older version recorded: the site is built from them all the same."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probatio.runs.store.layout import ANSWERS, DAILY, SCORES
from probatio.site.addresses import render
from probatio.site.demo import fill_days
from probatio.site.downloads import every_table
from probatio.site.shipped import BENCH
from probatio.site.snapshot import load_site
from probatio.site.static import build

pytestmark = pytest.mark.slow  # a site of simulated days

REPOSITORY = Path(__file__).parents[2]
LAST = dt.date(2026, 3, 31)

ODD: list[dict[str, Any]] = [
    {"cost": -5.0, "tokens_in": -1, "tokens_out": -(10**30)},
    {"cost": 1e308, "tokens_in": 10**400, "tokens_out": 10**399},
    {"cost": -1e308, "tokens_in": 10**19, "tokens_out": 10**25, "latency_ms": 1e308},
    {"cost": 1e308, "tokens_in": 1, "tokens_out": 10**400, "latency_ms": -1.0},
    {"tokens_in": 2**63, "tokens_out": 2**63 - 1, "latency_ms": 1e300},
]


def spoil(file: Path) -> None:
    """Every line of a file with one of the odd sets of numbers."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for number, line in enumerate(lines):
        line.update({name: value for name, value in ODD[number % len(ODD)].items() if name in line})
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    results = tmp_path_factory.mktemp("odd") / "results"
    fill_days(results, 4, LAST)  # a day has every kind of number; more days are more of the same
    shutil.copytree(REPOSITORY / "examples" / "runs" / "sample-dialects", results / "sample-dialects")
    for name in (ANSWERS, SCORES):
        for file in (results / DAILY).rglob(name):
            spoil(file)
    spoil(results / "sample-dialects" / ANSWERS)
    yield results


def test_a_site_with_odd_numbers_is_built(odd: Path, tmp_path: Path) -> None:
    site = load_site(odd, bench=BENCH, sample_days=2)
    built = build(site, tmp_path / "out")
    assert built.pages > 100
    assert built.skipped == 0
    pages = "".join(page.read_text(encoding="utf-8") for page in (tmp_path / "out").rglob("*.html"))
    assert "9" * 40 not in pages
    assert "0" * 40 not in pages


def test_every_table_is_written_from_odd_numbers(odd: Path) -> None:
    site = load_site(odd, bench=BENCH, sample_days=2)
    tables = list(every_table(site))
    assert tables
    for each in tables:
        page = render(site, f"data/{each['table']}.{each['format']}")
        assert page is not None
        assert page.file is not None
        assert page.file.stat().st_size > 100
