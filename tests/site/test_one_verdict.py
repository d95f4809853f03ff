"""One verdict on every surface: whoever looks anywhere reads the same of a model, and never green of a
confirmed fall."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import msgspec
import pytest

from commandline import probatio
from probatio.core.records import Status
from probatio.runs.store.layout import SCORES
from probatio.site import feed, rendering
from probatio.site.addresses import addresses, render
from probatio.site.facts.standing import list_history, measure_usual
from probatio.site.pages.diffs import story_pairs
from probatio.site.rendering import format_date, format_dates
from probatio.site.snapshot import Site, TrackedModel, load_site
from probatio.watch.alerts.describing import VerdictDescriber, find_figures
from probatio.watch.verdict.falls import BAD
from probatio.watch.verdict.staleness import mark_stale

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

ATOM = "{http://www.w3.org/2005/Atom}"
Labels = dict[str, str]


@pytest.fixture(scope="module")
def read(site: Site) -> Callable[[str], str]:
    return _reader(site)


def _reader(site: Site) -> Callable[[str], str]:
    kept: dict[str, str] = {}

    def text(path: str) -> str:
        if path not in kept:
            page = render(site, path)
            assert page is not None, path
            kept[path] = page.body.decode()
        return kept[path]

    return text


def _badges(text: str, row: str) -> Labels:
    """Slug → the words of the first badge of its row."""
    return {
        re.findall(r"models/([^/]+)/", each)[0]: re.findall(
            r'class="badge \w+"[^>]*><span[^>]*>.</span> ([^<]+)<', each
        )[0]
        for each in re.findall(row, text, re.DOTALL)
    }


def _front(site: Site, read: Callable[[str], str]) -> Labels:
    return _badges(read(""), r"<li data-status=.*?</li>")


def _use_cases(site: Site, read: Callable[[str], str]) -> Labels:
    return _badges(read("use-cases/"), r"<tr data-status=.*?</tr>")


def _layers(site: Site, read: Callable[[str], str]) -> Labels:
    rows = read("use-cases/").split('id="layers"')[1]
    return dict(re.findall(r'models/([^/]+)/">[^<]+</a></th><td data-sort="\d+">([^<]+?) *<', rows))


def _model_pages(site: Site, read: Callable[[str], str]) -> Labels:
    heads = {
        slug: re.findall(r"<h1>.*?</h1>", read(f"models/{slug}/"), re.DOTALL)[0] for slug in site.tracked
    }
    return {slug: re.findall(r"</span> ([^<]+)</span>", head)[0] for slug, head in heads.items()}


ANSWERED = {
    "PROVEN": "Yes, since",
    "COOKED": "It looks so",
    "SUSPICIOUS": "It looks so",
    "ROUTE": "It looks so",
}
"""Look → how the answer in the title of a model's page begins."""


def test_title_heading_and_preview_of_a_model_answer_by_its_badge(
    site: Site, read: Callable[[str], str]
) -> None:
    for slug, model in site.tracked.items():
        page = html.unescape(read(f"models/{slug}/"))
        (title,) = re.findall(r"<title[^>]*>(.*?) · Probatio</title>", page)
        assert title.startswith(f"Is {model.id} worse? {ANSWERED.get(model.last.look, '')}")
        assert ("(proven)" in title, "not proven" in title) == (
            model.last.confirmed,
            model.last.look in ANSWERED and not model.last.confirmed,
        )
        assert re.findall(r"<h1><span[^>]*>(.*?)</span>", page) == [title]
        assert re.findall(r'og:title" content="([^"]*)"', page) == [f"{title} (SIMULATED)"]


def _days(site: Site, read: Callable[[str], str]) -> Labels:
    heads = {slug: read(f"models/{slug}/{site.last_date}/").split("</h1>")[0] for slug in site.tracked}
    return {slug: re.findall(r"</span> ([^<]+)</span>$", head)[0] for slug, head in heads.items()}


def _descriptions(site: Site, read: Callable[[str], str]) -> Labels:
    return {
        slug: re.findall(r'og:description" content="([^.]*)\.', read(f"models/{slug}/"))[0]
        for slug in site.tracked
    }


def _embedded(site: Site, read: Callable[[str], str]) -> Labels:
    return _badges(read("embed/"), r"<li>.*?</li>")


