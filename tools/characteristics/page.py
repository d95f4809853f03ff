"""The page of operating characteristics, from the saved figures alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from causes import HEALTHY, KINDS, SCENARIOS, NamedCauses
from evidence_alone import ALL_PROFILES, FALLS, Delay
from measurements import Measurements
from promise import LIVED, PromiseKept

from probatio.core.text.markdown import format_table
from probatio.watch.simulate.faults import FAULTS
from probatio.watch.simulate.figures import AfterFault, FalseConfirmed, Measured, QuietYears, RuleFacts
from probatio.watch.simulate.profiles import JUDGED, PROFILES

RULE_NOTES = """\
What the rule can't do, and what two of its decisions save. z of a smooth decline never reaches suspicion, at
any slope. A suspicious base score is followed by a fresh round that alone counts: pooling the samples that
raised the suspicion would flag several times as often. Flagged days stay in the baseline: left out, a noisy
model would be COOKED again and again.
"""

DELAY_NOTES = """\
The evidence alone, on 25 deterministic cases; the fall comes 30 days after the reference, and 90 days are
watched. Median day of CONFIRMED, the first day being 1, and the share within 14 days. Points are taken off
every case.
"""

FALSE_NOTES = """\
Share of model-years with a false CONFIRMED, on 25 deterministic cases and on the whole suite. "Full count" is
how many days a year the evidence asked for more samples, on 25 cases and on the whole suite.
"""

EVIDENCE_NOTES = """\
- **On days at full count a steady yes/no case counts as low by one failure of three**, nearly three times as
  often as by one of one. The memory takes that into account in h; without it, its bets would have a mean
  above 1 on such days.
- **Ladders** are cases of 14 rungs at levels of 0.2 to 0.9, as the daily suite has them.
- **Two providers, 10 days at a time**: a model begins with either provider, and its reference has mostly seen
  both. Begun with the better one, later days would be worse than the reference; that was not tried.

What breaks the bound of 1 %, in this table and for this reason: healthy shifts beyond the band that last for
weeks (providers, cases redrawn, slow wander), day effects that the reference has not shown (day effect
carried over), two incidents within days, and judged tails heavier than Gaussian.
"""

PROMISE_NOTES = f"""\
"It would have seen a lasting drop of x %" stands beside an OK: x is the smallest drop that, like every larger
one, would be confirmed within 14 days with 80 %. Models live {LIVED} days, x is computed from their own
reference, and then many futures of each lose just that much of everything.
"""

CAUSE_NOTES = f"""\
Five models of four vendors behind two providers live {HEALTHY} healthy days, then something happens; the
verdict of its second day is read, where the model is flagged. Shares are of the flagged runs, with 95 %
intervals; in brackets how many were flagged.

What yes/no cases hide: at 92 % a use case of twelve cases scatters by eight points. A server that cuts 7 % of
the answers (320 tokens) takes about as much, so some of the flagged days would have been flagged without it,
and then no cause outside the model may be named. The same holds for a deterministic use case that chance puts
low on the day the judge becomes harsher.

Beyond all this is a judge that has become harsh to one model only.
"""

QUIET_NOTES = """\
Columns of the rule: use-case-days flagged SUSPICIOUS or worse (deterministic use cases), models that were
ever COOKED, COOKED episodes per model-year. Columns of the evidence: models that were ever SUSPECTED or
CONFIRMED in the time watched. The last columns are the share of use-case-days asked at full count, and the
mean length of low spells in the references.
"""

FAULT_NOTES = """\
A fault begins 30 days after the reference. Per layer: the share of models that got the alarm in the days
watched, and its median day; the fault's first day is day 1. "By day" is when nine in ten had it. Models
already at the alarm when the fault began are left out. Compare the rule's columns with its false alarms
above: noise that brings several COOKED in a healthy year also brings them in 90 days of a fault that the rule
can't detect.

