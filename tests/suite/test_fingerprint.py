"""A suite is pinned to its version: what can move a score can't change without a bump."""

from msgspec.structs import replace

from probatio.grade import GRADER_VERSION
from probatio.suite import prompt
from probatio.suite.language_suite import load_suite
from probatio.suite.prompt import fingerprint

SUITE = load_suite()


def test_the_suite_is_what_its_version_says() -> None:
    now = fingerprint(SUITE, GRADER_VERSION)
    assert now == SUITE.pinned, (
        f"A task, example, context, prompt or the grader has changed. Bump `version` in builtin/faber/suite.yml, set "
        f"`fingerprint: {now}` beside it, and say in CHANGELOG.md that scores can shift."
    )


def test_every_kind_of_change_moves_the_fingerprint() -> None:
    before = fingerprint(SUITE, GRADER_VERSION)
    first = next(iter(SUITE.tasks.values()))
    assert (
        fingerprint(replace(SUITE, tasks={**SUITE.tasks, first.id: replace(first, goal="other")}), GRADER_VERSION)
        != before
    )
    assert fingerprint(replace(SUITE, examples=SUITE.examples[1:]), GRADER_VERSION) != before
    assert fingerprint(SUITE, "another grader") != before


def test_a_word_changed_in_another_dialect_moves_the_fingerprint(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from probatio.languages.faber.dialects import dialect
    from probatio.suite.contexts import context_text

    before = fingerprint(SUITE, GRADER_VERSION)
    monkeypatch.setitem(dialect("english").words, "scribe", "utter")
    context_text.cache_clear()
    try:
        assert fingerprint(SUITE, GRADER_VERSION) != before
    finally:
        context_text.cache_clear()


def test_a_change_of_the_prompt_moves_the_fingerprint(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    before = fingerprint(SUITE, GRADER_VERSION)
    monkeypatch.setattr(prompt, "INTRODUCTION", "Faber is another language.")
    assert fingerprint(SUITE, GRADER_VERSION) != before
