"""The learnability pages, from the runs kept in the repository."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from markupsafe import escape

from probatio.core.text.names import make_slugs
from probatio.learn.compare import compare
from probatio.learn.findings import Condition, Place
from probatio.learn.gains import Gain, GainComparison
from probatio.learn.report.rules import summarise_rules
from probatio.runs.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.site.addresses import addresses, render
from probatio.site.facts.runs import StudiedRun
from probatio.site.facts.teaching import condition_address, list_taught
from probatio.site.pages import learnability
from probatio.site.pages import trials as trial_pages
from probatio.site.pages.learnability import pairs
from probatio.site.rendering import PAGE_BYTES, format_date
from probatio.site.snapshot import Site, load_site
from probatio.watch.ledger.ledger import SHORT

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

RESULTS = Path(__file__).parents[2] / "examples" / "runs"


@pytest.fixture(scope="module")
def studies() -> Site:
    return load_site(RESULTS)


def _text(site: Site, path: str) -> str:
    page = render(site, path)
    assert page is not None, path
    return page.body.decode()


def test_a_run_page_shows_the_studys_own_numbers(studies: Site) -> None:
    page = _text(studies, "learnability/sample-0.5b/")
    study = studies.runs["sample-0.5b"].study
    assert f"{study.overall.asked} answers to {study.overall.tasks} tasks" in page
    for funnel in study.funnels:
        for error, count in funnel.errors.items():
            assert re.search(rf"<td>{error}</td><td class=\"num\">{count}</td>", page)
    for task in study.hardest:
        assert task.task_id in page
    steps = next(axis.levels for axis in study.axes if axis.name == "difficulty")
    assert page.count('class="num heat-') == len(study.curves[0].points) + len(steps)


@pytest.mark.parametrize("path", ["learnability/sample-0.5b/", "learnability/"])
def test_every_mark_of_a_curve_tells_its_rate_and_leads_to_its_trials(studies: Site, path: str) -> None:
    run = studies.runs["sample-0.5b"]
    (curve,) = run.study.curves
    marks = dict(re.findall(r'<a href="([^"]+)"><title>([^<]+)</title><use ', _text(studies, path)))
    for point in curve.points:
        condition = Condition(curve.model, curve.dialect, point.context, point.n_shot)
        told = marks[condition_address(run, condition).removeprefix(path)]
        percent = 100 * point.rate.passed / point.rate.asked
        assert f"{point.context}, {point.n_shot}-shot, {point.tokens:,} tokens: {percent:.0f} % right" in told
        assert f"{point.rate.asked} answers to {point.rate.tasks} tasks" in told


def test_the_picture_of_the_curves_draws_a_mark_for_every_condition(studies: Site) -> None:
    root = ElementTree.fromstring(_text(studies, "learnability/sample-0.5b/curves.svg"))
    marks = [
        mark
        for group in root.iter()
        if group.get("class") == "c0"
        for mark in group.iter()
        if "href" in mark.attrib
    ]
    assert len(marks) == len(studies.runs["sample-0.5b"].study.curves[0].points)


def test_dialects_are_compared_where_several_were_asked(studies: Site) -> None:
    page = _text(studies, "learnability/sample-dialects/")
    axis = next(axis for axis in studies.runs["sample-dialects"].study.axes if axis.name == "dialect")
    assert len(axis.levels) > 1
    for level in axis.levels:
        assert f'<th scope="row">{level.name}</th>' in page


def test_a_page_of_trials_shows_prompt_answer_and_diagnostics_of_each(studies: Site) -> None:
    run = studies.runs["sample-0.5b"]
    first = run.packs[1]
    page = _text(studies, f"learnability/sample-0.5b/trials/{first}/")
    for heading in ("Prompt", "Answer", "Diagnostics", "Expected output"):
        assert f"<h4>{heading}" in page
    members = [trial for trial in run.trials if run.pack_of(trial.number) == first]
    assert members[0].number == first and len(members) > 1
    for text in run.texts([trial.number for trial in members]):
        assert f'id="t{text.trial.number}"' in page
        assert text.response is not None
        assert text.response.key == text.grade.key == text.trial.grade.key
        assert str(escape(text.response.response)) in page
        assert str(escape(text.response.prompt[-60:])) in page


def test_only_a_text_that_may_scroll_is_a_stop_of_the_tab_key(studies: Site) -> None:
    page = _text(studies, "learnability/sample-0.5b/trials/0/")
    texts = re.findall(r'<pre( tabindex="0")?>(.*?)</pre>', page, re.S)
    stops = {text: bool(stop) for stop, text in texts}
    assert set(stops.values()) == {True, False}
    assert all(stops[text] == (len(unescape(text)) / 28 + text.count("\n") > 10) for text in stops)


def test_an_answer_of_no_provider_names_its_model_and_no_dash(studies: Site) -> None:
    page = _text(studies, "learnability/sample-0.5b/trials/0/")
    assert " · answered as qwen2.5-coder-0.5b" in page and "served by" not in page


def test_a_run_says_how_to_cite_it(studies: Site) -> None:
    record = studies.runs["sample-kcl"].record
    page = _text(studies, "learnability/sample-kcl/")
    made, print_ = format_date(record.created[:10]), record.suite_fingerprint[:SHORT]
    assert f"run sample-kcl of {made}, suite kcl {record.suite_version} ({print_})." in page


def test_the_page_of_a_trial_stays_while_the_run_grows(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / "sample-0.5b", tmp_path / "run")
    lines = (tmp_path / "run" / GRADES).read_bytes().splitlines(keepends=True)
    whole = StudiedRun("run", RESULTS / "sample-0.5b")
    graded_again = lines[7].replace(b'"error_detail":', b'"error_detail":"other","was":')
    (tmp_path / "run" / GRADES).write_bytes(b"".join([*lines[:90], graded_again]))
    part = StudiedRun("run", tmp_path / "run")
    assert len(part.trials) == 90
    assert len(part.packs) > 3
    assert whole.packs[: len(part.packs)] == part.packs


def test_no_page_of_trials_is_larger_than_the_limit_however_long_the_answers(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / "sample-dialects", tmp_path / "results" / "run")
    file = tmp_path / "results" / "run" / ANSWERS
    answers = [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]
    answers[3]["response"] = "'" * 400_000
    for answer in answers[5:25]:
        answer["response"] = "<" * 9_000
    file.write_bytes(b"".join(msgspec.json.encode(answer) + b"\n" for answer in answers))
    site = load_site(tmp_path / "results")
    run = site.runs["run"]
    assert [run.pack_of(3), run.pack_of(4)] == [3, 4], "a page of its own"
    pages = [_text(site, f"learnability/run/trials/{first}/") for first in run.packs]
    assert max(map(len, pages)) <= PAGE_BYTES
    assert (
        'in the <a href="../../../../learnability/run/trials/3.txt">whole trial as text'
        in pages[run.packs.index(3)]
    )
    assert "'" * 400_000 in _text(site, "learnability/run/trials/3.txt")
    assert render(site, "learnability/run/trials/0.txt") is None, "its page shows it whole"
    assert sum(page.count('<article class="trial"') for page in pages) == len(run.trials)


def test_a_long_list_is_paged_and_every_trial_is_in_it_once(
    studies: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_pages, "ROWS", 22)
    run = studies.runs["sample-0.5b"]
    (slug,) = make_slugs(run.models).values()
    lists = [
        path for path in addresses(studies) if path.startswith(f"learnability/sample-0.5b/models/{slug}/")
    ]
    assert len(lists) == 6
    linked = [number for path in lists for number in re.findall(r'#t(\d+)"', _text(studies, path))]
    assert linked == [str(trial.number) for trial in run.trials]
    assert f'models/{slug}/6/"' in _text(studies, lists[0])
    for none in (f"learnability/sample-0.5b/models/{slug}/{page}/" for page in (0, 1, 7)):
        assert render(studies, none) is None


def test_models_of_two_runs_of_one_suite_are_paired(studies: Site) -> None:
    run = studies.runs["sample-0.5b"]
    named = pairs(studies, run)
    (name,) = [name for name, (_, _, two, _) in named.items() if two.name == "sample-1.5b"]
    page = _text(studies, f"learnability/sample-0.5b/compare/{name}/")
    expected = compare("sample-0.5b", "sample-1.5b:model=*1.5b", RESULTS)
    assert f"over {expected.pairs} pairs of {expected.tasks} tasks" in page


def test_answers_that_a_run_took_over_are_pairs_of_the_run_it_took_them_from(tmp_path: Path) -> None:
    """Run `two` has a's answers from run `one`, where b was asked, too."""
    for name, reused in (("one", None), ("two", "one")):
        folder = tmp_path / name
        shutil.copytree(RESULTS / "sample-0.5b", folder)
        for file in (ANSWERS, GRADES):
            lines = [msgspec.json.decode(line) for line in (folder / file).read_bytes().splitlines()]
            models = ("a", "b") if name == "one" else ("a",)
            written = [line | {"model": model, "reused": reused} for line in lines for model in models]
            (folder / file).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in written))
    site = load_site(tmp_path)
    one, two = site.runs["one"], site.runs["two"]
    comparison = site.pairing.compare(two, "a", one, "b")
    assert comparison.pairs == two.study.overall.asked and comparison.missing == 0


