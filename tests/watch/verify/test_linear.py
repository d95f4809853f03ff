"""What keeps `verify` linear: a suite is read once, and the past of all days is folded once, whatever suites
alternate."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from probatio.core.errors import ProbatioError, UsageError
from probatio.core.records import Day, Grading
from probatio.suites.daily_suite import DailySuite, load_daily
from probatio.watch.verdict.days import Days, suite_of
from probatio.watch.verdict.expectation import Expectation
from probatio.watch.verify import scores
from probatio.watch.verify.scores import Expectations
from probatio.watch.verify.verification import SuitesOfDays
from watch.verdict.made_up import CONSTANTS, MANIFEST, made_up_day, steady


def test_a_suite_is_read_once_also_where_it_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path | None] = []

    def counted(folder: Path | None = None) -> DailySuite:
        read.append(folder)
        return load_daily(folder)

    monkeypatch.setattr("probatio.watch.verify.verification.load_daily", counted)
    known = SuitesOfDays(tmp_path)
    for day in steady(6, ["m"], ["u"]):
        assert known.of(day).version == MANIFEST.version
        gone = Day(msgspec.structs.replace(day.record, suite="gone/suite"), day.scores)
        with pytest.raises(UsageError):
            known.of(gone)
        with pytest.raises(ProbatioError, match="it was asked from suite version 0\\.1"):
            known.of(Day(msgspec.structs.replace(day.record, suite_version="0.1"), day.scores))
    assert read == [None, tmp_path / "gone" / "suite"]


def test_the_past_is_folded_once_also_where_two_suites_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = ["1.0"] * 9 + ["1.0+temperature-0.4"] * 9 + ["1.0"] * 9 + ["1.0+temperature-0.4"] * 9
    days = Days(
        made_up_day(number, {"m": {"u": 90.0 - number % 4, "v": 80.0}}, suite_version=version)
        for number, version in enumerate(versions)
    )
    anew = {
        day.date: Expectation(days.before(day.date), CONSTANTS, suite_of(day.record), day.date)
        for day in days.days
    }
    monkeypatch.setattr(scores, "Expectation", None)  # to fold anew for one day would be an error
    past = Expectations(days)
    for day in days.days:
        once = past.of(day, CONSTANTS)
        for use_case in ("u", "v"):
            of: tuple[str, str, Grading] = ("m", use_case, "deterministic")
            assert once.trigger(*of) == anew[day.date].trigger(*of)
            assert once.suspicion(*of, 40.0) == anew[day.date].suspicion(*of, 40.0)
            assert once.usual_cases(*of) == anew[day.date].usual_cases(*of)
        assert once.usual_route("m") == anew[day.date].usual_route("m")
