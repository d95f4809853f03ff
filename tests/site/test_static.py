"""The static build, downloads, feed, badges and the command line around them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import pytest

from commandline import probatio
from probatio.core.errors import UsageError
from probatio.core.records import ModelVerdict, SampleAnswer, SampleGrade
from probatio.runs.store.layout import ANSWERS
from probatio.runs.store.run_folder import RunFolder
from probatio.site.addresses import render
from probatio.site.downloads import every_table
from probatio.site.snapshot import Site, load_site
from probatio.site.static import build
from probatio.suites.daily_suite import constants_of, read_manifest
from probatio.watch.ledger.ledger import ledger_path, record_day

pytestmark = pytest.mark.slow  # a site of 34 simulated days

ATOM = "{http://www.w3.org/2005/Atom}"


def _file(site: Site, path: str) -> Path:
    page = render(site, path)
    assert page is not None
    assert page.file is not None
    return page.file


def test_a_build_replaces_an_earlier_build_and_nothing_else(tmp_path: Path, hostile: Path) -> None:
    site = load_site(hostile, sample_days=1)
    built = build(site, tmp_path / "out")
    assert built.pages > 20
    assert built.skipped == 0
    (tmp_path / "out" / "stale.html").touch()
    build(site, tmp_path / "out")
    assert not (tmp_path / "out" / "stale.html").exists()
    other = tmp_path / "photos"
    other.mkdir()
    (other / "cat.jpg").touch()
    with pytest.raises(UsageError, match="something else than an earlier build"):
        build(site, other)
    assert (other / "cat.jpg").exists()


@pytest.mark.parametrize("made", [True, False])
def test_an_empty_or_wrong_folder_is_no_site(tmp_path: Path, hostile: Path, made: bool) -> None:
    out, wrong = tmp_path / "out", tmp_path / "reslts"
    build(load_site(hostile, sample_days=0), out)
    if made:
        wrong.mkdir()
    result = probatio("site", "build", "--results", str(wrong), "--out", str(out))
    assert result.returncode == 2
    assert f"{wrong}: " in result.stderr and "--results" in result.stderr
    assert (out / "index.html").exists(), "the earlier build stays"


def test_only_late_and_changed_days_get_sample_pages(site: Site) -> None:
    changed = {change.date for change in site.changes}
    last = list(site.records)[-2:]
    assert site.sampled_dates == changed | set(last)
    assert len(site.sampled_dates) < len(site.records)


def test_a_build_simulates_nothing_and_reads_a_day_for_all_its_pages_together(
    tmp_path: Path, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    read: list[tuple[str, str]] = []
    records = RunFolder._records

    def note(folder: RunFolder, name: str, shape: type[Any], containing: bytes) -> Any:
        if shape in (SampleAnswer, SampleGrade):
            read.append((folder.path.name, name))
        return records(folder, name, shape, containing)

    monkeypatch.setattr(RunFolder, "_records", note)
    site = load_site(demo, sample_days=3)
    build(site, tmp_path / "out")
    times = [count for (date, _), count in Counter(read).items() if date in site.sampled_dates]
    assert len(times) >= 2 * len(site.sampled_dates) > 6
    assert max(times) <= 3, "hundreds of pages show it"
    assert not (tmp_path / "cache" / "detectable").exists()
    assert all(model.last.smallest_drop is None for model in site.tracked.values())


def test_every_table_is_there_as_csv_and_parquet_with_the_same_rows(site: Site) -> None:
    tables = {names["table"] for names in every_table(site)}
    assert tables == {"scores", "trials", "answers", "verdicts", "use_case_verdicts", "changes", "bench"}
    assert render(site, "data/answers.csv") is None
    answers = duckdb.execute(
        f"select count(*), min(length(prompt)) from '{_file(site, 'data/answers.parquet')}'"
    ).fetchall()
    asked = sum(len((run.folder / ANSWERS).read_bytes().splitlines()) for run in site.runs.values())
    assert answers[0][0] == asked > 0 and answers[0][1] > 0
    for table in tables - {"answers"}:
        with _file(site, f"data/{table}.csv").open(newline="") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1
        parquet = _file(site, f"data/{table}.parquet")
        assert duckdb.execute(f"select count(*) from '{parquet}'").fetchall() == [(rows,)]
        assert rows


def test_a_formula_in_a_name_is_no_formula_in_the_csv(hostile: Path, hostile_text: str) -> None:
    site = load_site(hostile)
    assert hostile_text.startswith("=")
    for table in ("scores", "verdicts", "use_case_verdicts"):
        with _file(site, f"data/{table}.csv").open(newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert "'" + hostile_text in cells
        assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))]


def test_the_feed_tells_every_change_once(site: Site) -> None:
    page = render(site, "feed.atom")
    assert page is not None
    feed = ElementTree.fromstring(page.body)
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == min(100, len(site.changes)) > 0
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    dates = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert dates == sorted(dates, reverse=True)


def test_a_badge_and_its_endpoint_say_the_status_in_words(site: Site) -> None:
    badge, shield = render(site, "badges/demo-cooked.svg"), render(site, "badges/demo-cooked.json")
    assert badge is not None
    assert shield is not None
    ElementTree.fromstring(badge.body)
    assert b"COOKED" in badge.body
    reply = json.loads(shield.body)
    assert (reply["schemaVersion"], reply["message"]) == (1, "COOKED, not proven, 31 Mar 2026")


def test_hostile_names_make_whole_svg_and_xml(
    hostile: Path, hostile_day: Callable[..., None], tmp_path: Path
) -> None:
    for day, score in (("2026-03-01", 80.0), ("2026-03-02", None)):
        hostile_day(tmp_path, day, score)
    site = load_site(tmp_path)
    slug = next(iter(site.tracked))
    for path in ("feed.atom", f"badges/{slug}.svg", f"models/{slug}/charts/daily-web_design.svg"):
        page = render(site, path)
        assert page is not None
        root = ElementTree.fromstring(page.body)
        assert not [each for each in root.iter() if each.tag.endswith("script")]


def test_a_published_verdict_is_shown_as_it_was_published(
    tmp_path: Path, hostile_day: Callable[..., None]
) -> None:
    hostile_day(tmp_path, "2026-03-01")
    constants = constants_of(read_manifest())
    record_day(tmp_path, "2026-03-01", constants, "2026-03-01T00:00:00Z")
    ledger = ledger_path(tmp_path)
    ledger.write_bytes(ledger.read_bytes().replace(b'"status":"CALIBRATING"', b'"status":"COOKED"'))
    shown: ModelVerdict = next(iter(load_site(tmp_path).tracked.values())).last
    assert shown.status == "COOKED"


def test_the_demo_never_goes_into_real_days(hostile: Path) -> None:
    result = probatio("site", "demo", "--results", str(hostile), "--days", "3")
    assert result.returncode == 2
    assert "holds real days" in result.stderr


def test_the_build_command_tells_what_it_built(hostile: Path, tmp_path: Path) -> None:
    words = ["build", "--results", str(hostile), "--out", str(tmp_path / "site"), "--json"]
    reply = json.loads(probatio("site", *words).stdout)
    assert reply["event"] == "site"
    assert reply["pages"] == sum(path.is_file() for path in (tmp_path / "site").rglob("*")) - 2
    assert (tmp_path / "site" / "index.html").is_file()
