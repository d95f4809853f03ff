"""Verdicts that are kept: the same as folded ones, gone when anything they are made of changes, and never
read by `verify`."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import PROCESS, probatio
from double import Double
from probatio.site.snapshot import load_site
from probatio.watch import judged
from probatio.watch.alerts import describing
from probatio.watch.ledger.later import accept, take_back, withdraw
from probatio.watch.ledger.ledger import record_days
from probatio.watch.verdict.verdicts import verdicts
from probatio.watch.verify.verification import verify
from watch.day.days import gold_script, run
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, steady, write_days

USE_CASES = ["a", "b", "j1"]
FALL, LAST = 30, 33
MADE = "2026-12-31T00:00:00.000Z"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`m` fell after thirty days, `n` did not, and `gone` is asked no more."""
    results = tmp_path_factory.mktemp("recorded")
    low = {"m": dict.fromkeys(USE_CASES, 40.0), "n": dict.fromkeys(USE_CASES, 90.0)}
    days = steady(FALL, ["m", "n", "gone"], USE_CASES)
    days += [made_up_day(number, low) for number in range(FALL, LAST + 1)]
    write_days(results, days)
    record_days(results, [day.date for day in days], CONSTANTS, MADE)
    return results


@pytest.fixture
def results(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, and an empty cache."""
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    return Path(shutil.copytree(recorded, tmp_path / "results"))


@pytest.fixture
def folds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with every fold."""
    counted: list[int] = []

    def count(*words: object, **more: object) -> object:
        counted.append(1)
        return verdicts(*words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(judged, "verdicts", count)
    return counted


def _verdict(results: Path, *words: str) -> str:
    moment = () if "--as-of" in words else ("--as-of", day_at(LAST))
    return probatio("verdict", "--results", results, *moment, *words, cwd=results).output


def _kept(results: Path) -> list[Path]:
    """The file of verdicts, and that of what the words took from the days."""
    files = (results.parent / "cache" / "verdicts").iterdir()
    return sorted(files, key=lambda file: b'{"verdicts":' not in file.read_bytes())


def _poison(file: Path) -> None:
    """Write a false verdict under the right key, with the digest it needs."""
    data = file.read_bytes().partition(b"\n")[2].replace(b'"COOKED"', b'"OK"')
    file.write_bytes(judged.bind(file.name, data) + b"\n" + data)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--json",),
        ("--explain", "m"),
        ("--detectable",),
        ("--regrade",),
        ("--as-of", day_at(LAST + 9)),
        ("--date", day_at(FALL + 2)),
        ("--model", "gone", "--model", "n"),
        ("--fail-on", "cooked"),
    ],
)
def test_a_kept_verdict_is_shown_as_a_folded_one_to_the_byte(
    results: Path, folds: list[int], words: tuple[str, ...]
) -> None:
    first = _verdict(results, *words)
    assert len(folds) == 1
    assert _verdict(results, *words) == first
    assert len(folds) == 1


def _change_scores(results: Path) -> None:
    path = results / "daily" / day_at(LAST - 1) / "scores.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"score":90.0', b'"score":10.0', 1))


def _change_record(results: Path) -> None:
    path = results / "daily" / day_at(LAST) / "day.json"
    path.write_bytes(
        path.read_bytes().replace(b'"suite_fingerprint":"made up"', b'"suite_fingerprint":"made op"')
    )


def _accept(results: Path) -> None:
    accept(results, "m", "anna", "on purpose", MADE)


def _accept_and_take_back(results: Path) -> None:
    _accept(results)
    _verdict(results)
    take_back(results, "m", "anna", "not on purpose", MADE)


def _withdraw(results: Path) -> None:
    withdraw(results, day_at(LAST), "anna", "the wrong suite", MADE)


@pytest.mark.parametrize(
    ("change", "again"),
    [(_change_scores, 1), (_change_record, 1), (_accept, 1), (_withdraw, 1), (_accept_and_take_back, 1)],
)
def test_what_is_changed_is_seen_the_next_time(
    results: Path, folds: list[int], change: Callable[[Path], None], again: int
) -> None:
    before = _verdict(results, "--json")
    change(results)
    after = _verdict(results, "--json")
    assert len(folds) == 1 + again
    assert (after == before) is (change is _accept_and_take_back)  # taken back, all is as it was
    shutil.rmtree(results.parent / "cache")
    assert _verdict(results, "--json") == after


