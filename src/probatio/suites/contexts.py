"""Contexts: how much of the language a model is shown, from nothing to all of it, in any dialect.

A context is a Markdown template. A program in a fence of the language is shown in the dialect. What the
language can tell about itself is filled in, so that it can't go stale: `{{grammar}}`, `{{vocabulary}}` (also
with single braces), and whatever else its implementation knows, as in `{{words: types}}`. Under a twist a
context that says anything states its rule too.
"""

from __future__ import annotations

import re
from functools import lru_cache

from probatio.core.errors import UsageError
from probatio.languages.contract import Language, Twisting, twist_of
from probatio.suites.language_suite import Suite

_PLACEHOLDER = re.compile(
    r"\{\{\s*(?P<what>[a-z_]+)\s*(?::\s*(?P<argument>[^}]*?))?\s*\}\}|(?<!\{)\{(?P<plain>grammar|vocabulary)\}(?!\})"
)

RULE = "One rule is not the usual one here:\n- {rule}"
"""How a context states the rule of a twist. A context without a word leaves it to the examples."""


def context_text(suite: Suite, context: str, dialect: str) -> str:
    """The context as a model reads it."""
    text, _ = suite.template(context)
    return render_context(suite.language, suite.spec.fences, text, dialect, f"{suite.name}, {context}")


@lru_cache(maxsize=256)
def render_context(
    language: Language, fences: tuple[str, ...], template: str, dialect: str, where: str
) -> str:
    """A template with its placeholders filled and its programs in the dialect."""

    def fill(match: re.Match[str]) -> str:
        what = match["what"] or match["plain"]
        try:
            return language.describe(what, match["argument"] or "", dialect)
        except KeyError as error:
            reason = str(error.args[0]) if error.args else ""
            raise UsageError(f"{where}: `{match[0]}` can't be filled in. {reason}".rstrip()) from None

    names = "|".join(map(re.escape, fences))
    program = re.compile(rf"(?P<open>```(?:{names})\n)(?P<body>.*?)(?P<close>\n```)", re.DOTALL)
    twisting = language if twist_of(dialect) and isinstance(language, Twisting) else None
    if twisting:
        template = twisting.restate(template, dialect)
    text = program.sub(
        lambda match: match["open"] + language.program_in(match["body"], dialect) + match["close"], template
    )
    text = _PLACEHOLDER.sub(fill, text).strip()
    return f"{text}\n\n{RULE.format(rule=twisting.rule(dialect))}" if twisting and text else text
