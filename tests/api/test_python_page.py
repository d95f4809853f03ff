"""docs/python.md is run from top to bottom, against a server on loopback; so is the notebook of examples/."""

from __future__ import annotations

import asyncio
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from double import Double
from learn.runs import by_chance, write_made_up_run, write_suite

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "python.md"
NOTEBOOK = REPOSITORY / "examples" / "two_runs_to_a_paper.py"

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _blocks() -> list[str]:
    return _BLOCK.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.slow
async def test_every_block_of_the_page_runs_in_order_inside_a_running_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook runs its cells inside a loop; so does this test."""
    assert asyncio.get_running_loop().is_running()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENROUTER_API_KEY", "key")
    names: dict[str, Any] = {}
    with Double(reply=lambda body: "42" if "gpt-4o" in body["model"] else "2") as double:
        monkeypatch.setenv("OPENROUTER_BASE_URL", double.base_url)
        for number, block in enumerate(_blocks(), 1):
            exec(compile(block, f"docs/python.md, block {number}", "exec"), names)
        assert sum(double.served.values()) >= 120
    assert (names["run"].asked, names["run"].stopped) == (60, None)
    assert names["trials"].shape == (120, 24)
    assert set(names["frame"].columns) >= {"prompt", "response"}
    assert names["comparison"].pairs == 60
    assert names["report"].flips == []
    assert {file.suffix for file in names["files"]} == {".tex", ".bib", ".csv", ".pdf", ".svg"}
    assert "learning-curves" in names["pictures"]


def test_the_notebook_goes_from_two_runs_to_a_latex_table_and_a_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "suite", 20)
    for seed, (name, chance) in enumerate((("one", 0.2), ("two", 0.9))):
        write_made_up_run(
            tmp_path / "results" / name,
            suite,
            by_chance(lambda key, chance=chance: chance, seed),  # type: ignore[misc]
            models=(f"model_{name}",),
            contexts=("minimal", "basic"),
        )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(NOTEBOOK), "one", "two"])
    runpy.run_path(str(NOTEBOOK), run_name="__main__")
    shown = capsys.readouterr().out
    assert re.search(
        r"two passes \d\d\.\d points more than one \(95 % interval: .* more; p < 0\.001\)\.", shown
    )
    table = (tmp_path / "paper" / "table-comparisons.tex").read_text(encoding="utf-8")
    assert r"one & two & " in table
    assert (tmp_path / "paper" / "comparisons.pdf").read_bytes().startswith(b"%PDF-")
    assert r"\includegraphics[width=\linewidth]{comparisons.pdf}" in (
        tmp_path / "paper" / "study.tex"
    ).read_text(encoding="utf-8")
