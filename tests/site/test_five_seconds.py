"""The front page in five seconds: what this is, what is new today, then the list; with one model and with a
hundred."""

from __future__ import annotations

import datetime as dt
import html
import re
from collections import Counter
from pathlib import Path

import pytest

from probatio.site import demo
from probatio.site.addresses import render
from probatio.site.demo import Role, fill_days
from probatio.site.snapshot import Site, load_site

pytestmark = pytest.mark.slow  # simulates a site of 100 models

LAST = dt.date(2026, 3, 31)
DAYS = 62
FRONT_BYTES = 35_000
"""Of a front page with 30 models, whose charts are full."""
CAST = {
    "demo-steady": Role("Aster"),
    "demo-forgotten": Role("Halcyon", "drop-20-all", 13),
    "demo-cooked": Role("Borealis", "drop-20-all", 0),
    "demo-slowly-worse": Role("Cirrus", "decline", 30),
    "demo-rerouted": Role("Delphi", "route-change", 9),
    "demo-outage": Role("Ember", "outage", 20),
    "demo-one-use-case": Role("Fathom", "drop-20-one", 1),
}


def _simulate(results: Path, cast: dict[str, Role]) -> Site:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("CAST", cast), ("SAMPLED_DAYS", 0), ("SAMPLED_BEFORE", -DAYS)):
            patch.setattr(demo, name, value)
        fill_days(results, DAYS, LAST)
    return load_site(results)


def _cast(many: int) -> dict[str, Role]:
    roles = list(CAST.items())
    return {
        f"{roles[at % len(roles)][0]}-{at}": roles[at % len(roles)][1]
        if at < len(roles) or at % 3
        else roles[0][1]
        for at in range(many)
    }


def _front(site: Site) -> str:
    page = render(site, "")
    assert page is not None
    return html.unescape(page.body.decode())


def _said(text: str, name: str) -> str:
    (said,) = re.findall(rf'<p class="{name}"[^>]*>(.*?)</p>', text)
    return str(said)


@pytest.mark.parametrize("many", [3, 30, 100])
def test_what_it_is_what_is_new_and_then_the_list(many: int, tmp_path: Path) -> None:
    site = _simulate(tmp_path, _cast(many))
    text, looks = _front(site), Counter(model.last.look for model in site.tracked.values())
    assert _said(text, "asked") == f"{many} models are asked the same 50 questions every day."
    news = _said(text, "news")
    assert len(news) < 200 and not any(model in news for model in site.tracked)
    assert re.match(r"\d+ looks? worse since yesterday; ", news), news
    assert f"; {looks['PROVEN']} of {many} proven worse; " in news
    assert f"; {looks['OK']} as usual" in news
    rows = re.findall(r"<li data-status.*?</li>", text, re.DOTALL)
    assert len(rows) == many
    new = [">NEW<" in row for row in rows]
    assert new == sorted(new, reverse=True) and 0 < sum(new) < many, "what is new stands above what is old"
    assert "forgotten" in rows[sum(new)], "then the worst"
    if many == 30:
        page = render(site, "")
        assert page is not None and len(page.body) <= FRONT_BYTES


def test_a_single_model_is_told_by_its_name(tmp_path: Path) -> None:
    text = _front(_simulate(tmp_path, {"demo-only": Role("Halcyon", "drop-20-all", 13)}))
    assert _said(text, "asked") == "demo-only is asked the same 50 questions every day."
    assert re.fullmatch(r"Is demo-only worse\? Yes, since \d+ Mar \(proven\)\.", _said(text, "news"))


def test_without_a_fall_the_sentence_says_so_first(tmp_path: Path) -> None:
    site = _simulate(tmp_path, {f"demo-{name}": Role("Aster") for name in "ab"})
    assert _said(_front(site), "news") == "No model got worse: 2 of 2 as usual."
