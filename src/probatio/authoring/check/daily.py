"""Check a daily suite: grade its proofs as a day would, and name what would keep a watch from ringing."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from probatio.authoring.check.proving import Watch
from probatio.authoring.check.report import (
    NOT_TRIED,
    Claim,
    DailyReport,
    Proof,
    UseCaseRow,
    conclude,
    sort_proofs,
)
from probatio.builtin.daily.graders import daily_fingerprint, require_graders, starts_processes
from probatio.core.errors import UsageError
from probatio.core.records import UNASKED_ERRORS, Assessment, SampleAnswer
from probatio.grading.judge.calibration import calibration_set
from probatio.grading.samples import Grading
from probatio.jail import Choice, find_isolation
from probatio.suites.calibration import find_calibrating
from probatio.suites.daily_proofs import FILE, DailyProof, read_proofs
from probatio.suites.daily_suite import DAILY, MANIFEST, DailySuite, UseCase, constants_of_its_own, read_daily
from probatio.suites.grader_entry import OwnGrader
from probatio.suites.ready_graders import READY, find_rubric

NEAR = 1e-6
"""Grades are kept with six digits."""
CHARACTERS_PER_TOKEN = 3.0
FEWEST_CASES = 3
Seen = Callable[[DailyProof, Assessment], None]
_CLAIM_OF = {"ids": Claim.UNIQUE, "cooked": Claim.COOKED}


def daily_folder(which: Path) -> Path | None:
    """The suite at this path, a folder or a file of cases, or the built-in one for `daily`; None if there is
    none."""
    if which.is_file() or (which / MANIFEST).exists():
        return which
    return DAILY if str(which) == DAILY.name and not which.exists() else None


def check(
    folder: Path, choice: Choice, watch: Watch, *, only: Sequence[str] = (), seen: Seen | None = None
) -> DailyReport:
    """The report on a daily suite. Raises UsageError if it can't be read.

    `only` names the use cases whose proofs are graded; none: all. `seen` is given each answer with its grade.
    """
    began = time.monotonic()
    suite, faults = read_daily(folder)
    require_graders(suite, choice)
    if any(map(starts_processes, suite.use_cases.values())):
        find_isolation(choice)  # refuses here where no jail can be built
    found = [Proof("the suite", _CLAIM_OF[fault.claim], "failed", fault.sentence) for fault in faults]
    sound = _CLAIM_OF.keys() - {fault.claim for fault in faults}
    found += [Proof("the suite", claim, "proven") for key, claim in _CLAIM_OF.items() if key in sound]
    proofs = {use_case.id: read_proofs(suite, use_case) for use_case in suite.use_cases.values()}
    fingerprint = daily_fingerprint(suite)
    found += _prove_judge(suite)
    if (pinned := suite.manifest.fingerprint) is not None:
        fault = f"{MANIFEST} says {pinned}, it is {fingerprint}; raise the version and set it."
        found.append(conclude("the suite", Claim.PINNED, fault if pinned != fingerprint else ""))
    if not any(fault.claim == "ids" for fault in faults):
        tried = {name: _list_trials(suite.use_cases[name], proofs[name]) for name in only or suite.use_cases}
        for use_case, grades in asyncio.run(grade_answers(suite, tried, choice, watch)).items():
            found += _prove_use_case(suite.use_cases[use_case], proofs[use_case], grades)
            for trial, grade in grades:
                if seen is not None and grade is not None:
                    seen(trial, grade)
    return DailyReport(
        suite=suite.manifest.name,
        version=suite.version,
        fingerprint=fingerprint,
        proofs=sort_proofs(found),
        use_cases=tuple(_make_row(use_case, proofs[use_case.id]) for use_case in suite.use_cases.values()),
        own_constants=constants_of_its_own(folder),
        missing=tuple(_list_missing(suite, proofs)),
        seconds=time.monotonic() - began,
    )


def _prove_judge(suite: DailySuite) -> Iterator[Proof]:
    """Claims about the calibration set, if a use case needs the judge."""
    if all(use_case.grading == "deterministic" for use_case in suite.use_cases.values()):
        return
    try:
        items = calibration_set(suite)
    except UsageError as error:
        yield Proof("the judge", Claim.JUDGE, "failed", str(error))
        return
    judged = {item.use_case for item in items}
    if find_calibrating(suite) is not suite:
        yield Proof("the judge", Claim.JUDGE, "proven")
    for use_case in suite.use_cases.values():
        if use_case.rubric is not None:
            fault = "no answer of this use case is in calibration.yml, so its marks are not watched."
            yield conclude(f"use case {use_case.id}", Claim.JUDGE, "" if use_case.id in judged else fault)
    of_suite = "" if suite.folder == DAILY else f" --suite {shlex.quote(str(suite.folder))}"
    detail = f"it was not asked, so nothing is known of its marks: probatio daily calibrate{of_suite}"
    yield Proof("the judge", Claim.MARKS, "open", detail)


async def grade_answers(
    suite: DailySuite, answers: Mapping[str, Sequence[DailyProof]], choice: Choice, watch: Watch
) -> dict[str, list[tuple[DailyProof, Assessment | None]]]:
    """Grade answers as a day would, by use case. Use cases that only a judge grades are left out.

    The first answer of a use case goes alone. If its grader can't be used, the others get None.
    """
    grading = Grading(suite, choice)
    wanted = {
        name: given
        for name, given in answers.items()
        if given and suite.use_cases[name].grading != "judge"  # of a hybrid one there may be none
    }
    total = sum(map(len, wanted.values()))
    done = 0

    async def grade(answer: DailyProof) -> Assessment:
        nonlocal done
        found = await grading.grade(SampleAnswer(case=answer.case, model="", response=answer.answer))
        done += 1
        watch(done, total)
        return found

    async def grade_use_case(given: Sequence[DailyProof]) -> list[tuple[DailyProof, Assessment | None]]:
        first, *others = given
        opening = await grade(first)
        if _describe_fault(opening):
            return [(first, opening), *((other, None) for other in others)]
        rest = await asyncio.gather(*map(grade, others))
        return [*zip(given, (opening, *rest), strict=True)]

    try:
        graded = await asyncio.gather(*map(grade_use_case, wanted.values()))
    finally:
        watch(total, total)
    return dict(zip(wanted, graded, strict=True))


def _prove_use_case(
    use_case: UseCase, given: Sequence[DailyProof], grades: Sequence[tuple[DailyProof, Assessment | None]]
) -> Iterator[Proof]:
    """What the grades of a use case's answers prove."""
    yield from _find_remarks(use_case, given)
    opening = grades[0][1]
    why = _describe_fault(opening) if opening else None
    yield conclude(f"use case {use_case.id}", Claim.GRADER, why)
    for trial, grade in grades:
        if why or grade is None:
            yield Proof(f"case {trial.case}", _name_claim(trial), "open", NOT_TRIED)
        else:
            yield _judge_proof(trial, grade)


