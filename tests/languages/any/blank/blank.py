"""Runs a program of nothing but blanks, tabs and line breaks; every other character is a remark."""

import sys
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
    text = "".join(sign for sign in file.read() if sign in " \t\n")
stack, at = [], 0
try:
    while True:
        two = text[at : at + 2]
        if text[at] == " ":  # push: binary digits, and a line break at their end
            end = text.index("\n", at + 1)
            stack.append(int(text[at + 1 : end].replace(" ", "0").replace("\t", "1"), 2))
            at = end + 1
            continue
        if two == "\n\n":
            break
        if two == "\t ":
            print(stack.pop())
        elif two == "\t\t":
            stack.append(stack.pop() + stack.pop())
        elif two == "\n\t":
            stack.append(int(input()))
        else:
            sys.exit("no such instruction")
        at += 2
except (IndexError, ValueError) as error:
    sys.exit(f"broken program: {error}")