def test_the_curves_are_a_table_for_a_spreadsheet_and_name_answers_and_tasks(studies: Site) -> None:
    page = render(studies, "learnability/sample-dialects/curves.csv")
    curves = studies.runs["sample-dialects"].study.curves
    assert (page is None) == (not curves)
    rows = list(csv.DictReader(_text(studies, "learnability/sample-0.5b/curves.csv").splitlines()))
    (curve,) = studies.runs["sample-0.5b"].study.curves
    assert [(row["context"], int(row["tokens"]), int(row["asked"]), int(row["tasks"])) for row in rows] == [
        (point.context, point.tokens, point.rate.asked, point.rate.tasks) for point in curve.points
    ]
    assert "learnability/sample-0.5b/curves.csv" in addresses(studies)
    assert '<a href="curves.csv">' in _text(studies, "learnability/sample-0.5b/")


def test_the_page_of_a_run_tells_which_decision_of_the_language_costs_most(studies: Site) -> None:
    page = _text(studies, "learnability/sample-0.5b/")
    rules = studies.runs["sample-0.5b"].study.rules
    lost = [rule.lost for rule in rules if rule.lost is not None]
    sentence = summarise_rules(studies.runs["sample-0.5b"].study)[0].replace("95 % -", "95 % −")
    assert lost and str(escape(sentence)) in page
    shown = page.partition("<h2>What each decision costs</h2>")[2].partition("</table>")[0]
    told = [float(cell.replace("−", "-")) for cell in re.findall(r"<td>([+−]\d+\.\d)</td>", shown)]
    assert told == pytest.approx(sorted(lost, reverse=True), abs=0.06)
    assert shown.count("<tr>") == 1 + len(rules)


