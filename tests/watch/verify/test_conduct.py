"""`probatio verify` on how days were run: what no score shows is named, and every such name is exit 1."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from commandline import probatio
from double import Double
from probatio.core.records import Constants
from probatio.core.trust import note_named
from probatio.runs.store.layout import ANSWERS, SCORES
from probatio.watch.ledger.later import declare_replayed
from probatio.watch.ledger.ledger import START, hash_day, ledger_path, raise_edition, read_ledger, record_day
from probatio.watch.verify.verification import verify
from watch.day.days import DAY, EXTRACTION, MODEL, environment, gold_script, run, small_suite
from watch.verdict.made_up import CONSTANTS, day_at, made_up_day, steady, write_day, write_days

pytestmark = pytest.mark.slow  # whole days, sites or processes

REPOSITORY = Path(__file__).parents[3]
NEXT = "2026-03-11"
MADE = "2026-12-31T00:00:00.000Z"


def _whats(results: Path, *, grades: bool = False, dates: list[str] | None = None) -> list[str]:
    return [str(finding) for finding in verify(results, grades=grades, dates=dates).findings]


def _edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def _lines(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        change(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _record_anew(results: Path, constants: Constants = CONSTANTS) -> None:
    """Someone who made the whole chain fit what was changed."""
    ledger_path(results).unlink(missing_ok=True)
    for folder in sorted(path for path in (results / "daily").iterdir() if path.is_dir()):
        record_day(results, folder.name, constants, MADE)


def _write_chain(results: Path, records: bytes) -> None:
    """The same with records that were edited by hand."""
    previous, lines = START, []
    for record in records.splitlines():
        lines.append(json.dumps({**json.loads(record), "previous": previous}).encode())
        previous = hashlib.sha256(lines[-1]).hexdigest()
    ledger_path(results).write_bytes(b"".join(line + b"\n" for line in lines))


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    """Eight days without answers, whole in every way."""
    write_days(tmp_path, steady(8, ["m"], ["a", "b"]))
    _record_anew(tmp_path)
    assert _whats(tmp_path) == []
    return tmp_path


def test_a_simulated_day_in_a_ledger_is_named(made_up: Path) -> None:
    _edit(made_up / "daily" / day_at(3) / "day.json", simulated=True)
    _record_anew(made_up)
    (found,) = _whats(made_up)
    assert f"daily/{day_at(3)}/day.json: the day is marked simulated" in found


def test_a_replayed_day_among_lived_ones_is_named_and_a_ledger_of_replayed_ones_is_not(made_up: Path) -> None:
    _edit(made_up / "daily" / day_at(3) / "day.json", replayed=True)
    _record_anew(made_up)
    (found,) = _whats(made_up)
    assert f"daily/{day_at(3)}/day.json: the day is replayed" in found
    for number in range(7):
        _edit(made_up / "daily" / day_at(number) / "day.json", replayed=True)
    _record_anew(made_up)
    (found,) = _whats(made_up)
    assert f"daily/{day_at(7)}/day.json: the day is not marked as replayed" in found
    declare_replayed(made_up, MADE, "all of it")
    report = verify(made_up, grades=False)
    assert (report.findings, report.replayed) == ([], 8)


def test_a_record_of_another_suite_version_than_its_day_is_named(made_up: Path) -> None:
    path = ledger_path(made_up)
    *before, last = path.read_bytes().splitlines(keepends=True)
    record = msgspec.json.decode(last)
    record["suite_version"] = "9.9.9"
    path.write_bytes(b"".join(before) + msgspec.json.encode(record) + b"\n")
    assert any("it says suite version 9.9.9, but the day was asked from" in what for what in _whats(made_up))


def test_a_bump_over_time_is_no_fault_but_a_day_of_another_version_among_the_others_is(
    tmp_path: Path,
) -> None:
    scores = {"m": {"a": 90.0}}
    for number in range(4):
        write_day(tmp_path, made_up_day(number, scores, suite_version="1.0.0"))
    for number in range(4, 8):
        write_day(tmp_path, made_up_day(number, scores, suite_version="1.1.0"))
    _record_anew(tmp_path)
    assert _whats(tmp_path) == []
    write_day(tmp_path, made_up_day(6, scores, suite_version="2.0.0"))
    _record_anew(tmp_path)
    (found,) = _whats(tmp_path)
    assert f"daily/{day_at(6)}/day.json: it was asked from suite version 2.0.0" in found


def test_what_the_configuration_changes_may_come_and_go(tmp_path: Path) -> None:
    for number, suffix in enumerate(("", "+temperature-0.4", "", "+temperature-0.4")):
        write_day(tmp_path, made_up_day(number, {"m": {"a": 90.0}}, suite_version=f"1.0.0{suffix}"))
    _record_anew(tmp_path)
    assert _whats(tmp_path) == []


def test_other_content_under_one_version_is_named(made_up: Path) -> None:
    _edit(made_up / "daily" / day_at(5) / "day.json", suite_fingerprint="something else")
    _record_anew(made_up)
    (found,) = _whats(made_up)
    assert f"daily/{day_at(5)}/day.json: its suite has the fingerprint something el" in found


LENIENT = msgspec.structs.replace(CONSTANTS, rule=msgspec.structs.replace(CONSTANTS.rule, baseline_min=3))


def test_of_days_judged_by_an_earlier_edition_of_the_evidence_the_rule_is_made_again(made_up: Path) -> None:
    """What that edition said can't be: it stands as recorded, and a note says so."""
    earlier = msgspec.structs.replace(
        CONSTANTS, evidence=msgspec.structs.replace(CONSTANTS.evidence, edition=2), rungs=()
    )
    _record_anew(made_up, earlier)
    report = verify(made_up, grades=False)
    assert report.findings == []
    assert any("edition 2 of the evidence" in note for note in report.notes)
    said = ledger_path(made_up).read_bytes()
    _write_chain(made_up, said.replace(b'"evidence":"CALIBRATING"', b'"evidence":"SUSPECTED"'))
    assert verify(made_up, grades=False).findings == []
    _write_chain(made_up, said.replace(b'"status":"OK"', b'"status":"COOKED"'))
    assert verify(made_up, grades=False).findings