def _embedded_alone(site: Site, read: Callable[[str], str]) -> Labels:
    return {
        slug: label
        for each in site.tracked
        for slug, label in _badges(read(f"embed/{each}/"), r"<li>.*?</li>").items()
    }


def _badge_images(site: Site, read: Callable[[str], str]) -> Labels:
    told = {
        slug: re.findall(r"<title>.*: ([^<]+)</title>", read(f"badges/{slug}.svg"))[0]
        for slug in site.tracked
    }
    assert all("last asked" in text for text in told.values())
    return {slug: _without_day(site, slug, text) for slug, text in told.items()}


def _without_day(site: Site, slug: str, text: str) -> str:
    """A badge tells the day for every verdict; a STALE one tells it by itself."""
    return text if site.tracked[slug].last.shown == "STALE" else re.split(r", (?:last asked )?\d", text)[0]


def _shields(site: Site, read: Callable[[str], str]) -> Labels:
    told = {slug: msgspec.json.decode(read(f"badges/{slug}.json"))["message"] for slug in site.tracked}
    return {slug: _without_day(site, slug, text) for slug, text in told.items()}


def _api(site: Site, read: Callable[[str], str]) -> Labels:
    rows = msgspec.json.decode(read("api/leaderboard.json"))["models"]
    assert all(
        each["label"].split(",")[0] == each["headline"] or each["label"].startswith("CHANGED ROUTE")
        for each in rows
    )
    return {each["slug"]: each["label"] for each in rows}


def _api_series(site: Site, read: Callable[[str], str]) -> Labels:
    made = {slug: msgspec.json.decode(read(f"api/models/{slug}.json")) for slug in site.tracked}
    last = {slug: {name: each[name][-1] for name in SAID} for slug, each in made.items()}
    assert all(each["label"].startswith((each["headline"], "CHANGED ROUTE")) for each in last.values())
    return {slug: each["label"] for slug, each in last.items()}


SAID = ("headline", "label")


def _found(site: Site, read: Callable[[str], str]) -> Labels:
    entries = [each for each in msgspec.json.decode(read("search.json")) if each["kind"] == "model"]
    return {each["href"].split("/")[1]: each["text"].partition(". ")[0] for each in entries}


SURFACES = (
    _front,
    _use_cases,
    _layers,
    _model_pages,
    _days,
    _descriptions,
    _embedded,
    _embedded_alone,
    _badge_images,
    _shields,
    _api,
    _api_series,
    _found,
)


@pytest.mark.parametrize("surface", SURFACES, ids=lambda each: each.__name__.strip("_"))
def test_every_surface_tells_the_same_verdict(
    site: Site, read: Callable[[str], str], surface: Callable[[Site, Callable[[str], str]], Labels]
) -> None:
    assert surface(site, read) == {slug: model.last.label for slug, model in site.tracked.items()}


@pytest.fixture
def watched(tmp_path: Path, hostile_day: Callable[..., None]) -> Path:
    """Results of two days on which a model was really asked."""
    for day in ("2026-03-01", "2026-03-02"):
        hostile_day(tmp_path, day)
    return tmp_path


HISTORY = (_days, _api_series)
"""Surfaces of what was said on a day. They stay as they were; all others tell how a model stands now."""


def test_past_its_age_a_verdict_is_stale_on_every_surface(watched: Path) -> None:
    fresh = load_site(watched, now=datetime(2026, 3, 3, 11, tzinfo=UTC))
    stale = load_site(watched, now=datetime(2026, 3, 3, 13, tzinfo=UTC))
    assert fresh.goes_stale == datetime(2026, 3, 3, 12, tzinfo=UTC)
    assert stale.goes_stale is None
    for site, told in ((fresh, "CALIBRATING"), (stale, "STALE, last asked 2 Mar 2026")):
        for surface in SURFACES:
            (label,) = surface(site, _reader(site)).values()
            assert label == ("CALIBRATING" if surface in HISTORY else told), surface


def test_nothing_stale_is_shown_as_of_today(watched: Path) -> None:
    site = load_site(watched, now=datetime(2026, 3, 12, tzinfo=UTC))
    (model,) = site.tracked.values()
    front = _reader(site)("")
    assert "Nothing is known of today: the newest answers are of 2 March." in front
    assert "Last asked 2 March; its verdict then: CALIBRATING." in front
    assert re.findall(r'class="today" data-sort="-1">–', front)
    (entry, *_) = ElementTree.fromstring(_reader(site)("feed.atom")).findall(f"{ATOM}entry")
    assert (entry.findtext(f"{ATOM}title") or "").endswith("CALIBRATING → STALE, last asked 2 Mar 2026")
    assert model.verdicts[-1].shown == "CALIBRATING"


