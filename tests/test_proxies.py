"""Which proxy a request goes through, by the environment; and real requests through a real proxy, and past
it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from double import Double, RawReply
from double.proxy import HOST, Proxy, certified, needs_openssl
from probatio.ask.catalogue import CatalogueSource, list_models
from probatio.ask.client import ChatClient
from probatio.ask.embedded.catalogue import Hub
from probatio.ask.embedded.download import Meter
from probatio.ask.embedded.hub import _append, _look_up
from probatio.ask.hosts import environment
from probatio.ask.proxies import find_proxy, strip_login
from probatio.ask.routes import Route, route_of
from probatio.core.errors import UsageError
from probatio.core.records import Answer, Model, Sampling
from probatio.core.redact import forget_all
from probatio.watch.alerts.heartbeat import ping

PROXY = "http://proxy.corp:3128"
ENV = {"HTTPS_PROXY": PROXY, "HTTP_PROXY": "http://plain.corp:8080"}


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    forget_all()


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("https://openrouter.ai/api/v1", PROXY),
        ("http://gpu.lab:8000/v1", "http://plain.corp:8080"),
        ("http://localhost:11434/v1", None),
        ("http://LOCALHOST./v1", None),
        ("https://127.0.0.1/v1", None),
        ("https://127.8.9.1/v1", None),
        ("http://[::1]:8000/v1", None),
        ("s3://bucket/run", None),
        ("https://[", None),
        ("no address", None),
    ],
)
def test_https_and_http_have_a_proxy_each_and_this_machine_has_none(url: str, proxy: str | None) -> None:
    assert find_proxy(url, ENV) == proxy
    assert find_proxy(url, {}) is None


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
def test_a_name_counts_in_either_case_and_in_lower_case_first(name: str) -> None:
    assert find_proxy("https://openrouter.ai", {name: PROXY}) == PROXY
    assert find_proxy("https://openrouter.ai", {"https_proxy": PROXY, "HTTPS_PROXY": "http://other"}) == PROXY
    assert find_proxy("https://openrouter.ai", {"https_proxy": "", "HTTPS_PROXY": PROXY}) is None


@pytest.mark.parametrize(
    ("no_proxy", "url", "directly"),
    [
        ("openrouter.ai", "https://openrouter.ai/api", True),
        ("OpenRouter.AI", "https://api.openrouter.ai", True),
        ("openrouter.ai", "https://notopenrouter.ai", False),
        (".corp.example", "https://gpu.corp.example", True),
        (".corp.example", "https://corp.example", True),
        ("*.corp.example", "https://gpu.corp.example", True),
        ("a.b, gpu.lab", "https://gpu.lab", True),
        ("gpu.lab:8000", "https://gpu.lab:8000/v1", True),
        ("gpu.lab:8000", "https://gpu.lab/v1", False),
        ("gpu.lab:443", "https://gpu.lab/v1", True),
        ("10.0.0.0/8", "https://10.1.2.3/v1", True),
        ("10.0.0.0/8", "https://11.1.2.3/v1", False),
        ("10.1.2.3:8000", "https://10.1.2.3:8000/v1", True),
        ("10.1.2.3:8000", "https://10.1.2.3/v1", False),
        ("fd00::/8", "https://[fd00::1]:8000/v1", True),
        ("[fd00::1]:8000", "https://[fd00::1]:8000/v1", True),
        ("fd00::1", "https://[fd00::2]/v1", False),
        ("*", "https://anything.at.all", True),
        ("", "https://openrouter.ai", False),
        (" , ,", "https://openrouter.ai", False),
        ("gpu.lab/24,::/x", "https://10.1.2.3", False),
    ],
)
def test_no_proxy_names_hosts_domains_networks_and_ports(no_proxy: str, url: str, directly: bool) -> None:
    assert (find_proxy(url, {**ENV, "NO_PROXY": no_proxy}) is None) is directly
    assert (find_proxy(url, {**ENV, "no_proxy": no_proxy, "NO_PROXY": "*"}) is None) is directly


@pytest.mark.parametrize("given", ["proxy.corp:3128", "http://proxy.corp:3128"])
def test_a_proxy_without_a_scheme_is_http(given: str) -> None:
    assert find_proxy("https://openrouter.ai", {"HTTPS_PROXY": given}) == PROXY


@pytest.mark.parametrize(
    "given", ["socks5://me:secret@proxy:1080", "http://", "http://proxy:99999", "http://["]
)
def test_what_is_no_proxy_is_refused_without_its_password(given: str) -> None:
    with pytest.raises(UsageError, match="HTTPS_PROXY is no proxy that can be used") as refused:
        find_proxy("https://openrouter.ai", {"HTTPS_PROXY": given})
    assert "secret" not in str(refused.value)


def test_a_message_names_a_proxy_without_its_password() -> None:
    assert strip_login("http://me:secret@proxy.corp:3128") == "proxy.corp:3128"


def test_a_dotenv_can_not_send_requests_through_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("HTTPS_PROXY=http://elsewhere.example\nOPENROUTER_API_KEY=k\n")
    monkeypatch.chdir(tmp_path)
    model = Model("m", "v/m")
    assert route_of(model, environment()).proxy is None
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    assert route_of(model, environment()).proxy == PROXY


def ask(route: Route, questions: int = 1) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        async with ChatClient(8) as client:
            return [await client.ask(route, str(number), Sampling()) for number in range(questions)]

    return asyncio.run(all_of_them())


def test_a_plain_address_is_asked_through_its_proxy_and_past_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with Double() as double, Proxy("me:pa%40ss") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        address = f"http://{HOST}:{double.port}/api/v1"
        model = Model("m", "v/m", provider="mine", base_url=address)
        assert [answer.text for answer in ask(route_of(model, {}))] == ["42"]
        assert proxy.log == [f"POST {address}/chat/completions HTTP/1.1"]
        monkeypatch.setenv("NO_PROXY", HOST)
        assert [answer.text for answer in ask(route_of(model, {}))] == ["42"]
        assert (len(proxy.log), len(double.bodies)) == (1, 2)


def test_loopback_is_never_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with Double() as double, Proxy() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert ask(route_of(Model("m", "v/m", provider="mine", base_url=double.base_url), {}))[0].text == "42"
    assert proxy.log == []


def test_catalogues_heartbeats_and_downloads_take_the_same_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (
        Double(catalogue=lambda _: RawReply(b'{"data": [{"id": "v/m"}]}')) as double,
        Proxy("me:secret") as proxy,
    ):
        there = f"http://{HOST}:{double.port}/api/v1"
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("HF_ENDPOINT", there)
        assert list_models(CatalogueSource("double", there))
        assert ping(f"{there}/models", print, pauses=())
        offer = asyncio.run(_look_up(Hub("openai", "gpt-5")))
        assert asyncio.run(_append(offer, tmp_path / "growing", 0, 10, Meter("m", 10, 0, None)))
        assert [line.split()[0] for line in proxy.log] == ["GET", "GET", "HEAD", "GET"]
        monkeypatch.setenv("NO_PROXY", HOST)
        assert list_models(CatalogueSource("double", there))
        assert ping(f"{there}/models", print, pauses=())
        asyncio.run(_look_up(Hub("openai", "gpt-5")))
        assert len(proxy.log) == 4


def trial(folder: Path, port: int, **env: str) -> subprocess.CompletedProcess[str]:
    models = [{"id": "m", "name": "v/m", "provider": "mine", "base_url": f"https://{HOST}:{port}/api/v1"}]
    (folder / "models.yml").write_text(json.dumps({"framework_version": "1", "models": models}))
    command = ["trial", "--config", "models.yml", "--limit", "2", "--sandbox", "none", "--yes"]
    return subprocess.run(
        [sys.executable, "-m", "probatio", *command],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@needs_openssl
@pytest.mark.slow
def test_a_run_goes_through_a_proxy_by_connect_and_past_it_with_no_proxy(tmp_path: Path) -> None:
    certificate, context = certified(tmp_path)
    trust = {"SSL_CERT_FILE": str(certificate)}
    with Double(tls=context) as double, Proxy("me:secret") as proxy:
        through = trial(tmp_path, double.port, HTTPS_PROXY=proxy.url, **trust)
        assert through.returncode == 0, through.stderr
        assert set(proxy.log) == {f"CONNECT {HOST}:{double.port} HTTP/1.1"}
        assert len(double.bodies) == 2
        tunnels = len(proxy.log)
        past = trial(tmp_path, double.port, HTTPS_PROXY=proxy.url, NO_PROXY=HOST, **trust)
        assert past.returncode == 0, past.stderr
        assert (len(proxy.log), len(double.bodies)) == (tunnels, 4)
        wrong = trial(tmp_path, double.port, HTTPS_PROXY=proxy.url.replace("secret", "hush-7"), **trust)
        assert (wrong.returncode, len(double.bodies)) == (3, 4)
        assert (
            f"the proxy 127.0.0.1:{proxy.port} refuses to connect: the proxy wants another name"
            in wrong.stderr
        )
    kept = "".join(path.read_text() for path in (tmp_path / "results").rglob("*.json*"))
    assert "hush-7" not in wrong.stdout + wrong.stderr + kept
