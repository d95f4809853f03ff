"""models.yml: the form of the first seed, with ours added."""

from pathlib import Path

import pytest

from probatio.core.config import load_config, select_models
from probatio.core.errors import UsageError

SEED = """
framework_version: "1.1"  # Bump when tasks/grading/prompts change

models:
  - id: gpt-3.5-turbo
    provider: openrouter
    name: openai/gpt-3.5-turbo
    cost_per_1m_input: 0.50
    cost_per_1m_output: 1.50
  - {id: llama-8b, name: meta/llama-8b, route: Groq, reasoning: low}
  - {id: llama-70b, name: meta/llama-70b, route: [Azure, Together], base_url: "http://x/v1", api_key_env: K}

trials:
  n_shots: [0, 1, 3, 10]
  dialects: [latin]
  contexts: [examples-only, minimal, basic, complete]
  temperature: 0.0
  max_tokens: 1000
  seed: 42
"""

EXAMPLE = Path(__file__).parents[2] / "config" / "models.example.yml"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "models.yml"
    path.write_text(SEED, encoding="utf-8")
    return path


def test_the_file_of_the_first_seed_is_read_as_it_stands(file: Path) -> None:
    config = load_config(file)
    assert config.framework_version == "1.1"
    assert config.models[0].cost_per_1m_output == 1.5
    assert config.contexts == ("examples-only", "minimal", "basic", "complete")
    assert (config.sampling.temperature, config.sampling.max_tokens, config.sampling.seed) == (0.0, 1000, 42)


def test_a_pinned_route_may_be_one_provider_or_several_in_order(file: Path) -> None:
    assert [model.route for model in load_config(file).models] == [(), ("Groq",), ("Azure", "Together")]


def test_models_are_picked_by_id_and_glob_in_the_order_of_the_file(file: Path) -> None:
    config = load_config(file)
    assert [model.id for model in select_models(config, ("llama-*",))] == ["llama-8b", "llama-70b"]


def test_an_unknown_model_lists_the_near_matches(file: Path) -> None:
    with pytest.raises(UsageError, match=r"gpt-35-turbo.*gpt-3\.5-turbo"):
        select_models(load_config(file), ("gpt-35-turbo",))


def test_a_misspelt_key_is_an_error_because_it_would_change_what_is_measured(file: Path) -> None:
    file.write_text(SEED.replace("temperature:", "temprature:"), encoding="utf-8")
    with pytest.raises(UsageError, match="did you mean `temperature`"):
        load_config(file)


def test_two_models_of_one_id_are_refused(file: Path) -> None:
    file.write_text(SEED.replace("llama-70b, name", "llama-8b, name"), encoding="utf-8")
    with pytest.raises(UsageError, match="two models"):
        load_config(file)


def test_a_gguf_file_can_be_named_on_the_command_line(file: Path, tmp_path: Path) -> None:
    weights = tmp_path / "mine.gguf"
    weights.touch()
    (model,) = select_models(load_config(file), (f"gguf:{weights}",))
    assert (model.provider, model.id) == ("embedded", "gguf:mine.gguf")
    with pytest.raises(UsageError, match="no file"):
        select_models(load_config(file), ("gguf:/nowhere.gguf",))


def test_the_built_in_list_is_valid_and_names_the_embedded_models() -> None:
    ids = [model.id for model in load_config().models if model.provider == "embedded"]
    assert ids == ["qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b", "smollm2-135m"]


def test_timeouts_can_be_set_for_slow_routes(file: Path) -> None:
    file.write_text(SEED + "  timeouts: {attempt: 1200, trial: 1h}\n", encoding="utf-8")
    timeouts = load_config(file).timeouts
    assert timeouts is not None
    assert (timeouts.connect, timeouts.attempt, timeouts.trial) == (10.0, 1200.0, 3600.0)
    file.write_text(SEED + "  timeouts: {attempt: 0}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="more than 0"):
        load_config(file)
    file.write_text(SEED + "  timeouts: {wait: soon}\n", encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"trials\.timeouts\.wait: soon: write a length of time such as 15, 15s"
    ):
        load_config(file)


def test_the_example_that_the_readme_names_is_read_and_only_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config(EXAMPLE)
    assert (
        config.framework_version and config.n_shots == (0, 1, 3, 10) and config.contexts and config.dialects
    )
    assert {model.provider for model in config.models} >= {"openrouter", "embedded"}
    uncommented = EXAMPLE.read_text(encoding="utf-8").replace(
        "  # - id: in-house\n  #   ", "  - id: in-house\n    "
    )
    uncommented = uncommented.replace("\n  #   ", "\n    ").replace("    # route:", "    route:")
    (tmp_path / "all.yml").write_text(
        uncommented.replace("    # reasoning:", "    reasoning:"), encoding="utf-8"
    )
    everything = {model.id: model for model in load_config(tmp_path / "all.yml").models}
    assert (
        everything["in-house"].base_url
        and everything["llama-3.1-8b"].route
        and everything["llama-3.1-8b"].reasoning
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / EXAMPLE.name).write_bytes(EXAMPLE.read_bytes())
    assert load_config().source == "built-in"
    readme = (EXAMPLE.parent.parent / "README.md").read_text(encoding="utf-8")
    assert "cp config/models.example.yml config/models.yml" in readme
