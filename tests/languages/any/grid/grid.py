"""Runs a program on a grid: from the fifth column of the first row it goes down, until a sign turns it."""

import sys
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8") as file:
    rows = file.read().split("\n")
stack, row, column, down, right = [], 0, 4, 1, 0
TURNS = {">": (0, 1), "<": (0, -1), "^": (-1, 0), "v": (1, 0)}
for _ in range(1000):
    if not (0 <= row < len(rows) and 0 <= column < len(rows[row])):
        sys.exit(f"left the grid at row {row + 1}, column {column + 1}")
    sign = rows[row][column]
    if sign in TURNS:
        down, right = TURNS[sign]
    elif sign.isdigit():
        stack.append(int(sign))
    elif sign == "+":
        stack.append(stack.pop() + stack.pop())
    elif sign == "!":
        print(f"{stack.pop():4}")
    elif sign == "@":
        sys.exit(0)
    elif sign != " ":
        sys.exit(f"no such sign: {sign}")
    row, column = row + down, column + right
sys.exit("no end")
