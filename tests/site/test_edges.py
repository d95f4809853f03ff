"""The edges of what a site may have to show: the build and the live page of results that are nearly nothing,
or too much."""

from __future__ import annotations

import datetime as dt
import html
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from probatio.core.errors import UsageError
from probatio.core.records import DailyScore, DayRecord, Model, Sampling
from probatio.site.live import LiveSite, application
from probatio.site.snapshot import Site, load_site
from probatio.site.static import build
from probatio.suites.daily_suite import read_manifest
from probatio.watch.day.folder import day_folder, write_record, write_scores

REPOSITORY = Path(__file__).parents[2]
FIRST = dt.date(2026, 2, 1)
FAILED = "every sample errored: the server refused the connection"


def write_days(results: Path, scores: Sequence[float | None], models: Sequence[str] = ("one-model",)) -> Path:
    """Days from `FIRST` on with this score in every use case; None: every request failed."""
    manifest = read_manifest()
    for number, score in enumerate(scores):
        date = (FIRST + dt.timedelta(days=number)).isoformat()
        folder = day_folder(results, date)
        folder.mkdir(parents=True)
        record = DayRecord(
            date=date,
            created=f"{date}T06:00:00Z",
            suite_version=manifest.version,
            suite_fingerprint="x",
            grader_version="x",
            models=tuple(Model(id=name, name=name) for name in models),
            sampling=Sampling(),
        )
        write_record(folder, record)
        lines = [
            DailyScore(
                date=date,
                model=name,
                use_case=entry.id,
                grading=entry.grading,
                suite_version=manifest.version,
                score=score,
                base_score=score,
                n=0 if score is None else 5,
                base_n=0 if score is None else 5,
                errored=5 if score is None else 0,
                cases={} if score is None else {f"{entry.id}_case": score / 100},
                gap=FAILED if score is None else None,
            )
            for name in models
            for entry in manifest.use_cases
        ]
        write_scores(folder, lines)
    return results


def load_fresh(results: Path) -> Site:
    """The results an hour after their last day was asked."""
    last = max((each.name for each in (results / "daily").glob("20*")), default="2026-02-01")
    return load_site(results, now=dt.datetime.fromisoformat(f"{last}T07:00:00+00:00"))


def shown(results: Path, out: Path, path: str = "") -> str:
    """A page as the build has it; the live server has the same."""
    build(load_fresh(results), out)
    built = (out / path / "index.html").read_bytes()
    live = TestClient(application(LiveSite(lambda: load_fresh(results), results, None))).get(f"/{path}")
    assert live.status_code == 200
    assert live.content == built
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", built.decode().partition("<main")[2])))


def test_runs_without_days_ask_what_a_model_can_learn(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "examples" / "runs" / "sample-kcl", tmp_path / "results" / "sample-kcl")
    text = shown(tmp_path / "results", tmp_path / "out")
    assert "Can a model learn this language?" in text and "Did your AI model get worse?" not in text
    assert re.search(r"asked to learn KCL", text, re.IGNORECASE)
    front = (tmp_path / "out" / "index.html").read_text()
    assert 'href="./learnability/"' in front.partition("<main")[2]
    assert "is not known: there is no recorded day yet" in text


def test_days_with_gaps_only_say_for_how_long_there_was_no_answer(tmp_path: Path) -> None:
    results = write_days(tmp_path / "results", [None] * 40)
    text = shown(results, tmp_path / "out")
    assert "No answers for 40 days: every request failed." in text
    assert "No model got worse" not in text and "the newest answers are of" not in text
    page = shown(results, tmp_path / "out", "models/one-model/")
    assert "no answer of it was ever scored" in page or "no score on" in page


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ([80.0] * 8 + [None] * 3, "No answers since 9 February: every request failed."),
        ([None], "No answers on 1 February: every request failed."),
        ([None] * 5 + [80.0], None),
    ],
)
def test_the_silence_is_counted_back_from_the_newest_day(
    scores: list[float | None], told: str | None, tmp_path: Path
) -> None:
    text = shown(write_days(tmp_path / "results", scores), tmp_path / "out")
    assert told in text if told else "No answers" not in text


def test_one_silent_model_among_others_is_no_silence_of_the_site(tmp_path: Path) -> None:
    write_days(tmp_path / "results", [80.0] * 8, ["well"])
    silent = write_days(tmp_path / "silent", [None] * 8, ["silent"])
    for day in (silent / "daily").glob("20*"):
        there = tmp_path / "results" / "daily" / day.name
        with (there / "scores.jsonl").open("ab") as file:
            file.write((day / "scores.jsonl").read_bytes())
    assert "No answers" not in shown(tmp_path / "results", tmp_path / "out")


def test_where_no_judge_is_used_none_is_named(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "examples" / "story", tmp_path / "story")
    site = load_site(tmp_path / "story")
    judge = site.manifest.judge.name
    build(site, tmp_path / "out")
    pages = [page for page in (tmp_path / "out").rglob("*.html") if "docs" not in page.parts]
    assert len(pages) > 50
    assert not [page for page in pages if judge in page.read_text()]
    methodology = shown(tmp_path / "story", tmp_path / "built", "methodology/")
    assert "No judge is used" in methodology and "With the judge" not in methodology
    judged = shown(write_days(tmp_path / "judged", [80.0]), tmp_path / "other", "methodology/")
    assert read_manifest().judge.name in judged and "With the judge" in judged


def test_one_day_is_too_early_to_say(tmp_path: Path) -> None:
    results = write_days(tmp_path / "results", [80.0], ["one", "two"])
    text = shown(results, tmp_path / "out")
    assert "No model can be judged yet." in text and "2 models are asked" in text
    assert "Too early to say: 0 of 5 days" in shown(results, tmp_path / "out", "models/one/")
    assert "No verdict has changed yet." in text


def test_one_model_is_answered_by_its_name(tmp_path: Path) -> None:
    text = shown(write_days(tmp_path / "results", [80.0] * 10), tmp_path / "out")
    assert "Is one-model worse? No sign of it." in text
    assert "one-model is asked the same 10 questions every day." in text


def test_very_long_names_keep_pages_of_their_own(tmp_path: Path) -> None:
    names = [f"{'an-organisation/with-a-very-long-model-name-' * 8}{end}" for end in ("one", "two")]
    results = write_days(tmp_path / "results", [80.0] * 6, names)
    text = shown(results, tmp_path / "out")
    site = load_fresh(results)
    assert len(site.tracked) == 2 and all(len(slug) <= 100 for slug in site.tracked)
    for slug, model in site.tracked.items():
        assert model.id in text, "told whole"
        page = shown(results, tmp_path / "out", f"models/{slug}/")
        assert model.id in page
        for file in (f"models/{slug}/feed.atom", f"badges/{slug}.svg", f"api/models/{slug}.json"):
            assert (tmp_path / "out" / file).stat().st_size > 300


def test_nothing_is_built_of_nothing_and_the_live_page_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with pytest.raises(UsageError, match="there is nothing to build"):
        build(load_site(tmp_path / "results"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    site = LiveSite(lambda: load_site(tmp_path / "results"), tmp_path / "results", None)
    client = TestClient(application(site))
    assert "There is no recorded day yet" in client.get("/").text
    for path in (
        "use-cases/",
        "learnability/",
        "methodology/",
        "downloads/",
        "feed.atom",
        "api/leaderboard.json",
    ):
        assert client.get(f"/{path}").status_code == 200, path
