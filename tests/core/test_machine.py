"""One cache folder for everything that is kept between runs, and one count of cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from probatio.ask.embedded.catalogue import models_folder
from probatio.core import machine
from probatio.core.machine import cache_folder, count_cores
from probatio.grading import checked
from probatio.languages import packages
from probatio.languages.python import home
from probatio.runs.store import address, detectable


def test_the_cache_is_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROBATIO_CACHE", raising=False)
    assert cache_folder().name == "probatio"
    assert models_folder() == cache_folder() / "models"


def test_one_variable_moves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert models_folder() == tmp_path / "models"
    monkeypatch.setenv("PROBATIO_CACHE", "~/elsewhere")
    assert cache_folder() == Path.home() / "elsewhere"


def test_whatever_is_kept_is_kept_there() -> None:
    for module in (address, checked, detectable, home):
        assert vars(module)["cache_folder"] is cache_folder, module.__name__
    assert vars(packages)["keep_folder"] is home.keep_folder
    source = Path(machine.__file__).parent
    asking = [path for path in source.rglob("*.py") if "user_cache" in path.read_text(encoding="utf-8")]
    assert asking == [Path(machine.__file__)]


@pytest.mark.parametrize(
    ("quota", "cores"),
    [
        ("max 100000", 8),
        ("200000 100000", 2),
        ("150000 100000", 2),
        ("1000 100000", 1),
        ("9900000 100000", 8),
        ("", 8),
    ],
)
def test_a_container_may_allow_fewer_cores_than_the_machine_has(
    quota: str, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: Callable[[], int] = count_cores.__wrapped__
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(machine, "_QUOTA", tmp_path / "cpu.max")
    assert counted() == cores


def test_there_is_at_least_one_core() -> None:
    assert 1 <= count_cores() <= (os.cpu_count() or 1)


def test_cores_are_counted_in_one_place() -> None:
    source = Path(machine.__file__).parent
    words = ("os.cpu_count", "os.sched_getaffinity")
    counting = [
        path
        for path in source.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in words)
    ]
    assert counting == [Path(machine.__file__)]
