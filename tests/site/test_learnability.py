"""The learnability pages, from the runs kept in the repository."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from probatio.site.addresses import render
from probatio.site.learnability import pairs
from probatio.site.snapshot import Site, load_site
from probatio.study.compare import compare

RESULTS = Path(__file__).parents[2] / "results"


@pytest.fixture(scope="module")
def studies() -> Site:
    return load_site(RESULTS)


def _text(site: Site, path: str) -> str:
    page = render(site, path)
    assert page is not None, path
    return page.body.decode()


def test_a_run_page_shows_the_studys_own_numbers(studies: Site) -> None:
    page = _text(studies, "learnability/study-0.5b/")
    study = studies.runs["study-0.5b"].study
    assert f"{study.overall.asked} answers to {study.overall.tasks} tasks" in page
    for funnel in study.funnels:
        for error, count in funnel.errors.items():
            assert re.search(rf"<td>{error}</td><td class=\"num\">{count}</td>", page)
    for task in study.hardest:
        assert task.task_id in page
    assert page.count('class="num heat-') == len(study.curves[0].points)


def test_the_curves_draw_a_mark_for_every_condition(studies: Site) -> None:
    root = ElementTree.fromstring(_text(studies, "learnability/study-0.5b/curves.svg"))
    marks = [each for each in root.iter() if each.get("class") == "mark f0"]
    assert len(marks) == len(studies.runs["study-0.5b"].study.curves[0].points)


def test_dialects_are_compared_where_several_were_asked(studies: Site) -> None:
    page = _text(studies, "learnability/study-dialects/")
    axis = next(axis for axis in studies.runs["study-dialects"].study.axes if axis.name == "dialect")
    assert len(axis.levels) > 1
    for level in axis.levels:
        assert f'<th scope="row">{level.name}</th>' in page


def test_a_trial_shows_prompt_answer_and_diagnostics(studies: Site) -> None:
    run = studies.runs["study-0.5b"]
    trial = next(trial for trial in run.trials if trial.grade.error_detail)
    page = _text(studies, f"learnability/study-0.5b/trials/{trial.number}/")
    response = run.response(trial)
    assert response is not None
    assert response.key == trial.grade.key
    for heading in ("Prompt", "Answer", "Diagnostics", "Expected output"):
        assert f">{heading}</h" in page


def test_models_of_two_runs_of_one_suite_are_paired(studies: Site) -> None:
    run = studies.runs["study-0.5b"]
    named = pairs(studies, run)
    (name,) = [name for name, (_, _, two, _) in named.items() if two.name == "study-1.5b"]
    page = _text(studies, f"learnability/study-0.5b/compare/{name}/")
    expected = compare("study-0.5b", "study-1.5b:model=*1.5b", RESULTS)
    assert f"over {expected.pairs} pairs of {expected.tasks} tasks" in page
