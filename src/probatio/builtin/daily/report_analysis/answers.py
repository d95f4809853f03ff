"""Reads the answers to numbered questions out of a reply, which is a JSON object or numbered lines."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from probatio.builtin.daily.reading.json_answer import Ambiguous, find_object
from probatio.core.text.fences import unwrap

Form = Literal["json", "lines"]

LONGEST = 20_000  # characters looked at
_LINE = re.compile(
    r"^[\s>*_#-]*(?:(?:q|question|answer|a)\s*)?(?P<number>\d{1,2})\s*(?:[.):\]](?!\d)|[-–—](?=\s))[*_]*\s*(?P<answer>.*)$",
    re.IGNORECASE,
)


class Answers(msgspec.Struct, frozen=True):
    """Answers by question number, their form, and how many other sets of answers contradict them."""

    by_question: dict[int, Any]
    form: Form | None
    rivals: int = 0
    faults: tuple[str, ...] = ()


def read_answers(text: str, form: Form, count: int) -> Answers:
    """The form that was asked for first; the other one where it finds nothing."""
    text = text[:LONGEST]
    readers = {"json": _from_json, "lines": _from_lines}
    for name in (form, "lines" if form == "json" else "json"):
        if (answers := readers[name](text, count)) is not None:
            return answers
    return Answers({}, None)


def without_questions(answers: Answers, prompt: str, count: int) -> Answers:
    """The answers less those that only give back what the prompt says behind the same number."""
    asked = _from_lines(prompt[:LONGEST], count) or Answers({}, None)
    kept = {
        number: answer
        for number, answer in answers.by_question.items()
        if answer != asked.by_question.get(number)
    }
    return msgspec.structs.replace(answers, by_question=kept)


def _from_json(text: str, count: int) -> Answers | None:
    json = find_object(text)
    if json is None:
        return None
    value = json.value
    if len(value) == 1 and isinstance(inner := next(iter(value.values())), dict):
        value = inner
    by_question: dict[int, Any] = {}
    for key, answer in value.items():
        if (match := re.search(r"\d{1,2}", key)) and 1 <= int(match[0]) <= count:
            _keep(by_question, int(match[0]), answer)
    return Answers(by_question, "json", json.rivals, json.faults) if by_question else None


def _from_lines(text: str, count: int) -> Answers | None:
    """The last run of numbers that covers half of the questions; an earlier one that differs is a rival.

    Where no run does, all lines count together, and a number given twice with different answers is ambiguous.
    """
    runs: list[dict[int, Any]] = [{}]
    last = 0
    for number, answer in _list_numbered(text):
        if not 1 <= number <= count:
            continue
        if number <= last:
            runs.append({})
        runs[-1][number] = answer
        last = number
    whole = [run for run in runs if 2 * len(run) > count]
    if whole:
        return Answers(whole[-1], "lines", sum(run != whole[-1] for run in whole))
    together: dict[int, Any] = {}
    for run in runs:
        for number, answer in run.items():
            _keep(together, number, answer)
    return Answers(together, "lines") if together else None


def _list_numbered(text: str) -> list[tuple[int, str]]:
    """Numbered lines; where one is empty or only repeats its question, the line below is its answer."""
    numbered: list[tuple[int, str]] = []
    waiting: int | None = None
    for line in text.splitlines():
        match = _LINE.match(line[:500])
        if match:
            answer = unwrap(re.sub(r"^.*\?(?=\s|$)", "", match["answer"]).strip())
            waiting = int(match["number"]) if not answer else None
            if answer:
                numbered.append((int(match["number"]), answer))
        elif waiting is not None and line.strip():
            numbered.append((waiting, unwrap(line.strip(" \t>-*"))))
            waiting = None
    return numbered


def _keep(by_question: dict[int, Any], number: int, answer: Any) -> None:
    """Add an answer; a second one to the same question that differs makes it ambiguous."""
    if number in by_question and by_question[number] != answer:
        answer = Ambiguous((repr(by_question[number])[:60], repr(answer)[:60]))
    by_question[number] = answer
