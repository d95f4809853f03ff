"""What is said about a run: the first seed's line, and nothing that flatters."""

import io

import pytest

from probatio.runs.engine import Failures, Tally
from probatio.runs.progress import Quiet, spell, summary_line


def test_the_summary_is_the_line_of_the_first_seed() -> None:
    assert (
        summary_line(Tally(42, passed=39, failed=3, spent=0.0123), 19.6)
        == "39/42 passed (93%) in 19.6s — $0.01"
    )


def test_several_attempts_end_in_what_was_solved_at_once_and_within_all_of_them() -> None:
    tally = Tally(44, passed=21, failed=23, tried=24, solved=(10, 18, 21))
    line = "10 of 24 at once (42 %), 21 of 24 within three (88 %) in 1.0s — $0.00"
    assert summary_line(tally, 1.0) == line


def test_trials_that_could_not_be_asked_stand_beside_the_rate_not_in_it() -> None:
    tally = Tally(42, passed=30, failed=10, errors=2)
    assert summary_line(tally, 1.0) == "30/40 passed (75%) in 1.0s — $0.00, 2 requests failed"


def test_a_run_that_asked_nothing_claims_no_rate() -> None:
    assert summary_line(Tally(3, errors=3), 1.0).startswith("0/0 passed (–)")


def test_money_under_a_cent_is_not_rounded_away() -> None:
    assert summary_line(Tally(1, passed=1, spent=0.0004), 1.0).endswith("$0.0004")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0s"), (59.9, "59.9s"), (61, "1m 01s"), (3599, "59m 59s"), (7260, "2h 01m")],
)
def test_durations_are_said_as_a_person_says_them(seconds: float, said: str) -> None:
    assert spell(seconds) == said


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_footer_counts_a_wait_down_while_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probatio.runs.progress.FOOTER_SECONDS", 0.0)
    monkeypatch.setenv("COLUMNS", "120")
    seconds, out = [25.0], Terminal()
    view = Quiet(Tally(10), lambda: (0, 4), lambda: seconds[0], out)
    view.tick()
    seconds[0] = 24.0
    view.tick()
    assert [f"0/10 · a server asks to wait {left}s" in out.getvalue() for left in (25, 24)] == [True, True]
    drawn = len(out.getvalue())
    seconds[0] = 0.0
    view.tick()
    assert len(out.getvalue()) == drawn  # nothing to count


def test_the_commonest_reason_is_told_in_its_own_words() -> None:
    failures = Failures()
    for number in range(3):
        failures.note("m", f"status 503: busy, request {number}")
    failures.note("m", "status 404: no")
    failures.note("n", "status 404: no")
    failures.note("n", None)
    m, n = failures.list_failed()
    assert m.whole
    assert (
        m.sentence == "m could not be asked: all 4 requests failed, most often: status 503: busy, request 0."
    )
    assert not n.whole
    assert n.sentence == "n: 1 of 2 requests failed, most often: status 404: no."
