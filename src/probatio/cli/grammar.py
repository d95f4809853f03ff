"""The grammar of a line: which words name the command; and the layout of help."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class CommandEntry(NamedTuple):
    """A command: `module` in `cli`, or `module:function` if it has several, and its line in a listing."""

    place: str
    line: str


Table = Mapping[str, CommandEntry]
"""The words that name a command → the command. `study compare` is a command below `study`."""


def split_name(words: Sequence[str], table: Table) -> tuple[str, list[str]]:
    """The longest name that the words begin with, and the other words.

    `study compare a b` → `study compare`, `a b`.

    A word that is no command's name is left to the command before it: `study monday` → `study`, `monday`.
    """
    longest = max(name.count(" ") + 1 for name in table)
    for length in range(min(longest, len(words)), 0, -1):
        if (name := " ".join(words[:length])) in table:
            return name, list(words[length:])
    return "", list(words)


def find_below(name: str, table: Table) -> dict[str, CommandEntry]:
    """The commands one word below this one, by that word."""
    return {
        each.removeprefix(f"{name} "): entry
        for each, entry in table.items()
        if each.startswith(f"{name} ") and each.count(" ") == name.count(" ") + 1
    }


def find_meant(typed: str, table: Table) -> str | None:
    """The command that a mistyped name may mean. A command below another is also found by its last word."""
    from probatio.core.text.names import find_near

    last = typed.rpartition(" ")[2].casefold()
    begun = [name for name in table if name.rpartition(" ")[2].startswith(last)]
    return next(iter(begun or find_near(typed, list(table))), None)


class Root(click.Group):
    """All commands, from one table. A command is imported only when it runs, so `--help` stays fast."""

    def __init__(
        self, *given: Any, table: Table, questions: Mapping[str, Sequence[str]], **more: Any
    ) -> None:
        super().__init__(*given, **more)
        self.table = table
        self.questions = questions

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module, _, name = self.table[cmd_name].place.partition(":")
        command: click.Command = getattr(importlib.import_module(f"probatio.cli.{module}"), name or "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, rest = split_name(args, self.table)
        command = self.get_command(ctx, name)
        if ctx.resilient_parsing:
            return name or None, command, rest
        if command is None:
            self._refuse(ctx, args[0])
        elif (
            rest
            and not rest[0].startswith("-")
            and not _takes_words(command)
            and find_below(name, self.table)
        ):
            self._refuse(ctx, f"{name} {rest[0]}")
        return name, command, rest

    def _refuse(self, ctx: click.Context, typed: str) -> None:
        if typed.startswith("-"):
            ctx.fail(f"There is no option {typed} here. See probatio --help.")
        meant = find_meant(typed, self.table)
        hint = f"Did you mean `{meant}`?" if meant else "See probatio help --all."
        ctx.fail(f"There is no command `{typed}`. {hint}")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands by the table. Click would import every module to ask whether its command is hidden."""
        shown = {name: self.table[name] for names in self.questions.values() for name in names}
        return [*_complete(shown, incomplete), *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(name) for names in self.questions.values() for name in names)
        for question, names in self.questions.items():
            formatter.write(f"\n{question}\n")
            with formatter.indentation():
                formatter.write_dl([(name.ljust(width), self.table[name].line) for name in names])


class Verb(click.Command):
    """A command with its options under headings, which may have commands below it.

    `groups`: heading → the names of its options, as the function takes them. The others are under `Options`.
    """

    def __init__(self, *given: Any, groups: Mapping[str, Sequence[str]] | None = None, **more: Any) -> None:
        super().__init__(*given, **more)
        self.groups = groups or {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        rows = {param.name: row for param in options if (row := param.get_help_record(ctx))}
        grouped = {name for names in self.groups.values() for name in names}
        headings = {**self.groups, "Options": [name for name in rows if name not in grouped]}
        for heading, names in headings.items():
            if shown := [rows[name] for name in names if name in rows]:
                with formatter.section(heading):
                    formatter.write_dl(shown)
        if below := self._below(ctx):
            with formatter.section("Commands"):
                formatter.write_dl([(name, entry.line) for name, entry in below.items()])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)
        only_below = self._below(ctx) and not _takes_words(self) and not self.groups
        return [*pieces, "COMMAND …"] if only_below else pieces

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [*_complete(self._below(ctx), incomplete), *super().shell_complete(ctx, incomplete)]

    def _below(self, ctx: click.Context) -> dict[str, CommandEntry]:
        root = ctx.find_root().command
        return find_below(ctx.info_name or "", root.table) if isinstance(root, Root) else {}


def _takes_words(command: click.Command) -> bool:
    return any(isinstance(param, click.Argument) for param in command.params)


def _complete(commands: Mapping[str, CommandEntry], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=entry.line)
        for name, entry in commands.items()
        if name.startswith(incomplete)
    ]
