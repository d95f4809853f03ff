"""Which isolation is active is found by trying; without any, nothing is started and the sentence says what to do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from probatio.sandbox import NoIsolation, Runtime, isolation, jail, run
from probatio.sandbox import isolation as _function
from probatio.sandbox.isolation import _fault


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """What was found is kept for the life of a process; these tests change what there is to find."""
    _fault.cache_clear()
    _function.cache_clear()
    yield
    _fault.cache_clear()
    _function.cache_clear()


def broken(monkeypatch: pytest.MonkeyPatch, *kinds: str) -> None:
    start = jail.run
    monkeypatch.setattr(
        jail,
        "run",
        lambda kind, *rest: (
            start("none", Runtime(("/bin/false",), ()), *rest[1:]) if kind in kinds else start(kind, *rest)
        ),
    )


def test_bubblewrap_comes_first_and_landlock_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    if isolation().kind != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    _fault.cache_clear()
    _function.cache_clear()
    broken(monkeypatch, "bubblewrap")
    found = isolation()
    assert found.kind == "landlock"
    assert "bubblewrap said" in found.passed_over[0]


def test_without_any_isolation_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "bubblewrap", "landlock")
    with pytest.raises(NoIsolation, match="--sandbox none") as refused:
        run(Runtime(("/bin/true",), ()))
    assert refused.value.exit_code == 2


def test_only_an_explicit_none_goes_on_without(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "bubblewrap", "landlock")
    assert run(Runtime(("/bin/sh", "-c", "echo hi"), ()), choice="none").stdout == "hi\n"


def test_asking_for_one_kind_never_gives_another(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, "bubblewrap")
    with pytest.raises(NoIsolation, match="bubblewrap"):
        isolation("bubblewrap")


def test_a_missing_bubblewrap_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail, "bwrap", lambda: None)
    with pytest.raises(NoIsolation, match="bubblewrap is not installed"):
        isolation("bubblewrap")
