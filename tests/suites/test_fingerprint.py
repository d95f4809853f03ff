"""A suite is pinned to its version: what can move a score can't change without a bump."""

import pytest
from msgspec.structs import replace

from probatio.grading import GRADER_VERSION
from probatio.suites import prompt
from probatio.suites.language_suite import list_built_in_suites, load_suite
from probatio.suites.prompt import fingerprint, fingerprint_as_asked

SUITE = load_suite()


@pytest.mark.parametrize("name", list_built_in_suites())
def test_a_suite_is_what_its_version_says(name: str) -> None:
    suite = load_suite(name)
    now = fingerprint(suite, GRADER_VERSION)
    assert now == suite.pinned, (
        "A task, example, context, prompt or the grader has changed. Bump `version` in "
        f"builtin/{name}/language.yml, set "
        f"`fingerprint: {now}` beside it, and say in CHANGELOG.md that scores can shift."
    )


def test_every_kind_of_change_moves_the_fingerprint() -> None:
    before = fingerprint(SUITE, GRADER_VERSION)
    first = next(iter(SUITE.tasks.values()))
    assert (
        fingerprint(
            replace(SUITE, tasks={**SUITE.tasks, first.id: replace(first, goal="other")}), GRADER_VERSION
        )
        != before
    )
    assert fingerprint(replace(SUITE, examples=SUITE.examples[1:]), GRADER_VERSION) != before
    assert fingerprint(SUITE, "another grader") != before


def test_a_word_changed_in_another_dialect_moves_the_fingerprint(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from faber.dialects import find_dialect
    from probatio.suites.contexts import render_context

    before = fingerprint(SUITE, GRADER_VERSION)
    monkeypatch.setitem(find_dialect("english").words, "scribe", "utter")
    render_context.cache_clear()
    try:
        assert fingerprint(SUITE, GRADER_VERSION) != before
    finally:
        render_context.cache_clear()


def test_a_change_of_the_prompt_moves_the_fingerprint(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    before = fingerprint(SUITE, GRADER_VERSION)
    assert fingerprint(replace(SUITE, introduction="Faber is another language."), GRADER_VERSION) != before
    assert (
        fingerprint(replace(SUITE, questions={**SUITE.questions, "write": "Write {goal}"}), GRADER_VERSION)
        != before
    )
    monkeypatch.setattr(prompt, "EXAMPLE_OUTPUT", "It prints {output}")
    assert fingerprint(SUITE, GRADER_VERSION) != before


def test_a_solution_reaches_no_prompt_and_no_grade_and_moves_nothing() -> None:
    first = next(task for task in SUITE.tasks.values() if task.solution)
    other = replace(SUITE, tasks={**SUITE.tasks, first.id: replace(first, solution="another")})
    assert fingerprint(other, GRADER_VERSION) == fingerprint(SUITE, GRADER_VERSION)


def test_another_toolchain_is_another_run_but_the_same_content(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    content, asked = fingerprint(SUITE, GRADER_VERSION), fingerprint_as_asked(SUITE, GRADER_VERSION)
    monkeypatch.setattr(type(SUITE.language), "version", lambda self: "another")
    assert fingerprint(SUITE, GRADER_VERSION) == content
    assert fingerprint_as_asked(SUITE, GRADER_VERSION) != asked
