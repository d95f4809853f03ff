"""Progress: dots, a line per trial with --verbose, an event per line with --json; a footer on terminals."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from probatio.core.records import (
    NOT_SCORED,
    UNASKED_ERRORS,
    UNCHECKED,
    Grade,
    Response,
    SampleAnswer,
    SampleGrade,
)
from probatio.core.redact import redact
from probatio.core.text.visible import make_one_line, make_visible, unwrap_stream

if TYPE_CHECKING:
    from probatio.runs.engine import Engine, Tally

FOOTER_SECONDS = 0.1


def mark(grade: Grade | SampleGrade) -> str:
    """`.` pass, `x` fail, `E` request failed, `?` answer could not be checked."""
    if grade.error_type == UNCHECKED:
        return "?"
    if grade.error_type in UNASKED_ERRORS:
        return "E"
    return "." if grade.correct else "x"


SIGNS = ". full credit   o some   x none   E request failed   ? could not be checked"
"""The legend of `mark_of_score`."""


def mark_of_score(grade: Grade | SampleGrade) -> str:
    """Where credit is partial: `.` full, `o` some, `x` none, `E` error, `?` could not be checked; `-` for an
    earlier turn, which has no score."""
    if grade.error_type == UNCHECKED:
        return "?"
    if grade.error_type == NOT_SCORED:
        return "-"
    if grade.error_type in UNASKED_ERRORS:
        return "E"
    return "." if grade.correct else "o" if grade.score > 0 else "x"


def summary_line(tally: Tally, seconds: float) -> str:
    """`39/42 passed (93%) in 19.6s — $0.01`, followed by failed requests and unchecked answers, if any. With
    several attempts, what was solved at once and within all of them."""
    asked = tally.passed + tally.failed
    share = f"{100 * tally.passed / asked:.0f}%" if asked else "–"
    money = f"${tally.spent:.2f}" if tally.spent >= 0.005 or not tally.spent else f"${tally.spent:.4f}"
    passed = f"{tally.passed}/{asked} passed ({share})"
    if tally.tried:
        passed = describe_solved(tally.tried, tally.solved)
    line = f"{passed} in {spell(seconds)} — {money}"
    line += f", {tally.errors} requests failed" if tally.errors else ""
    return (
        f"{line}, {describe_unchecked(tally.unchecked, asked + tally.unchecked)}" if tally.unchecked else line
    )


def describe_solved(tried: int, solved: Sequence[int]) -> str:
    """`10 of 24 at once (42 %), 21 of 24 within three (88 %)`."""
    most = len(solved)
    within = _NUMBERS[most] if most < len(_NUMBERS) else str(most)
    ends = ((solved[0], "at once"), (solved[-1], f"within {within}"))
    return ", ".join(f"{count} of {tried} {when} ({100 * count / tried:.0f} %)" for count, when in ends)


_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def describe_unchecked(unchecked: int, answers: int) -> str:
    """`2 of 40 answers (5%) could not be checked`."""
    return f"{unchecked} of {answers} answers ({100 * unchecked / answers:.0f}%) could not be checked"


def spell(seconds: float) -> str:
    """A duration as a person says it."""
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02d}m" if hours else f"{minutes}m {rest:02d}s"


class Quiet:
    """A mark per trial; on a terminal the footer under the marks shows how the run goes."""

    def __init__(
        self,
        tally: Tally,
        concurrency: Callable[[], tuple[int, int]],
        waiting: Callable[[], float] = lambda: 0.0,
        out: TextIO | None = None,
        mark: Callable[[Grade | SampleGrade], str] = mark,
    ) -> None:
        self._mark = mark
        self._tally = tally
        self._concurrency = concurrency
        self._waiting = waiting  # seconds that a server has asked us to wait and that are not over
        self._out = out or unwrap_stream(sys.stdout)  # the footer needs escapes
        self._live = self._out.isatty()
        self._width = max(20, shutil.get_terminal_size().columns - 1) if self._live else 0
        self._line = ""
        self._footer_shown = False
        self._drawn = 0.0
        self._began = time.monotonic()
        self.first_unchecked = ""

    def trial(self, response: Response | SampleAnswer, grade: Grade | SampleGrade) -> None:
        if grade.error_type == UNCHECKED and not self.first_unchecked:
            self.first_unchecked = f"{response.task_id} {grade.error_detail}"
        if not self._live:
            self._out.write(self._mark(grade))
            self._out.flush()
            return
        self._line += self._mark(grade)
        now = time.monotonic()
        if len(self._line) >= self._width:
            self._draw(wrap=True)
        elif now - self._drawn >= FOOTER_SECONDS or self._tally.done >= self._tally.total:
            self._drawn = now
            self._draw()

    def tick(self) -> None:
        """Count down while nothing comes."""
        if self._live and self._waiting() and time.monotonic() - self._drawn >= FOOTER_SECONDS:
            self._drawn = time.monotonic()
            self._draw()

    def say(self, sentence: str) -> None:
        """Show a sentence on a new line, above the footer."""
        self._erase()
        self._out.write(("\n" if self._line else "") + make_visible(redact(sentence)) + "\n")
        self._line = ""
        self._out.flush()

    def stopping(self, reason: str, in_flight: int) -> None:
        many = "1 answer" if in_flight == 1 else f"{in_flight} answers"
        waiting = (
            f" Waiting for {many} in flight; Ctrl-C again drops {'it' if in_flight == 1 else 'them'}."
            if in_flight
            else ""
        )
        self.say(f"Stopping: {reason}{waiting}")

    def close(self) -> None:
        self._erase()
        self._out.write("\n")
        self._out.flush()

    def _draw(self, wrap: bool = False) -> None:
        self._erase()
        self._out.write("\r" + self._line)
        if wrap:
            self._out.write("\n")
            self._line = ""
        self._out.write(
            "\n"
            + self._footer()[: self._width]
            + "\x1b[1A\r"
            + (f"\x1b[{len(self._line)}C" * bool(self._line))
        )
        self._footer_shown = True
        self._out.flush()

    def _erase(self) -> None:
        if self._footer_shown:
            self._out.write("\x1b[J")
            self._footer_shown = False

    def _footer(self) -> str:
        tally, elapsed = self._tally, time.monotonic() - self._began
        rate = tally.asked / elapsed if elapsed > 0 else 0.0
        left = spell((tally.total - tally.done) / rate) if rate else "?"
        in_flight, limit = self._concurrency()
        wait = self._waiting()
        asked = (
            f" · a server asks to wait {round(wait)}s"
            if 1 <= wait < 60
            else f" · a server asks to wait {spell(wait)}"
        )
        if wait >= 1 and not in_flight:
            return f"{tally.done}/{tally.total}{asked} · ${tally.spent:.2f}"
        return (
            f"{tally.done}/{tally.total} · {tally.passed} passed · {rate:.1f}/s · {left} left · "
            f"${tally.spent:.2f} · {in_flight} of {limit} in flight{asked if wait >= 1 else ''}"
        )


class Verbose(Quiet):
    """A line per trial: task, model and condition, how it went, and why it failed."""

    def tick(self) -> None:
        """No footer, no countdown: the sentence that begins a wait is enough."""

    def trial(self, response: Response | SampleAnswer, grade: Grade | SampleGrade) -> None:
        if isinstance(response, SampleAnswer):
            asked, condition = (
                response.case,
                f"{response.model} · {response.round} · sample {response.sample}",
            )
            score = f", score {100 * grade.score:.0f}"
        else:
            asked = response.task_id
            condition = f"{response.model} · {response.context} · {response.n_shot}-shot · {response.dialect}"
            score = ""
        why = ": ".join(each for each in (grade.error_type, grade.error_detail) if each)
        cost = f"${response.cost:.6f}" if response.cost else "$0"
        line = (
            f"{self._mark(grade)} {self._tally.done}/{self._tally.total} {asked} [{condition}] "
            f"{response.tokens_in}+{response.tokens_out} tokens, {response.latency_ms:.0f} ms, {cost}{score}"
            f"{', try ' + str(response.tries) if response.tries > 1 else ''}{'  ' + why if why else ''}"
        )
        self._out.write(make_one_line(redact(line)) + "\n")
        self._out.flush()


class Events(Quiet):
    """One JSON object per line, for scripts."""

    def tick(self) -> None:
        """No footer, no countdown: the event that begins a wait is enough."""

    def trial(self, response: Response | SampleAnswer, grade: Grade | SampleGrade) -> None:
        self.event(
            "trial",
            **response.key._asdict(),
            correct=grade.correct,
            score=grade.score,
            level_a=grade.level_a,
            level_b=grade.level_b,
            level_c=grade.level_c,
            error_type=grade.error_type,
            error_detail=grade.error_detail,
            cost=response.cost,
            tokens_in=response.tokens_in,
            tokens_out=response.tokens_out,
            latency_ms=response.latency_ms,
            tries=response.tries,
            provider=response.provider,
            done=self._tally.done,
            total=self._tally.total,
        )

    def say(self, sentence: str) -> None:
        self.event("note", text=sentence)

    def stopping(self, reason: str, in_flight: int) -> None:
        self.event("stopping", reason=reason, in_flight=in_flight)

    def close(self) -> None:
        self._out.flush()

    def event(self, name: str, **fields: Any) -> None:
        # Within JSON, what is made visible is the same text.
        self._out.write(make_visible(redact(msgspec.json.encode({"event": name, **fields}).decode())) + "\n")
        self._out.flush()


class Show:
    """Opens the view that the flags ask for, and closes it."""

    def __init__(
        self, *, as_json: bool, verbose: bool, mark: Callable[[Grade | SampleGrade], str] = mark
    ) -> None:
        self._kind = Events if as_json else Verbose if verbose else Quiet
        self._mark = mark
        self._view: Quiet | None = None

    def open(self, engine: Engine) -> Quiet:
        gate = engine.gate
        self._view = self._kind(
            engine.tally, lambda: (gate.in_flight, gate.limit), gate.reopens_in, mark=self._mark
        )
        return self._view

    def say(self, sentence: str) -> None:
        if self._view:
            self._view.say(sentence)
        else:
            print(make_visible(redact(sentence)), file=unwrap_stream(sys.stderr))

    def close(self) -> Quiet | None:
        """End the progress; what is shown after it is the caller's."""
        if self._view:
            self._view.close()
        return self._view
