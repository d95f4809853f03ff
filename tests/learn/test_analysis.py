"""`analysis.md` and its pictures: what is written, when a chart is drawn, and what a small run does not pay
for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from learn.runs import by_chance, make_run, write_made_up_run, write_suite
from probatio.learn.analysis import study_of, write_analysis, write_study

pytestmark = pytest.mark.slow  # pictures are drawn

CONTEXTS = ("minimal", "basic", "complete")


def _grid(root: Path) -> Path:
    suite = root / "suite" if (root / "suite").exists() else write_suite(root / "suite", 12)
    return write_made_up_run(
        root / "r", suite, by_chance(lambda key: 0.6), models=("a", "b"), contexts=CONTEXTS, n_shots=(0, 3)
    )


def test_the_pictures_stand_beside_the_text_that_shows_them(tmp_path: Path) -> None:
    run = _grid(tmp_path)
    text = write_analysis(run).read_text()
    for name in ("learning-curves", "contexts", "funnel"):
        file = run / f"analysis-{name}.png"
        assert file.read_bytes().startswith(b"\x89PNG")
        assert f"]({file.name})" in text


def test_the_same_run_gives_the_same_analysis(tmp_path: Path) -> None:
    run = _grid(tmp_path)
    assert write_analysis(run).read_bytes() == write_analysis(run).read_bytes()


def test_pictures_of_an_earlier_analysis_do_not_outlive_it(tmp_path: Path) -> None:
    run = _grid(tmp_path)
    write_analysis(run)
    write_made_up_run(run, tmp_path / "suite", lambda key: True)
    write_analysis(run)
    assert list(run.glob("*.png")) == []


def test_a_run_of_one_condition_loads_no_heavy_library(tmp_path: Path) -> None:
    run = make_run(tmp_path, 14, lambda key: key.task_id < "task_07")
    script = (
        "import sys; from pathlib import Path; from probatio.learn.analysis import write_analysis; "
        "write_analysis(Path(sys.argv[1])); "
        "print([name for name in ('numpy', 'scipy', 'vl_convert', 'aiohttp') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(run)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    assert list(run.glob("*.png")) == []


def test_an_empty_run_gets_an_analysis_that_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path, 14, lambda key: True)
    (run / "graded_results.jsonl").unlink()
    assert "No answer has been graded yet." in write_analysis(run).read_text()


def test_several_runs_are_studied_into_a_folder_of_their_own(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 14)
    runs = [write_made_up_run(tmp_path / name, suite, lambda key: True) for name in ("one", "two")]
    path, _ = write_study(study_of(runs), tmp_path / "both")
    assert path.read_text().startswith("# Runs one, two\n")
    assert not (runs[0] / "analysis.md").exists()
