"""An evaluator of Faber programs: it walks the checked tree and shares nothing with the emitter or with TypeScript.

It is the second opinion on what a program prints. What it can't judge it declines, and never guesses.
"""

from __future__ import annotations

from probatio.languages.faber.evaluate.program import Outcome, evaluate, evaluate_text
from probatio.languages.faber.evaluate.values import Declined

__all__ = ["Declined", "Outcome", "evaluate", "evaluate_text"]
