"""The chat wire: what we send and how we read what comes back."""

import json
from typing import Any

import pytest

from probatio.ask.chat import read_reply, write_request
from probatio.ask.providers import provider_named
from probatio.ask.retry import Fault
from probatio.core.records import Answer, Sampling


def sent(provider: str = "vllm", **options: Any) -> dict[str, Any]:
    sampling = Sampling(0.0, 1000, 42)
    body: dict[str, Any] = json.loads(
        write_request("vendor/model", "Quid est?", sampling, provider_named(provider), **options)
    )
    return body


def answer(reply: object) -> Answer:
    read = read_reply(200, {}, json.dumps(reply).encode(), 0.0)
    assert isinstance(read, Answer)
    return read


def test_sampling_is_always_sent() -> None:
    assert sent() == {
        "model": "vendor/model",
        "messages": [{"role": "user", "content": "Quid est?"}],
        "temperature": 0.0,
        "max_tokens": 1000,
        "seed": 42,
    }


def test_a_pinned_route_is_sent_with_fallbacks_off() -> None:
    assert sent(provider_order=("Azure", "OpenAI"))["provider"] == {
        "order": ["Azure", "OpenAI"],
        "allow_fallbacks": False,
    }


def test_reasoning_effort_is_said_in_the_words_of_the_wire() -> None:
    assert sent(reasoning="low", provider="openrouter")["reasoning"] == {"effort": "low"}
    assert sent(reasoning="low")["reasoning_effort"] == "low"
    assert "reasoning" not in sent(provider="openrouter")


def test_openrouter_is_asked_for_usage_with_cost() -> None:
    assert sent(provider="openrouter")["usage"] == {"include": True}
    assert "usage" not in sent()


def test_no_seed_means_none_is_sent() -> None:
    assert "seed" not in json.loads(write_request("m", "p", Sampling(seed=None), provider_named("openai")))


def test_who_served_it_and_what_it_cost_are_kept() -> None:
    read = answer(
        {
            "model": "openai/gpt-4o-2024-11-20",
            "provider": "Azure",
            "system_fingerprint": "fp_1",
            "choices": [{"finish_reason": "stop", "message": {"content": "7", "reasoning": "3+4"}}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 1, "cost": 0.25},
        }
    )
    assert read == Answer(
        text="7", tokens_in=12, tokens_out=1, cost=0.25, provider="Azure",
        resolved_model="openai/gpt-4o-2024-11-20",
        system_fingerprint="fp_1", finish_reason="stop", reasoning="3+4",
    )  # fmt: skip


def test_an_answer_without_text_is_an_empty_answer_not_an_error() -> None:
    assert answer({"choices": [{"message": {"content": None}, "finish_reason": "length"}]}).text == ""


def test_a_refusal_in_its_own_field_is_the_answer() -> None:
    read = answer({"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]})
    assert (read.text, read.finish_reason) == ("No.", "refusal")


def test_content_sent_in_parts_is_put_together() -> None:
    parts = [{"type": "text", "text": "4"}, {"type": "image"}, {"type": "text", "text": "2"}]
    assert answer({"choices": [{"message": {"content": parts}}]}).text == "42"


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": [{"message": {"cont',
        b"<html>bad gateway</html>",
        b"",
        b"\xff\xff",
        b"[1]",
        b'{"choices": []}',
        b'{"choices": null}',
        b"{}",
        b'{"error": {"code": 502, "message": "upstream"}}',
        b'{"error": {"code": "overloaded", "message": "upstream"}}',
        b'{"error": {"message": "no code"}}',
        b'{"choices": [{"finish_reason": "error", "message": {"content": ""}}]}',
        b'{"choices": [{"error": {"code": 503}, "message": {"content": "half"}}]}',
    ],
)
def test_a_200_that_holds_no_answer_is_tried_again(body: bytes) -> None:
    read = read_reply(200, {}, body, 0.0)
    assert isinstance(read, Fault)
    assert read.retry


def test_a_429_inside_a_200_slows_us_down_as_a_real_one_does() -> None:
    read = read_reply(
        200, {}, b'{"error": {"code": 429, "message": "busy", "metadata": {"retry_after_seconds": 2}}}', 0.0
    )
    assert isinstance(read, Fault)
    assert (read.throttled, read.wait) == (True, 2.0)


def test_an_empty_account_inside_a_200_stops_the_run() -> None:
    read = read_reply(200, {}, b'{"error": {"code": 402, "message": "credits"}}', 0.0)
    assert isinstance(read, Fault)
    assert read.stops_run
