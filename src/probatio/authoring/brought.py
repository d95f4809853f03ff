"""Cases brought in from a file of prompts: what was taken of it, and the suite that is written of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from probatio.authoring.yaml_text import dump_yaml
from probatio.core.errors import UsageError
from probatio.core.text.names import make_file_name, make_file_names
from probatio.core.text.visible import make_one_line
from probatio.suites.daily_suite import MANIFEST
from probatio.suites.own_manifest import OF_A_USE_CASE
from probatio.suites.ready_graders import find_rubric, grade_expectations, need_worker, read_expectations
from probatio.suites.written_cases import name_case

FIRST_VERSION = "0.1.0"
_MOST_REASONS = 3


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


def leave_out_copied(path: Path, brought: Brought) -> Brought:
    """Without the cases whose own question, copied, is right: `suite check` refuses them. No pattern and
    no code is tried here: outside of a worker nothing would end it."""
    kept, left_out = [], list(brought.left_out)
    for case in brought.cases:
        if _is_right_when_copied(case.written):
            left_out.append(f"{case.where}: its question, copied, is a right answer")
        else:
            kept.append(case)
    if not kept:
        why = [f"{each[0].upper()}{each[1:]}." for each in left_out[:_MOST_REASONS]]
        if said := ", ".join(f"{what} ({count})" for what, count in sorted(brought.not_taken.items())):
            why.append(f"Not taken: {said}.")
        raise UsageError(" ".join([f"{path} holds no case that can be taken.", *why]))
    return brought._replace(cases=kept, left_out=left_out)


def _is_right_when_copied(written: Mapping[str, Any]) -> bool:
    expected = read_expectations(written["expect"])
    if find_rubric(expected) is not None:  # it knows a copy
        return False
    return not need_worker(expected) and grade_expectations(expected, written["prompt"]).score >= 1


def write_suite(folder: Path, name: str, path: Path, brought: Brought) -> None:
    """Write the manifest and the cases of each use case. Golds are not written: they are made of what each
    case expects."""
    form_of = make_file_names((_as_plain(case.use_case) for case in brought.cases), "prompts")
    folder_of = {case.use_case: form_of[_as_plain(case.use_case)] for case in brought.cases}
    ids = _name_cases(path, brought.cases)
    cases_of: dict[str, list[dict[str, Any]]] = {use_case: [] for use_case in folder_of}
    for name_of_case, case in zip(ids, brought.cases, strict=True):
        rest = {key: value for key, value in case.written.items() if key != "id"}
        cases_of[case.use_case].append({"id": name_of_case, **rest})
    entries = []
    for use_case, own in folder_of.items():
        (folder / own).mkdir(parents=True)
        (folder / own / "cases.yml").write_text(dump_yaml({"cases": cases_of[use_case]}), encoding="utf-8")
        entries.append({"id": own, "title": use_case, "max_tokens": OF_A_USE_CASE["max_tokens"]})
    manifest = {"name": make_file_name(name, "prompts"), "version": FIRST_VERSION, "use_cases": entries}
    said = (
        f"# Brought in from {make_one_line(path.name)}. Every constant that is not here is the built-in "
        "suite's: see docs/your-watch.md.\n"
    )
    (folder / MANIFEST).write_text(said + dump_yaml(manifest), encoding="utf-8")


def _as_plain(use_case: str) -> str:
    """A name whose form as a folder begins with a letter or a digit, as those of use cases do."""
    return use_case if make_file_name(use_case, "prompts")[0].isalnum() else f"prompts {use_case}"


def _name_cases(path: Path, cases: Sequence[BroughtCase]) -> list[str]:
    """The id of each case: its own, or one made of its prompt; a prompt that comes again gets a number."""
    owner: dict[str, str] = {}
    for case in cases:
        if given := case.written.get("id"):
            if given in owner:
                raise UsageError(f"{path}, {case.where}: the id `{given}` is that of {owner[given]}, too.")
            owner[given] = case.where
    taken, comes = set(owner), Counter[str]()
    made = []
    for case in cases:
        name = case.written.get("id")
        if not name:
            first = name = name_case(case.written["prompt"])
            comes[first] += 1
            while name in taken:
                name = f"{first}_{comes[first]}"
                comes[first] += name in taken
            taken.add(name)
        made.append(name)
    return made
