"""Runs a program of single signs on cells; every other character is a remark."""

import sys
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8") as file:
    text = file.read()
cells, here, at, opened, jumps = [0] * 100, 0, 0, [], {}
for place, sign in enumerate(text):
    if sign == "{":
        opened.append(place)
    elif sign == "}":
        if not opened:
            sys.exit("a } without its {")
        jumps[place] = opened.pop()
        jumps[jumps[place]] = place
if opened:
    sys.exit("a { without its }")
while at < len(text):
    sign = text[at]
    if sign in "+-":
        cells[here] += 1 if sign == "+" else -1
    elif sign in "<>":
        here += 1 if sign == ">" else -1
    elif sign == "!":
        print(cells[here])
    elif sign == "?":
        cells[here] = int(input())
    elif (sign == "{" and not cells[here]) or (sign == "}" and cells[here]):
        at = jumps[at]
    at += 1