def _write_run(
    results: Path, change: Callable[[dict[str, Any]], list[dict[str, Any]]], **record: Any
) -> Site:
    """The run `run`: a copy in which each line is exchanged for others, and fields of its record are set."""
    folder = results / "run"
    shutil.copytree(RESULTS / "sample-0.5b", folder)
    for file in (ANSWERS, GRADES):
        lines = [msgspec.json.decode(line) for line in (folder / file).read_bytes().splitlines()]
        written = [other for line in lines for other in change(line)]
        (folder / file).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in written))
    recorded = msgspec.json.decode((folder / RUN_FILE).read_bytes())
    (folder / RUN_FILE).write_bytes(msgspec.json.encode(recorded | record))
    return load_site(results)


def _search(results: Path, share: float, right: tuple[str, ...]) -> Site:
    """A search in which answers in these contexts are right; an odd task is asked in one context only."""

    def change(line: dict[str, Any]) -> list[dict[str, Any]]:
        asked = len(line["task_id"]) % 2 == 0 or line["context"] == "basic"
        told = {"correct": line["context"] in right, "error_type": None} if "correct" in line else {}
        return [line | told] if asked else []

    return _write_run(results, change, search={"share": share, "within": 0.5})


def test_a_language_is_told_in_its_own_words_and_leads_to_its_docs(studies: Site) -> None:
    page = _text(studies, "learnability/")
    for name, title in (("faber", "Faber is"), ("kcl", "KCL is"), ("strues", "Strues is")):
        assert re.search(rf'<li><a href="\.\./docs/{name}/">{name}</a>: {title} ', page)
    assert "Asked in english, latin, scrambled, symbols." in page


