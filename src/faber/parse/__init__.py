"""From text to tree: tokens, and the grammar by subject over one cursor."""

from __future__ import annotations

from faber.parse.program import parse
from faber.parse.tokens import Tokens, tokenize

__all__ = ["Tokens", "parse", "tokenize"]