def test_verify_never_reads_what_is_kept(results: Path) -> None:
    assert "✖ COOKED" in _verdict(results)
    before = verify(results, grades=False)
    _poison(_kept(results)[0])
    assert "✖ COOKED" not in _verdict(results)  # so it was read there
    assert verify(results, grades=False) == before
    assert before.findings == []


@pytest.mark.parametrize("content", [b"", b"{", b"\n", b"[" * 100_000, b"0" * 64 + b"\n{}", b"\xff\xfe"])
def test_a_torn_or_hostile_file_is_made_again(results: Path, folds: list[int], content: bytes) -> None:
    first = _verdict(results)
    files = {file: file.read_bytes() for file in _kept(results)}
    assert len(files) == 2
    changed = {
        file: whole.replace(b'"COOKED"', b'"OK"').replace(b"a_", b"b_") for file, whole in files.items()
    }
    for number, broken in enumerate((content, *(whole[:-1] for whole in files.values()), None)):
        for file in files:
            file.write_bytes(changed[file] if broken is None else broken)
        assert _verdict(results) == first
        assert len(folds) == number + 2
    assert {file: file.read_bytes() for file in _kept(results)} == files


def test_what_is_kept_holds_for_its_own_key_alone(results: Path, folds: list[int]) -> None:
    _verdict(results)
    old = _kept(results)
    _change_scores(results)
    now = _verdict(results)
    new = [each for each in _kept(results) if each not in old]
    for before, after in zip(old, new, strict=True):
        shutil.copy(before, after)
    assert _verdict(results) == now
    assert len(folds) == 3


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"verdicts":7,"answered":{}}', b'{"m":[{},7,[]]}'])
def test_a_kept_text_of_another_shape_is_made_again(results: Path, folds: list[int], data: bytes) -> None:
    first = _verdict(results)
    for file in _kept(results):
        file.write_bytes(judged.bind(file.name, data) + b"\n" + data)
    assert _verdict(results) == first
    assert len(folds) == 2


def test_what_the_words_took_before_is_not_looked_for_again(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _verdict(results)
    monkeypatch.setattr(describing, "find_level_before", None)
    monkeypatch.setattr(describing, "find_drift", None)
    monkeypatch.setattr(describing, "_find_falls", None)
    assert _verdict(results) == first


def test_a_drop_that_was_computed_meanwhile_is_shown(results: Path, folds: list[int]) -> None:
    _verdict(results)
    _verdict(results, "--detectable", "--model", "n")
    count = len(folds)
    shown = _verdict(results, "--json")
    assert len(folds) == count + 1 and '"smallest_drop":0.' in shown
    shutil.rmtree(results.parent / "cache" / "verdicts")
    assert _verdict(results, "--json") == shown


def test_where_nothing_can_be_kept_it_still_answers(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _verdict(results)
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "file"))
    assert _verdict(results) == first


def test_no_more_than_the_newest_are_kept(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "MOST_FILES", 2)
    for number in range(5):
        _verdict(results, "--date", day_at(LAST - number))
    assert len(_kept(results)) == 2


def test_two_processes_at_once_say_the_same(results: Path) -> None:
    words = [*PROCESS, "verdict", "--results", str(results), "--as-of", day_at(LAST)]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, cwd=results) for _ in range(2)]
    said = {each.communicate(timeout=300)[0].decode() for each in both}
    assert said == {_verdict(results)}
    assert len(_kept(results)) == 2


def test_a_site_takes_the_drops_of_kept_verdicts(results: Path, folds: list[int]) -> None:
    _verdict(results, "--detectable")
    folds.clear()
    first, again = load_site(results), load_site(results)
    assert len(folds) == 1
    assert first.tracked["n"].last == again.tracked["n"].last
    assert first.tracked["n"].last.smallest_drop is not None


@pytest.mark.slow
def test_the_first_verdict_after_a_day_folds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folds: list[int]
) -> None:
    monkeypatch.setenv("PROBATIO_CACHE", str(tmp_path / "cache"))
    with Double(reply=gold_script()) as double:
        for day in ("2026-03-10", "2026-03-11"):
            assert run(tmp_path, double, day=day).returncode == 0
    folds.clear()
    results = tmp_path / "results"
    first = probatio("verdict", "--results", results).output
    assert folds == []
    shutil.rmtree(tmp_path / "cache" / "verdicts")
    assert probatio("verdict", "--results", results).output == first
    assert len(folds) == 1
