"""The ladders of extraction: every gold worked out again from the words of the prompt alone, by other code
than wrote them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from builtin.daily.cases import cases
from probatio.builtin.daily.reading.values import fold_text
from probatio.builtin.daily.structured_extraction.grader import ExtractionGold, check, leaves
from probatio.suites.daily_suite import Case

CASES = cases("structured_extraction")
FOLLOWED = 7  # the rung from which on a field follows from changes
LOOKED_UP = (2, 3, 4, 6)  # the rungs of fields that stand in the register, or are put right in the log

Amounts = dict[str, int]
Rule = tuple[str, Callable[[Amounts, re.Match[str]], None]]


def _add(state: Amounts, name: str, amount: int) -> None:
    state[name] += amount


def _exchange(state: Amounts, one: str, two: str) -> None:
    state.update({one: state[two], two: state[one]})


def _carry(state: Amounts, source: str, target: str, amount: int) -> None:
    state.update({source: state[source] - amount, target: state[target] + amount})


def _more(state: Amounts, names: re.Match[str]) -> str:
    one, two = names["a"], names["b"]
    assert state[one] != state[two], "equal: the sentence would not say which"
    return one if state[one] > state[two] else two


def _less(state: Amounts, names: re.Match[str]) -> str:
    return names["a"] if _more(state, names) == names["b"] else names["b"]


MAILS: list[Rule] = [
    (r"(?P<n>\d+) more (?P<a>\w+)|(?P<a2>\w+): add (?P<n2>\d+)",
     lambda s, m: _add(s, m["a"] or m["a2"], int(m["n"] or m["n2"]))),
    (r"(?P<n>\d+) (?P<a>\w+) fewer|(?P<a2>\w+): take (?P<n2>\d+) off",
     lambda s, m: _add(s, m["a"] or m["a2"], -int(m["n"] or m["n2"]))),
    (r"(?P<a>\w+) or (?P<b>\w+), whichever is more: take (?P<n>\d+) off",
     lambda s, m: _add(s, _more(s, m), -int(m["n"]))),
    (r"(?P<a>\w+) or (?P<b>\w+), whichever is less: double it",
     lambda s, m: _add(s, _less(s, m), s[_less(s, m)])),
    (r"halve the (?P<a>\w+)", lambda s, m: s.update({m["a"]: s[m["a"]] // 2})),
    (r"(?P<a>\w+): add as many as we now have (?P<b>\w+)", lambda s, m: _add(s, m["a"], s[m["b"]])),
    (r"(?P<a>\w+): as many as (?P<b>\w+) now, plus (?P<n>\d+)",
     lambda s, m: s.update({m["a"]: s[m["b"]] + int(m["n"])})),
    (r"exchange the quantities of (?P<a>\w+) and (?P<b>\w+)", lambda s, m: _exchange(s, m["a"], m["b"])),
]  # fmt: skip
ENTRIES: list[Rule] = [
    (r"(?P<a>\w\d) gets (?P<n>\d+)", lambda s, m: _add(s, m["a"], int(m["n"]))),
    (r"(?P<n>\d+) into (?P<a>\w\d)", lambda s, m: _add(s, m["a"], int(m["n"]))),
    (r"(?P<n>\d+) used from (?P<a>\w\d)", lambda s, m: _add(s, m["a"], -int(m["n"]))),
    (r"(?P<a>\w\d): (?P<n>\d+) out", lambda s, m: _add(s, m["a"], -int(m["n"]))),
    (r"(?P<n>\d+) from (?P<a>\w\d) to (?P<b>\w\d)", lambda s, m: _carry(s, m["a"], m["b"], int(m["n"]))),
    (r"a third of (?P<a>\w\d) thrown away", lambda s, m: _add(s, m["a"], -(s[m["a"]] // 3))),
    (r"half of (?P<a>\w\d) to (?P<b>\w\d)", lambda s, m: _carry(s, m["a"], m["b"], s[m["a"]] // 2)),
    (r"(?P<b>\w\d) filled up to (?P<n>\d+) from (?P<a>\w\d)",
     lambda s, m: _carry(s, m["a"], m["b"], max(0, int(m["n"]) - s[m["b"]]))),
    (r"the fuller of (?P<a>\w\d) and (?P<b>\w\d) gives (?P<n>\d+) to the other",
     lambda s, m: _carry(s, _more(s, m), _less(s, m), int(m["n"]))),
    (r"(?P<a>\w\d) and (?P<b>\w\d) made equal, an odd bag stays in (?P=a)",
     lambda s, m: _carry(s, m["a"], m["b"], (s[m["a"]] - s[m["b"]]) // 2)),
]  # fmt: skip


def _between(prompt: str, begin: str, end: str) -> str:
    return prompt.partition(begin)[2].partition(end)[0]


def _bare(line: str) -> str:
    return re.sub(r"\s*\([^)]*\)", "", line).strip()


def _log(prompt: str, begin: str) -> dict[int, str]:
    """Number → line, without what stands in brackets; numbered from 1 without a gap."""
    found = re.findall(r"^(\d+)\. (.*)$", _between(prompt, begin, "\n--- end"), re.MULTILINE)
    assert [int(number) for number, _ in found] == list(range(1, len(found) + 1))
    return {int(number): _bare(line) for number, line in found}


def _put_right(
    log: dict[int, str], form: str, register: dict[str, dict[str, Any]], column: str
) -> dict[int, str]:
    """Corrections of a column made (each says what stood there before); what is left of the log."""
    rest = {}
    for number, line in log.items():
        if found := re.fullmatch(form, line):
            row = register[found["name"]]
            assert str(row[column]) == found["old"], line
            row[column] = type(row[column])(found["new"])
        else:
            rest[number] = line
    return rest


def _answered(prompt: str, questions: dict[str, Callable[[str], Any]]) -> dict[str, Any]:
    """The fields whose key begins like one of the questions, answered for the rest of the key."""
    found = {}
    for key in re.findall(r'^- "(\w+)": (?:number|string)$', prompt, re.MULTILINE):
        begin, _, rest = key.partition("_")
        if rest and begin in questions:
            found[key] = questions[begin](rest)
    return found


def _only(rows: dict[str, dict[str, Any]], column: str, value: str) -> str:
    (name,) = [name for name, row in rows.items() if str(row[column]) == value]
    return name


def _after_notes(state: Amounts, notes: dict[int, str], rules: list[Rule], off: str, on: str) -> Amounts:
    """Two passes: which notes hold in the end, then those one after the other."""
    void: set[int] = set()
    for note in notes.values():
        if taken := re.fullmatch(off, note):
            void.add(int(taken[1]))
        elif again := re.fullmatch(on, note):
            void.remove(int(again[1]))
    assert void <= notes.keys()
    for number, note in notes.items():
        if number in void or re.fullmatch(f"{off}|{on}", note):
            continue
        fitting = [(act, found) for rule, act in rules if (found := re.fullmatch(rule, note))]
        assert len(fitting) == 1, note
        fitting[0][0](state, fitting[0][1])
    return state


def order(prompt: str) -> dict[str, Any]:
    rows = {
        name: {"first": int(first), "bay": int(bay), "town": town}
        for name, first, bay, town in re.findall(r"^  (\w+): (\d+), bay (\d+), (\w+)$", prompt, re.MULTILINE)
    }
    drivers = {
        town: driver
        for driver, town in re.findall(r"(\w+) from (\w+)[,.]", _between(prompt, "Brought by", "\n"))
    }
    log = _log(prompt, "--- mails ---\n")
    log = _put_right(log, r"(?P<name>\w+) are in bay (?P<new>\d+), not (?P<old>\d+)", rows, "bay")
    log = _put_right(log, r"(?P<name>\w+) come from (?P<new>\w+), not (?P<old>\w+)", rows, "town")
    first = {name: row["first"] for name, row in rows.items()}
    final = _after_notes(dict(first), log, MAILS, r"forget mail (\d+)", r"mail (\d+) counts again")
    return {f"qty_{name}": value for name, value in final.items()} | _answered(prompt, {
        "listed": first.__getitem__,
        "bay": lambda name: rows[name]["bay"],
        "town": lambda name: rows[name]["town"],
        "brings": lambda name: drivers[rows[name]["town"]],
        "article": lambda bay: _only(rows, "bay", bay),
    })  # fmt: skip


def stock(prompt: str) -> dict[str, Any]:
    rows = {
        name: {"first": int(first), "key": int(key), "nurse": nurse}
        for name, first, key, nurse in re.findall(
            r"^  (\w\d): (\d+), key (\d+), (\w+)$", prompt, re.MULTILINE
        )
    }
    rooms = dict(re.findall(r"(\w+) (\d+)", _between(prompt, "Rooms: ", "\n")))
    log = _log(prompt, "--- entries ---\n")
    log = _put_right(log, r"(?P<name>\w\d) has key (?P<new>\d+) now, not (?P<old>\d+)", rows, "key")
    log = _put_right(log, r"(?P<new>\w+) checks (?P<name>\w\d) now, not (?P<old>\w+)", rows, "nurse")
    first = {name: row["first"] for name, row in rows.items()}
    final = _after_notes(dict(first), log, ENTRIES, r"entry (\d+) is void", r"entry (\d+) is valid again")
    return final | _answered(prompt, {
        "opened": first.__getitem__,
        "key": lambda name: rows[name]["key"],
        "nurse": lambda name: rows[name]["nurse"],
        "room": lambda name: int(rooms[rows[name]["nurse"]]),
        "cupboard": lambda key: _only(rows, "key", key),
    })  # fmt: skip


def seating(prompt: str) -> dict[str, Any]:
    """Every table as a mapping from seat to guest, each change as a new mapping."""
    plan = re.findall(r"^  (\w+): (1 .*)$", prompt, re.MULTILINE)
    seated = {table: re.findall(r"(\d) (\w+) (\w+)", guests) for table, guests in plan}
    tables = {table: {int(seat): guest for seat, guest, _ in guests} for table, guests in seated.items()}
    first = {
        f"{table.lower()}_{seat}": guest for table, seats in tables.items() for seat, guest in seats.items()
    }
    meals = {guest: {"meal": meal} for guests in seated.values() for _, guest, meal in guests}
    cooks = {meal: cook for cook, meal in re.findall(r"(\w+) cooks the (\w+)", prompt)}
    log = _log(prompt, "--- changes ---\n")
    log = _put_right(log, r"(?P<name>\w+) will have (?P<new>\w+), not (?P<old>\w+)", meals, "meal")
    for line in log.values():
        table, _, move = line.partition(": ")
        seats = tables[table]
        numbers = [int(number) for number in re.findall(r"\d", move)]
        if "swaps" in move or "change places" in move:
            at = {guest: seat for seat, guest in seats.items()}
            one, two = numbers if len(numbers) == 2 else (at[move.split()[0]], numbers[0])
            to = {one: two, two: one}
        elif move.startswith("all move"):
            step = 1 if "move up" in move else -1
            to = {seat: (seat - 1 + step) % 6 + 1 for seat in seats}
        else:
            source, target = numbers[0], numbers[1]
            assert numbers[2:] == [target, source - 1]
            to = {source: target} | {seat: seat + 1 for seat in range(target, source)}
        tables[table] = {to.get(seat, seat): guest for seat, guest in seats.items()}
    return {
        f"{table.lower()}_{seat}": guest for table, seats in tables.items() for seat, guest in seats.items()
    } | _answered(
        prompt,
        {
            "meal": lambda guest: meals[guest]["meal"],
            "first": first.__getitem__,
            "cook": lambda guest: cooks[meals[guest]["meal"]],
        },
    )


def yard(prompt: str) -> dict[str, Any]:
    listed = re.findall(r"^  ([A-F]\d): (.*)$", prompt, re.MULTILINE)
    rows = {
        box: {"tons": int(tons), "port": port}
        for _, boxes in listed
        for box, tons, port in re.findall(r"(\w\d\d) (\d+) t (\w+)", boxes)
    }
    stacks = {name: re.findall(r"\b[KMTX]\d\d\b", boxes) for name, boxes in listed}
    first = {
        box: f"{name}-{level}" for name, boxes in stacks.items() for level, box in enumerate(boxes, start=1)
    }
    agents = {
        port: agent for agent, port in re.findall(r"(\w+) in (\w+)", _between(prompt, "Agents: ", "\n"))
    }
    log = _log(prompt, "--- crane book ---\n")
    log = _put_right(log, r"(?P<name>\w+) weighs (?P<new>\d+) t, not (?P<old>\d+)", rows, "tons")
    log = _put_right(log, r"(?P<name>\w+) goes to (?P<new>\w+), not (?P<old>\w+)", rows, "port")
    for move in log.values():
        names = re.findall(r"\b[A-F]\d\b", move)
        if "turned over" in move:
            stacks[names[0]] = stacks[names[0]][::-1]
        elif "exchanged" in move:
            one, two = (stacks[name].pop() for name in names)
            stacks[names[0]].append(two)
            stacks[names[1]].append(one)
        elif "top two" in move:
            upper, lower = stacks[names[0]].pop(), stacks[names[0]].pop()
            stacks[names[1]].extend((lower, upper))
        else:
            if "highest" in move:
                block = move.split("block ")[1][0]
                inside = sorted(name for name in stacks if name[0] == block)
                heights = [len(stacks[name]) for name in inside]
                names = [inside[heights.index(max(heights))], inside[heights.index(min(heights))]]
            stacks[names[1]].append(stacks[names[0]].pop())
    return {
        box: f"{name}-{level}" for name, boxes in stacks.items() for level, box in enumerate(boxes, start=1)
    } | _answered(
        prompt,
        {
            "tons": lambda box: rows[box]["tons"],
            "goes": lambda box: rows[box]["port"],
            "agent": lambda box: agents[rows[box]["port"]],
            "first": first.__getitem__,
        },
    )


PLACES = ("first", "second", "third", "fourth", "last")


def depot(prompt: str) -> dict[str, Any]:
    """Every queue as one string of names, each change as the order in which the old places come."""
    listed = re.findall(r"^  lane ([A-F]): (.*)$", prompt, re.MULTILINE)
    rows = {
        name: {"plate": int(plate), "goods": goods}
        for _, queue in listed
        for name, plate, goods in re.findall(r"(\w+) (\d+) (\w+)", queue)
    }
    lanes = {lane: re.findall(r"(\w+) \d", queue) for lane, queue in listed}
    prices = dict(re.findall(r"(\w+) (\d+)", _between(prompt, "Prices of a ton: ", "\n")))
    log = _log(prompt, "--- log ---\n")
    log = _put_right(log, r"(?P<name>\w+) carries (?P<new>\w+), not (?P<old>\w+)", rows, "goods")
    for line in log.values():
        lane, _, change = line.removeprefix("lane ").partition(": ")
        queue = lanes[lane]
        at = [PLACES.index(word) for word in re.findall(r"\w+", change) if word in PLACES]
        plates = [rows[name]["plate"] for name in queue]
        if "change places" in change:
            order = list(range(5))
            order[at[0]], order[at[1]] = at[1], at[0]
        elif "turns round" in change:
            order = [4, 3, 2, 1, 0]
        else:
            who = at[0] if at else plates.index(max(plates) if "highest" in change else min(plates))
            rest = [place for place in range(5) if place != who]
            passed = re.search(r"lets (\d) pass", change)
            to = who + int(passed[1]) if passed else 4 if "to the back" in change else 0
            order = [*rest[:to], who, *rest[to:]]
        lanes[lane] = [queue[place] for place in order]
    return {
        f"{lane.lower()}{place}": name
        for lane, queue in lanes.items()
        for place, name in enumerate(queue, start=1)
    } | _answered(
        prompt,
        {
            "plate": lambda name: rows[name]["plate"],
            "goods": lambda name: rows[name]["goods"],
            "price": lambda name: int(prices[rows[name]["goods"]]),
            "driver": lambda plate: _only(rows, "plate", plate),
        },
    )


AGAIN: dict[str, Callable[[str], dict[str, Any]]] = {
    "extract_order": order,
    "extract_seating": seating,
    "extract_depot": depot,
    "extract_stock": stock,
    "extract_yard": yard,
}


def golds(case: Case) -> dict[str, Any]:
    return dict(leaves(msgspec.convert(case.gold, ExtractionGold).fields))


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_every_field_above_the_head_follows_from_the_prompt(case: Case) -> None:
    worked_out = AGAIN[case.id](case.prompt)
    followed = {path: field.value for path, field in golds(case).items() if field.rung >= FOLLOWED}
    looked_up = {path: field.value for path, field in golds(case).items() if field.rung in LOOKED_UP}
    assert (len(followed) >= 18, len(looked_up) >= 24) == (True, True)
    assert {path: worked_out[path] for path in followed} == followed
    assert {path: worked_out[path] for path in looked_up} == looked_up


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_ladder_has_sixty_fields_or_more(case: Case) -> None:
    assert 60 <= len(golds(case)) <= 120


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_what_the_lowest_rungs_ask_for_stands_in_the_source(case: Case) -> None:
    source = fold_text(case.prompt.partition("\n--- ")[2])
    for path, field in golds(case).items():
        if field.rung == 1 and field.kind in ("text", "exact", "digits") and field.value is not None:
            assert fold_text(field.value) in source, path


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_every_rung_weighs_the_same_and_none_is_missing(case: Case) -> None:
    totals: dict[int, float] = {}
    for field in golds(case).values():
        totals[field.rung] = totals.get(field.rung, 0) + field.weight
    assert sorted(totals) == list(range(1, case.rungs + 1))
    assert set(totals.values()) == {12.0}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_copying_the_state_before_the_changes_earns_little_above_the_easy_rungs(case: Case) -> None:
    """The first plan given as the last one: what did not change is on the lower rungs only."""
    before = re.sub(r"^\d+\. .*\n", "", case.prompt, flags=re.MULTILINE)
    unchanged = AGAIN[case.id](before)
    answer = json.dumps(
        {path: unchanged[path] for path, field in golds(case).items() if field.rung >= FOLLOWED}
    )
    top = [part for part in check(case, answer).parts if part.rung > 8]
    assert sum(part.score for part in top) <= 0.1 * len(top)


def test_running_the_script_again_writes_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladders = Path(__file__).parents[4] / "tools" / "ladders"
    monkeypatch.syspath_prepend(str(ladders))
    import structured_extraction as script

    for name in ("cases.yml", "proofs.yml"):
        (tmp_path / name).touch()
    committed = script.FOLDER
    monkeypatch.setattr(script, "FOLDER", tmp_path)
    script.main()
    for name in ("cases.yml", "proofs.yml"):
        assert (tmp_path / name).read_text(encoding="utf-8") == (committed / name).read_text(encoding="utf-8")