def test_two_languages_are_compared_by_what_is_gained_between_equal_tokens(tmp_path: Path) -> None:
    assert "Two languages at equal tokens" not in _text(load_site(RESULTS), "learnability/")
    for name in ("alpha", "beta"):
        _write_run(tmp_path / name, lambda line: [line], suite_name=name)
        shutil.copytree(tmp_path / name / "run", tmp_path / "results" / name)
    shown = _text(load_site(tmp_path / "results"), "learnability/").partition("equal tokens</h2>")[2]
    assert "do not show that a model gains more in one language" in shown
    kept = shown.partition("<summary>1 comparison that shows no difference</summary>")[2]
    (row,) = re.findall(r"<tr><th scope=\"row\">.+?</tr>", kept.partition("</table>")[0])
    number = r'<td class="num"[^>]*>([+−]?[\d.]+) <small>\[[^]]+\]</small></td>'
    gained = re.search(f"<td>alpha, latin</td>{number}<td>beta, latin</td>{number}{number}", row)
    assert gained is not None and gained[1] == gained[2] and gained[3] == "0.0"


def test_languages_in_which_gains_differ_come_before_those_that_show_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def place(tokens: int) -> Place:
        return Place(tokens, "minimal", 0)

    ends = place(100), place(900)
    large, small = Gain("alpha", *ends, 9, 60.0, 40.0, 80.0), Gain("beta", *ends, 9, 2.0, -9.0, 13.0)
    told = GainComparison("m", large, small, 58.0, 35.2, 81.1)
    untold = GainComparison("m", small, small, 0.0, -15.6, 15.6)
    monkeypatch.setattr(learnability, "list_gains", lambda rows: [untold, told])
    shown = _text(load_site(RESULTS), "learnability/").partition("equal tokens</h2>")[2]
    first, _, kept = shown.partition("<details>")
    assert "+58.0 <small>[+35.2 to +81.1]" in first and "0.0 <small>[−15.6 to +15.6]" in kept
    assert "do not show" not in shown


def test_no_number_below_zero_has_a_hyphen(studies: Site) -> None:
    for run in studies.runs:
        page = _text(studies, f"learnability/{run}/").partition("<main")[2]
        assert not re.search(r"(?:[\s(\[]|>)-\d", re.sub(r"<svg.+?</svg>", "", page, flags=re.S))


