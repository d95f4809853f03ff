"""A daily suite proven: its proofs are graded as a day would grade them, and what keeps a watch from ringing is named."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from probatio.authoring.daily_report import (
    COOKED,
    COPIED,
    GOLD,
    GRADER,
    HOSTILE,
    JAILED,
    JUDGE,
    PINNED,
    ROOM,
    UNIQUE,
    WRONG,
    DailyReport,
    UseCaseRow,
)
from probatio.authoring.proving import Watch
from probatio.authoring.report import NOT_TRIED, Proof, State
from probatio.builtin.daily.graders import daily_fingerprint, require_graders, starts_processes
from probatio.day.grading import Grading
from probatio.errors import UsageError
from probatio.judge.calibration import calibration_set
from probatio.records import UNASKED_ERRORS, Assessment, Response
from probatio.sandbox import Choice, isolation
from probatio.suite.daily_proofs import FILE, DailyProof, read_proofs
from probatio.suite.daily_suite import DAILY, MANIFEST, DailySuite, UseCase, constants_of_its_own, read_daily
from probatio.suite.grader_entry import OwnGrader

NEAR = 1e-6
"""Grades are kept with six digits."""
CHARACTERS_PER_TOKEN = 3.0
FEWEST_CASES = 3
_ORDER: tuple[State, ...] = ("failed", "warning", "open", "proven")
_CLAIM_OF = {"ids": UNIQUE, "cooked": COOKED}


def daily_folder(which: Path) -> Path | None:
    """The folder of a daily suite, by its place or as `daily`, the built-in one; None where it is none."""
    if (which / MANIFEST).exists():
        return which
    return DAILY if str(which) == DAILY.name and not which.exists() else None


def check(folder: Path, choice: Choice, watch: Watch) -> DailyReport:
    """The report on a daily suite. Raises UsageError where it can't be read."""
    began = time.monotonic()
    suite, faults = read_daily(folder)
    require_graders(suite)
    if any(map(starts_processes, suite.use_cases.values())):
        isolation(choice)  # refuses here where no jail can be built
    found = [Proof("the suite", _CLAIM_OF[fault.claim], "failed", fault.sentence) for fault in faults]
    found += [
        Proof("the suite", claim, "proven") for key, claim in _CLAIM_OF.items() if key not in {f.claim for f in faults}
    ]
    proofs = {use_case.id: read_proofs(suite, use_case) for use_case in suite.use_cases.values()}
    fingerprint = daily_fingerprint(suite)
    found += [*_judge(suite), *_pinned(suite, fingerprint)]
    if not any(fault.claim == "ids" for fault in faults):
        found += asyncio.run(_graded(suite, proofs, choice, watch))
    return DailyReport(
        suite=suite.manifest.name,
        version=suite.version,
        fingerprint=fingerprint,
        proofs=tuple(sorted(found, key=lambda proof: _ORDER.index(proof.state))),
        use_cases=tuple(_row(use_case, proofs[use_case.id]) for use_case in suite.use_cases.values()),
        own_constants=constants_of_its_own(folder),
        missing=tuple(_missing(suite, proofs)),
        seconds=time.monotonic() - began,
    )


def _judge(suite: DailySuite) -> Iterator[Proof]:
    """One claim for the whole set, where a use case needs the judge."""
    if all(use_case.rubric is None for use_case in suite.use_cases.values()):
        return
    try:
        items = calibration_set(suite)
    except UsageError as error:
        yield Proof("the judge", JUDGE, "failed", str(error))
        return
    judged = {item.use_case for item in items}
    for use_case in suite.use_cases.values():
        if use_case.rubric is not None:
            there = use_case.id in judged
            told = "" if there else "no answer of this use case is in calibration.yml, so its marks are not watched."
            yield Proof(f"use case {use_case.id}", JUDGE, "proven" if there else "failed", told)


def _pinned(suite: DailySuite, fingerprint: str) -> Iterator[Proof]:
    pinned = suite.manifest.fingerprint
    if pinned is not None:
        told = (
            ""
            if pinned == fingerprint
            else f"{MANIFEST} says {pinned}, it is {fingerprint}; raise the version and set it."
        )
        yield Proof("the suite", PINNED, "failed" if told else "proven", told)


async def _graded(
    suite: DailySuite, proofs: dict[str, tuple[DailyProof, ...]], choice: Choice, watch: Watch
) -> list[Proof]:
    grading = Grading(suite, choice)
    checked = [use_case for use_case in suite.use_cases.values() if use_case.grading != "judge"]
    total = sum(len(proofs[use_case.id]) + len(use_case.cases) for use_case in checked)
    done = 0

    async def assessed(case: str, answer: str) -> Assessment:
        nonlocal done
        response = Response(
            timestamp="", run_id="", framework_version="", task_id=case, model="", n_shot=0, context="", response=answer
        )
        found = await grading.grade(response)
        done += 1
        watch(done, total)
        return found

    async def of_use_case(use_case: UseCase) -> list[Proof]:
        """The first answer alone: where the grader can't be used, the rest would only wait for the same."""
        given = proofs[use_case.id]
        first, *others = [*_trials(use_case, given)]
        opening = await assessed(first.case, first.answer)
        found = [*_remarks(use_case, given)]
        if why := _fault(opening):
            found.append(Proof(f"use case {use_case.id}", GRADER, "failed", why))
            return [*found, *(Proof(_subject(each), _claim(each), "open", NOT_TRIED) for each in (first, *others))]
        rest = await asyncio.gather(*(assessed(each.case, each.answer) for each in others))
        found.append(Proof(f"use case {use_case.id}", GRADER, "proven"))
        return [*found, *map(_judged, (first, *others), (opening, *rest))]

    try:
        found = await asyncio.gather(*map(of_use_case, checked))
    finally:
        grading.close()
        watch(total, total)
    return [proof for group in found for proof in group]


