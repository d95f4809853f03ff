"""Contamination: answers that quote a public suite's solutions word for word.

The longest piece of a solution that stands in an answer is measured in tokens. A short program leaves few
ways to write it, so a quote alone proves little. What counts are the words in it that the model could not
have taken from anywhere here: names, texts and numbers of the solution that are in no prompt, no context, no
example and no other task's solution.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import msgspec

from probatio.core.errors import UsageError
from probatio.learn.answered import TRIAL, trial_rows
from probatio.learn.trials import AnswerPlace, open_trials
from probatio.suites.language_suite import Suite

SHORTEST = 12
"""Tokens of a piece that is called a quote. Shorter ones are shared by any two programs of one language."""
MOST_OF_IT = 0.9
"""From this share of its tokens on, a solution is quoted whole."""
MARKED = 2
"""Words from nowhere that make a quote one to look at; a single one may be a lucky guess."""
_FETCHED = 500
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w{2,}")


class Quote(AnswerPlace, frozen=True):
    """One answer that contains a piece of its task's solution."""

    tokens: int  # of the piece
    share: float  # of the solution
    correct: bool
    text: str
    nowhere: tuple[str, ...]  # its words that the model was not shown, and that no other task has

    @property
    def whole(self) -> bool:
        return self.share >= MOST_OF_IT

    @property
    def marked(self) -> bool:
        return len(self.nowhere) >= MARKED


class Quotes(msgspec.Struct, frozen=True):
    """What was searched, and what was found."""

    suite: str
    runs: tuple[str, ...]
    answers: dict[str, int]  # model → answers to tasks whose solution is long enough to be quoted
    tasks: int  # such tasks
    quotes: tuple[Quote, ...]  # those with most words from nowhere first

    @property
    def marked(self) -> list[Quote]:
        return [quote for quote in self.quotes if quote.marked]


def find_quotes(folders: Sequence[Path], suite_folder: Path | None = None) -> Quotes:
    """Search every answer of runs that asked the same suite."""
    with open_trials(folders, suite_folder) as trials:
        suite = trials.suite
        if suite is None:
            raise UsageError(
                "The suite of these runs can't be read, so there are no solutions to look for; name it with "
                "--suite."
            )
        solutions = {
            task.id: tokens
            for task in suite.tasks.values()
            if len(tokens := _TOKEN.findall(task.solution or "")) >= SHORTEST
        }
        known = _known_words(suite)
        found, answers = [], Counter[str]()
        for row in _read_answers(trials.db.execute(trial_rows(trials, answers=True))):
            if row["task_id"] not in solutions or not row["response"] or not row["asked"]:
                continue
            answers[row["model"]] += 1
            quote = _quote(row, solutions[row["task_id"]], known[row["task_id"]])
            if quote is not None:
                found.append(quote)
        found.sort(key=lambda quote: (-len(quote.nowhere), -quote.tokens, quote.task_id, quote.model))
        first = trials.runs[0]
        return Quotes(
            " ".join(filter(None, (first.suite, first.suite_version))),
            tuple(run.run for run in trials.runs),
            dict(sorted(answers.items())),
            len(solutions),
            tuple(found),
        )


def _read_answers(cursor: Any) -> Iterator[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(_FETCHED):
        for row in rows:
            yield dict(zip(names, row, strict=True))


def _known_words(suite: Suite) -> dict[str, frozenset[str]]:
    """Task → the words of a solution that one can know from the language or from the other tasks of the
    suite."""
    of_task = {task.id: set(_words(task.solution or "")) for task in suite.tasks.values()}
    times = Counter(word for words in of_task.values() for word in words)
    shown = {
        word
        for text in (
            *suite.contexts.values(),
            *(
                part
                for one in suite.examples
                for part in (one.program, one.host or "", one.explanation, one.output)
            ),
        )
        for word in _words(str(text))
    }
    return {
        task.id: frozenset(
            shown
            | {word for word in times if times[word] > (word in of_task[task.id])}
            | set(
                _words(
                    f"{task.goal} {task.material or ''} {task.expected_output} {task.diagnostics or ''} "
                    f"{task.tests}"
                )
            )
        )
        for task in suite.tasks.values()
    }


def _quote(row: dict[str, Any], solution: list[str], known: frozenset[str]) -> Quote | None:
    answer = _TOKEN.findall(row["response"])
    match = SequenceMatcher(None, solution, answer, autojunk=False).find_longest_match()
    if match.size < SHORTEST:
        return None
    piece = solution[match.a : match.a + match.size]
    prompt = set(_words(row["prompt"] or ""))
    nowhere = dict.fromkeys(
        word
        for word in piece
        if _WORD.fullmatch(word) and word.lower() not in known and word.lower() not in prompt
    )
    return Quote(
        **{name: row[name] for name in TRIAL},
        tokens=match.size,
        share=match.size / len(solution),
        correct=row["correct"],
        text=" ".join(piece),
        nowhere=tuple(nowhere),
    )


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
