"""Providers: the facts are in one table, and no other module compares a provider's name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import probatio
from probatio.ask.providers import PROVIDERS, provider_named, provider_of
from probatio.ask.routes import Route
from probatio.core.records import Model

SOURCE = Path(probatio.__file__).parent


def compares_a_provider(program: str) -> bool:
    """Whether a comparison or a `case` of the program holds a provider's name."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, (ast.Compare, ast.MatchValue)):
            values = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
            if not values.isdisjoint(PROVIDERS):
                return True
    return False


def test_no_other_module_compares_a_providers_name() -> None:
    modules = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    offenders = {name for name, program in modules.items() if compares_a_provider(program)}
    assert offenders == set()


@pytest.mark.parametrize(
    "line",
    [
        "if model.provider == 'embedded': pass",
        "x = 'openrouter' != route.provider",
        "x = model.provider in ('openai', 'acme')",
        "match model.provider:\n    case 'embedded': pass",
    ],
)
def test_a_planted_comparison_is_seen(line: str) -> None:
    assert compares_a_provider(line)


def test_a_model_and_its_route_have_the_same_provider() -> None:
    model = Model(id="m", name="v/m")
    assert provider_of(model) is provider_of(Route("key", "http://x", "v/m")) is PROVIDERS["openrouter"]


def test_an_unknown_provider_is_any_server_that_speaks_the_chat_api() -> None:
    server = provider_named("vllm")
    assert server.name == "vllm"
    assert not any((server.base_url, server.needs_key, server.local, server.free, server.reports_cost))
    assert not any((server.takes_reasoning, server.names_routes, server.request_fields))


def test_only_the_embedded_models_run_on_these_cores_and_cost_nothing() -> None:
    assert [name for name, provider in PROVIDERS.items() if provider.local] == ["embedded"]
    assert [name for name, provider in PROVIDERS.items() if provider.free] == ["embedded"]
