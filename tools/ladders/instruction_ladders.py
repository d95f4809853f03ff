"""The five ladders of Instruction Following: what is asked on each rung, the rule that holds it, and a gold that keeps them all.

Exact numbers are taken from the gold, which was searched for by program where it had to be; so a ladder is tuned by another gold,
or by moving a line of its table to another rung.
"""

from __future__ import annotations

from typing import Any, NamedTuple

VOWELS = "aeiou"


class Step(NamedTuple):
    """One instruction: the rung it stands on, its sentence in the prompt ("" where another one says it too), and its rule."""

    rung: int
    sentence: str
    rule: dict[str, Any]


class Ladder(NamedTuple):
    id: str
    difficulty: int
    task: str
    counting: str  # how letters, words and lines are counted
    close: str
    steps: tuple[Step, ...]
    substance: dict[str, Any]
    gold: str


def _stems(text: str) -> list[str]:
    return text.split()


def _letters(text: str) -> int:
    return sum(char.isalpha() for char in text)


def _vowels(text: str) -> int:
    return sum(char in VOWELS for char in text.lower())


def _values(text: str) -> int:
    return sum(ord(char) - 96 for char in text.lower() if "a" <= char <= "z")


def _rule(name: str, kind: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, **arguments}


def _exactly(name: str, kind: str, number: int, **arguments: Any) -> dict[str, Any]:
    return _rule(name, kind, low=number, high=number, **arguments)


def packing() -> Ladder:
    items = (
        "blue old rope", "clean wool mug", "fresh wide soap", "heavy narrow cap", "metal sturdy soup", "padded plastic map",
        "silver strong boots", "warm compact matches",
    )  # fmt: skip
    text = " ".join(items)
    lengths = [str(_letters(item)) for item in items]
    e, a, o, s = (text.count(letter) for letter in "eaos")
    steps = (
        Step(1, "Give exactly 8 items, each on its own line.", _exactly("eight items", "count", 8, of="items")),
        Step(1, 'Begin every line with a hyphen and one space ("- ").', _rule("hyphen before each", "labelled", text="-")),
        Step(2, "Use only lower-case letters.", _rule("lower case", "case", text="lower")),
        Step(2, "Do not use any full stop or comma.", _rule("no stop or comma", "without", text=".,")),
        Step(3, 'Use the word "boots" in one item and the word "map" in another.',
             _rule("boots and map", "includes", words=["boots", "map"])),
        Step(3, 'Do not use the words "phone" or "charger".',
             _rule("no phone or charger", "avoids", words=["phone", "phones", "charger", "chargers"])),
        Step(4, "Every item has exactly 3 words.", _exactly("three words each", "length", 3, of="items")),
        Step(4, "No word is used twice in the whole list.", _rule("no word twice", "unique", of="words")),
        Step(5, "Sort the items alphabetically, from A to Z.", _rule("from A to Z", "sorted", of="items", text="ascending")),
        Step(5, "The letters z, x, q and j do not occur.", _rule("no z, x, q, j", "without", text="zxqj")),
        Step(6, "The first letters of the items, in order, are b, c, f, h, m, p, s, w.",
             _rule("first letters", "spelled", of="items", text="bcfhmpsw")),
        Step(7, 'The item with "map" is the sixth and the item with "boots" is the seventh.',
             _rule("map is the sixth", "includes", of="items", at=6, words=["map"])),
        Step(7, "", _rule("boots are the seventh", "includes", of="items", at=7, words=["boots"])),
        Step(8, f"The items have {', '.join(lengths[:-1])} and {lengths[-1]} letters, in this order.",
             _rule("letters of each item", "in_steps", of="items", text="letters", words=lengths)),
        Step(9, "Every item has exactly 5 vowels.", _exactly("five vowels each", "measured", 5, of="items", text="vowels")),
        Step(9, "Looking only at the last letter of each item, the items are in alphabetical order too.",
             _rule("last letters in order", "ends_sorted", of="items", low=8)),
        Step(10, f"The letter e occurs exactly {e} times and the letter a exactly {a} times.",
             _exactly("letter e", "measured", e, text="letter:e")),
        Step(10, "", _exactly("letter a", "measured", a, text="letter:a")),
        Step(11, f"The letter o occurs exactly {o} times and the letter s exactly {s} times.",
             _exactly("letter o", "measured", o, text="letter:o")),
        Step(11, "", _exactly("letter s", "measured", s, text="letter:s")),
        Step(12, f"With a = 1, b = 2 and so on to z = 26, all letters of the list together add up to {_values(text)}.",
             _exactly("sum of the letters", "measured", _values(text), text="letter values")),
        Step(12, f"The first item alone adds up to {_values(items[0])} and the last one to {_values(items[-1])}.",
             _exactly("sum of the first item", "measured", _values(items[0]), of="items", at=1, text="letter values")),
        Step(12, "", _exactly("sum of the last item", "measured", _values(items[-1]), of="items", at=-1, text="letter values")),
    )  # fmt: skip
    return Ladder(
        "follow_list", 1,
        "Write a packing list for a three-day walking tour in rainy hills.",
        "Vowels are a, e, i, o and u. The hyphen at the beginning of a line is not part of the item.",
        "Reply with the list only: no heading, no introduction, no closing remark.",
        steps,
        {"words": 16, "distinct": 12, "hits": 3, "about": PACKING_WORDS},
        "\n".join(f"- {item}" for item in items),
    )  # fmt: skip


