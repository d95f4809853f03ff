"""The JSON object in an answer: which one counts, and which faults of its JSON are named."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probatio.builtin.daily.reading.json_answer import Ambiguous, JsonObject, find_object

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def the_object(text: str) -> JsonObject:
    found = find_object(text)
    assert found is not None
    return found


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=5), st.sampled_from([None, 2]), st.booleans())
def test_valid_json_is_read_as_the_standard_library_reads_it(
    value: dict[str, Any], indent: int | None, ascii_only: bool
) -> None:
    found = the_object(f"Here you are:\n{json.dumps(value, indent=indent, ensure_ascii=ascii_only)}\nDone.")
    assert found.faults == ()
    assert found.rivals == 0
    assert found.value == json.loads(json.dumps(value))


@pytest.mark.parametrize(
    ("text", "value", "fault"),
    [
        ('{"a": 1,}', {"a": 1}, "trailing comma"),
        ('{"a": [1, 2,]}', {"a": [1, 2]}, "trailing comma"),
        ("{'a': 'it''s'}", {"a": "it''s"}, "wrong quotes"),
        ("{'a': 'Anna's lamp', 'b': 2}", {"a": "Anna's lamp", "b": 2}, "wrong quotes"),
        ("{“a”: “b”}", {"a": "b"}, "wrong quotes"),
        ("{a: 1}", {"a": 1}, "key without quotes"),
        ('{"a": 1 // one\n}', {"a": 1}, "comment"),
        ('{"a": 1, /* two */ "b": 2}', {"a": 1, "b": 2}, "comment"),
        ('{"a": None, "b": True}', {"a": None, "b": True}, "word of another language"),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, "missing comma"),
        ('{"total": 1,234.50, "b": 2}', {"total": 1234.5, "b": 2}, "number form"),
        ('{"a": 007}', {"a": 7}, "number form"),
        ('{"a": "x\ny"}', {"a": "x\ny"}, "line break in a string"),
        ('{"a": Anna}', {"a": "Anna"}, "text without quotes"),
        ('{"a": "b", "c": [1, 2', {"a": "b", "c": [1, 2]}, "cut off"),
        ('```json\n{"a": "b"\n```', {"a": "b"}, "cut off"),
        (r'{"a": "50\%"}', {"a": "50%"}, "unknown escape"),
        ('{"a": 1, "a": 1}', {"a": 1}, "repeated key"),
    ],
)
def test_broken_json_is_read_and_its_fault_is_named(text: str, value: dict[str, Any], fault: str) -> None:
    found = the_object(text)
    assert found.value == value
    assert fault in found.faults


def test_numbers_in_a_list_are_never_taken_for_one_grouped_number() -> None:
    assert the_object('{"a": [100,200,300]}').value == {"a": [100, 200, 300]}


def test_a_key_given_twice_with_different_values_has_no_value() -> None:
    found = the_object('{"a": 1, "a": 2}')
    assert isinstance(found.value["a"], Ambiguous)


def test_the_last_complete_object_counts_and_the_others_are_rivals() -> None:
    found = the_object('{"a": 1} or {"a": 2} or {"a": 2} or finally {"a": 3} and {"a": 4, "b"')
    assert found.value == {"a": 3}
    assert found.rivals == 2


def test_the_same_object_twice_has_no_rival() -> None:
    assert the_object('{"a": 1}\n```json\n{"a": 1}\n```').rivals == 0


@pytest.mark.parametrize(
    "text", ["", "no object", "{}", "{and cleaned it up}", "f(x) { return x }", "[1, 2]", "}{", "{" * 500]
)
def test_where_no_object_says_anything_there_is_none(text: str) -> None:
    assert find_object(text) is None


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from(list("{}[]\",:'\\ntrue1.-/*#`\n u“”")), max_size=200))
def test_reading_never_raises(text: str) -> None:
    find_object(text)


@pytest.mark.parametrize(
    "text", ['{"a":' * 8000, '{"a":[' * 8000, '{"' * 20000, "{a:'" * 10000, "{/*" * 10000]
)
def test_hostile_text_is_given_up_on_quickly(text: str) -> None:
    start = time.process_time()
    find_object(text)
    assert time.process_time() - start < 3
