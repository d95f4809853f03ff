"""The ladders of extraction: every gold worked out again from the words of the prompt alone, by other code than wrote them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from builtin.daily.cases import cases
from probatio.builtin.daily.structured_extraction.grader import Gold, check, leaves
from probatio.grade.values import folded
from probatio.suite.daily_suite import Case

CASES = cases("structured_extraction")
STANDS_BELOW = 5  # the rung from which on a field follows from changes

Amounts = dict[str, int]
Rule = tuple[str, Callable[[Amounts, re.Match[str]], None]]


def _add(state: Amounts, name: str, amount: int) -> None:
    state[name] += amount


def _exchange(state: Amounts, one: str, two: str) -> None:
    state.update({one: state[two], two: state[one]})


def _carry(state: Amounts, source: str, target: str, amount: int) -> None:
    state.update({source: state[source] - amount, target: state[target] + amount})


MAILS: list[Rule] = [
    (r"(?P<a>\w+): (?P<n>\d+) more please|we need (?P<n2>\d+) more (?P<a2>\w+)|(?P<a3>\w+), add (?P<n3>\d+)",
     lambda s, m: _add(s, m["a"] or m["a2"] or m["a3"], int(m["n"] or m["n2"] or m["n3"]))),
    (r"(?P<a>\w+): (?P<n>\d+) fewer|take (?P<n2>\d+) (?P<a2>\w+) off|(?P<a3>\w+) can lose (?P<n3>\d+)",
     lambda s, m: _add(s, m["a"] or m["a2"] or m["a3"], -int(m["n"] or m["n2"] or m["n3"]))),
    (r"double the (?P<a>\w+)|twice as many (?P<b>\w+) as it stands", lambda s, m: _add(s, m["a"] or m["b"], s[m["a"] or m["b"]])),
    (r"half of the (?P<a>\w+) will do|cut the (?P<b>\w+) by half",
     lambda s, m: s.update({m["a"] or m["b"]: s[m["a"] or m["b"]] // 2})),
    (r"(?P<a>\w+): add as many as we now have (?P<b>\w+)", lambda s, m: _add(s, m["a"], s[m["b"]])),
    (r"(?P<a>\w+): make it as many as (?P<b>\w+) now, plus (?P<n>\d+)", lambda s, m: s.update({m["a"]: s[m["b"]] + int(m["n"])})),
    (r"I mixed up (?P<a>\w+) and (?P<b>\w+), exchange their quantities", lambda s, m: _exchange(s, m["a"], m["b"])),
]  # fmt: skip
ENTRIES: list[Rule] = [
    (r"(?P<a>\w\d) receives (?P<n>\d+)", lambda s, m: _add(s, m["a"], int(m["n"]))),
    (r"delivery, (?P<n>\d+) into (?P<a>\w\d)", lambda s, m: _add(s, m["a"], int(m["n"]))),
    (r"(?P<n>\d+) used from (?P<a>\w\d)", lambda s, m: _add(s, m["a"], -int(m["n"]))),
    (r"(?P<a>\w\d): (?P<n>\d+) given out", lambda s, m: _add(s, m["a"], -int(m["n"]))),
    (r"(?P<n>\d+) from (?P<a>\w\d) to (?P<b>\w\d)", lambda s, m: _carry(s, m["a"], m["b"], int(m["n"]))),
    (r"(?P<a>\w\d) lends (?P<n>\d+) to (?P<b>\w\d)", lambda s, m: _carry(s, m["a"], m["b"], int(m["n"]))),
    (r"a third of (?P<a>\w\d) is past its date and thrown away", lambda s, m: _add(s, m["a"], -(s[m["a"]] // 3))),
    (r"(?P<a>\w\d) gives half of what it has to (?P<b>\w\d)", lambda s, m: _carry(s, m["a"], m["b"], s[m["a"]] // 2)),
    (r"(?P<b>\w\d) is filled up to (?P<n>\d+) from (?P<a>\w\d)",
     lambda s, m: _carry(s, m["a"], m["b"], max(0, int(m["n"]) - s[m["b"]]))),
]  # fmt: skip


def _between(prompt: str, begin: str, end: str) -> str:
    return prompt.partition(begin)[2].partition(end)[0]


def _bare(line: str) -> str:
    return re.sub(r"\s*\([^)]*\)", "", line).strip()


def _after_notes(state: Amounts, notes: list[str], rules: list[Rule], off: str, on: str) -> Amounts:
    """Two passes: which notes hold in the end, then those one after the other."""
    void: set[int] = set()
    for note in notes:
        if taken := re.fullmatch(off, note):
            void.add(int(taken[1]))
        elif again := re.fullmatch(on, note):
            void.remove(int(again[1]))
    for number, note in enumerate(notes, start=1):
        if number in void or re.fullmatch(f"{off}|{on}", note):
            continue
        fitting = [(act, found) for rule, act in rules if (found := re.fullmatch(rule, note))]
        assert len(fitting) == 1, note
        fitting[0][0](state, fitting[0][1])
    return state


def order(prompt: str) -> dict[str, Any]:
    listed = re.findall(r"^  (\w+) +(\d+)$", _between(prompt, "First list:", "--- mails"), re.MULTILINE)
    lines = _between(prompt, "--- mails ---\n", "\n--- end").splitlines()
    notes = [_bare(re.sub(r"^\[\d+\] \w+: ", "", line)) for line in lines]
    assert [int(line[1 : line.index("]")]) for line in lines] == list(range(1, len(lines) + 1))
    final = _after_notes(
        {name: int(value) for name, value in listed}, notes, MAILS,
        r"please forget mail (\d+)", r"mail (\d+) counts again after all",
    )  # fmt: skip
    return {f"qty_{name}": value for name, value in final.items()} | {f"first_{name}": int(n) for name, n in listed}


def stock(prompt: str) -> dict[str, Any]:
    listed = re.findall(r"\b([A-H]\d) (\d+)\b", _between(prompt, "at the opening:", "--- entries"))
    lines = _between(prompt, "--- entries ---\n", "\n--- end").splitlines()
    notes = [_bare(re.sub(r"^\d{3} \d\d:\d\d \w+: ", "", line)) for line in lines]
    final = _after_notes(
        {name: int(value) for name, value in listed}, notes, ENTRIES, r"entry (\d+) is void", r"entry (\d+) is valid after all"
    )  # fmt: skip
    told = {f"start_{name}": int(value) for name, value in listed}
    writers = re.findall(r"^\d{3} \d\d:\d\d (\w+):", "\n".join(lines), re.MULTILINE)
    return final | told | dict(zip(("first_writer",), writers, strict=False))


def seating(prompt: str) -> dict[str, Any]:
    """Every table as a mapping from seat to guest, each change as a new mapping."""
    plan = re.findall(r"^  (\w+): (.*)$", _between(prompt, "First plan:", "--- changes"), re.MULTILINE)
    tables = {table: dict(enumerate(guests.split(", "), start=1)) for table, guests in plan}
    told = {f"{table.lower()}_{seat}_first": guest for table, seats in tables.items() for seat, guest in seats.items()}
    for line in _between(prompt, "--- changes ---\n", "\n--- end").splitlines():
        found = re.fullmatch(r"\d+\. (\w+): (.*)", _bare(line))
        assert found
        seats, move = tables[found[1]], found[2]
        numbers = [int(number) for number in re.findall(r"\d", move)]
        if "swaps" in move or "change places" in move:
            at = {guest: seat for seat, guest in seats.items()}
            one, two = numbers if len(numbers) == 2 else (at[move.split()[0]], numbers[0])
            to = {one: two, two: one}
        elif move.startswith("everybody"):
            step = 1 if "moves up" in move else -1
            to = {seat: (seat - 1 + step) % 6 + 1 for seat in seats}
        else:
            source, target = numbers[0], numbers[1]
            assert numbers[2:] == [target, source - 1]
            to = {source: target} | {seat: seat + 1 for seat in range(target, source)}
        tables[found[1]] = {to.get(seat, seat): guest for seat, guest in seats.items()}
    return told | {f"{table.lower()}_{seat}": guest for table, seats in tables.items() for seat, guest in seats.items()}


def yard(prompt: str) -> dict[str, Any]:
    stacks = {
        name: boxes.split(", ")
        for name, boxes in re.findall(r"([A-H]\d): ([^;\n]+)", _between(prompt, "first move:", "--- crane"))
    }
    for line in _between(prompt, "--- crane book ---\n", "\n--- end").splitlines():
        move = _bare(line.partition(": ")[2])
        names = re.findall(r"\b[A-H]\d\b", move)
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
    weights = dict(re.findall(r"([KMTX]\d\d) (\d+) t\b", prompt))
    where = {box: f"{name}-{level}" for name, boxes in stacks.items() for level, box in enumerate(boxes, start=1)}
    return where | {f"tons_{box}": int(weight) for box, weight in weights.items()}


def depot(prompt: str) -> dict[str, Any]:
    lines = re.findall(r"^(\d{3}) (\d\d:\d\d) (.*)$", prompt, re.MULTILINE)
    fate = {int(number): True for number, _, _ in lines}
    weight: dict[int, int] = {}
    loads = []
    told: dict[str, Any] = {}
    for number, time, text in lines:
        if load := re.fullmatch(r"gate (\d) (\w+) (\w+) (in|out) (\d+) kg( TEST| x2)?", text):
            weight[int(number)] = int(load[5])
            loads.append((int(number), load[2].lower(), load[4], {" TEST": 0, " x2": 2}.get(load[6], 1)))
            cells = {"goods": load[3], "customer": load[2], "gate": int(load[1]), "time": time}
            told |= {f"{number} {name}": cell for name, cell in cells.items()}
        elif again := re.fullmatch(r"line (\d+) weighed again: (\d+) kg", text):
            weight[int(again[1])] = int(again[2])
        else:
            line = re.fullmatch(r"line (\d+) (cancelled|was right after all, it stands)", text)
            assert line, text
            fate[int(line[1])] = line[2] != "cancelled"
    sums: Amounts = {}
    for number, customer, way, times in loads:
        for key, value in ((f"{customer}_loads", times), (f"{customer}_{way}", times * weight[number])):
            sums[key] = sums.get(key, 0) + value * fate[number]
    for key, what, number in re.findall(r'"(\w+)": \w+,(?: HH:MM,)? (?:the )?(\w+) (?:of )?line (\d{3})', prompt):
        sums[key] = told[f"{number} {'time' if what == 'of' else what}"]
    return sums


AGAIN: dict[str, Callable[[str], dict[str, Any]]] = {
    "extract_order": order,
    "extract_seating": seating,
    "extract_depot": depot,
    "extract_stock": stock,
    "extract_yard": yard,
}


def golds(case: Case) -> dict[str, Any]:
    return dict(leaves(msgspec.convert(case.gold, Gold).fields))


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_fields_of_the_upper_rungs_follow_from_the_prompt(case: Case) -> None:
    worked_out = AGAIN[case.id](case.prompt)
    followed = {path: field.value for path, field in golds(case).items() if field.rung >= STANDS_BELOW}
    assert len(followed) >= 24
    assert {path: worked_out[path] for path in followed} == followed
    looked_up = {
        path: field.value for path, field in golds(case).items() if field.rung < STANDS_BELOW and path in worked_out
    }
    assert len(looked_up) >= 4
    assert {path: worked_out[path] for path in looked_up} == looked_up


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_what_the_lowest_rungs_ask_for_stands_in_the_source(case: Case) -> None:
    source = folded(case.prompt.partition("\n--- ")[2])
    for path, field in golds(case).items():
        if field.rung <= 2 and field.kind in ("text", "exact", "digits") and field.value is not None:
            assert folded(field.value) in source, path


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_every_rung_weighs_the_same_and_none_is_missing(case: Case) -> None:
    totals: dict[int, float] = {}
    for field in golds(case).values():
        totals[field.rung] = totals.get(field.rung, 0) + field.weight
    assert sorted(totals) == list(range(1, case.rungs + 1))
    assert set(totals.values()) == {12.0}


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if case.id != "extract_depot"], ids=lambda case: case.id
)
def test_copying_the_state_before_the_changes_earns_little_above_the_easy_rungs(case: Case) -> None:
    """The first plan given as the last one: what did not change is on the lower rungs only."""
    before = re.sub(
        r"(--- (?:mails|entries|changes|crane book) ---\n).*(\n--- end)", r"\1\2", case.prompt, flags=re.DOTALL
    )
    unchanged = AGAIN[case.id](before)
    answer = json.dumps({path: unchanged[path] for path, field in golds(case).items() if field.rung >= STANDS_BELOW})
    top = [part for part in check(case, answer).parts if part.rung > 8]
    assert sum(part.score for part in top) <= 0.1 * len(top)


def test_running_the_script_again_writes_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ladders = Path(__file__).parents[4] / "config" / "ladders"
    monkeypatch.syspath_prepend(str(ladders))
    import structured_extraction as script

    for name in ("cases.yml", "proofs.yml"):
        (tmp_path / name).touch()
    committed = script.FOLDER
    monkeypatch.setattr(script, "FOLDER", tmp_path)
    script.main()
    for name in ("cases.yml", "proofs.yml"):
        assert (tmp_path / name).read_text(encoding="utf-8") == (committed / name).read_text(encoding="utf-8")
