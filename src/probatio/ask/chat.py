"""The chat wire: the body of a request, and what a reply says. Pure; the sockets are in client.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from probatio.ask.providers import Provider
from probatio.ask.retry import Fault, fault_of_status
from probatio.records import Answer, Sampling


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    finish_reason: str | None = None
    error: Any = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


class _Reply(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None
    provider: str | None = None
    system_fingerprint: str | None = None
    error: Any = None


_reply = msgspec.json.Decoder(_Reply, strict=False)
_encode = msgspec.json.Encoder().encode


def request_body(
    model_name: str,
    prompt: str,
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
        "messages": [{"role": "user", "content": prompt}],
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
    try:
        reply = _reply.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Fault("the reply is not the JSON of a chat completion", retry=True)
    if reply.error:
        return _fault_inside_200(reply.error, headers, body, now)
    if not reply.choices:
        return Fault("the reply has no choices", retry=True)
    choice = reply.choices[0]
    if choice.error or choice.finish_reason == "error":
        return _fault_inside_200(choice.error, headers, body, now)
    usage = reply.usage or _Usage()
    message = choice.message or _Message()
    text = _text(message.content)
    return Answer(
        # A refusal in its own field is the model's answer too; an absent text is an empty answer, not an error.
        text=text or message.refusal or "",
        tokens_in=usage.prompt_tokens or 0,
        tokens_out=usage.completion_tokens or 0,
        cost=usage.cost,
        provider=reply.provider,
        resolved_model=reply.model,
        system_fingerprint=reply.system_fingerprint,
        finish_reason="refusal" if not text and message.refusal else choice.finish_reason,
        reasoning=message.reasoning or message.reasoning_content,
    )


def _text(content: str | list[dict[str, Any]] | None) -> str:
    """A text, also where a server sends it as a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if part.get("type", "text") == "text")
    return content or ""


def _fault_inside_200(error: Any, headers: Mapping[str, str], body: bytes, now: float) -> Fault:
    """OpenRouter answers 200 and puts the upstream's failure into the body; its code decides as a status would."""
    code = error.get("code") if isinstance(error, dict) else None
    try:
        status = int(code)  # type: ignore[arg-type]  # None and words raise, and mean "unknown upstream failure"
    except (TypeError, ValueError):
        status = 502
    return fault_of_status(status, headers, body, now, inside_200=True)
