"""The feeds: one of all models and one of each, with links that lead somewhere wherever they are read."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from probatio.site.addresses import find_kind, render
from probatio.site.snapshot import Site

pytestmark = pytest.mark.slow  # a site of 46 simulated days

ATOM = "{http://www.w3.org/2005/Atom}"


def read_feed(site: Site, path: str) -> ElementTree.Element:
    page = render(site, path)
    assert page is not None
    assert page.kind.startswith("application/atom+xml")
    return ElementTree.fromstring(page.body)


def list_links(feed: ElementTree.Element) -> list[str]:
    links = [link.get("href") or "" for link in feed.iter(f"{ATOM}link")]
    contents = [each.text or "" for each in feed.iter(f"{ATOM}content")]
    return [*links, *(href for text in contents for href in re.findall(r'href="([^"]+)"', text))]


def test_the_feed_of_a_model_has_its_entries_of_the_feed_of_all(site: Site) -> None:
    def entries(feed: ElementTree.Element) -> dict[str, tuple[str | None, ...]]:
        return {
            each.findtext(f"{ATOM}id") or "": tuple(
                each.findtext(f"{ATOM}{part}") for part in ("title", "summary", "content", "updated")
            )
            for each in feed.findall(f"{ATOM}entry")
        }

    published = replace(site, base_url="https://watch.example/")
    of_all = entries(read_feed(published, "feed.atom"))
    of_each: dict[str, tuple[str | None, ...]] = {}
    for slug, model in site.tracked.items():
        own = entries(read_feed(published, f"models/{slug}/feed.atom"))
        assert len(own) == len(model.changes), slug
        assert all(name.startswith(f"urn:probatio:{slug}:") for name in own)
        of_each |= own
    assert len(of_all) == min(100, len(of_each))
    assert all(of_each[name] == entry for name, entry in of_all.items())


def test_feeds_have_names_of_their_own_and_say_simulated(site: Site) -> None:
    feeds = [
        read_feed(site, path)
        for path in ("feed.atom", *(f"models/{slug}/feed.atom" for slug in site.tracked))
    ]
    assert len({feed.findtext(f"{ATOM}id") for feed in feeds}) == len(feeds)
    assert all("(SIMULATED)" in (feed.findtext(f"{ATOM}title") or "") for feed in feeds)


def test_every_page_of_a_model_names_its_feed_first(site: Site) -> None:
    for path in ("models/demo-cooked/", "models/demo-cooked/days/", "models/demo-cooked/2026-03-31/"):
        page = render(site, path)
        assert page is not None
        first, second = re.findall(r'<link rel="alternate"[^>]* href="([^"]+)"', page.body.decode())
        assert urljoin(f"http://x/{path}", first) == "http://x/models/demo-cooked/feed.atom"
        assert urljoin(f"http://x/{path}", second) == "http://x/feed.atom"
    front = render(site, "")
    assert front is not None
    assert front.body.decode().count('rel="alternate"') == 1


@pytest.mark.parametrize("path", ["feed.atom", "models/demo-forgotten/feed.atom"])
def test_links_of_a_copy_without_an_address_lead_from_the_feed(site: Site, path: str) -> None:
    links = list_links(read_feed(site, path))
    assert len(links) > 5
    for link in links:
        there = urljoin(f"http://x/{path}", link)
        assert find_kind(urlsplit(there).path.removeprefix("/")) is not None, link


@pytest.mark.parametrize("path", ["feed.atom", "models/demo-forgotten/feed.atom"])
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "watch.example"])
def test_links_of_the_live_feed_have_the_name_the_site_was_asked_by(
    client: TestClient, path: str, host: str
) -> None:
    reply = client.get(f"/{path}", headers={"Host": host})
    links = list_links(ElementTree.fromstring(reply.content))
    assert len(links) > 5
    assert not [link for link in links if not link.startswith(f"http://{host}/")]
    for link in (links[0], links[1], links[-1]):
        assert client.get(urlsplit(link).path).status_code == 200, link
