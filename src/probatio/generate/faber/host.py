"""The same program in TypeScript, as a person would write it: what the compiler makes, without what only a compiler needs."""

from __future__ import annotations

import re

from probatio.languages.faber import tree
from probatio.languages.faber.emit import emit

_CONSTRUCTOR = re.compile(r"\n  constructor\(given: any = \{\}\) \{\n(?:    .*\n)*  \}")
_COUNTER = re.compile(r"for \(let (\w+): any = ")
_LOOSE = re.compile(r" (==|!=) ")


def typescript(program: tree.Program) -> str:
    """Readable TypeScript. That it prints the same is proven by running it, like everything else."""
    text = _CONSTRUCTOR.sub("", emit(program))  # drawn programs give no fields to a new object
    text = _COUNTER.sub(r"for (let \1 = ", text)
    return _LOOSE.sub(r" \1= ", text).rstrip("\n")
