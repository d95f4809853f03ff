"""Programs of the first level: a few values, a few changes, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable

from probatio.authoring.generate.faber.draft import Draft


def _number(draft: Draft, high: int = 30) -> str:
    return str(draft.between(2, high))


def _operation(draft: Draft, left: str, right: str) -> str:
    return f"{left} {draft.one('++-')} {right}"


def _declare(draft: Draft, name: str, constant: bool = False) -> str:
    word = "fixum" if constant else "varia"
    return f"{word} {draft.one(('', 'numerus '))}{name} = {_number(draft)}"


def _accumulate(draft: Draft) -> list[str]:
    """One value, changed several times, with constants beside it."""
    name = draft.name()
    constants = [draft.name() for _ in range(draft.between(0, 2))]
    lines = [*(_declare(draft, each, constant=True) for each in constants), _declare(draft, name)]
    draft.chance.shuffle(lines)
    unused = list(constants)
    for _ in range(max(len(constants), draft.between(1, 3))):
        amount = unused.pop() if unused else _number(draft, 9)
        sign = draft.one("++-")
        if amount.isdigit() and draft.maybe(0.25):
            sign = "*"
            amount = str(draft.between(2, 3))
        lines.append(f"{name} {sign}= {amount}" if draft.maybe(0.3) else f"{name} = {name} {sign} {amount}")
    return [*lines, *_show(draft, [name, *(each for each in constants if draft.maybe(0.3))])]


def _simulate(draft: Draft) -> list[str]:
    """Two or three values that are added to each other."""
    names = [draft.name() for _ in range(draft.between(2, 3))]
    lines = [_declare(draft, name) for name in names]
    for place in range(draft.between(2, 3)):
        target = names[place % len(names)]
        other = draft.one([name for name in names if name != target])
        value = _operation(draft, *draft.one(((target, other), (other, target))))
        lines.append(f"{target} = {(value if draft.maybe(0.6) else f'{value} + {_number(draft, 9)}')}")
    return [*lines, *_show(draft, names)]


def _transform(draft: Draft) -> list[str]:
    """Texts put together."""
    names = [draft.name() for _ in range(draft.between(1, 3))]
    lines = [f'''fixum {draft.one(("", "textus "))}{name} = "{draft.word()}"''' for name in names]
    parts = list(names)
    for _ in range(draft.between(1, 3)):
        parts.insert(
            draft.between(0, len(parts)), f'''"{draft.one((draft.word(), "-", ", ", "!", " et "))}"'''
        )
    if draft.maybe(0.5):
        made = draft.name()
        first = next((place for place, part in enumerate(parts) if part in names))
        lines.append(f"varia textus {made} = {' + '.join(parts[: first + 1])}")
        lines += [f"{made} = {made} + {part}" for part in parts[first + 1 :]]
        return [*lines, *_show(draft, [made])]
    return [*lines, f"scribe {' + '.join(parts)}"]


def _search(draft: Draft) -> list[str]:
    """Values compared with each other."""
    names = [draft.name() for _ in range(draft.between(2, 3))]
    lines = [_declare(draft, name, constant=draft.maybe(0.6)) for name in names]
    made = draft.name()
    value = names[0]
    for name in names[1:]:
        value = _operation(draft, value, name)
    lines.append(f"fixum {made} = {value}")
    compared = f"{made} {draft.one(('>', '<', '=='))} {_number(draft, 40)}"
    return [*lines, f"scribe {made}, {compared}" + draft.one(("", f", {names[0]}"))]


def _show(draft: Draft, names: list[str]) -> list[str]:
    if len(names) > 1 and draft.maybe(0.3):
        return [f"scribe {name}" for name in names]
    label = f'"{draft.word()}", ' if draft.maybe(0.3) else ""
    return [f"scribe {label}{', '.join(names)}"]


STRAIGHT: dict[str, Callable[[Draft], list[str]]] = {
    "accumulate": _accumulate,
    "simulate": _simulate,
    "transform": _transform,
    "search": _search,
}
"""Purpose → what draws a program for it."""
