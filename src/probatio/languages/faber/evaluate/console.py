"""What `scribe` prints: values as bun's console lays them out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from probatio.languages.faber.evaluate.values import (
    ERROR,
    UNDEFINED,
    Bag,
    Blueprint,
    Declined,
    Function,
    Instance,
    Record,
    Table,
    Value,
    number_text,
    text,
)

_LINE = 80
_CROWD = 10
_SHOWN = 100
_DEPTH = 2
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_PLACE = re.compile(r"%[sdifjoOc%]")
_PLAIN = (str, float, bool, int)


def printed(values: list[Value]) -> str:
    """One line of output, or several, without the last newline."""
    if len(values) > 1 and type(values[0]) is str and _PLACE.search(values[0]):
        raise Declined("a format string of the console")
    parts = []
    for value in values:
        kind = type(value)
        if kind is str:
            parts.append(value)
        elif kind is float:
            parts.append(_number(value))
        elif kind is bool or value is None or value is UNDEFINED:
            parts.append(text(value))
        else:
            layout = _Layout(sum(len(part) for part in parts))
            layout.value(value)
            parts.append("".join(layout.out))
    return " ".join(parts)


def _number(value: float) -> str:
    return "-0" if value == 0 and str(value)[0] == "-" else number_text(value)


class _Layout:
    """One value being laid out; `line` is bun's own estimate of the column."""

    def __init__(self, line: int) -> None:
        self.out: list[str] = []
        self.line = line
        self.indent = 0
        self.depth = 0

    def put(self, words: str, columns: int | None = None) -> None:
        self.out.append(words)
        self.line += len(words) if columns is None else columns

    def pad(self) -> None:
        self.out.append("  " * self.indent)

    def due(self) -> bool:
        if self.line <= _LINE:
            return False
        self.line = self.indent * 2
        return True

    def value(self, value: Value) -> None:
        kind = type(value)
        if kind is str:
            self._quoted(value)
        elif kind is float:
            self.put(_number(value))
        elif kind is int:
            self.put(f"{value}n", len(str(value)))
        elif kind is bool or value is None or value is UNDEFINED:
            self.put(text(value))
        elif kind is list:
            self._list(value)
        elif kind is Table:
            self._entries("Map", [*value.entries.values()], self._pair)
        elif kind is Bag:
            self._entries("Set", value.values(), self.value)
        elif kind is Function:
            self.put(f"[Function{': ' + value.name if value.name else ''}]", 0)
        elif isinstance(value, Instance) and value.blueprint.is_a(ERROR):
            name = value.blueprint.name
            self.put(f"{'error' if name == 'Error' else name}: {text(value.fields.get('message', ''))}")
        elif isinstance(value, Record):
            self._record(value)
        else:
            raise Declined(f"a {kind.__name__} on the console")

    def _quoted(self, words: str) -> None:
        if not words.isascii() or any(ord(sign) < 32 and sign not in "\n\t\r\b\f" for sign in words):
            raise Declined("such a text inside a value on the console")
        self.put(json.dumps(words), 0 if not words else len(words))

    def _too_deep(self, name: str) -> bool:
        if self.depth <= _DEPTH:
            return False
        self.put(f"[{name} ...]", 0 if name == "Object" else len(name) + 6)
        return True

    def _list(self, values: list[Value]) -> None:
        if not values:
            return self.put("[]")
        if self._too_deep("Array"):
            return None
        self.indent += 1
        self.depth += 1
        self.line += 2
        plain = type(values[0]) in _PLAIN or values[0] is None or values[0] is UNDEFINED
        opened = len(values) > _CROWD or not plain or self.due()
        if opened:
            self.out.append("[\n")
            self.pad()
            self.line = self.indent * 2 + 1
        else:
            self.put("[ ")
        for place, each in enumerate(values):
            if place >= _SHOWN:
                self.out.append(",\n")
                self.pad()
                self.line = 0
                self.put(f"... {len(values) - place} more items")
                break
            if place:
                self.put(",")
                if self.due():
                    opened = True
                    self.out.append("\n")
                    self.pad()
                else:
                    self.put(" ")
            self.value(each)
        self.due()
        self.depth -= 1
        self.indent -= 1
        if opened or self.due():
            self.out.append("\n")
            self.pad()
            self.out.append("]")
            self.line = self.indent * 2 + 1
        else:
            self.put(" ]")
        return None

    def _record(self, record: Record) -> None:
        self.due()
        if self._too_deep("Object"):
            return None
        members: dict[str, Value] = dict(record.fields)
        if isinstance(record, Instance):
            self.put(f"{record.blueprint.name} ", 0)
            blueprint: Blueprint | None = record.blueprint
            while blueprint is not None:
                members |= {name: method for name, method in blueprint.methods.items() if name not in members}
                blueprint = blueprint.parent
        if not members:
            return self.put("{}", 0)
        self.line = self.indent * 2 + 1
        self.indent += 1
        self.depth += 1
        self.out.append("{\n")
        self.pad()
        for place, (key, value) in enumerate(members.items()):
            if place:
                self.put(",")
                self.out.append("\n")
                self.pad()
                self.line = self.indent * 2
            known = _IDENTIFIER.fullmatch(key)
            self.put(f"{key if known else json.dumps(key)}: ", len(key) + (1 if known else 2))
            self.value(value)
        self.depth -= 1
        self.indent -= 1
        self.out.append(",\n")
        self.line += 1
        self.pad()
        return self.put("}")

    def _pair(self, pair: tuple[Value, Value]) -> None:
        self.value(pair[0])
        self.out.append(": ")
        self.value(pair[1])

    def _entries(self, title: str, entries: list[Value], write: Callable[[Value], None]) -> None:
        if not entries:
            return self.put(f"{title} {{}}", 0)
        if self._too_deep(title):
            return None
        self.out.append(f"{title}({len(entries)}) {{\n")
        self.indent += 1
        self.depth += 1
        for entry in entries:
            self.pad()
            write(entry)
            self.put(",\n", 1)
        self.depth -= 1
        self.indent -= 1
        self.pad()
        self.out.append("}")
        return None
