"""A catalogue in OpenRouter's form: its list of models, and each model's providers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from double.server import RawReply


def listed(
    model: str, prompt: str = "0.00000125", completion: str = "0.00001", context: int = 400_000
) -> dict[str, Any]:
    return {
        "id": model,
        "canonical_slug": model,
        "name": f"{model.partition('/')[0].title()}: {model.rpartition('/')[2]}",
        "created": 1754587413,
        "context_length": context,
        "architecture": {"modality": "text->text", "tokenizer": "Other", "instruct_type": None},
        "pricing": {"prompt": prompt, "completion": completion, "request": "0", "image": "0"},
        "top_provider": {"context_length": context, "max_completion_tokens": 128_000, "is_moderated": False},
        "per_request_limits": None,
        "supported_parameters": ["max_tokens", "seed", "temperature"],
    }


def endpoint(title: str, tag: str, prompt: str = "0.00000125", completion: str = "0.00001") -> dict[str, Any]:
    return {
        "name": f"{title} | model",
        "model_name": "model",
        "context_length": 131_072,
        "pricing": {"prompt": prompt, "completion": completion, "request": "0", "discount": 0},
        "provider_name": title,
        "tag": tag,
        "quantization": tag.partition("/")[2] or "unknown",
        "max_completion_tokens": 16_384,
        "max_prompt_tokens": None,
        "supported_parameters": ["max_tokens", "seed", "temperature"],
        "status": 0,
        "uptime_last_30m": 99.5,
    }


GPT, LLAMA, LONE = "openai/gpt-5", "meta-llama/llama-3.1-8b-instruct", "z-ai/glm-5"
MODELS = [
    listed(GPT),
    listed(LLAMA, "0.00000002", "0.00000003", 131_072),
    listed(LONE, "0.0000006", "0.0000022"),
]
SERVED = {
    GPT: [endpoint("OpenAI", "openai"), endpoint("Azure", "azure")],
    LLAMA: [
        endpoint("DeepInfra", "deepinfra/bf16", "0.00000002", "0.00000003"),
        endpoint("DeepInfra", "deepinfra/fp8", "0.000000015", "0.00000002"),
        endpoint("Groq", "groq", "0.00000005", "0.00000008"),
    ],
    LONE: [endpoint("Z.AI", "z-ai", "0.0000006", "0.0000022")],
}


def catalogue(
    models: list[dict[str, Any]] | None = None, served: dict[str, list[dict[str, Any]]] | None = None
) -> Callable[[str], RawReply | None]:
    """What a double answers to a GET."""
    models = MODELS if models is None else models
    served = SERVED if served is None else served

    def reply(path: str) -> RawReply | None:
        if path == "/models":
            return RawReply(json.dumps({"data": models}).encode())
        model = path.removeprefix("/models/").removesuffix("/endpoints")
        if model not in served:
            return None
        return RawReply(
            json.dumps({"data": {"id": model, "name": model, "endpoints": served[model]}}).encode()
        )

    return reply
