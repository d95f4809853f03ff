"""What differs between two days of one model: scores, cases and other facts; and between two answers, word by
word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from probatio.core.records import DailyScore, Day
from probatio.site.facts.effort import DayEffort, measure_effort
from probatio.site.rendering import money, thousands
from probatio.watch.verdict.days import suite_of
from probatio.watch.verdict.level import collect_scores

PASSED, PASSED_AT_MOST = 0.013, 0.05
"""The share of pairs of later days of a healthy model that are further apart in a use case than any two days
of its reference of 28 days, by the simulator: where days are independent, and at most, where a failure lasts
for days. A test measures both again."""

SAME = 0.005
"""A case that moved by less than half a point did not move."""


class ScoreDiff(NamedTuple):
    """One use case on both days."""

    use_case: str
    before: float | None
    after: float | None
    usual: float | None  # how far any two days of the reference are apart

    @property
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def beyond(self) -> bool:
        return self.change is not None and self.usual is not None and abs(self.change) > self.usual


class CaseDiff(NamedTuple):
    """One case on both days: the mean credit of its samples, 0–1."""

    use_case: str
    case: str
    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before


class FactDiff(NamedTuple):
    """A fact of the records that is not a score."""

    name: str
    before: str
    after: str


class DayDiff(NamedTuple):
    """Two days of one model."""

    scores: list[ScoreDiff]
    moved: list[CaseDiff]  # the largest fall first, the largest gain last
    same: int  # cases with the same credit on both days, to half a point
    alone: int  # cases that only one of the days has
    facts: list[FactDiff]
    other_suite: bool  # or another form of it: then differences are shown, and say nothing about the model


def measure_usual_change(model: str, reference: Iterable[Day]) -> dict[str, float]:
    """Use case → how far any two days of its reference are apart. That asks nothing of how scores scatter:
    they jump by whole answers, and many days are alike."""
    scores = collect_scores(model, reference)
    return {use_case: max(each) - min(each) for use_case, each in scores.items()}


def chance_of_passing(share: float, use_cases: int) -> float:
    """The chance that some use case passes by chance alone what each passes so often."""
    return float(1 - (1 - share) ** use_cases)


def compare_days(model: str, before: Day, after: Day, usual: Mapping[str, float]) -> DayDiff:
    """Compare two days of one model. `usual`: use case → how far two of its usual days may be apart."""
    ours, theirs = before.lines.get(model, {}), after.lines.get(model, {})
    use_cases = list(dict.fromkeys([*theirs, *ours]))
    scores = [
        ScoreDiff(
            name,
            ours[name].score if name in ours else None,
            theirs[name].score if name in theirs else None,
            usual.get(name),
        )
        for name in use_cases
    ]
    both = [
        CaseDiff(name, case, old, theirs[name].cases[case])
        for name in use_cases
        if name in ours and name in theirs
        for case, old in ours[name].cases.items()
        if case in theirs[name].cases
    ]
    moved = sorted((each for each in both if abs(each.change) >= SAME), key=lambda each: each.change)
    every = {(name, case) for lines in (ours, theirs) for name, line in lines.items() for case in line.cases}
    return DayDiff(
        scores,
        moved,
        len(both) - len(moved),
        len(every) - len(both),
        list(_facts(model, before, after)),
        _asked_of(model, before) != _asked_of(model, after),
    )


def _asked_of(model: str, day: Day) -> tuple[object, ...]:
    return *suite_of(day.record), day.record.forms.get(model)


def _facts(model: str, before: Day, after: Day) -> Iterator[FactDiff]:
    """The facts that differ. Numbers that move every day are listed only if they moved by a tenth."""
    one, two = before.record, after.record
    pairs: list[tuple[str, object, object]] = [
        ("Suite", one.suite_version, two.suite_version),
        ("Content of the suite", one.suite_fingerprint[:12], two.suite_fingerprint[:12]),
        ("Form", one.forms.get(model, "whole suite"), two.forms.get(model, "whole suite")),
        ("Grader", one.grader_version, two.grader_version),
        ("Judge", one.calibration and one.calibration.judge, two.calibration and two.calibration.judge),
        ("Judge barred", _describe_bar(before), _describe_bar(after)),
    ]
    ours, theirs = list(before.lines.get(model, {}).values()), list(after.lines.get(model, {}).values())
    pairs += [(name, _list_names(map(read, ours)), _list_names(map(read, theirs))) for name, read in _NAMES]
    pairs += [
        (f"Version of {name}", one.versions.get(name), two.versions.get(name))
        for name in dict.fromkeys([*one.versions, *two.versions])
    ]
    yield from (FactDiff(name, str(a or "–"), str(b or "–")) for name, a, b in pairs if a != b)
    for name, value, shown in _NUMBERS:
        a, b = value(ours), value(theirs)
        # of whole numbers: one that a server made up may be too large for a float
        if 10 * abs(b - a) > max(a, b):
            yield FactDiff(name, shown(a), shown(b))
    efforts = measure_effort(before, model), measure_effort(after, model)
    for name, read, write in _EFFORT:
        c, d = map(read, efforts)
        if c is not None and d is not None and abs(d - c) > max(c, d) / 10:
            yield FactDiff(name, write(c), write(d))


_NAMES: tuple[tuple[str, Callable[[DailyScore], Iterable[str]]], ...] = (
    ("Served by", lambda line: line.providers),
    ("Served as", lambda line: line.resolved_models),
    ("Fingerprint of the server", lambda line: line.fingerprints),
    ("Asked on", lambda line: (line.asked_late,) if line.asked_late else ()),
)


_NUMBERS: tuple[tuple[str, Callable[[Sequence[DailyScore]], float], Callable[[float], str]], ...] = (
    ("Samples", lambda lines: sum(line.n for line in lines), thousands),
    ("Samples without an answer", lambda lines: sum(line.errored for line in lines), thousands),
    ("Answers cut off", lambda lines: sum(line.truncated for line in lines), thousands),
    ("Refusals", lambda lines: sum(line.refused for line in lines), thousands),
)

_EFFORT: tuple[tuple[str, Callable[[DayEffort], float | None], Callable[[float | None], str]], ...] = (
    ("Tokens per answer", lambda day: day.tokens, thousands),
    ("Cost per answer", lambda day: day.dollars, money),
)
"""The figures of the model's page. A day that looks low is asked more often, and its cost may be that of one
round alone, so they are given per answer."""


def _describe_bar(day: Day) -> str:
    return "yes" if day.record.calibration and day.record.calibration.barred else "no"


def _list_names(of_lines: Iterable[Iterable[str]]) -> str:
    return ", ".join(sorted({name for names in of_lines for name in names}))


COMPARED = 6_000
"""Characters of each text that are compared. The time grows with the product of the two lengths."""
ALIKE = 0.25
"""Answers that have a smaller share of the shorter one's words in common are different answers: marking
nearly all of their words would tell nothing. An answer that contains the other is always like it."""
AROUND = 120
"""Characters of a common stretch that are kept next to a difference when a text is shortened."""
LEAST_LEFT_OUT = 40
"""Fewer are shown: the words that say so would take as much."""
_WORDS = re.compile(r"\s+|\w+|[^\w\s]+")


class DiffPiece(NamedTuple):
    """A piece of a text. `own`: the other text does not have it at this place. `left_out`: so many characters
    stand here that are not shown."""

    text: str
    own: bool
    left_out: int = 0


class WordDiff(NamedTuple):
    """Both texts in pieces. Where they are not `alike`, no piece is marked."""

    before: tuple[DiffPiece, ...]
    after: tuple[DiffPiece, ...]
    alike: bool
    cut: bool  # one of them is longer than what was compared

    @property
    def same(self) -> bool:
        """No word differs, as far as they were compared."""
        return self.alike and not any(piece.own for piece in (*self.before, *self.after))


def compare_words(before: str, after: str) -> WordDiff:
    """Both texts with the words that differ marked. Joined again, the pieces are the texts, up to `COMPARED`
    characters."""
    one, two = _WORDS.findall(before[:COMPARED]), _WORDS.findall(after[:COMPARED])
    cut = max(len(before), len(after)) > COMPARED
    steps = list(_list_steps(one, two))
    common = sum(not word.isspace() for same, a, b, _, _ in steps if same for word in one[a:b])
    shorter = min(sum(not word.isspace() for word in words) for words in (one, two))
    if common < ALIKE * shorter:
        return WordDiff(_join_pieces([(one, False)]), _join_pieces([(two, False)]), alike=False, cut=cut)
    return WordDiff(
        _join_pieces([(one[a:b], not same) for same, a, b, _, _ in steps]),
        _join_pieces([(two[c:d], not same) for same, _, _, c, d in steps]),
        alike=True,
        cut=cut,
    )


def shorten_pieces(pieces: Sequence[DiffPiece], most: int, length: int = 0) -> tuple[DiffPiece, ...]:
    """Shorten a text: what differs stays, long pieces that both have lose their middle, and the end is cut
    after `most` characters. No character of what is shown is another; a piece of its own says how many are
    not. `length`: of the whole text, if the pieces are only its beginning."""
    found: list[DiffPiece] = []
    room, seen = most, 0
    for piece in _fold_pieces(pieces):
        shown = piece.text[:room]
        found += [DiffPiece(shown, piece.own, piece.left_out)] if shown or piece.left_out else []
        room -= len(shown)
        seen += len(shown) + piece.left_out
        if len(shown) < len(piece.text):
            break
    rest = max(length, sum(len(piece.text) for piece in pieces)) - seen
    return (*found, DiffPiece("", own=False, left_out=rest)) if rest else tuple(found)


def _fold_pieces(pieces: Sequence[DiffPiece]) -> Iterator[DiffPiece]:
    """Of a common piece only the ends are kept that are next to a difference."""
    for number, piece in enumerate(pieces):
        text, head = piece.text, AROUND * (number > 0)
        tail = AROUND * (number + 1 < len(pieces))
        left_out = len(text) - head - tail
        if piece.own or len(pieces) == 1 or left_out <= LEAST_LEFT_OUT:
            yield piece
        else:
            yield DiffPiece(text[:head], own=False)
            yield DiffPiece("", own=False, left_out=left_out)
            yield DiffPiece(text[len(text) - tail :], own=False)


def _list_steps(one: Sequence[str], two: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Whether both have it, and its place in both. A space between two differences belongs to them, so that
    words are marked."""
    steps = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    for number, (kind, a, b, c, d) in enumerate(steps):
        between = 0 < number < len(steps) - 1
        yield kind == "equal" and not (between and all(word.isspace() for word in one[a:b])), a, b, c, d


def _join_pieces(stretches: Sequence[tuple[Sequence[str], bool]]) -> tuple[DiffPiece, ...]:
    """As pieces; neighbours of one kind become one."""
    found: list[DiffPiece] = []
    for words, own in stretches:
        text = "".join(words)
        if found and found[-1].own == own:
            found[-1] = DiffPiece(found[-1].text + text, own)
        elif text:
            found.append(DiffPiece(text, own))
    return tuple(found)
