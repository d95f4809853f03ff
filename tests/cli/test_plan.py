"""`probatio study plan`: its line, its JSON, and what it refuses."""

from __future__ import annotations

import json

from commandline import probatio


def test_the_line_tells_the_chance_and_the_tasks_it_takes() -> None:
    done = probatio("study", "plan", "--delta", "5", "--tasks", "95", "--samples", "1")
    first = done.output.splitlines()[0]
    assert first.startswith("Power: a difference of 5 points between two models is seen with a chance of 1")
    assert first.endswith(" tasks.")


def test_json_holds_the_design_and_the_answer() -> None:
    words = [
        "--delta",
        "-10",
        "--tasks",
        "95",
        "--between",
        "context",
        "--conditions",
        "4",
        "--rate",
        "80",
        "--chance",
        "90",
        "--json",
    ]
    found = json.loads(probatio("study", "plan", *words).stdout)
    assert (found["event"], found["between"], found["power"]["wanted"]) == ("power", "context", 0.9)
    assert found["power"]["design"]["conditions"] == 4
    assert 0.9 < found["power"]["chance"] <= 1
    assert found["power"]["tasks_needed"] < 95


def test_three_sides_are_no_pilot() -> None:
    refused = probatio("study", "plan", "a", "b", "c", "--delta", "5")
    assert "A pilot is one run or two sides; 3 were given." in refused.stderr
