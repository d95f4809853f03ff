"""The demo shows everything filled: each kind of day, three languages, bench scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import probatio
from probatio.builtin.daily.graders import check
from probatio.site.demo import CAST, DRIFT_DAYS, LANGUAGES, LEARNERS, NEW
from probatio.site.demo_answers import KEPT, RIGHT, kept_cases
from probatio.site.facts.story import tell_fall
from probatio.site.facts.teaching import list_taught
from probatio.site.pages.bench import measure_bench, read_bench
from probatio.site.snapshot import Site, load_site
from probatio.suites.daily_suite import load_daily
from scripts import script

pytestmark = pytest.mark.slow  # a site of 46 simulated days


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo") / "results"
    words = ["demo", "--results", str(out), "--days", "2", "--until", "2026-03-31"]
    told = probatio("site", *words)
    assert "3 simulated runs" in told.output
    return out


def test_every_kind_of_history_is_in_the_demo(site: Site) -> None:
    last = {slug: model.last for slug, model in site.tracked.items()}
    assert last["demo-forgotten"].confirmed and last["demo-slowly-worse"].confirmed
    assert last["demo-cooked"].shown == "COOKED" and last["demo-new"].shown == "CALIBRATING"
    assert any(verdict.shown == "GAP" for verdict in site.tracked["demo-outage"].verdicts)
    assert any(verdict.routing_changed for verdict in site.tracked["demo-rerouted"].verdicts)
    recovered = site.tracked["demo-recovered"]
    assert any(verdict.confirmed for verdict in recovered.verdicts) and recovered.last.shown == "OK"
    assert last["demo-steady"].shown == "OK"


def test_the_judge_drifts_until_it_is_barred_and_then_is_itself_again(site: Site) -> None:
    calibrations = [record.calibration for record in site.records.values()]
    shifts = [each.shift or 0.0 for each in calibrations if each]
    (barred,) = [at for at, each in enumerate(calibrations) if each and each.barred]
    assert shifts[barred - 1] > shifts[barred - DRIFT_DAYS] + 0.1
    assert max(map(abs, shifts[barred + 1 :])) < 0.15
    assert site.manifest.judge.bar > shifts[barred - 1]


def test_every_case_of_the_suite_has_a_history(site: Site) -> None:
    last = site.days[site.last_date or ""]
    assert all(len(line.cases) == 5 for line in last.scores if line.score is not None)


def test_runs_of_three_languages_tell_how_much_context_is_needed(filled: Path) -> None:
    site = load_site(filled)
    rows = [row for run in site.runs.values() for row in list_taught(run)]
    assert {row.language for row in rows} == set(LANGUAGES)
    assert {row.model for row in rows} == set(LEARNERS)
    assert len({row.dialect for row in rows if row.language == "faber"}) == 2
    reached = [row.needed[0] for row in rows if row.needed and row.needed[0].tokens is not None]
    assert reached and len(reached) < len(rows), "one of them learns, one does not"
    assert all(need.dollars for need in reached)
    assert all(len(row.ladder) == 3 for row in rows)
    assert not [run.name for run in site.runs.values() if run.study.notes]


def test_the_demo_has_bench_scores_of_its_own(filled: Path) -> None:
    bench = read_bench(filled / "bench.yml")
    scores = {name: measure_bench(bench, name) for name in CAST}
    assert [name for name, score in scores.items() if score is None] == [NEW]
    assert {score.partial for score in scores.values() if score} == {True, False}


def test_the_demo_says_what_real_models_said_and_what_that_is_worth() -> None:
    suite, kept = load_daily(), script("frontier").kept_sets()
    said = {(each.case, each.answer) for answers in kept.values() for each in answers}
    assert kept_cases().keys() == {case for case, _ in said}
    for name, case in kept_cases().items():
        assert all((name, text) in said for text in case.texts), name
        scores = [check(suite.cases[name], case.show(each)).score for each in case.answers]
        assert scores == pytest.approx([each.score for each in case.answers], abs=1e-4), (
            f"{name}: `python tools/demo_answers.py` grades them again"
        )
    assert KEPT.stat().st_size < 120_000, "it is in the package"


@pytest.mark.parametrize("slug", ["demo-cooked", "demo-forgotten"])
def test_a_fallen_model_shows_a_right_answer_and_a_wrong_one_to_the_same_case(site: Site, slug: str) -> None:
    model = site.tracked[slug]
    assert model.fall is not None
    found = tell_fall(site, model, model.fall).cases
    assert found
    coded = [each for each in found if each.change.case in kept_cases()]
    assert coded, [each.change.case for each in found]
    for each in coded:
        case = kept_cases()[each.change.case]
        worth = {case.show(kept): kept.score for kept in case.answers}
        assert worth[each.change.answer_before or ""] == 1
        assert worth[each.change.answer_now or ""] < RIGHT + 0.1


def test_every_answer_of_the_demo_says_by_itself_that_it_is_simulated(filled: Path) -> None:
    for folder in (filled / "daily").glob("20*"):
        for line in (folder / "raw_responses.jsonl").read_text().splitlines():
            assert "SIMULATED" in line or "Simulated bakery" in line or "simulated outage" in line
        for line in (folder / "graded_results.jsonl").read_text().splitlines():
            assert "SIMULATED" in line
