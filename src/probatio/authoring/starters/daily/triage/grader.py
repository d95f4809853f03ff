"""Reads {"case": …, "answer": …} on standard input and prints a score with its parts. Runs in the jail."""

import json
import sys

asked = json.load(sys.stdin)
gold = asked["case"]["gold"]

given = {}
twice = False
for line in asked["answer"].splitlines():
    name, colon, value = line.partition(":")
    name = name.strip(" *_-").lower()
    if colon and name in gold:
        twice = twice or name in given
        given[name] = value.strip(" *_.").lower()

parts = [
    {
        "name": name,
        "score": float(given.get(name) == right and not twice),
        "weight": 2 if name == "team" else 1,
        "detail": f"expected {right}, was {given.get(name)}",
    }
    for name, right in gold.items()
]
score = sum(part["weight"] * part["score"] for part in parts) / sum(part["weight"] for part in parts)
note = "A line is given twice, so none of them counts." if twice else None
print(json.dumps({"score": score, "parts": parts, "note": note}))
