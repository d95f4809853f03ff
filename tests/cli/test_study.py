"""`probatio study`: its flags, what it prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import Done, probatio
from double import Double
from learn.runs import by_chance, write_made_up_run, write_suite

pytestmark = pytest.mark.slow  # whole runs are studied, with pictures


def studied(*arguments: object) -> Done:
    return probatio("study", *arguments)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    suite = write_suite(tmp_path / "suite", 20)
    for seed, name in enumerate(("one", "two")):
        write_made_up_run(
            tmp_path / "results" / name, suite, by_chance(lambda key: 0.9 if key.context == (
                "basic"
            ) else 0.3, seed),
            contexts=("minimal", "basic"),
        )  # fmt: skip
    return tmp_path / "results"


def test_a_run_is_named_by_id_or_folder_and_told_in_short(results: Path) -> None:
    for run in ("one", results / "one"):
        done = studied(run)
        assert done.returncode == 0
        first, curve, analysis = done.output.splitlines()
        assert "/40 passed (" in first
        assert curve.startswith("m: 80 % with more than 201, at most 601 tokens (basic, 0-shot; 95 %: ")
        assert Path(analysis.removeprefix("Analysis: ")).read_text().startswith("# Run one")


def test_json_holds_every_finding(results: Path) -> None:
    found = json.loads(studied("one", "--json", "--no-narrative").stdout)
    assert found["event"] == "study"
    assert found["overall"]["asked"] == 40
    assert {axis["name"] for axis in found["axes"]} >= {"model", "context", "type", "category", "difficulty"}
    assert found["curves"][0]["reach"][0]["share"] == 0.8
    assert found["factors"]["effects"][0]["level"] == "basic"


def test_several_runs_are_pooled_into_out(results: Path) -> None:
    done = studied("one", "two", "--out", results / "both", "--no-narrative")
    assert "/80 passed (" in done.output
    assert (results / "both" / "analysis.md").exists()
    assert not (results / "one" / "analysis.md").exists()


def test_several_runs_without_out_are_refused(results: Path) -> None:
    done = studied("one", "two")
    assert done.returncode == 2 and "--out DIR" in done.stderr


def test_a_run_named_twice_counts_once(results: Path) -> None:
    assert "/40 passed (" in studied("one", results / "one", "--no-narrative").output


def test_the_analyst_of_models_yml_writes_unless_told_not_to(results: Path) -> None:
    with Double(reply=lambda body: "Prose.") as double:
        models = [{"id": "oracle", "name": "v/oracle", "base_url": double.base_url}]
        (results.parent / "own.yml").write_text(json.dumps({"models": models, "analyst": "oracle"}))
        studied("one", "--config", "own.yml", "--no-narrative")
        assert not double.served
        studied("one", "--config", "own.yml")
        assert sum(double.served.values()) == 1
    assert "> Prose." in (results / "one" / "analysis.md").read_text()


def test_a_folder_that_can_not_be_written_is_a_sentence(results: Path) -> None:
    (results.parent / "file").write_text("")
    done = probatio("study", "one", "--out", str(results.parent / "file" / "x"))
    assert done.returncode == 2
    assert "can't be written" in done.stderr
