"""Python: functions of a model called in the jail, one call after another, by an interpreter that can import
nothing of ours."""

from __future__ import annotations

from probatio.languages.python.calls import Call, CallFailed, Raised, Result, Returned, run_calls
from probatio.languages.python.values import Opaque, same

__all__ = ["Call", "CallFailed", "Opaque", "Raised", "Result", "Returned", "run_calls", "same"]
