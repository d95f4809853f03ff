"""Rules of a language: named in its files, known by name, seen by no model."""

import json
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from probatio.authoring.check.contents import prove_contents
from probatio.authoring.check.report import Claim
from probatio.core.errors import UsageError
from probatio.core.trust import note_named
from probatio.grading import GRADER_VERSION
from probatio.suites.language_suite import Suite, load_suite
from probatio.suites.prompt import fingerprint, render
from probatio.suites.questions import GradedBy, digest_content

LANGUAGE = {
    "name": "Mini",
    "introduction": "Mini is a language.",
    "fences": ["mini"],
    "contexts": ["brief"],
    "commands": {"run": ["cat", "{file}"]},
}
RULES = {"indexing": "Indexing starts at 1.", "order of operators": "From left to right."}
TASK = """tasks:
  - id: a
    type: predict_output
    category: lists
    material: "1"
    expected_output: "1"
"""
EXAMPLE = "examples:\n  - {id: e, program: '1', output: '1'}\n"


def written(
    folder: Path, context: str = "Lists.", task: str = TASK, example: str = EXAMPLE, **more: object
) -> Path:
    for part in ("tasks", "contexts", "examples"):
        (folder / part).mkdir(parents=True)
    (folder / "language.yml").write_text(json.dumps({**LANGUAGE, "rules": RULES, **more}))
    (folder / "contexts" / "brief.md").write_text(context)
    (folder / "tasks" / "t.yml").write_text(task)
    (folder / "examples" / "e.yml").write_text(example)
    note_named(folder)
    return folder


def named(folder: Path) -> Suite:
    """The suite, all of whose parts name a rule."""
    return load_suite(
        written(
            folder,
            "Lists.\n  <!-- rule: indexing -->\nThey begin at 1.\n",
            f"{TASK}    rules: [indexing]\n",
            EXAMPLE.replace("}", ", rules: [order of operators]}"),
        )
    )


def test_a_prompt_tells_a_rule_by_its_context_or_by_an_example(tmp_path: Path) -> None:
    suite = named(tmp_path / "mini")
    assert suite.tasks["a"].rules == ("indexing",)
    assert suite.rules_told("brief", 0) == {"indexing"}
    assert suite.rules_told("brief", 1) == {*RULES}


def test_rules_reach_no_prompt_and_no_digest(tmp_path: Path) -> None:
    suite = named(tmp_path / "mini")
    plain = load_suite(written(tmp_path / "plain" / "mini", "Lists.\nThey begin at 1.", rules={}))
    task = suite.tasks["a"]
    asked = [render(each, each.tasks["a"], "brief", 1, "standard") for each in (suite, plain)]
    assert asked[0] == asked[1] and "rule" not in asked[0]
    assert fingerprint(suite, "1") == fingerprint(plain, "1")
    assert digest_content(suite, ["a"], []) == digest_content(plain, ["a"], [])
    assert GradedBy(suite, "1")("a", "standard") == GradedBy(plain, "1")("a", "standard")
    assert fingerprint(replace(suite, tasks={"a": replace(task, goal="other")}), "1") != fingerprint(
        plain, "1"
    )


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("<!-- rule: indexing -->\nLists.", "Lists."),
        ("Lists. <!-- rules: indexing, order of operators --> More.", "Lists. More."),
        ("Lists.\n\n<!--rule:indexing-->", "Lists."),
        ("<!-- a comment -->\nLists.", "<!-- a comment -->\nLists."),
    ],
)
def test_a_mark_leaves_the_text_as_if_it_were_not_there(tmp_path: Path, context: str, text: str) -> None:
    assert load_suite(written(tmp_path / "mini", context)).contexts["brief"] == text


@pytest.mark.parametrize(
    ("part", "text", "where"),
    [
        ("task", f"{TASK}    rules: [indexin]\n", r"t.yml, line 7, task `a`"),
        ("example", EXAMPLE.replace("}", ", rules: [indexin]}"), r"e.yml, line 2, example `e`"),
        ("context", "Lists.\n<!-- rule: indexin -->\n", r"brief.md, line 2"),
    ],
)
def test_an_unknown_rule_is_named_with_its_line_and_near_matches(
    tmp_path: Path, part: str, text: str, where: str
) -> None:
    with pytest.raises(UsageError, match=rf"{where}: There is no rule `indexin` .*Near matches: indexing"):
        load_suite(written(tmp_path / "mini", **{part: text}))


def test_a_rule_whose_name_a_comment_could_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"language.yml: `rules` has the name 'a, b'"):
        load_suite(written(tmp_path / "mini", rules={"a, b": "Two."}))


def test_a_rule_without_tasks_is_a_warning(tmp_path: Path) -> None:
    suite = named(tmp_path / "mini")
    proofs = prove_contents(suite, None, fingerprint(suite, GRADER_VERSION))
    found = {proof.subject: proof.state for proof in proofs if proof.claim is Claim.RULES}
    assert found == {"rule indexing": "proven", "rule order of operators": "warning"}


@pytest.mark.parametrize("text", [" " * 300_000, "<!-- rule: " * 30_000, "\n" * 300_000])
def test_a_context_of_a_stranger_is_searched_in_no_time(tmp_path: Path, text: str) -> None:
    began = time.monotonic()
    load_suite(written(tmp_path / "mini", text))
    assert time.monotonic() - began < 2
