"""Routes: which address, which key, and a clear sentence where one is missing."""

from pathlib import Path

import pytest

from probatio.ask.routes import missing_key, route_of
from probatio.core.errors import UsageError
from probatio.core.records import Model
from probatio.core.trust import Untrusted, allow_now, key_request


def test_openrouter_is_the_default_route() -> None:
    route = route_of(Model(id="m", name="v/m"), {"OPENROUTER_API_KEY": "k"})
    assert (route.url, route.api_key) == ("https://openrouter.ai/api/v1/chat/completions", "k")


def test_the_addresses_can_be_set_by_the_environment() -> None:
    env = {"OPENROUTER_API_KEY": "k", "OPENROUTER_BASE_URL": "http://127.0.0.1:9/api/v1/"}
    assert route_of(Model(id="m", name="v/m"), env).url == "http://127.0.0.1:9/api/v1/chat/completions"
    local = route_of(
        Model(id="m", name="m", provider="openai"), {"OPENAI_BASE_URL": "http://localhost:11434/v1"}
    )
    assert (local.url, local.api_key) == ("http://localhost:11434/v1/chat/completions", None)


def test_a_model_may_bring_its_own_address_and_key() -> None:
    model = Model(id="m", name="m", provider="vllm", base_url="http://gpu:8000/v1", api_key_env="GPU_KEY")
    with pytest.raises(Untrusted, match="send the key GPU_KEY to http://gpu:8000"):
        route_of(model, {"GPU_KEY": "s"})
    allow_now([key_request("GPU_KEY", "http://gpu:8000/v1", Path.cwd())])
    assert route_of(model, {"GPU_KEY": "s"}).api_key == "s"
    assert missing_key(model, {}) == "GPU_KEY"


def test_a_server_of_ones_own_needs_no_key() -> None:
    model = Model(id="m", name="m", base_url="http://gpu:8000/v1")
    assert route_of(model, {"OPENROUTER_API_KEY": "must not leak there"}).api_key is None


def test_a_missing_key_is_named() -> None:
    with pytest.raises(UsageError, match="OPENROUTER_API_KEY"):
        route_of(Model(id="m", name="v/m"), {})


def test_an_unknown_provider_is_a_sentence() -> None:
    with pytest.raises(UsageError, match="base_url"):
        route_of(Model(id="m", name="m", provider="acme"), {})


def test_two_models_of_one_provider_are_paced_apart() -> None:
    env = {"OPENROUTER_API_KEY": "k"}
    assert route_of(Model(id="a", name="v/a"), env).key != route_of(Model(id="b", name="v/b"), env).key


def test_a_key_never_shows_in_a_repr() -> None:
    assert "secret" not in repr(route_of(Model(id="m", name="v/m"), {"OPENROUTER_API_KEY": "secret"}))
