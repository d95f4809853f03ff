"""The page's part on attribution: how often each kind of fall is put down to its true cause."""

from __future__ import annotations

from collections.abc import Sequence

from probatio.simulate.causes import HEALTHY, KINDS, SCENARIOS, Named
from probatio.study.markdown import table

NOTES = f"""\
Five models of four vendors behind two providers live {HEALTHY} healthy days, then something happens; the verdict of its second
day is read, where the model is flagged. Shares are of the flagged runs, with 95 % intervals; in brackets how many were flagged.

What yes/no cases hide: at 92 % a use case of twelve cases scatters by eight points. A server that cuts 7 % of the answers (320
tokens) takes about as much, so some of the flagged days would have been flagged without it, and then no cause outside the model
may be named. The same holds for a deterministic use case that chance puts low on the day the judge becomes harsher. The
specification gives 85 / 100 % for the two cuts and 100 % for the others, and does not say on which scores.

Beyond all this is a judge that has become harsh to one model only.
"""


def causes_part(causes: Sequence[Named]) -> list[str]:
    if not causes:
        return []
    by = {(each.scenario, each.kind): each for each in causes}
    rows = [
        [scenario, cause, *(_share(by.get((scenario, kind))) for kind in KINDS)]
        for scenario, (cause, _) in SCENARIOS.items()
    ]
    head = ["what happens", "true cause", *(kind.title for kind in KINDS.values())]
    return ["## Which cause is named\n", NOTES, "\n".join(table(head, rows)) + "\n"]


def _share(named: Named | None) -> str:
    if named is None or not named.flagged:
        return "–"
    right = named.right
    wrong = "".join(f", {cause} {count}" for cause, count in named.others.items())
    return f"{right.value:.0%} [{right.low:.0%}, {right.high:.0%}] ({named.flagged} of {named.runs}{wrong})"
