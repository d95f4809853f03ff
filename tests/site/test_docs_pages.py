"""The documentation under the site: every page, its links and anchors, the order of the tutorials, the search
index."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from probatio.site.addresses import addresses, render
from probatio.site.pages.docs import render_doc
from probatio.site.shipped import GROUPS, TUTORIALS, list_pages
from probatio.site.snapshot import Site, load_site

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return load_site(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def bodies(empty: Site) -> dict[str, str]:
    there = {}
    for path in addresses(empty):
        if path.startswith("docs/") and path.endswith("/"):
            page = render(empty, path)
            assert page is not None, path
            there[path] = page.body.decode()
    return there


def test_every_file_of_docs_is_a_page(bodies: dict[str, str]) -> None:
    assert {path for path in bodies if path != "docs/"} == {
        f"docs/{file.stem}/" for file in DOCS.glob("*.md")
    }
    for name in (name for names in GROUPS.values() for name in names if name not in ("python", "power")):
        assert (DOCS / f"{name}.md").is_file(), f"GROUPS names {name}, which is not there"


def test_the_tutorials_come_first_and_lead_to_each_other(bodies: dict[str, str]) -> None:
    assert [page.name for page in list_pages()[: len(TUTORIALS)]] == list(TUTORIALS)
    listed = re.findall(r'<li><a href="([a-z-]+)/">', bodies["docs/"])
    assert tuple(listed[: len(TUTORIALS)]) == TUTORIALS
    for one, two in pairwise(TUTORIALS):
        assert f'rel="next" href="../{two}/"' in bodies[f"docs/{one}/"]
        assert f'rel="prev" href="../{one}/"' in bodies[f"docs/{two}/"]


def test_links_between_pages_lead_to_headings_that_are_there(bodies: dict[str, str]) -> None:
    broken = []
    for path, whole in bodies.items():
        body = whole.partition("<article")[2]  # the frame around it has links of the site
        for page, anchor in re.findall(r'href="\.\./([a-z0-9-]+)/(?:#([\w-]+))?"', body):
            target = bodies.get(f"docs/{page}/")
            if target is None or (anchor and f'id="{anchor}"' not in target):
                broken.append((path, page, anchor))
        broken += [
            (path, "", anchor)
            for anchor in re.findall(r'href="#([\w-]+)"', body)
            if f'id="{anchor}"' not in body
        ]
    assert not broken


def test_pictures_are_served(empty: Site, bodies: dict[str, str]) -> None:
    shown = {name for body in bodies.values() for name in re.findall(r'src="\.\./images/([^"]+)"', body)}
    assert shown == {
        path.removeprefix("docs/images/") for path in addresses(empty) if path.startswith("docs/images/")
    }
    for name in shown:
        page = render(empty, f"docs/images/{name}")
        assert page is not None and page.kind == "image/png" and page.body.startswith(b"\x89PNG")


def test_no_comment_and_no_raw_html_of_a_page_gets_through(bodies: dict[str, str]) -> None:
    assert not [
        path for path, body in bodies.items() if "&lt;!--" in body.split("<article")[-1].split("<pre")[0]
    ]
    page = next(page for page in list_pages() if page.name == "daily-suite")
    assert "example structured_extraction" not in render_doc(page).body


def test_the_search_index_finds_sections(empty: Site) -> None:
    reply = render(empty, "search.json")
    assert reply is not None
    sections = json.loads(reply.body)
    found = [one for one in sections if "landlock" in one["text"].lower()]
    assert {"docs/deploy/", "docs/sandbox/"} <= {one["href"].partition("#")[0] for one in found}
    assert all(one["text"] and one["title"] and "\x00" not in one["text"] for one in sections)
    anchored = next(one for one in sections if one["href"] == "docs/deploy/#isolation-inside")
    assert anchored["title"].endswith(": Isolation inside")
