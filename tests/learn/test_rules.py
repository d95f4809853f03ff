"""What each decision of a language costs: rates, points lost, tokens, what failures say."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from learn.runs import make_run, write_made_up_run, write_suite
from probatio.core.records import TrialKey
from probatio.learn.analysis import study_of
from probatio.learn.findings import Bracket, RuleCost, Study
from probatio.learn.report.sections import format_report, summarise
from probatio.learn.rules import group_diagnosis
from probatio.learn.statistics.strata import measure_loss
from probatio.suites.language_suite import load_suite

RULES = {"loops first": "A loop names the collection first.", "ranges": "`..` leaves its end out."}


def write_ruled_suite(folder: Path, tasks: int = 40) -> Path:
    """`complete` tells both rules. The second half of the tasks takes `loops first`; `ranges`, the first
    four."""
    suite = write_suite(folder, tasks)
    about = json.loads((suite / "language.yml").read_text())
    (suite / "language.yml").write_text(json.dumps({**about, "rules": RULES}))
    listed = json.loads((suite / "tasks" / "all.yml").read_text())["tasks"]
    for number, task in enumerate(listed):
        task["rules"] = ["loops first"] if number >= tasks // 2 else ["ranges"] if number < 4 else []
    (suite / "tasks" / "all.yml").write_text(json.dumps({"tasks": listed}))
    context = suite / "contexts" / "complete.md"
    context.write_text(f"<!-- rule: loops first, ranges -->\n{context.read_text()}")
    return suite


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A model that takes no loop rightly until `complete` tells the rule, and all else always."""
    root = tmp_path_factory.mktemp("rules")

    def outcome(key: TrialKey) -> bool:
        return key.task_id < "task_20" or (key.context == "complete" and key.task_id != "task_39")

    suite = write_ruled_suite(root / "suite")
    return study_of(
        [write_made_up_run(root / "r", suite, outcome, contexts=("minimal", "basic", "complete"))]
    )


def rule(study: Study, name: str) -> RuleCost:
    return next(one for one in study.rules if one.rule == name)


def test_a_rule_has_a_rate_where_it_was_told_and_one_where_it_was_not(study: Study) -> None:
    loops = rule(study, "loops first")
    assert (loops.told.passed, loops.told.asked, loops.told.tasks) == (19, 20, 20)
    assert (loops.untold.passed, loops.untold.asked) == (0, 40)


def test_points_are_lost_against_other_tasks_of_the_same_difficulty(study: Study) -> None:
    loops = rule(study, "loops first")
    assert loops.lost == pytest.approx(100 * (1 - 19 / 60))
    assert loops.lost is not None and loops.low is not None and loops.high is not None
    assert 30 < loops.low < loops.lost < loops.high <= 100
    ranges = rule(study, "ranges")
    assert ranges.lost is not None and ranges.lost < 0


def test_the_tokens_until_a_rule_is_used_rightly_are_those_of_its_own_tasks(study: Study) -> None:
    reach = rule(study, "loops first").reach
    assert reach is not None and reach.fitted is not None and reach.fitted.context == "complete"
    assert rule(study, "ranges").reach is None  # four tasks make no curve


def test_diagnoses_are_grouped_and_counted_against_all_failures(study: Study) -> None:
    loops = rule(study, "loops first")
    assert loops.failures == 41
    assert [(each.text, each.count) for each in loops.diagnoses] == [("why task_… failed", 41)]


@pytest.mark.parametrize(
    ("detail", "group"),
    [
        (
            "line 3: syntax: `,` in a list where a space belongs",
            "syntax: `,` in a list where a space belongs",
        ),
        ("line 14: word: there is no word 'foo_1'", "word: there is no word '…'"),
        ("answer.fab:3:14: unknown name `x`\nmore", "unknown name `…`"),
        ("test 2 of 5: expected '1 2', printed '3'", "expected '…', printed '…'"),
        ("test 1 of 2: exit 1: line 3: `mod` takes a number", "`…` takes a number"),
        ("expected \"it's\", printed ''", "expected \"…\", printed ''"),
        ("can't divide 12.5 by 0", "can't divide … by …"),
        ("\n\n  at column 7, two  values\n", "two values"),
        ("a\x1b[31mb", "a\\u001b[…mb"),
        ("", ""),
    ],
)
def test_what_differs_by_chance_is_taken_out_of_a_diagnosis(detail: str, group: str) -> None:
    assert group_diagnosis(detail) == group


