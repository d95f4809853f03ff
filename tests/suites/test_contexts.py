"""Contexts: five levels, in every dialect, made from the language's own tables."""

import re
from pathlib import Path

import pytest

from faber.dialects import NAMES
from faber.vocabulary import WORDS
from probatio.core.errors import UsageError
from probatio.suites.contexts import context_text, render_context
from probatio.suites.language_suite import load_suite

BUILT_IN = load_suite()
CONTEXTS = tuple(BUILT_IN.contexts)

ALSO_ENGLISH = {
    "in",
    "ex",
    "de",
    "ad",
    "ab",
    "per",
    "sic",
    "page",
    "arena",
    "cursor",
    "genus",
    "non",
    "fit",
    "for",
}
"""Latin words that may stand in English prose."""


def shown(context: str, dialect: str = "latin") -> str:
    return context_text(BUILT_IN, context, dialect)


def test_the_levels_grow_from_nothing_to_the_whole_language() -> None:
    assert shown("examples-only") == ""
    assert len(shown("minimal")) < len(shown("basic")) < len(shown("complete"))
    assert set(CONTEXTS) == {"examples-only", "grammar-only", "minimal", "basic", "complete"}


def test_the_complete_context_names_every_word_of_the_language() -> None:
    text = shown("complete")
    assert [word.latin for word in WORDS if f"`{word.latin}`" not in text] == []


@pytest.mark.parametrize("dialect", [name for name in NAMES if name != "latin"])
@pytest.mark.parametrize("context", CONTEXTS)
def test_no_latin_word_of_the_language_is_left_in_another_dialect(context: str, dialect: str) -> None:
    latin = {word.latin for word in WORDS} - ALSO_ENGLISH
    spoken = {word.english for word in WORDS} if dialect == "english" else set()
    left = {
        word for word in re.findall(r"(?<![.\w])[a-z_]+", shown(context, dialect)) if word in latin
    } - spoken
    assert left == set()


def filled(template: str, dialect: str, where: str = "mine.md") -> str:
    return render_context(BUILT_IN.language, BUILT_IN.spec.fences, template, dialect, where)


def test_a_suite_has_its_own_contexts_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "t.yml").write_text(
        "tasks: [{id: a, type: predict_output, category: c, goal: g, input_faber: scribe 1, "
        'expected_output: "1"}]'
    )
    assert context_text(load_suite(tmp_path), "examples-only", "latin") == ""
    (tmp_path / "contexts").mkdir()
    (tmp_path / "contexts" / "tiny.md").write_text("Say {{w: scribe}}.")
    suite = load_suite(tmp_path)
    assert [*suite.contexts] == ["tiny"]
    assert context_text(suite, "tiny", "english") == f"Say {filled('{{w: scribe}}', 'english')}."
    with pytest.raises(UsageError, match="has no context `minimal`; it has tiny"):
        context_text(suite, "minimal", "latin")


def test_grammar_and_vocabulary_are_filled_in_with_one_brace_or_two() -> None:
    assert filled("{grammar} {vocabulary}", "latin") == filled("{{grammar}} {{vocabulary}}", "latin")
    assert filled("{ grammar } {other}", "latin") == "{ grammar } {other}"


@pytest.mark.parametrize("template", ["{{w: nothing}}", "{{words: no such group}}", "{{strange}}"])
def test_a_placeholder_that_names_nothing_is_an_error_with_its_file(template: str) -> None:
    with pytest.raises(UsageError, match=r"mine\.md"):
        filled(template, "latin")
