"""Several languages on one page: each run read with its own suite, never pooled with another's."""

from __future__ import annotations

from pathlib import Path

import pytest

from learn.runs import by_chance, write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.learn.report.side_by_side import CAUTION, read_languages, write_side_by_side

CONTEXTS = ("examples-only", "minimal", "complete")


def _run(root: Path, name: str, suite: str, tasks: int, model: str, chance: float) -> Path:
    folder = root / suite
    made = folder if (folder / "tasks").exists() else write_suite(folder, tasks)
    return write_made_up_run(
        root / name,
        made,
        by_chance(lambda key: chance * CONTEXTS.index(key.context)),
        models=(model,),
        contexts=CONTEXTS,
    )


def test_a_page_has_a_curve_per_language_and_model_and_pools_runs_of_one_suite_only(tmp_path: Path) -> None:
    runs = [
        _run(tmp_path, "a1", "alpha", 12, "m", 0.5),
        _run(tmp_path, "b1", "beta", 8, "m", 0.2),
        _run(tmp_path, "a2", "alpha", 12, "n", 0.4),
    ]
    languages = read_languages(runs)
    assert [
        (one.suite, one.runs, [(curve.model, curve.tasks) for curve in one.curves]) for one in languages
    ] == [
        ("alpha", ["a1", "a2"], [("m", 12), ("n", 12)]),
        ("beta", ["b1"], [("m", 8)]),
    ]
    page = write_side_by_side(languages, tmp_path / "page")
    text = page.read_text(encoding="utf-8")
    assert CAUTION in text
    assert text.count("\n## ") == 2
    assert "| alpha | examples-only | 0 |" in text
    assert "| beta | complete | 0 |" in text
    assert sorted(file.name for file in page.parent.glob("*.png")) == ["languages-1.png", "languages-2.png"]


def test_a_run_without_a_curve_is_named(tmp_path: Path) -> None:
    run = write_made_up_run(tmp_path / "r", write_suite(tmp_path / "suite", 6), lambda key: True)
    with pytest.raises(UsageError, match="r: A curve needs"):
        read_languages([run])
