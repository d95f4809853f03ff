"""What of Probatio works on this machine, one line per activity, and the versions that go into its results."""

from __future__ import annotations

from collections.abc import Callable

YES = "yes"
IN_CONTAINER = "where models' code can be run (above)"

ACTIVITIES: dict[str, Callable[[str | None, dict[str, bool]], str]] = {
    "ask models": lambda no_jail, extras: YES,
    "ask embedded models": lambda no_jail, extras: _extra("embedded", extras),
    "grade text": lambda no_jail, extras: YES,
    "run models' code": lambda no_jail, extras: no_jail or YES,
    "study and compare": lambda no_jail, extras: YES,
    "the daily watch": lambda no_jail, extras: (no_jail and IN_CONTAINER) or _extra("watch", extras),
    "check web pages": lambda no_jail, extras: (no_jail and IN_CONTAINER) or _extra("browser", extras),
    "the site": lambda no_jail, extras: _extra("site", extras),
}
"""What a user does → whether it works, given why there is no jail (None: there is one) and which extras are installed."""


def works(no_jail: str | None, extras: dict[str, bool]) -> dict[str, str]:
    """Activity → `yes`, or why not and what to do."""
    return {name: found(no_jail, extras) for name, found in ACTIVITIES.items()}


def _extra(name: str, extras: dict[str, bool]) -> str:
    from probatio.extras import missing

    return YES if extras.get(name) else missing(name)


def versions() -> dict[str, str]:
    """The versions that a result names, each by its own name."""
    from probatio import __version__
    from probatio.grade import GRADER_VERSION
    from probatio.suite.daily_suite import load_daily
    from probatio.suite.language_file import read_language_file
    from probatio.suite.language_suite import BUILT_IN, built_in_suites

    suites = {f"suite {name}": read_language_file(BUILT_IN / name).version or "" for name in built_in_suites()}
    return {
        "software": __version__,
        "grader": GRADER_VERSION,
        **suites,
        "suite daily": load_daily(None).version,
    }
