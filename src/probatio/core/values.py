"""Values of the files a user writes: the types of their fields, each with what it has to be.

`yamlfile.py` says the descriptions where a value is another one.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

SET_WHEN_READ = msgspec.Meta(extra={"written": False})
"""Marks a field of a record that is no key of the file: we set it."""

Name = Annotated[str, msgspec.Meta(pattern=r"\S", description="a name that is not empty")]
Address = Annotated[
    str,
    msgspec.Meta(pattern=r"(?i)^https?://\S", description="an address that begins with http:// or https://"),
]
Variable = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="the name of an environment variable; the key itself belongs into it, or into .env",
    ),
]
Dollars = Annotated[float, msgspec.Meta(ge=0, le=1e9, description="a finite number of dollars, not below 0")]
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e9, description="a finite number, not below 0")]
MoreThanZero = Annotated[float, msgspec.Meta(gt=0, le=1e9, description="a finite number, more than 0")]
Share = Annotated[float, msgspec.Meta(ge=0, le=1, description="a number from 0 to 1")]
Count = Annotated[int, msgspec.Meta(ge=0, description="a whole number, not below 0")]
Positive = Annotated[int, msgspec.Meta(ge=1, description="a whole number of at least 1")]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How much a reasoning model may think, in the words of the chat API."""
