"""Which isolation is active is found by trying; without any, nothing is started and the sentence says what to
do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from probatio.core.errors import Incomplete
from probatio.jail import NoIsolation, Runtime, build, find_isolation, run
from probatio.jail.isolation import _fault


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """What was found is kept for the life of a process; these tests change what there is to find."""
    _fault.cache_clear()
    find_isolation.cache_clear()
    yield
    _fault.cache_clear()
    find_isolation.cache_clear()


def broken(monkeypatch: pytest.MonkeyPatch, *kinds: str) -> None:
    start = build.run
    monkeypatch.setattr(
        build,
        "run",
        lambda kind, *rest: (
            start("none", Runtime(("/bin/false",), ()), *rest[1:]) if kind in kinds else start(kind, *rest)
        ),
    )


def test_bubblewrap_comes_first_and_landlock_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    if find_isolation().kind != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    _fault.cache_clear()
    find_isolation.cache_clear()
    broken(monkeypatch, "bubblewrap")
    chosen = find_isolation()
    assert chosen.kind == "landlock"
    assert "bubblewrap said" in chosen.passed_over[0]


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
        find_isolation("bubblewrap")


def test_a_missing_bubblewrap_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "bwrap", lambda: None)
    with pytest.raises(NoIsolation, match="bubblewrap is not installed"):
        find_isolation("bubblewrap")


def test_a_jail_that_breaks_during_a_run_ends_the_run_and_grades_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try:
        kind = find_isolation().kind
    except NoIsolation as error:
        pytest.skip(str(error))
    speaks = Runtime(("/bin/sh", "-c", "echo 'bwrap: no more namespaces' >&2; exit 1"), ())
    start = build.run
    monkeypatch.setattr(build, "run", lambda _, __, *rest: start("none", speaks, *rest))
    with pytest.raises(Incomplete, match="no more namespaces"):
        run(Runtime(("/bin/true",), ()), choice=kind)


def test_a_program_that_speaks_like_a_broken_jail_only_fails_itself() -> None:
    try:
        find_isolation()
    except NoIsolation as error:
        pytest.skip(str(error))
    liar = Runtime(("/bin/sh", "-c", "echo 'bwrap: no more namespaces' >&2; exit 1"), ())
    outcome = run(liar)
    assert (outcome.exit, outcome.stderr) == (1, "bwrap: no more namespaces\n")


def test_a_bubblewrap_that_does_not_work_gives_way_to_one_that_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if find_isolation().kind != "bubblewrap":
        pytest.skip("bubblewrap does not work here")
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho 'bwrap: Unknown option --clearenv' >&2; exit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    build.bwrap.cache_clear()
    try:
        assert build.bwrap() != str(old)
    finally:
        build.bwrap.cache_clear()


def test_a_kernel_without_landlock_is_told_in_a_sentence_and_nothing_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build, "LANDLOCK_AT_MOST", 0)
    with pytest.raises(NoIsolation, match="this kernel has no Landlock"):
        find_isolation("landlock")
