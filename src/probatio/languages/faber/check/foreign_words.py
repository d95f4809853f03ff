"""Words of other languages, and how Faber says the same: hints for names that nobody declared."""

from __future__ import annotations

_FOREIGN = {
    **dict.fromkeys(("let", "var"), "A mutable variable is declared with `{varia}`."),
    "const": "An immutable variable is declared with `{fixum}`.",
    **dict.fromkeys(("function", "func", "def", "fn"), "A function is declared with `{functio}`."),
    "if": "A condition starts with `{si}`.",
    **dict.fromkeys(("else", "aliter", "alioquin"), "Otherwise is `{secus}`, with a further condition `{sin}`."),
    "while": "A loop with a condition starts with `{dum}`.",
    "for": "A loop over values is written `{ex} list {pro} x {{ … }}`.",
    "return": "A value is returned with `{redde}`.",
    **dict.fromkeys(("print", "console", "scribere", "dic"), "Output is written with `{scribe} value`."),
    **dict.fromkeys(("true", "verus"), "True is `{verum}`."),
    **dict.fromkeys(("false", "falsus"), "False is `{falsum}`."),
    **dict.fromkeys(("null", "undefined", "None"), "Nothing is `{nihil}`."),
    "new": "An object is made with `{novum}`.",
    "this": "The object of a method is `{ego}`.",
    "class": "A class is declared with `{genus}`.",
    "enum": "An enumeration is declared with `{ordo}`.",
    "interface": "A contract is declared with `{pactum}`.",
    "try": "Catching starts with `{tempta}`.",
    "throw": "A value is thrown with `{iace}`.",
    "break": "A loop is left with `{rumpe}`.",
    "continue": "The next round starts with `{perge}`.",
    "switch": "Choosing by value starts with `{elige}`.",
    "import": 'Names are imported with `{ex} "module" {importa} name`.',
    "await": "A promise is awaited with `{cede}`.",
    **dict.fromkeys(
        ("Math", "pavimentum", "radix", "potentia"), 'Import it first: `{ex} "norma/mathesis" {importa} radix`.'
    ),
}


def hint_for_undefined(name: str, words: dict[str, str]) -> str | None:
    """What a writer may have meant by a name nobody declared."""
    hint = _FOREIGN.get(name)
    return hint.format_map(words) if hint else None
