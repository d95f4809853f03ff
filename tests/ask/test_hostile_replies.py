"""Replies meant to harm, over a real socket: packed too well, with usage nobody can believe, with our own key
in them."""

from __future__ import annotations

import asyncio
import base64
import html
import itertools
import json
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, unquote

import pytest

from double import Double, RawReply, completion
from probatio.ask import retry
from probatio.ask.body import MAX_REPLY_BYTES
from probatio.ask.client import ChatClient, StopTheRun
from probatio.ask.prices import cost_of_answer
from probatio.ask.routes import Route
from probatio.core.records import Answer, Model, Sampling
from probatio.core.redact import MARK, forget_all, know, know_address, redact

KEY = "sk-or-v1-7f3a9c0d2b4e6f8a1c3e5d7f9b0a2c4e"


@pytest.fixture(autouse=True)
def one_try(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(retry, "BACKOFF_SECONDS", ())
    yield
    forget_all()


def asked(hostile: Callable[[dict[str, Any], dict[str, str]], RawReply | None]) -> Answer:
    with Double(hostile=hostile) as double:
        return ask(double)


def ask(double: Double, key: str = KEY) -> Answer:
    async def once() -> Answer:
        async with ChatClient(8) as client:
            url = f"{double.base_url}/chat/completions"
            return await client.ask(
                Route(key="d", url=url, model_name="v/m", api_key=key), "Quid est?", Sampling()
            )

    return asyncio.run(once())


def replied(body: bytes | dict[str, Any], **options: Any) -> Answer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return asked(lambda *_: RawReply(data, **options))


# Packed, or too large


def bomb() -> bytes:
    """3 GB as gzip: the same packed megabyte over and over."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + again * 2999


BOMBS = {
    "gzip": (bomb(), "gzip", "the reply is packed as `gzip`, which was not asked for"),
    "plain": (b" " * (MAX_REPLY_BYTES + 1), "identity", "the reply is larger than any chat completion"),
}

CHILD = """
import asyncio, resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
from probatio.ask import retry
from probatio.ask.client import ChatClient
from probatio.ask.routes import Route
from probatio.core.records import Sampling
retry.BACKOFF_SECONDS = ()
async def main():
    async with ChatClient(8) as client:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        route = Route(key="d", url=sys.argv[1], model_name="v/m")
        answers = await asyncio.gather(*(client.ask(route, str(n), Sampling()) for n in range(4)))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print({answer.error for answer in answers}, grown)
asyncio.run(main())
"""


@pytest.mark.parametrize("kind", BOMBS)
def test_a_reply_without_measure_is_an_error_and_memory_stays_flat(kind: str) -> None:
    body, coding, why = BOMBS[kind]
    headers = {"Content-Encoding": coding}
    chunked = itertools.cycle([False, True])
    with Double(hostile=lambda *_: RawReply(body, headers=headers, chunked=next(chunked))) as double:
        child = subprocess.run(
            [sys.executable, "-c", CHILD, f"{double.base_url}/chat/completions"],
            capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
    error, _, kilobytes = child.stdout.strip().rpartition(" ")
    assert error == str({why})
    assert int(kilobytes) < 100_000


@pytest.mark.parametrize(
    "coding", ["gzip", "GZIP", "x-gzip", "deflate", "br", "zstd", "gzip, gzip", "compress", "made\x7fup"]
)
def test_a_packing_that_was_not_asked_for_is_an_error_of_the_reply(coding: str) -> None:
    answer = replied(completion(), headers={"Content-Encoding": coding})
    assert answer.text is None
    assert "was not asked for" in str(answer.error) or "connection failed" in str(answer.error)


@pytest.mark.parametrize("chunked", [False, True])
def test_no_packing_is_asked_for_and_a_reply_that_says_so_is_read(chunked: bool) -> None:
    text = "salve, munde " * 40_000
    body = json.dumps(completion(text)).encode()
    reply = RawReply(body, headers={"Content-Encoding": "Identity"}, chunked=chunked)
    with Double(hostile=lambda *_: reply) as double:
        assert ask(double).text == text
        assert double.headers[0]["Accept-Encoding"] == "identity"


# Usage


BAD_USAGE = {
    "negative cost": ({"cost": -5, "prompt_tokens": 100, "completion_tokens": 10}, "cost is -5"),
    "endless cost": ({"cost": 1e308}, "cost is 1e+308"),
    "400 digits of cost": ({"cost": 10**400}, "cost is a number of 401 characters"),
    "cost in words": ({"cost": "-3"}, "cost is a text"),
    "NaN in words": ({"cost": "nan"}, "cost is a text"),
    "true cost": ({"cost": True}, "cost is true or false"),
    "400 digits of tokens": (
        {"prompt_tokens": 10**399, "cost": 0.1},
        "prompt_tokens is a number of 400 characters",
    ),
    "5,000 digits of tokens": ({"prompt_tokens": "HUGE"}, "usage can't be read"),
    "negative tokens": ({"completion_tokens": -1}, "completion_tokens is -1"),
    "tokens in words": ({"completion_tokens": "many"}, "completion_tokens is a text"),
    "half a token": ({"completion_tokens": 0.5}, "completion_tokens is 0.5"),
    "tokens as a list": ({"prompt_tokens": [1]}, "prompt_tokens is a list"),
    "a list": ([1, 2], "is not an object"),
    "a word": ("none", "is not an object"),
    "NaN": ({"cost": float("nan")}, "cost is NaN"),
    "Infinity": ({"cost": float("inf")}, "cost is Infinity"),
    "-Infinity": ({"prompt_tokens": float("-inf")}, "prompt_tokens is -Infinity"),
    "past every float": ({"cost": "1e999"}, "can't be read"),
    "nested": ({"cost": "NESTED"}, "can't be read"),
}


def usage_body(usage: Any) -> bytes:
    text = json.dumps(completion("the answer", usage=usage))
    for word, bare in (("HUGE", "9" * 5000), ("1e999", "1e999"), ("NESTED", "[" * 900 + "]" * 900)):
        text = text.replace(f'"{word}"', bare)
    return text.encode()


@pytest.mark.parametrize("kind", BAD_USAGE)
def test_the_answer_is_kept_and_a_usage_nobody_can_believe_is_unknown(kind: str) -> None:
    usage, why = BAD_USAGE[kind]
    answer = replied(usage_body(usage))
    assert (answer.text, answer.error, answer.tries) == ("the answer", None, 1)
    if kind != "nested":  # a depth that one Python reads and another does not
        assert why in str(answer.usage_fault)
    assert answer.cost is None or answer.cost >= 0
    assert 0 <= answer.tokens_in <= 10**7
    assert 0 <= answer.tokens_out <= 10**7


def test_what_can_be_believed_beside_it_stays() -> None:
    answer = replied(usage_body({"cost": -5, "prompt_tokens": 100, "completion_tokens": 10}))
    assert (answer.tokens_in, answer.tokens_out, answer.cost) == (100, 10, None)


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": None, "cost": None}, {"prompt_tokens": 3.0, "cost": 0}]
)
def test_no_usage_is_no_fault(usage: Any) -> None:
    assert replied(usage_body(usage)).usage_fault is None


@pytest.mark.parametrize(
    ("tokens_in", "tokens_out", "cost"), [(0, 0, None), (100, 0, None), (0, 10, None), (100, 10, 0.00012)]
)
def test_a_server_that_counts_no_tokens_is_not_taken_for_one_that_costs_nothing(
    tokens_in: int, tokens_out: int, cost: float | None
) -> None:
    model = Model("m", "m", provider="mine", cost_per_1m_input=1.0, cost_per_1m_output=2.0)
    assert cost_of_answer(model, Answer("text", tokens_in=tokens_in, tokens_out=tokens_out)) == cost


@pytest.mark.parametrize(
    "changes",
    [
        {"model": 5, "provider": {"a": 1}, "system_fingerprint": [1]},
        {"model": None, "id": "9" * 5000},
        {
            "choices": [
                {"finish_reason": 7, "message": {"content": "42", "reasoning": {"steps": []}, "refusal": 3}}
            ]
        },
    ],
)
def test_fields_beside_the_answer_do_not_cost_the_answer(changes: dict[str, Any]) -> None:
    answer = replied(completion(**changes))
    assert (answer.text, answer.tries) == ("42", 1)


ODD_TEXTS = {
    "half a pair": (json.dumps(completion("cut \ud83d")).encode(), "cut \ufffd"),
    "the second half": (json.dumps(completion("\ude00 cut")).encode(), "\ufffd cut"),
    "halves the wrong way round": (json.dumps(completion("\ude00\ud83d")).encode(), "\ufffd\ufffd"),
    "half a pair before a whole one": (json.dumps(completion("\ud83d😀")).encode(), "\ufffd😀"),
    "cut within a character": (
        json.dumps(completion("caf☕"), ensure_ascii=False).encode().replace(b"\xe2\x98\x95", b"\xe2\x98"),
        "caf\ufffd",
    ),
    "Latin-1": (json.dumps(completion("café"), ensure_ascii=False).encode("latin-1"), "caf\ufffd"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD_TEXTS)
def test_an_answer_that_can_not_be_decoded_as_it_came_is_kept_and_marked(kind: str) -> None:
    body, text = ODD_TEXTS[kind]
    answer = replied(body)
    assert (answer.text, answer.tries, answer.cost) == (text, 1, 0.0001)
    assert "U+FFFD" in str(answer.text_fault)


@pytest.mark.parametrize("text", ["😀 whole", "\\ud83d written out", "\\\\ud83d", "é"])
def test_an_answer_that_can_be_decoded_is_not_marked(text: str) -> None:
    for ascii_only in (True, False):
        answer = replied(json.dumps(completion(text), ensure_ascii=ascii_only).encode())
        assert (answer.text, answer.text_fault) == (text, None)


def test_a_mark_of_byte_order_before_the_reply_costs_nothing() -> None:
    assert replied(b"\xef\xbb\xbf" + json.dumps(completion("42")).encode()).text == "42"


NO_REPLIES = {
    "nested brackets": b"[" * 200_000,
    "nested in a field": b'{"error": ' + b"[" * 200_000,
    "nested in an unknown field": b'{"x": ' + b'{"a":' * 200_000,
    "an error with an endless code": b'{"error": {"code": 1e308, "message": "no"}}',
    "an error with a code of 400 digits": b'{"error": {"code": ' + b"9" * 400 + b', "message": "no"}}',
    "an error with a negative code": b'{"error": {"code": -401, "message": "no"}}',
}


@pytest.mark.parametrize("kind", NO_REPLIES)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_no_reply_makes_the_client_raise(kind: str, status: int) -> None:
    answer = replied(NO_REPLIES[kind], status=status)
    assert answer.text is None
    assert len(str(answer.error)) < 500


@pytest.mark.parametrize(
    "wait",
    [
        "999999999999999",
        "Mon, 01 Jan 99999 00:00:00 GMT",
        "Thu, 01 Jan 0001 00:00:00 -2359",
        "1e400",
        "-5",
        "",
    ],
)
def test_an_odd_retry_after_does_not_close_the_route_for_good(wait: str) -> None:
    def hostile(body: dict[str, Any], _: dict[str, str]) -> RawReply | None:
        late = body["messages"][0]["content"] == "first"
        return RawReply(b"{}", status=429, headers={"Retry-After": wait}) if late else None

    async def both(double: Double) -> list[Answer]:
        from probatio.core.records import Timeouts

        url = f"{double.base_url}/chat/completions"
        route = Route(key="d", url=url, model_name="v/m", timeouts=Timeouts(trial=0.5))
        async with ChatClient(8) as client:
            return [await client.ask(route, prompt, Sampling()) for prompt in ("first", "second")]

    with Double(hostile=hostile) as double:
        first, _ = asyncio.run(asyncio.wait_for(both(double), 120))
    assert first.text is None


# Our own key


def escaped(text: str, times: int = 1) -> str:
    """As JSON may write it: every character by its number, and that text within another, so many times."""
    coded = "".join(f"\\u{ord(sign):04x}" for sign in text)
    for _ in range(times - 1):
        coded = coded.replace("\\", "\\\\")
    return coded


ECHOES = {
    "as it is": KEY,
    "in a header": f"Authorization: Bearer {KEY}",
    "in JSON": json.dumps({"headers": {"Authorization": f"Bearer {KEY}"}}),
    "in JSON in JSON": json.dumps(json.dumps({"authorization": KEY})),
    "with its dashes escaped": KEY.replace("-", "\\u002d"),
    "with its dashes escaped twice": KEY.replace("-", "\\\\u002D"),
    "escaped all over": escaped(KEY),
    "escaped in what is escaped": escaped(KEY, 3),
    "in Python's way": "".join(f"\\x{ord(sign):02x}" for sign in KEY),
    "in a URL": "?key=" + "".join(f"%{ord(sign):02X}" for sign in KEY),
    "in a URL in a URL": quote(quote("".join(f"%{ord(sign):02x}" for sign in KEY))),
    "in HTML": "".join(f"&#{ord(sign)};" for sign in KEY),
    "in HTML by hexadecimals": "".join(f"&#x{ord(sign):x};" for sign in KEY),
    "in hexadecimals": KEY.encode().hex(),
    "as basic authentication": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "as basic authentication of nobody": base64.b64encode(f":{KEY}".encode()).decode(),
    "as basic authentication, last": base64.b64encode(f"{KEY}:".encode()).decode(),
    "as base64 for URLs": base64.urlsafe_b64encode(f"ab:{KEY}".encode()).decode(),
    "cut at its end": f"Bearer {KEY[:-6]}",
    "cut at its beginning": KEY[6:],
    "twice": f"{KEY} and {KEY}",
}


def leaks(text: str) -> bool:
    """Whether any ten characters of the secret part of the key are in the text, in any of the spellings."""
    plain = text
    for _ in range(4):
        plain = html.unescape(unquote(plain)).replace("\\\\", "\\")
    for sign in set(KEY):
        for form in (f"\\u{ord(sign):04x}", f"\\u{ord(sign):04X}", f"\\x{ord(sign):02x}"):
            plain = plain.replace(form, sign)
    secret = KEY.removeprefix("sk-or-v1-")
    pieces = {secret[at : at + 10] for at in range(len(secret) - 9)}
    return any(piece in plain or piece.encode().hex() in plain for piece in pieces) or any(
        base64.b64encode(piece[at:].encode()).decode()[:8] in plain for piece in pieces for at in range(3)
    )


@pytest.mark.parametrize("echo", ECHOES)
def test_the_measure_of_a_leak_sees_each_echo(echo: str) -> None:
    assert leaks(ECHOES[echo])


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("status", [400, 500])
def test_a_key_echoed_in_an_error_is_not_in_the_error(echo: str, status: int) -> None:
    text = ECHOES[echo]
    bodies = [
        json.dumps({"error": {"message": f"bad request: {text} was refused"}}).encode(),
        json.dumps({"error": {"message": "upstream", "metadata": {"raw": text}}}).encode(),
        json.dumps({"error": {"message": "x" * 270 + text}}).encode(),  # where the sentence is cut
        f"<html>{'x' * 150}{text}</html>".encode(),
    ]
    for body in bodies:
        error = str(replied(body, status=status).error)
        assert not leaks(error), error
        assert MARK in error or len(error) >= 200  # cut before the mark


@pytest.mark.parametrize("echo", ECHOES)
def test_a_key_echoed_in_an_answer_is_in_no_field_of_it(echo: str) -> None:
    text = ECHOES[echo]
    choice = {
        "finish_reason": f"{text}",
        "message": {"content": f"Answer: {text}.", "reasoning": f"I saw {text}"},
    }
    answer = replied(completion(model=text, provider=text, system_fingerprint=text, choices=[choice]))
    told = json.dumps([str(getattr(answer, name)) for name in answer.__struct_fields__])
    assert not leaks(told), told
    assert str(answer.text).startswith("Answer: ")
    assert MARK in str(answer.text)


def test_a_key_written_with_escapes_by_the_server_is_not_in_the_answer() -> None:
    body = json.dumps(completion("PLACE")).replace("PLACE", escaped(KEY)).encode()
    assert replied(body).text == MARK


def test_a_key_cut_into_the_parts_of_an_answer_is_not_in_the_answer() -> None:
    parts = [{"type": "text", "text": KEY[at : at + 7]} for at in range(0, len(KEY), 7)]
    choice = {"finish_reason": "stop", "message": {"content": [{"type": "text", "text": "It is "}, *parts]}}
    assert replied(completion(choices=[choice])).text == f"It is {MARK}"


def test_a_key_in_a_page_in_utf_16_is_not_in_the_error() -> None:
    error = str(replied(f"<p>{KEY}</p>".encode("utf-16-le"), status=400).error)
    assert not leaks(error.replace("\0", ""))


@pytest.mark.parametrize("status", [401, 402])
def test_a_refused_key_is_told_without_the_key(status: int) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with pytest.raises(StopTheRun) as raised:
        replied(body, status=status)
    assert not leaks(str(raised.value))


def test_a_reply_that_is_no_http_is_told_without_the_key() -> None:
    answer = asked(
        lambda _, headers: RawReply(wire=f"Authorization: {headers['Authorization']}\r\n\r\n".encode())
    )
    assert "connection failed" in str(answer.error)
    assert not leaks(str(answer.error))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_server_takes_neither_the_key_nor_the_question_there(status: int) -> None:
    with Double() as other:
        there = f"{other.base_url}/chat/completions"
        answer = asked(lambda *_: RawReply(status=status, headers={"Location": there}))
        assert not other.bodies
        assert not other.gets
    assert (answer.text, answer.tries) == (None, 1)
    assert f"status {status}: the server names another address ({there})" in str(answer.error)


@pytest.mark.parametrize("key", ["", " ", "k", "key", "ollama", "changeme", "password", "none"])
def test_a_short_key_or_a_word_does_not_redact_everything(key: str) -> None:
    text = "The key to the password: changeme, none of it is for ollama. k = key"
    with Double(reply=lambda _: text) as double:
        assert ask(double, key).text == text
    if key.strip():
        know(key)
        assert redact(f"Authorization: Bearer {key}, bad") == f"Authorization: Bearer {MARK}, bad"


def test_what_is_secret_in_an_address_is_known_and_its_host_is_not() -> None:
    know_address("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general")
    know_address("mailto://watch:hunter2secret@mail.example.com")
    know_address("json://127.0.0.1:8080/hook")
    told = redact(
        "to TIiajkdnlazkcOXrIdevi7FQ with hunter2secret at mail.example.com, 127.0.0.1:8080/hook, #general"
    )
    assert told == f"to {MARK} with {MARK} at mail.example.com, 127.0.0.1:8080/hook, #general"


@pytest.mark.parametrize(
    "text", ["\\" * 1_000_000, "%41" * 300_000, "&#65;" * 200_000, "a-" * 500_000, KEY[:15] * 60_000]
)
def test_redaction_takes_time_in_proportion_to_the_length(text: str) -> None:
    know(KEY)
    began = time.process_time()
    assert redact(text) == text
    assert redact(text + KEY).endswith(MARK)
    assert time.process_time() - began < 3
