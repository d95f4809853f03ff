"""Reads {"case": …, "answer": …} on standard input and prints a score from 0 to 1. Runs in the jail."""

import json
import sys

asked = json.load(sys.stdin)
gold = asked["case"]["gold"]
chosen = [line.strip(" *-.").lower() for line in asked["answer"].splitlines() if line.strip()]

if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= gold["weights"].keys():
    print(0)
else:
    missed = abs(sum(gold["weights"][name] for name in chosen) - gold["total"])
    print(1 if missed == 0 else 0.5 if missed == 1 else 0)

# True or False is a score, too, and an object may show parts: docs/your-watch.md, "A grader of your own".
