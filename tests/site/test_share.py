"""What others show of the site: descriptions and pictures of a link, the feed's entries, the view for other
people's pages."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from probatio.site import share
from probatio.site.addresses import addresses, render
from probatio.site.live import LiveSite, application
from probatio.site.snapshot import Site
from probatio.site.snapshot import load_site as load_at

ATOM = "{http://www.w3.org/2005/Atom}"
BASE = "https://watch.example/some/"


load_site = partial(load_at, now=datetime(2026, 3, 2, 12, tzinfo=UTC))
"""As of the last of the days below."""


@pytest.fixture
def days(tmp_path: Path, hostile_day: Callable[..., None]) -> Path:
    for day, score in (("2026-03-01", 80.0), ("2026-03-02", None)):
        hostile_day(tmp_path, day, score)
    return tmp_path


def _text(site: Site, path: str) -> str:
    page = render(site, path)
    assert page is not None, path
    return page.body.decode()


def _meta(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', page))


def test_every_link_to_the_site_has_a_picture_of_the_promised_size(days: Path) -> None:
    site = load_site(days, base_url=BASE)
    (slug,) = site.tracked
    for path, picture in (("", "share/site.png"), (f"models/{slug}/", f"share/models/{slug}.png")):
        meta = _meta(_text(site, path))
        assert meta["og:image"] == BASE + picture
        assert meta["og:url"] == BASE + path
        assert picture in set(addresses(site))
        drawn = render(site, picture)
        assert drawn is not None and drawn.kind == "image/png"
        size = struct.unpack(">II", drawn.body[16:24])
        assert (
            size == (int(meta["og:image:width"]), int(meta["og:image:height"])) == (share.WIDTH, share.HEIGHT)
        )


def test_a_picture_changes_with_the_verdict(days: Path) -> None:
    site = load_site(days)
    (slug, model), *_ = site.tracked.items()
    before = replace(site, tracked={slug: replace(model, verdicts=model.verdicts[:1])})
    assert model.verdicts[0].shown != model.last.shown
    assert render(site, f"share/models/{slug}.png") != render(before, f"share/models/{slug}.png")


def test_without_an_address_of_its_own_the_site_names_no_picture(days: Path) -> None:
    meta = _meta(_text(load_site(days), ""))
    assert "og:image" not in meta and meta["og:title"] and meta["description"]


def test_without_the_drawing_package_there_is_no_picture(days: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(share, "list_installed", lambda: {"charts": False})
    assert not [path for path in addresses(load_site(days)) if path.startswith("share/")]


def test_the_status_view_may_be_framed_by_anyone_and_nothing_else_may(days: Path, hostile_text: str) -> None:
    client = TestClient(application(LiveSite(lambda: load_site(days), days, None)))
    (slug,) = load_site(days).tracked
    for path, framed in (
        ("/embed/", "*"),
        (f"/embed/{slug}/", "*"),
        ("/", "'self'"),
        (f"/models/{slug}/", "'self'"),
    ):
        page = client.get(path)
        assert page.headers["Content-Security-Policy"].endswith(f"frame-ancestors {framed}"), path
    view = client.get("/embed/").text
    assert re.findall("<script[^>]*>", view) == ['<script src="../assets/stale.js" defer>']
    assert hostile_text not in view
    assert 'class="badge GAP"' in view and f'href="../models/{slug}/" target="_top"' in view
    assert client.get("/embed/nobody/").status_code == 404


def test_an_entry_of_the_feed_says_what_to_do_and_leads_to_both_days(days: Path) -> None:
    site = load_site(days, base_url=BASE)
    (slug,) = site.tracked
    (entry,) = ElementTree.fromstring(_text(site, "feed.atom")).findall(f"{ATOM}entry")
    content = entry.findtext(f"{ATOM}content") or ""
    links = re.findall(r'href="([^"]+)"', content)
    assert f"{BASE}models/{slug}/diff/2026-03-01..2026-03-02/" in links
    assert all(render(site, link.removeprefix(BASE)) is not None for link in links)
    assert "<script>" not in content and str(Path.cwd()) not in content
    category = entry.find(f"{ATOM}category")
    assert category is not None and category.get("term") == "GAP"
    told = site.tracked[slug].teller
    assert told is not None
    assert content.count("<li>Next: ") == len(told.describe(site.tracked[slug].last).advice)


def test_the_picture_of_a_fall_shows_an_answer_before_and_one_since_and_no_other_picture_does(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probatio.charts.figure.convert_to_png", lambda text, scale: text.encode())
    shown = {
        slug: re.findall(
            r'font-family="monospace"[^>]*>([^<]*)</text>', _text(site, f"share/models/{slug}.png")
        )
        for slug in site.tracked
    }
    for slug, model in site.tracked.items():
        assert len(shown[slug]) == (2 if model.fall else 0), slug
    before, now = shown["demo-cooked"]
    assert before != now and min(len(before), len(now)) > 20


def test_a_hostile_answer_is_text_in_the_picture(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from probatio.site.facts.story import find_fallen_cases, tell_fall
    from probatio.watch.verdict.words import CaseChange, VerdictText

    monkeypatch.setattr("probatio.charts.figure.convert_to_png", lambda text, scale: text.encode())
    model = site.tracked["demo-cooked"]
    assert model.fall is not None
    bad = "</text><script>1</script>\x1b[2J\u202e&\ud800" + "x" * 3000
    change = CaseChange(bad, bad, 1.0, 0.0, f"{bad} one", f"{bad} two")
    cases = find_fallen_cases(site, VerdictText(("", ""), (change,), (), (), ""), model.last.date)
    story = tell_fall(site, model, model.fall)._replace(cases=cases)
    monkeypatch.setattr(share, "tell_fall", lambda *_: story)
    drawn = _text(site, f"share/models/{model.slug}.png")
    ElementTree.fromstring(drawn)
    assert "<script" not in drawn and "\u202e" not in drawn and "x" * 100 not in drawn
