"""Answers that quote solutions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import probatio
from learn.runs import write_made_up_run, write_suite
from probatio.learn.items.quotes import find_quotes
from probatio.runs.store.layout import ANSWERS

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
