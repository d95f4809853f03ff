"""Keys and hosts: the key of a built-in provider goes to that provider, or where the user says and no
folder."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from commandline import Done, probatio
from double import Double
from probatio.ask import hosts
from probatio.ask.client import ChatClient
from probatio.ask.hosts import environment
from probatio.ask.routes import Route, route_of
from probatio.core.errors import UsageError
from probatio.core.inside import MOST_SETTINGS
from probatio.core.records import Model, Sampling
from probatio.core.trust import allow_now, key_request, trust_folder
from probatio.watch.alerts.channels import Channel

pytestmark = pytest.mark.slow  # starts processes for nearly every claim

KEY = "sk-or-the-key-of-the-user-0123456789"
EVIL = "https://evil.example/v1"


@pytest.fixture
def double() -> Iterator[Double]:
    with Double() as double:
        yield double


def keys_seen(double: Double) -> str:
    return json.dumps([*double.headers, *double.bodies])


def run(tmp_path: Path, *words: str, env: dict[str, str] | None = None, dotenv: str = "") -> Done:
    """The command in a folder of someone else's, with the user's key in the environment."""
    if dotenv:
        (tmp_path / ".env").write_text(dotenv)
    return probatio(*words, env={"OPENROUTER_API_KEY": KEY} if env is None else env, cwd=tmp_path)


def models_yml(tmp_path: Path, *entries: dict[str, Any], **rest: Any) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "models.yml").write_text(json.dumps({"models": entries, **rest}))


TRIAL = ("trial", "--limit", "1", "--sandbox", "none", "--run-id", "r")
THIEF = {"id": "m", "name": "v/m", "api_key_env": "OPENROUTER_API_KEY"}


def refused(ended: Done, double: Double, host: str) -> None:
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert "OPENROUTER_API_KEY" in ended.stderr and f"--allow-host {host}" in ended.stderr
    assert KEY not in ended.stdout + ended.stderr
    assert not double.bodies, "nothing was sent"


def test_a_models_file_of_a_folder_sends_no_key_of_openrouter_elsewhere(
    tmp_path: Path, double: Double
) -> None:
    models_yml(tmp_path, {**THIEF, "base_url": double.base_url})
    refused(run(tmp_path, *TRIAL, "--model", "m"), double, f"127.0.0.1:{double.port}")


def test_an_address_in_dotenv_is_not_the_users_word(tmp_path: Path, double: Double) -> None:
    models_yml(tmp_path, {"id": "m", "name": "v/m"})
    ended = run(tmp_path, *TRIAL, "--model", "m", dotenv=f"OPENROUTER_BASE_URL={double.base_url}\n")
    refused(ended, double, f"127.0.0.1:{double.port}")


def test_the_same_address_in_the_environment_is(tmp_path: Path, double: Double) -> None:
    models_yml(tmp_path, {"id": "m", "name": "v/m"})
    env = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": double.base_url}
    ended = run(tmp_path, *TRIAL, "--model", "m", env=env)
    assert ended.returncode == 0, ended.stderr
    assert KEY in keys_seen(double)


@pytest.mark.parametrize("how", ["the flag", "the flag with a port", "the environment"])
def test_the_user_may_say_so(tmp_path: Path, double: Double, how: str) -> None:
    models_yml(tmp_path, {**THIEF, "base_url": double.base_url})
    words = {
        "the flag": ["--allow-host", "127.0.0.1"],
        "the flag with a port": ["--allow-host", f"127.0.0.1:{double.port}"],
    }
    env = {"OPENROUTER_API_KEY": KEY} | (
        {"PROBATIO_ALLOW_HOSTS": "127.0.0.1"} if how == "the environment" else {}
    )
    ended = run(tmp_path, *TRIAL, "--model", "m", *words.get(how, []), env=env)
    assert ended.returncode == 0, ended.stderr
    assert KEY in keys_seen(double)


def test_dotenv_can_not_say_it_for_the_user(tmp_path: Path, double: Double) -> None:
    models_yml(tmp_path, {**THIEF, "base_url": double.base_url})
    ended = run(tmp_path, *TRIAL, "--model", "m", dotenv="PROBATIO_ALLOW_HOSTS=127.0.0.1\n")
    refused(ended, double, f"127.0.0.1:{double.port}")


@pytest.mark.parametrize("text", ["MINE=${OPENROUTER_API_KEY}\n", "MINE=x${OPENROUTER_API_KEY}\n"])
def test_dotenv_can_not_give_the_key_another_name(tmp_path: Path, double: Double, text: str) -> None:
    models_yml(tmp_path, {**THIEF, "base_url": double.base_url, "api_key_env": "MINE"})
    run(tmp_path, *TRIAL, "--model", "m", dotenv=text)
    assert KEY not in keys_seen(double)


def test_dotenv_can_not_put_the_key_into_an_address(tmp_path: Path) -> None:
    asked: list[bytes] = []

    class Talk(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.requestline.encode())
            self.send_error(400)

        def log_message(self, format: str, *args: object) -> None:
            pass

    models_yml(tmp_path, {"id": "m", "name": "m", "provider": "openai"})
    with ThreadingHTTPServer(("127.0.0.1", 0), Talk) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/${{OPENROUTER_API_KEY}}/v1"
        run(tmp_path, *TRIAL, "--model", "m", dotenv=f"OPENAI_BASE_URL={address}\n")
        server.shutdown()
    assert asked and not any(KEY.encode() in line for line in asked)


def test_a_resumed_run_of_someone_else_sends_no_key(tmp_path: Path, double: Double) -> None:
    models_yml(tmp_path, {"id": "m", "name": "v/m", "base_url": double.base_url})
    assert (
        run(
            tmp_path, "trial", "--limit", "2", "--sandbox", "none", "--run-id", "r", "--model", "m"
        ).returncode
        == 0
    )
    record = tmp_path / "results" / "r" / "run.json"
    record.write_text(
        record.read_text().replace('"api_key_env": null', '"api_key_env": "OPENROUTER_API_KEY"')
    )
    (record.parent / "raw_responses.jsonl").unlink()
    (record.parent / "graded_results.jsonl").unlink()
    double.bodies.clear()
    assert run(tmp_path, "trial", "--resume", "r").returncode == 0
    assert double.bodies and KEY not in keys_seen(double), "the key is that of models.yml, which has none"


@pytest.mark.parametrize("command", [("daily",), ("daily", "calibrate")])
def test_a_judge_of_the_folder_gets_no_key(tmp_path: Path, double: Double, command: tuple[str, ...]) -> None:
    judge = {"base_url": double.base_url, "api_key_env": "OPENROUTER_API_KEY"}
    with Double() as own:
        models_yml(
            tmp_path,
            {"id": "m", "name": "v/m", "base_url": own.base_url},
            daily={"models": ["m"], "judge": judge},
        )
        more = ("--use-case", "creative_writing", "--sandbox", "none") if command == ("daily",) else ()
        ended = run(tmp_path, *command, *more)
    assert ended.returncode == 2 and "--allow-host" in ended.stderr, ended.stdout + ended.stderr
    assert not double.bodies and KEY not in keys_seen(double)


def test_dotenv_starts_no_program_of_its_own(tmp_path: Path, double: Double) -> None:
    models_yml(tmp_path, {"id": "m", "name": "v/m", "base_url": double.base_url})
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    dotenv = f"PYTHONPATH={tmp_path / 'evil'}\nLD_PRELOAD={tmp_path / 'evil' / 'x.so'}\n"
    ended = run(tmp_path, *TRIAL, "--model", "m", dotenv=dotenv)
    code = (
        "import os; from probatio.ask.hosts import environment; e = environment()\n"
        "assert e['LD_PRELOAD'] and 'LD_PRELOAD' not in os.environ and 'PYTHONPATH' not in os.environ"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert ended.returncode == 0 and not (tmp_path / "ran").exists()


def test_keys_in_dotenv_still_work(tmp_path: Path, double: Double) -> None:
    models_yml(tmp_path, {"id": "m", "name": "v/m", "base_url": double.base_url, "api_key_env": "GPU_KEY"})
    assert run(tmp_path, "suite", "trust", ".", "--yes").returncode == 0
    ended = run(tmp_path, *TRIAL, "--model", "m", env={}, dotenv="HALF=secret\nGPU_KEY=${HALF}-of-the-gpu\n")
    assert ended.returncode == 0, ended.stderr
    assert "secret-of-the-gpu" in keys_seen(double)


@pytest.mark.parametrize(
    "dotenv", ["OPENAI_BASE_URL={url}\n", "OPENAI_BASE_URL={url}\nOPENAI_API_KEY=ollama\n"]
)
def test_a_server_on_this_machine_goes_on_working_from_dotenv(
    tmp_path: Path, double: Double, dotenv: str
) -> None:
    models_yml(tmp_path, {"id": "m", "name": "m", "provider": "openai"})
    ended = run(tmp_path, *TRIAL, "--model", "m", dotenv=dotenv.format(url=double.base_url))
    assert ended.returncode == 0, ended.stderr
    assert double.bodies and KEY not in keys_seen(double)


def test_a_real_key_of_openai_does_not_go_to_a_server_on_this_machine_by_dotenv(
    tmp_path: Path, double: Double
) -> None:
    models_yml(tmp_path, {"id": "m", "name": "m", "provider": "openai"})
    dotenv = f"OPENAI_BASE_URL={double.base_url}\n"
    ended = run(tmp_path, *TRIAL, "--model", "m", env={"OPENAI_API_KEY": "sk-real"}, dotenv=dotenv)
    assert ended.returncode == 2 and "OPENAI_API_KEY" in ended.stderr and not double.bodies


ADDRESSES = [
    EVIL,
    "http://openrouter.ai/api/v1",
    "https://openrouter.ai:8443/api/v1",
    "https://openrouter.ai.evil.example/v1",
    "https://openrouter.ai@evil.example/v1",
    "https://evil.example\\@openrouter.ai/v1",
    "https://evil.example#@openrouter.ai/v1",
    "https://evil.example/?@openrouter.ai/v1",
    "https://openrouter.ai\t.evil.example/v1",
    "https://api.openai.com/v1",
    "http://localhost:11434/v1",
    "http://[::1]:11434/v1",
    "https://[bad/v1",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_other_address_gets_the_key(address: str) -> None:
    with pytest.raises(UsageError, match=r"--allow-host|is not an address"):
        route_of(
            Model(id="m", name="v/m", base_url=address, api_key_env="OPENROUTER_API_KEY"),
            {"OPENROUTER_API_KEY": KEY},
        )


@pytest.mark.parametrize("address", ["https://openrouter.ai/api/v1", "https://OPENROUTER.ai:443/other/"])
def test_the_providers_own_host_does(address: str) -> None:
    model = Model(id="m", name="v/m", base_url=address, api_key_env="OPENROUTER_API_KEY")
    assert route_of(model, {"OPENROUTER_API_KEY": KEY}).api_key == KEY


def test_a_key_is_known_under_another_name() -> None:
    model = Model(id="m", name="v/m", base_url=EVIL, api_key_env="MINE")
    with pytest.raises(UsageError, match="OPENROUTER_API_KEY"):
        route_of(model, {"OPENROUTER_API_KEY": KEY, "MINE": KEY})
    allow_now([key_request("MINE", EVIL, Path.cwd())])
    with pytest.raises(UsageError, match="OPENROUTER_API_KEY"):
        route_of(model, {"OPENROUTER_API_KEY": KEY, "MINE": KEY})
    assert route_of(model, {"OPENROUTER_API_KEY": KEY, "MINE": "another"}).api_key == "another"


def test_the_key_of_one_provider_does_not_go_to_another() -> None:
    model = Model(id="m", name="m", provider="openai", api_key_env="OPENROUTER_API_KEY")
    with pytest.raises(UsageError, match=r"--allow-host api\.openai\.com"):
        route_of(model, {"OPENROUTER_API_KEY": KEY, "OPENAI_API_KEY": "o"})


def test_an_alert_channel_of_the_folder_gets_no_key() -> None:
    channel = Channel("thief", "json://evil.example/${OPENROUTER_API_KEY}")
    with pytest.raises(UsageError, match="would send the key of openrouter"):
        channel.address({"OPENROUTER_API_KEY": KEY})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_does_not_carry_the_key_to_another_host(status: int, double: Double) -> None:
    async def ask() -> list[str]:
        async def away(request: web.Request) -> web.Response:
            return web.Response(
                status=status, headers={"Location": f"http://localhost:{double.port}/api/v1/chat/completions"}
            )

        app = web.Application()
        app.router.add_post("/v1/chat/completions", away)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        route = Route("k", f"http://127.0.0.1:{port}/v1/chat/completions", "v/m", api_key=KEY)
        try:
            async with ChatClient(4) as client:
                await asyncio.wait_for(client.ask(route, "q", Sampling()), 30)
        finally:
            await runner.cleanup()
        return []

    asyncio.run(ask())
    assert KEY not in keys_seen(double)


def test_a_dotenv_is_an_ordinary_file_of_a_few_lines(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    assert "MINE" not in environment(file=file)
    file.write_text("MINE=a\nBOTH=${MINE}b\nHOMEWARD=${HOME}\n")
    env = environment(file=file)
    assert (env["MINE"], env["BOTH"], env["HOMEWARD"]) == ("a", "ab", "")
    (tmp_path / "link").symlink_to(file)
    assert environment(file=tmp_path / "link")["MINE"] == "a"
    file.write_bytes(b"MINE=\xff\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        environment(file=file)
    file.write_text("#" * (MOST_SETTINGS + 1))
    with pytest.raises(UsageError, match="larger than 1 MB"):
        environment(file=file)


def test_a_dotenv_that_is_a_folder_is_passed_over_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    assert "MINE" not in environment(file=tmp_path)
    os.mkfifo(tmp_path / ".env")
    with pytest.raises(UsageError, match="is not a file"):
        environment(file=tmp_path / ".env")


def test_a_dotenv_is_read_in_one_place() -> None:
    source = Path(hosts.__file__).parents[1]
    assert [path for path in source.rglob("*.py") if "dotenv_values" in path.read_text()] == [
        Path(hosts.__file__)
    ]


def test_a_dotenv_that_leads_out_is_read_in_ones_own_folder_only(
    tmp_path: Path, new_user: Callable[[], None]
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (tmp_path / "secret").write_text("SOME_KEY=value")
    (theirs / ".env").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match="leads out of"):
        environment(file=theirs / ".env")
    trust_folder(theirs, mine=True)
    assert environment(file=theirs / ".env")["SOME_KEY"] == "value"
