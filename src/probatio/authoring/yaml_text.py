"""YAML files of a suite for a person to go on with: programs as blocks, and no defaults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import yaml

from probatio.core.records import Task
from probatio.suites.language_file import LanguageFile

WIDTH = 120


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks, lists of plain values on one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text.strip("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    plain = all(isinstance(item, str | int | float) and "\n" not in str(item) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=plain)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)


def dump_yaml(data: object) -> str:
    """Plain data as YAML."""
    return yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False
    )


def format_language(about: LanguageFile, comment: str) -> str:
    """A language.yml."""
    return f"# {comment}\n{dump_yaml(_plain(about))}"


def format_tasks(tasks: Iterable[Task]) -> str:
    """A file of tasks."""
    return dump_yaml({"tasks": [_plain(task) for task in tasks]})


def _plain(record: Any) -> Any:
    """A record as plain data, without fields that have their default, under the names of its file."""
    if isinstance(record, msgspec.Struct):
        kept = {}
        for field in msgspec.structs.fields(record):
            value = getattr(record, field.name)
            factory: Any = field.default_factory
            default = field.default if factory is msgspec.NODEFAULT else factory()
            if field.required or value != default:
                kept[field.encode_name] = _plain(value)
        return kept
    if isinstance(record, tuple | list):
        return [_plain(item) for item in record]
    if isinstance(record, dict):
        return {name: _plain(value) for name, value in record.items()}
    return record
