"""Whoever knows all the answers: the gold of every case of the built-in suite, and a judge that stands where
it should."""

from __future__ import annotations

import json
import re
from typing import Any

from probatio.suites.calibration import load_calibration
from probatio.suites.daily_suite import load_daily
from watch.day.days import built_in

SUITE = load_daily()


def gold_answers() -> dict[str, str]:
    """Prompt → the gold of its case, for every use case that has proofs; a text to be judged for the
    others."""
    answers: dict[str, str] = {}
    frozen = {
        item.answer.strip() for item in load_calibration(SUITE)
    }  # the judge's marks for these are what they are
    for use_case in SUITE.use_cases.values():
        golds: dict[str, str] = {}
        if use_case.grading != "judge":
            for proof in built_in(use_case.id, "proofs"):
                if proof["kind"] == "gold" and proof["answer"].strip() not in frozen:
                    golds.setdefault(proof["case"], proof["answer"])
        answers |= {case.prompt: golds.get(case.id, "A fine text.") for case in use_case.cases}
    return answers


def judge_by_reference(prompt: str) -> str:
    """The reference marks for frozen answers, full marks for all others."""
    criteria = re.findall(r'"(\w+)": \{"mark": n', prompt.splitlines()[-1])
    known = next((item.marks for item in load_calibration(SUITE) if item.answer.strip() in prompt), {})
    return json.dumps({name: {"mark": known.get(name, 5), "reason": "so it is"} for name in criteria})


def script() -> Any:
    answers = gold_answers()

    def reply(body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        return judge_by_reference(prompt) if body["model"] == SUITE.manifest.judge.name else answers[prompt]

    return reply
