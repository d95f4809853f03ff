"""Keys are taken out of any text in any spelling, and a text that was JSON before is JSON after."""

from __future__ import annotations

import base64
import json
import string
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probatio.ask.published import publish_address, publish_models
from probatio.core.records import Model
from probatio.core.redact import MARK, forget_all, know, redact

KEY = "sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e"


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    yield
    forget_all()


GAPS = {
    "line break": "\n", "Windows' line break": "\r\n", "blank": " ", "blanks": "   ", "tab": "\t",
    "zero-width space": "\u200b", "joiner": "\u2060", "soft hyphen": "\u00ad", "byte order mark": "\ufeff",
    "NUL": "\0", "bell": "\x07", "direction": "\u202e", "line separator": "\u2028", "hard blank": "\u00a0",
    "escaped line break": "\\n", "twice escaped line break": "\\\\n", "escaped by number": "\\u000a",
    "escaped zero-width space": "\\u200b",
    "in a URL": "%0A", "in a URL in a URL": "%250a", "in HTML": "&#10;",
    "in HTML by hexadecimals": "&#x200b;", "a thousand": "\n" * 1000,
}  # fmt: skip


@pytest.mark.parametrize("gap", GAPS.values(), ids=GAPS.keys())
@pytest.mark.parametrize("at", [1, 2, 16, 20, len(KEY) - 1, None])
def test_a_key_is_found_whatever_is_not_seen_between_its_characters(gap: str, at: int | None) -> None:
    know(KEY)
    broken = gap.join(KEY) if at is None else KEY[:at] + gap + KEY[at:]
    assert redact(f"({broken})") == f"({MARK})"
    packed = base64.b64encode(f"u:{KEY}".encode()).decode()
    assert MARK in redact(f"Basic {packed[:20]}{gap}{packed[20:]}")


def test_the_halves_of_a_shorter_key_may_be_words() -> None:
    know("model123x")
    assert redact("model 123x") == "model 123x"
    assert redact("model\n123x model\u200b123x") == f"{MARK} {MARK}"


@pytest.mark.parametrize(
    "key", ["nvapi-1234567890abcdefgh", "tgp_v1_1234567890abcdefgh", "r8_1234567890abcdefgh"]
)
@pytest.mark.parametrize("before", ["", "\\", "\\\\", "\\n", "\n", "x", "\\\\\\\\\\\\\\\\\\", "\\u006e"])
def test_a_key_that_begins_like_an_escape_is_found_behind_a_backslash(key: str, before: str) -> None:
    know(key)
    assert key[1:] not in redact(before + key)
    coded = "".join(f"\\u{ord(sign):04x}" for sign in key)
    assert redact(before + coded).endswith(MARK)


keys = st.text(string.ascii_letters + string.digits + "-_./+=:~!#$&*", min_size=16, max_size=60).filter(
    lambda key: any(map(str.isdigit, key)) and any(map(str.isalpha, key)) and len(set(key)) > 6
)
spelt = st.sampled_from(
    [
        lambda sign: sign,
        lambda sign: f"\\u{ord(sign):04x}",
        lambda sign: f"\\u{ord(sign):04X}",
        lambda sign: f"\\\\u{ord(sign):04x}",
        lambda sign: f"%{ord(sign):02X}",
        lambda sign: f"&#{ord(sign)};",
    ]
)
gaps = st.sampled_from(["", "", "", "", "\\n", "\\t", "\\r\\n", "\\u200b", "\\\\n", " ", "\u200b", "%0A"])
strings = st.text(max_size=12).map(lambda text: json.dumps(text, ensure_ascii=len(text) % 2 == 0)[1:-1])


@given(st.data(), keys, st.integers(0, 60), strings, strings)
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_json_stays_json_and_no_form_of_the_key_is_left(
    data: st.DataObject, key: str, cut: int, before: str, after: str
) -> None:
    """Any key, any escape of each character, anything between them, at any place within any string."""
    forget_all()
    know(key)
    how = data.draw(st.lists(st.tuples(spelt, gaps), min_size=1, max_size=6))
    echo = "".join(how[at % len(how)][0](sign) + how[at % len(how)][1] for at, sign in enumerate(key))
    cut %= len(key)
    for text in (
        f'{{"a": "{before}{echo}{after}", "b": 1}}',
        f'["{before}{key[:cut]}\\n{key[cut:]}{after}"]',
        f'["x\\n{key[-16:]}", "\\u00e9{key[:16]}{after}", "{before}\\\\{key}"]',
        f'["{before}{key}',
    ):
        clean = redact(text)
        assert parses(clean) == parses(text), (text, clean)
        assert key not in clean
        assert redact(clean) == clean
        if parses(text):
            assert key not in "".join(str(json.loads(clean)).split())


def parses(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "text", ["\n" * 300_000, " a" * 200_000, "\u200b" * 300_000, "\\n" * 200_000, "\\" * 300_000]
)
def test_time_is_in_proportion_to_the_length_whatever_stands_between(text: str) -> None:
    know(KEY)
    began = time.process_time()
    assert redact(text) == text
    assert KEY[:12] not in redact(text + KEY[:20] + text + KEY[20:])
    assert time.process_time() - began < 4


ADDRESSES = {
    "https://me:secret@host/v1": "https://host/v1",
    "https://me@host:8000/v1": "https://host:8000/v1",
    "https://:secret@host/v1": "https://host/v1",
    "https://host/v1?key=secret": "https://host/v1",
    "https://host/v1#secret": "https://host/v1",
    "https://me:se%40cret@[::1]:80/v1": "https://[::1]:80/v1",
    "https://me:a@b@host/v1": "https://host/v1",
    "https://me:se/cret@host/v1": "https://host/v1",
    "https://me:secret@[::1/v1": "https://[::1/v1",
    "me:secret@host/v1": "host/v1",
    "//me:secret@host/v1": "//host/v1",
    "https://host/1secret5678abcdef/v1": f"https://host/{MARK}/v1",
    "https://host/v1/@cf/model": "https://host/v1/@cf/model",
    "http://127.0.0.1:8000/v1": "http://127.0.0.1:8000/v1",
}  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_record_has_an_address_without_login_and_token(address: str) -> None:
    assert publish_address(address) == ADDRESSES[address]
    (model,) = publish_models([Model("m", "m", base_url=address)])
    assert "cret" not in str(model)
