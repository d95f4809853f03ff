"""`probatio models`: the list, and pulling, finding and removing weights through the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import probatio
from probatio.ask.embedded.catalogue import CATALOGUE


def test_the_list_says_which_models_can_be_asked_right_now(tmp_path: Path) -> None:
    rows = json.loads(
        probatio("models", "list", "--json", cwd=tmp_path, env={"PROBATIO_CACHE": str(tmp_path)}).stdout
    )
    ready = {row["id"]: row["ready"] for row in rows}
    assert ready["qwen2.5-coder-0.5b"] == "pulled when asked, 491 MB"
    assert ready["gpt-4o-mini"] == "needs OPENROUTER_API_KEY"
    (tmp_path / ".env").write_text("OPENROUTER_API_KEY=k\n")
    shown = probatio("models", "list", cwd=tmp_path, env={"PROBATIO_CACHE": str(tmp_path)}).stdout
    assert next(line for line in shown.splitlines() if line.startswith("gpt-4o-mini")).split()[-4:] == [
        "0.15",
        "/",
        "0.60",
        "yes",
    ]


def test_ones_own_models_stand_beside_the_embedded_catalogue(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text(
        "models:\n  - {id: local, provider: mine, name: m, base_url: 'http://127.0.0.1:1/v1'}\n"
    )
    rows = json.loads(probatio("models", "list", "--json", "--config", "mine.yml", cwd=tmp_path).stdout)
    assert [row["id"] for row in rows] == ["local", *(entry.id for entry in CATALOGUE)]
    assert rows[0]["ready"] == "yes"


@pytest.mark.slow
def test_the_smallest_model_is_pulled_found_and_removed(tmp_path: Path) -> None:
    cache = {"PROBATIO_CACHE": str(tmp_path / "cache")}
    pulled = probatio("models", "pull", "smollm2-135m", cwd=tmp_path, env=cache)
    if pulled.returncode == 3:
        pytest.skip(f"the smallest model can't be downloaded here: {pulled.stderr}")
    assert "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53, as tested" in pulled.stdout
    assert "98 of 98 MB" in pulled.stderr, "plain lines where there is no terminal"
    found = probatio("models", "path", "smollm2-135m", cwd=tmp_path, env=cache).stdout.strip()
    assert Path(found).stat().st_size == 98_362_432
    assert "98 MB freed" in probatio("models", "remove", "smollm2-135m", cwd=tmp_path, env=cache).stdout
    gone = probatio("models", "path", "smollm2-135m", cwd=tmp_path, env=cache)
    assert (gone.returncode, "probatio models pull smollm2-135m" in gone.stderr) == (3, True)


def test_a_slip_in_an_id_ends_before_anything_is_pulled(tmp_path: Path) -> None:
    slip = probatio(
        "models",
        "pull",
        "smollm2-135m",
        "qwen2.5-coder-5b",
        cwd=tmp_path,
        env={"PROBATIO_CACHE": str(tmp_path / "c")},
    )
    assert slip.returncode == 2
    assert "Near matches: qwen2.5-coder" in slip.stderr
    assert not (tmp_path / "c").exists()
