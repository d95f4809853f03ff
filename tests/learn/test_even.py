"""What a figure is of: controls are in none but their own, a category is told by context, and levels that
were not asked under the same conditions are named."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from learn.runs import write_made_up_run, write_suite
from probatio.core.records import TrialKey
from probatio.learn.analysis import study_of
from probatio.learn.findings import Study
from probatio.learn.report.sections import format_report
from probatio.runs.store.layout import GRADES

CONTEXTS = ("minimal", "basic", "complete")
OWN = ("runs", "controls", "control_rate", "axes", "curves", "failures")
"""What may tell of controls: how many there are, their own rate, and the table of types. Curves and
failures are looked at without what the shared part of all prompts that were sent decides."""


def is_right(key: TrialKey) -> bool:
    return not key.task_id.startswith("control") and (int(key.task_id[-2:]) + len(key.context)) % 3 > 0


def made(root: Path, *, controls: int) -> Study:
    suite = write_suite(root / "suite", 12, controls=controls)
    axes = {"models": ("a", "b"), "contexts": CONTEXTS}
    run = write_made_up_run(root / "r", suite, is_right, samples=2, **axes)  # type: ignore[arg-type]
    return study_of([run])


def test_controls_change_no_figure_of_a_study_but_their_own(tmp_path: Path) -> None:
    with_, without = made(tmp_path / "with", controls=5), made(tmp_path / "without", controls=0)
    assert with_.controls == 5 * 2 * 3 * 2
    for name in Study.__struct_fields__:
        if name not in OWN:
            assert getattr(with_, name) == getattr(without, name), name
    for one, same in zip(with_.curves, without.curves, strict=True):
        assert [(point.rate, point.fit) for point in one.points] == [
            (point.rate, point.fit) for point in same.points
        ]
    assert [replace(each, question="") for each in with_.failures] == [
        replace(each, question="") for each in without.failures
    ]
    for axis, other in zip(with_.axes, without.axes, strict=True):
        levels = [level for level in axis.levels if level.name != "write_host"]
        assert levels == other.levels


def test_each_category_is_told_by_context_model_by_model(tmp_path: Path) -> None:
    study = made(tmp_path, controls=2)
    cells = {(cell.model, cell.category, cell.context): cell.rate for cell in study.categories}
    assert len(cells) == 2 * 2 * 3
    loops = cells["a", "loops", "minimal"]  # tasks 0, 2, … 10, twice; 7 letters
    assert (loops.passed, loops.asked, loops.tasks) == (8, 12, 6)
    text = format_report(study, {})
    assert "## Category by context" in text
    assert "| category | minimal | basic | complete |" in text
    assert "| loops | 8/12 (67 %, " in text


def test_one_note_names_the_levels_that_were_not_asked_under_the_same_conditions(tmp_path: Path) -> None:
    even = made(tmp_path / "even", controls=2)
    assert not [note for note in even.notes if "same conditions" in note]
    assert even.factors is not None
    assert not [note for note in even.factors.notes if "same conditions" in note]
    run = tmp_path / "even" / "r" / GRADES  # b under the largest context only
    lines = [msgspec.json.decode(line) for line in run.read_bytes().splitlines()]
    kept = [line for line in lines if line["model"] == "a" or line["context"] == "complete"]
    run.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in kept))
    uneven = study_of([run.parent])
    (note,) = [note for note in uneven.notes if "same conditions" in note]
    assert note.startswith("Levels of model and context were not asked")
    assert uneven.factors is not None
    assert [note for note in uneven.factors.notes if "Levels of model and context were not" in note]
