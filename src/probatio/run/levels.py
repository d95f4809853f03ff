"""The levels of a run's axes: which contexts and dialects are asked, and which tasks under their twists."""

from __future__ import annotations

from probatio.errors import Say, UsageError
from probatio.languages.contract import TWISTED, twist_of
from probatio.names import matches, pick
from probatio.suite.language_suite import Suite


def levels(
    kind: str, asked: tuple[str, ...], usual: tuple[str, ...] | None, known: tuple[str, ...], suite: Suite, say: Say
) -> tuple[str, ...]:
    """What was asked for must be there. What models.yml names counts for suites that have it; empty where none is named."""
    where = f"in the suite {suite.name}, which has {', '.join(known)}"
    if asked:
        return pick(kind, asked, known, where)
    there = tuple(name for name in known if any(matches(pattern, name) for pattern in usual or ()))
    if absent := [name for name in usual or () if not any(matches(name, each) for each in known)]:
        asked_now = f" Asked: {', '.join(there)}." if there else ""
        say(
            f"models.yml names the {kind} {', '.join(absent)}, which the suite {suite.name} does not have; "
            f"it has {', '.join(known)}.{asked_now}"
        )
    return there


def chosen_dialects(asked: tuple[str, ...], usual: tuple[str, ...] | None, suite: Suite, say: Say) -> tuple[str, ...]:
    """The dialects of a run. A pattern means twisted ones only where it has a `+`, so that `*` is what it always was."""
    twisted = [pattern for pattern in asked if TWISTED in pattern]
    plain = tuple(pattern for pattern in asked if TWISTED not in pattern)
    chosen: tuple[str, ...] = ()
    if plain or not twisted:
        known = suite.language.dialects
        chosen = levels("dialect", plain, usual, known, suite, say) or known[:1]
    if twisted:
        there = suite.twisted_dialects
        if not there:
            raise UsageError(
                f"--dialect {twisted[0]}: the suite {suite.name} has no tasks under a twist (no twists/*.yml)."
            )
        chosen += pick("dialect", twisted, there, f"in the suite {suite.name}, which has {', '.join(suite.twists)}")
    return chosen


def under_twists(
    tasks: tuple[str, ...], dialects: tuple[str, ...], suite: Suite, say: Say, *, named: bool
) -> tuple[str, ...]:
    """The tasks that can be asked in all dialects; those that no twist touches only where the user named tasks.

    A plan asks the same tasks in every dialect, so the price of a rule is measured on the same tasks with and without it.
    """
    twists = [suite.twists[name] for name in dict.fromkeys(map(twist_of, dialects)) if name]
    if not twists:
        return tasks
    can = [task for task in tasks if all(task in twist.asked for twist in twists)]
    kept = [task for task in can if named or any(task in twist.touched for twist in twists)]
    if not kept:
        raise UsageError(
            "None of these tasks is touched by the twist of the dialect; choose other tasks or another twist."
        )
    names = ", ".join(twist.twist for twist in twists)
    parts = [f"{len(can) - len(kept)} are not touched by it"] if len(can) > len(kept) else []
    parts += [f"{len(tasks) - len(can)} can't be asked under it"] if len(tasks) > len(can) else []
    if parts:
        say(f"Under {names} {len(kept)} of {len(tasks)} tasks are asked; {' and '.join(parts)}.")
    if not any(not twist_of(dialect) for dialect in dialects):
        say("No dialect without a twist is asked, so this run alone can't tell the price of the rule.")
    return tuple(kept)
