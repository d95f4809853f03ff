"""The records of a check: claims, what was found about each, and the report as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Literal, Self, get_args

import msgspec

from probatio.authoring.check.coverage import Coverage
from probatio.core.text.columns import align_columns
from probatio.suites.inference import Shown
from probatio.suites.own_manifest import OwnConstant

ProofState = Literal["failed", "warning", "open", "proven"]
"""The worst first. `open`: there is nothing to prove it with, or it was not tried."""


class Claim(StrEnum):
    """What a suite says of itself, in the order of the report; with the words for the opposite."""

    opposite: str

    def __new__(cls, words: str, opposite: str) -> Self:
        claim = str.__new__(cls, words)
        claim._value_, claim.opposite = words, opposite
        return claim

    TOOLCHAIN = "the toolchain can be used", "the toolchain can't be used"
    SOLUTION = "the solution is right", "the solution is not right"
    MATERIAL = "the material prints what is expected", "the material does not print what is expected"
    BROKEN = (
        "the material fails as its diagnostics say",
        "the material does not fail as its diagnostics say",
    )
    EXAMPLE = "the example prints its output", "the example does not print its output"
    FAILS = "wrong answers fail", "a wrong answer passes"
    IN_CONTEXT = "programs in contexts pass the check", "a program does not pass the check"
    STATED = "programs in contexts print what is stated", "a program does not print what is stated"
    PROMPTS = "the prompts can be made", "a prompt can't be made"
    TOKENS = "contexts are within their tokens", "it has too many tokens"
    GROWING = "each context says more than the one before", "it says no more than the one before"
    GRADER = "the grader can be used", "the grader can't be used"
    GOLD = "the gold answer gets full marks", "the gold answer does not get full marks"
    WRONG = "wrong answers get what their proof says", "a wrong answer does not get what its proof says"
    HOSTILE = "hostile answers get what their proof says", "a hostile answer does not get what its proof says"
    COPIED = "copying the question earns no full marks", "an answer that copies the question gets full marks"
    UNIQUE = "ids are unique", "ids are not unique"
    COOKED = "a model can be COOKED", "no model could ever be COOKED"
    JUDGE = "the judge has its calibration set", "the judge can't be calibrated"
    MARKS = "the judge marks as strictly as its calibration set says", "the judge's marks have shifted"
    ROOM = "the gold answer fits into max_tokens", "the gold answer may not fit into max_tokens"
    JAILED = "the grader runs in the jail", "the grader runs outside the jail"
    PINNED = "the fingerprint is the pinned one", "the fingerprint is not the pinned one"
    SECRET = "no prompt shows a solution", "a prompt shows the solution"
    RULES = "each rule has tasks", "no task names it"
    TWISTED = "tasks and examples hold under the twists", "it does not hold"


NOT_TRIED = "not tried"

_HEADINGS: dict[ProofState, str] = {"failed": "FAILED", "warning": "Warnings", "open": "Not proven"}
_INDENT = "    "
_MOST_LACKING = 6
_MOST_ALIKE = 3


class Proof(msgspec.Struct, frozen=True):
    """What was found about one claim."""

    subject: str
    """A task, an example, a context or the folder."""
    claim: Claim
    state: ProofState
    detail: str = ""
    unchecked: bool = False
    """Whether the toolchain failed, so that nothing is known about the claim."""


class CheckReport(msgspec.Struct, frozen=True):
    """All that a check of a folder found."""

    suite: str
    language: str
    version: str | None
    fingerprint: str
    tokens: dict[str, int]
    """Estimated tokens of each context."""
    proofs: tuple[Proof, ...]
    coverage: Coverage
    seconds: float
    told: dict[str, Shown] = {}
    """Per context, how many tasks find in it all that they need."""

    @property
    def passed(self) -> bool:
        return all(proof.state != "failed" for proof in self.proofs)


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


def conclude(subject: str, claim: Claim, fault: str | None, state: ProofState = "failed") -> Proof:
    """The claim is proven where nothing is at fault."""
    return Proof(subject, claim, state if fault else "proven", fault or "")


def sort_proofs(proofs: Iterable[Proof]) -> tuple[Proof, ...]:
    """The worst first."""
    return tuple(sorted(proofs, key=lambda proof: get_args(ProofState).index(proof.state)))


def summarise(report: CheckReport | DailyReport) -> str:
    """`mini 1.0.0 (Mini): 95 proofs hold; 2 FAILED; 1 warning; 3 not proven (2.1 s).`"""
    counts = Counter(proof.state for proof in report.proofs)
    parts = [_count_things(counts["proven"], "proof holds", "proofs hold")]
    if failed := counts["failed"]:
        parts.append(f"{failed} FAILED")
    if warnings := counts["warning"]:
        parts.append(_count_things(warnings, "warning", "warnings"))
    if unproven := counts["open"]:
        parts.append(f"{unproven} not proven")
    version = f" {report.version}" if report.version else ""
    language = f" ({report.language})" if isinstance(report, CheckReport) else ""
    return f"{report.suite}{version}{language}: {'; '.join(parts)} ({report.seconds:.1f} s)."


def format_report(report: CheckReport | DailyReport) -> Iterator[str]:
    """The report as lines of text: failures first, then what was proven, what is missing, and the summary."""
    for state, heading in _HEADINGS.items():
        found = [proof for proof in report.proofs if proof.state == state]
        if found:
            yield f"{heading}:"
            for proof in _join_open(found):
                if proof.detail != NOT_TRIED:
                    yield from _format_proof(proof)
            if untried := sum(proof.detail == NOT_TRIED for proof in found):
                yield f"  {_count_things(untried, 'claim was', 'claims were')} left untried."
            yield ""
    yield from align_columns(_count_claims(report.proofs))
    yield ""
    if isinstance(report, CheckReport):
        yield from _format_contents(report)
        missing = report.coverage.missing
    else:
        yield from _format_use_cases(report)
        missing = report.missing
    if missing:
        yield "Missing:"
        yield from (f"  {sentence}" for sentence in missing)
    yield ""
    yield summarise(report)


def _join_open(proofs: Sequence[Proof]) -> Iterator[Proof]:
    """The proofs, with one in place of many that lack the same."""
    same = Counter((proof.claim, proof.detail) for proof in proofs if proof.state == "open")
    told = set()
    for proof in proofs:
        key = proof.claim, proof.detail
        count = same[key]
        if count <= _MOST_ALIKE or proof.detail == NOT_TRIED:
            yield proof
        elif key not in told:
            told.add(key)
            yield msgspec.structs.replace(proof, subject=f"{proof.subject} and {count - 1} more")


def _format_proof(proof: Proof) -> Iterator[str]:
    first, *more = proof.detail.splitlines() or [""]
    known = proof.state != "open" and not proof.unchecked
    said = f" {proof.claim.opposite}{':' if first else '.'}" if known else ""
    yield f"  {proof.subject}:{said} {first}".rstrip()
    yield from (f"{_INDENT}{line}" for line in more)


def _count_claims(proofs: Sequence[Proof]) -> list[tuple[str, ...]]:
    counts = Counter((proof.claim, proof.state) for proof in proofs)
    shown: list[ProofState] = ["proven", "failed", "warning", "open"]
    made = {proof.claim for proof in proofs}
    rows = [(each, *(str(counts[each, state] or "·") for state in shown)) for each in Claim if each in made]
    return [("CLAIM", "PROVEN", "FAILED", "WARNING", "NOT PROVEN"), *rows]


def _format_contents(report: CheckReport) -> Iterator[str]:
    if report.tokens:
        yield "Contexts, in tokens (an estimate: 3.5 characters each):"
        yield "  " + " · ".join(f"{name} {tokens}" for name, tokens in report.tokens.items())
        yield ""
    if report.told:
        yield (
            "What tasks need of the language, and contexts show without examples "
            "(the others ask for inference):"
        )
        for context, shown in report.told.items():
            lacking = [f"{name} {count}" for name, count in list(shown.lacking.items())[:_MOST_LACKING]]
            most = f"; lacking most: {', '.join(lacking)}" if lacking else ""
            yield f"  {context}: {shown.shown} of {shown.tasks} tasks{most}"
        yield ""
    yield f"Tasks: {report.coverage.tasks}"
    yield from align_columns(report.coverage.rows())


def _format_use_cases(report: DailyReport) -> Iterator[str]:
    heads = ("USE CASE", "GRADED BY", "CASES", "GOLD", "WRONG", "HOSTILE", "SAMPLES", "MAX_TOKENS")
    rows = [
        (
            row.id,
            row.grader,
            *(str(count or "·") for count in (row.cases, row.gold, row.wrong, row.hostile)),
            f"{row.samples[0]}, {row.samples[1]}",
            str(row.max_tokens),
        )
        for row in report.use_cases
    ]
    yield from align_columns([heads, *rows])
    yield ""
    if report.own_constants:
        yield "Constants of its own (all others are the built-in suite's):"
        yield from (
            f"  {each.key}: {each.value} (built-in: {each.built_in})" for each in report.own_constants
        )
    else:
        yield "Constants: all are the built-in suite's."


def _count_things(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
