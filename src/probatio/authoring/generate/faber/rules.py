"""What happens in one round: expressions, conditions and statements over the registers of a program.

Registers stay small: every value that could grow is taken modulo a number of its own,
so that a reader can follow it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from probatio.authoring.generate.faber.draft import Draft, block

PRIMES = (7, 11, 13, 17, 19, 23, 29, 31, 37)


class Registers(msgspec.Struct):
    """The variables a rule may read and change."""

    registers: list[str]
    bounds: dict[str, int]
    """The number each register is kept below."""
    extra: list[str] = []
    """More that can be read: the variable of the loop, parameters."""
    texts: list[str] = []
    lists: list[str] = []
    in_loop: bool = False


def term(draft: Draft, state: Registers) -> str:
    """A small expression: a variable, perhaps times a number."""
    name = draft.one([*state.registers, *state.extra, *state.extra])
    if draft.maybe(0.3):
        return f"{name} * {draft.between(2, 9)}"
    return name


def total(draft: Draft, state: Registers, target: str | None = None) -> str:
    """A sum of terms, among them the target itself, so that what it was is not lost."""
    count = draft.between(1, draft.level.terms - 2)
    parts = list(dict.fromkeys(term(draft, state) for _ in range(count)))
    parts = [part for part in parts if part != target] or [draft.one(state.extra or state.registers)]
    if target is not None:
        own = target if draft.maybe(0.5) else f"{target} * {draft.between(2, 7)}"
        parts.insert(draft.between(0, len(parts)), own)
    if len(parts) < 2 or draft.maybe(0.4):
        parts.append(str(draft.between(1, 19)))
    return " + ".join(parts)


def update(draft: Draft, state: Registers, target: str | None = None) -> str:
    """A register takes a new value below its bound."""
    if target is None:  # each in its turn, so that none stays as it was
        target = state.registers[0]
        state.registers.append(state.registers.pop(0))
    if draft.functions and draft.maybe(0.35):
        name = draft.one(draft.functions)
        arguments = f"{term(draft, state)}, {draft.one([*state.registers, *state.extra])}"
        value = f"{name}({arguments})"
        sum_ = f"{target} + {value}" if draft.maybe(0.7) else f"{value} + {target}"
        return f"{target} = ({sum_}) % {state.bounds[target]}"
    return f"{target} = ({total(draft, state, target)}) % {state.bounds[target]}"


def condition(draft: Draft, state: Registers, simple: bool = False) -> str:
    """A condition that holds now and then."""
    text = _comparison(draft, state)
    if not simple and draft.has("logic") and draft.maybe(0.35):
        text = f"{text} {draft.one(('et', 'aut'))} {_comparison(draft, state)}"
    return text


def _comparison(draft: Draft, state: Registers) -> str:
    names = [*state.registers, *state.extra]
    kind = draft.between(1, 3)
    if kind == 1 or len(names) < 2:
        divisor = draft.between(2, 4)
        inner = draft.one(names)
        if draft.maybe(0.4) and len(names) > 1:
            inner = f"({inner} + {draft.one([each for each in names if each != inner])})"
        return f"{inner} % {divisor} {draft.one(('==', '==', '!='))} {draft.between(0, divisor - 1)}"
    first, second = draft.chance.sample(names, 2)
    if kind == 2:
        return f"{first} {draft.one(('>', '<', '>=', '<='))} {second}"
    bound = state.bounds.get(first, 12)
    return f"{first} {draft.one(('>', '<'))} {draft.between(max(1, bound // 3), max(2, bound * 2 // 3))}"


def grow_text(draft: Draft, state: Registers) -> str:
    """A text becomes longer by a letter or by a number."""
    text = draft.one(state.texts)
    letter = f'"{draft.one("abcdefgh")}{draft.one(("", "", "-", "."))}"'
    if draft.maybe(0.2):
        return f"{text} = {letter} + {text}"
    return f"{text} = {text} + {draft.one((letter, draft.one(state.registers)))}"


def simple(draft: Draft, state: Registers) -> list[str]:
    """One statement without a choice."""
    if state.texts and draft.maybe(0.2):
        return [grow_text(draft, state)]
    if state.lists and draft.maybe(0.15):
        name = draft.one(state.lists)
        return [f"{name}.adde({draft.one(state.registers)})"]
    return [update(draft, state)]


def choice(draft: Draft, state: Registers, depth: int) -> list[str]:
    """`si`, perhaps with `sin` and `secus`."""
    lines = block(
        f"si {condition(draft, state)}", body(draft, state, 2 if draft.maybe(0.25) else 1, depth - 1), ""
    )[:-1]
    if draft.maybe(0.25):
        lines += block(f"}} sin {condition(draft, state)}", body(draft, state, 1, depth - 1), "")[:-1]
    if draft.maybe(0.5):
        lines += block("} secus", body(draft, state, 1, depth - 1), "")[:-1]
    return [*lines, "}"]


def shrink(draft: Draft, state: Registers) -> list[str]:
    """A loop that takes one register down by steps, and counts them in another."""
    big, other = draft.chance.sample(state.registers, 2)
    step = draft.between(3, 7)
    counted = f"{other} = ({other} + {draft.between(1, 5)}) % {state.bounds[other]}"
    return block(f"dum {big} > {draft.between(step, step + 6)}", [f"{big} = {big} - {step}", counted])


def inner_loop(draft: Draft, state: Registers) -> list[str]:
    name = draft.name()
    inside = msgspec.structs.replace(state, extra=[*state.extra, name])
    values = ", ".join(str(draft.between(1, 9)) for _ in range(draft.between(2, 3)))
    return block(f"ex [{values}] pro {name}", [update(draft, inside)])


def body(draft: Draft, state: Registers, count: int, depth: int) -> list[str]:
    """Statements of a round."""
    lines: list[str] = []
    for place in range(count):
        if depth > 0 and draft.has("choice") and draft.maybe(0.45):
            lines += choice(draft, state, depth)
        elif depth > 1 and draft.has("nested") and draft.maybe(0.25):
            lines += draft.one((shrink, inner_loop))(draft, state)
        else:
            lines += simple(draft, state)
        may_leave = place == 0 and state.in_loop and count > 1 and depth > 1
        if may_leave and draft.has("leave") and draft.maybe(0.2):
            lines += block(f"si {condition(draft, state)}", [*simple(draft, state), "perge"])
    return lines


def function(draft: Draft) -> list[str]:
    """A function of two numbers, with a choice where the level has them."""
    name, first, second = (draft.name(), draft.name(), draft.name())
    bound = draft.one(PRIMES)
    state = Registers([first, second], {first: 20, second: 20})
    result = f"({total(draft, state, first)} + {second}) % {bound}"
    lines: list[str] = []
    if draft.maybe(0.7):
        other = f"({total(draft, state, second)}) % {draft.one(PRIMES)}"
        lines += block(f"si {condition(draft, state)}", [f"redde {other}"])
    lines.append(f"redde {result}")
    draft.functions.append(name)
    return block(f"functio {name}(numerus {first}, numerus {second}) -> numerus", lines)


def declare(draft: Draft, state: Registers) -> list[str]:
    """The registers with their first values."""
    return [
        f"varia {draft.one(('', 'numerus '))}{name} = {draft.between(1, min(19, state.bounds[name] - 1))}"
        for name in state.registers
    ]


def registers(draft: Draft, count: int | None = None) -> Registers:
    names = [draft.name() for _ in range(count or draft.within(draft.level.registers))]
    bounds = PRIMES if draft.level.number < 5 else PRIMES[2:]
    return Registers(names, {name: draft.one(bounds) for name in names})


def show(draft: Draft, names: Sequence[str]) -> list[str]:
    """The last values, on one line or on several."""
    if len(names) > 1 and draft.maybe(0.3):
        middle = draft.between(1, len(names) - 1)
        return [f"scribe {', '.join(names[:middle])}", f"scribe {', '.join(names[middle:])}"]
    label = f'"{draft.word()}", ' if draft.maybe(0.3) else ""
    return [f"scribe {label}{', '.join(names)}"]
