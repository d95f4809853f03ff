"""A command line with a second set of commands: the language with one rule exchanged."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from probatio.core.errors import UsageError
from probatio.jail import Choice, ProgramOutcome
from probatio.languages.command import CommandLanguage
from probatio.languages.contract import Checked, LanguageSpec, TwistCommands, twist_of


class TwistedCommandLanguage(CommandLanguage):
    """A language of commands with twists. Programs keep their text: what they do under a twist is told by
    running them."""

    def __init__(self, spec: LanguageSpec) -> None:
        super().__init__(spec)
        self._twists: dict[str, TwistCommands] = self.commands.twists or {}
        self._by_twist = {name: CommandLanguage(_twist_spec(spec, name)) for name in self._twists}

    @property
    def twists(self) -> Mapping[str, str]:
        return {name: twist.rule or name.replace("_", " ") for name, twist in self._twists.items()}

    def version(self) -> str:
        return " ".join(
            [super().version(), *(f"{name} {each.version()}" for name, each in self._by_twist.items())]
        )

    def check(self, program: str, dialect: str, isolation: Choice) -> Checked:
        twisted = self._under(dialect)
        return (
            super().check(program, dialect, isolation)
            if twisted is None
            else twisted.check(program, dialect, isolation)
        )

    def run(self, program: str, dialect: str, stdin: str, isolation: Choice) -> ProgramOutcome:
        twisted = self._under(dialect)
        if twisted is None:
            return super().run(program, dialect, stdin, isolation)
        return twisted.run(program, dialect, stdin, isolation)

    def rule(self, dialect: str) -> str:
        return self.twists[twist_of(dialect)]

    def restate(self, template: str, dialect: str) -> str:
        """The template without the sentences that the twist makes false."""
        for sentence in self._twists[twist_of(dialect)].replaces:
            template = template.replace(sentence, "")
        return template

    def respell(self, program: str, dialect: str) -> str:
        return self.program_in(program, dialect)

    def alike(self, program: str, dialect: str) -> bool:
        """Never known without running it."""
        return False

    def _under(self, dialect: str) -> CommandLanguage | None:
        name = twist_of(dialect)
        if name and name not in self._by_twist:
            raise UsageError(f"{self.name} has no twist `{name}`; it has {', '.join(self._by_twist)}.")
        return self._by_twist.get(name)


def _twist_spec(spec: LanguageSpec, name: str) -> LanguageSpec:
    """The language under a twist: its commands, and what the twist has in their place."""
    commands = spec.commands
    assert commands is not None and commands.twists
    twist = commands.twists[name]
    exchanged = msgspec.structs.replace(
        commands,
        run=twist.run,
        check=twist.check or commands.check,
        serve=msgspec.UNSET,
        twists=msgspec.UNSET,
    )
    return msgspec.structs.replace(spec, commands=exchanged)