PACKING_WORDS = _stems(
    "boot map water bottle sock rain jacket coat poncho hat glove food snack bar tent sleep aid kit sun shirt walk hik pole "
    "stick torch lamp knife rope pack bag towel trouser layer fleece compass whistle wool waterproof dry warm spare plaster "
    "blister soap mug cap soup match"
)
GIVEN = _stems(
    "ember grove stone river candle winter marble saddle pepper lantern harvest blanket orchard kitchen thunder feather "
    "painting umbrella calendar carnival telephone chocolate adventure wilderness"
)


def _shifted(word: str, by: int) -> str:
    return "".join(chr((ord(char) - 97 + by) % 26 + 97) for char in word)


def _weighed(word: str) -> int:
    return sum(place * (ord(char) - 96) for place, char in enumerate(word, start=1))


def _woven(one: str, two: str) -> str:
    """One letter of each in turn; what is left of the longer one at the end."""
    pairs = "".join(left + right for left, right in zip(one, two, strict=False))
    rest = min(len(one), len(two))
    return pairs + one[rest:] + two[rest:]


TRANSFORMED = (
    (1, 4, "the word as it is", lambda word: word),
    (5, 6, "the word in upper-case letters", str.upper),
    (7, 8, "the word without a, e, i, o and u", lambda word: "".join(char for char in word if char not in VOWELS)),
    (9, 10, "the word twice, with a hyphen between", lambda word: f"{word}-{word}"),
    (11, 12, "the letters of the word in reverse order", lambda word: word[::-1]),
    (13, 14, "the letters of the word sorted from a to z, repeated letters kept", lambda word: "".join(sorted(word))),
    (15, 16, "every letter replaced by the one that follows it in the alphabet (a follows z)", lambda word: _shifted(word, 1)),
    (17, 18, "the first letter replaced by the one 5 places further in the alphabet, the second by the one 10 places further, the third "
     "by the one 15 places further, and so on, 5 more for each letter (a follows z)",
     lambda word: "".join(_shifted(char, 5 * place) for place, char in enumerate(word, start=1))),
    (19, 20, "the letters in reverse order, then each replaced by the one 11 places further (a follows z)",
     lambda word: _shifted(word[::-1], 11)),
    (21, 22, "a number: multiply the place of each letter in the alphabet (a is 1, z is 26) by its place in the word (the first letter "
     "is at 1), and add up", lambda word: str(_weighed(word))),
    (23, 24, "weave the word with word 1 (one letter of the word, one of word 1, and so on; when word 1 is used up, the rest of the word "
     "follows), then replace every letter by the one 5 places further (a follows z)", lambda word: _shifted(_woven(word, GIVEN[0]), 5)),
)  # fmt: skip
"""First line, last line, what the line holds, and how it is made: two lines to a rung, from the second rung of lines on."""


