"""Programs: an answer that is code. It must pass the check, run, and print what it should.

A completion is the missing part of a program, or more of it. Worked by hand, with the template

    varia i = 0
    ___ i < 3 { i += 1 }
    scribe i

All of these mean the same: `dum` · `dum i < 3 { i += 1 }` (repeats the rest of the line) · the whole program
with `dum` in its place. What the answer repeats of the text round the blank is removed, and the rest fills
the blank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from probatio.core.records import UNKNOWN_DIALECT, Assessment, Compare, ErrorType, ProgramTest, Response, Task
from probatio.core.text.fences import unwrap
from probatio.grading.extract import extract_program, extract_whole, why_wrong
from probatio.jail import Choice, ProgramOutcome
from probatio.languages.comparison import is_same, normal_form
from probatio.languages.contract import Checked, Language, LanguageSpec, trim_program
from probatio.languages.finding import find_language
from probatio.languages.notation import read_signs, write_signs
from probatio.suites.language_suite import BLANK
from probatio.suites.task_types import KINDS


class ProgramRun(msgspec.Struct, frozen=True):
    """One run of an answer and its test; `outcome` is None if it was not run any more."""

    test: ProgramTest
    outcome: ProgramOutcome | None
    compare: Compare

    @property
    def ran(self) -> bool:
        return self.outcome is not None and self.outcome.exit == 0

    @property
    def right(self) -> bool:
        return (
            self.ran
            and self.outcome is not None
            and is_same(self.outcome.stdout, self.test.stdout, self.compare)
        )


def assess_program(task: Task, response: Response, spec: LanguageSpec, isolation: Choice) -> Assessment:
    """A whole program or a missing part, in the dialect asked for. It is right if one reading is."""
    under_test, timely, doubt = find_language(spec), True, False
    dialect = under_test.dialects[0] if response.dialect == UNKNOWN_DIALECT else response.dialect
    for source in _readings(task, response, spec, dialect):
        there = source if spec.whole else source.strip()
        checked = under_test.check(source, dialect, isolation) if there else None
        runs: list[ProgramRun] = []
        for test in task.runs if checked and checked.accepted else ():
            # A program that hangs on one test is not run any more: each further run would take as long.
            hung = any(each.outcome is None or each.outcome.stopped in ("time", "cpu") for each in runs)
            outcome = None if hung else under_test.run(source, dialect, test.stdin, isolation)
            runs.append(ProgramRun(test, outcome, task.compare))
        timely = timely and (checked is None or checked.timely)
        timely = timely and all(run.outcome is not None and run.outcome.timely for run in runs)
        doubt = doubt or (checked is not None and checked.doubt)
        doubt = doubt or any(run.outcome is not None and run.outcome.doubtful for run in runs)
        assessment = _judge(task, response, write_signs(source, spec.shown), under_test, checked, runs)
        if assessment.correct:
            break
    return msgspec.structs.replace(assessment, timely=timely, doubt=doubt and not assessment.correct)


def _readings(task: Task, response: Response, spec: LanguageSpec, dialect: str) -> Iterable[str]:
    """The programs that an answer can mean. Quotation marks round a missing part may belong to it, or not."""
    text = response.response or ""
    if spec.whole:
        answer = extract_whole(text, spec.fences)
    else:
        answer = extract_program(text, spec.fences, spec.keywords)
    answer = read_signs(answer, spec.shown)
    if KINDS[task.type].judged != "completion":
        return (answer,)
    template = find_language(spec).template_in(trim_program(task.material or "", spec.whole), dialect)
    template = read_signs(template, spec.shown)
    if spec.whole:
        parts = dict.fromkeys((answer, unwrap(answer, quotes=False)))
        return dict.fromkeys((*(template.replace(BLANK, part) for part in parts), answer))
    parts = dict.fromkeys((unwrap(answer, quotes=False), unwrap(answer)))
    return (complete(template, part) for part in parts)


def _judge(
    task: Task,
    response: Response,
    shown: str,
    under_test: Language,
    checked: Checked | None,
    runs: list[ProgramRun],
) -> Assessment:
    """What the check and the runs say of a program."""
    if checked is None:
        return Assessment(
            False, False, False, why_wrong(response, "no_response"), "there is no program in the answer"
        )
    breakdown: dict[str, object] = {"program": shown[:20_000]}
    if checked.error_type:
        error = why_wrong(response, checked.error_type)
        return Assessment(False, False, False, error, checked.detail, breakdown=breakdown)
    first = runs[0].outcome
    if first is not None and not first.started:
        error, detail = under_test.explain_failure(first)
        return Assessment(False, False, False, why_wrong(response, error), detail, breakdown=breakdown)
    wrong = next((run for run in runs if not run.right), None)
    if task.tests:
        breakdown["tests"] = [run.right for run in runs]
    if wrong is None:
        return Assessment(True, True, True, score=1.0, breakdown=breakdown)
    assert wrong.outcome is not None  # only runs after a wrong one are left out
    printed = normal_form(wrong.outcome.stdout, task.compare)
    expected = normal_form(wrong.test.stdout, task.compare)
    kind: ErrorType = "wrong_output"
    detail = f"expected {expected[:200]!r}, printed {printed[:200]!r}"
    if wrong.outcome.stopped or wrong.outcome.exit != 0:
        kind, detail = under_test.explain_failure(wrong.outcome)
    return Assessment(
        level_a=True,
        level_b=all(run.ran for run in runs),
        level_c=False,
        error_type=why_wrong(response, kind),
        error_detail=detail if len(runs) == 1 else f"test {runs.index(wrong) + 1} of {len(runs)}: {detail}",
        score=sum(run.right for run in runs) / len(runs),
        breakdown={**breakdown, "stdout": wrong.outcome.stdout[:2000], "stderr": wrong.outcome.stderr[:2000]},
    )


_TOKEN = re.compile(r"\w+|[^\w\s]")


def complete(template: str, answer: str) -> str:
    """The complete program."""
    answer = answer.strip("\n")
    before, _, after = template.partition(BLANK)
    if _is_whole(template, answer):
        return answer
    if BLANK in after:  # several blanks ask for one word in several places
        return template.replace(BLANK, answer.strip())
    return before + _strip_repeated(answer, before, after) + after


def _strip_repeated(answer: str, before: str, after: str) -> str:
    """The answer less what it repeats of the text round the blank."""
    tokens = list(_TOKEN.finditer(answer))
    words = [token[0] for token in tokens]
    head = _overlap(_TOKEN.findall(before)[::-1], words[::-1])
    tail = _overlap(_TOKEN.findall(after), words)
    if head + tail >= len(words):
        return answer.strip()
    end = tokens[len(words) - 1 - tail].end()
    return answer[tokens[head].start() : end]


def _overlap(context: list[str], words: list[str]) -> int:
    """How many words at the end of `words` begin `context`. One alone counts only if it is all of it."""
    for length in range(min(len(context), len(words) - 1), 0, -1):
        if words[-length:] == context[:length] and (length >= 2 or length == len(context)):
            return length
    return 0


def _is_whole(template: str, answer: str) -> bool:
    """Whether the answer is a whole program: as many lines as the template, and half of its words."""
    fixed, given = Counter(_TOKEN.findall(template.replace(BLANK, " "))), Counter(_TOKEN.findall(answer))
    if not fixed:
        return True
    lines, needed = (sum(bool(line.strip()) for line in text.splitlines()) for text in (answer, template))
    return lines > 1 and lines >= needed and (fixed & given).total() * 2 >= fixed.total()