OTHER = "left-early"


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory, hostile_day: Callable[..., None]) -> Site:
    """Ten days of one model, of which another one was asked on the first four; read on the last of them."""
    results = tmp_path_factory.mktemp("left")
    for number in range(1, 11):
        hostile_day(results, f"2026-03-{number:02}")
        if number <= 4:
            scores = results / "daily" / f"2026-03-{number:02}" / SCORES
            lines = [msgspec.json.decode(line) for line in scores.read_bytes().splitlines()]
            more = [msgspec.json.encode(line | {"model": OTHER}) for line in lines]
            scores.write_bytes(scores.read_bytes() + b"\n".join(more) + b"\n")
    return load_site(results, now=datetime(2026, 3, 10, 20, tzinfo=UTC))


@pytest.mark.parametrize("surface", [each for each in SURFACES if each not in (*HISTORY, _layers)])
def test_a_model_that_was_not_asked_on_the_newest_day_is_stale_on_every_surface(
    left: Site, surface: Callable[[Site, Callable[[str], str]], Labels]
) -> None:
    assert surface(left, _reader(left))[OTHER] == "STALE, last asked 4 Mar 2026"


def test_asked_yesterday_and_not_today_is_stale_within_the_36_hours(left: Site) -> None:
    answered, verdict = {OTHER: left.days["2026-03-04"]}, left.tracked[OTHER].verdicts[-1]
    moment = datetime(2026, 3, 5, 6, tzinfo=UTC)
    assert mark_stale(verdict, answered, moment, newest="2026-03-05").shown == "STALE"
    assert mark_stale(verdict, answered, moment).shown != "STALE"


