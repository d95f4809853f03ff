"""The ledger's head on every page, in every entry of the feed and in the API, so that readers hold the
anchor."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from probatio.site.live import LiveSite, application
from probatio.site.snapshot import load_site
from probatio.watch.ledger.ledger import head_of, read_ledger

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

STORY = Path(__file__).parents[2] / "examples" / "story"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def head() -> str:
    found = head_of(read_ledger(STORY))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def story() -> TestClient:
    return TestClient(application(LiveSite(lambda: load_site(STORY), STORY, None)))


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/models/qwen2-5-coder-0-5b/",
        "/models/qwen2-5-coder-0-5b/days/",
        "/methodology/",
        "/downloads/",
    ],
)
def test_every_page_shows_the_head_and_that_the_dates_were_set(
    story: TestClient, head: str, address: str
) -> None:
    page = story.get(address)
    assert page.status_code == 200
    footer = page.text[page.text.index("<footer>") :]
    assert f'<code title="{head}">{head[:12]}</code>' in footer
    assert "<strong>REPLAYED</strong>" in page.text


def test_every_entry_of_the_feed_has_the_whole_head(story: TestClient, head: str) -> None:
    feed = ElementTree.fromstring(story.get("/feed.atom").content)
    entries = feed.findall(f"{ATOM}entry")
    assert entries
    assert all(head in (entry.findtext(f"{ATOM}summary") or "") for entry in entries)
    assert all((entry.findtext(f"{ATOM}title") or "").startswith("REPLAYED: ") for entry in entries)
    assert head in (feed.findtext(f"{ATOM}subtitle") or "")


@pytest.mark.parametrize("address", ["/api/leaderboard.json", "/api/models/qwen2-5-coder-0-5b.json"])
def test_the_api_has_the_whole_head(story: TestClient, head: str, address: str) -> None:
    told = json.loads(story.get(address).content)
    assert (told["ledger_head"], told["replayed"]) == (head, True)


def test_a_site_without_a_ledger_shows_no_head(demo: Path) -> None:
    page = TestClient(application(LiveSite(lambda: load_site(demo), demo, None))).get("/")
    assert "Head of the ledger" not in page.text
