"""The chat wire: the body of a request, and what a reply says. Pure; the sockets are in client.py.

A server may echo our keys. They are taken out of each text that is kept, after the reply is parsed and before
anything is cut: in the bytes of the reply, a key could not be told from the escapes round it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec

from probatio.ask.prices import read_usage
from probatio.ask.providers import Provider
from probatio.ask.retry import Fault, fault_of_status
from probatio.core.jsonfile import Decoder, decode
from probatio.core.records import Answer, Prompt, Sampling
from probatio.core.redact import redact


class _ChoiceMessage(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: msgspec.Raw = msgspec.Raw()
    reasoning: msgspec.Raw = msgspec.Raw()
    reasoning_content: msgspec.Raw = msgspec.Raw()


class _Choice(msgspec.Struct):
    message: _ChoiceMessage | None = None
    finish_reason: msgspec.Raw = msgspec.Raw()
    error: Any = None


class _Completion(msgspec.Struct):
    """Only the text must have the right type. Other fields are read one by one; a bad one is left out."""

    choices: list[_Choice] | None = None
    usage: msgspec.Raw = msgspec.Raw()
    model: msgspec.Raw = msgspec.Raw()
    provider: msgspec.Raw = msgspec.Raw()
    system_fingerprint: msgspec.Raw = msgspec.Raw()
    error: Any = None


_reply = Decoder(_Completion, strict=False)
_encode = msgspec.json.Encoder().encode

MOST_DIGITS = 1_000
"""Of a number that is read as one; Python itself refuses more than 4,300."""

NAME_LIMIT = 200
"""Characters of what a reply calls its model, its provider, its fingerprint and its end."""


def write_request(
    model_name: str,
    prompt: Prompt,
    sampling: Sampling,
    provider: Provider,
    *,
    reasoning: str | None = None,
    provider_order: tuple[str, ...] = (),
    extra: Mapping[str, Any] | None = None,
) -> bytes:
    """The JSON we send. Unset values are not sent: many servers refuse a null."""
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
    reply = _decode_reply(body)
    if reply is None:
        return Fault("the reply is not the JSON of a chat completion", retry=True)
    if reply.error:
        return _read_fault(reply.error, headers, body, now)
    if not reply.choices:
        return Fault("the reply has no choices", retry=True)
    choice = reply.choices[0]
    finish_reason = _read_name(choice.finish_reason)
    if choice.error or finish_reason == "error":
        return _read_fault(choice.error, headers, body, now)
    usage = read_usage(reply.usage)
    message = choice.message or _ChoiceMessage()
    text, refusal = _join_text(message.content), _read_word(message.refusal)
    return Answer(
        # A refusal in its own field is the model's answer too; an absent text is an empty answer, not an
        # error.
        text=text or refusal or "",
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=usage.cost,
        provider=_read_name(reply.provider),
        resolved_model=_read_name(reply.model),
        system_fingerprint=_read_name(reply.system_fingerprint),
        finish_reason="refusal" if not text and refusal else finish_reason,
        reasoning=_read_word(message.reasoning) or _read_word(message.reasoning_content),
        usage_fault=usage.fault,
    )


def _decode_reply(body: bytes) -> _Completion | None:
    """The reply, even with half a surrogate pair (a cut emoji) or NaN, which are not JSON."""
    try:
        return _reply.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        value = json.loads(
            body.decode("utf-8", "replace"),
            parse_constant=str,
            parse_int=_parse_whole,
            parse_float=_parse_decimal,
        )
        return _reply.decode(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _parse_whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _parse_decimal(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _read_word(raw: msgspec.Raw) -> str | None:
    """A text; None for anything else."""
    try:
        value = decode(bytes(raw)) if bytes(raw) else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return redact(value) if isinstance(value, str) else None


def _read_name(raw: msgspec.Raw) -> str | None:
    word = _read_word(raw)
    return word and word[:NAME_LIMIT]


def _join_text(content: str | list[dict[str, Any]] | None) -> str:
    """The text of an answer; some servers send it as a list of parts."""
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if part.get("type", "text") == "text")
    return redact(content or "")


def _read_fault(error: Any, headers: Mapping[str, str], body: bytes, now: float) -> Fault:
    """A failure inside a 200 reply, as OpenRouter sends them; its code counts like a status."""
    code = error.get("code") if isinstance(error, dict) else None
    try:
        status = int(code)  # type: ignore[arg-type]  # None and words raise: an unknown upstream failure
    except (TypeError, ValueError, OverflowError):
        status = 502
    if not 0 <= status <= 999:
        status = 502
    return fault_of_status(status, headers, body, now, inside_200=True)
