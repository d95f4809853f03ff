"""Responses without an answer: errors of the route, empty texts, refusals and cut-off texts are no wrong answers."""

from __future__ import annotations

import re

from probatio.grade.extract import without_reasoning
from probatio.records import Assessment, ErrorType, Response

_REFUSAL = re.compile(
    r"^\W*(?:i'?m sorry|sorry|i apologi[sz]e|unfortunately)?\W*(?:but )?\W*(?:i|as an ai)\b[^.\n]{0,40}"
    r"\b(?:can'?t|cannot|can not|won'?t|will not|am unable to|'m unable to|unable to|not able to)\b[^.\n]{0,20}"
    r"\b(?:help|assist|comply|provide|fulfil|fulfill|answer|do that|continue)\b",
    re.IGNORECASE,
)


def unanswered(response: Response) -> Assessment | None:
    """The assessment of a response that holds no answer at all; None where there is one to grade."""
    if response.response is None:
        return _nothing("api_error", response.error or "no answer came back")
    if response.finish_reason in ("content_filter", "refusal"):
        return _nothing("refusal", response.response[:200] or "the provider's filter withheld the answer")
    if not without_reasoning(response.response):
        if response.finish_reason == "length":
            return _nothing("truncated", "the token limit was reached before an answer began")
        return _nothing("no_response", "the response is empty")
    return None


def why_wrong(response: Response, error_type: ErrorType) -> ErrorType:
    """The label of a failed answer: that it was cut off or refused explains more than the error which followed."""
    if response.finish_reason == "length":
        return "truncated"
    if _REFUSAL.search(without_reasoning(response.response or "")[:200]):
        return "refusal"
    return error_type


def _nothing(error_type: ErrorType, detail: str) -> Assessment:
    return Assessment(level_a=False, level_b=False, level_c=False, error_type=error_type, error_detail=detail)
