"""What a task needs of its language and its prompt does not show: computed from the programs and the
texts."""

from __future__ import annotations

import msgspec
import pytest

from faber.needs import RULES, find_needs, find_unshown
from probatio.suites.contexts import context_text
from probatio.suites.inference import describe_contexts, find_gold, find_not_told
from probatio.suites.language_suite import load_suite

SUITE = load_suite("faber")


@pytest.mark.parametrize(
    ("program", "needed"),
    [
        ("ex 1 usque 3 pro i { scribe i }", {"ex", "usque", "pro", "scribe", "usque keeps its end"}),
        ('scribe "12px" numeratum', {"scribe", "numeratum", "numeratum reads leading digits"}),
        ("scribe xs.longitudo(), xs.mea()", {"scribe", "longitudo"}),
        (
            'ex "norma/mathesis" importa radix\nscribe radix(4)',
            {"ex", "importa", "norma/mathesis", "radix", "scribe"},
        ),
        ("scribe [1][0..1]", {"scribe", "..", ".. leaves its end out"}),
        ('fixum textus t = "dum"', {"fixum", "textus"}),
    ],
)
def test_a_program_needs_its_words_its_library_and_their_rules(program: str, needed: set[str]) -> None:
    assert find_needs(program) == needed


def test_a_word_that_a_text_names_is_shown_but_not_what_it_does_with_its_end() -> None:
    needed = find_needs("ex 1 usque 3 pro i { scribe i }")
    lacking = {
        context: find_unshown(needed, context_text(SUITE, context, "latin")) for context in SUITE.contexts
    }
    assert lacking == {
        "examples-only": needed,
        "grammar-only": {"usque keeps its end"},
        "minimal": {"usque", "usque keeps its end"},
        "basic": set(),
        "complete": set(),
    }


def test_a_word_of_english_prose_shows_no_word_of_the_language() -> None:
    assert find_unshown(frozenset(("in", "per")), "Three in a row, 5 per line. `per`") == {"in"}


def test_examples_show_words_too() -> None:
    task = SUITE.tasks["write_faber_count"]
    bare = find_not_told(SUITE, task, "examples-only", 0)
    shown = find_not_told(SUITE, task, "examples-only", 10)
    assert bare is not None
    assert shown is not None
    assert shown < bare


def test_more_context_leaves_fewer_tasks_to_inference_and_the_fullest_leaves_only_library_names() -> None:
    levels = describe_contexts(SUITE)
    asked = sum(find_gold(task) is not None for task in SUITE.tasks.values())
    assert {level.tasks for level in levels.values()} == {asked}
    counts = [levels[name].shown for name in ("examples-only", "minimal", "basic", "complete")]
    assert counts == sorted(counts)
    assert counts[-1] > 0.9 * asked
    assert not set(levels["complete"].lacking) & {rule.name for rule in RULES}


def test_every_rule_is_said_somewhere_and_a_control_needs_nothing() -> None:
    complete = context_text(SUITE, "complete", "latin")
    for rule in RULES:
        assert any(phrase in complete for phrase in rule.phrases), rule.name
    control = msgspec.structs.replace(SUITE.tasks["write_faber_count"], type="write_host")
    assert find_not_told(SUITE, control, "minimal", 0) is None
    assert describe_contexts(load_suite("strues")) == {}
