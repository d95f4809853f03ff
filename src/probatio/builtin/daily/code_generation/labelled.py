"""Answers of several programs, each after its label: `P1: …`, or a line `P1` and the program below it."""

from __future__ import annotations

import re

from probatio.grade.extract import fenced_blocks

_LABEL = re.compile(r"[ \t>#*_`|+-]{0,12}(?:[Pp]rogram[ \t]+)?[Pp]([1-9]\d?)\b[*_`]{0,4}[ \t]?(?=[:.)|=(*_` \t]|$)")
_AFTER = re.compile(r"[*_`]{0,4}[ \t]*[:.)|=]?[*_`]{0,4}[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")


def programs(answer: str) -> dict[int, str]:
    """Number → the text after its label, up to the next label. Of two programs with one label the last counts, as where a model
    thinks again. If labels stand in code blocks, what stands outside of the blocks is no program."""
    blocks = [block.body for block in fenced_blocks(answer)]
    inside = "\n".join(block for block in blocks if any(_LABEL.match(line) for line in block.split("\n")))
    found: dict[int, list[str]] = {}
    current: list[str] = []
    for line in (inside or answer).split("\n"):
        label = _LABEL.match(line)
        if label:
            current = found[int(label[1])] = []
            after = _AFTER.match(line, label.end())
            current.append(line[after.end() if after else label.end() :])
        elif not _FENCE.match(line):
            current.append(line)
    return {number: "\n".join(lines).strip() for number, lines in found.items()}
