"""No page of the site is larger than 150 kB, however much there is to show: it is paged, or cut and says
where the rest is."""

from __future__ import annotations

import datetime as dt
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from probatio.core.records import DailyScore, DayRecord, Grade, Model, Response, Sampling
from probatio.runs.store.layout import ANSWERS, GRADES
from probatio.site import demo
from probatio.site.addresses import addresses, render
from probatio.site.demo import Learner, fill_runs
from probatio.site.rendering import PAGE_BYTES
from probatio.site.snapshot import Site, load_site
from probatio.suites.daily_suite import read_manifest
from probatio.watch.day.folder import day_folder, write_record, write_scores

pytestmark = pytest.mark.slow  # thirty models, 500 cases, 3,600 trials

LAST = dt.date(2026, 3, 31)
DAYS, YEAR = 5, 366
MODELS = [f"a-vendor/some-model-with-a-long-name-{number}" for number in range(30)]
CASES = 50
"""In each of the ten use cases."""
ALIKE = {re.compile("-vs-"): 30, re.compile("^cases/[a-z_]+/"): 10}
"""Of pages that pair two models or show a case, every so many-th is measured: they are many, alike, and slow
to make."""


@pytest.fixture(scope="module")
def big() -> Iterator[Site]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        results = Path(folder)
        for ago in range(DAYS):
            _write_day(results, (LAST - dt.timedelta(days=ago)).isoformat(), sampled=ago == 0)
        learners = {model: Learner(0.5, 0.1 * number, 1.0) for number, model in enumerate(MODELS)}
        for name, value in (("LEARNERS", learners), ("LANGUAGES", {"strues": 0.0}), ("RUN_TASKS", 15)):
            patch.setattr(demo, name, value)
        (run,) = fill_runs(results, LAST)
        _lengthen(results / run / ANSWERS)
        site = load_site(results, sample_days=1)
        slug, model = next(iter(site.tracked.items()))
        years = [
            msgspec.structs.replace(model.last, date=(LAST - dt.timedelta(days=ago)).isoformat())
            for ago in range(YEAR - 1, -1, -1)
        ]
        yield replace(site, tracked={**site.tracked, slug: replace(model, verdicts=tuple(years))})


def _write_day(results: Path, date: str, sampled: bool) -> None:
    manifest = read_manifest()
    folder = day_folder(results, date)
    folder.mkdir(parents=True)
    models = tuple(Model(id=model, name=model) for model in MODELS)
    write_record(
        folder,
        DayRecord(
            date=date,
            created=f"{date}T00:00:00Z",
            suite_version=manifest.version,
            suite_fingerprint="x",
            grader_version="x",
            models=models,
            sampling=Sampling(),
        ),
    )
    lines = [
        DailyScore(
            date=date,
            model=model,
            use_case=entry.id,
            grading=entry.grading,
            suite_version=manifest.version,
            score=70.0 + place,
            base_score=70.0 + place,
            n=CASES,
            base_n=CASES,
            cases={f"{entry.id}_with_a_long_name_{case}": ((case + place) % 7) / 7 for case in range(CASES)},
            route="usual",
            providers={"usual": CASES},
        )
        for place, model in enumerate(MODELS)
        for entry in manifest.use_cases
    ]
    write_scores(folder, lines)
    answers, grades = [], []
    for number, entry in enumerate(manifest.use_cases if sampled else ()):
        for sample in range(CASES * 2):
            common: dict[str, Any] = {
                "timestamp": date,
                "run_id": date,
                "framework_version": "x",
                "task_id": f"{entry.id}_with_a_long_name_{sample % CASES}",
                "model": MODELS[0],
                "n_shot": 0,
                "dialect": "none",
                "context": "base",
                "sample": sample // CASES,
            }
            # Short ones, long ones, one as long as no page may be, and one that is a web page of that length.
            text = (
                "An answer. " * (20 if number else 200)
                if sample != 3
                else "<html>" + "'<" * 150_000 + "</html>"
            )
            answers.append(
                Response(**common, prompt="Asked: " + "why? " * 400, response=text, provider="usual")
            )
            breakdown = {
                "use_case": entry.id,
                "parts": [{"name": "part", "score": 1, "weight": 1, "detail": "d" * 300}],
            }
            grades.append(
                Grade(
                    **common,
                    level_a=True,
                    level_b=True,
                    level_c=True,
                    correct=True,
                    score=1.0,
                    breakdown=breakdown,
                )
            )
    (folder / ANSWERS).write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in answers))
    (folder / GRADES).write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in grades))


def _lengthen(file: Path) -> None:
    """Some answers of a run are very long, and full of what grows when it is shown as text."""
    lines = file.read_bytes().splitlines(keepends=True)
    for number in range(0, len(lines), 500):
        answer = msgspec.json.decode(lines[number])
        lines[number] = (
            msgspec.json.encode(answer | {"response": "<" * (200_000 if number else 60_000)}) + b"\n"
        )
    file.write_bytes(b"".join(lines))


def _measured(site: Site) -> Iterator[str]:
    pages = [path for path in addresses(site) if path == "" or path.endswith(("/", ".html"))]
    for part, every in ALIKE.items():
        yield from [path for path in pages if part.search(path)][::every]
    yield from (path for path in pages if not any(part.search(path) for part in ALIKE))


def test_no_page_of_a_large_site_is_larger_than_150_kilobytes(big: Site) -> None:
    sizes = {}
    for path in _measured(big):
        page = render(big, path)
        assert page is not None, path
        sizes[path] = len(page.body)
    assert PAGE_BYTES == 150_000
    assert not {path: size for path, size in sizes.items() if size > PAGE_BYTES}
    assert sizes[""] < 80_000
    assert len(sizes) > 500
    assert "cases/" in sizes


def _joined(site: Site, start: str) -> str:
    """The first page of a list and its further ones."""
    further = [path for path in addresses(site) if re.fullmatch(re.escape(start) + r"\d+/", path)]
    assert further
    pages = [render(site, path) for path in (start, *further)]
    return "".join(page.body.decode() for page in pages if page)


def test_every_sample_of_a_use_case_is_on_one_of_its_pages(big: Site) -> None:
    slug = next(iter(big.tracked))
    use_case = big.manifest.use_cases[0].id
    text = _joined(big, f"models/{slug}/{LAST}/{use_case}/")
    assert sorted(map(int, re.findall(r'id="sample-(\d+)"', text))) == list(range(2 * CASES))
    assert text.count("more characters are in the raw files of the day") == 1, (
        "of the one that no page has room for"
    )
    assert "3.html" not in text and render(big, f"models/{slug}/{LAST}/{use_case}/3.html") is None
    assert render(big, f"models/{slug}/{LAST}/{use_case}/1/") is None, "the first page has one address"


def test_every_case_is_on_one_page_of_the_list(big: Site) -> None:
    text = _joined(big, "cases/")
    linked = re.findall(r'href="(?:\.\./)+(cases/\w+/[^"]+/)"', text)
    assert len(linked) == len(set(linked)) == 10 * CASES


def test_what_a_page_leaves_out_is_named_with_the_way_to_it(big: Site) -> None:
    page = render(big, "learnability/demo-strues/")
    assert page is not None
    text = page.body.decode()
    assert re.search(r"\d+ more models are left out here", text)
    assert "<summary>All 435 pairs</summary>" in text
    listed, (more,) = re.findall(r'href="compare/[^"]+-vs-', text), re.findall(r">(\d+) more: <code>", text)
    assert len(listed) + int(more) == 435
