"""Predictions: the output a model says a program prints, compared as the task says."""

from __future__ import annotations

from probatio.core.records import Assessment, Response, Task
from probatio.grading.extract import (
    answer_text,
    extract_prediction,
    find_output,
    why_wrong,
    without_reasoning,
)
from probatio.languages.comparison import is_same, keeps_margin, normal_form


def assess_prediction(task: Task, response: Response) -> Assessment:
    """Right if the response as given, or the answer extracted from it, is the expected output.

    The response as given counts first: a program may well print a line that looks like chatter or a fence.
    Line breaks at its end never count: in a fence they can't be told from those of the fence.
    """
    text, compare = response.response or "", task.compare
    wanted = task.runs[0].stdout
    if keeps_margin(compare):
        as_given, found, wanted = answer_text(text), find_output(text), wanted.rstrip("\r\n")
    else:
        as_given, found = without_reasoning(text), extract_prediction(text)
    is_given = is_same(as_given, wanted, compare)
    extraction = "as given" if is_given else "extracted"
    right = is_given or is_same(found, wanted, compare)
    expected, extracted = normal_form(wanted, compare), normal_form(found, compare)
    return Assessment(
        level_a=True,
        level_b=True,
        level_c=right,
        error_type=None if right else why_wrong(response, "wrong_output"),
        error_detail=None if right else f"expected {expected[:200]!r}, answered {extracted[:200]!r}",
        score=float(right),
        breakdown={"extraction": extraction, "answer": extracted[:2000]},
    )
