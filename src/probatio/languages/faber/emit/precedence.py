"""How tightly TypeScript's operators bind, loosest first. An operand that binds less than asked for gets parentheses."""

from __future__ import annotations

ASSIGN, CHOICE, OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, COMPARE, SHIFT, SUM, PRODUCT, PREFIX, MEMBER, ATOM = range(
    1, 16
)

Bound = tuple[str, int]
"""An expression as TypeScript, and how tightly it binds."""
