"""The chat wire: the body of a request, and what a reply says. Pure; the sockets are in client.py."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from probatio.ask.providers import Provider
from probatio.ask.retry import Fault, fault_of_status
from probatio.ask.usage import read_usage
from probatio.records import Answer, Prompt, Sampling
from probatio.redact import redact


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: msgspec.Raw = msgspec.Raw()
    reasoning: msgspec.Raw = msgspec.Raw()
    reasoning_content: msgspec.Raw = msgspec.Raw()


class _Choice(msgspec.Struct):
    message: _Message | None = None
    finish_reason: msgspec.Raw = msgspec.Raw()
    error: Any = None


class _Reply(msgspec.Struct):
    """Only the answer's own text has to be what it should be. The rest is read by itself, and costs no more than itself."""

    choices: list[_Choice] | None = None
    usage: msgspec.Raw = msgspec.Raw()
    model: msgspec.Raw = msgspec.Raw()
    provider: msgspec.Raw = msgspec.Raw()
    system_fingerprint: msgspec.Raw = msgspec.Raw()
    error: Any = None


_reply = msgspec.json.Decoder(_Reply, strict=False)
_encode = msgspec.json.Encoder().encode

MOST_DIGITS = 1_000
"""Of a number that is read as one; Python itself refuses more than 4,300."""

NAME_LIMIT = 200
"""Characters of what a reply calls its model, its provider, its fingerprint and its end."""


def request_body(
    model_name: str,
    prompt: Prompt,
    sampling: Sampling,
    provider: Provider,
    *,
    reasoning: str | None = None,
    provider_order: tuple[str, ...] = (),
    extra: Mapping[str, Any] | None = None,
) -> bytes:
    """The JSON we send. What is not set is not sent: many servers refuse a null where they expect a number."""
    body: dict[str, Any] = {
        "model": model_name,
        "messages": [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt.turns,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if reasoning and provider.nests_effort:
        body["reasoning"] = {"effort": reasoning}
    elif reasoning:
        body["reasoning_effort"] = reasoning
    if provider_order:
        body["provider"] = {"order": list(provider_order), "allow_fallbacks": False}
    body.update(provider.request_fields)
    if extra:
        body.update(extra)
    return _encode(body)


def read_reply(status: int, headers: Mapping[str, str], body: bytes, now: float) -> Answer | Fault:
    """What a complete HTTP reply says: an answer, or a fault and whether to try again."""
    if status != 200:
        return fault_of_status(status, headers, body, now)
    reply = _decoded(body)
    if reply is None:
        return Fault("the reply is not the JSON of a chat completion", retry=True)
    if reply.error:
        return _fault_inside_200(reply.error, headers, body, now)
    if not reply.choices:
        return Fault("the reply has no choices", retry=True)
    choice = reply.choices[0]
    finish_reason = _name(choice.finish_reason)
    if choice.error or finish_reason == "error":
        return _fault_inside_200(choice.error, headers, body, now)
    usage = read_usage(reply.usage)
    message = choice.message or _Message()
    text, refusal = _text(message.content), _word(message.refusal)
    return Answer(
        # A refusal in its own field is the model's answer too; an absent text is an empty answer, not an error.
        text=text or refusal or "",
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=usage.cost,
        provider=_name(reply.provider),
        resolved_model=_name(reply.model),
        system_fingerprint=_name(reply.system_fingerprint),
        finish_reason="refusal" if not text and refusal else finish_reason,
        reasoning=_word(message.reasoning) or _word(message.reasoning_content),
        usage_fault=usage.fault,
    )


def _decoded(body: bytes) -> _Reply | None:
    """The reply; also where it holds half a surrogate pair (an answer cut within an emoji) or NaN, which are no JSON."""
    try:
        return _reply.decode(body)
    except RecursionError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        value = json.loads(
            body.decode("utf-8", "replace"), parse_constant=str, parse_int=_whole_number, parse_float=_decimal_number
        )
        return _reply.decode(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _whole_number(digits: str) -> int | str:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _decimal_number(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _word(raw: msgspec.Raw) -> str | None:
    """A text; None in place of anything else."""
    try:
        value = msgspec.json.decode(raw) if bytes(raw) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _name(raw: msgspec.Raw) -> str | None:
    word = _word(raw)
    return word and word[:NAME_LIMIT]


def _text(content: str | list[dict[str, Any]] | None) -> str:
    """A text, also where a server sends it as a list of parts."""
    if isinstance(content, list):
        # A key cut into parts is whole only here.
        return redact("".join(str(part.get("text", "")) for part in content if part.get("type", "text") == "text"))
    return content or ""


def _fault_inside_200(error: Any, headers: Mapping[str, str], body: bytes, now: float) -> Fault:
    """OpenRouter answers 200 and puts the upstream's failure into the body; its code decides as a status would."""
    code = error.get("code") if isinstance(error, dict) else None
    try:
        status = int(code)  # type: ignore[arg-type]  # None and words raise, and mean "unknown upstream failure"
    except (TypeError, ValueError, OverflowError):
        status = 502
    if not 0 <= status <= 999:
        status = 502
    return fault_of_status(status, headers, body, now, inside_200=True)