def test_an_answer_is_one_sentence_that_says_when_other_tasks_may_take_more(tmp_path: Path) -> None:
    def change(failed: Sequence[str]) -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
        def changed(line: dict[str, Any]) -> list[dict[str, Any]]:
            correct = line["context"] == "basic" and line["task_id"] not in failed
            told = {"correct": correct, "error_type": None} if "correct" in line else {}
            return [line | told]

        return changed

    hard: tuple[str, ...] = "complete_constant", "complete_continue", "predict_text_join"
    for name, failed in (("sure", hard[:0]), ("unsure", hard)):
        site = _write_run(tmp_path / name, change(failed))
        (row,) = list_taught(site.runs["run"])
        need = row.need(0.8)
        assert need is not None and need.tokens is not None and need.unsure == (name == "unsure")
        sentence = _text(site, "learnability/").partition('<p class="told">')[2].partition("</p>")[0]
        assert "right 80 % of the time with at most <strong><a" in sentence
        assert f">{need.tokens:,} tokens</a>" in sentence and "latin" not in sentence.partition("</a>")[2]
        assert ("may be too little" in sentence) == need.unsure


def test_a_search_answers_for_its_language_by_its_levels_and_not_by_a_curve(tmp_path: Path) -> None:
    site = _search(tmp_path, 0.8, ("minimal", "basic"))
    (found,) = site.runs["run"].study.found
    assert found.place is not None and site.runs["run"].study.curves
    front = _text(site, "learnability/")
    assert "with at most <strong><a href=" in front and f">{found.place.tokens:,} tokens</a>" in front
    assert f">{found.tokens}</a> <small>by a search, {found.sure}<br>" in front
    assert "<h2>Learning curves</h2>" not in front, "its rates are of what it chose to ask"
    page = _text(site, "learnability/run/")
    assert str(escape(found.sentence)) in page and "<h2>Learning curves</h2>" not in page
    for level in found.levels:
        assert f"{level.right} of {level.asked}</td><td>{round(100 * level.share)} % <small>" in page
    assert not list_taught(site.runs["run"])[0].ladder


def test_a_search_that_found_nothing_is_told_by_its_best_level(tmp_path: Path) -> None:
    site = _search(tmp_path, 0.8, ())
    (found,) = site.runs["run"].study.found
    page = _text(site, "learnability/")
    assert f"not learned with up to {found.levels[-1].tokens:,}" in page
    assert f"is at {round(100 * found.best.share)} %" in page


def test_a_search_that_is_not_settled_has_not_failed_at_levels_it_did_not_ask(tmp_path: Path) -> None:
    def change(line: dict[str, Any]) -> list[dict[str, Any]]:
        told = {"correct": False, "error_type": "wrong_output"} if "correct" in line else {}
        return [line | told] if line["context"] == "examples-only" and "complete" in line["task_id"] else []

    site = _write_run(tmp_path, change, search={"share": 0.8, "within": 0.5})
    (found,) = site.runs["run"].study.found
    assert not found.settled and found.place is None
    page = _text(site, "learnability/")
    assert "search not settled yet" in page and "not learned" not in page


def test_a_search_for_another_share_says_so_in_place_of_a_number(tmp_path: Path) -> None:
    page = _text(_search(tmp_path, 0.6, ("minimal", "basic")), "learnability/")
    assert "<small>searched for 60 %</small>" in page and "tokens</a></strong>" not in page


def test_difficulty_is_compared_over_questions_that_all_were_asked(tmp_path: Path) -> None:
    """Model b was asked in one context only, with the same answers as a there."""

    def change(line: dict[str, Any]) -> list[dict[str, Any]]:
        return [line | {"model": model} for model in ("a", *("b" * (line["context"] == "basic")))]

    site = _write_run(tmp_path, change)
    one, two = list_taught(site.runs["run"])
    assert (one.model, two.model) == ("a", "b") and one.ladder and one.ladder == two.ladder
    assert "Difficulty" in _text(site, "learnability/run/")
    needs = _text(site, "learnability/").partition("<h2>Runs</h2>")[0]
    assert "Difficulty" not in needs, "rows of several runs were asked other questions"