def test_a_new_edition_of_the_evidence_is_no_other_constant_where_the_suite_is_gone(made_up: Path) -> None:
    earlier = msgspec.structs.replace(
        CONSTANTS, evidence=msgspec.structs.replace(CONSTANTS.evidence, edition=2), rungs=()
    )
    for number in range(8):
        _edit(made_up / "daily" / day_at(number) / "day.json", suite=str(made_up / "gone"))
    ledger_path(made_up).unlink()
    for number in range(8):
        record_day(made_up, day_at(number), earlier if number < 4 else CONSTANTS, MADE)
    assert not [each for each in verify(made_up, grades=False).findings if "constants" in str(each)]


def test_constants_that_are_not_the_suites_are_named_though_the_verdicts_follow_from_them(
    made_up: Path,
) -> None:
    _record_anew(made_up, LENIENT)
    found = _whats(made_up)
    assert len(found) == 8
    assert "its constants are not those of suite version" in found[0]
    assert "rule.baseline_min is 3, the suite says 5" in found[0]


def test_two_sets_of_constants_under_one_version_are_named_where_the_suite_is_gone(tmp_path: Path) -> None:
    for number in range(2):
        write_day(tmp_path, made_up_day(number, {"m": {"a": 90.0}}, suite_version="0.0.1"))
    record_day(tmp_path, day_at(0), CONSTANTS, MADE)
    record_day(tmp_path, day_at(1), LENIENT, MADE)
    (found,) = _whats(tmp_path)
    assert f"ledger.jsonl, line 2 ({day_at(1)}): its constants are not those of record 0" in found


