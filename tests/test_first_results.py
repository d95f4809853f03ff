"""A part of docs/results.md: made by a script from answers that are kept outside the repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scripts import script

REPOSITORY = Path(__file__).parent.parent
RECORDED = REPOSITORY.parent / "shared" / "recorded"
PAGE = REPOSITORY / "docs" / "results.md"

needs_recorded = pytest.mark.skipif(
    not RECORDED.is_dir(), reason="the folder `shared` is not beside the repository"
)


@needs_recorded
def test_the_page_is_about_all_recorded_answers() -> None:
    lines = [json.loads(line) for line in (RECORDED / "raw_responses.jsonl").read_text().splitlines()]
    models, tasks = ({line[name] for line in lines} for name in ("model", "task_id"))
    text = PAGE.read_text(encoding="utf-8")
    assert f"{len(lines):,} answers of {len(models)} models to {len(tasks)} Faber tasks" in text
    assert all(f"| {model} | " in text for model in models)


@needs_recorded
def test_the_script_grades_and_writes_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the answers of three models, a small part."""
    part = tmp_path / "recorded"
    shutil.copytree(RECORDED / "tasks", part / "tasks")
    wanted = {"mistral-7b", "llama-3.2-3b", "claude-3-haiku"}
    for name in ("raw_responses.jsonl", "reference.jsonl"):
        lines = (RECORDED / name).read_text().splitlines(keepends=True)
        (part / name).write_text("".join(line for line in lines if json.loads(line)["model"] in wanted))
    first_results = script("first_results")
    monkeypatch.setattr(first_results, "PAGE", tmp_path / "page.md")
    first_results.main(part)
    rows = {line.split(" | ")[0]: line for line in (tmp_path / "page.md").read_text().splitlines()}
    whole = {line.split(" | ")[0]: line for line in PAGE.read_text(encoding="utf-8").splitlines()}
    for model in wanted:  # rates of a model depend on its own answers alone
        assert rows[f"| {model}"] == whole[f"| {model}"]