def words() -> Ladder:
    lines = [""] * len(GIVEN)
    steps = [
        Step(1, 'Give exactly 24 lines, numbered "1.", "2." and so on: line 1 is made from word 1, line 2 from word 2, and so on.',
             _exactly("24 lines", "count", 24, of="items")),
        Step(2, "", _rule("numbered", "labelled", text="1.")),
    ]  # fmt: skip
    for first, last, told, made in TRANSFORMED:
        for at in range(first, last + 1):
            lines[at - 1] = made(GIVEN[at - 1])
            sentence = (
                f"Lines {first} to {last}: {told}."
                if last - first > 1
                else f"Lines {first} and {last}: {told}."
            )
            rung = (at + 1) // 2
            steps.append(
                Step(
                    rung,
                    sentence if at == first else "",
                    _rule(f"line {at}", "is", of="items", at=at, text=lines[at - 1]),
                )
            )
    steps.sort(key=lambda step: step.rung)
    return Ladder(
        "follow_words", 2,
        f"Here are 24 words: {', '.join(GIVEN)}.\nMake one line from each.",
        "Use lower-case letters unless the instruction says something else. A line holds its number, a full stop, one space and the result.",
        "Reply with the 24 lines only: no working, no introduction, no closing remark.",
        tuple(steps),
        {"words": 24, "distinct": 20, "hits": 3, "about": GIVEN[:6]},
        "\n".join(f"{at}. {line}" for at, line in enumerate(lines, start=1)),
    )  # fmt: skip


def animals() -> Ladder:
    rows = (
        ("Zebra", "My zebra guards fresh fields"), ("Wolf", "One wolf loves distant water"), ("Squirrel", "My squirrel eats green shade"),
        ("Rabbit", "One rabbit eats tall carrots"), ("Panther", "This panther hunts cold mice"), ("Cat", "This cat crosses steep hills"),
    )  # fmt: skip
    below = "I AM ONE WITH THESE GENTLE ANIMALS."
    head = ["Animal", "Letters", "Sentence", "Vowels", "Value"]
    column = " ".join(sentence for _, sentence in rows)
    total = sum(len(animal) for animal, _ in rows)
    e, s = column.count("e"), column.lower().count("s")
    values = sum(_values(animal) for animal, _ in rows)
    steps = (
        Step(1, "Make a Markdown table with the columns Animal, Letters, Sentence, Vowels and Value, in this order, and 6 rows.",
             _exactly("the table", "table", 6, words=head)),
        Step(2, "Every row is about another animal.", _rule("different animals", "unique", of="column", at=1)),
        Step(2, "Below the table, after a blank line, write one more line.",
             _exactly("one line under it", "count", 1, of="beside_table")),
        Step(3, "Sort the rows by the animal's name, from Z to A.", _rule("from Z to A", "sorted", of="column", at=1, text="descending")),
        Step(3, "Letters is the number of letters of the animal's name.", _rule("letters counted", "letters_told", at=2)),
        Step(4, "Sentence is a sentence of exactly 5 words that uses the animal's name as it stands in the first column.",
             _exactly("five words each", "length", 5, of="column", at=3)),
        Step(4, "", _rule("the animal in it", "names_row", at=3)),
        Step(5, 'Do not use the words "the", "a", "an" or "is" in a sentence.',
             _rule("no article", "avoids", of="column", at=3, words=["the", "a", "an", "is"])),
        Step(5, "Put no full stop into the table.", _rule("no stop in the table", "without", of="column", at=3, text=".")),
        Step(6, "The line below the table is in upper case and ends with a full stop.",
             _rule("capitals", "case", of="beside_table", at=-1, text="upper")),
        Step(6, "", _rule("its full stop", "ends", text=".")),
        Step(6, "No two names have the same number of letters.", _rule("different lengths", "unique", of="column", at=2)),
        Step(7, "The words of the line below the table have 1, 2, 3, 4, 5, 6 and 7 letters, in this order.",
             _rule("words of 1 to 7 letters", "word_steps", of="beside_table", at=-1, text="letters", words=list("1234567"))),
        Step(8, f"The numbers in the column Letters add up to {total}.", _exactly("sum of Letters", "column_sum", total, at=2)),
        Step(8, "Vowels is the number of vowels in the sentence.", _rule("vowels counted", "column_told", at=4, high=3, text="vowels")),
        Step(9, "Every sentence has exactly 24 letters.", _exactly("24 letters each", "measured", 24, of="column", at=3, text="letters")),
        Step(10, "Value is the sum of the letters of the animal's name, with a = 1, b = 2 and so on to z = 26.",
             _rule("values worked out", "column_told", at=5, high=1, text="letter values")),
        Step(11, f"All sentences together have the letter e exactly {e} times and the letter s exactly {s} times.",
             _rule("letter e", "total", of="column", at=3, text="letter:e", low=e, high=e)),
        Step(11, "", _rule("letter s", "total", of="column", at=3, text="letter:s", low=s, high=s)),
        Step(12, f"The true values of the six names add up to {values}, and the letters of the line below the table, valued in the same "
             f"way, to {_values(below)}.",
             _rule("sum of the values", "total", of="column", at=1, text="letter values", low=values, high=values)),
        Step(12, "", _exactly("value of the last line", "measured", _values(below), of="beside_table", at=-1, text="letter values")),
    )  # fmt: skip
    lines = [
        f"| {animal} | {len(animal)} | {sentence} | {_vowels(sentence)} | {_values(animal)} |"
        for animal, sentence in rows
    ]
    return Ladder(
        "follow_animals", 2,
        "Write about six animals.",
        "Vowels are a, e, i, o and u, in upper or lower case. Spaces and punctuation are no letters.",
        "Reply with the table and the line below it only.",
        steps,
        {"words": 30, "distinct": 18, "hits": 3, "about": ANIMALS},
        "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *lines, "", below]),
    )  # fmt: skip


