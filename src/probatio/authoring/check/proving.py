"""Proving: claims are graded by workers, several at a time; another grade than claimed is a failure."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from probatio.authoring.check.claims import SuiteClaim
from probatio.authoring.check.report import NOT_TRIED, Proof, ProofState
from probatio.core.machine import count_cores
from probatio.core.records import CRASHED_CHECKER, UNCHECKED, Assessment, Response, Task
from probatio.grading.trial_answers import PROGRAMS, assess_trial
from probatio.jail import Choice
from probatio.jail.workers import get_pool

Watch = Callable[[int, int], None]
"""Called with how many claims of how many are done."""

PATIENCE = 3
"""Claims that time out, break the checker or can't be checked, after which the rest is not tried: a checker
that hangs for ten seconds would do so for every program of the suite."""

COULD_NOT = "could not be checked"
_LOST = {
    "timeout": "programs that should be right did not end within their time",
    CRASHED_CHECKER: "programs that should be right break the checker",
}
"""What ends the patience with programs that should be right."""
_MOST_LINES = 12


class Proving:
    """The proofs of a suite: claims in batches, until patience is at its end."""

    def __init__(self, dialect: str, isolation: Choice, total: int, watch: Watch) -> None:
        self._pool = get_pool()
        self._dialect = dialect
        self._isolation = isolation
        self._total = total
        self._watch = watch
        self._done = 0
        self._lost: list[str] = []

    async def prove(self, claims: Iterable[SuiteClaim], *, impatient: bool) -> list[Proof]:
        """A proof per claim, in their order. `impatient`: programs that time out count as lost."""
        waiting = deque(enumerate(claims))
        proofs: dict[int, Proof] = {}

        async def next_ones() -> None:
            while waiting:
                number, claim = waiting.popleft()
                if len(self._lost) >= PATIENCE:
                    proofs[number] = Proof(claim.subject, claim.claim, "open", NOT_TRIED)
                else:
                    response = make_response(claim.task, claim.answer, self._dialect)
                    assessment = await assess_trial(
                        self._pool, claim.task, response, claim.spec, self._isolation, keep=False
                    )
                    proofs[number] = judge(claim, assessment)
                    if impatient and assessment.error_type in _LOST:
                        self._lost.append(_LOST[assessment.error_type])
                    elif assessment.error_type == UNCHECKED:
                        self._lost.append((assessment.error_detail or "").removeprefix(f"{COULD_NOT}: "))
                self._done += 1
                self._watch(self._done, self._total)

        await asyncio.gather(*(next_ones() for _ in range(PROGRAMS.places(count_cores()))))
        return [proofs[number] for number in sorted(proofs)]

    @property
    def gave_up(self) -> str | None:
        """Why the rest was not tried."""
        return self._lost[-1] if len(self._lost) >= PATIENCE else None


def make_response(
    task: Task, answer: str | None, dialect: str, context: str = "", n_shot: int = 0
) -> Response:
    """An answer that no model gave, as the record that graders take."""
    return Response(
        timestamp="", run_id="", framework_version="", task_id=task.id, model="", n_shot=n_shot,
        context=context, dialect=dialect, response=answer,
    )  # fmt: skip


def judge(claim: SuiteClaim, found: Assessment) -> Proof:
    """What a grade means for the claim."""
    state, detail = _judge_state(claim, found)
    if state == "failed" and claim.only_warns:
        state = "warning"
    unchecked = found.error_type == UNCHECKED
    note = ": ".join(part for part in (claim.note, detail) if part)
    return Proof(claim.subject, claim.claim, state, note if state != "proven" else "", unchecked)


def _judge_state(claim: SuiteClaim, found: Assessment) -> tuple[ProofState, str]:
    detail = found.error_detail or ""
    if found.error_type == UNCHECKED:
        return "failed", f"{detail}."
    if claim.expected == "wrong":
        return ("failed", "") if found.correct else ("proven", "")
    if claim.expected == "fails as said":
        return _judge_failing(claim, found)
    reached = {"right": found.correct, "runs": found.level_b, "accepted": found.level_a}
    return ("proven", "") if reached[claim.expected] else ("failed", _describe_failure(found))


def _judge_failing(claim: SuiteClaim, found: Assessment) -> tuple[ProofState, str]:
    """A broken program must fail, and every line of its diagnostics must be in the real ones."""
    if found.correct:
        return "failed", "it passes, so nothing is broken."
    said = [found.error_detail or "", *(str(found.breakdown.get(name, "")) for name in ("stderr", "stdout"))]
    stated = [line.strip() for line in (claim.task.diagnostics or "").splitlines() if line.strip()]
    really = " ".join("\n".join(said).split())
    absent = [line for line in stated if " ".join(line.split()) not in really]
    if stated and not absent:
        return "proven", ""
    real = _clip(said[1] if said[1].strip() and found.error_type != "wrong_output" else said[0])
    reason = f"nothing says `{absent[0]}`." if absent else "it has no `diagnostics`."
    return "failed", f"{reason} The real ones are:\n{real}"


def _describe_failure(found: Assessment) -> str:
    said = str(found.breakdown.get("stderr", "")).strip()
    text = f"{found.error_type}: {_clip(found.error_detail or '')}"
    return text if not said or said in text else f"{text}\n{_clip(said)}"


def _clip(text: str) -> str:
    lines = text.strip().splitlines()
    return "\n".join(lines[:_MOST_LINES] + (["…"] if len(lines) > _MOST_LINES else []))
