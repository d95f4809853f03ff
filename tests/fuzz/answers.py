"""Mutated answers, graded by the way a day and a trial grade: the same workers, limits, jail and browser.

An answer gets a grade: a score from 0 to 1. It never ends in an exception of ours, is never *unchecked* for
its own sake, and gets the same grade twice. The secret is in no grade, and no mark is left outside.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from fuzz import canary, corpus
from fuzz.findings import SHOWN, Finding, line_of, pack, place_of, unpack
from fuzz.mutations import mutate_page, mutate_text
from probatio.builtin.daily.graders import check
from probatio.core.records import UNASKED_ERRORS, Assessment, Response, SampleAnswer
from probatio.grading import assess
from probatio.grading.checked import open_checked
from probatio.grading.extract import gradable, without_reasoning
from probatio.grading.judge.protocol import Unreadable, read_apart, read_marks, score_marks
from probatio.grading.samples import Grading
from probatio.grading.trial_answers import assess_trial
from probatio.jail.workers import get_pool

TWICE = {"texts": 20, "programs": 20, "pages": 10}
"""One in so many answers is graded a second time."""
GREEDY = 0.02
"""The share of programs that want more than they may have."""
LIMIT_WORDS = ("did not end within its limits", "it ended 2 workers", "more memory than a check may use")
"""How a grade says that a check passed a limit. A text that does it is a finding even where it gets a 0."""
ENDS = (None, None, None, None, "stop", "length", "content_filter")


class AnswerInput(msgspec.Struct, frozen=True):
    """An answer to a question of `corpus`."""

    kind: str
    suite: str
    question: str
    dialect: str
    text: bytes
    """UTF-8, in which halves of surrogate pairs are kept."""
    finish_reason: str | None = None

    @property
    def answer(self) -> str:
        return canary.fill_in(self.text).decode("utf-8", "surrogatepass")


class Answers:
    """One kind of answers: texts, programs or pages."""

    def __init__(self, kind: str) -> None:
        canary.lay_out()
        os.environ["PROBATIO_CHECKED_MB"] = "0"
        open_checked().share = 1.0  # every answer is graded now, none is looked up
        self.kind = kind
        self.batch = {"texts": 200, "programs": 40, "pages": 4}[kind]
        self._grading = Grading(corpus.daily(), "auto")

    def make(self, seed: int) -> AnswerInput:
        chance = Random(f"{self.kind} {seed}")
        known = corpus.answers(self.kind)
        question, other = chance.choice(known), chance.choice(known)
        if self.kind == "programs" and chance.random() < GREEDY:
            question = chance.choice(corpus.greedy())
        text = question.text if chance.random() < 0.9 else other.text
        change = mutate_page if self.kind == "pages" else mutate_text
        text = change(text, other.text, chance)
        data = text.encode("utf-8", "surrogatepass")
        return AnswerInput(
            self.kind, question.suite, question.question, question.dialect, data, chance.choice(ENDS)
        )

    @staticmethod
    def unpack(packed: str) -> AnswerInput:
        return msgspec.msgpack.decode(unpack(packed), type=AnswerInput)

    def play(self, inputs: list[tuple[int, AnswerInput]]) -> list[Finding]:
        before = canary.look()
        findings = asyncio.run(self._play(inputs))
        if canary.look() != before:
            canary.clean()
            findings += [self._find(seed, given, "a mark outside", "one of these left a mark outside") for
                         seed, given in inputs]  # fmt: skip
        return findings

    async def _play(self, inputs: list[tuple[int, AnswerInput]]) -> list[Finding]:
        found = await asyncio.gather(*(self._play_one(seed, given) for seed, given in inputs))
        return [each for finding in found for each in finding]

    async def _play_one(self, seed: int, given: AnswerInput) -> list[Finding]:
        try:
            grade = await self._grade(given)
            again = await self._grade(given) if seed % TWICE[self.kind] == 0 else grade
        except Exception as error:
            return [self._find(seed, given, place_of(error), f"{line_of(error)}: {error!r:.300}")]
        wrong = describe_fault(grade, self.kind)
        if wrong is None and again.timely and grade.timely and _outline(again) != _outline(grade):
            wrong = f"two grades: {_outline(grade)} and {_outline(again)}"
        if wrong is None:
            return []
        place, line = locate(given, self.kind)
        return [self._find(seed, given, f"{self._subject(given)}: {place}", f"{line}: {wrong}")]

    async def _grade(self, given: AnswerInput) -> Assessment:
        if given.suite == corpus.JUDGE:
            return await _read_judge(given)
        if given.suite == corpus.DAILY:
            sample = SampleAnswer(
                case=given.question,
                model="m",
                sample=0,
                round="base",
                response=given.answer,
                finish_reason=given.finish_reason,
            )
            return await self._grading.grade(sample)
        suite = corpus.language(given.suite)
        task = suite.task(given.question, given.dialect)
        spec = suite.answer_language(task)
        return await assess_trial(get_pool(), task, _response(given), spec, "auto", keep=False)

    def _subject(self, given: AnswerInput) -> str:
        return corpus.daily().cases[given.question].use_case if given.suite == corpus.DAILY else given.suite

    def _find(self, seed: int, given: AnswerInput, place: str, what: str) -> Finding:
        shown = ascii(f"{given.suite} {given.question}: {given.answer[:SHOWN]}")[:SHOWN]
        return Finding(self.kind, seed, place, what, shown, pack(given))

    def close(self) -> None:
        get_pool().close()


async def _read_judge(given: AnswerInput) -> Assessment:
    """A judge's reply, as an assessment: its marks are its score."""
    rubric = corpus.daily().use_cases[given.question].rubric
    assert rubric is not None
    try:
        marks = await read_apart(given.answer, rubric)
    except Unreadable as error:
        limit = "The reply can't be read" in str(error)
        return Assessment(True, False, False, "unchecked" if limit else None, str(error))
    return Assessment(True, True, True, score=score_marks(marks, rubric))