def _list_trials(use_case: UseCase, proofs: Sequence[DailyProof]) -> list[DailyProof]:
    """Every proof, gold first, and for each case its own question as an answer; of cases that code grades."""
    checked = [case for case in use_case.cases if use_case.checked_weight_of(case) > 0]
    copies = [
        DailyProof(case.id, "hostile", case.prompt, why=Claim.COPIED)
        for case in checked
        if not find_rubric(case.expect or ())  # else the judge has its share, and it knows a copy
    ]
    known = {case.id for case in checked}
    own = [proof for proof in proofs if proof.case in known]
    return [*sorted(own, key=lambda proof: proof.kind != "gold"), *copies]


def _judge_proof(proof: DailyProof, found: Assessment) -> Proof:
    subject, claim = f"case {proof.case}", _name_claim(proof)
    if why := _describe_fault(found):
        return Proof(subject, claim, "failed", why, unchecked=True)
    score, (low, high) = found.breakdown.get("checked") or 0.0, proof.bounds
    named = f"“{proof.why}”" if proof.why and claim != Claim.COPIED else f"a {proof.kind} answer"
    free = proof.score is None and (proof.kind == "wrong" or proof.at_least is proof.at_most is None)
    if proof.kind != "gold" and free and score >= 1:
        return Proof(subject, claim, "failed", "" if claim == Claim.COPIED else f"{named} gets full marks.")
    if low - NEAR <= score <= high + NEAR:
        return Proof(subject, claim, "proven")
    wanted = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    note = found.breakdown.get("note")
    lost = [
        f"{part['name']}: {part['score']:g} ({part['detail']})"
        for part in found.breakdown.get("parts", ())
        if part["score"] < 1
    ]
    detail = "\n".join(
        [f"{named} gets {score:g}, its proof says {wanted}.", *([note] if note else []), *lost[:5]]
    )
    return Proof(subject, claim, "failed", detail)


