"""Purposes: each draws one part of a program that works on the registers,
and a program is a few of them in a row."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from probatio.authoring.generate.faber.draft import Draft, block
from probatio.authoring.generate.faber.levels import purposes
from probatio.authoring.generate.faber.rules import (
    PRIMES,
    Registers,
    body,
    condition,
    declare,
    function,
    registers,
    show,
    simple,
    total,
    update,
)
from probatio.authoring.generate.faber.straight import STRAIGHT

_MOST_LISTED = 12
"""A list literal is not longer; a loop with more rounds counts."""


def program(draft: Draft, purpose: str) -> list[str]:
    """The lines of a program, with marks around what could be left blank."""
    if draft.level.number == 1:
        return STRAIGHT[purpose](draft)
    for _ in range(draft.within(draft.level.functions)):
        draft.head += function(draft)
    if draft.has("class") and draft.maybe(0.4):
        draft.head += _object(draft)
    state = registers(draft)
    lines = declare(draft, state)
    if draft.has("text") and draft.maybe(0.4):
        state.texts.append(draft.name())
        lines.append(f'''varia textus {state.texts[0]} = "{draft.one(("", "", ">", "="))}"''')
    more = draft.within(draft.level.parts) - 1
    for part in [purpose, *(draft.one(purposes(draft.level.number)) for _ in range(more))]:
        lines += PHASES[part](draft, state)
    lists = [f'''{name}.coniunge("{draft.one("-,;")}")''' for name in state.lists]
    lines += show(draft, [*state.registers, *state.texts, *lists])
    if draft.has("switch") and draft.maybe(0.2):
        lines = block("incipit", lines)
    return [*draft.head, *lines]


def _rounds(draft: Draft) -> int:
    return draft.within(draft.level.turns)


def _numbers(draft: Draft, count: int, low: int = 1, high: int = 20) -> str:
    return "[" + ", ".join(str(draft.between(low, high)) for _ in range(count)) + "]"


def _source(draft: Draft, lines: list[str]) -> str:
    """What a loop goes over: a list on the spot, a list with a name, or a range."""
    count = _rounds(draft)
    if count > _MOST_LISTED or (draft.has("range") and draft.maybe(0.4)):
        start = draft.between(1, 5)
        return f"{start} usque {start + count - 1}"
    if draft.maybe(0.5):
        return _numbers(draft, count)
    name = draft.name()
    lines.append(f"fixum {name} = {_numbers(draft, count)}")
    return name


def _inside(state: Registers, *extra: str) -> Registers:
    return msgspec.structs.replace(state, extra=[*state.extra, *extra], in_loop=True)


def _rules(draft: Draft, state: Registers) -> list[str]:
    return body(draft, state, draft.within(draft.level.rules), draft.level.nesting)


def _to_the_end(rules: list[str]) -> list[str]:
    """The rules without what would leave the round early."""
    return [line for line in rules if line.strip() != "perge"]


def _need_text(draft: Draft, state: Registers) -> list[str]:
    """A text to write to, and its declaration if there was none."""
    if state.texts:
        return []
    state.texts.append(draft.name())
    return [f'varia textus {state.texts[0]} = ""']


def _checkpoint(draft: Draft, state: Registers, counter: str) -> list[str]:
    if not draft.has("checkpoint") or draft.maybe(0.5):
        return []
    every = draft.between(3, 6)
    names = ", ".join(draft.chance.sample(state.registers, min(2, len(state.registers))))
    return block(f"si {counter} % {every} == {draft.between(0, every - 1)}", [f"scribe {counter}, {names}"])


def _accumulate(draft: Draft, state: Registers) -> list[str]:
    lines: list[str] = []
    over = _source(draft, lines)
    name = draft.name()
    inside = _inside(state, name)
    rules = [update(draft, inside), *_rules(draft, inside)]
    return [*lines, *block(f"ex {over} pro {name}", [*rules, *_checkpoint(draft, state, name)])]


def _search(draft: Draft, state: Registers) -> list[str]:
    """The best of a list with its place, or the first number that fits."""
    counter = draft.name()
    if draft.has("leave") and draft.maybe(0.5):
        limit = _rounds(draft) * 2
        inside = _inside(state, counter)
        found = block(f"si {condition(draft, inside)} et {counter} > {limit // 2}", ["rumpe"])
        rest = _to_the_end(_rules(draft, inside))
        lines = [f"{counter} = {counter} + 1", update(draft, inside), *rest, *found]
        state.extra.append(counter)
        return [f"varia {counter} = {draft.between(0, 4)}", *block(f"dum {counter} < {limit + 4}", lines)]
    best, place, name = (draft.name(), draft.name(), draft.name())
    first = state.registers[0]
    lines = [
        f"varia {counter} = {draft.between(0, 5)}",
        f"varia {place} = {counter}",
        f"varia {best} = {first} % {draft.between(3, 7)}",
    ]
    over = _numbers(draft, min(_MOST_LISTED, _rounds(draft)), 1, 40)
    inside = _inside(state, name)
    value = f"({total(draft, inside, name)}) % {draft.one(PRIMES[3:])}" if draft.level.number > 2 else name
    rules = [update(draft, inside)]
    if draft.level.number > 3:
        rules += _to_the_end(body(draft, inside, 1, draft.level.nesting - 1))
    measured = draft.name()
    rules += [
        f"fixum {measured} = {value}",
        *block(f"si {measured} {draft.one('>>')} {best}", [f"{best} = {measured}", f"{place} = {counter}"]),
        f"{counter} = {counter} + 1",
    ]
    state.extra += [best, place]
    return [*lines, *block(f"ex {over} pro {name}", rules), f"scribe {best}, {place}"]


def _transform(draft: Draft, state: Registers) -> list[str]:
    """A list of numbers or of words becomes another list or a text."""
    name = draft.name()
    inside = _inside(state, name)
    if not draft.has("list") or draft.maybe(0.5):
        head = _need_text(draft, state)
        text = state.texts[0]
        words = ", ".join(f'"{draft.word()}"' for _ in range(min(8, _rounds(draft))))
        size = draft.name()
        target = state.registers[0]
        rules = [
            f"fixum {size} = {name}.longitudo()",
            f"{target} = ({target} * {draft.between(2, 5)} + {size}) % {state.bounds[target]}",
        ]
        kept = f"{name}.sectio(0, {draft.between(1, 2)})" if draft.has("list") else name
        grown = f"{text} = {text} + {kept}"
        measured = state if state.extra else _inside(state, size)  # the length alone is to decide nothing
        rules += block(f"si {condition(draft, measured)}", [grown])
        if draft.maybe(0.6):
            rules = [*rules[:-1], "} secus {", f'''    {text} = "{draft.one("xyzw")}" + {text}''', "}"]
        return [*head, *block(f"ex [{words}] pro {name}", rules)]
    made = draft.name()
    lines = [f"fixum lista<numerus> {made} = [{draft.between(1, 9)}]"]
    over = _source(draft, lines)
    value = f"({total(draft, inside, name)}) % {draft.one(PRIMES)}"
    rules = [update(draft, inside)]
    added = f"{made}.adde({value})"
    if draft.maybe(0.6):
        rules += block(f"si {condition(draft, inside)}", [added])
        if draft.maybe(0.5):
            rules = [*rules[:-1], "} secus {", *(f"    {line}" for line in simple(draft, inside)), "}"]
    else:
        rules.append(added)
    state.lists.append(made)
    return [*lines, *block(f"ex {over} pro {name}", rules)]


def _simulate(draft: Draft, state: Registers) -> list[str]:
    """Registers that drive each other, round by round."""
    counter = draft.name()
    inside = _inside(state, counter)
    rounds = _rounds(draft)
    rules = _to_the_end(_rules(draft, inside))
    rules = [update(draft, inside), *rules, *_checkpoint(draft, state, counter)]
    if draft.has("while") or draft.maybe(0.3):
        start = draft.between(0, 3)
        step = [f"{counter} = {counter} + {draft.between(1, 2)}"]
        rules = [*step, *rules] if draft.maybe(0.5) else [*rules, *step]
        head = [f"varia {counter} = {start}"]
        return [*head, *block(f"dum {counter} < {start + rounds}", rules)]
    return block(f"ex {_numbers(draft, rounds)} pro {counter}", rules)


def _dispatch(draft: Draft, state: Registers) -> list[str]:
    """Commands in a list; each does something else."""
    name = draft.name()
    kinds = [draft.word() for _ in range(draft.between(2, 3 if draft.level.number < 5 else 4))]
    more = max(0, min(_MOST_LISTED, _rounds(draft)) - len(kinds))
    given = [*kinds, *(draft.one(kinds) for _ in range(more))]
    draft.chance.shuffle(given)
    inside = _inside(state)
    depth = draft.level.nesting - 1
    most = 2 if draft.level.number > 3 else 1
    bodies = [_to_the_end(body(draft, inside, draft.between(1, most), depth)) for _ in kinds]
    lines: list[str] = []
    if draft.has("switch"):
        for kind, rules in zip(kinds, bodies, strict=True):
            lines += block(f'casu "{kind}"', rules)
        if state.texts and draft.maybe(0.5):
            lines += block("ceterum", [f"{state.texts[0]} = {state.texts[0]} + {name}"])
            given.insert(draft.between(0, len(given)), draft.word())
        lines = block(f"elige {name}", lines)
    else:
        for place, (kind, rules) in enumerate(zip(kinds, bodies, strict=True)):
            lines += block(f'{"si" if place == 0 else "} sin"} {name} == "{kind}"', rules, "")[:-1]
        lines.append("}")
    if draft.level.number > 3:
        lines.append(update(draft, inside))
    listed = ", ".join(f'"{each}"' for each in given)
    return block(f"ex [{listed}] pro {name}", lines)


def _recover(draft: Draft, state: Registers) -> list[str]:
    """A function that fails for some values, and a loop that goes on after each failure."""
    name, first, second = (draft.name(), draft.name(), draft.name())
    own = Registers([first, second], {first: 20, second: 20})
    message = f'"{draft.word()}"' + draft.one(("", f" + {first}", f" + {second}"))
    failing = [
        *block(f"si {condition(draft, own, simple=True)}", [f"iace novum Error({message})"]),
        f"redde ({total(draft, own, first)} + {second}) % {draft.one(PRIMES)}",
    ]
    draft.head += block(f"functio {name}(numerus {first}, numerus {second}) -> numerus", failing)
    lines = _need_text(draft, state)
    text, value, error = (state.texts[0], draft.name(), draft.name())
    over = _source(draft, lines)
    inside = _inside(state, value)
    target = draft.one(state.registers)
    tried = [
        f"{target} = ({target} + {name}({value}, {draft.one(state.registers)})) % {state.bounds[target]}"
    ]
    if draft.maybe(0.6):
        tried += simple(draft, inside)
    caught = draft.one(
        (
            [f'''{text} = {text} + {error}.message + "{draft.one(".,;")}"'''],
            [f"{text} = {text} + {error}.message", update(draft, inside)],
        )
    )
    rules = [*block("tempta", tried, "")[:-1], *block(f"}} cape {error}", caught, "")[:-1]]
    if draft.maybe(0.4):
        rules += block("} demum", [update(draft, inside)], "")[:-1]
    rules.append("}")
    if draft.level.number > 4:
        rules += _to_the_end(body(draft, inside, 1, 1))
    return [*lines, *block(f"ex {over} pro {value}", rules)]


def _object(draft: Draft) -> list[str]:
    """A class with two fields and a method that changes them;
    the object can be used like a function of two numbers."""
    kind = draft.name().capitalize()
    first, second, method, a, b, made = (draft.name() for _ in range(6))
    bounds = [draft.one(PRIMES), draft.one(PRIMES)]
    fields = [f"ego.{first}", f"ego.{second}"]
    state = Registers([a, b], {a: 20, b: 20}, extra=fields)
    steps = [f"{fields[0]} = ({total(draft, state, fields[0])}) % {bounds[0]}"]
    change = f"{fields[1]} = ({total(draft, state, fields[1])} + {a}) % {bounds[1]}"
    steps += block(f"si {fields[0]} {draft.one('<>')} {b}", [change]) if draft.maybe(0.6) else [change]
    steps.append(f"redde ({fields[0]} + {fields[1]} + {b}) % {draft.one(PRIMES)}")
    lines = [f"numerus {first}: {draft.between(1, 6)}", f"numerus {second}: {draft.between(1, 6)}"]
    lines += block(f"functio {method}(numerus {a}, numerus {b}) -> numerus", steps)
    draft.functions.append(f"{made}.{method}")
    return [*block(f"genus {kind}", lines), f"fixum {made} = novum {kind}()"]


PHASES: dict[str, Callable[[Draft, Registers], list[str]]] = {
    "accumulate": _accumulate,
    "search": _search,
    "transform": _transform,
    "simulate": _simulate,
    "dispatch": _dispatch,
    "recover": _recover,
}
