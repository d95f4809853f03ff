"""Predictions: the output a model says a program prints, compared to the letter after trimming."""

from __future__ import annotations

from probatio.core.records import Assessment, Response, Task
from probatio.grading.extract import extract_prediction, why_wrong, without_reasoning


def assess_prediction(task: Task, response: Response) -> Assessment:
    """Right if the response as given, or the answer extracted from it, is the expected output.

    The response as given counts first: a program may well print a line that looks like chatter or a fence.
    """
    text = response.response or ""
    expected = trim(task.runs[0].stdout)
    given, extracted = trim(without_reasoning(text)), trim(extract_prediction(text))
    extraction = "as given" if given == expected else "extracted"
    right = expected in (given, extracted)
    return Assessment(
        level_a=True,
        level_b=True,
        level_c=right,
        error_type=None if right else why_wrong(response, "wrong_output"),
        error_detail=None if right else f"expected {expected[:200]!r}, answered {extracted[:200]!r}",
        score=float(right),
        breakdown={"extraction": extraction, "answer": extracted[:2000]},
    )


def trim(text: str) -> str:
    """Text as it is compared: line ends of one kind, no white space round the whole."""
    return text.replace("\r\n", "\n").strip()
