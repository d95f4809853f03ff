"""The pages: one table, whole links, nothing of the machine, nothing that runs."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from posixpath import join, normpath
from typing import NamedTuple
from urllib.parse import urldefrag

import msgspec
import pytest
from starlette.testclient import TestClient

from probatio.builtin.daily.graders import daily_fingerprint
from probatio.core.records import MARKS
from probatio.core.text.names import make_slugs
from probatio.site.addresses import addresses, render
from probatio.site.facts.asked_cases import find_suite
from probatio.site.facts.noise import find_noise
from probatio.site.feed import COLOURS
from probatio.site.pages import methodology
from probatio.site.pages.models import day_points
from probatio.site.rendering import PAGE_BYTES, POLICY, format_date, scrub
from probatio.site.rendering import json as as_json
from probatio.site.snapshot import Site, load_site
from probatio.suites.daily_suite import load_daily
from probatio.watch.simulate.figures import (
    AfterFault,
    Characteristics,
    Detection,
    Measured,
    QuietYears,
    RuleFacts,
)

pytestmark = pytest.mark.slow  # a site of simulated days


_TAG = re.compile(r"""<([a-zA-Z][^\s/>]*+)((?:[^>"']++|"[^"]*"|'[^']*')*+)>""")
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")


class _Tag(NamedTuple):
    """What the tests ask of one opening tag."""

    links: list[str]
    id: str
    inline: list[str]  # what a strict policy would have to stop


@cache
def _read_tag(tag: str, rest: str) -> _Tag:
    """Kept, because most tags stand on hundreds of pages."""
    attributes = {name.lower(): unescape(value.strip("\"'")) for name, value in _ATTRIBUTE.findall(rest)}
    inline = [f"{tag} {name}" for name in attributes if name.startswith("on") or name == "style"]
    if tag == "style" or (tag == "script" and "src" not in attributes):
        inline.append(tag)
    if attributes.get("href", "").casefold().startswith("javascript:"):
        inline.append("javascript:")
    links = [attributes[name] for name in ("href", "src") if name in attributes]
    return _Tag(links, attributes.get("id", ""), inline)


class _Markup:
    """Links, and whatever a strict policy would have to stop. Whatever looks like a tag is read as one."""

    def __init__(self, text: str) -> None:
        tags = [_read_tag(match[1].lower(), match[2]) for match in _TAG.finditer(text)]
        assert len(tags) == len(re.findall("<[a-zA-Z]", text)), "a tag that can't be read"
        self.links = [link for tag in tags for link in tag.links]
        self.ids = {tag.id for tag in tags}
        self.inline = [each for tag in tags for each in tag.inline]


@pytest.fixture(scope="module")
def files(built: Path, paths: list[str]) -> dict[str, Path]:
    """Address → its file in the build."""
    return {path: built / (f"{path}index.html" if _is_page(path) else path) for path in paths}


@pytest.fixture(scope="module")
def pages(files: dict[str, Path]) -> dict[str, bytes]:
    """What was rendered; tables and raw files are copied."""
    return {path: file.read_bytes() for path, file in files.items() if not path.startswith(("data/", "raw/"))}


@pytest.fixture(scope="module")
def markup(pages: dict[str, bytes]) -> dict[str, _Markup]:
    return {path: _Markup(body.decode()) for path, body in pages.items() if _is_page(path)}


def _is_page(path: str) -> bool:
    return path.endswith("/") or not path


def test_every_listed_address_answers(files: dict[str, Path]) -> None:
    assert not [path for path, file in files.items() if not file.is_file()]


def test_every_link_leads_to_a_page_that_is_listed(paths: list[str], markup: dict[str, _Markup]) -> None:
    known = set(paths)
    broken = set()
    for path, parsed in markup.items():
        for link in parsed.links:
            if link.startswith(("https://", "#", "data:")):
                continue
            address, anchor = urldefrag(link)
            target = normpath(join("/", path, address)).lstrip("/")
            if address.endswith("/"):
                target = f"{target}/" if target else ""
            if target not in known or (anchor and anchor not in markup[target].ids):
                broken.add((path, link))
    assert not broken


def test_no_page_is_larger_than_150_kilobytes(pages: dict[str, bytes]) -> None:
    assert not {path: len(body) for path, body in pages.items() if len(body) > PAGE_BYTES and _is_page(path)}


def test_links_never_begin_at_the_server_root(markup: dict[str, _Markup]) -> None:
    assert not [
        (path, link) for path, parsed in markup.items() for link in parsed.links if link.startswith("/")
    ]


def test_no_page_has_inline_script_or_style(markup: dict[str, _Markup]) -> None:
    assert not {path: parsed.inline for path, parsed in markup.items() if parsed.inline}


def test_every_page_says_simulated_and_carries_the_policy(pages: dict[str, bytes]) -> None:
    for path, body in pages.items():
        if _is_page(path):
            assert b"<strong>SIMULATED</strong>" in body, path
            assert b"Content-Security-Policy" in body, path
    assert b"SIMULATED" in pages["feed.atom"]
    assert b"(simulated)" in pages["badges/demo-cooked.svg"]


def test_no_page_tells_a_path_of_the_machine(site: Site, pages: dict[str, bytes]) -> None:
    places = [str(site.results).encode(), str(Path.cwd()).encode(), f"{Path.home()}/".encode()]
    assert not [(path, place) for path, body in pages.items() for place in places if place in body]


def test_a_path_in_a_reason_is_taken_out_of_every_reply() -> None:
    body = as_json({"reason": f"no weights at {Path.home()}/models/a.gguf"}).body
    assert str(Path.home()).encode() not in body
    assert b"no weights at" in body


def test_the_live_server_gives_the_same_page(client: TestClient, pages: dict[str, bytes]) -> None:
    for path in (
        "methodology/",
        "models/demo-cooked/charts/evidence.svg",
        "learnability/",
        "bench/",
    ):
        assert client.get(f"/{path}").content == pages[path], path
    feed = client.get("/feed.atom").text.replace("http://testserver/", "")
    assert feed.replace('href=""', 'href="./"').encode() == pages["feed.atom"], "but for whole addresses"


ORDER = ["STALE", "GAP", "COOKED", "SUSPICIOUS", "ROUTE", "CALIBRATING", "OK"]


def test_the_board_shows_the_worst_first_with_words_and_marks(pages: dict[str, bytes]) -> None:
    for path, row in (("", r'<li data-status="(\w+)">'), ("use-cases/", r'<tr data-status="(\w+)">')):
        order = re.findall(row, pages[path].decode())
        assert order == sorted(order, key=ORDER.index)
        assert set(order) >= {"COOKED", "OK", "CALIBRATING"}
        assert f"{MARKS['COOKED']}</span> COOKED" in pages[path].decode()


def test_the_front_page_says_what_is_asked_then_what_is_new_then_who(
    site: Site, pages: dict[str, bytes]
) -> None:
    text = pages[""].decode()
    assert "<title>Did your AI model get worse? · Probatio</title>" in text
    told = [
        '<h1 class="question">Did your AI model get worse?</h1>',
        f"<p>{len(site.tracked)} models are asked the same 50 questions every day.</p>",
        "Nothing new since yesterday; ",
        '<ul id="board"',
    ]
    body = text.partition("<body>")[2].replace(' class="asked"', "")
    at = [body.index(part) for part in told]
    assert at == sorted(at)


def test_every_model_has_one_badge_one_line_and_one_reason(site: Site, pages: dict[str, bytes]) -> None:
    rows = re.findall(r"<li data-status=.*?</li>", pages[""].decode(), re.DOTALL)
    assert len(rows) == len(site.tracked)
    for row in rows:
        assert (
            row.count('class="badge '),
            row.count('<svg class="history"'),
            row.count('class="reason"'),
        ) == (1, 1, 1)
        (reason,) = re.findall(r'class="reason">([^<]*)', row)
        assert 15 < len(reason) < 170 and reason.strip().endswith("."), reason
    forgotten = next(row for row in rows if "demo-forgotten" in row)
    score, usual = map(int, re.findall(r"(\d+) points, usually (\d+)", forgotten)[0])
    assert score < 0.85 * usual, (
        "usual is what was before the fall, not what the baseline followed it down to"
    )
    assert "Rule: OK" in forgotten and "Evidence: CONFIRMED" in forgotten, "both layers one click below"


def test_nothing_says_ok_in_its_colour_on_a_model_whose_fall_is_confirmed(
    site: Site, pages: dict[str, bytes]
) -> None:
    fallen = [model for model in site.tracked.values() if model.last.confirmed]
    assert fallen
    for model in fallen:
        base = f"models/{model.slug}/"
        today = f"{base}{model.last.date}/"
        for path in (base, today, *(f"{today}{use_case}/" for use_case in model.use_cases)):
            assert not re.findall(r'class="badge (?:OK|RECOVERED|QUIET)"', pages[path].decode()), path
        assert b"OK<" not in pages[f"badges/{model.slug}.svg"]
        assert msgspec.json.decode(pages[f"badges/{model.slug}.json"])["color"] == COLOURS["COOKED"]
        for use_case in model.use_cases:
            days = zip(model.verdicts, day_points(model.series(use_case)), strict=True)
            assert not [day.date for day, point in days if day.confirmed and point.status == "OK"]


def test_the_days_in_numbers_tell_how_many_answers_and_how_much_noise(site: Site) -> None:
    model = site.tracked["demo-cooked"]
    page = render(site, "models/demo-cooked/days/")
    assert page is not None
    (newest,) = re.findall(rf"(<tr>.*{re.escape(format_date(model.last.date))}.*</tr>)", page.body.decode())
    answers = sum(line.n for line in site.days[model.last.date].lines[model.id].values())
    assert f'<td class="num">{answers}</td>' in newest
    (usual,) = re.findall(r'<tr><th scope="row">Usual noise.*</tr>', page.body.decode())
    noise = find_noise(model, model.fell_on(model.last))
    assert re.findall(r"± ([\d.]+)", usual) == [f"{noise[each]:.1f}" for each in model.use_cases]


def test_days_are_paged_by_year(site: Site) -> None:
    model = site.tracked["demo-steady"]
    old = tuple(msgspec.structs.replace(each, date=f"2024{each.date[4:]}") for each in model.verdicts)
    records = {each.date: site.records[model.last.date] for each in (*old, *model.verdicts)}
    two = replace(
        site, records=records, tracked={model.slug: replace(model, verdicts=(*old, *model.verdicts))}
    )
    paths = [path for path in addresses(two) if "/days/" in path and path.startswith("models/")]
    assert paths == ["models/demo-steady/days/", "models/demo-steady/days/2024/"]
    shown = []
    for path in paths:
        page = render(two, path)
        assert page is not None
        shown += re.findall(r'<tr><th scope="row">(?:<a [^>]*>)?(\d[^<]+)', page.body.decode())
    assert shown == [format_date(each.date) for each in (*reversed(model.verdicts), *reversed(old))]
    for path, years in (("downloads/", {"2026"}), ("downloads/2024/", {"2024"})):
        page = render(two, path)
        assert page is not None
        assert set(re.findall(r"<li>\d+ \w+ (\d{4}): ", page.body.decode())) == years
    for path in (
        "models/demo-steady/days/2025/",
        "models/demo-steady/days/2026/",
        "downloads/2025/",
        "downloads/2026/",
    ):
        assert render(two, path) is None


def test_a_front_page_of_thirty_models_is_small(site: Site) -> None:
    model = site.tracked["demo-slowly-worse"]
    last = msgspec.structs.replace(model.last, model="a-vendor/some-model-with-a-long-name-2026-03-31")
    many = {
        f"a-model-of-some-length-{number}": replace(
            model,
            id=f"{last.model}-{number}",
            slug=f"a-model-of-some-length-{number}",
            verdicts=(*model.verdicts[:-1], last),
        )
        for number in range(30)
    }
    for path, limit in (("", 80_000), ("use-cases/", 150_000)):
        page = render(replace(site, tracked=many), path)
        assert page is not None
        assert len(page.body) < limit, path


def test_a_model_page_says_why_in_plain_words_with_the_numbers_under_details(pages: dict[str, bytes]) -> None:
    page = pages["models/demo-cooked/"].decode()
    words = r"demo-cooked answers worse since 30 Mar 2026 in [A-Z][^.]* \(\d+ points, usually"
    assert re.search(rf'class="lead reason">{words}', page)
    assert re.search(
        r"<summary>Details</summary>.*COOKED since \d+ Mar 2026: \d+ use cases cooked \(.*z −\d", page
    )


def test_an_outage_is_told_as_a_gap_and_drawn_as_one(site: Site) -> None:
    model = site.tracked["demo-outage"]
    chart = render(site, "models/demo-outage/charts/daily-math_reasoning.svg")
    assert chart is not None
    gaps = sum(verdict.status == "GAP" for verdict in model.verdicts)
    assert gaps == 5
    assert chart.body.count(b'class="GAP"') == gaps
    (line,) = re.findall(rb'<path class="value" d="([^"]+)"', chart.body)
    assert line.count(b"M") == 2, "the line breaks at the outage"


def test_every_sample_shows_prompt_answer_grade_marks_and_cost(client: TestClient) -> None:
    page = client.get("/models/demo-steady/2026-03-31/summarization/").text
    for part in (
        "Prompt",
        "SIMULATED answer",
        "Judge&#39;s criterion",
        "Served by",
        "Aster",
        "Tokens in / out",
        "Latency",
    ):
        assert part.replace("&#39;", "'") in page.replace("&#39;", "'"), part


def test_the_methodology_holds_no_number_of_its_own() -> None:
    import probatio.site

    template = (Path(probatio.site.__file__).parent / "templates" / "methodology.html").read_text()
    words = re.sub(r"\{[{%].*?[%}]\}|<[^>]*>", "", template, flags=re.DOTALL)
    assert not re.findall(r"\d", words)


def test_the_methodology_follows_the_manifest(site: Site) -> None:
    page = render(site, "methodology/")
    assert page is not None
    text = page.body.decode()
    assert f"{site.manifest.evidence.confirmed:,.0f}" in text
    assert f"{100 * site.manifest.rule.judged.collapse:.0f} %" in text
    assert "frozen ladders" in text and "What breaks the bound" in text


def test_the_methodology_shows_the_simulators_figures(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    share = Measured(0.1234, 0.1, 0.2, 500)
    soon = Detection(share, 3.0, 5.0)
    shares = (share, share, share, share, share, share, share, share)
    quiet = QuietYears("partial", "gaussian", 500, 365, *shares, 1.5)
    fault = AfterFault(
        "drop-20-all", "partial", "gaussian", 500, 90, False, soon, soon, soon, soon, share, None, None
    )
    facts = RuleFacts(-1.79, *[share] * 4)
    made = Characteristics(site.manifest.version, 1, 500, 365, (quiet,), (fault,), facts, "other constants")
    monkeypatch.setattr(methodology, "find_figures", lambda manifest, folder: made)
    page = render(site, "methodology/")
    assert page is not None
    text = page.body.decode()
    assert text.count("12.3 %") > 5
    assert "tends to −1.79" in text
    assert "taken with other constants" in text
    monkeypatch.setattr(methodology, "find_figures", lambda manifest, folder: None)
    bare = render(site, "methodology/")
    assert bare is not None
    assert "<code>probatio suite simulate SUITE</code>" in bare.body.decode()


def test_an_empty_folder_names_the_commands_that_fill_it(tmp_path: Path) -> None:
    empty = load_site(tmp_path)
    for path, command in (
        ("", "probatio daily"),
        ("", "probatio site demo"),
        ("learnability/", "probatio trial"),
        ("downloads/", "probatio daily"),
        ("bench/", "config/bench.yml"),
    ):
        page = render(empty, path)
        assert page is not None
        assert command in page.body.decode(), path
    assert not [path for path in addresses(empty) if render(empty, path) is None]


def test_slugs_are_plain_and_never_shared() -> None:
    named = make_slugs(["GPT 4", "gpt-4", "gpt/4", "../..", "日本"])
    assert named == {
        "GPT 4": "gpt-4",
        "gpt-4": "gpt-4-2",
        "gpt/4": "gpt-4-3",
        "../..": "model",
        "日本": "model-2",
    }


def test_hostile_text_is_text_on_every_page(hostile: Path) -> None:
    site = load_site(hostile)
    slug = next(iter(site.tracked))
    shown = 0
    for path in addresses(site):
        page = render(site, path)
        if page is None or page.file is not None or path.startswith("assets/") or page.kind == "image/png":
            continue
        text = page.body.decode()
        if "json" not in page.kind:
            assert "<script>top" not in text, path
            assert "<img src=x" not in text, path
        shown += "scriptRan" in text
    assert shown > 10
    samples = render(site, f"models/{slug}/2026-03-01/web_design/")
    assert samples is not None
    assert "&lt;script&gt;top.scriptRan=1" in samples.body.decode()


def test_a_page_a_model_wrote_is_framed_without_any_right(hostile: Path) -> None:
    site = load_site(hostile)
    slug = next(iter(site.tracked))
    inert = render(site, f"models/{slug}/2026-03-01/web_design/0.html")
    assert inert is not None
    text = inert.body.decode()
    assert '<iframe sandbox="" ' in text
    assert "<script" not in text
    assert inert.policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in inert.policy


def test_errors_are_told_without_paths_of_the_machine(hostile: Path) -> None:
    site = load_site(hostile)
    slug = next(iter(site.tracked))
    page = render(site, f"models/{slug}/2026-03-01/web_design/")
    assert page is not None
    text = page.body.decode()
    assert "…/secret" in text
    assert str(Path.cwd()) not in text
    assert f"{Path.home()}/" not in text


def test_the_policy_lets_nothing_in_from_elsewhere() -> None:
    assert POLICY.startswith("default-src 'none'")
    assert "unsafe" not in POLICY
    assert "http" not in POLICY


def test_the_folder_one_is_in_is_left_out_wherever_one_was_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scrub(f"{Path.cwd()}/x") == "…/x"
    monkeypatch.chdir(tmp_path)
    assert scrub(f"{tmp_path}/x") == "…/x"


def test_the_navigation_has_five_entries_and_every_page_a_search(pages: dict[str, bytes]) -> None:
    for path in ("", "cases/", "models/demo-cooked/", "bench/", "404.html"):
        text = pages[path].decode()
        (nav,) = re.findall(r'<nav aria-label="Main">(.*?)</nav>', text, re.DOTALL)
        assert re.findall(r">([^<>]+)</a>", nav) == ["Today", "Learnability", "Methodology", "Data", "Docs"]
        assert re.search(r'<form class="find" role="search" [^>]*action="[./]*search/">', text)
    for path, name in (
        ("cases/", "Today"),
        ("models/demo-cooked/", "Today"),
        ("bench/", "Data"),
    ):
        (here,) = re.findall(r'aria-current="true">([^<]+)</a>', pages[path].decode().split("</header>")[0])
        assert here == name
    for linked in ("api/openapi.json", "embed/", "bench/", "feed.atom", "raw/", "data/"):
        assert f'href="../{linked}' in pages["downloads/"].decode()
    assert 'href="../cases/"' in pages["use-cases/"].decode(), "cases are reached from the second view"


def test_a_case_shows_its_prompt_and_what_is_checked_if_the_suite_is_there(
    site: Site, pages: dict[str, bytes]
) -> None:
    page = unescape(pages["cases/math_reasoning/math-products/"].decode())
    assert "<h2>What is asked</h2>" in page and "A1. 8 + 2 =" in page
    assert "compares an answer with" in page
    judged = unescape(pages["cases/creative_writing/cw-night-bus-poem/"].decode())
    suite = load_daily()
    rubric = suite.use_cases["creative_writing"].rubric
    assert rubric is not None and all(f"<li>{each.question}</li>" in judged for each in rubric.criteria)
    record = site.records[site.last_date or ""]
    real = msgspec.structs.replace(record, simulated=False)
    assert find_suite(site.results, real) is None, (
        "a suite that was changed since is not shown as what was asked"
    )
    asked = msgspec.structs.replace(real, suite_fingerprint=daily_fingerprint(suite))
    assert find_suite(site.results, asked) is not None
    assert find_suite(site.results, msgspec.structs.replace(asked, suite_version="0")) is None
    assert find_suite(site.results, msgspec.structs.replace(asked, suite="gone/suite")) is None
