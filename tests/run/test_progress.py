"""What is said about a run: the first seed's line, and nothing that flatters."""

import pytest

from probatio.run.engine import Tally
from probatio.run.progress import spell, summary_line


def test_the_summary_is_the_line_of_the_first_seed() -> None:
    assert summary_line(Tally(42, passed=39, failed=3, spent=0.0123), 19.6) == "39/42 passed (93%) in 19.6s — $0.01"


def test_trials_that_could_not_be_asked_stand_beside_the_rate_not_in_it() -> None:
    tally = Tally(42, passed=30, failed=10, errors=2)
    assert summary_line(tally, 1.0) == "30/40 passed (75%) in 1.0s — $0.00, 2 requests failed"


def test_a_run_that_asked_nothing_claims_no_rate() -> None:
    assert summary_line(Tally(3, errors=3), 1.0).startswith("0/0 passed (–)")


def test_money_under_a_cent_is_not_rounded_away() -> None:
    assert summary_line(Tally(1, passed=1, spent=0.0004), 1.0).endswith("$0.0004")


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.04, "0.0s"), (59.9, "59.9s"), (61, "1m 01s"), (3599, "59m 59s"), (7260, "2h 01m")]
)
def test_durations_are_said_as_a_person_says_them(seconds: float, said: str) -> None:
    assert spell(seconds) == said
