"""The digest of our code: any byte of a file of code moves it, nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from probatio.core import code_digest as module
from probatio.core.code_digest import code_digest


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "HERE", tmp_path)
    (tmp_path / "grade" / "inner").mkdir(parents=True)
    (tmp_path / "grade" / "mean.py").write_text("HALF = 0.5\n")
    (tmp_path / "grade" / "inner" / "survey.js").write_text("1\n")
    (tmp_path / "other.py").write_text("")
    code_digest.cache_clear()
    return tmp_path


def now(*modules: str) -> str:
    code_digest.cache_clear()
    return code_digest(*modules)


@pytest.mark.parametrize("changed", ["grade/mean.py", "grade/inner/survey.js", "grade/new.py"])
def test_the_digest_moves_with_every_file_of_code(code: Path, changed: str) -> None:
    before = now("grade")
    (code / changed).write_text("HALF = 0.51\n")
    assert now("grade") != before


def test_a_renamed_file_moves_it_and_other_files_do_not(code: Path) -> None:
    before = now("grade")
    (code / "grade" / "notes.md").write_text("words")
    (code / "other.py").write_text("x = 1\n")
    assert now("grade") == before
    (code / "grade" / "mean.py").rename(code / "grade" / "average.py")
    assert now("grade") != before


def test_a_module_counts_as_its_file_and_one_that_is_not_there_is_refused(code: Path) -> None:
    before = now("other")
    (code / "other.py").write_text("x = 1\n")
    assert now("other") != before
    with pytest.raises(FileNotFoundError):
        now("nowhere")


def test_our_own_code_has_a_digest() -> None:
    assert now("probatio.grading") != now("probatio.grading", "probatio.grading.daily_answers")