def test_the_ladder_is_the_studys_own(studies: Site) -> None:
    run = studies.runs["sample-0.5b"]
    (row,) = list_taught(run)
    axis = next(axis for axis in run.study.axes if axis.name == "difficulty")
    counted = {step: (rate.passed, rate.asked, rate.tasks) for step, rate in row.ladder.items()}
    assert counted == {one.name: (one.rate.passed, one.rate.asked, one.rate.tasks) for one in axis.levels}
    assert [rate.low for rate in row.ladder.values()] == pytest.approx([one.rate.low for one in axis.levels])


def test_a_share_that_is_not_reached_is_never_told_as_a_number_of_tokens(studies: Site) -> None:
    (row,) = list_taught(studies.runs["sample-0.5b"])
    most = max(point.tokens for point in studies.runs["sample-0.5b"].study.curves[0].points)
    assert [(need.tokens, need.most) for need in row.needed] == [(None, most), (None, most)]
    page = _text(studies, "learnability/")
    assert f"not learned with up to {most:,}" in page and f"more than {most:,}" not in page


def test_the_best_share_stands_beside_the_tokens_it_was_tried_with(studies: Site) -> None:
    """Another model was asked with more tokens, and is right less often."""
    (best,), (other,) = (list_taught(studies.runs[name]) for name in ("sample-1.5b", "sample-0.5b"))
    assert best.best is not None and best.needed[0].most < other.needed[0].most
    told = re.search(r"faber: not learned with up to .+?</p>", _text(studies, "learnability/"))
    assert told is not None and f"up to {best.needed[0].most:,} tokens" in told[0]
    assert f"{best.model}, is at {100 * best.best.share:.0f} %" in told[0]


def test_languages_and_dialects_stand_side_by_side(studies: Site) -> None:
    page = _text(studies, "learnability/").partition("<h2>Runs</h2>")[0]
    for run in studies.runs.values():
        for row in list_taught(run):
            assert re.search(
                rf'<th scope="row">{row.language}, {row.dialect}</th><td><a [^>]+>{row.model}</a></td>', page
            )
    assert {"faber", "kcl", "strues"} <= set(re.findall(r'<th scope="row">(\w+), ', page))


def test_every_cell_of_the_map_leads_to_its_trials(studies: Site) -> None:
    run = studies.runs["sample-0.5b"]
    linked = set(
        re.findall(
            r'href="\.\./\.\./(learnability/sample-0.5b/conditions/[^"]+)"',
            _text(studies, "learnability/sample-0.5b/"),
        )
    )
    assert linked == {
        path for path in addresses(studies) if path.startswith("learnability/sample-0.5b/conditions/")
    }
    condition, numbers = next(iter(run.conditions.items()))
    page = _text(studies, condition_address(run, condition))
    shown = [int(number) for number in re.findall(r'#t(\d+)"', page)]
    assert sorted(shown) == numbers
    right = [run.trials[number].grade.correct for number in shown]
    assert right == sorted(right), "those that failed first"
    assert render(studies, "learnability/sample-0.5b/conditions/none/") is None


def test_tokens_and_dollars_of_a_share_that_is_reached(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "run"
    shutil.copytree(RESULTS / "sample-0.5b", folder)
    for name, change in ((GRADES, {"correct": True, "error_type": None}), (ANSWERS, {"cost": 0.002})):
        lines = [msgspec.json.decode(line) for line in (folder / name).read_bytes().splitlines()]
        taught_well = [line | (change if line["context"] in ("basic", "complete") else {}) for line in lines]
        (folder / name).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in taught_well))
    site = load_site(tmp_path / "results")
    run = site.runs["run"]
    (row,) = list_taught(run)
    reach = run.study.curves[0].reach[0]
    assert reach.fitted is not None and reach.fitted.context in ("basic", "complete")
    need = row.needed[0]
    assert need.reach == reach and need.tokens == reach.fitted.tokens
    assert need.dollars == pytest.approx(0.002)
    page = _text(site, "learnability/")
    assert (
        f'<a href="{need.address.removeprefix("learnability/")}">{reach.tokens}</a>' in page
        and "$0.002" in page
    )
    assert render(site, need.address) is not None
