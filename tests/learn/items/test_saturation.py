"""Which tasks are settled and since when, and answers that quote solutions."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from commandline import probatio
from learn.runs import Outcome, write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.learn.items.quotes import find_quotes
from probatio.learn.items.saturation import find_runs_of_newest_suite, measure_saturation
from probatio.runs.record import read_run, write_run
from probatio.runs.store.layout import ANSWERS


def _run(root: Path, name: str, day: str, outcome: Outcome, model: str = "m", samples: int = 10) -> Path:
    suite = root / "suite" if (root / "suite").exists() else write_suite(root / "suite", 6)
    folder = write_made_up_run(root / name, suite, outcome, models=(model,), samples=samples)
    write_run(folder, msgspec.structs.replace(read_run(folder), created=f"{day}T08:00:00.000Z"))
    return folder


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Task 0 is right from February on, 1 always, 2 is wrong from March on, 3 never right; the others come
    and go."""
    root = tmp_path_factory.mktemp("history")
    right = {
        "january": {"task_01", "task_02", "task_04"},
        "february": {"task_00", "task_01", "task_02", "task_05"},
        "march": {"task_00", "task_01", "task_04"},
    }
    for number, (name, tasks) in enumerate(right.items(), 1):
        _run(
            root,
            name,
            f"2026-0{number}-10",
            lambda key, tasks=tasks: key.task_id in tasks,  # type: ignore[misc]
            model=f"m{number}",
        )
    return root


def test_a_settled_task_is_told_since_when_and_who_was_last_to_differ(three: Path) -> None:
    found = measure_saturation([three / name for name in ("march", "january", "february")])
    assert found.runs == ("january", "february", "march")
    settled = {one.task_id: one for one in found.settled}
    assert {
        task: (one.way, one.since_run, one.since and one.since[:10]) for task, one in settled.items()
    } == {
        "task_00": ("nobody fails", "february", "2026-02-10"),
        "task_01": ("nobody fails", "january", "2026-01-10"),
        "task_02": ("nobody passes", "march", "2026-03-10"),
        "task_03": ("nobody passes", "january", "2026-01-10"),
        "task_04": ("nobody fails", "march", "2026-03-10"),
        "task_05": ("nobody passes", "march", "2026-03-10"),
    }
    first = settled["task_00"]
    assert (first.runs, first.answers, first.models) == (2, 20, ("m2", "m3"))
    assert (first.before_run, first.before_models) == ("january", ("m1",))
    assert settled["task_01"].before_run is None


def test_one_wrong_answer_unsettles_a_task_and_nine_answers_settle_none(tmp_path: Path) -> None:
    _run(tmp_path, "a", "2026-01-01", lambda key: key.sample != 2 or key.task_id != "task_00")
    assert "task_00" not in {one.task_id for one in measure_saturation([tmp_path / "a"]).settled}
    _run(tmp_path, "few", "2026-01-02", lambda key: True, samples=9)
    assert measure_saturation([tmp_path / "few"]).settled == ()


def test_the_command_takes_all_runs_of_the_newest_suite(three: Path) -> None:
    assert {folder.name for folder in find_runs_of_newest_suite(three)} == {"january", "february", "march"}
    done = probatio("study", "items", "--saturation", "--results", str(three))
    assert "Nobody fails any more (3 of 6 tasks)" in done.output
    assert (
        "  task_00: since 2026-02-10 (february), 20 answers of 2 models; last failed 2026-01-10 (january) by "
        "m1" in done.output
    )
    assert "  task_01: since 2026-01-10 (january), the first run here; 30 answers of 3 models" in done.output
    told = probatio("study", "items", "--saturation", "--results", str(three), "--json")
    assert json.loads(told.stdout)["event"] == "saturation"


def test_no_run_and_flags_that_do_not_belong_are_sentences(three: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no run under"):
        find_runs_of_newest_suite(tmp_path)
    refused = probatio("study", "items", "--saturation", "--daily", "--results", str(three))
    assert "--saturation looks through runs" in refused.stderr


SOLUTION = """fixum numerus hortulanus = 12
fixum numerus papilio = 30
scribe hortulanus + papilio"""


@pytest.fixture(scope="module")
def quoted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of three models one writes the solution with its very names, one with names of its own, one copies half
    of it."""
    root = tmp_path_factory.mktemp("quotes")
    suite = write_suite(root / "suite", 6)
    tasks = json.loads((suite / "tasks" / "all.yml").read_text(encoding="utf-8"))
    tasks["tasks"][3] |= {"type": "write_faber", "solution": SOLUTION}
    (suite / "tasks" / "all.yml").write_text(json.dumps(tasks), encoding="utf-8")
    folder = write_made_up_run(root / "r", suite, lambda key: True, models=("seen", "honest", "half"))
    answers = {
        "seen": f"Here you are:\n```faber\n{SOLUTION}\n```",
        "honest": SOLUTION.replace("hortulanus", "a").replace("papilio", "b"),
        "half": "\n".join(SOLUTION.splitlines()[:2]) + "\nscribe 42",
    }
    lines = [json.loads(line) for line in (folder / ANSWERS).read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["task_id"] == "task_03":
            line["response"] = answers[line["model"]]
    (folder / ANSWERS).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return root


def test_an_answer_with_the_solutions_own_names_is_marked_and_one_with_other_names_is_not(
    quoted: Path,
) -> None:
    found = find_quotes([quoted / "r"])
    assert found.answers == {"half": 1, "honest": 1, "seen": 1}
    by_model = {quote.model: quote for quote in found.quotes}
    assert by_model["seen"].whole
    assert {"hortulanus", "papilio"} <= set(by_model["seen"].nowhere)
    assert by_model["seen"].marked
    assert "honest" not in {quote.model for quote in found.marked}
    assert [quote.model for quote in found.quotes if quote.whole] == ["seen"]


def test_the_report_of_quotes_is_counted_by_model(quoted: Path) -> None:
    done = probatio("study", "items", "r", "--quotes", "--results", str(quoted))
    assert "seen: 1 of 1 answers quote their solution (1 the whole of it), 1 marked" in done.output
    assert "honest: 0 of 1 answers quote their solution" in done.output
    (line,) = [
        line for line in done.output.splitlines() if line.startswith("  task_03 [seen · minimal · 0-shot] ")
    ]
    assert {"hortulanus", "papilio"} <= set(line.partition("] ")[2].partition(":")[0].split(", "))