def _describe_fault(found: Assessment) -> str | None:
    return f"{found.error_detail}." if found.error_type in UNASKED_ERRORS else None


def _name_claim(proof: DailyProof) -> Claim:
    if proof.kind == "gold":
        return Claim.GOLD
    return Claim.COPIED if proof.why == Claim.COPIED else Claim.HOSTILE if proof.hostile else Claim.WRONG


def _find_remarks(use_case: UseCase, proofs: Sequence[DailyProof]) -> Iterator[Proof]:
    """Faults found without grading: no gold, too long gold, wrong proofs that allow full marks."""
    golds = {proof.case: proof for proof in proofs if proof.kind == "gold"}
    for case in use_case.cases:
        if case.id not in golds and not case.expect:
            fault = f"there is none; write one into {use_case.id}/{FILE}."
            yield conclude(f"case {case.id}", Claim.GOLD, fault)
        elif (
            case.id in golds
            and (tokens := len(golds[case.id].answer) / CHARACTERS_PER_TOKEN) > use_case.max_tokens
        ):
            detail = f"it has about {tokens:.0f} tokens, max_tokens is {use_case.max_tokens}."
            yield Proof(f"case {case.id}", Claim.ROOM, "warning", detail)
    for proof in proofs:
        if proof.kind == "wrong" and proof.score is not None and proof.score >= 1:
            fault = f"“{proof.why}” is called wrong, and its proof allows full marks."
            yield conclude(f"case {proof.case}", Claim.WRONG, fault)
    if isinstance(use_case.grader, OwnGrader) and use_case.grader.says.isolation == "none":
        fault = "isolation: none. It can do all that you can."
        yield conclude(f"use case {use_case.id}", Claim.JAILED, fault, "warning")


def _list_missing(suite: DailySuite, proofs: dict[str, tuple[DailyProof, ...]]) -> Iterator[str]:
    for use_case in suite.use_cases.values():
        if len(use_case.cases) < FEWEST_CASES:
            yield (
                f"{use_case.id}: {len(use_case.cases)} cases; with fewer than {FEWEST_CASES} one slip is a "
                "fall."
            )
        if use_case.grading == "judge":
            continue
        if use_case.grader == READY:
            golds = {proof.case for proof in proofs[use_case.id] if proof.kind == "gold"}
            for case in use_case.cases:
                if case.id not in golds and use_case.checked_weight_of(case) > 0:
                    yield f"{case.id}: what it expects makes no gold answer{_suggest_proof(use_case)}."
            continue
        kinds = Counter("hostile" if proof.hostile else proof.kind for proof in proofs[use_case.id])
        lacks = [kind for kind in ("wrong", "hostile") if not kinds[kind]]
        if lacks:
            yield f"{use_case.id}: no {' and no '.join(lacks)} answer tries its grader."


def _suggest_proof(use_case: UseCase) -> str:
    return f"; write one into {use_case.id}/{FILE}" if use_case.folder.is_dir() else ""


def _make_row(use_case: UseCase, proofs: Sequence[DailyProof]) -> UseCaseRow:
    kinds = Counter("hostile" if proof.hostile else proof.kind for proof in proofs)
    own, code = "", str(use_case.grader or use_case.id)
    if isinstance(use_case.grader, OwnGrader):
        words = [word.replace("{folder}/", "") for word in use_case.grader.says.command if word != "{python}"]
        own, code = " (own)", " ".join(words)
    by = {"deterministic": code, "hybrid": f"{code} and the judge", "judge": "the judge"}[use_case.grading]
    samples = (use_case.base_samples, use_case.full_samples)
    counts = (len(use_case.cases), kinds["gold"], kinds["wrong"], kinds["hostile"])
    return UseCaseRow(use_case.id, use_case.grading, f"{by}{own}", *counts, samples, use_case.max_tokens)
