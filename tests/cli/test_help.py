"""`--help` of every command: it has an example, and every example is a call that the command line accepts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from probatio.cli import root

CALL = re.compile(r"probatio ((?:(?! {3}| \(|\)\"| [|>&]).)+)")
"""A call of ours in a shell line, without what follows: another command, a redirection, or a remark."""


def commands(command: click.Command = root, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command and every group below this one."""
    yield path
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            subcommand = command.get_command(ctx, name)
            assert subcommand is not None
            yield from commands(subcommand, (*path, name))


def find(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that these words call, and the arguments that are left."""
    command: click.Command = root
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        subcommand = command.get_command(click.Context(command), words[0])
        assert subcommand is not None, f"there is no command {words[0]}"
        command, words = subcommand, words[1:]
    return command, words


def examples(path: tuple[str, ...]) -> list[str]:
    command, _ = find(list(path))
    text = command.get_help(click.Context(command, info_name=" ".join(("probatio", *path))))
    _, heading, shown = re.split(r"(Examples?[^\n]*:\n)", text, maxsplit=1)
    assert heading
    return CALL.findall(shown.partition("\n\n")[0])


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_command_shows_examples_that_the_command_line_accepts(path: tuple[str, ...]) -> None:
    calls = examples(path)
    assert any(shlex.split(call)[: len(path)] == list(path) for call in calls)
    for call in calls:
        command, arguments = find(shlex.split(call))
        command.make_context(command.name or "", arguments)