def _response(given: AnswerInput) -> Response:
    return Response(
        timestamp="", run_id="", framework_version="", task_id=given.question, model="", n_shot=0, context="",
        dialect=given.dialect, response=given.answer, finish_reason=given.finish_reason,
    )  # fmt: skip


def describe_fault(grade: Assessment, kind: str) -> str | None:
    """What is wrong with a grade, or None."""
    if grade.error_type in UNASKED_ERRORS:
        return f"{grade.error_type}: {grade.error_detail}"
    if not (math.isfinite(grade.score) and 0 <= grade.score <= 1):
        return f"a score of {grade.score}"
    told = f"{grade.error_detail} {grade.breakdown}"
    if canary.SECRET in told:
        return "the secret is in the grade"
    if kind == "texts" and any(words in told for words in LIMIT_WORDS):
        return f"a text passed the limits of its check: {grade.error_detail}"
    return None


def _outline(grade: Assessment) -> list[Any]:
    parts = [(part["name"], part["score"]) for part in grade.breakdown.get("parts", ())]
    return [grade.level_a, grade.level_b, grade.level_c, grade.error_type, round(grade.score, 6), parts]


def locate(given: AnswerInput, kind: str) -> tuple[str, str]:
    """Where a check of this answer fails or computes for ever: it is done again in a child of ours."""
    seconds = 60 if kind == "pages" else 4
    return in_child(lambda: _check_here(given), seconds)


def _check_here(given: AnswerInput) -> None:
    text = gradable(given.answer).text
    if given.suite == corpus.JUDGE:
        rubric = corpus.daily().use_cases[given.question].rubric
        assert rubric is not None
        read_marks(given.answer, rubric)
    elif given.suite == corpus.DAILY:
        check(corpus.daily().cases[given.question], without_reasoning(text), "auto")
    else:
        suite = corpus.language(given.suite)
        task = suite.task(given.question, given.dialect)
        assess(task, msgspec.structs.replace(_response(given), response=text), suite.answer_language(task))


class _TooLong(BaseException):
    pass


def _too_long(*_: object) -> None:
    raise _TooLong


def in_child(deed: Callable[[], None], seconds: float) -> tuple[str, str]:
    """Where a deed fails in a child, by an exception, a signal or its CPU time: a place and a line."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        place = "ends well alone"
        try:
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) * 2 + 2, int(seconds) * 2 + 4))
            signal.signal(signal.SIGPROF, _too_long)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            deed()
        except BaseException as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            place = f"{place_of(error)}\n{line_of(error)}"
        os.write(writing, place.encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        place, _, line = stream.read().decode().partition("\n")
    _, status = os.waitpid(child, 0)
    return place or f"signal {os.WTERMSIG(status)}", line or "no line of ours"
