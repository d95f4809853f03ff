"""The answers of recorded days as numbers."""

from __future__ import annotations

from typing import Any

import msgspec

from probatio.core.records import Constants, DailyScore, Day, EvidenceConstants
from probatio.watch.verdict.answers import AnswerNumbers
from probatio.watch.verdict.days import Days
from probatio.watch.verdict.evidence.answered_days import NONE, units_of
from probatio.watch.verdict.evidence.streams import streams_of
from probatio.watch.verdict.fold import fold
from probatio.watch.verdict.rule.sampling import EVIDENCE
from watch.verdict.made_up import CONSTANTS, line, made_up_day, record

STREAMS = streams_of({"a": ["l", "y"], "j": None}, {"l": 14})
UNITS = units_of(STREAMS, EvidenceConstants(), {"j": ["t"]}, {"j": 2})


def numbers(*lines: DailyScore) -> list[list[int]]:
    read = AnswerNumbers({"m": 0}, UNITS)
    days = [Day(record("2026-01-01", ["m"]), (each,)) for each in lines]
    return [read.read(day).codes[0].tolist() for day in days]


def of(use_case: str, answers: dict[str, Any], **more: Any) -> DailyScore:
    grading = "judge" if use_case == "j" else "deterministic"
    return line("2026-01-01", "m", use_case, 50.0, grading=grading, answers=answers, **more)


def test_a_ladder_is_known_by_its_score_and_anything_else_by_its_text() -> None:
    days = [
        of("a", {"l": (("t1", 0.5),), "y": (("t1", 1.0),)}),
        of("a", {"l": (("t2", 0.5),), "y": (("t2", 1.0),)}),
        of("a", {"l": (("t1", 0.6),), "y": (("t1", 0.0),)}),
    ]
    assert numbers(*days) == [[0, 0, NONE, NONE], [0, 1, NONE, NONE], [1, 0, NONE, NONE]]


def test_samples_of_a_judged_case_share_their_numbers() -> None:
    days = [of("j", {"t": (("x", 0.8), ("y", 0.6))}), of("j", {"t": (("y", 0.7), ("x", 0.8))})]
    assert numbers(*days) == [[NONE, NONE, 0, 1], [NONE, NONE, 1, 0]]


def test_of_an_older_record_ladders_are_known_unless_their_scores_are_means() -> None:
    cases = {"l": 0.5, "y": 1.0}
    assert numbers(
        of("a", {}, cases=cases), of("a", {}, cases=cases), of("a", {}, cases=cases, trigger=EVIDENCE)
    ) == [[0, NONE, NONE, NONE], [0, NONE, NONE, NONE], [NONE] * 4]


def test_the_rungs_of_the_constants_reach_the_evidence() -> None:
    """Built-in ladders are asked for a proof; without rungs and texts nothing is."""
    days = Days([made_up_day(n, {"m": {"a": 80.0 + n % 3, "b": 90.0 - n % 2}}) for n in range(30)])
    cases = [f"{use_case}_{n}" for use_case in "ab" for n in range(5)]

    def is_asked(constants: Constants) -> bool:
        *_, last = fold(days, constants)
        return bool(last.state.question.provable.any())

    ladders = msgspec.structs.replace(CONSTANTS, rungs=tuple((case, 14) for case in cases))
    assert (is_asked(ladders), is_asked(CONSTANTS)) == (True, False)
