"""The header that carries a key: which it may be, that it arrives alone, that a found file needs a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commandline import Done, probatio
from double import Double, RawReply, completion
from probatio.core.config import load_config
from probatio.core.errors import UsageError
from probatio.core.records import Auth

KEY = "own-key-0123456789abcdef"
TRIAL = ("trial", "--limit", "2", "--sandbox", "none", "--run-id", "r", "--model", "m")


def models_yml(root: Path, **entry: Any) -> Path:
    path = root / "config" / "models.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"models": [{"id": "m", "name": "v/m", **entry}]}))
    return path


def own_server(root: Path, double: Double, auth: dict[str, str]) -> Path:
    return models_yml(root, provider="mine", base_url=double.base_url, api_key_env="MINE", auth=auth)


def run(root: Path, *words: object, **env: str) -> Done:
    return probatio(*words, env={"MINE": KEY, **env}, cwd=root)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("auth", "sent"),
    [
        ({"header": "x-api-key"}, f"X-Api-Key: {KEY}"),
        ({"header": "X-Auth", "prefix": "Token "}, f"X-Auth: Token {KEY}"),
        ({"prefix": "Token "}, f"Authorization: Token {KEY}"),
        ({"header": "authorization"}, f"Authorization: Bearer {KEY}"),
    ],
)
@pytest.mark.parametrize("status", [200, 401])
def test_the_key_arrives_in_its_header_alone_and_stands_in_no_file(
    tmp_path: Path, auth: dict[str, str], sent: str, status: int
) -> None:
    def echo(_: dict[str, Any], headers: dict[str, str]) -> RawReply:
        told = f"you sent {json.dumps(headers)}"
        body = completion(told) if status == 200 else {"error": {"message": told}}
        return RawReply(json.dumps(body).encode(), status=status)

    with Double(hostile=echo) as double:
        done = run(tmp_path, *TRIAL, "--config", own_server(tmp_path, double, auth), "--verbose")
        (headers, *_) = double.headers
    carrying = [f"{name.title()}: {value}" for name, value in headers.items() if KEY in value]
    assert carrying == [sent]
    assert "Authorization" in sent or "Authorization" not in headers
    assert done.returncode == (0 if status == 200 else 3), done.output
    assert status == 200 or "the key was refused (401" in done.output
    files = [file.read_text() for file in (tmp_path / "results").rglob("*") if file.is_file()]
    assert files
    assert not [text for text in (*files, done.output) if KEY in text]


@pytest.mark.parametrize(
    "header", ["Host", "content-length", "Cookie", "Transfer-Encoding", "Proxy-Authorization", "User-Agent",
    "x key", "x:y", "x\r\ny", "", "schlüssel", "x" * 101],
)  # fmt: skip
def test_a_header_that_is_not_for_a_key_is_refused_with_a_sentence(tmp_path: Path, header: str) -> None:
    with pytest.raises(UsageError, match=r"is not the name of a header|is not for a key") as refused:
        load_config(models_yml(tmp_path, auth={"header": header}))
    assert "models.yml" in str(refused.value) and "auth" in str(refused.value)


@pytest.mark.parametrize("prefix", ["a\r\nX: y", "ü", "x" * 101])
def test_a_prefix_is_short_ascii_on_one_line(prefix: str) -> None:
    with pytest.raises(ValueError, match="ASCII on one line"):
        Auth("x-api-key", prefix)


@pytest.mark.slow
def test_a_models_file_that_was_found_names_no_header_without_the_users_word(tmp_path: Path) -> None:
    with Double() as double:
        own_server(tmp_path, double, {"header": "x-api-key"})
        refused = run(tmp_path, *TRIAL, "--allow-host", "127.0.0.1")
        assert (refused.returncode, double.bodies) == (2, []), refused.output
        assert "asks to send a key as `x-api-key: …` to http://127.0.0.1" in refused.stderr
        trusted = run(tmp_path, "suite", "trust", ".", "--yes")
        assert "send a key as `x-api-key: …`" in trusted.stdout
        assert run(tmp_path, *TRIAL).returncode == 0
        own_server(tmp_path, double, {"header": "x-title-of-mine"})
        asked = len(double.bodies)
        assert (run(tmp_path, *TRIAL[:-4], "--model", "m").returncode, len(double.bodies)) == (2, asked)


@pytest.mark.slow
def test_a_file_that_was_found_puts_a_providers_own_key_into_no_other_header(tmp_path: Path) -> None:
    with Double() as double:
        models_yml(tmp_path, provider="openai", auth={"header": "x-echo-me"})
        env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": double.base_url}
        refused = run(tmp_path, *TRIAL, **env)
        assert (refused.returncode, double.bodies) == (2, []), refused.output
        assert "asks to send a key as `x-echo-me: …` to openai" in refused.stderr
        assert run(tmp_path, *TRIAL, "--config", "config/models.yml", **env).returncode == 0
        assert double.headers[0]["x-echo-me"] == KEY


@pytest.mark.slow
def test_models_add_writes_the_header_and_list_tells_it(tmp_path: Path) -> None:
    listed = RawReply(json.dumps({"data": [{"id": "our-model"}]}).encode())
    with Double(catalogue=lambda path: listed if path == "/models" else None) as double:
        given = ("--base-url", double.base_url, "--provider", "vllm", "--api-key-env", "MINE")
        added = run(tmp_path, "models", "add", "our-model", *given, "--auth-header", "x-api-key")
        assert added.returncode == 0, added.output
        assert run(tmp_path, "models", "find", "our", "--provider", "vllm").returncode == 0
        assert [each.get("x-api-key") for each in double.get_headers] == [KEY, KEY]
        assert not [each for each in double.get_headers if "Authorization" in each]
        assert load_config(tmp_path / "config" / "models.yml").models[0].auth == Auth("x-api-key")
        assert (
            run(tmp_path, "trial", "--limit", "1", "--sandbox", "none", "--model", "our-model").returncode
            == 0
        )
        assert double.headers[0]["x-api-key"] == KEY
    without = probatio("models", "list", cwd=tmp_path, env={})
    assert "needs MINE, in the header x-api-key" in without.stdout
    bad = run(tmp_path, "models", "find", "x", *given, "--auth-header", "Cookie")
    assert (bad.returncode, "--auth-header: the header Cookie is not for a key" in bad.stderr) == (2, True)