def test_a_day_judged_again_by_other_constants_is_named_until_a_correction_judges_it_by_the_suites(
    made_up: Path,
) -> None:
    record_day(made_up, day_at(7), LENIENT, MADE)
    (found,) = _whats(made_up)
    assert f"ledger.jsonl, line 9 ({day_at(7)}): its constants are not those of suite version" in found
    record_day(made_up, day_at(7), CONSTANTS, MADE)
    assert _whats(made_up) == []


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two days of one use case, carried out by the command, of which every file is there."""
    root = tmp_path_factory.mktemp("conduct")
    small_suite(root / "suite", EXTRACTION)
    with Double(reply=gold_script(EXTRACTION)) as double:
        for day in (DAY, NEXT):
            done = run(root, double, day=day)
            assert done.returncode == 0, done.stderr
    yield root


@pytest.fixture
def root(recorded: Path, tmp_path: Path) -> Path:
    moved = Path(shutil.copytree(recorded, tmp_path / "moved"))
    note_named(moved / "suite")  # as `probatio suite trust results` does there
    return moved


def _as_if_lived(results: Path) -> None:
    """The days without the mark of a replay: asked today, under dates long gone."""
    for day in (DAY, NEXT):
        _edit(results / "daily" / day / "day.json", replayed=False)
    _record_anew(results)


@pytest.mark.parametrize("grades", [True, False])
def test_a_day_that_was_asked_on_another_date_and_does_not_say_so_is_named(root: Path, grades: bool) -> None:
    results = root / "results"
    _as_if_lived(results)
    today = datetime.now(UTC).date()
    found = _whats(results, grades=grades)
    assert len(found) == 2
    assert f"daily/{DAY}/day.json ({MODEL}): it was first asked on " in found[0]
    assert any(f"asked on {each.isoformat()}," in found[0] for each in (today, today - timedelta(days=1)))


def test_a_mark_in_the_record_alone_does_not_do_the_scores_must_have_it(root: Path) -> None:
    results = root / "results"
    _as_if_lived(results)
    first = json.loads((results / "daily" / DAY / ANSWERS).read_text().splitlines()[0])["timestamp"][:10]
    _edit(results / "daily" / DAY / "day.json", asked_late={MODEL: first})
    _record_anew(results)
    assert f"daily/{DAY}/{SCORES} ({MODEL}): it was first asked on" in _whats(results)[0]
    _lines(results / "daily" / DAY / SCORES, lambda line: line.update(asked_late=first))
    _record_anew(results)
    report = verify(results, dates=[DAY])
    assert report.findings == []
    assert report.notes == [f"{DAY}: asked late and in no baseline: {MODEL} on {first}."]


def test_a_mark_that_is_not_true_is_named(root: Path) -> None:
    results = root / "results"
    _edit(results / "daily" / DAY / "day.json", asked_late={MODEL: "2026-03-12"})
    _record_anew(results)
    assert (
        "marked as asked late, but its answers are of the day's own date" in _whats(results, dates=[DAY])[0]
    )


def test_answers_after_the_record_are_named_even_where_the_hashes_fit(root: Path) -> None:
    results = root / "results"
    path = results / "daily" / NEXT / ANSWERS
    lines = path.read_text().splitlines()
    late = {**json.loads(lines[-1]), "timestamp": "2027-01-02T00:00:00.000Z"}
    path.write_text("\n".join([*lines[:-1], json.dumps(late)]) + "\n")
    _record_anew(results)  # made before that moment
    (found,) = _whats(results)
    assert f"daily/{NEXT}/{ANSWERS}, line {len(lines)}" in found
    assert "was asked at 2027-01-02T00:00:00.000Z, after record 1 was made" in found
    assert "run again after it was closed" in found


def test_a_closed_day_that_was_thrown_away_and_asked_again_is_named_though_a_correction_records_it(
    root: Path,
) -> None:
    results = root / "results"
    for name in (ANSWERS, "graded_results.jsonl", SCORES):
        (results / "daily" / NEXT / name).unlink()
    with Double(reply=gold_script(EXTRACTION)) as double:
        done = run(root, double, day=NEXT)
    assert done.returncode == 0, done.stderr
    assert [line.record().kind for line in read_ledger(results)] == ["day", "day", "correction"]
    (found,) = _whats(results, grades=True)
    assert f"daily/{NEXT}/{ANSWERS}: the answers that record 1 vouched for are not all there" in found


def test_one_answer_replaced_among_many_is_named(root: Path) -> None:
    results = root / "results"
    for name in (ANSWERS, "graded_results.jsonl"):
        path = results / "daily" / NEXT / name
        key = json.loads(path.read_text().splitlines()[0])
        kept = [line for line in path.read_text().splitlines() if json.loads(line)["sample"] != key["sample"]]
        path.write_text("\n".join(kept) + "\n")
    (results / "daily" / NEXT / SCORES).unlink()
    with Double(reply=gold_script(EXTRACTION)) as double:
        assert run(root, double, day=NEXT).returncode == 0
    assert "the answers that record 1 vouched for are not all there" in _whats(results)[0]


def test_a_day_that_was_only_completed_is_no_fault(root: Path) -> None:
    """A second model asked after the first closing: a correction, all earlier answers there."""
    results = root / "results"
    with Double(reply=gold_script(EXTRACTION)) as double:
        done = run(root, double, day=NEXT, model="llama-3.1-8b")
    assert done.returncode == 0, done.stderr
    assert [line.record().why for line in read_ledger(results)] == [None, None, "run further"]
    assert _whats(results, grades=True) == []


def test_failed_requests_that_were_sent_again_after_the_closing_are_no_fault_and_hide_none(
    tmp_path: Path,
) -> None:
    from double import Faults

    small_suite(tmp_path / "suite", EXTRACTION, cases=4)
    results = tmp_path / "results"
    with Double(Faults(status={404: 0.15}), gold_script(EXTRACTION), seed=4) as double:
        assert run(tmp_path, double).returncode == 0
        assert double.served["status:404"]
    with Double(reply=gold_script(EXTRACTION)) as double:
        assert run(tmp_path, double).returncode == 0
    assert [line.record().kind for line in read_ledger(results)] == ["day", "correction"]
    assert _whats(results, grades=True) == []
    path = results / "daily" / DAY / ANSWERS
    _lines(path, lambda line: line.update(timestamp=MADE))  # as if all had been asked anew
    old = read_ledger(results)[0].record()
    from probatio.runs.store.days import read_day
    from probatio.watch.verify.conduct import check_closings, read_asked

    day, answers = read_day(path.parent), read_asked(path.parent)[0]
    now = msgspec.structs.replace(old, seq=1, made=MADE, files=hash_day(results, DAY))
    cases = {line["case"]: EXTRACTION for line in map(json.loads, path.read_text().splitlines())}
    (found,) = check_closings(results, day, [old, now], answers, lambda _: cases)
    assert "vouched for are not all there" in found.what


def test_a_day_that_can_not_be_graded_again_is_named(root: Path) -> None:
    results, manifest = root / "results", root / "suite" / "suite.yml"
    manifest.write_text(manifest.read_text().replace("version: 0.1.0", "version: 0.2.0"))
    found = [what for what in _whats(results, grades=True) if "graded again" in what]
    assert found == [
        f"daily/{day}: it could not be graded again: it was asked from suite version 0.1.0, here is version "
        "0.2.0."
        for day in (DAY, NEXT)
    ]
    shutil.rmtree(root / "suite")
    assert sum("it could not be graded again: " in what for what in _whats(results, grades=True)) == 2


def test_answers_that_can_not_be_graded_again_here_are_named(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from probatio.core.records import Assessment
    from probatio.grading.samples import Grading

    async def no_tool(_self: Grading, _response: object) -> Assessment:
        return Assessment(True, False, False, "api_error", "There is no browser here.")

    monkeypatch.setattr(Grading, "grade", no_tool)
    found = _whats(root / "results", grades=True, dates=[DAY])
    assert found == [
        f"daily/{DAY}: 6 of its answers could not be graded again here: There is no browser here"
    ]


def test_only_the_days_asked_for_are_named(made_up: Path) -> None:
    _edit(made_up / "daily" / day_at(3) / "day.json", simulated=True)
    _record_anew(made_up)
    assert _whats(made_up, dates=[day_at(4)]) == []


@pytest.mark.parametrize(
    ("head", "code", "words"),
    [
        ("", 2, "at least 12 of its 64 hexadecimal digits"),
        ("4e8950bddf7", 2, "at least 12"),
        ("4e8950bddf7z", 2, "at least 12"),
        ("0" * 65, 2, "at least 12"),
        ("0" * 12, 1, "no line has the hash 000000000000"),
        ("d14a2872f5a3", 0, "No difference."),  # the head before the declaration is still in the chain
        ("D14A2872F5A3CDA79A12", 0, "No difference."),
    ],
)
def test_a_head_is_at_least_twelve_digits(head: str, code: int, words: str) -> None:
    with Double() as double:
        story = REPOSITORY / "examples" / "story"
        done = probatio("verify", "--quick", "--results", story, "--head", head, env=environment(double))
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stdout + done.stderr


def test_the_recorded_story_says_that_its_dates_were_set_and_nothing_of_it_was_rewritten() -> None:
    results = REPOSITORY / "examples" / "story"
    records = [line.record() for line in read_ledger(results)]
    assert [record.kind for record in records] == ["day"] * 38 + ["correction"] * 114
    for declared in records[38:76]:
        assert declared.replayed
        old = records[declared.corrects or 0]
        assert (old.date, old.files, old.constants, old.verdicts) == (
            declared.date, declared.files, declared.constants, declared.verdicts,
        )  # fmt: skip
    for again in records[114:]:  # a newer edition of the evidence reads the same files
        old = records[again.corrects or 0]
        assert (old.date, old.files, old.replayed) == (again.date, again.files, True)
        assert again.constants == raise_edition(old.constants)
        assert again.why == "judged again by newer rules"
    assert (
        min(record.made for record in records) > f"{max(date.fromisoformat(each.date) for each in records)}"
    )
