"""What the simulated models of the demo say: answers that real models gave to the same prompts once.

Scores stay the simulated ones, as days without texts have them, too. A high one is shown with a right answer,
a lower one with the answer whose own score is nearest; a note beside each tells that score.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from probatio.core.jsonfile import read_json
from probatio.core.records import SampleAnswer, SampleGrade

KEPT = Path(__file__).parent / "demo_answers.json"

SIMULATED = "SIMULATED"

RIGHT = 0.8
"""From this score on the answer shown is right: simulated models that are well score 0.85 to 0.95 in a case,
those that lost a fifth about 0.7."""


class KeptAnswer(msgspec.Struct, frozen=True):
    """An answer that a model gave to a case once: its score from 0 to 1, its number among the case's texts,
    and the share of it that is shown."""

    score: float
    text: int
    share: float = 1.0


class KeptCase(msgspec.Struct, frozen=True):
    """What is kept of a case; of its answers one is right."""

    texts: tuple[str, ...]
    answers: tuple[KeptAnswer, ...]

    def show(self, kept: KeptAnswer) -> str:
        text = self.texts[kept.text]
        return text[: int(kept.share * len(text))]


@cache
def kept_cases() -> dict[str, KeptCase]:
    """Case → what is kept of it. Cases that a judge marks have nothing: no real marks are kept."""
    return read_json(KEPT, dict[str, KeptCase], "the answers of the demo")


def give_answer(answer: SampleAnswer, grade: SampleGrade) -> tuple[SampleAnswer, SampleGrade]:
    """The sample with the text of a kept answer; as it is if its case has none, or if no answer came."""
    case = kept_cases().get(grade.case)
    if case is None or answer.response is None:
        return answer, grade
    kept = _choose(case, grade.score)
    text, part = case.show(kept), "" if kept.share == 1 else f"the first {100 * kept.share:.0f} % of "
    note = (
        f"{SIMULATED}: no model was asked, and the score is made up. The text is {part}what a real model "
        f"answered to this prompt once; the grader gives it {100 * kept.score:.0f} points."
    )
    # A raw line may be looked at on its own: it says by itself that this model was not asked.
    said = msgspec.structs.replace(
        answer,
        response=text,
        tokens_out=max(1, len(text) // 4),
        system_fingerprint=SIMULATED,
        finish_reason=answer.finish_reason if kept.share == 1 else "length",
    )
    return said, msgspec.structs.replace(grade, breakdown={**grade.breakdown, "note": note})


def _choose(case: KeptCase, score: float) -> KeptAnswer:
    right = score >= RIGHT
    among = [kept for kept in case.answers if (kept.score == 1) == right]
    return min(among, key=lambda kept: abs(kept.score - score))