def test_the_feed_and_the_share_card_say_when_a_stale_model_was_last_asked(
    left: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles = [each.findtext(f"{ATOM}title") for each in _feed(left).findall(f"{ATOM}entry")]
    assert f"{OTHER}: CALIBRATING → STALE, last asked 4 Mar 2026" in titles
    for path in (f"share/models/{OTHER}.png", "share/site.png"):
        assert "STALE, last asked 4 Mar 2026" in _drawn(left, path, monkeypatch)


def test_all_lines_of_scores_end_on_the_newest_day(left: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a model which was not asked in the last six of ten days ends before the edge, everywhere."""
    model, read = left.tracked[OTHER], _reader(left)
    assert [day.score for day in list_history(left, model)] == [80.0] * 4 + [None] * 6
    (row,) = [
        each
        for each in re.findall(r"<tr data-status.*?</tr>", read("use-cases/"), re.DOTALL)
        if OTHER in each
    ]
    sparks = re.findall(r'<svg class="spark".*?<path d="([^"]+)"', row)
    reach = [4 + sum(map(int, re.findall(r"[l ](\d+)[+-]", line))) for line in sparks]
    assert sparks and all(line.startswith("M4 ") for line in sparks) and max(reach) < 144 / 2
    page = read(f"models/{OTHER}/")
    assert re.findall(r'data-days="([^"]+)"', page)[0].split() == list(left.records)
    for values in re.findall(r'data-kind="points".*?data-values="([^"]*)"', page, re.DOTALL):
        assert values == "80;80;80;80;;;;;;"
    assert read(f"models/{OTHER}/charts/daily-{model.use_cases[0]}.svg").count('class="CALIBRATING"') == 4
    case = next(path for path in addresses(left) if re.fullmatch("cases/.+/.+/", path))
    lines = re.findall(r'<svg class="history".*?</svg>', read(case), re.DOTALL)
    assert sorted(max(int(x) for x in re.findall(r"[MLH](\d+)", line)) for line in lines) == [14, 38]
    ends = [
        int(re.findall(r"[ML](\d+)", path)[-1])
        for path in re.findall(r'<path d="([^"]+)"', _drawn(left, "share/site.png", monkeypatch))
    ]
    assert sorted(ends) == [1105, 1136]


def test_a_banner_says_when_the_newest_day_is_older_than_36_hours(watched: Path) -> None:
    told = "the newest day is of 2 Mar 2026, 00:00 UTC, more than 36 hours ago"
    for hour, hides in ((11, True), (13, False)):
        site = load_site(watched, now=datetime(2026, 3, 3, hour, tzinfo=UTC))
        for path in ("", "use-cases/", "cases/", "methodology/"):
            (banner,) = re.findall(r'<p class="simulated"[^>]*><strong>OLD.*?</p>', _reader(site)(path))
            assert told in re.sub("<[^>]*>", "", banner)
            # A static copy shows it by its script at that moment.
            assert ('hidden data-stale-at="2026-03-03T12:00:00+00:00"' in banner) == hides


def test_the_dateline_tells_the_time(watched: Path, site: Site, read: Callable[[str], str]) -> None:
    now = load_site(watched, now=datetime(2026, 3, 2, 11, tzinfo=UTC))
    assert '<time datetime="2026-03-02T00:00:00+00:00">2 Mar 2026, 00:00 UTC</time>' in _reader(now)("")
    assert '<time datetime="2026-03-31">31 Mar 2026</time>' in read(""), "simulated: no time of day is true"
    assert "<strong>OLD" not in read("")


def _feed(site: Site) -> ElementTree.Element:
    return ElementTree.fromstring(_reader(site)("feed.atom"))


def _drawn(site: Site, path: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The picture as it was drawn, before it became a PNG."""
    monkeypatch.setattr("probatio.charts.figure.convert_to_png", lambda text, scale: text.encode())
    page = render(site, path)
    assert page is not None
    return page.body.decode()


def test_the_newest_entry_of_the_feed_is_the_present_verdict(site: Site, read: Callable[[str], str]) -> None:
    newest: Labels = {}
    for entry in ElementTree.fromstring(read("feed.atom")).findall(f"{ATOM}entry"):
        slug = (entry.findtext(f"{ATOM}id") or "").split(":")[2]
        newest.setdefault(slug, (entry.findtext(f"{ATOM}title") or "").rpartition(" → ")[2])
    assert len(newest) > 5
    assert newest == {slug: site.tracked[slug].last.label for slug in newest}


def test_the_sentence_of_the_front_page_counts_the_same_verdicts(
    site: Site, read: Callable[[str], str]
) -> None:
    counted = Counter(model.last.look for model in site.tracked.values())
    assert {"PROVEN", "COOKED", "ROUTE"} <= {*counted}
    news = html.unescape(re.findall(r'<p class="news">(.*?)</p>', read(""))[0])
    assert f"; {counted['PROVEN']} of {len(site.tracked)} proven worse" in news
    assert f"{counted['COOKED'] + counted['SUSPICIOUS']} look worse" in news
    assert f"; {counted['ROUTE']} worse by a new route; {counted['OK']} as usual" in news
    dateline = re.sub("<[^>]*>", "", re.findall(r'<p class="dateline">(.*?)</p>', read(""))[0])
    assert not any(label in dateline for label in get_args(Status)), "counted once, in the sentence"
    assert not any(model.id in news for model in site.tracked.values()), "names stand in the list"


def test_a_new_route_is_told_first_and_under_one_date(site: Site, read: Callable[[str], str]) -> None:
    model = site.tracked["demo-rerouted"]
    moved = model.last.changed_route
    assert moved and moved.since != model.last.headline_since
    lead = re.findall(r'<p class="lead reason">(.*?)</p>', read("models/demo-rerouted/"))[0]
    assert lead.startswith("demo-rerouted scores lower on its new route. CHANGED ROUTE")
    since = format_date(moved.since)
    assert f"{model.last.label} since {since}" in html.unescape(read("models/demo-rerouted/"))
    assert f'data-sort="{moved.since}">{since}' in read("use-cases/")


def test_a_date_in_the_name_of_a_model_stays_as_it_is() -> None:
    text = "gpt-4o-2024-08-06 is as usual again since 2026-11-20; vendor/x-2024-08-06: (2026-11-20)."
    assert format_dates(text) == (
        "gpt-4o-2024-08-06 is as usual again since 20 Nov 2026; vendor/x-2024-08-06: (20 Nov 2026)."
    )


def test_a_date_has_one_form_on_every_page_of_a_model(site: Site, read: Callable[[str], str]) -> None:
    day = site.last_date
    before = list(site.records)[-2]
    base = "models/demo-rerouted/"
    for path in (
        "", "use-cases/", "embed/", "falls/", base, f"{base}days/", f"{base}{day}/",
        f"{base}{day}/code_generation/", f"{base}diff/{before}..{day}/", "cases/code_generation/code-short/",
    ):  # fmt: skip
        text = re.sub("<pre.*?</pre>|<input[^>]*>|<[^>]*>", " ", read(path), flags=re.DOTALL)
        assert not re.findall(r"(?<!-)\b\d{4}-\d\d-\d\d\b", text), path


def test_the_drawn_pictures_carry_the_same_badge(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probatio.charts.figure.convert_to_png", lambda text, scale: text.encode())
    for slug, model in site.tracked.items():
        page = render(site, f"share/models/{slug}.png")
        assert page is not None
        texts = re.findall(r">([^<>]+)</text>", page.body.decode())
        words = (*get_args(Status), "CHANGED ROUTE")
        assert [text for text in texts if text.startswith(words)] == [model.last.label]
        assert feed.COLOURS[model.last.look] in page.body.decode()


def test_no_surface_is_green_on_a_confirmed_fall(site: Site, read: Callable[[str], str]) -> None:
    fallen = [slug for slug, model in site.tracked.items() if model.last.confirmed]
    assert len(fallen) > 1
    green = feed.COLOURS["OK"]
    for slug in fallen:
        for path in (f"models/{slug}/", f"models/{slug}/{site.last_date}/", f"embed/{slug}/"):
            assert 'class="badge OK"' not in read(path), path
        for path in (f"badges/{slug}.svg", f"badges/{slug}.json"):
            assert green not in read(path), path
        for path, row in (("", "li"), ("use-cases/", "tr"), ("embed/", "li")):
            (shown, *_) = [
                each
                for each in re.findall(rf"<{row}[ >].*?</{row}>", read(path), re.DOTALL)
                if f"/{slug}/" in each
            ]
            assert 'class="badge OK"' not in shown, path


def _shown(
    site: Site, read: Callable[[str], str], slug: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """What each surface shows of one model, as it is drawn."""
    rows = {
        path: next(
            each
            for each in re.findall(rf"<{row}[ >].*?</{row}>", read(path), re.DOTALL)
            if f"/{slug}/" in each
        )
        for path, row in (("", "li"), ("use-cases/", "tr"), ("embed/", "li"))
    }
    model, day = f"models/{slug}/", f"models/{slug}/{site.last_date}/"
    rows |= {path: read(path).split("</h1>")[0].split("<h1>")[1] for path in (model, day)}
    rows |= {path: read(path) for path in (f"embed/{slug}/", f"badges/{slug}.svg", f"badges/{slug}.json")}
    standings = msgspec.json.decode(read("api/leaderboard.json"))["models"]
    rows["api"] = next(each["label"] for each in standings if each["slug"] == slug)
    entries = (
        each
        for each in _feed(site).findall(f"{ATOM}entry")
        if f":{slug}:" in (each.findtext(f"{ATOM}id") or "")
    )
    rows["feed"] = next(entries).findtext(f"{ATOM}title") or ""
    return rows | {"card": _drawn(site, f"share/models/{slug}.png", monkeypatch)}


RED = feed.COLOURS["PROVEN"]


def test_solid_red_is_proven_on_every_surface_and_the_rest_says_not_proven(
    site: Site, read: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: dict[str, str] = {model.last.look: slug for slug, model in site.tracked.items()}
    for look, words, solid in (
        ("PROVEN", "COOKED, confirmed", True),
        ("COOKED", "COOKED, not proven", False),
    ):
        shown = _shown(site, read, looks[look], monkeypatch)
        for surface, text in shown.items():
            assert words in text, surface
            if 'class="badge' in text:
                assert f'class="badge {look}"' in text, surface
        assert (f'fill="{RED}"/>' in shown[f"badges/{looks[look]}.svg"]) == solid
        assert (RED in shown[f"badges/{looks[look]}.json"]) == solid
        assert (f'fill="{RED}"' in re.findall("<rect[^>]*rx=[^>]*>", shown["card"])[0]) == solid
    style = (Path(rendering.__file__).parent / "assets" / "style.css").read_text()
    (solid_rule,) = re.findall(r"([^{}]*){background:var\(--cooked-solid\)", style)
    assert solid_rule.strip() == ".badge.PROVEN"


def test_a_loss_by_a_new_route_is_a_badge_of_its_own_and_nowhere_green(
    site: Site, read: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (slug,) = [slug for slug, model in site.tracked.items() if model.last.look == "ROUTE"]
    change = site.tracked[slug].last.changed_route
    assert change is not None
    for surface, text in _shown(site, read, slug, monkeypatch).items():
        assert change.note in text, surface
        assert not re.search(r'class="badge OK"|">OK|→ OK', text), surface
        assert surface == "card" or feed.COLOURS["OK"] not in text, surface
    assert "1 worse by a new route" in html.unescape(read(""))
    assert re.search(r'<li data-status="ROUTE">', read(""))


def test_marks_and_bars_of_days_are_solid_only_where_it_was_proven(
    site: Site, read: Callable[[str], str]
) -> None:
    for look, slug in {model.last.look: slug for slug, model in site.tracked.items()}.items():
        page = read(f"models/{slug}/")
        if look == "COOKED":
            assert 'class="mark COOKED"' in page and 'class="mark PROVEN"' not in page
            assert page.count('class="mark COOKED"') == page.count('class="mark hollow"')
        elif look == "PROVEN":
            assert 'class="mark PROVEN"' in page
    lines = re.findall(r"<li data-status.*?</li>", read(""), re.DOTALL)
    for line in lines:
        slug = re.findall(r"models/([^/]+)/", line)[0]
        assert ('class="PROVEN"' in line) == any(each.confirmed for each in site.tracked[slug].verdicts)


def test_the_board_says_how_many_false_flags_this_many_models_show_in_a_year(
    site: Site, read: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    many = len(site.tracked)
    figures = find_figures(site.manifest, None)
    assert figures is not None
    worst = many * max(each.cooked.value for each in figures.quiet)
    front = html.unescape(read(""))
    assert f"False alarms to expect if all {many} models were healthy" in front
    assert f"to {worst:.2g} COOKED a year" in front
    # A suite of one's own has its own figures, or none; never those of another suite.
    monkeypatch.setattr("probatio.watch.alerts.describing.find_figures", lambda manifest, folder: None)
    assert "COOKED" not in re.findall(r"False alarms[^<]*", _reader(site)(""))[0]


def test_the_samples_of_a_fallen_model_tell_the_level_before_that_its_page_tells(
    site: Site, read: Callable[[str], str]
) -> None:
    for look, slug in {model.last.look: slug for slug, model in site.tracked.items()}.items():
        if look not in ("PROVEN", "COOKED"):
            continue
        model = site.tracked[slug]
        for use_case, usual in measure_usual(model).items():
            page = read(f"models/{slug}/{site.last_date}/{use_case}/")
            head, _, details = page.partition("<details>")
            lead = re.sub("<[^>]*>", "", head.split('<p class="lead">')[1])
            assert f" points, usually {usual:.0f}" in lead and "±" not in lead
            assert "rolling baseline" in details
            assert f" points, usually {usual:.0f}" in read(f"models/{slug}/")


def _fallen_with_a_reference(site: Site) -> list[TrackedModel]:
    lines = site.manifest.evidence
    return [
        model
        for model in site.tracked.values()
        if model.last.shown in BAD and model.last.reference_days >= lines.reference_days
    ]


def test_what_is_usual_for_a_fallen_model_is_one_number_on_every_surface(
    site: Site, demo: Path, read: Callable[[str], str]
) -> None:
    done = probatio("verdict", "--json", "--results", str(demo), cwd=demo)
    (told,) = (json.loads(each) for each in done.stdout.splitlines() if '"verdicts"' in each)
    rows = {each["slug"]: each for each in json.loads(read("api/leaderboard.json"))["models"]}
    titles = {title: name for name, title in site.titles.items()}
    fallen = _fallen_with_a_reference(site)
    assert {model.last.look for model in fallen} >= {"PROVEN", "COOKED"}
    for model in fallen:
        base, last = f"models/{model.slug}", site.last_date
        page, day = read(f"{base}/"), html.unescape(re.sub("<[^>]*>", " ", read(f"{base}/{last}/")))
        levels = told["levels"][model.id]
        assert levels == rows[model.slug]["level"] == json.loads(read(f"api/{base}.json"))["level"]
        assert len(levels["days"]) == model.last.reference_days and levels["reference"]
        diffs = [read(f"{base}/{pair.address}") for pair in story_pairs(site, model)]
        for use_case, level in levels["scores"].items():
            usually, title = f"usually {level:.0f}", site.title(use_case)
            (chart,) = re.findall(rf'id="use-{use_case}".*?class="readout">([^<]*)', page, re.DOTALL)
            assert chart.endswith(f" points, {usually}")
            lead = read(f"{base}/{last}/{use_case}/").split('<p class="lead">')[1].split("</p>")[0]
            assert lead.endswith(f" points, {usually}")
            assert re.search(rf"{re.escape(title)}\s+\S+ points, {usually}\.", day)
            for diff in diffs:
                (row,) = re.findall(rf'<th scope="row">{re.escape(html.escape(title))}</th>(.*?)</tr>', diff)
                assert re.findall(r"<td[^>]*>([^<]*)", row)[2] == f"{level:.0f}"
        texts = [
            VerdictDescriber(demo).message(model.last),
            told["told"][model.id]["sentences"][0],
            html.unescape(page),
            html.unescape(read("").split(f"models/{model.slug}/")[1].split("</li>")[0]),
        ]
        named = rf"({'|'.join(map(re.escape, titles))})(?: \(|: )[\d.]+ points, usually (\d+)"
        said = [re.findall(named, text) for text in texts]
        assert all(said) or (model.last.confirmed and any(said))
        for title, number in chain(*said):
            assert number == f"{levels['scores'][titles[title]]:.0f}", (model.id, title)
        assert model.teller is not None
        for change in model.teller.describe(model.last, began=model.fell_on(model.last)).cases:
            case = read(site.case_address(titles[change.use_case], change.case))
            (row,) = re.findall(rf'href="[./]*{base}/">.*?</tr>', case)
            assert re.findall(r'<td class="num"[^>]*>([^<]*)', row)[0] == f"{100 * change.before:.0f} %"


def test_every_surface_says_the_same_day_of_a_fall(site: Site, read: Callable[[str], str]) -> None:
    """Of a proven fall the day it is dated to, of another one the day it was first seen; not the day of the
    badge."""
    rows = {each["slug"]: each for each in msgspec.json.decode(read("api/leaderboard.json"))["models"]}
    for slug, model in site.tracked.items():
        began = model.fell_on(model.last)
        if began is None:
            continue
        assert rows[slug]["since"] == began
        words = f"{int(began[8:])} March"
        for text in (
            rows[slug]["reason"],
            next(
                row
                for row in re.findall(r"<li data-status.*?</li>", read(""), re.DOTALL)
                if f"/{slug}/" in row
            ),
            read(f"embed/{slug}/"),
        ):
            assert words in text, slug
        described = re.findall(r'og:description" content="([^"]*)"', read(f"models/{slug}/"))[0]
        assert f"{int(began[8:])} Mar 2026" in described, slug


def test_an_imported_row_says_so_in_the_feed_the_api_the_badges_and_the_table(site: Site) -> None:
    model = site.tracked["demo-cooked"]
    other = replace(
        site, tracked=site.tracked | {model.slug: replace(model, imported=frozenset({model.last.date}))}
    )

    def text(path: str) -> str:
        page = render(other, path)
        assert page is not None
        return page.body.decode()

    rows = {
        each["slug"]: each["imported"] for each in msgspec.json.decode(text("api/leaderboard.json"))["models"]
    }
    assert [slug for slug, imported in rows.items() if imported] == [model.slug]
    series = msgspec.json.decode(text(f"api/models/{model.slug}.json"))
    assert [day for day, imported in zip(series["dates"], series["imported"], strict=True) if imported] == [
        model.last.date
    ]
    changes = [each for each in msgspec.json.decode(text("api/changes.json")) if each["imported"]]
    assert [(each["slug"], each["date"]) for each in changes] == [(model.slug, model.last.date)]
    titles = [entry.findtext(f"{ATOM}title") or "" for entry in ElementTree.fromstring(text("feed.atom"))]
    assert [title for title in titles if "IMPORTED" in title] == [
        "SIMULATED: IMPORTED: demo-cooked: SUSPICIOUS → COOKED, not proven"
    ]
    assert "(imported)" in text(f"badges/{model.slug}.svg") and "(imported)" not in text(
        "badges/demo-steady.svg"
    )
    assert [text(path).count(">IMPORTED<") for path in ("", "use-cases/")] == [1, 1]
