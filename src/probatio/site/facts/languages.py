"""The languages of the runs: what each is, and what a model gains in two of them between the same numbers of
tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from probatio.learn.gains import GainComparison, TaughtCurve, compare_gains
from probatio.site.facts.teaching import TaughtModel
from probatio.site.shipped import list_pages
from probatio.suites.language_suite import list_built_in_suites

LONGEST = 200
"""Characters of what a language says of itself."""


class AboutLanguage(NamedTuple):
    """What a language is, in its own words."""

    name: str
    sentence: str  # empty where its suite can't be read, or says nothing
    docs: str  # its page in these docs; empty if it has none
    dialects: list[str]  # that were asked


def describe_languages(rows: Sequence[TaughtModel]) -> list[AboutLanguage]:
    """Every language of these rows, in their order."""
    pages = {page.name for page in list_pages()}.intersection(list_built_in_suites())
    by_language: dict[str, list[TaughtModel]] = {}
    for row in rows:
        by_language.setdefault(row.language, []).append(row)
    return [
        AboutLanguage(
            language,
            next(filter(None, map(_introduce, own)), ""),
            # By the suite and not by its name, which a folder may share with a built-in one.
            next((f"docs/{row.run.record.suite}/" for row in own if row.run.record.suite in pages), ""),
            list(dict.fromkeys(row.dialect for row in own)),
        )
        for language, own in by_language.items()
    ]


def list_gains(rows: Sequence[TaughtModel]) -> list[GainComparison]:
    """For each model and two languages in which it has curves with two equal numbers of tokens."""
    several = {
        model
        for model in {row.model for row in rows}
        if len({row.language for row in rows if row.model == model and row.curve is not None}) > 1
    }
    curves = [
        TaughtCurve(row.language, f"{row.language}, {row.dialect}", row.curve, row.run.answers)
        for row in rows
        if row.curve is not None and row.model in several
    ]
    return compare_gains(curves)


def _introduce(row: TaughtModel) -> str:
    text = " ".join(row.run.suite.introduction.split()) if row.run.suite else ""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
