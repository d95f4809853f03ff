"""`probatio models find|add` against a catalogue in OpenRouter's form on loopback; models.yml keeps its
comments."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from commandline import Done, probatio
from double import Double
from double.openrouter import GPT, LLAMA, LONE, catalogue, listed
from double.server import RawReply
from probatio.ask.body import MAX_REPLY_BYTES
from probatio.ask.models_file import add_entries
from probatio.core.config import load_config
from probatio.core.errors import UsageError
from probatio.runs import diagnosis

KEY = "sk-or-v1-0123456789abcdef0123456789abcdef"

OURS = """\
# Our models. Ask Ada before you change anything.
framework_version: "1.1"

models:   # the list
  - id: old            # since 2024
    provider: openrouter
    name: openai/gpt-3.5-turbo

    cost_per_1m_input: 0.50   # as of March
  # the next one is expensive
  - id: big
    name: vendor/big   # not for every day

# How trials are drawn
trials:
  n_shots: [0, 1]  # few
daily: {models: [old, "glm-*"]}
"""


def catalogued(root: Path, double: Double | None, *words: str, **env: str) -> Done:
    there = {"OPENROUTER_BASE_URL": double.base_url} if double else {}
    return probatio("models", *words, env={**there, **env}, cwd=root)


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "models.yml"
    path.parent.mkdir()
    path.write_text(OURS, encoding="utf-8")
    return path


def test_find_shows_price_context_and_providers(tmp_path: Path) -> None:
    with Double(catalogue=catalogue()) as double:
        shown = catalogued(tmp_path, double, "find", "LLAMA", "8b")
        rows = json.loads(catalogued(tmp_path, double, "find", "llama", "--json").stdout)
        nothing = catalogued(tmp_path, double, "find", "no-such-model")
        assert not any("Authorization" in headers for headers in double.get_headers), (
            "a catalogue needs no key"
        )
    assert shown.returncode == 0, shown.stderr
    assert [line.split() for line in shown.stdout.splitlines()] == [
        ["ID", "$", "PER", "1M", "IN/OUT", "CONTEXT"],
        [LLAMA, "0.02", "/", "0.03", "131,072"],
        ["deepinfra/bf16", "(DeepInfra)", "0.02", "/", "0.03", "131,072"],
        ["deepinfra/fp8", "(DeepInfra)", "0.015", "/", "0.02", "131,072"],
        ["groq", "(Groq)", "0.05", "/", "0.08", "131,072"],
    ]
    (row,) = rows
    assert (row["id"], row["cost_per_1m_input"], row["context"]) == (LLAMA, 0.02, 131_072)
    assert [each["slug"] for each in row["providers"]] == ["deepinfra/bf16", "deepinfra/fp8", "groq"]
    assert (nothing.returncode, "None of the 3 models of openrouter (127.0.0.1)" in nothing.stdout) == (
        0,
        True,
    )


def test_add_pins_the_provider_and_every_comment_stays(ours: Path, tmp_path: Path) -> None:
    ours.chmod(0o600)
    with Double(catalogue=catalogue()) as double:
        first = catalogued(tmp_path, double, "add", LLAMA, "--route", "Groq", OPENROUTER_API_KEY=KEY)
        second = catalogued(tmp_path, double, "add", GPT, LONE)
        assert {headers.get("Authorization") for headers in double.get_headers} == {f"Bearer {KEY}", None}
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert (
        "llama-3.1-8b-instruct: meta-llama/llama-3.1-8b-instruct by groq, $0.05 / 0.08 per 1M tokens"
        in first.stdout
    )
    assert "`daily: models:` of config/models.yml does not name llama-3.1-8b-instruct" in first.stdout
    assert "does not name gpt-5:" in second.stdout
    text = ours.read_text(encoding="utf-8")
    new = """\
  - id: llama-3.1-8b-instruct
    provider: openrouter
    name: meta-llama/llama-3.1-8b-instruct
    route: groq
    cost_per_1m_input: 0.05
    cost_per_1m_output: 0.08
  - id: gpt-5
    provider: openrouter
    name: openai/gpt-5
    route: openai
    cost_per_1m_input: 1.25
    cost_per_1m_output: 10
  - id: glm-5
    provider: openrouter
    name: z-ai/glm-5
    route: z-ai
    cost_per_1m_input: 0.6
    cost_per_1m_output: 2.2
