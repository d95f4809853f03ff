"""Names and texts that programs are made of. None is a word of the language in any dialect; a test holds that."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NAMES = _words("""
    rota arca pila nodus fumus ripa hasta lupus gradus nummus saccus caupo merces mensa aqua ager annus census urna
    flos pondus via turba clavus gemma lacus mons nauta olea panis ramus scala tabella umbra vinum equus fons gallus herba
    insula lumen murus navis oppidum piscis sella tectum uva villa agmen barba cera dolium faba hamus lana malum nidus
    ovum pirum rosa silva taurus vitrum calx vas ulmus pinus laurus corvus cycnus passer apis aper cervus ursus
""")
"""Variables, parameters and functions."""

TEXTS = _words("""
    sol luna stella mare terra ignis ventus nix imber dies nox ver aestas autumnus hiems porta pons forum templum
    murex coral ebur aes ferrum plumbum aurum sal mel lac caseus cepa porrum ficus cicer linum lupa
""")
"""Texts in lists, commands and messages."""
