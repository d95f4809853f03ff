"""Runs at an address: a real S3 server on a socket, and fsspec's own memory; the commands say the same as of
the disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import probatio
from learn.runs import by_chance, write_made_up_run, write_suite
from probatio.core.errors import Incomplete, UsageError
from probatio.learn.analysis import study_of
from probatio.learn.compare import compare
from probatio.runs.regrade import regrade
from probatio.runs.store.address import is_address, results_at, run_at
from probatio.runs.store.layout import ANSWERS, GRADES, RUN_FILE
from probatio.runs.store.packed import pack_run

pytestmark = pytest.mark.slow  # whole days, sites or processes


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, and the same run packed."""
    root = tmp_path_factory.mktemp("address")
    suite = write_suite(root / "suite")
    for name in ("plain", "packed"):
        write_made_up_run(
            root / name,
            suite,
            by_chance(lambda key: 0.7),
            models=("a", "b"),
            contexts=("minimal",),
            samples=2,
        )
    pack_run(root / "packed")
    return root


@pytest.fixture(scope="module")
def server(made: Path) -> Iterator[str]:
    """The endpoint of an S3 server that holds both under s3://bucket/results/."""
    s3fs = pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")  # here, not above: both take long to load
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    system = s3fs.S3FileSystem(key="k", secret="s", endpoint_url=endpoint, skip_instance_cache=True)
    system.mkdir("bucket")
    for name in ("plain", "packed"):
        for file in (made / name).iterdir():
            if not file.name.startswith("."):
                system.put(str(file), f"bucket/results/{name}/{file.name}")
    yield endpoint
    server.stop()


@pytest.fixture
def s3(server: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    settings = {"AWS_ENDPOINT_URL": server, "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}
    for name, value in {
        **settings,
        "AWS_DEFAULT_REGION": "us-east-1",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    return "s3://bucket/results"


@pytest.mark.parametrize("name", ["plain", "packed"])
def test_study_and_compare_say_of_a_run_at_an_address_what_they_say_of_it_on_the_disk(
    s3: str, made: Path, name: str
) -> None:
    there = run_at(f"{s3}/{name}")
    suite = made / "suite"
    assert study_of([there], suite) == study_of([made / name], suite)
    apart = [
        compare(f"{run}:model=a", f"{run}:model=b", made, suite).difference
        for run in (f"{s3}/{name}", made / name)
    ]
    assert apart[0] == apart[1]


def test_of_a_packed_run_the_packed_files_are_copied(s3: str) -> None:
    there = run_at(f"{s3}/packed")
    names = {path.name for path in there.iterdir() if not path.name.startswith(".")}
    assert names == {RUN_FILE, f"{ANSWERS}.zst", f"{GRADES}.zst"}


def test_what_has_not_changed_is_not_copied_again(s3: str) -> None:
    first = (run_at(f"{s3}/plain") / ANSWERS).stat()
    again = (run_at(f"{s3}/plain/") / ANSWERS).stat()
    assert (again.st_ino, again.st_mtime_ns) == (first.st_ino, first.st_mtime_ns)


@pytest.mark.parametrize("name", ["plain", "packed"])
def test_a_run_at_an_address_is_graded_in_a_copy_of_its_name_or_into_a_file(
    s3: str, made: Path, tmp_path: Path, name: str
) -> None:
    results = tmp_path / "results"
    report = regrade(f"{s3}/{name}", results, made / "suite", tmp_path / "grades.jsonl")
    assert (report.graded, report.compared) == (80, 80)
    assert not results.exists()
    report = regrade(f"{s3}/{name}", results, made / "suite", None)
    assert report.out == results / name / GRADES
    assert report.out.exists()
    with pytest.raises(UsageError, match="exists already"):
        regrade(f"{s3}/{name}", results, made / "suite", None)


@pytest.mark.slow
def test_the_commands_take_addresses(
    s3: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = probatio("study", f"{s3}/packed", "--no-narrative", "--suite", str(made / "suite"))
    assert study.returncode == 0, study.stderr
    assert (tmp_path / "results" / "packed" / "analysis.md").exists()
    built = probatio("site", "build", "--results", s3, "--out", "site", "--json")
    assert built.returncode == 0, built.stderr
    assert json.loads(built.stdout)["pages"] > 10
    raw = (tmp_path / "site" / "raw" / "runs" / "packed" / GRADES).read_bytes()
    assert raw == (made / "plain" / GRADES).read_bytes().replace(b'"run_id":"plain"', b'"run_id":"packed"')
    nowhere = probatio("study", f"{s3}/nothing", "--no-narrative")
    assert nowhere.returncode == 2
    assert "nothing" in nowhere.stderr


def test_an_address_without_a_run_a_name_that_leads_out_and_a_server_that_is_gone_are_named(
    s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fsspec

    with pytest.raises(UsageError, match="There is no"):
        run_at(f"{s3}/nothing")
    with pytest.raises(UsageError, match="not an address that can be read"):
        run_at("nosuch://bucket/run")
    memory = fsspec.filesystem("memory")
    memory.pipe("/odd/run/../../stolen", b"x")
    with pytest.raises(UsageError, match="would lead out of its folder"):
        run_at("memory://odd/run")
    memory.pipe("/fine/run/run.json", b"{}")
    assert (run_at("memory://fine/run") / RUN_FILE).read_bytes() == b"{}"
    memory.rm("/fine/run/run.json")
    memory.pipe("/fine/run/graded_results.jsonl", b"")
    assert not (results_at("memory://fine/run") / RUN_FILE).exists()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(Incomplete, match="can't be read"):
        run_at("s3://another/run")


def test_a_path_is_no_address() -> None:
    assert is_address("s3://bucket/run")
    assert not any(
        map(is_address, ("results/run", "C:/run", "2026-01-05T20-27-27", "a:model=x", "s3:/bucket"))
    )
