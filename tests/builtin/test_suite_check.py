"""The built-in languages prove themselves by `probatio suite check`: every program in their folders is what
it says it is."""

from __future__ import annotations

import pytest

from probatio.authoring.check.language import check

pytestmark = pytest.mark.slow  # every program of a suite is run

WARNINGS = {
    "faber": [("context minimal", "each context says more than the one before")],
    "kcl": [],
    "strues": [],
}


@pytest.mark.parametrize("suite", WARNINGS)
def test_suite_check_proves_a_language(suite: str) -> None:
    report = check(suite, "auto", lambda done, total: None)
    wrong = [
        f"{each.subject}: {each.claim}: {each.detail}"
        for each in report.proofs
        if each.state in ("failed", "open")
    ]
    assert not wrong, "\n".join(wrong)
    warned = [(each.subject, each.claim) for each in report.proofs if each.state == "warning"]
    assert warned == WARNINGS[suite]
