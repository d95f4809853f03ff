"""The section of an analysis about several attempts: solved within k, tokens, repairs, and what feedback is
worth."""

from __future__ import annotations

from probatio.core.text.markdown import escape_markdown, format_table
from probatio.learn.findings import FeedbackWorth, Study, Trying
from probatio.learn.report.wording import DASH, format_interval, format_share


def summarise_attempts(study: Study) -> list[str]:
    """The short form, one line each."""
    lines = [
        f"{one.model}, {one.feedback} feedback: {' → '.join(format_share(rate) for rate in one.within)} "
        f"solved within {_numbers(len(one.within))} attempts"
        for one in study.trying
    ]
    return lines + [_sentence(worth) for worth in study.feedback_worth]


def format_attempts(study: Study) -> list[str]:
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
    return lines


def _row(one: Trying, most: int) -> list[object]:
    within = [f"{format_share(rate)} ({format_interval(rate)})" for rate in one.within]
    return [
        one.run, one.model, one.feedback, *within, *[DASH] * (most - len(within)),
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


def _numbers(most: int) -> str:
    return f"{', '.join(map(str, range(1, most)))} and {most}" if most > 1 else "1"


def _tokens(count: float | None) -> str:
    return DASH if count is None else f"{count:,.0f}"