def _trials(use_case: UseCase, proofs: Sequence[DailyProof]) -> Iterator[DailyProof]:
    """Every proof, gold first, and for each case its own question as an answer."""
    yield from sorted(proofs, key=lambda proof: proof.kind != "gold")
    for case in use_case.cases:
        yield DailyProof(case.id, "hostile", case.prompt, why=COPIED)


def _judged(proof: DailyProof, found: Assessment) -> Proof:
    subject, claim = _subject(proof), _claim(proof)
    if why := _fault(found):
        return Proof(subject, claim, "failed", why, unchecked=True)
    score, (low, high) = found.breakdown.get("checked") or 0.0, proof.bounds
    told = f"“{proof.why}”" if proof.why and claim != COPIED else f"a {proof.kind} answer"
    free = proof.score is None and (proof.kind == "wrong" or proof.at_least is proof.at_most is None)
    if proof.kind != "gold" and free and score >= 1:
        return Proof(subject, claim, "failed", "" if claim == COPIED else f"{told} gets full marks.")
    if low - NEAR <= score <= high + NEAR:
        return Proof(subject, claim, "proven")
    wanted = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    note = found.breakdown.get("note")
    lost = [
        f"{part['name']}: {part['score']:g} ({part['detail']})"
        for part in found.breakdown.get("parts", ())
        if part["score"] < 1
    ]
    detail = "\n".join([f"{told} gets {score:g}, its proof says {wanted}.", *([note] if note else []), *lost[:5]])
    return Proof(subject, claim, "failed", detail)


def _fault(found: Assessment) -> str | None:
    return f"{found.error_detail}." if found.error_type in UNASKED_ERRORS else None


def _subject(proof: DailyProof) -> str:
    return f"case {proof.case}"


def _claim(proof: DailyProof) -> str:
    if proof.kind == "gold":
        return GOLD
    return COPIED if proof.why == COPIED else HOSTILE if proof.hostile else WRONG


def _remarks(use_case: UseCase, proofs: Sequence[DailyProof]) -> Iterator[Proof]:
    """What can be said without grading: cases without gold, wrong proofs that allow full marks, gold that is too long."""
    golds = {proof.case: proof for proof in proofs if proof.kind == "gold"}
    for case in use_case.cases:
        if case.id not in golds:
            yield Proof(f"case {case.id}", GOLD, "failed", f"there is none; write one into {use_case.id}/{FILE}.")
        elif (tokens := len(golds[case.id].answer) / CHARACTERS_PER_TOKEN) > use_case.max_tokens:
            told = f"it has about {tokens:.0f} tokens, max_tokens is {use_case.max_tokens}."
            yield Proof(f"case {case.id}", ROOM, "warning", told)
    for proof in proofs:
        if proof.kind == "wrong" and proof.score is not None and proof.score >= 1:
            yield Proof(
                _subject(proof), WRONG, "failed", f"“{proof.why}” is called wrong, and its proof allows full marks."
            )
    if isinstance(use_case.grader, OwnGrader) and use_case.grader.says.isolation == "none":
        yield Proof(f"use case {use_case.id}", JAILED, "warning", "isolation: none. It can do all that you can.")


def _missing(suite: DailySuite, proofs: dict[str, tuple[DailyProof, ...]]) -> Iterator[str]:
    for use_case in suite.use_cases.values():
        if len(use_case.cases) < FEWEST_CASES:
            yield f"{use_case.id}: {len(use_case.cases)} cases; with fewer than {FEWEST_CASES} one slip is a fall."
        if use_case.grading == "judge":
            continue
        kinds = Counter("hostile" if proof.hostile else proof.kind for proof in proofs[use_case.id])
        lacks = [kind for kind in ("wrong", "hostile") if not kinds[kind]]
        if lacks:
            yield f"{use_case.id}: no {' and no '.join(lacks)} answer tries its grader."


def _row(use_case: UseCase, proofs: Sequence[DailyProof]) -> UseCaseRow:
    kinds = Counter("hostile" if proof.hostile else proof.kind for proof in proofs)
    own = isinstance(use_case.grader, OwnGrader)
    code = _shown(use_case.grader) if isinstance(use_case.grader, OwnGrader) else use_case.grader or use_case.id
    by = {"deterministic": code, "hybrid": f"{code} and the judge", "judge": "the judge"}[use_case.grading]
    return UseCaseRow(
        use_case.id, use_case.grading, f"{by} (own)" if own else by, len(use_case.cases), kinds["gold"], kinds["wrong"],
        kinds["hostile"], (use_case.base_samples, use_case.full_samples), use_case.max_tokens,
    )  # fmt: skip


def _shown(grader: OwnGrader) -> str:
    return " ".join(word.replace("{folder}/", "") for word in grader.says.command if word != "{python}")
