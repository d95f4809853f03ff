"""The scheduler as a real process: a day begins at its hour, one at a time, and ends cleanly. Its days are
stand-ins, mostly."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from datetime import time as hour
from pathlib import Path
from typing import NamedTuple

import pytest

from commandline import PROCESS
from double import Double
from probatio.cli.daily import command as daily
from probatio.cli.daily.every import list_given
from probatio.core.errors import UsageError
from probatio.watch.schedule.process import DAILY_COMMAND, Scheduler, list_closed_days
from probatio.watch.schedule.times import (
    find_missed_days,
    find_next_start,
    is_due,
    parse_hour,
    require_one_date,
)
from watch.day.days import EXTRACTION, MODEL, environment, gold_script, small_suite

STAND_IN = '''
"""Stands in for `probatio daily`: notes when it began, which signals it got and when it ended."""
import os, pathlib, signal, sys, time
log, plan = pathlib.Path(sys.argv[1]), sys.argv[2]
words = sys.argv[3:]
def note(*parts):
    with log.open("a") as file:
        print(time.monotonic(), os.getpid(), *parts, file=file, flush=True)
if "--dry-run" in words:
    sys.exit(0)
ran = log.read_text().count("began") if log.exists() else 0
signals = 0
def on_signal(number, frame):
    global signals
    signals += 1
    note("got", signal.Signals(number).name)
signal.signal(signal.SIGTERM, on_signal)
signal.signal(signal.SIGINT, on_signal)
note("began", *words)
step = plan.split(",")[min(ran, plan.count(","))]
if step == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
seconds, _, code = step.partition(":")
until = time.monotonic() + float(seconds)
while time.monotonic() < until and not signals:
    time.sleep(0.02)
if signals:
    time.sleep(0.5)  # answers in flight come home
note("ended")
sys.exit(3 if signals else int(code or 0))
'''

RUNNER = """
import asyncio, pathlib, sys
from datetime import time, timedelta
from probatio.watch.schedule.process import Scheduler
seconds, results, *fake = sys.argv[1:]
scheduler = Scheduler(
    pathlib.Path(results), time(0, 0), timedelta(), (), lambda line: print(line, flush=True), command=fake,
    interval=timedelta(seconds=float(seconds)),
)
sys.exit(asyncio.run(scheduler.run()))
"""


class Line(NamedTuple):
    at: float
    pid: int
    what: str


class Trial:
    """A scheduler in a process of its own, over the stand-in, with an interval in the place of a day."""

    def __init__(self, root: Path, plan: str, every: float = 0.6) -> None:
        script = root / "stand_in.py"
        script.write_text(STAND_IN)
        self.log = root / "log"
        self.fake = [sys.executable, str(script), str(self.log), plan]
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUNNER, str(every), str(root / "results"), *self.fake],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def lines(self, what: str = "") -> list[Line]:
        if not self.log.exists():
            return []
        split = (line.split(" ", 2) for line in self.log.read_text().splitlines())
        return [Line(float(at), int(pid), output) for at, pid, output in split if output.startswith(what)]

    def wait_for(self, what: str, count: int) -> None:
        until = time.monotonic() + 120
        while len(self.lines(what)) < count:
            assert time.monotonic() < until, f"never {what} {count} times: {self.lines()}"
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.02)

    def end(self, number: int = signal.SIGTERM, *, group: bool = False) -> tuple[int, str]:
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=300)
        return self.process.returncode, output


@pytest.fixture
def trials() -> Iterator[list[Trial]]:
    begun: list[Trial] = []
    yield begun
    for each in begun:
        if each.process.poll() is None:
            each.process.kill()
        each.process.communicate()


@pytest.mark.slow
def test_days_never_overlap_and_a_skipped_one_is_said(tmp_path: Path, trials: list[Trial]) -> None:
    trial = Trial(tmp_path, "2.0,0.05", every=0.5)
    trials.append(trial)
    trial.wait_for("began", 3)
    code, output = trial.end()
    assert code == 0
    events = [line.what.split()[0] for line in trial.lines() if not line.what.startswith("got")]
    assert events == ["began", "ended"] * (len(events) // 2)
    today = datetime.now(UTC).date()
    assert output.count(f"The day {today} still runs; {today} is not started beside it.") >= 2


@pytest.mark.slow
def test_a_day_that_fails_or_is_killed_is_reported_and_the_next_runs(
    tmp_path: Path, trials: list[Trial]
) -> None:
    trial = Trial(tmp_path, "0.05:3,kill,0.05:2,0.05:7,0.05:0")
    trials.append(trial)
    trial.wait_for("began", 6)
    code, output = trial.end()
    assert code == 0
    endings = (line.partition(" The day ")[2][11:] for line in output.splitlines() if " The day " in line)
    assert [each for each in endings if not each.startswith(("begins", "still runs"))][:5] == [
        "could not be completed.",
        "was killed by SIGKILL.",
        "was refused as it was asked for.",
        "ended with the exit code 7.",
        "is done.",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_running_day_end_and_the_watch_exits_0(
    tmp_path: Path, trials: list[Trial], number: int
) -> None:
    trial = Trial(tmp_path, "60")
    trials.append(trial)
    trial.wait_for("began", 1)
    code, output = trial.end(number)
    assert code == 0
    assert [line.what for line in trial.lines()[1:]] == ["got SIGTERM", "ended"]
    assert f"{signal.Signals(number).name}; the day" in output
    assert output.splitlines()[-1].endswith("The watch has ended.")


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_reaches_the_day_once(tmp_path: Path, trials: list[Trial]) -> None:
    """A terminal signals the whole group; a second signal would make the day drop what is in flight."""
    trial = Trial(tmp_path, "60")
    trials.append(trial)
    trial.wait_for("began", 1)
    code, _ = trial.end(signal.SIGINT, group=True)
    assert code == 0
    assert [line.what for line in trial.lines()[1:]] == ["got SIGTERM", "ended"]


@pytest.mark.slow
def test_a_signal_between_days_ends_the_watch_at_once(tmp_path: Path, trials: list[Trial]) -> None:
    trial = Trial(tmp_path, "0.01", every=600)
    trials.append(trial)
    trial.wait_for("ended", 1)
    began = time.monotonic()
    code, _ = trial.end()
    assert code == 0
    assert time.monotonic() - began < 60  # the next day would begin after ten minutes


def _watch(root: Path, results: Path, plan: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """`probatio daily --every` with the stand-in for its days."""
    script = root / "stand_in.py"
    script.write_text(STAND_IN)
    main = (
        f"import probatio.watch.schedule.process as s; s.Scheduler.__init__.__kwdefaults__['command'] = "
        f"{[sys.executable, str(script), str(root / 'log'), plan]!r}; from probatio.cli import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", main, "daily", "--results", str(results), *flags],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=root,
    )


@pytest.mark.slow
def test_a_day_begins_at_its_hour(tmp_path: Path) -> None:
    at = datetime.now(UTC) + timedelta(seconds=8)
    done = _watch(
        tmp_path,
        tmp_path / "results",
        "0.01",
        "--every",
        f"{at:%H:%M:%S}",
        "--once",
        "--max-cost",
        "2",
        "--model",
        "a*,b",
    )
    assert done.returncode == 0, done.stderr
    assert f"The next day runs at {at:%Y-%m-%d %H:%M:%S} UTC." in done.stdout
    began = next(line for line in done.stdout.splitlines() if "begins" in line)
    late = datetime.fromisoformat(began[:20]) - at.replace(microsecond=0)
    assert timedelta(0) <= late <= timedelta(seconds=2)
    day = at.date().isoformat()
    words = (tmp_path / "log").read_text().splitlines()[0].split(" ", 3)[3]
    assert words == f"--model a* --model b --results {tmp_path / 'results'} --max-cost 2.0 --yes --date {day}"


@pytest.mark.slow
def test_once_gives_the_days_exit_code(tmp_path: Path) -> None:
    assert _watch(tmp_path, tmp_path / "results", "0.01:3", "--every", "00:00", "--once").returncode == 3


def _real(root: Path, double: Double, *flags: str) -> subprocess.Popen[str]:
    """`probatio daily --every` over the real `probatio daily`."""
    given = ["--suite", "suite", "--model", MODEL, "--every", "00:00", *flags]
    return subprocess.Popen(
        [*PROCESS, "daily", *given],
        cwd=root,
        env=environment(double),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.slow
def test_a_day_that_is_past_its_hour_and_not_done_runs_at_once(tmp_path: Path) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    old = tmp_path / "results" / "daily" / "2026-01-01"
    old.mkdir(parents=True)
    (old / "scores.jsonl").write_text("")
    (old / "day.json").write_text(_record(tmp_path))
    with Double(reply=gold_script()) as double:
        process = _real(tmp_path, double, "--once")
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output
        assert double.served["answer"] > 0
    today = datetime.now(UTC).date()
    assert (tmp_path / "results" / "daily" / today.isoformat() / "scores.jsonl").exists()
    assert f"The day {today} is done." in output
    assert "Not run: 2026-01-02, 2026-01-03, 2026-01-04 and " in output
    assert "A model can't be asked in retrospect, so they stay gaps." in output


@pytest.mark.slow
def test_a_real_day_stopped_by_a_signal_keeps_its_answers_and_the_next_start_completes_it(
    tmp_path: Path,
) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    folder = tmp_path / "results" / "daily" / datetime.now(UTC).date().isoformat()
    with Double(reply=gold_script(), latency=1.5) as double:
        process = _real(tmp_path, double, "--max-connections", "1")
        until = time.monotonic() + 60
        while not double.served["answer"] and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output
        assert "could not be completed." in output
        kept = (folder / "raw_responses.jsonl").read_text().count("\n")
        assert kept >= 1
        assert not (folder / "scores.jsonl").exists()
    with Double(reply=gold_script()) as double:
        process = _real(tmp_path, double, "--once")
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output
        raw = (folder / "raw_responses.jsonl").read_text().count("\n")
        assert raw == kept + double.served["answer"]
        assert (folder / "scores.jsonl").exists()


@pytest.mark.slow
def test_a_day_that_is_done_is_not_run_again_at_its_hour(tmp_path: Path, trials: list[Trial]) -> None:
    folder = tmp_path / "results" / "daily" / datetime.now(UTC).date().isoformat()
    folder.mkdir(parents=True)
    (folder / "scores.jsonl").write_text("")
    trial = Trial(tmp_path, "0.01", every=0.3)
    trials.append(trial)
    assert trial.process.stdout is not None
    while "is done already." not in trial.process.stdout.readline():
        assert trial.process.poll() is None
    trial.end()
    assert trial.lines() == []


def _record(root: Path) -> str:
    from watch.day.days import VERSION

    return (
        f'{{"date": "2026-01-01", "created": "", "suite_version": "{VERSION}", "suite_fingerprint": "", '
        f'"grader_version": "", "models": [], "sampling": {{}}, "suite": "{root / "suite"}"}}'
    )


@pytest.mark.slow
def test_a_mistake_is_told_at_the_start_and_not_at_six_in_the_morning(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROCESS, "daily", "--every", "--model", "no-such-model"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, "There is no model `no-such-model`" in done.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize(("flags", "code"), [([], 2), (["--max-month-cost", "30"], 0)])
def test_what_a_day_may_cost_is_settled_when_the_watch_starts(
    tmp_path: Path, flags: list[str], code: int
) -> None:
    small_suite(tmp_path / "suite", EXTRACTION)
    dear = {"id": MODEL, "name": "v/m", "cost_per_1m_input": 900.0, "cost_per_1m_output": 900.0}
    (tmp_path / "models.yml").write_text(json.dumps({"models": [dear]}))
    words = ["daily", "--once", "--every", "00:00", "--suite", "suite", "--config", "models.yml", *flags]
    with Double(reply=gold_script(EXTRACTION), cost=0.01) as double:
        done = subprocess.run(
            [*PROCESS, *words],
            env=environment(double),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert bool(double.served) == (code == 0)
    assert done.returncode == code, done.stderr
    if code:
        assert "This day, at full count, is expected to cost about $" in done.stderr
        assert "--yes" in done.stderr


async def test_a_day_of_more_than_a_day_is_followed_by_the_one_whose_hour_it_took(tmp_path: Path) -> None:
    """An injected clock: the first day begins on the 1st at 23:00 and ends on the 2nd at 07:00, past the
    hour."""
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    log = tmp_path / "log"
    output: list[str] = []

    def clock() -> datetime:
        begun = log.read_text().count("ended") if log.exists() else 0
        return [datetime(2026, 3, 1, 23, tzinfo=UTC), datetime(2026, 3, 2, 7, tzinfo=UTC)][min(begun, 1)]

    fake = [sys.executable, str(script), str(log), "0.01"]
    scheduler = Scheduler(
        tmp_path, hour(6), timedelta(), (), output.append, command=fake, clock=clock, once=True
    )
    assert await scheduler.run() == 0
    days = [line.split()[-1] for line in log.read_text().splitlines() if "began" in line]
    assert days == ["2026-03-01", "2026-03-02"]


async def test_a_command_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    output: list[str] = []
    scheduler = Scheduler(
        tmp_path, hour(0), timedelta(), (), output.append, command=[str(tmp_path / "nothing")], once=True
    )
    assert await scheduler.run() == 3
    assert any("could not be started: No such file or directory." in line for line in output)


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "closed", "due"),
    [
        (NOON, False, True),
        (NOON - timedelta(seconds=1), False, False),
        (NOON + timedelta(hours=11, minutes=59), False, True),
        (NOON + timedelta(hours=12), False, False),  # the next day, and its hour is not yet
        (NOON, True, False),
    ],
)
def test_a_day_is_due_from_its_hour_to_midnight_while_it_is_not_closed(
    now: datetime, closed: bool, due: bool
) -> None:
    assert is_due(now, hour(12), closed) is due


def test_missed_days_lie_between_the_last_closed_one_and_today(tmp_path: Path) -> None:
    assert find_missed_days(list_closed_days(tmp_path), date(2026, 3, 5)) == []
    for day, closed in (("2026-02-27", True), ("2026-03-01", False), ("2026-03-05", True)):
        folder = tmp_path / "daily" / day
        folder.mkdir(parents=True)
        if closed:
            (folder / "scores.jsonl").write_text("")
    missed = [day.isoformat() for day in find_missed_days(list_closed_days(tmp_path), date(2026, 3, 5))]
    assert missed == ["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"]
    assert find_missed_days(list_closed_days(tmp_path), date(2026, 3, 6)) == []


def test_hours_are_read_or_refused_in_a_sentence() -> None:
    assert (parse_hour("06:00"), parse_hour("23:59:30")) == (hour(6), hour(23, 59, 30))
    for wrong in ("6", "6:00", "24:00", "06:60", "06:00+02:00", "noon"):
        with pytest.raises(UsageError, match="such as 06:00"):
            parse_hour(wrong)


def test_a_jitter_over_midnight_is_refused() -> None:
    require_one_date(hour(23, 30), timedelta(minutes=29))
    with pytest.raises(UsageError, match="after midnight"):
        require_one_date(hour(23, 30), timedelta(minutes=30))


def test_a_start_stays_within_the_jitter_and_comes_once_a_day() -> None:
    chances = random.Random(0)
    now, starts = datetime(2026, 3, 1, tzinfo=UTC), []
    for _ in range(50):
        starts.append(find_next_start(now, hour(6), timedelta(minutes=15), chances.random()))
        now = starts[-1]
    assert [start.date() for start in starts] == [
        date(2026, 3, 1) + timedelta(days=number) for number in range(50)
    ]
    assert all(hour(6) <= start.time() <= hour(6, 15) for start in starts)
    assert len({start.time() for start in starts}) > 10


@pytest.mark.parametrize(
    ("now", "start"),
    [
        (NOON - timedelta(seconds=1), NOON),
        (NOON, NOON + timedelta(days=1)),  # this one has just begun
        (
            NOON + timedelta(days=3, hours=11),
            NOON + timedelta(days=4),
        ),  # a machine that slept makes up for one day, not four
    ],
)
def test_the_next_start_is_the_next_hour_after_now(now: datetime, start: datetime) -> None:
    assert find_next_start(now, hour(12), timedelta(), 0.5) == start


async def test_a_machine_that_slept_past_the_hour_runs_that_day_once_when_it_wakes(tmp_path: Path) -> None:
    """An injected clock: at the second look it is two days later, past the hour, and nothing had been run
    between."""
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    log = tmp_path / "log"
    sentences: list[str] = []
    looks = 0

    def clock() -> datetime:
        nonlocal looks
        looks += 1
        return datetime(2026, 3, 1, 5, tzinfo=UTC) if looks < 10 else datetime(2026, 3, 3, 7, tzinfo=UTC)

    fake = [sys.executable, str(script), str(log), "0.01"]
    scheduler = Scheduler(
        tmp_path, hour(6), timedelta(), (), sentences.append, command=fake, clock=clock, once=True, look=0.02
    )
    assert await scheduler.run() == 0
    days = [line.split()[-1] for line in log.read_text().splitlines() if "began" in line]
    assert days == ["2026-03-03"]
    assert "The next day runs at 2026-03-01 06:00:00 UTC." in sentences[0]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--model", "a", "--model", "b", "--use-case", "math_*"],
        ["--config", "c.yml", "--results", "r", "--max-cost", "2.5", "--max-connections", "3"],
        ["--suite", "s", "--sandbox", "none", "--json", "--verbose"],
        ["--max-wait", "15m", "--yes"],
        ["--max-month-cost", "9.5", "--heartbeat", "https://hc-ping.com/x", "--no-route-check"],
    ],
)
def test_what_a_day_understands_is_handed_on_as_it_was_given(words: list[str]) -> None:
    with daily.make_context("daily", ["--every", "05:00", "--jitter", "1m", "--once", *words]) as ctx:
        handed = list_given(ctx)
    with daily.make_context("daily", [*handed]) as again, daily.make_context("daily", [*words]) as direct:
        assert again.params == direct.params


def test_the_day_runs_this_installation_whatever_lies_in_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "probatio.py").write_text("raise SystemExit(9)")
    done = subprocess.run(
        [*DAILY_COMMAND, "--help"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Run the daily suite" in done.stdout) == (0, True)
