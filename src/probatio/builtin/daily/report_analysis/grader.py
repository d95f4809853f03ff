"""Report analysis: every question is one part. For what the report does not say, "not stated" is right.

Credit for "not stated" is multiplied by twice the share of answerable questions that were tried (at most 1),
so that saying it to everything earns nothing. An invented answer to such a question earns nothing, and
something is taken off for it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from probatio.builtin.daily.report_analysis.answers import Form, read_answers, without_questions
from probatio.builtin.daily.report_analysis.questions import KINDS, Question, is_absent, is_tried
from probatio.core.records.check_result import CheckResult, Part
from probatio.jail import Choice
from probatio.suites.daily_suite import Case

INVENTED = 0.05  # taken off for each answer where the report has none, unless the gold says how much …
RIVAL = 0.25  # … and for each further set of answers that differs: hedging never pays
FORM = 0.5  # weight of the form that was asked for


class ReportGold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    questions: tuple[Question, ...]
    form: Form
    names: tuple[str, ...] = ()  # every name a question could be answered with, right or wrong
    absent: str = "not stated"
    invented: float = INVENTED


def check(case: Case, answer: str, isolation: Choice = "auto") -> CheckResult:
    """Each question's credit, the form as a small part, inventions and hedges taken off."""
    gold = msgspec.convert(case.gold, ReportGold)
    count = len(gold.questions)
    answers = without_questions(read_answers(answer, gold.form, count), case.prompt, count)
    effort = _effort(gold, answers.by_question)
    parts: list[Part] = []
    invented = 0
    for number, question in enumerate(gold.questions, start=1):
        there, given = number in answers.by_question, answers.by_question.get(number)
        if question.kind == "absent":
            invented += there and is_tried(given, gold.absent)
            score = effort * is_absent(given, gold.absent)
        else:
            score = KINDS[question.kind](question, given, gold.names) if there else 0.0
        parts.append(
            Part(
                f"question {number}",
                score,
                _detail(question, gold, there, given),
                question.weight,
                question.rung,
            )
        )
    as_asked = answers.form == gold.form and not answers.faults
    parts.append(
        Part("form", effort * as_asked, f"asked for {gold.form}, was {answers.form or 'neither'}", FORM)
    )
    note = None if answers.by_question else "The answer holds neither a JSON object nor numbered lines."
    return CheckResult(tuple(parts), min(1.0, gold.invented * invented + RIVAL * answers.rivals), note)


def _effort(gold: ReportGold, answers: dict[int, Any]) -> float:
    """1 once half of the answerable questions got an answer, less in proportion below that."""
    answerable = [
        number for number, question in enumerate(gold.questions, start=1) if question.kind != "absent"
    ]
    tried = sum(is_tried(answers.get(number), gold.absent) for number in answerable)
    return min(1.0, 2 * tried / len(answerable))


def _detail(question: Question, gold: ReportGold, there: bool, given: Any) -> str:
    expected = gold.absent if question.kind == "absent" else question.value
    return f"expected {expected!r}, was {given!r}"[:300] if there else f"expected {expected!r}, not answered"
