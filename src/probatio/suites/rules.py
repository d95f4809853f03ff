"""Rules: the decisions of a language by name, and where tasks, examples and contexts name them.

A context marks what it tells by a comment that no model sees, `<!-- rule: indexing, strings -->`.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from probatio.core.errors import UsageError
from probatio.core.records import Rules
from probatio.core.text.names import refuse_unknown_name
from probatio.core.yamlfile import Steps, YamlFile, explain_fault

_MARK = r"<!--[ \t]{{0,9}}rules?:(?P<{0}>[^\n<>]{{0,2000}}?)-->"
_MARKS = re.compile(
    rf"^[ \t]{{0,99}}{_MARK.format('line')}[ \t]{{0,99}}(?:\n|\Z)|[ \t]{{0,9}}{_MARK.format('inside')}",
    re.MULTILINE,
)
"""A comment alone on its line takes the line with it. All has a most, or a page of blanks takes hours."""
_NAME = re.compile(r"[^\s,<>](?:[^,<>\n]{0,58}[^\s,<>])?")


def require_rule_names(rules: Collection[str], path: Path) -> None:
    """Refuse a name that a comment could not name."""
    for name in rules:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{path}: `rules` has the name {name[:60]!r}; a name has at most 60 characters, on one line, "
                "without commas, < and >."
            )


def require_known_rules(named: Rules, known: Collection[str], file: YamlFile, at: Steps, of: str) -> None:
    """Refuse a rule that language.yml does not have."""
    for number, name in enumerate(named or ()):
        if name not in known:
            sentence = str(refuse_unknown_name("rule", name, [*known], "in `rules` of language.yml"))
            raise explain_fault(file, (*at, "rules", number), sentence, of)


def take_marks(text: str, known: Collection[str], path: Path) -> tuple[str, frozenset[str]]:
    """The text of a context without its marks, and the rules they name."""
    told: set[str] = set()
    for mark in _MARKS.finditer(text):
        for name in (mark["line"] or mark["inside"] or "").split(","):
            if name.strip() not in known:
                line = text.count("\n", 0, mark.start()) + 1
                sentence = refuse_unknown_name("rule", name.strip(), [*known], "in `rules` of language.yml")
                raise UsageError(f"{path}, line {line}: {sentence}")
            told.add(name.strip())
    return _MARKS.sub("", text), frozenset(told)
