"""Symptoms: what else was different around the day a model fell. They are shown next to the cause and are
never a cause.

Errors, latency, the length of answers and answers that reach our own limit may all come from the worse model
itself. Another file behind an embedded model's name is another model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from statistics import median

from probatio.core.records import DailyScore
from probatio.watch.verdict.cause.moves import Move
from probatio.watch.verdict.fold import Folded
from probatio.watch.verdict.rule.sampling import TRIGGERS

HOURS = frozenset(f"{hour:02}" for hour in range(24))

HOURS_APART = 3
"""Hours between two days' asking, at least, to be told: servers are busy at other times."""

MOST_TOKENS = 10**12
"""Of a use case on a day. More is a number that a server made up."""


def symptoms(move: Move) -> tuple[str, ...]:
    """What the use cases that moved show on the day they did, against their own past, as clauses."""
    onset = next(iter(move.between(move.onset, move.onset)), move.days[-1])
    before = move.between(move.onset - move.constants.rule.baseline_days, move.onset - 1)
    past = [lines for folded in before if (lines := move.lines_of(folded))]
    now = move.lines_of(onset)
    date, limits, found = onset.day.date, move.constants.attribution, []
    files = [folded.day.record.embedded.get(move.model, {}).get("sha256") for folded in (*before[-1:], onset)]
    if len(files) == 2 and all(files) and files[0] != files[1]:
        found.append(
            f"another file answers under its name since {date} ({files[0][:12]}… before, "
            f"{files[1][:12]}… now)"
        )
    if strays := sum(line.strays for line in now):
        found.append(f"{strays} samples came from another provider on {date}, and were left out")
    if not now or len(past) < move.constants.rule.baseline_min:
        return tuple(found)
    cut = "were cut off below our own limit" if any(line.cut for line in now) else "ran into our own limit"
    for name, field, share in (
        ("samples errored", "errored", limits.error_share),
        (f"answers {cut}", "truncated", limits.truncated_share),
    ):
        usual, today = median(_share(lines, field) for lines in past), _share(now, field)
        if today - usual >= share:
            found.append(f"{100 * today:.0f} % of its {name} on {date}, usually {100 * usual:.0f} %")
    for what, measure, factor in (
        ("it took", attrgetter("latency_ms"), limits.latency_factor),
        ("its answers were", _length, limits.tokens_factor),
    ):
        times = _times(now, past, measure, factor, limits.jump_mads)
        if times is not None:
            found.append(f"{what} {times:.1f} times as long as usual on {date}")
    if moved := _describe_hours(move, before, onset):
        found.append(moved)
    return tuple(found)


def find_hour(lines: Iterable[DailyScore]) -> int | None:
    """The hour in UTC in which most samples were answered."""
    hours: Counter[int] = Counter()
    for line in lines:
        hours.update({int(hour): count for hour, count in line.hours.items() if hour in HOURS})
    return hours.most_common(1)[0][0] if hours else None


def measure_jump(today: float, past: Sequence[float], factor: float, mads: float) -> float | None:
    """How many times its usual value a positive number is, if that is a jump: beyond the factor, up or down,
    and far outside the scatter of the days before. Median and absolute deviation are used, so that one bad
    day in the past hides nothing."""
    usual = median(past)
    if usual <= 0 or today < 0:
        return None
    scatter = median(abs(value - usual) for value in past)
    times = today / usual
    return (
        times if (times >= factor or times <= 1 / factor) and abs(today - usual) >= mads * scatter else None
    )


def count_answers(line: DailyScore) -> int:
    """How many answers the tokens and the cost of a line are of. Where no server is named: those in its
    scores."""
    named = max(sum(line.providers.values()), sum(line.resolved_models.values()))
    return named or _count_scored(line)


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
        times = measure_jump(today, earlier, factor, mads) if today is not None and earlier else None
        if times is not None:
            jumps.append(times)
    return median(jumps) if jumps and 2 * len(jumps) >= len(now) else None


def _describe_hours(move: Move, before: Sequence[Folded], onset: Folded) -> str | None:
    """The clause about an hour that is far from those of all the days before. A day whose date was set, or
    that was imported, has no hour of its own."""
    hours = {
        folded.day.date: hour
        for folded in (*before, onset)
        if not (folded.day.record.replayed or folded.day.record.imported)
        and (hour := find_hour(move.lines_of(folded))) is not None
    }
    now = hours.pop(onset.day.date, None)
    if now is None or len(hours) < move.constants.rule.baseline_min:
        return None
    if any(min((now - hour) % 24, (hour - now) % 24) < HOURS_APART for hour in hours.values()):
        return None
    usual = Counter(hours.values()).most_common(1)[0][0]
    return (
        f"it was asked at about {usual:02}:00 UTC until {max(hours)}, at about {now:02}:00 on "
        f"{onset.day.date}"
    )


def _length(line: DailyScore) -> float | None:
    """Tokens written per token read. The prompts are the same every day, so a day at full count compares with
    one at base. None if a server's count is impossible."""
    believable = 0 < line.tokens_in <= MOST_TOKENS and 0 <= line.tokens_out <= MOST_TOKENS
    return line.tokens_out / line.tokens_in if believable else None


def _share(lines: Sequence[DailyScore], field: str) -> float:
    """What share of all samples a field counts."""
    samples = sum(line.errored + _count_scored(line) for line in lines)
    counted: int = sum(map(attrgetter(field), lines))
    return counted / max(samples, 1)


def _count_scored(line: DailyScore) -> int:
    """A use case that began at full count includes its base samples; a re-run does not."""
    began_full = not line.full_power or line.trigger in TRIGGERS
    return max(line.n, line.base_n) if began_full else line.n + line.base_n