One dead case alone is beyond the evidence: it is 4 % of one pool. The rule flags its use case on the first
day, and has forgotten it by the tenth.
"""

HARMLESS_NOTES = """\
The calibration set shows a shift of the judge: beyond the gate of 0.3 judged scores place no bet; under it
the evidence reads them with the shift taken off. A new route is held for three days and then starts a new
series; an outage is a gap. The COOKED that remain come from the noise of the first table: compare the rows of
the outage there, and those of the new route, which fails more often, with the next noisier ones.
"""


def render_page(figures: Measurements) -> str:
    """The page in Markdown."""
    cpu = figures.cpu_seconds
    parts = [
        "# Operating characteristics of the verdict\n",
        f"Made by `python tools/characteristics/measure.py FOLDER --models {figures.models} --days "
        f"{figures.days} --seed {figures.seed} --publish`, which runs the real rule and the real evidence "
        f"over synthetic models (suite {figures.suite_version}: ten use cases, five cases each). Do not "
        "edit: the figures are in `src/probatio/watch/simulate/operating_characteristics.json`. "
        "Brackets are 95 % intervals over models. A model's first 28 days are its reference and are not "
        f"counted.{'' if cpu is None else f' All parts together took {cpu / 60:.0f} minutes of CPU.'}\n",
    ]
    if figures.facts is not None:
        parts += ["## The rule's limits\n", RULE_NOTES, _rule_table(figures.facts, figures.faults)]
    if figures.delays:
        parts += ["## The evidence after a fall\n", DELAY_NOTES, _delay_table(figures.delays)]
    if figures.false_confirmed:
        parts += [
            "## The evidence while nothing is wrong\n",
            FALSE_NOTES,
            _false_table(figures.false_confirmed),
        ]
        parts.append(EVIDENCE_NOTES)
    if figures.promises:
        parts += ["## Does the smallest detectable drop keep its promise?\n", PROMISE_NOTES]
        parts.append(_promise_table(figures.promises))
    if figures.causes:
        parts += ["## Which cause is named\n", CAUSE_NOTES, _cause_table(figures.causes)]
    if figures.quiet:
        parts += ["## False alarms: nothing is wrong\n", _quiet_table(figures.quiet), QUIET_NOTES]
    for harmless, title, notes in (
        (False, "## Which faults are detected, and how soon\n", FAULT_NOTES),
        (True, "## Not caused by the model: every alarm is false\n", HARMLESS_NOTES),
    ):
        chosen = [each for each in figures.faults if each.harmless == harmless]
        if chosen:
            parts += [title, notes]
            parts += [_fault_table(name, chosen) for name in dict.fromkeys(each.fault for each in chosen)]
    # A paragraph is one line in Markdown.
    return re.sub(r"(?<=[^\n|])\n {0,2}(?=[^\n|#\s-])", " ", "\n".join(parts))


def _rule_table(facts: RuleFacts, faults: Sequence[AfterFault]) -> str:
    lost = [each for each in faults if each.fault == "drop-20-all"]
    forgotten = [
        (each.profile, each.forgotten_by_day_10) for each in lost if each.forgotten_by_day_10 is not None
    ]
    rows = [
        ["z of a smooth decline ends at", f"{facts.decline_z:.2f}".replace("-", "−")],
        [
            "falsely SUSPICIOUS use-case-days with 1 % flips, the fresh round alone counts",
            _percent(facts.fresh),
        ],
        ["the same, the samples that raised the suspicion pooled in", _percent(facts.pooled)],
        ["COOKED episodes a year at 90 % cases, flagged days in the baseline", _number(facts.flagged_in)],
        ["the same, flagged days left out", _number(facts.flagged_out)],
        [
            "20 % lost everywhere: COOKED by day 2",
            _by_profile((each.profile, each.cooked_by_day_2) for each in lost),
        ],
        ["20 % lost everywhere: forgotten by day 10", _by_profile(iter(forgotten))],
    ]
    return _lines(["", "here"], rows)


def _by_profile(shares: Iterator[tuple[str, Measured]]) -> str:
    return "; ".join(f"{profile} {share.value:.1%}" for profile, share in shares) or "–"


def _delay_table(delays: Sequence[Delay]) -> str:
    rows = [
        [
            ALL_PROFILES[each.profile].title,
            FALLS[each.fall].title,
            f"not in {each.days}" if each.confirmed.median is None else f"{each.confirmed.median:g}",
            _percent(each.in_time),
            str(each.models),
        ]
        for each in delays
    ]
    return _lines(["noise", "fall", "CONFIRMED on day", "in 14 days", "models"], rows)


def _false_table(false: Sequence[FalseConfirmed]) -> str:
    by_profile: dict[str, dict[bool, FalseConfirmed]] = {}
    for each in false:
        by_profile.setdefault(each.profile, {})[each.whole_suite] = each
    rows = []
    for profile, shapes in by_profile.items():
        both = [shapes.get(whole_suite) for whole_suite in (False, True)]
        rows.append(
            [
                ALL_PROFILES[profile].title,
                *("–" if each is None else _percent(each.confirmed) for each in both),
                " / ".join("–" if each is None else f"{each.full_days:g}" for each in both),
                " / ".join("–" if each is None else str(each.models) for each in both),
            ]
        )
    return _lines(["noise", "25 cases", "whole suite", "full count", "models"], rows)


def _promise_table(promises: Sequence[PromiseKept]) -> str:
    rows = [
        [
            ALL_PROFILES[each.profile].title,
            "whole suite" if each.whole_suite else "25 cases",
            f"{each.drop:.1%}",
            f"{each.kept:.0%} [{max(each.low, 0):.0%}, {min(each.high, 1):.0%}]",
            f"{each.models} × {each.futures}",
        ]
        for each in promises
    ]
    for whole_suite in (False, True):
        kept = [each.kept for each in promises if each.whole_suite == whole_suite]
        if kept:
            shape = "whole suite" if whole_suite else "25 cases"
            rows.append(["**mean**", shape, "", f"**{sum(kept) / len(kept):.0%}**", ""])
    return _lines(["noise", "cases", "smallest drop", "confirmed in 14 days", "references × futures"], rows)


def _cause_table(causes: Sequence[NamedCauses]) -> str:
    by = {(each.scenario, each.kind): each for each in causes}
    rows = [
        [scenario, cause, *(_cause_share(by.get((scenario, kind))) for kind in KINDS)]
        for scenario, (cause, _) in SCENARIOS.items()
    ]
    return _lines(["what happens", "true cause", *(kind.title for kind in KINDS.values())], rows)


def _cause_share(named: NamedCauses | None) -> str:
    if named is None or not named.flagged:
        return "–"
    right = named.right
    wrong = "".join(f", {cause} {count}" for cause, count in named.others.items())
    return f"{right.value:.0%} [{right.low:.0%}, {right.high:.0%}] ({named.flagged} of {named.runs}{wrong})"


def _quiet_table(results: Sequence[QuietYears]) -> str:
    rows = [
        [
            PROFILES[each.profile].title,
            JUDGED[each.noise].title,
            _percent(each.suspicious),
            _percent(each.cooked),
            _number(each.cooked_episodes),
            _percent(each.suspected),
            _percent(each.confirmed),
            f"{each.rerun.value:.1%}",
            "–" if each.spell_mean is None else f"{each.spell_mean:g}",
        ]
        for each in results
    ]
    head = (
        "noise of the cases | judged | SUSPICIOUS | COOKED | episodes | SUSPECTED | CONFIRMED | full count "
        "| spells"
    )
    return _lines(head.split(" | "), rows)


def _fault_table(fault: str, results: Sequence[AfterFault]) -> str:
    chosen = [each for each in results if each.fault == fault]
    rows = [
        [
            PROFILES[each.profile].title,
            _percent(each.cooked.share),
            _day(each.cooked.median),
            _day(each.cooked.late),
            _percent(each.confirmed.share),
            _day(each.confirmed.median),
            _day(each.confirmed.late),
        ]
        for each in chosen
    ]
    title = (
        f"### {FAULTS[fault].title[0].upper()}{FAULTS[fault].title[1:]}\n\nWatched for {chosen[0].days} "
        "days.\n"
    )
    return (
        title
        + "\n"
        + _lines(["noise", "COOKED", "median day", "by day", "CONFIRMED", "median day", "by day"], rows)
    )


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(format_table(head, rows)) + "\n"


def _percent(part: Measured) -> str:
    return f"{part.value:.1%} [{part.low:.1%}, {part.high:.1%}]"


def _number(part: Measured) -> str:
    return f"{part.value:.2f} [{part.low:.2f}, {part.high:.2f}]"


def _day(day: float | None) -> str:
    return "–" if day is None else f"{day:g}"