def test_the_costliest_decision_is_the_last_sentence(study: Study) -> None:
    last = summarise(study)[-1]
    assert last.startswith(
        "The costliest decision for m is loops first: 68.3 points less than tasks as hard (95 %"
    )
    assert "the most of 2; most often: " in last and last.endswith(" of 41.")
    assert "## What each decision costs" in format_report(study, {})


def test_tokens_of_which_nothing_is_ruled_out_say_so(study: Study) -> None:
    loops = rule(study, "loops first")
    assert loops.reach is not None
    unsure = replace(loops, reach=replace(loops.reach, interval=Bracket(None, None)))
    assert "(95 %: any that were tried, or more)" in format_report(replace(study, rules=[unsure]), {})


def test_no_decision_is_called_costly_where_none_is_shown_to_be(tmp_path: Path) -> None:
    suite = write_ruled_suite(tmp_path / "suite")
    run = write_made_up_run(tmp_path / "r", suite, lambda key: key.task_id[-1] in "0145")
    assert summarise(study_of([run]))[-1].startswith("No decision is shown to cost m points")


def test_a_language_without_rules_has_no_word_about_them(tmp_path: Path) -> None:
    study = study_of([make_run(tmp_path, 8, lambda key: key.task_id < "task_04")])
    assert study.rules == []
    assert "decision" not in format_report(study, {})


def test_tasks_without_a_difficulty_or_without_others_as_hard_are_not_compared() -> None:
    assert measure_loss({"1": [0.0, 1.0]}, {"2": [1.0]}) is None
    assert measure_loss({}, {"2": [1.0]}) is None
    # easy tasks that take the rule are compared with easy ones alone
    found = measure_loss({"1": [1.0] * 10}, {"1": [1.0] * 10, "3": [0.0] * 50})
    assert found is not None and found.share == 0 and found.low < -0.1 and found.high > 0.1


def test_rules_added_after_a_run_are_studied_without_a_word_of_change(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", 40)
    run = write_made_up_run(tmp_path / "r", suite, lambda key: key.task_id < "task_20")
    write_ruled_suite(tmp_path / "suite")
    (tmp_path / "suite" / "contexts" / "complete.md").write_text("word " * 3000)
    assert load_suite(suite).rules
    study = study_of([run])
    assert study.rules and study.notes == []


@pytest.mark.parametrize("spread", [0.0, 0.25, 1.0])
def test_the_interval_holds_the_truth_as_often_as_it_says(spread: float) -> None:
    """Tasks of three difficulties, asked eight times; the rule costs 20 points. `spread`: how far tasks are
    from their difficulty's rate, up to all or nothing."""
    chance = random.Random(f"rules {spread}")
    held = 0
    for _ in range(400):
        sides: list[dict[str, list[float]]] = []
        for cost, tasks in ((0.2, 4), (0.0, 8)):
            side = {}
            for name, rate in (("1", 0.8), ("2", 0.6), ("3", 0.4)):
                side[name] = [_ask(rate - cost, spread, chance) for _ in range(tasks)]
            sides.append(side)
        found = measure_loss(sides[0], sides[1])
        assert found is not None
        held += found.low <= 0.2 <= found.high
    assert held / 400 > 0.92


def _ask(rate: float, spread: float, chance: random.Random) -> float:
    if spread == 1.0:
        return float(chance.random() < rate)
    if spread:
        rate = min(1.0, max(0.0, rate + chance.choice((-spread, spread)) * min(rate, 1 - rate)))
    return sum(chance.random() < rate for _ in range(8)) / 8
