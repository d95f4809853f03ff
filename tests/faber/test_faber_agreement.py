"""The check accepts what the reference compiler accepts, and finds errors where it finds them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import faber
from faber_programs.material import corpus, probes

PHASES = {"lex": "lexical", "parse": "syntax", "sem": "semantic", "semantic": "semantic"}


def disagreements_on_check(entries: list[dict[str, Any]]) -> list[str]:
    differences = []
    for entry in entries:
        diagnostics = faber.check(entry["code"])
        if bool(diagnostics) == entry["check"]:
            differences.append(
                f"{entry['id']}: the reference {'accepts' if entry['check'] else 'rejects'} it; ours: "
                f"{diagnostics[:1]}"
            )
    print(*differences, sep="\n")
    return differences


@pytest.mark.parametrize("material", [corpus, probes], ids=["corpus", "probes"])
def test_check_accepts_and_rejects_what_the_reference_does(material: Any) -> None:
    assert disagreements_on_check(material()) == []


def test_the_examples_of_the_language_description_are_accepted_and_rejected_as_it_says(shared: Path) -> None:
    text = (shared / "faber" / "LANGUAGE.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(fab(?:-bad)?)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) > 5
    for kind, source in blocks:
        assert bool(faber.check(source)) == (kind == "fab-bad"), source


@pytest.mark.parametrize("material", [corpus, probes], ids=["corpus", "probes"])
def test_errors_are_found_in_the_same_phase_and_order_as_by_the_reference(material: Any) -> None:
    order = ("lexical", "syntax", "semantic")
    for entry in material():
        if entry["check"]:
            continue
        expected = [PHASES[phase] for phase, _ in entry["errors"][:3]]
        phases = sorted((d.phase for d in faber.check(entry["code"])), key=order.index)[:3]
        assert phases == expected, entry["id"]