ANIMALS = _stems(
    "ant ape badger bat bear beaver bee bird bison boar buffalo bull butterfl camel cat cheetah chicken chimp cobra cow "
    "crab crane crocodile crow deer dog dolphin donkey dove duck eagle eel elephant elk emu falcon ferret finch fish "
    "flamingo fox frog gazelle gecko giraffe goat goose gorilla hamster hare hawk hedgehog heron hippo horse hyena ibex "
    "iguana jackal jaguar jellyfish kangaroo koala lamb lemur leopard lion lizard llama lobster lynx magpie mole monkey "
    "moose moth mouse mule newt octopus orangutan orca ostrich otter owl ox panda panther parrot peacock pelican penguin "
    "pig pigeon platypus pony porcupine puma quail quokka rabbit raccoon ram rat raven reindeer rhino robin salmon seal "
    "shark sheep shrew skunk sloth snail snake sparrow spider squid squirrel stork swan tiger toad tortoise turkey turtle "
    "vulture walrus wasp weasel whale wolf wolverine wombat woodpecker worm yak zebra"
)


def poem() -> Ladder:
    lines = (
        "Foggy sails drift off old shells", "Inner anchors linger along night", "Salty gales sing on other timber",
        "Heavy fishermen wait past bridge", "Better sailors sway in free dawn", "Olive mists appear below morning",
        "Able boats sink near brown light", "Timid winds glide against north?",
    )  # fmt: skip
    text = " ".join(lines).lower()
    es = [str(line.lower().count("e")) for line in lines]
    fourth = [str(_letters(word)) for word in lines[3].split()]
    counts = [str(len(line.split())) for line in lines]
    t, n, i = (text.count(letter) for letter in "tni")
    steps = (
        Step(1, "The poem has exactly 8 lines.", _exactly("eight lines", "count", 8, of="lines")),
        Step(1, 'Use the word "sails".', _rule("sails", "includes", words=["sails"])),
        Step(2, 'Do not use the words "sea", "ship" or "the".', _rule("no forbidden word", "avoids", words=["sea", "ship", "the"])),
        Step(2, "Use no digit, comma or full stop.", _rule("no digit, comma or stop", "without", text="0123456789,.")),
        Step(3, "Put one blank line after the fourth line, so that there are two groups of four lines.",
             _exactly("two groups", "count", 2, of="paragraphs")),
        Step(3, "The poem ends with a question mark.", _rule("question mark", "ends", text="?")),
        Step(4, "The first letters of the lines, read downwards, spell FISHBOAT.",
             _rule("FISHBOAT", "spelled", of="lines", text="fishboat")),
        Step(5, f"The lines have {', '.join(counts[:-1])} and {counts[-1]} words, in this order.",
             _rule("words per line", "in_steps", of="lines", text="words", words=counts)),
        Step(5, "No word is used twice in the whole poem.", _rule("no word twice", "unique", of="words")),
        Step(6, "The letter u does not occur anywhere.", _rule("no letter u", "without", text="u")),
        Step(7, "The last letters of the lines, read downwards, spell STRENGTH. A question mark is not a letter.",
             _rule("STRENGTH", "spelled", of="lines", text="strength", words=["last"])),
        Step(8, f"The words of the fourth line have {', '.join(fourth[:-1])} and {fourth[-1]} letters, in this order.",
             _rule("word lengths of line 4", "word_steps", of="lines", at=4, text="letters", words=fourth)),
        Step(9, f"Every line has exactly {len(lines[0])} characters.",
             _exactly("characters of each line", "measured", len(lines[0]), of="lines", text="characters")),
        Step(10, f"The letter e occurs {', '.join(es[:-1])} and {es[-1]} times in the eight lines, in this order.",
             _rule("letters e per line", "in_steps", of="lines", text="letter:e", words=es)),
        Step(11, f"In the whole poem the letter t occurs exactly {t} times, n exactly {n} times and i exactly {i} times.",
             _exactly("letter t", "measured", t, text="letter:t")),
        Step(11, "", _exactly("letter n", "measured", n, text="letter:n")),
        Step(11, "", _exactly("letter i", "measured", i, text="letter:i")),
        Step(12, f"With a = 1, b = 2 and so on to z = 26, the letters of the first line add up to {_values(lines[0])}, those of the last "
             f"line to {_values(lines[-1])}, and those of the whole poem to {_values(text)}.",
             _exactly("sum of line 1", "measured", _values(lines[0]), of="lines", at=1, text="letter values")),
        Step(12, "", _exactly("sum of line 8", "measured", _values(lines[-1]), of="lines", at=-1, text="letter values")),
        Step(12, "", _exactly("sum of the poem", "measured", _values(text), text="letter values")),
    )  # fmt: skip
    return Ladder(
        "follow_poem", 3,
        "Write a poem about a harbour in winter.",
        "The characters of a line are its letters, its spaces and its punctuation. Upper and lower case are the same letter.",
        "Reply with the poem only: no title.",
        steps,
        {"words": 30, "distinct": 22, "hits": 3, "about": HARBOUR},
        "\n".join([*lines[:4], "", *lines[4:]]),
    )  # fmt: skip


