"""The items of runs, read from the folders that `probatio trial` leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import Done, probatio
from learn.runs import write_made_up_run, write_suite
from probatio.core.errors import UsageError
from probatio.core.records import ErrorType, TrialKey
from probatio.learn.items.of_runs import CONTROLS, measure_runs


def shown(*arguments: object) -> Done:
    return probatio("study", "items", *arguments)


def outcome(key: TrialKey) -> bool | ErrorType:
    """`strong` passes all but task_03, `weak` half of task_00's samples and nothing else; task_02 could not
    be asked of it."""
    if key.model == "strong":
        return key.task_id != "task_03"
    if key.task_id == "task_02":
        return "api_error"
    return key.task_id == "task_00" and key.sample < 6


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("items")
    suite = write_suite(root / "suite", 4, controls=1)
    write_made_up_run(root / "results" / "r", suite, outcome, models=("strong", "weak"), samples=12)
    return root / "results"


def test_every_task_has_its_share_by_model_and_its_tokens(results: Path) -> None:
    found = measure_runs([results / "r"])
    shares = {
        item.id: {model: credit.share for model, credit in item.credits.items()} for item in found.items
    }
    assert shares == {
        "task_00": {"strong": 1, "weak": 0.5},
        "task_01": {"strong": 1, "weak": 0},
        "task_02": {"strong": 1},
        "task_03": {"strong": 0, "weak": 0},
        "control_0": {"strong": 1, "weak": 0},
    }
    assert found.models == ("strong", "weak")
    assert found.answers == 12 * 9
    assert [(pool.name, pool.items) for pool in found.pools] == [("suite", 4), (CONTROLS, 1)]
    assert {item.pool for item in found.items if item.id.startswith("control")} == {CONTROLS}
    prompt = "word " * 200 + "task_00 what does it print?"  # 205 tokens
    assert found.items[0].credits["weak"].tokens == len(prompt) // 5


def test_the_command_prints_tables_and_what_has_no_headroom(results: Path) -> None:
    output = shown("r", "--results", results).output
    assert "suite 1.0.0 · r · 2 models · 108 answers" in output
    assert "  strong: 75.0 %" in output
    assert "  weak: 16.7 %" in output
    assert "suite: nobody passes 1 of 4 tasks (2 models, 3 % or less each): task_03." in output
    row = next(line for line in output.splitlines() if line.startswith("  task_00 "))
    assert row.split()[1:9] == ["100", "%", "76–100", "50", "%", "25–75", "+1.00", "205"]
    assert row.endswith("tells 1 of 1 pairs of models apart")


def test_json_holds_the_same(results: Path) -> None:
    found = json.loads(shown("r", "--results", results, "--json").stdout)
    assert (found["event"], len(found["items"])) == ("items", 5)
    assert found["items"][0]["discrimination"] == {"pairs": 1, "along": 1, "against": 0, "rest": None}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Name runs, or give --daily"),
        (("r", "--daily"), "Name runs, or give --daily"),
        (("r", "--days", "3"), "--days goes with --daily"),
        (("--daily",), "There is no day under"),
        (("--daily", "--suite", "x"), "--suite goes with runs"),
        (("r", "--pool", "nothing"), "There is no pool `nothing` in r; there are suite, controls"),
        (("r", "--quotes", "--rungs"), "--quotes looks through runs"),
    ],
)
def test_what_can_not_be_measured_is_refused_with_a_sentence(
    results: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    refused = shown(*arguments, "--results", results)
    assert refused.returncode == 2 and sentence in refused.stderr


def test_suite_check_warns_of_a_pool_without_headroom(results: Path, tmp_path: Path) -> None:
    from probatio.authoring.check.measured import format_headroom, measure_headroom

    suite = results.parent / "suite"
    stored = measure_headroom(suite, (), results)
    assert stored is not None and stored == measure_headroom(suite, ("r",), results)
    assert list(format_headroom(stored)) == [
        "Headroom, measured on r (2 models):",
        "  Warning: suite: nobody passes 1 of 4 tasks (2 models, 3 % or less each): task_03.",
        "  Warning: controls: no headroom. strong has 100.0 % (limit 97 %): a better model, or a loss of "
        "this one, can't show.",
    ]  # nobody fails task_02 either, but only one model was asked it
    assert measure_headroom(suite, (), tmp_path) is None
    other = write_suite(tmp_path / "suite", 5)
    assert measure_headroom(other, (), results) is None  # stored runs asked another one
    named = measure_headroom(other, ("r",), results)
    assert named is not None and "r asked another version of suite" in named.notes[0]
    with pytest.raises(UsageError, match="asked the suite suite, not other"):
        measure_headroom(write_suite(tmp_path / "other", 5), ("r",), results)
    assert "--runs" in probatio("suite", "check", "--help").output