"""
    assert text == OURS.replace("not for every day\n", f"not for every day\n{new}")
    assert stat.S_IMODE(ours.stat().st_mode) == 0o600
    assert not list(ours.parent.glob("*.part"))


def test_ends_of_lines_a_link_and_a_foreign_encoding(tmp_path: Path) -> None:
    """The file stays in the form it has; a link of a folder that leads out of it is not followed."""
    mine = tmp_path / "mine.yml"
    mine.write_bytes(b"models:\r\n  - {id: a, name: b}  # one\r\n# end\r\n")
    link = tmp_path / "link.yml"
    link.symlink_to(mine)
    wide = tmp_path / "wide.yml"
    wide.write_bytes("models: [{id: a, name: b}]\n".encode("utf-16"))
    folder = tmp_path / "folder"
    (folder / "config").mkdir(parents=True)
    (folder / "config" / "models.yml").symlink_to(mine)
    with Double(catalogue=catalogue()) as double:
        assert catalogued(tmp_path, double, "add", GPT, "--config", "link.yml").returncode == 0
        refused = [
            catalogued(tmp_path, double, "add", GPT, "--config", "wide.yml"),
            catalogued(folder, double, "add", LONE),
        ]
    lines = mine.read_bytes().splitlines(keepends=True)
    assert link.is_symlink()
    assert (lines[0], lines[1], lines[3]) == (
        b"models:\r\n",
        b"  - {id: a, name: b}  # one\r\n",
        b"# end\r\n",
    )
    assert lines[2].startswith(b"  - {id: gpt-5, provider: openrouter")
    assert lines[2].endswith(b"}\r\n")
    assert [each.returncode for each in refused] == [2, 2]
    assert "not written in UTF-8" in refused[0].stderr
    assert "leads out of" in refused[1].stderr


def test_a_model_that_is_not_pinned_is_warned_of_when_it_is_added(tmp_path: Path) -> None:
    with Double(catalogue=catalogue()) as double:
        done = catalogued(tmp_path, double, "add", LLAMA, "--id", "llama")
    assert done.returncode == 0, done.stderr
    assert "llama has no pinned provider" in done.stdout
    assert "Pin one of deepinfra/bf16, deepinfra/fp8, groq with `route:`" in done.stdout
    (model,) = load_config(tmp_path / "config" / "models.yml").models
    assert (model.id, model.route, model.cost_per_1m_output) == ("llama", (), 0.03)
    assert "Not pinned to a provider (`route:` in models.yml)" in catalogued(tmp_path, None, "list").stdout
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert diagnosis._unpinned() == ("llama",)


def test_a_provider_with_several_offers_is_pinned_by_its_name_and_priced_by_the_dearest(
    tmp_path: Path,
) -> None:
    with Double(catalogue=catalogue()) as double:
        done = catalogued(tmp_path, double, "add", LLAMA, "--route", "deepinfra", "--config", "mine.yml")
        exact = catalogued(
            tmp_path, double, "add", LLAMA, "--route", "deepinfra/fp8", "--config", "mine.yml", "--id", "b"
        )
    assert (done.returncode, exact.returncode) == (0, 0), done.stderr + exact.stderr
    models = load_config(tmp_path / "mine.yml").models
    assert [(m.route, m.cost_per_1m_input) for m in models] == [
        (("deepinfra",), 0.02),
        (("deepinfra/fp8",), 0.015),
    ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            (LLAMA, "--route", "azure"),
            2,
            "azure does not serve meta-llama/llama-3.1-8b-instruct. It is served by deepinfra/",
        ),
        (
            ("openai/gpt-6",),
            2,
            "There is no model `openai/gpt-6` at openrouter (127.0.0.1). Near matches: openai/gpt-5",
        ),
        (
            (GPT, "--id", "big"),
            2,
            "a model with the id `big` already (vendor/big); give this one another with --id",
        ),
        ((GPT, LLAMA, "--id", "x"), 2, "--id names one model"),
        ((GPT, "--provider", "embedded"), 2, "have no catalogue on the network"),
        ((GPT, "--provider", "mine"), 2, "--provider mine is not known"),
    ],
)
def test_what_can_not_be_added_is_a_sentence_and_the_file_stays(
    ours: Path, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    with Double(catalogue=catalogue()) as double:
        done = catalogued(tmp_path, double, "add", *words)
    assert (done.returncode, done.stderr.count("\n")) == (code, 1)
    assert message in done.stderr
    assert ours.read_text(encoding="utf-8") == OURS


def test_a_server_of_ones_own_is_asked_at_its_address_and_found_again_by_its_name(tmp_path: Path) -> None:
    plain = RawReply(
        json.dumps(
            {"object": "list", "data": [{"id": "qwen3:8b", "object": "model", "owned_by": "me"}]}
        ).encode()
    )
    with Double(catalogue=lambda path: plain if path == "/models" else None) as double:
        given = ("--base-url", double.base_url, "--provider", "vllm", "--api-key-env", "MINE")
        done = catalogued(
            tmp_path, None, "add", "qwen3:8b", *given, MINE="own-key-0123456789", OPENROUTER_API_KEY=KEY
        )
        again = catalogued(tmp_path, None, "find", "qwen", "--provider", "vllm", MINE="own-key-0123456789")
        assert {headers["Authorization"] for headers in double.get_headers} == {"Bearer own-key-0123456789"}
        url = double.base_url
    assert (done.returncode, again.returncode) == (0, 0), done.stderr + again.stderr
    (model,) = load_config(tmp_path / "config" / "models.yml").models
    assert (model.id, model.name, model.provider, model.base_url, model.api_key_env) == (
        "qwen3-8b", "qwen3:8b", "vllm", url, "MINE",
    )  # fmt: skip
    assert "qwen3:8b" in again.stdout


HOSTILE: dict[str, Callable[[str], RawReply | None]] = {
    "there is none (status 404)": lambda path: None,
    "status 503: upstream": lambda path: RawReply(b'{"error": {"message": "upstream"}}', 503),
    "the key was refused (401)": lambda path: RawReply(b'{"error": {"message": "no"}}', 401),
    "status 302": lambda path: RawReply(b"", 302, {"Location": "http://127.0.0.1:1/elsewhere"}),
    "no list of models in OpenRouter's or OpenAI's form": lambda path: RawReply(b"<html>gateway</html>"),
    "the reply is no list of models": lambda path: RawReply(
        b'{"data": [{"id": "a\\nb"}, {"id": "../up"}, 7]}'
    ),
    "larger than any list of models": lambda path: RawReply(b" " * (MAX_REPLY_BYTES + 1)),
    "no list": lambda path: RawReply(b"[" * 200_000),
}


@pytest.mark.parametrize("message", HOSTILE)
def test_a_bad_catalogue_is_one_sentence_and_exit_3(tmp_path: Path, message: str) -> None:
    with Double(catalogue=HOSTILE[message]) as double:
        done = catalogued(tmp_path, double, "find", "gpt", OPENROUTER_API_KEY=KEY)
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (3, 1, "")
    assert message in done.stderr


def test_a_catalogue_that_is_not_there_is_a_sentence_without_the_key(tmp_path: Path) -> None:
    done = catalogued(tmp_path, None, "find", "gpt", "--base-url", "http://127.0.0.1:1/v1")
    assert (done.returncode, "The catalogue of openai (127.0.0.1) can't be read" in done.stderr) == (3, True)
    echo = RawReply(f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode(), 400)
    with Double(catalogue=lambda path: echo) as double:
        done = catalogued(tmp_path, double, "find", "gpt", OPENROUTER_API_KEY=KEY)
    assert (done.returncode, KEY in done.stderr, "bad key [key]" in done.stderr) == (3, False, True)


def test_the_key_of_openrouter_goes_to_no_address_that_a_folder_names(tmp_path: Path) -> None:
    with Double(catalogue=catalogue()) as double:
        (tmp_path / ".env").write_text(f"OPENROUTER_BASE_URL={double.base_url}\n")
        done = catalogued(tmp_path, None, "find", "gpt", OPENROUTER_API_KEY=KEY)
        assert (done.returncode, double.gets) == (2, [])
    assert "would send the key OPENROUTER_API_KEY" in done.stderr


def test_odd_prices_and_entries_cost_only_themselves(tmp_path: Path) -> None:
    odd: list[Any] = [
        listed("a/auto", "-1", "-1"), listed("a/free:free", "0", "0"), listed("a/joke", "9e99", "1"),
        listed("a/none"),
        {"id": "a/bare"}, {"id": ["a/list"]}, {"id": "a/\u001b[31mred"}, None, {"name": "a"},
    ]  # fmt: skip
    odd[3]["pricing"] = {"prompt": True, "completion": {"x": 1}}
    with Double(catalogue=catalogue(odd, {})) as double:
        rows = json.loads(catalogued(tmp_path, double, "find", "a/", "--json").stdout)
    assert [(row["id"], row["cost_per_1m_input"], row["cost_per_1m_output"]) for row in rows] == [
        ("a/auto", None, None),
        ("a/free:free", 0, 0),
        ("a/joke", None, None),
        ("a/none", None, None),
        ("a/bare", None, None),
    ]
    assert {row["providers"] for row in rows} == {None}


ENTRY = {"id": "n", "provider": "openrouter", "name": "v/n", "cost_per_1m_input": 1}


@pytest.mark.parametrize(
    "text",
    [
        "models:\n  - {id: a, name: b}  # one\n  # after\n",
        "models:\n- id: a\n  name: b\n\n# end",
        "models: [{id: a, name: b}]  # short\ndaily: {temperature: 0.5}\n",
        "models: [\n  {id: a, name: b}\n]\n",
        "models: []  # none yet\ntrials: {seed: 7}\n",
        "models:\ntrials: {seed: 7}\n",
        "trials: {seed: 7}  # no list\n",
        "models:\r\n  - id: a\r\n    name: b\r\n# end\r\n",
        "models:\n  - id: a\n    name: b\n    route:\n      - x\n      - y  # both\n",
        "",
        "# nothing but a comment\n",
    ],
)
def test_every_layout_gets_the_model_and_loses_no_line(text: str) -> None:
    after = add_entries(text, [ENTRY], "models.yml")
    before = (yaml.safe_load(text) or {}).get("models") or []
    assert yaml.safe_load(after)["models"] == [*before, ENTRY]
    comments = [line.partition("#")[2] for line in text.splitlines() if "#" in line]
    assert all(comment in after for comment in comments)
    assert ("\r\n" in text) == ("\r\n" in after)
    assert after.count("\n") == after.count("\r\n") or "\r\n" not in text


@pytest.mark.parametrize(
    "text", ["models: [{id: a, name: b}, ]\n", "a: &x {id: a, name: b}\nmodels:\n  - *x\n"]
)
def test_a_layout_that_can_not_be_added_to_is_refused_with_the_lines_to_add(text: str) -> None:
    with pytest.raises(UsageError, match=r"can't be added to safely.*\n  - \{id: n, provider: openrouter"):
        add_entries(text, [ENTRY], "models.yml")
