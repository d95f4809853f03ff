"""A results folder from someone else: the site publishes nothing that lies outside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from probatio.core.errors import UsageError
from probatio.learn.analysis import study_of, write_analysis
from probatio.runs.regrade import regrade
from probatio.runs.store.layout import ANSWERS, GRADES, JUDGE_REPLIES, LEDGER
from probatio.site import downloads
from probatio.site.live import LiveSite, application
from probatio.site.snapshot import load_site
from probatio.site.static import build

pytestmark = pytest.mark.slow  # starts processes, waits or reads a whole site

SECRET = (
    '{"secret": "of the house", "task_id": "t", "model": "m", "n_shot": 0, "context": "c", "correct": true}\n'
)
RUN = "sample-dialects"
DATE = "2026-03-01"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    (tmp_path / "secret.jsonl").write_text(SECRET)
    return tmp_path / "secret.jsonl"


@pytest.fixture
def results(tmp_path: Path, hostile_day: Callable[..., None]) -> Path:
    results = tmp_path / "results"
    hostile_day(results, DATE)
    shutil.copytree(Path(__file__).parents[2] / "examples" / "runs" / RUN, results / RUN)
    return results


def client_of(results: Path) -> TestClient:
    return TestClient(
        application(LiveSite(lambda: load_site(results), results, None)), raise_server_exceptions=False
    )


def link(path: Path, target: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("name", [ANSWERS, GRADES, JUDGE_REPLIES])
def test_a_raw_file_that_is_a_link_is_neither_served_nor_built(
    results: Path, secret: Path, tmp_path: Path, name: str
) -> None:
    client = client_of(results)
    link(results / "daily" / DATE / name, secret)
    reply = client.get(f"/raw/daily/{DATE}/{name}")
    assert reply.status_code != 200 and "of the house" not in reply.text
    with pytest.raises(UsageError, match=rf"{name} leads out of .*remove the link"):
        build(load_site(results), tmp_path / "out")
    assert not any(
        "of the house" in file.read_text(errors="replace") for file in tmp_path.glob("**/raw/**/*.jsonl")
    )


def test_a_raw_file_of_a_run_that_is_a_link_is_not_served(results: Path, secret: Path) -> None:
    client = client_of(results)
    link(results / RUN / ANSWERS, secret)
    reply = client.get(f"/raw/runs/{RUN}/{ANSWERS}")
    assert reply.status_code != 200 and "of the house" not in reply.text


def test_the_ledger_that_is_a_link_is_not_served(results: Path, secret: Path) -> None:
    client = client_of(results)
    link(results / "daily" / LEDGER, secret)
    reply = client.get(f"/raw/{LEDGER}")
    assert reply.status_code != 200 and "of the house" not in reply.text


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_no_table_is_made_of_a_file_outside(results: Path, secret: Path, kind: str) -> None:
    client = client_of(results)
    link(results / RUN / GRADES, secret)
    reply = client.get(f"/data/trials.{kind}")
    assert reply.status_code != 200 and b"of the house" not in reply.content


def test_a_run_that_is_a_link_out_of_the_results_is_not_found_by_the_site(
    results: Path, tmp_path: Path
) -> None:
    (results / RUN).rename(tmp_path / "elsewhere")
    (results / RUN).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match=rf"{RUN} leads out of"):
        load_site(results)


def test_a_run_under_a_second_name_in_the_same_results_is_shown(results: Path) -> None:
    (results / "latest").symlink_to(RUN)
    assert {RUN, "latest"} <= set(load_site(results).runs)


def test_a_file_swapped_for_a_link_after_it_was_opened_is_served_as_it_was(
    results: Path, secret: Path
) -> None:
    site = load_site(results)
    path = results / "daily" / DATE / ANSWERS
    before = path.read_bytes()
    with downloads.open_file(site, path) as source:
        link(path, secret)
        assert source.read() == before
        with pytest.raises(UsageError):
            downloads.open_file(site, path)


def test_a_served_file_is_whole_and_takes_ranges(results: Path) -> None:
    client, whole = client_of(results), (results / "daily" / DATE / ANSWERS).read_bytes()
    assert client.get(f"/raw/daily/{DATE}/{ANSWERS}").content == whole
    part = client.get(f"/raw/daily/{DATE}/{ANSWERS}", headers={"Range": "bytes=5-20"})
    assert (part.status_code, part.content) == (206, whole[5:21])


def test_serving_leaves_no_file_open(results: Path) -> None:
    client = client_of(results)
    client.get(f"/raw/daily/{DATE}/{ANSWERS}")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        client.get(f"/raw/daily/{DATE}/{ANSWERS}")
        client.head(f"/raw/daily/{DATE}/{ANSWERS}")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 2


def test_a_built_site_still_shares_the_raw_files_of_one_disk(results: Path, tmp_path: Path) -> None:
    build(load_site(results), tmp_path / "out")
    raw = results / "daily" / DATE / ANSWERS
    assert (tmp_path / "out" / "raw" / "daily" / DATE / ANSWERS).samefile(raw)


@pytest.mark.parametrize("name", [GRADES, ANSWERS])
def test_a_study_reads_no_file_outside_the_run(results: Path, secret: Path, name: str) -> None:
    link(results / RUN / name, secret)
    with pytest.raises(UsageError, match=rf"{name} leads out of"):
        study_of([results / RUN])


def test_an_analysis_is_not_written_through_a_link(results: Path, secret: Path) -> None:
    for name in ("analysis.md", "analysis.md.part"):
        link(results / RUN / name, secret)
    for png in (results / RUN).glob("analysis-*.png"):
        link(png, secret)
    write_analysis(results / RUN)
    assert secret.read_text() == SECRET
    assert (results / RUN / "analysis.md").read_text().startswith("#")


@pytest.mark.parametrize("out", [None, "graded.jsonl"])
def test_grading_again_writes_through_no_link(
    results: Path, secret: Path, tmp_path: Path, out: str | None
) -> None:
    target = tmp_path / out if out else results / RUN / GRADES
    for name in (target.name, f"{target.name}.part") if out else (f"{target.name}.part",):
        link(target.with_name(name), secret)
    answers = results / RUN / ANSWERS
    answers.write_bytes(b"".join(answers.open("rb").readlines()[:2]))
    regrade(RUN, results, None, target if out else None, "none")
    assert secret.read_text() == SECRET
    assert target.is_file() and not target.is_symlink()


def test_grading_reads_a_linked_file_the_user_named_and_none_the_folder_names(
    results: Path, tmp_path: Path
) -> None:
    answers = results / RUN / ANSWERS
    (tmp_path / "own").mkdir()
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(b"".join(answers.open("rb").readlines()[:2]))
    (tmp_path / "own" / "mine.jsonl").symlink_to(kept)
    assert (
        regrade(str(tmp_path / "own" / "mine.jsonl"), results, None, tmp_path / "g.jsonl", "none").graded == 2
    )
    link(answers, kept)
    with pytest.raises(UsageError, match="leads out of"):
        regrade(RUN, results, None, tmp_path / "g.jsonl", "none")
