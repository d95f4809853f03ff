"""The records of the check of a daily suite: claims, use cases, constants of its own, and all of it as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from probatio.authoring.report import Proof, counted, found_lines, table
from probatio.suite.own_manifest import OwnConstant

GRADER = "the grader can be used"
GOLD = "the gold answer gets full marks"
WRONG = "wrong answers get what their proof says"
HOSTILE = "hostile answers get what their proof says"
COPIED = "copying the question earns no full marks"
UNIQUE = "ids are unique"
COOKED = "a model can be COOKED"
JUDGE = "the judge has its calibration set"
ROOM = "the gold answer fits into max_tokens"
JAILED = "the grader runs in the jail"
PINNED = "the fingerprint is the pinned one"

NOT_SO: Mapping[str, str] = {
    GRADER: "the grader can't be used",
    GOLD: "the gold answer does not get full marks",
    WRONG: "a wrong answer does not get what its proof says",
    HOSTILE: "a hostile answer does not get what its proof says",
    COPIED: "an answer that copies the question gets full marks",
    UNIQUE: "ids are not unique",
    COOKED: "no model could ever be COOKED",
    JUDGE: "the judge can't be calibrated",
    ROOM: "the gold answer may not fit into max_tokens",
    JAILED: "the grader runs outside the jail",
    PINNED: "the fingerprint is not the pinned one",
}
"""Every claim, and what is said where it is not so."""


class UseCaseRow(msgspec.Struct, frozen=True):
    """A use case as the report lists it."""

    id: str
    grading: str
    grader: str
    cases: int
    gold: int
    wrong: int
    hostile: int
    samples: tuple[int, int]
    max_tokens: int


class DailyReport(msgspec.Struct, frozen=True):
    """All that a check of a daily suite found."""

    suite: str
    version: str
    fingerprint: str
    proofs: tuple[Proof, ...]
    use_cases: tuple[UseCaseRow, ...]
    own_constants: tuple[OwnConstant, ...]
    missing: tuple[str, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        return all(proof.state != "failed" for proof in self.proofs)


def lines(report: DailyReport) -> Iterator[str]:
    """The report as a person reads it."""
    yield from found_lines(report.proofs, NOT_SO)
    heads = ("USE CASE", "GRADED BY", "CASES", "GOLD", "WRONG", "HOSTILE", "SAMPLES", "MAX_TOKENS")
    yield from table([heads, *map(_row, report.use_cases)])
    yield ""
    if report.own_constants:
        yield "Constants of its own (all others are the built-in suite's):"
        yield from (f"  {each.key}: {each.value} (built-in: {each.built_in})" for each in report.own_constants)
    else:
        yield "Constants: all are the built-in suite's."
    if report.missing:
        yield "Missing:"
        yield from (f"  {sentence}" for sentence in report.missing)
    yield ""
    yield summary(report)


def summary(report: DailyReport) -> str:
    """`my-watch 0.1.0: 22 proofs hold (1.2 s).`"""
    return f"{report.suite} {report.version}: {counted(report.proofs)} ({report.seconds:.1f} s)."


def _row(row: UseCaseRow) -> tuple[str, ...]:
    base, full = row.samples
    counts = (row.cases, row.gold, row.wrong, row.hostile)
    return (row.id, row.grader, *(str(count or "·") for count in counts), f"{base}, {full}", str(row.max_tokens))
