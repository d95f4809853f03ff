"""The search: the live server answers by itself, and the index of a large site is small and quick."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import msgspec
import pytest
from starlette.testclient import TestClient

from probatio.site import search
from probatio.site.addresses import render
from probatio.site.snapshot import Site

pytestmark = pytest.mark.slow  # a site of simulated days


def _found(client: TestClient, asked: str) -> tuple[str, list[tuple[str, str]]]:
    page = client.get("/search/", params={"q": asked})
    assert page.status_code == 200
    status = re.search(r'role="status">([^<]*)</p>', page.text)
    assert status is not None
    return status[1], re.findall(r'<li><a href="\.\./([^"]+)">[^<]*</a> <small>(\w+)</small>', page.text)


def test_the_live_server_searches_without_javascript(client: TestClient) -> None:
    for asked, address, kind in (
        ("forgotten", "models/demo-forgotten/", "model"),
        ("Math TRACE", "cases/math_reasoning/math-trace/", "case"),
        ("sample-0.5b", "learnability/sample-0.5b/", "run"),
    ):
        told, hits = _found(client, asked)
        assert hits[0] == (address, kind), asked
        assert told.startswith(f"{len(hits)} found")
        assert client.get(f"/{address}").status_code == 200
    told, hits = _found(client, "the")
    assert len(hits) == search.MOST and re.fullmatch(r"\d+ found, the first 30:", told)
    assert 'action="../search/"' in client.get("/search/").text and "hidden" not in _form(
        client.get("/search/").text
    )


def _form(page: str) -> str:
    form = re.search(r"<form [^>]*>", page)
    assert form is not None
    return form[0]


def test_a_result_shows_whole_words_around_the_first_match() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    for word in ("word0", "word50", "word99"):
        shown = search._excerpt(text, word)
        assert word in shown.split() and set(shown.split()) - {"…"} <= set(text.split())
        assert len(shown) <= 184
    assert search._excerpt("x" * 400, "x").endswith(" …"), "of one long word"


def test_what_is_not_there_is_told_with_what_to_do(client: TestClient) -> None:
    told, hits = _found(client, "xyzzy")
    assert (told, hits) == ("0 found. Nothing holds all of these words; try fewer, or a part of a name.", [])


def test_a_question_is_shown_as_text_and_cut(client: TestClient) -> None:
    page = client.get("/search/", params={"q": '"><script>x</script>' + "y" * 10_000}).text
    assert "<script>x" not in page and "&#34;&gt;&lt;script&gt;x" in page
    assert "y" * search.LONGEST not in page


def test_the_static_page_says_what_to_do_without_a_script(site: Site) -> None:
    page = render(site, "search/")
    assert page is not None
    text = page.body.decode()
    assert "hidden" in _form(text)
    assert "<noscript>" in text and "probatio site serve" in text
    assert "Put the files behind a web server" in text


def test_the_index_of_a_large_site_is_small_and_quick(site: Site) -> None:
    models = {
        f"model-{number}": replace(site.tracked["demo-cooked"], slug=f"model-{number}")
        for number in range(30)
    }
    cases = {
        f"use_case_{use}": {f"a_case_{use}_{case}": f"a-case-{use}-{case}" for case in range(50)}
        for use in range(10)
    }
    run = site.runs["sample-0.5b"]
    runs = {f"run-{number}": replace(run, name=f"run-{number}") for number in range(100)}
    large = replace(site, tracked=models, runs=runs)
    large.__dict__["case_slugs"] = cases
    bare = render(site, "search.json")
    began = time.thread_time()
    page = render(large, "search.json")
    took = time.thread_time() - began
    assert page is not None and bare is not None
    kinds = [entry["kind"] for entry in msgspec.json.decode(page.body)]
    assert (kinds.count("model"), kinds.count("case"), kinds.count("run")) == (30, 500, 100)
    assert len(page.body) - len(bare.body) < 150_000, "besides the documentation"
    assert took < 2.0
