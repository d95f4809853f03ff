"""Cases brought in from a file of prompts: what was taken of it, and the suite that is written of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from probatio.authoring.yaml_text import dump_yaml
from probatio.core.errors import UsageError
from probatio.core.text.names import make_file_name, make_file_names
from probatio.suites.daily_suite import MANIFEST, name_case
from probatio.suites.own_manifest import OF_A_USE_CASE
from probatio.suites.ready_graders import grade_expectations, read_expectations

FIRST_VERSION = "0.1.0"
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class BroughtCase(NamedTuple):
    """One case as its file has it."""

    where: str
    """Such as `line 4`."""
    use_case: str
    written: dict[str, Any]
    """As it stands in cases.yml: prompt, expect, and what else it has."""


class Brought(NamedTuple):
    """What a file holds for a daily suite."""

    cases: Sequence[BroughtCase]
    not_taken: Counter[str]
    """What has no meaning here, with its count."""
    left_out: Sequence[str]
    """Cases that can't be taken, each with its reason."""


def find_variables(text: str) -> list[str]:
    """The names of the variables in a text."""
    return _VARIABLE.findall(text)


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with each `{{name}}` in it filled. Raises ValueError for what has no value."""
    for name in find_variables(text):
        if name not in values:
            raise ValueError(f"`{{{{{name}}}}}` has no value")
    if "{{" in _VARIABLE.sub("", text):
        raise ValueError("only {{name}} is filled, no other template")
    return _VARIABLE.sub(lambda match: values[match[1]], text)


def leave_out_copied(path: Path, brought: Brought) -> Brought:
    """Without the cases whose own question, copied, is right: `suite check` refuses them. No pattern is tried
    here: outside of a worker nothing would end it."""
    copied = [case for case in brought.cases if _is_right_when_copied(case.written)]
    kept = [case for case in brought.cases if case not in copied]
    said = [f"{case.where}: its question, copied, is a right answer" for case in copied]
    left_out = [*brought.left_out, *said]
    if not kept:
        why = f" {left_out[0][0].upper()}{left_out[0][1:]}." if left_out else ""
        raise UsageError(f"{path} holds no case that can be taken.{why}")
    return brought._replace(cases=kept, left_out=left_out)


def _is_right_when_copied(written: Mapping[str, Any]) -> bool:
    expected = read_expectations(written["expect"])
    if any(each.grader == "regex" for each in expected):
        return False
    return grade_expectations(expected, written["prompt"]).score >= 1


def write_suite(folder: Path, name: str, path: Path, brought: Brought) -> None:
    """Write the manifest and the cases of each use case. Golds are not written: they are made of what each
    case expects."""
    folder_of = make_file_names((case.use_case for case in brought.cases), "prompts")
    ids = _name_cases(path, brought.cases)
    entries = []
    for use_case, own in folder_of.items():
        cases = [
            {"id": ids[number], **{key: value for key, value in case.written.items() if key != "id"}}
            for number, case in enumerate(brought.cases)
            if case.use_case == use_case
        ]
        (folder / own).mkdir(parents=True)
        (folder / own / "cases.yml").write_text(dump_yaml({"cases": cases}), encoding="utf-8")
        entries.append({"id": own, "title": use_case, "max_tokens": OF_A_USE_CASE["max_tokens"]})
    manifest = {"name": make_file_name(name, "prompts"), "version": FIRST_VERSION, "use_cases": entries}
    said = (
        f"# Brought in from {path.name}. Every constant that is not here is the built-in suite's: see "
        "docs/your-watch.md.\n"
    )
    (folder / MANIFEST).write_text(said + dump_yaml(manifest), encoding="utf-8")


def _name_cases(path: Path, cases: Sequence[BroughtCase]) -> list[str]:
    """The id of each case: its own, or one made of its prompt; a prompt that comes again gets a number."""
    owner: dict[str, str] = {}
    for case in cases:
        if given := case.written.get("id"):
            if given in owner:
                raise UsageError(f"{path}, {case.where}: the id `{given}` is that of {owner[given]}, too.")
            owner[given] = case.where
    made = []
    for case in cases:
        name = first = case.written.get("id") or name_case(case.written["prompt"])
        number = 1
        while name in owner and owner[name] != case.where:
            number += 1
            name = f"{first}_{number}"
        owner[name] = case.where
        made.append(name)
    return made
