"""What a page told the console, as one line of text."""

from __future__ import annotations

from typing import Any


def console_text(said: list[dict[str, Any]]) -> str:
    """The arguments of a console call, one after the other."""
    return " ".join(_shown(one) for one in said)


def error_text(details: dict[str, Any]) -> str:
    """The message of an uncaught error, without the error's name and without its stack."""
    thrown = details.get("exception")
    if not thrown:
        return str(details.get("text", ""))
    whole = str(thrown.get("description") or _shown(thrown))
    lines = whole.split("\n")
    stack = next((place for place, line in enumerate(lines) if line.startswith("    at")), len(lines))
    message = "\n".join(lines[:stack])
    _, colon, rest = message.partition(":")
    return rest[1:] if colon and rest else message


def _shown(thing: dict[str, Any]) -> str:
    if thing.get("type") == "undefined":
        return "undefined"
    if "value" in thing:
        value = thing["value"]
        return (
            {True: "true", False: "false"}[value]
            if isinstance(value, bool)
            else "null"
            if value is None
            else str(value)
        )
    if "unserializableValue" in thing:
        return str(thing["unserializableValue"])
    preview = thing.get("preview")
    if preview and thing.get("description") == "Object":
        return "{" + ", ".join(f"{one['name']}: {one.get('value')}" for one in preview["properties"]) + "}"
    if preview and thing.get("subtype") == "array":
        return "[" + ", ".join(str(one.get("value")) for one in preview["properties"]) + "]"
    return str(thing.get("description", ""))
