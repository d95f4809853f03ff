"""Worked answers to the ladders of Report Analysis. What each is worth is counted here, never by the grader."""

from __future__ import annotations

import json
from typing import Any

from case_files import Proof

FORM = 0.5  # weight of the form beside the rungs
INVENTED = 0.01
RIVAL = 0.25
NEAR, WITHIN = 0.3, 0.03  # credit for a large sum that is nearly right, and how near
ABSENT = "not stated"

Gold = list[dict[str, Any]]


def proofs(case: str, form: str, prompt: str, gold: Gold) -> list[Proof]:
    right = {
        number: ABSENT if each["kind"] == "absent" else each["value"]
        for number, each in enumerate(gold, start=1)
    }
    absent = [number for number, each in enumerate(gold, start=1) if each["kind"] == "absent"]
    top = max(each["rung"] for each in gold)
    low = {number: answer for number, answer in right.items() if gold[number - 1]["rung"] <= 2 * top // 3}
    sums = [number for number, each in enumerate(gold, start=1) if each["kind"] == "amount"]
    whole = sum(each.get("weight", 1.0) for each in gold) + FORM

    def worth(numbers: Any) -> float:
        return float((sum(gold[number - 1].get("weight", 1.0) for number in numbers) + FORM) / whole)

    near = right | {number: round(gold[number - 1]["value"] * 1.01, 3) for number in sums}
    made_up = right | dict.fromkeys(absent, 17)
    other = "json" if form == "lines" else "lines"
    return [
        Proof(case, "gold", {"score": 1.0}, "as asked", written(right, form)),
        Proof(case, "adversarial", {"score": 1.0}, "chatter, bold face, thousands, a unit", _dressed(right, gold, form)),
        Proof(case, "adversarial", {"score": 1 - FORM / whole}, "the other form loses the form and no more",
              written(right, other)),
        Proof(case, "wrong", {"score": worth(low)}, "the top third is left out", written(low, form)),
        Proof(case, "wrong", {"score": worth(low) + NEAR * (1 - 0.01 / WITHIN) * len(sums) / whole},
              "every large sum is 1 percent too high", written(near, form)),
        Proof(case, "wrong", {"score": worth(set(right) - set(absent)) - INVENTED * len(absent)},
              "what the report does not say is made up", written(made_up, form)),
        Proof(case, "wrong", {"at_most": 0.1}, "the answers of the question before",
              written({number: right[number - 1 or len(right)] for number in right}, form)),
        Proof(case, "adversarial", {"score": 0.0}, "not stated to everything knows nothing",
              written(dict.fromkeys(right, ABSENT), form)),
        Proof(case, "adversarial", {"at_most": 0.06}, "the same number for every question",
              written(dict.fromkeys(right, 500), form)),
        Proof(case, "adversarial", {"at_most": 0.06}, "two candidates for every question", written(_hedged(right, gold), form)),
        Proof(case, "adversarial", {"score": 1 - RIVAL}, "two sets of answers are a hedge",
              f"{written(right | {1: 1}, form)}\n\n{written(right, form)}"),
        Proof(case, "adversarial", {"at_most": 0.06}, "the prompt given back", prompt),
    ]  # fmt: skip


def written(answers: dict[int, Any], form: str) -> str:
    if form == "json":
        return (
            "{"
            + ",\n ".join(f'"q{number}": {json.dumps(answer)}' for number, answer in answers.items())
            + "}"
        )
    return "\n".join(f"{number}. {_line(answer)}" for number, answer in answers.items())


def _line(answer: Any) -> str:
    return ", ".join(answer) if isinstance(answer, list) else str(answer)


def _dressed(right: dict[int, Any], gold: Gold, form: str) -> str:
    dressed = {
        number: f"{answer:,}" + (" in all" if gold[number - 1]["kind"] == "amount" else "")
        if isinstance(answer, int)
        else answer
        for number, answer in right.items()
    }
    if form == "json":
        return (
            f"Here is the object you asked for:\n\n```json\n{written(dressed, form)}\n```\nI hope this helps."
        )
    lines = "\n".join(f"**{number}.** {_line(answer)}" for number, answer in dressed.items())
    return f"Here are the answers:\n\n{lines}\n\nI hope this helps."


def _hedged(right: dict[int, Any], gold: Gold) -> dict[int, Any]:
    hedged: dict[int, Any] = {}
    for number, answer in right.items():
        kind = gold[number - 1]["kind"]
        if kind == "absent":
            hedged[number] = "not stated, but about 1,200"
        elif kind in ("number", "amount"):
            hedged[number] = f"{answer} or {answer + 7}"
        else:
            hedged[number] = f"{answer} or somebody else" if kind == "name" else []
    return hedged
