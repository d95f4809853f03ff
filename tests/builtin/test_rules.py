"""The built-in suites name the decisions of their languages."""

from pathlib import Path

import pytest

from probatio.authoring.check.contents import prove_contents
from probatio.authoring.check.report import Claim
from probatio.authoring.generate.faber.decisions import find_decisions
from probatio.authoring.yaml_text import format_tasks
from probatio.core.records import Task
from probatio.core.yamlfile import parse_yaml
from probatio.grading import GRADER_VERSION
from probatio.suites.language_suite import list_built_in_suites, load_suite
from probatio.suites.prompt import fingerprint


@pytest.mark.parametrize("name", list_built_in_suites())
def test_every_rule_has_tasks_and_is_told_somewhere(name: str) -> None:
    suite = load_suite(name)
    assert 6 <= len(suite.rules) <= 12
    proofs = prove_contents(suite, None, fingerprint(suite, GRADER_VERSION))
    assert {proof.state for proof in proofs if proof.claim is Claim.RULES} == {"proven"}
    *_, most = suite.contexts
    assert suite.rules_told(most, 0) == suite.rules.keys()
    assert suite.rules_told(next(iter(suite.contexts)), 0) == frozenset()


def test_a_task_of_faber_names_the_rules_that_its_program_takes() -> None:
    suite = load_suite("faber")
    for task in suite.tasks.values():
        assert (task.rules or ()) == find_decisions(task), task.id
    for example in suite.examples:
        shown = Task(example.id, "predict_output", "", material=example.program)
        assert (example.rules or ()) == find_decisions(shown), example.id


def test_a_word_in_a_text_or_a_comment_takes_no_rule() -> None:
    task = Task("t", "predict_output", "", material='scribe "si vel ..", 1 # numerus')
    assert find_decisions(task) == ()


def test_a_task_keeps_its_rules_under_a_twist_and_when_it_is_written(tmp_path: Path) -> None:
    suite = load_suite("faber")
    twist = suite.twists["ranges-swapped"]
    for touched in twist.tasks:
        assert twist.task(suite.tasks[touched.id]).rules == suite.tasks[touched.id].rules
    ruled = [task for task in suite.tasks.values() if task.rules]
    read = parse_yaml(format_tasks(ruled), tmp_path)["tasks"]  # as `suite vary` writes them
    assert [tuple(task["rules"]) for task in read] == [task.rules for task in ruled]
