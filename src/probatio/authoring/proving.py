"""Proving: every claim is graded in a worker, several side by side; a grade that is not as claimed is a failure."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from probatio.authoring.claims import Claim
from probatio.authoring.report import NOT_TRIED, Proof, State
from probatio.grade.apart import PROGRAMS, assess_apart
from probatio.records import UNCHECKED, Assessment, Response
from probatio.sandbox import Choice
from probatio.workers import Checks
from probatio.workers.lane import cores

Watch = Callable[[int, int], None]
"""Is told how many claims of how many are done."""

PATIENCE = 3
"""So many claims that end at a limit of time or can't be checked, and the rest is not tried: a checker that hangs for ten
seconds would do so for every program of the suite."""

COULD_NOT = "could not be checked"
_MOST_LINES = 12


class Proving:
    """The proofs of a suite: claims in batches, until patience is at its end."""

    def __init__(self, pool: Checks, dialect: str, isolation: Choice, total: int, watch: Watch) -> None:
        self._pool = pool
        self._dialect = dialect
        self._isolation = isolation
        self._total = total
        self._watch = watch
        self._done = 0
        self._lost: list[str] = []

    async def prove(self, claims: Iterable[Claim], *, impatient: bool) -> list[Proof]:
        """A proof per claim, in their order. `impatient`: programs that should be right end it where they hang."""
        waiting = deque(enumerate(claims))
        proofs: dict[int, Proof] = {}

        async def next_ones() -> None:
            while waiting:
                number, claim = waiting.popleft()
                if len(self._lost) >= PATIENCE:
                    proofs[number] = Proof(claim.subject, claim.claim, "open", NOT_TRIED)
                else:
                    assessment = await self._assessed(claim)
                    proofs[number] = judged(claim, assessment)
                    if impatient and assessment.error_type == "timeout":
                        self._lost.append("programs that should be right did not end within their time")
                    elif assessment.error_type == UNCHECKED:
                        self._lost.append((assessment.error_detail or "").removeprefix(f"{COULD_NOT}: "))
                self._done += 1
                self._watch(self._done, self._total)

        await asyncio.gather(
            *(next_ones() for _ in range(PROGRAMS.places(cores())))
        )  # the first error ends it, as it is
        return [proofs[number] for number in sorted(proofs)]

    @property
    def gave_up(self) -> str | None:
        """Why the rest was not tried."""
        return self._lost[-1] if len(self._lost) >= PATIENCE else None

    async def _assessed(self, claim: Claim) -> Assessment:
        response = Response(
            timestamp="", run_id="", framework_version="", task_id=claim.task.id, model="", n_shot=0, context="",
            dialect=self._dialect, response=claim.answer,
        )  # fmt: skip
        return await assess_apart(self._pool, claim.task, response, claim.spec, self._isolation, keep=False)


def judged(claim: Claim, found: Assessment) -> Proof:
    """What a grade means for the claim."""
    state, detail = _judged(claim, found)
    if state == "failed" and claim.only_warns:
        state = "warning"
    unchecked = found.error_type == UNCHECKED
    told = ": ".join(part for part in (claim.told, detail) if part)
    return Proof(claim.subject, claim.claim, state, told if state != "proven" else "", unchecked)


def _judged(claim: Claim, found: Assessment) -> tuple[State, str]:
    detail = found.error_detail or ""
    if found.error_type == UNCHECKED:
        return "failed", f"{detail}."
    match claim.expected:
        case "right":
            return ("proven", "") if found.correct else ("failed", _why(found))
        case "runs":
            return ("proven", "") if found.level_b else ("failed", _why(found))
        case "accepted":
            return ("proven", "") if found.level_a else ("failed", _why(found))
        case "wrong":
            return ("failed", "") if found.correct else ("proven", "")
        case "fails as said":
            return _failing(claim, found)


def _failing(claim: Claim, found: Assessment) -> tuple[State, str]:
    """A broken program fails, and every line of the diagnostics is among what is really said of it."""
    if found.correct:
        return "failed", "it passes, so nothing is broken."
    said = [found.error_detail or "", *(str(found.breakdown.get(name, "")) for name in ("stderr", "stdout"))]
    told = [line.strip() for line in (claim.task.diagnostics or "").splitlines() if line.strip()]
    really = " ".join("\n".join(said).split())
    absent = [line for line in told if " ".join(line.split()) not in really]
    if told and not absent:
        return "proven", ""
    real = _clipped(said[1] if said[1].strip() and found.error_type != "wrong_output" else said[0])
    reason = f"nothing says `{absent[0]}`." if absent else "it has no `diagnostics`."
    return "failed", f"{reason} The real ones are:\n{real}"


def _why(found: Assessment) -> str:
    said = str(found.breakdown.get("stderr", "")).strip()
    text = f"{found.error_type}: {_clipped(found.error_detail or '')}"
    return text if not said or said in text else f"{text}\n{_clipped(said)}"


def _clipped(text: str) -> str:
    lines = text.strip().splitlines()
    return "\n".join(lines[:_MOST_LINES] + (["…"] if len(lines) > _MOST_LINES else []))
