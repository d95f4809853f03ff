"""The records of a check: what a folder claims, what was found about each claim, and all of it as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from probatio.authoring.coverage import Coverage
from probatio.suite.inference import Shown

State = Literal["proven", "failed", "warning", "open"]
"""`open`: nothing is there to prove it with, or it was not tried."""

TOOLCHAIN = "the toolchain can be used"
SOLUTION = "the solution is right"
MATERIAL = "the material prints what is expected"
BROKEN = "the material fails as its diagnostics say"
EXAMPLE = "the example prints its output"
WRONG = "wrong answers fail"
IN_CONTEXT = "programs in contexts pass the check"
PROMPTS = "the prompts can be made"
TOKENS = "contexts are within their tokens"
GROWING = "each context says more than the one before"
UNIQUE = "ids are unique"
PINNED = "the fingerprint is the pinned one"
SECRET = "no prompt shows a solution"
TWISTED = "tasks and examples hold under the twists"

NOT_SO = {
    TOOLCHAIN: "the toolchain can't be used",
    SOLUTION: "the solution is not right",
    MATERIAL: "the material does not print what is expected",
    BROKEN: "the material does not fail as its diagnostics say",
    EXAMPLE: "the example does not print its output",
    WRONG: "a wrong answer passes",
    IN_CONTEXT: "a program does not pass the check",
    PROMPTS: "a prompt can't be made",
    TOKENS: "it has too many tokens",
    GROWING: "it says no more than the one before",
    UNIQUE: "ids are not unique",
    PINNED: "the fingerprint is not the pinned one",
    SECRET: "a prompt shows the solution",
    TWISTED: "it does not hold",
}
"""Every claim, and what is said where it is not so."""

NOT_TRIED = "not tried"

_HEADINGS: tuple[tuple[State, str], ...] = (("failed", "FAILED"), ("warning", "Warnings"), ("open", "Not proven"))
_INDENT = "    "
_MOST_LACKING = 6


class Proof(msgspec.Struct, frozen=True):
    """What was found about one claim."""

    subject: str
    """A task, an example, a context or the folder."""
    claim: str
    state: State
    detail: str = ""
    unchecked: bool = False
    """Whether the toolchain failed, so that nothing is known about the claim."""


class Report(msgspec.Struct, frozen=True):
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

    def count(self, state: State) -> int:
        return sum(proof.state == state for proof in self.proofs)

    @property
    def passed(self) -> bool:
        return not self.count("failed")


def lines(report: Report) -> Iterator[str]:
    """The report as a person reads it: what failed first, then what was proven, what is missing, and the summary."""
    yield from found_lines(report.proofs, NOT_SO)
    if report.tokens:
        yield "Contexts, in tokens (an estimate: 3.5 characters each):"
        yield "  " + " · ".join(f"{name} {tokens}" for name, tokens in report.tokens.items())
        yield ""
    if report.told:
        yield "What tasks need of the language, and contexts show without examples (the others ask for inference):"
        yield from (_told_line(name, shown) for name, shown in report.told.items())
        yield ""
    yield f"Tasks: {report.coverage.tasks}"
    yield from table(report.coverage.rows())
    if report.coverage.missing:
        yield "Missing:"
        yield from (f"  {sentence}" for sentence in report.coverage.missing)
    yield ""
    yield summary(report)


def found_lines(proofs: Sequence[Proof], not_so: Mapping[str, str]) -> Iterator[str]:
    """What was found: failures, warnings and what is open, one by one, then every claim with its counts."""
    for state, heading in _HEADINGS:
        found = [proof for proof in proofs if proof.state == state]
        if found:
            yield f"{heading}:"
            for proof in found:
                if proof.detail != NOT_TRIED:
                    yield from _proof_lines(proof, not_so)
            if untried := sum(proof.detail == NOT_TRIED for proof in found):
                yield f"  {many(untried, 'claim was', 'claims were')} left untried."
            yield ""
    yield from table(_proof_rows(proofs, not_so))
    yield ""


def _told_line(context: str, shown: Shown) -> str:
    lacking = ", ".join(f"{name} {count}" for name, count in list(shown.lacking.items())[:_MOST_LACKING])
    return f"  {context}: {shown.shown} of {shown.tasks} tasks" + (f"; lacking most: {lacking}" if lacking else "")


def summary(report: Report) -> str:
    """`95 proofs hold; 2 FAILED; 1 warning; 3 not proven (2.1 s)`."""
    version = f" {report.version}" if report.version else ""
    return f"{report.suite}{version} ({report.language}): {counted(report.proofs)} ({report.seconds:.1f} s)."


def counted(proofs: Sequence[Proof]) -> str:
    """`95 proofs hold; 2 FAILED; 1 warning; 3 not proven`."""
    counts = Counter(proof.state for proof in proofs)
    parts = [many(counts["proven"], "proof holds", "proofs hold")]
    if failed := counts["failed"]:
        parts.append(f"{failed} FAILED")
    if warnings := counts["warning"]:
        parts.append(many(warnings, "warning", "warnings"))
    if unproven := counts["open"]:
        parts.append(f"{unproven} not proven")
    return "; ".join(parts)


def _proof_lines(proof: Proof, not_so: Mapping[str, str]) -> Iterator[str]:
    first, *more = proof.detail.splitlines() or [""]
    said = "" if proof.state == "open" or proof.unchecked else f" {not_so[proof.claim]}{':' if first else '.'}"
    yield f"  {proof.subject}:{said} {first}".rstrip()
    yield from (f"{_INDENT}{line}" for line in more)


def _proof_rows(proofs: Sequence[Proof], not_so: Mapping[str, str]) -> list[tuple[str, ...]]:
    counts: dict[str, Counter[str]] = {}
    for proof in proofs:
        counts.setdefault(proof.claim, Counter())[proof.state] += 1
    shown: list[State] = ["proven", "failed", "warning", "open"]
    heads = ("CLAIM", "PROVEN", "FAILED", "WARNING", "NOT PROVEN")
    rows = [(claim, *(str(counts[claim][state] or "·") for state in shown)) for claim in not_so if claim in counts]
    return [heads, *rows]


def table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns; the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  " + "  ".join(cells).rstrip()


def many(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
