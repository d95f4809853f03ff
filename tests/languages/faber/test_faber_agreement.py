"""What the reference compiler accepts we accept, and what it prints we print, but for its own slips."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from languages.faber.material import corpus, probes
from probatio.languages import faber

DELIBERATE = {
    "lexical-007": "a single-quoted text with double quotes inside is a text, not broken JavaScript",
    "declarations-076": "the size of a numerus is ignored; it does not end up as a type argument of number",
    "declarations-090": "a variable called E is the program's own, not Euler's number",
    "declarations-091": "a variable called HORA is the program's own, not a duration",
    "operators-004": "parentheses on the right of an assignment count",
    "operators-005": "parentheses on the right of an assignment count",
    "operators-006": "parentheses on the right of an assignment count",
    "operators-007": "parentheses inside an index count",
    "operators-008": "a conditional in parentheses is one operand",
    "lambdas-015": "a lambda in parentheses can be called",
    "lambdas-016": "a lambda whose body is an object returns the object",
    "lambdas-024": "a library method works on a lambda's parameter",
    "classes-020": "arguments of `novum` reach the parameters of `creo`",
    "classes-023": "a subclass can be instantiated",
    "lista-020": "a library method works on the result of another",
    "lista-027": "a comparator given to `ordinata` is used",
    "lista-039": "`minimusPer` works",
    "lista-060": "library methods can be chained",
    "tabula-copia-textus-025": "a library method works on the result of another",
    "tabula-copia-textus-042": "a library method works on the characters of a text",
    "tabula-copia-textus-044": "library methods can be chained",
    "async-generators-009": "`cede i * i` yields the product",
    "programs-008": "parentheses on the right of an assignment count",
    "programs-032": "parentheses on the right of an assignment count",
    "programs-090": "arguments of `novum` reach the parameters of `creo`",
    "edge-028": "parentheses on the right of an assignment count",
    "edge-029": "parentheses on the right of an assignment count",
    "edge-032": "parentheses on the right of an assignment count",
    "edge-033": "parentheses on the right of an assignment count",
    "edge-114": "`non xs.vacua()` is the opposite of `xs.vacua()`",
    "edge-156": "a slice is a list, also when it is stored",
    "edge-158": "a library method works on a slice",
    "edge-163": "`xs?.longitudo()` keeps its question mark",
    "edge-185": "a function called `signum` is the program's own, not the library's",
}
"""Where the reference's generated code does not do what a reader of the program expects, ours does."""

PHASES = {"lex": "lexical", "parse": "syntax", "sem": "semantic", "semantic": "semantic"}


def disagreements_on_check(entries: list[dict[str, Any]]) -> list[str]:
    differences = []
    for entry in entries:
        diagnostics = faber.check(entry["code"])
        if bool(diagnostics) == entry["check"]:
            differences.append(
                f"{entry['id']}: the reference {'accepts' if entry['check'] else 'rejects'} it; ours: {diagnostics[:1]}"
            )
    print(*differences, sep="\n")
    return differences


def disagreements_on_run(entries: list[dict[str, Any]]) -> dict[str, str]:
    accepted = [entry for entry in entries if entry["check"] and not faber.check(entry["code"])]
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda entry: faber.run(entry["code"]), accepted))
    differences = {}
    for entry, outcome in zip(accepted, outcomes, strict=True):
        if (outcome.exit, outcome.stdout) != (entry["exit"], entry["stdout"]):
            differences[entry["id"]] = (
                f"reference {entry['exit']} {entry['stdout']!r}, ours {outcome.exit} {outcome.stdout!r}"
            )
            print(entry["id"], differences[entry["id"]], DELIBERATE.get(entry["id"], "UNEXPLAINED"))
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


@pytest.mark.slow
@pytest.mark.parametrize("material", [corpus, probes], ids=["corpus", "probes"])
def test_every_program_both_accept_exits_and_prints_alike_but_for_the_deliberate_differences(material: Any) -> None:
    unexplained = {id_: text for id_, text in disagreements_on_run(material()).items() if id_ not in DELIBERATE}
    assert unexplained == {}


def test_every_deliberate_difference_is_still_one() -> None:
    listed = [entry for entry in probes() if entry["id"] in DELIBERATE]
    assert len(listed) == len(DELIBERATE)
    assert set(disagreements_on_run(listed)) == set(DELIBERATE)