HARBOUR = _stems(
    "sail boat ship wave tide gull fish net rope anchor mast deck pier dock harbo port shore coast wind frost ice snow fog "
    "mist gale storm sailor captain lantern water winter cold freez salt shell lighthouse beacon sea ocean north night "
    "morning light hull keel moor bay"
)


def mail() -> Ladder:
    sentences = (
        "Paket und Rechnung sind noch bei uns.", "Ohne den neuen Fahrer fehlt uns heute Zeit.",
        "Sie bekommen das Paket nun ganz sicher am Freitag.", "Tragen Sie bitte einen anderen Ort in das Formular ein.",
    )  # fmt: skip
    body = " ".join(sentences)
    counts = [str(len(sentence.split())) for sentence in sentences]
    n = body.lower().count("n")
    told = {
        "Wörter": ("words", len(body.split())),
        "Großbuchstaben": ("capitals", sum(char.isupper() for char in body)),
        "Buchstabe e": ("letter:e", body.lower().count("e")),
        "Vokale": ("vowels", _vowels(body)),
        "Buchstaben": ("letters", _letters(body)),
        "Zeichen": ("characters", len(body)),
        "Verschiedene": ("different letters", len({char for char in body.lower() if char.isalpha()})),
        "Summe": ("letter values", _values(body)),
    }

    def line(label: str) -> dict[str, Any]:
        return _rule(
            f"{label} told", "told", of="paragraphs", at=2, low=25, text=told[label][0], words=[label]
        )

    steps = (
        Step(1, "Write in German.", _rule("in German", "language", text="de")),
        Step(2, 'The first paragraph is only the line "Guten Tag Frau Seidel,".',
             _rule("the salutation", "starts", text="Guten Tag Frau Seidel,\n\n")),
        Step(2, 'The third paragraph begins with "Mit freundlichen Grüßen" and names the sender, "Team Nordlicht".',
             _rule("the close", "starts", of="paragraphs", at=3, text="Mit freundlichen Grüßen")),
        Step(2, "", _rule("the sender", "includes", of="paragraphs", at=3, words=["Team Nordlicht"], low=1, high=1)),
        Step(3, "There are four paragraphs with a blank line between them.", _exactly("four paragraphs", "count", 4, of="paragraphs")),
        Step(3, 'Use the word "Freitag" once, in exactly this form.', _rule("Freitag", "includes", words=["Freitag"], low=1, high=1)),
        Step(4, 'Do not use the words "leider" or "Entschuldigung".', _rule("no excuse", "avoids", words=["leider", "Entschuldigung"])),
        Step(4, "The second paragraph has no digit, exclamation mark or comma.",
             _rule("no digit, comma or mark", "without", of="paragraphs", at=2, text="0123456789!,")),
        Step(5, "The second paragraph has exactly 4 sentences.", _exactly("four sentences", "sentences_in", 4, of="paragraphs", at=2)),
        Step(5, 'It has the word "Paket" exactly 2 times.',
             _exactly("Paket twice", "includes", 2, of="paragraphs", at=2, words=["Paket"])),
        Step(6, f"Its sentences have {', '.join(counts[:-1])} and {counts[-1]} words, in this order.",
             _rule("words per sentence", "in_steps", of="paragraph_sentences", at=2, text="words", words=counts)),
        Step(7, "The first letters of its sentences spell POST.",
             _rule("POST", "spelled", of="paragraph_sentences", at=2, text="post")),
        Step(7, 'It ends with the word "ein" and a full stop.', _rule("ends with ein", "ends", of="paragraphs", at=2, text=" ein.")),
        Step(8, 'The fourth paragraph has eight lines that say something true about the second paragraph: "Wörter: …" (how many words it '
             'has), "Großbuchstaben: …" (how many upper-case letters), "Buchstabe e: …" (how many letters e), "Vokale: …" (how many letters '
             'a, e, i, o and u; ä, ö and ü are not counted), "Buchstaben: …" (how many letters), "Zeichen: …" (how many characters, with '
             'spaces and punctuation), "Verschiedene: …" (how many different letters from a to z) and "Summe: …" (the sum of all letters '
             "with a = 1, b = 2 and so on to z = 26; ä, ö, ü and ß are nothing), each with the number in digits.", line("Wörter")),
        Step(9, "", line("Großbuchstaben")),
        Step(9, f"The letter n occurs exactly {n} times in the second paragraph.",
             _exactly("letter n", "measured", n, of="paragraphs", at=2, text="letter:n")),
        Step(10, "", line("Buchstabe e")),
        Step(10, "", line("Vokale")),
        Step(11, "", line("Buchstaben")),
        Step(11, "", line("Zeichen")),
        Step(12, "", line("Verschiedene")),
        Step(12, "", line("Summe")),
    )  # fmt: skip
    footer = "\n".join(f"{label}: {value}" for label, (_, value) in told.items())
    return Ladder(
        "follow_mail", 3,
        "Write a short mail to a customer, Frau Seidel, whose parcel is late.",
        "Upper and lower case are the same letter where nothing else is said.",
        "Reply with the mail only: no subject line.",
        steps,
        {"words": 35, "distinct": 25, "hits": 2, "about": PARCEL},
        f"Guten Tag Frau Seidel,\n\n{body}\n\nMit freundlichen Grüßen\nIhr Team Nordlicht\n\n{footer}",
    )  # fmt: skip


PARCEL = _stems(
    "paket lieferung zustell verspät sendung geduld verzöger nachricht bestell versand ankunft ankomm eintreff liefer kund "
    "freitag fahrer rechnung warten parcel package deliver delay order"
)
