"""The ladders of instructions: every sentence of a prompt is held against the gold by plain code, not by the
grader's rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from builtin.daily.cases import cases
from probatio.builtin.daily.instruction_following.grader import check
from probatio.suites.daily_suite import Case
from watch.day.days import built_in

CASES = cases("instruction_following")
GOLDS = {
    proof["case"]: proof["answer"].strip("\n")
    for proof in built_in("instruction_following", "proofs")
    if proof["kind"] == "gold"
}
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
Claim = tuple[str, Callable[[str, re.Match[str]], bool]]


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def value(text: str) -> int:
    return sum(1 + ALPHABET.index(char) for char in text.lower() if char in ALPHABET)


def count(text: str, letters: str) -> int:
    return len(re.findall(f"[{letters}]", text, re.IGNORECASE))


def items(answer: str) -> list[str]:
    return [line[2:] for line in answer.split("\n")]


def rows(answer: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in answer.split("\n")[2:]
        if line.startswith("|")
    ]


def stanzas(answer: str) -> list[str]:
    return answer.replace("\n\n", "\n").split("\n")


def body(answer: str) -> str:
    return answer.split("\n\n")[1]


LIST: list[Claim] = [
    (r"Give exactly (\d+) items, each on its own line\.", lambda a, m: len(a.split("\n")) == int(m[1])),
    (r"Begin every line with a hyphen", lambda a, m: all(re.match(r"- \S", line) for line in a.split("\n"))),
    (r"Use only lower-case letters", lambda a, m: not re.search(r"[A-Z]", a)),
    (r"Do not use any full stop or comma", lambda a, m: "." not in a and "," not in a),
    (r"Use the word \"boots\" in one item and the word \"map\" in another",
     lambda a, m: all(sum(word in item.split() for item in items(a)) == 1 for word in ("boots", "map"))),
    (r"Do not use the words \"phone\"", lambda a, m: not re.search("phone|charger", a)),
    (r"Every item has exactly 3 words", lambda a, m: all(len(item.split()) == 3 for item in items(a))),
    (r"No word is used twice in the whole list",
     lambda a, m: len(set(" ".join(items(a)).split())) == len(" ".join(items(a)).split())),
    (r"Sort the items alphabetically", lambda a, m: items(a) == sorted(items(a))),
    (r"The letters z, x, q and j do not occur", lambda a, m: count(a, "zxqj") == 0),
    (r"The first letters of the items, in order, are (.*)\.",
     lambda a, m: [item[0] for item in items(a)] == m[1].split(", ")),
    (r"The item with \"map\" is the sixth and the item with \"boots\" is the seventh",
     lambda a, m: "map" in items(a)[5].split() and "boots" in items(a)[6].split()),
    (r"The items have (.*) letters", lambda a, m: [count(item, "a-z") for item in items(a)] == numbers(m[1])),
    (r"Every item has exactly (\d+) vowels",
     lambda a, m: {count(item, "aeiou") for item in items(a)} == {int(m[1])}),
    (r"Looking only at the last letter",
     lambda a, m: [item[-1] for item in items(a)] == sorted(item[-1] for item in items(a))),
    (r"The letter (\w) occurs exactly (\d+) times and the letter (\w) exactly (\d+) times",
     lambda a, m: (count(a, m[1]), count(a, m[3])) == (int(m[2]), int(m[4]))),
    (r"With a = 1.* all letters of the list together add up to (\d+)", lambda a, m: value(a) == int(m[1])),
    (r"The first item alone adds up to (\d+) and the last one to (\d+)",
     lambda a, m: (value(items(a)[0]), value(items(a)[-1])) == (int(m[1]), int(m[2]))),
]  # fmt: skip

ANIMALS: list[Claim] = [
    (r"Make a Markdown table with the columns (.*) and (\w+), in this order, and 6 rows",
     lambda a, m: a.split("\n")[0] == f"| {' | '.join([*m[1].split(', '), m[2]])} |" and len(rows(a)) == 6),
    (r"Every row is about another animal", lambda a, m: len({row[0] for row in rows(a)}) == 6),
    (r"Below the table, after a blank line, write one more line",
     lambda a, m: len(a.split("\n")) == 10 and a.split("\n")[8] == ""),
    (r"Sort the rows by the animal's name, from Z to A",
     lambda a, m: [r[0] for r in rows(a)] == sorted((r[0] for r in rows(a)), reverse=True)),
    (r"Letters is the number", lambda a, m: all(row[1] == str(len(row[0])) for row in rows(a))),
    (r"Sentence is a sentence of exactly 5 words that uses",
     lambda a,
     m: all(len(row[2].split()) == 5 and row[0].lower() in row[2].lower().split() for row in rows(a))),
    (r"Do not use the words \"the\", \"a\", \"an\" or \"is\"",
     lambda a, m: not any({"the", "a", "an", "is"} & set(row[2].lower().split()) for row in rows(a))),
    (r"Put no full stop into the table", lambda a, m: "." not in a[:-1]),
    (r"The line below the table is in upper case and ends with a full stop",
     lambda a, m: a.split("\n")[-1].isupper() and a.endswith(".")),
    (r"No two names have the same number of letters",
     lambda a, m: len({len(row[0]) for row in rows(a)}) == 6),
    (r"The words of the line below the table have (.*) letters",
     lambda a, m: [count(word, "a-z") for word in a.split("\n")[-1].split()] == numbers(m[1])),
    (r"The numbers in the column Letters add up to (\d+)",
     lambda a, m: sum(int(row[1]) for row in rows(a)) == int(m[1])),
    (r"Vowels is the number", lambda a, m: all(int(row[3]) == count(row[2], "aeiou") for row in rows(a))),
    (r"Every sentence has exactly (\d+) letters",
     lambda a, m: {count(row[2], "a-z") for row in rows(a)} == {int(m[1])}),
    (r"Value is the sum", lambda a, m: all(int(row[4]) == value(row[0]) for row in rows(a))),
    (r"All sentences together have the letter e exactly (\d+) times and the letter s exactly (\d+) times",
     lambda a,
     m: [count(" ".join(row[2] for row in rows(a)), letter) for letter in "es"] == [int(m[1]), int(m[2])]),
    (r"The true values of the six names add up to (\d+), and .* to (\d+)",
     lambda a,
     m: (sum(value(row[0]) for row in rows(a)), value(a.split("\n")[-1])) == (int(m[1]), int(m[2]))),
]  # fmt: skip

POEM: list[Claim] = [
    (r"The poem has exactly (\d+) lines", lambda a, m: len(stanzas(a)) == int(m[1])),
    (r"Use the word \"sails\"", lambda a, m: "sails" in a.split()),
    (r"Do not use the words \"sea\"", lambda a, m: not {"sea", "ship", "the"} & set(a.lower().split())),
    (r"Use no digit, comma or full stop", lambda a, m: not re.search(r"[\d,.]", a)),
    (r"Put one blank line after the fourth line",
     lambda a, m: [part.count("\n") for part in a.split("\n\n")] == [3, 3]),
    (r"The poem ends with a question mark", lambda a, m: a[-1] == "?"),
    (r"The first letters of the lines, read downwards, spell (\w+)\.",
     lambda a, m: "".join(line[0] for line in stanzas(a)) == m[1]),
    (r"The lines have (.*) words", lambda a, m: [len(line.split()) for line in stanzas(a)] == numbers(m[1])),
    (r"No word is used twice in the whole poem", lambda a, m: len(set(a.lower().split())) == len(a.split())),
    (r"The letter u does not occur", lambda a, m: count(a, "u") == 0),
    (r"The last letters of the lines, read downwards, spell (\w+)\.",
     lambda a, m: "".join(re.findall("[a-z]", line)[-1] for line in stanzas(a)).upper() == m[1]),
    (r"The words of the fourth line have (.*) letters",
     lambda a, m: [len(word) for word in stanzas(a)[3].split()] == numbers(m[1])),
    (r"Every line has exactly (\d+) characters",
     lambda a, m: {len(line) for line in stanzas(a)} == {int(m[1])}),
    (r"The letter e occurs (.*) times in the eight lines",
     lambda a, m: [count(line, "e") for line in stanzas(a)] == numbers(m[1])),
    ((
        r"In the whole poem the letter t occurs exactly (\d+) times, n exactly (\d+) times and i exactly "
        r"(\d+) times"
    ),
     lambda a, m: [count(a, letter) for letter in "tni"] == [int(m[n]) for n in (1, 2, 3)]),
    ((
        r"With a = 1, .* first line add up to (\d+), those of the last line to (\d+), and those of the "
        r"whole poem to (\d+)"
    ),
     lambda a,
     m: [value(text) for text in (stanzas(a)[0], stanzas(a)[-1], a)] == [int(m[n]) for n in (1, 2, 3)]),
]  # fmt: skip


def _told(answer: str) -> bool:
    text = body(answer)
    says = dict(line.split(": ") for line in answer.split("\n\n")[3].split("\n"))
    return {name: int(number) for name, number in says.items()} == {
        "Wörter": len(text.split()),
        "Großbuchstaben": len(re.findall("[A-Z]", text)),
        "Buchstabe e": count(text, "e"),
        "Vokale": count(text, "aeiou"),
        "Buchstaben": count(text, "a-zäöüß"),
        "Zeichen": len(text),
        "Verschiedene": sum(char in text.lower() for char in ALPHABET),
        "Summe": value(text),
    }


MAIL: list[Claim] = [
    (r"Write in German", lambda a, m: {"und", "sind", "das", "bitte"} <= set(a.split())),
    (r"The first paragraph is only the line \"(.*)\"\.", lambda a, m: a.split("\n\n")[0] == m[1]),
    (r"The third paragraph begins with \"(.*)\" and names the sender, \"(.*)\"",
     lambda a, m: a.split("\n\n")[2].startswith(m[1]) and m[2] in a.split("\n\n")[2]),
    (r"There are four paragraphs", lambda a, m: len(a.split("\n\n")) == 4),
    (r"Use the word \"Freitag\" once", lambda a, m: len(re.findall(r"\bFreitag\b", a)) == 1),
    (r"Do not use the words \"leider\"",
     lambda a, m: not re.search("leider|entschuldigung", a, re.IGNORECASE)),
    (r"The second paragraph has no digit, exclamation mark or comma",
     lambda a, m: not re.search(r"[\d!,]", body(a))),
    (r"The second paragraph has exactly 4 sentences", lambda a, m: body(a).count(".") == 4),
    (r"It has the word \"Paket\" exactly 2 times", lambda a, m: len(re.findall(r"\bPaket\b", body(a))) == 2),
    (r"Its sentences have (.*) words",
     lambda a, m: [len(one.split()) for one in body(a).split(".")[:-1]] == numbers(m[1])),
    (r"The first letters of its sentences spell (\w+)",
     lambda a, m: "".join(one.strip()[0] for one in body(a).split(".")[:-1]) == m[1]),
    (r"It ends with the word \"ein\" and a full stop", lambda a, m: body(a).endswith(" ein.")),
    (r"The fourth paragraph has eight lines", lambda a, m: _told(a)),
    (r"The letter n occurs exactly (\d+) times in the second paragraph",
     lambda a, m: count(body(a), "n") == int(m[1])),
]  # fmt: skip

CLAIMS = {"follow_list": LIST, "follow_animals": ANIMALS, "follow_poem": POEM, "follow_mail": MAIL}


def instructions(case: Case) -> list[str]:
    return [line[2:] for line in case.prompt.split("\n") if line.startswith("- ")]


@pytest.mark.parametrize("case", CLAIMS)
def test_the_gold_keeps_every_sentence_of_its_prompt(case: str) -> None:
    for sentence in instructions(CASES[case]):
        claims = [(holds, found) for claim, holds in CLAIMS[case] if (found := re.match(claim, sentence))]
        assert len(claims) == 1, sentence
        assert claims[0][0](GOLDS[case], claims[0][1]), sentence


def _further(text: str, places: int) -> str:
    return text.translate(str.maketrans(ALPHABET, ALPHABET[places:] + ALPHABET[:places]))


def _line(told: str, word: str, first: str) -> str:
    """What a line holds, by the words of the prompt."""
    if "as it is" in told:
        return word
    if "upper-case" in told:
        return word.upper()
    if "without a, e, i, o and u" in told:
        return re.sub("[aeiou]", "", word)
    if "twice" in told:
        return "-".join([word, word])
    if "sorted" in told:
        return "".join(char * word.count(char) for char in ALPHABET)
    if "a number" in told:
        return str(sum((at + 1) * (ALPHABET.index(word[at]) + 1) for at in range(len(word))))
    text = word
    if "weave" in told:
        pieces = [word[at] + first[at : at + 1] for at in range(len(word))]
        text = "".join(pieces)
    if "reverse" in told:
        text = "".join(reversed(word))
    if more := re.search(r"(\d+) more for each letter", told):
        return "".join(_further(letter, int(more[1]) * (at + 1) % 26) for at, letter in enumerate(word))
    places = re.search(r"(\d+) places further", told)
    return _further(text, int(places[1]) if places else "that follows" in told)


def test_the_lines_made_from_words_follow_from_the_prompt() -> None:
    case = CASES["follow_words"]
    given = re.findall(r"[a-z]+", case.prompt.partition("words: ")[2].partition(".")[0])
    assert len(given) == 24
    made: list[str] = []
    for sentence in instructions(case)[1:]:
        lines = re.match(r"Lines (\d+) (?:to|and) (\d+): (.*)", sentence)
        assert lines
        for at in range(int(lines[1]), int(lines[2]) + 1):
            assert at == len(made) + 1
            made.append(_line(lines[3], given[at - 1], given[0]))
    assert "\n".join(f"{at}. {line}" for at, line in enumerate(made, start=1)) == GOLDS["follow_words"]


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_every_rung_weighs_the_same_and_none_is_missing(case: Case) -> None:
    totals: dict[int, float] = {}
    for part in check(case, GOLDS[case.id]).parts:
        totals[part.rung] = totals.get(part.rung, 0) + part.weight
    assert sorted(totals) == list(range(1, case.rungs + 1))
    assert all(total == pytest.approx(12) for total in totals.values())


def test_running_the_script_again_writes_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[4] / "tools" / "ladders"))
    import instruction_following as script

    committed = script.FOLDER
    monkeypatch.setattr(script, "FOLDER", tmp_path)
    script.main()
    for name in ("cases.yml", "proofs.yml"):
        assert (tmp_path / name).read_text(encoding="utf-8") == (committed / name).read_text(encoding="utf-8")
