"""Lines of a day: a sample's own fields are written; lines that have those of a trial are read alike."""

from __future__ import annotations

import msgspec
import pytest

from probatio.core.records import SampleAnswer, SampleKey, SampleLine

OWN = b'{"case":"c","model":"m","round":"full","sample":2,"response":"x"}'
AS_TRIAL = (
    b'{"task_id":"c","model":"m","n_shot":0,"dialect":"none","context":"full",'
    b'"sample":2,"response":"x","attempts":1}'
)


@pytest.mark.parametrize("line", [OWN, AS_TRIAL])
def test_both_forms_of_a_line_are_read_alike(line: bytes) -> None:
    answer = msgspec.json.decode(line, type=SampleAnswer)
    assert answer.key == SampleKey("c", "m", "full", 2)
    assert answer == msgspec.json.decode(OWN, type=SampleAnswer)


def test_only_fields_of_its_own_are_written() -> None:
    written = msgspec.json.decode(msgspec.json.encode(msgspec.json.decode(AS_TRIAL, type=SampleAnswer)))
    assert list(written)[:4] == ["case", "model", "round", "sample"]
    assert not {"task_id", "context", "n_shot", "dialect", "attempt"} & written.keys()


def test_a_line_without_a_case_is_no_sample() -> None:
    with pytest.raises(msgspec.ValidationError, match="`case`"):
        msgspec.json.decode(b'{"model":"m"}', type=SampleLine)
