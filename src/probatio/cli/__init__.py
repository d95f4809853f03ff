"""The command line: one thin file per command, imported only when the command runs."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

import click

from probatio import __version__
from probatio.errors import ProbatioError
from probatio.visible import VisibleStream, raw

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: dict[str, tuple[str, str]] = {
    "trial": ("probatio.cli.trial", "Ask models the tasks of a suite and grade the answers."),
    "grade": ("probatio.cli.grade", "Grade stored answers again, without calling a model."),
    "study": ("probatio.cli.study", "Analyse runs: pass rates, learning curves, the effect of each factor."),
    "compare": ("probatio.cli.compare", "Compare runs, models or contexts, paired by trial."),
    "power": ("probatio.cli.power", "Tell the chance that a comparison will show a difference, before you spend."),
    "pack": ("probatio.cli.pack", "Pack a closed run into Parquet, a tenth of the size; unpack it."),
    "items": ("probatio.cli.items", "Measure tasks, cases and rungs: difficulty, discrimination, who they tell about."),
    "daily": ("probatio.cli.daily", "Run the daily suite: a score per model and use case."),
    "export": ("probatio.cli.export", "Write a run for Inspect, CI or lm-eval, or tasks for Harbor."),
    "import": ("probatio.cli.import_days", "Take in answers or scores of past days, or tasks of Harbor."),
    "verdict": ("probatio.cli.verdict", "Show for each model whether it got worse, and why."),
    "accept": ("probatio.cli.accept", "Accept a model's new level as its usual one, with the reason on record."),
    "verify": ("probatio.cli.verify", "Recompute ledger, grades and verdicts from the raw files."),
    "judge": ("probatio.cli.judge", "Compare the judge's marks with its calibration set."),
    "simulate": ("probatio.cli.simulate", "Measure false alarms and delays of the verdict on synthetic models."),
    "rehearse": ("probatio.cli.rehearse", "Live through simulated days of a daily suite, to test alerts and gates."),
    "watch": ("probatio.cli.watch", "Run `probatio daily` every day, without cron."),
    "alert": ("probatio.cli.alert", "Test the alert channels; send pending alerts."),
    "site": ("probatio.cli.site", "Serve or build the site; create a demo."),
    "faber": ("probatio.cli.faber", "Check, run, compile or format Faber programs."),
    "suite": (
        "probatio.cli.suite",
        "Write and prove a suite of your own, for a language or a watch; list built-in ones.",
    ),
    "models": ("probatio.cli.models", "List, find and add models; download embedded ones."),
    "doctor": ("probatio.cli.doctor", "Show what works on this machine: isolation, keys, models."),
    "docs": ("probatio.cli.docs", "Show a page of the documentation, or list them."),
    "completion": ("probatio.cli.completion", "Print the script for completion in bash, zsh or fish."),
}
"""Command → (module with the command, its line in `--help`)."""


class LazyGroup(click.Group):
    """A group that imports a command only when it runs. So `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS and not ctx.resilient_parsing:
            from probatio.names import near

            meant = near(args[0], list(COMMANDS))
            hint = f"Did you mean `{meant[0]}`?" if meant else "See probatio --help."
            ctx.fail(f"There is no command `{args[0]}`. {hint}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands by the table. Click would import every module to ask whether its command is hidden."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=line) for name, (_, line) in COMMANDS.items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="probatio", help="Show the version of the software and exit.")
def root() -> None:
    """Measure whether a model can learn a language, and whether a model got worse over time.

    \b
    Examples, without a key:
      probatio trial --limit 20     an embedded model, downloaded once
      probatio daily --dry-run      the plan of today's suite
    """


SHOWN_AS_THEY_ARE = frozenset({"faber"})
"""Commands whose output is the user's own program or what it prints."""


def main() -> None:
    """Run the command line. A user's mistake ends with one sentence, never with a stack trace."""
    if not SHOWN_AS_THEY_ARE.intersection(sys.argv[1:2]):
        # What a server or a model said may be in any sentence: nothing of it may act on the terminal.
        out, err = raw(sys.stdout), raw(sys.stderr)
        if "JOURNAL_STREAM" in os.environ:
            from probatio.cli.journald import journal_stream

            out, err = journal_stream(out), journal_stream(err, errors=True)
        sys.stdout, sys.stderr = VisibleStream(out), VisibleStream(err)
    try:
        code = root.main(prog_name="probatio", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("probatio: interrupted.", err=True)
        sys.exit(3)
    except ProbatioError as error:
        click.echo(f"probatio: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = None
        sys.exit(0)
    except ModuleNotFoundError as error:
        from probatio.extras import EXTRA_OF, missing

        extra = EXTRA_OF.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        click.echo(f"probatio: {missing(extra)}", err=True)
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"probatio: {place}{error.strerror or error}.", err=True)
        sys.exit(3)
