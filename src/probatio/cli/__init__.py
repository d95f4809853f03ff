"""The command line: one thin file per command, imported only when it is called."""

from __future__ import annotations

import importlib
import sys

import click

from probatio import __version__
from probatio.errors import ProbatioError

COMMANDS: dict[str, tuple[str, str]] = {
    "trial": ("probatio.cli.trial", "Ask models the tasks of a suite and grade the answers."),
    "grade": ("probatio.cli.grade", "Grade stored answers again, with no call to any model."),
    "study": ("probatio.cli.study", "Study runs: rates, learning curves, what each factor is worth."),
    "compare": ("probatio.cli.compare", "Compare two runs, models or contexts, paired by trial."),
    "daily": ("probatio.cli.daily", "Run the daily suite: a score per model and use case."),
    "verdict": ("probatio.cli.verdict", "Say whether each model is still what it was, and why."),
    "verify": ("probatio.cli.verify", "Recompute ledger, grades and verdicts from the raw files."),
    "judge": ("probatio.cli.judge", "Show how the judge stands against its calibration set."),
    "simulate": ("probatio.cli.simulate", "Measure false alarms and delays of the verdict on synthetic models."),
    "watch": ("probatio.cli.watch", "Run the day every day, for those without cron."),
    "alert": ("probatio.cli.alert", "Test the alert channels."),
    "site": ("probatio.cli.site", "Serve or build the site; fill a demo."),
    "faber": ("probatio.cli.faber", "Check, run, compile or format Faber programs."),
    "models": ("probatio.cli.models", "List the models that can be asked; pull embedded ones."),
    "doctor": ("probatio.cli.doctor", "Show what works here: keys, embedded models, isolation."),
}
"""Command → (module that holds it as `command`, the line `--help` shows for it)."""


class LazyGroup(click.Group):
    """Knows its commands by name and imports one only when it runs: `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="probatio")
def root() -> None:
    """Can a model learn this language, and is it still what it was?

    \b
    Example, with no key and no network at run time:
      probatio trial --limit 20
    """


def main() -> None:
    """Run the command line; a user's mistake ends in one sentence, never in a stack trace."""
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
