"""The memo runs a program once, forgets the longest unused, and never keeps what a busy machine may have caused."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probatio.sandbox import Limits, Memo, ProgramOutcome, Runtime
from probatio.sandbox.memo import key


def outcome(stdout: str = "", stopped: str | None = None) -> ProgramOutcome:
    return ProgramOutcome(None if stopped else 0, stdout, "", stopped, 0.01)


def test_the_same_name_is_run_once() -> None:
    memo, runs = Memo(), []

    def run() -> ProgramOutcome:
        runs.append(1)
        return outcome("x")

    for _ in range(5):
        assert memo.get(b"a", run).stdout == "x"
    assert (len(runs), memo.hits, memo.misses) == (1, 4, 1)


@pytest.mark.parametrize("stop", ["time", "cpu"])
def test_an_outcome_a_busy_machine_can_cause_is_not_kept(stop: str) -> None:
    memo = Memo()
    assert memo.get(b"a", lambda: outcome(stopped=stop)).stopped == stop
    assert memo.get(b"a", lambda: outcome("fine")).stdout == "fine"


def test_a_failing_run_is_not_kept_and_does_not_block_the_next() -> None:
    memo = Memo()
    with pytest.raises(OSError, match="no"):
        memo.get(b"a", lambda: (_ for _ in ()).throw(OSError("no")))
    assert memo.get(b"a", lambda: outcome("fine")).stdout == "fine"


def test_memory_stays_within_its_bound_and_the_longest_unused_goes_first() -> None:
    memo = Memo(max_bytes=100_000)
    for i in range(200):
        memo.get(str(i).encode(), lambda: outcome("x" * 1000))
        memo.get(b"0", lambda: outcome("x" * 1000))
    assert len(memo) <= 100_000 // 4000
    hits = memo.hits
    memo.get(b"0", lambda: outcome("anew"))
    assert memo.hits == hits + 1


def test_threads_that_ask_for_a_running_program_wait_for_it() -> None:
    memo, runs = Memo(), []

    def slow() -> ProgramOutcome:
        runs.append(1)
        time.sleep(0.2)
        return outcome("x")

    threads = [threading.Thread(target=memo.get, args=(b"a", slow)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 1


def test_threads_that_waited_for_a_timeout_try_for_themselves() -> None:
    memo, runs = Memo(), []

    def late() -> ProgramOutcome:
        runs.append(1)
        time.sleep(0.05)
        return outcome(stopped="time")

    threads = [threading.Thread(target=memo.get, args=(b"a", late)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 3


texts = st.text(max_size=8)


@given(texts, texts, st.binary(max_size=8), st.binary(max_size=8), st.integers(1, 3), st.integers(1, 3))
def test_two_runs_share_a_name_only_if_all_is_the_same(
    arg: str, other_arg: str, stdin: bytes, other_stdin: bytes, seconds: int, other_seconds: int
) -> None:
    one = key("none", Runtime((arg,), ()), stdin, Limits(seconds=seconds))
    two = key("none", Runtime((other_arg,), ()), other_stdin, Limits(seconds=other_seconds))
    assert (one == two) == ((arg, stdin, seconds) == (other_arg, other_stdin, other_seconds))
