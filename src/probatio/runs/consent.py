"""Consent: what the work will cost, and a question to the user if that is more than a limit.

Runs and days, on the command line and in Python, all begin here: `prepare` finds what is wrong with the
request, `agree` says how long it takes and asks for consent, and then the work is carried out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from probatio.core.errors import Incomplete, Say, UsageError


class Estimate(NamedTuple):
    """US dollars at most, as far as prices are known, and the seconds that embedded models take."""

    cost: float
    seconds: dict[str, float]


class Prepared(Protocol):
    """Work that can begin: nothing is wrong with the request, nothing was asked yet."""

    @property
    def title(self) -> str:
        """The work as the subject of a sentence."""
        ...

    @property
    def max_cost(self) -> float | None: ...

    @property
    def confirm_above(self) -> float: ...

    def estimate(self) -> Estimate: ...


class Consent(NamedTuple):
    """How the user agrees: beforehand, or when asked. `ways` is the advice if no one can be asked."""

    given: bool
    ways: str
    ask: Callable[[str], bool] | None = None


def agree(prepared: Prepared, consent: Consent, say: Say) -> None:
    """Say how long embedded models take. Cost above the limit needs consent, or a `max_cost`."""
    expected = prepared.estimate()
    for model, seconds in expected.seconds.items():
        say(f"{model}: {on_this_machine(seconds)}.")
    if consent.given or prepared.max_cost is not None or expected.cost <= prepared.confirm_above:
        return
    sentence = (
        f"{prepared.title} is expected to cost about ${expected.cost:.2f}: more than "
        f"${prepared.confirm_above:.2f} "
        "(`confirm_above` in models.yml)."
    )
    if consent.ask is None:
        raise UsageError(f"{sentence} {consent.ways} Nothing was asked.")
    if not consent.ask(f"{sentence} Go on?"):
        raise Incomplete("Nothing was asked.")


def on_this_machine(seconds: float) -> str:
    """`about 16 minutes on this machine`."""
    if seconds < 90:
        length = f"{max(1, round(seconds))} seconds" if round(seconds) > 1 else "a second"
    elif seconds < 5400:
        length = f"{round(seconds / 60)} minutes"
    else:
        length = f"{seconds / 3600:.1f} hours"
    return f"about {length} on this machine"
