"""The section of an analysis about several attempts: solved within k, tokens, repairs, and what feedback is
worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from probatio.core.statistics.intervals import Rate
from probatio.core.text.markdown import escape_markdown, format_table
from probatio.learn.curves import SHARES
from probatio.learn.findings import Curve, FeedbackWorth, Study, TriedCurves, Trying, curve_name
from probatio.learn.report.wording import (
    DASH,
    format_interval,
    format_share,
    list_reached,
    show_picture,
)
from probatio.runs.progress import describe_solved


def summarise_attempts(study: Study) -> list[str]:
    """The short form, one line each."""
    lines = [
        f"{one.model}, {one.feedback} feedback: "
        f"{describe_solved(one.within[0].asked, [rate.passed for rate in one.within])}"
        for one in study.trying
    ]
    return lines + [_sentence(worth) for worth in study.feedback_worth]


def format_attempts(study: Study, charts: Mapping[str, str]) -> list[str]:
    if not study.trying:
        return []
    most = max(len(one.within) for one in study.trying)
    lines = [
        "## Attempts",
        "",
        "After a wrong answer the model was told so and could try again. Everything else in this analysis "
        "counts first answers.",
        "",
        *format_table(
            [
                "run",
                "model",
                "feedback",
                *(f"within {k}" for k in range(1, most + 1)),
                "tokens until solved",
                "per trial",
            ],
            [_row(one, most) for one in study.trying],
        ),
        "",
        *_contexts(study, most),
        *_curves(study, charts),
        "What became of first answers that were wrong, by their error:",
        "",
        *format_table(
            ["run", "model", "error of the first answer", "answers", "put right later", "95 % interval"],
            [
                [one.run, one.model, repair.error, rate.asked, rate.passed, format_interval(rate)]
                for one in study.trying
                for repair in one.repairs
                for rate in (repair.rate,)
            ],
        ),
        "",
    ]
    if study.feedback_worth:
        lines += ["What feedback is worth, over the same trials:", ""]
        lines += [f"- {escape_markdown(_sentence(worth))}" for worth in study.feedback_worth] + [""]
        lines += [
            "Points at each number of attempts, with 95 % intervals. Within 1 nothing had been said yet, so "
            "that column is chance:",
            "",
            *format_table(
                ["model", "feedback", *(f"within {k}" for k in range(1, most + 1))],
                [
                    [worth.model, f"{worth.b} instead of {worth.a}", *_fill(map(_points, worth.within), most)]
                    for worth in study.feedback_worth
                ],
            ),
            "",
        ]
    return lines


def _contexts(study: Study, most: int) -> list[str]:
    """By context, where there are several."""
    if all(len(one.contexts) < 2 for one in study.trying):
        return []
    rows = [
        [one.run, one.model, one.feedback, context, *_fill(map(_rate, within), most)]
        for one in study.trying
        for context, within in one.contexts.items()
    ]
    head = ["run", "model", "feedback", "context", *(f"within {k}" for k in range(1, most + 1))]
    return ["By context:", "", *format_table(head, rows), ""]


def _curves(study: Study, charts: Mapping[str, str]) -> list[str]:
    """Where documentation alone reaches the marks, and documentation with feedback."""
    if not study.tried_curves:
        return []
    rows = [
        [curve_name(curve, [each.alone for each in study.tried_curves]), name, *list_reached(curve)]
        for both in study.tried_curves
        for name, curve in name_tried(both)
    ]
    return [
        "What documentation is worth alone, by first answers, and with what is said of wrong ones. Tokens "
        "are those of context and examples:",
        "",
        *format_table(["model", "learns from", *(f"reaches {100 * share:.0f} %" for share in SHARES)], rows),
        *show_picture(charts, "attempts", "Documentation alone, and with what is said of wrong answers"),
        "",
    ]


_SAID = {"diagnostics": "compiler", "verdict": "verdict"}


def name_tried(both: TriedCurves) -> list[tuple[str, Curve]]:
    """The two curves with their names: what the model learned from."""
    said = _SAID.get(both.feedback, "further tries")
    return [
        ("documentation alone", both.alone),
        (f"documentation and {said}, {both.attempts} attempts", both.tried),
    ]


def _row(one: Trying, most: int) -> list[object]:
    return [
        one.run, one.model, one.feedback, *_fill(map(_rate, one.within), most),
        _tokens(one.tokens_to_solve), _tokens(one.tokens_spent),
    ]  # fmt: skip


def _sentence(worth: FeedbackWorth) -> str:
    points, low, high = worth.points
    difference = (
        f"{worth.model}: with {worth.b} instead of {worth.a} as feedback, {points:+.1f} points solved "
        f"within {worth.attempts} attempts (95 % {low:+.1f} to {high:+.1f}, {worth.pairs} trials)"
    )
    if worth.tokens is None:
        return f"{difference}."
    tokens, fewest, most = worth.tokens
    return f"{difference}; {tokens:+,.0f} tokens per trial ({fewest:+,.0f} to {most:+,.0f})."


def _rate(rate: Rate) -> str:
    return f"{format_share(rate)} ({format_interval(rate)})"


def _points(ends: tuple[float, float, float]) -> str:
    return "{:+.1f} ({:+.1f} to {:+.1f})".format(*ends)


def _fill(cells: Iterable[str], most: int) -> list[str]:
    """The cells of a run that may have had fewer attempts than another."""
    listed = list(cells)
    return [*listed, *[DASH] * (most - len(listed))]


def _tokens(count: float | None) -> str:
    return DASH if count is None else f"{count:,.0f}"
