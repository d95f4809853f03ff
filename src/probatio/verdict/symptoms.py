"""Symptoms: what else was different around the day a model fell. Told beside the cause, and never a cause.

Errors, latency, the length of answers and answers that run into our own limit may all be the worse model's own doing. Another
file behind an embedded model's name is another model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from probatio.records import DailyScore
from probatio.verdict.fold import Folded
from probatio.verdict.moves import Move
from probatio.verdict.sampling import TRIGGERS

MOST_TOKENS = 10**12
"""Of a use case on a day. More is a number that a server made up."""


def symptoms(move: Move) -> tuple[str, ...]:
    """What the use cases that moved show on the day they did, against their own past, as clauses."""
    onset = next(iter(move.between(move.onset, move.onset)), move.days[-1])
    before = move.between(move.onset - move.constants.rule.baseline_days, move.onset - 1)
    past = [lines for folded in before if (lines := move.moved_lines(folded))]
    now = move.moved_lines(onset)
    found = [*_other_file(move, onset, before), *_strays(now, onset)]
    if now and len(past) >= move.constants.rule.baseline_min:
        found += _shares(move, now, past, onset)
        found += _jumps(move, now, past, onset)
    return tuple(found)


def _other_file(move: Move, onset: Folded, before: Sequence[Folded]) -> Iterator[str]:
    """Another file behind an embedded model's name."""
    files = [folded.day.record.embedded.get(move.model, {}).get("sha256") for folded in (*before[-1:], onset)]
    if len(files) == 2 and all(files) and files[0] != files[1]:
        yield f"another file answers under its name since {onset.day.date} ({files[0][:12]}… before, {files[1][:12]}… now)"


def _strays(now: Sequence[DailyScore], onset: Folded) -> Iterator[str]:
    strays = sum(line.strays for line in now)
    if strays:
        yield f"{strays} samples came from another provider on {onset.day.date}, and were left out"


def _shares(
    move: Move, now: Sequence[DailyScore], past: Sequence[Sequence[DailyScore]], onset: Folded
) -> Iterator[str]:
    limits = move.constants.attribution
    cut = (
        "answers were cut off below our own limit"
        if sum(line.cut for line in now)
        else "answers ran into our own limit"
    )
    for name, measure, share in (
        ("samples errored", _errored, limits.error_share),
        (cut, _truncated, limits.truncated_share),
    ):
        usual, today = median(measure(lines) for lines in past), measure(now)
        if today - usual >= share:
            yield f"{100 * today:.0f} % of its {name} on {onset.day.date}, usually {100 * usual:.0f} %"


def _jumps(move: Move, now: Sequence[DailyScore], past: Sequence[Sequence[DailyScore]], onset: Folded) -> Iterator[str]:
    limits = move.constants.attribution
    for name, ratio, factor in (
        ("it took {times:.1f} times as long as usual on {date}", _latency, limits.latency_factor),
        ("its answers were {times:.1f} times as long as usual on {date}", _length, limits.tokens_factor),
    ):
        times = _times(now, past, ratio, factor, limits.jump_mads)
        if times is not None:
            yield name.format(times=times, date=onset.day.date)


def jumped(today: float, past: Sequence[float], factor: float, mads: float) -> float | None:
    """How many times its usual value a positive number is, where that is a jump: by the factor up or down, and far outside
    what the days before scattered. The median and its absolute deviation, so that one bad day in the past hides nothing."""
    usual = median(past)
    if usual <= 0 or today < 0:
        return None
    scatter = median(abs(value - usual) for value in past)
    times = today / usual
    return times if (times >= factor or times <= 1 / factor) and abs(today - usual) >= mads * scatter else None


def _times(
    now: Sequence[DailyScore],
    past: Sequence[Sequence[DailyScore]],
    measure: Callable[[DailyScore], float | None],
    factor: float,
    mads: float,
) -> float | None:
    """The median jump over the use cases that moved, where at least half of them jumped."""
    jumps: list[float] = []
    for line in now:
        today = measure(line)
        earlier = [
            value
            for lines in past
            for each in lines
            if each.use_case == line.use_case and (value := measure(each)) is not None
        ]
        times = jumped(today, earlier, factor, mads) if today is not None and earlier else None
        if times is not None:
            jumps.append(times)
    return median(jumps) if jumps and 2 * len(jumps) >= len(now) else None


def _latency(line: DailyScore) -> float | None:
    return line.latency_ms


def _length(line: DailyScore) -> float | None:
    """Tokens written per token read: the prompts are the same every day, so a day at full count compares with one at base. None
    where a server has counted what no day can hold."""
    believable = 0 < line.tokens_in <= MOST_TOKENS and 0 <= line.tokens_out <= MOST_TOKENS
    return line.tokens_out / line.tokens_in if believable else None


def _samples(line: DailyScore) -> int:
    """All samples of a line: a use case that began at full count has its base samples among them, a re-run has not."""
    began_full = not line.full_power or line.trigger in TRIGGERS
    return line.errored + (max(line.n, line.base_n) if began_full else line.n + line.base_n)


def _errored(lines: Sequence[DailyScore]) -> float:
    return sum(line.errored for line in lines) / max(sum(map(_samples, lines)), 1)


def _truncated(lines: Sequence[DailyScore]) -> float:
    return sum(line.truncated for line in lines) / max(sum(map(_samples, lines)), 1)
