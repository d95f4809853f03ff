"""Runs as JUnit XML, which CI servers show: one test suite per model and condition, one test case per
trial. The gate of a build is one test case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from probatio.core.files import put
from probatio.core.text.visible import make_visible
from probatio.learn.compare import Comparison
from probatio.learn.exports.conditions import ExportedTrial, RecordedRun
from probatio.learn.findings import Condition
from probatio.learn.gate import Gate
from probatio.learn.report.comparison import list_comparison

_NOT_XML = re.compile("[\ufffe\uffff]")  # the only characters that are left and that XML forbids

SHOWN = 2000
"""Characters of an answer in a failure: a CI server shows it whole on one page."""


def write_junit(run: RecordedRun, target: Path) -> dict[str, int]:
    """Write the report to the file `target` and return its counts."""
    record = run.record
    root = ElementTree.Element("testsuites", name=_text(f"probatio {record.run_id}"))
    counts = {"tests": 0, "failures": 0, "errors": 0}
    seconds = 0.0
    for condition in run.conditions:
        suite = _suite(run, condition)
        root.append(suite)
        for name in counts:
            counts[name] += int(suite.get(name, "0"))
        seconds += float(suite.get("time", "0"))
    root.attrib.update({**{name: str(number) for name, number in counts.items()}, "time": f"{seconds:.3f}"})
    _write(root, target)
    return counts


def write_gate_junit(one: Comparison | None, gate: Gate, sides: Sequence[str], target: Path) -> None:
    """Write a gate as one test: it passes, fails because it is worse, or can't be judged, an error."""
    counts = {
        "tests": "1",
        "failures": str(int(gate.answer == "worse")),
        "errors": str(int(not gate.passed and gate.answer != "worse")),
    }
    root = ElementTree.Element("testsuites", name="probatio study compare", attrib=counts)
    name = _text(f"{sides[1]} against {sides[0]}")
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **counts})
    case = ElementTree.SubElement(suite, "testcase", name="not worse", classname=_text(sides[1]))
    if not gate.passed:
        kind = "failure" if gate.answer == "worse" else "error"
        ElementTree.SubElement(case, kind, message=_text(gate.sentence), type=gate.answer)
    if one is not None:
        said = ElementTree.SubElement(case, "system-out")
        said.text = _text("\n".join([gate.sentence, *list_comparison(one)]))
    _write(root, target)


def _write(root: ElementTree.Element, target: Path) -> None:
    ElementTree.indent(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    put(target, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _suite(run: RecordedRun, condition: Condition) -> ElementTree.Element:
    record = run.record
    suite = ElementTree.Element("testsuite", name=_text(f"{condition.model}: {condition.asked_with}"))
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (
        ("run_id", record.run_id),
        ("model", condition.model),
        ("context", condition.context),
        ("n_shot", condition.n_shot),
        ("dialect", condition.dialect),
        ("suite", record.suite_name),
        *run.provenance.items(),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=_text(str(value)))
    counts = {"tests": 0, "failures": 0, "errors": 0}
    seconds = 0.0
    for trial in run.trials(condition):
        case, outcome = _case(run, condition, trial)
        suite.append(case)
        counts["tests"] += 1
        if outcome:
            counts[outcome] += 1
        seconds += trial.first.response.latency_ms / 1000
    numbers = {name: str(number) for name, number in counts.items()}
    suite.attrib.update(
        {**numbers, "skipped": "0", "time": f"{seconds:.3f}", "timestamp": _text(record.created[:19])}
    )
    return suite


def _case(
    run: RecordedRun, condition: Condition, trial: ExportedTrial
) -> tuple[ElementTree.Element, str | None]:
    first, samples = trial.first, run.record.plan.samples
    name = trial.task_id if samples == 1 else f"{trial.task_id} (sample {trial.sample + 1})"
    group = ".".join((run.record.suite_name, condition.model, condition.asked_with_slug))
    seconds = f"{first.response.latency_ms / 1000:.3f}"
    case = ElementTree.Element("testcase", name=_text(name), classname=_text(group), time=seconds)
    grade = first.grade
    if grade is None or not first.scored:  # it says nothing of the model, so it is no failure
        fault = ElementTree.SubElement(
            case, "error", message=_text(first.fault), type=str(grade and grade.error_type)
        )
        fault.text = _text(first.fault)
        return case, "errors"
    if grade.correct:
        return case, None
    message = _text(grade.error_detail or str(grade.error_type))
    failure = ElementTree.SubElement(case, "failure", message=message[:300], type=str(grade.error_type))
    failure.text = _text(f"{grade.error_detail or ''}\n\nAnswer:\n{(first.response.response or '')[:SHOWN]}")
    return case, "failures"


def _text(text: str) -> str:
    """Text as XML can hold it: a control character is written as its code."""
    return _NOT_XML.sub("\ufffd", make_visible(text))
