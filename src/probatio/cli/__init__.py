"""The command line: a thin file or folder per verb, imported only when the verb is used."""

from __future__ import annotations

import os
import sys

import click

from probatio import __version__
from probatio.cli.grammar import CommandEntry, Root
from probatio.core.errors import ProbatioError
from probatio.core.text.visible import VisibleStream, unwrap_stream

QUESTIONS: dict[str, tuple[str, ...]] = {
    "Can a model learn this language?": ("trial", "learn", "grade", "study"),
    "Is the model still what it was?": ("daily", "verdict", "verify"),
    "For both": ("suite", "models", "site", "doctor"),
}
"""What `--help` shows: the verbs, under the question that each serves."""

_TABLE = {
    "trial": ("trial", "Ask models the tasks of a suite and grade the answers."),
    "learn": ("learn", "Find with few questions how many tokens a model needs to learn a language."),
    "grade": ("grade", "Grade stored answers again, without calling a model."),
    "study": ("study", "Analyse runs: pass rates, learning curves, the effect of each factor."),
    "study compare": ("study.compare:compare", "Compare runs, models or contexts, paired by trial."),
    "study baseline": ("study.compare:baseline", "Pin a run or days as a named baseline."),
    "study plan": ("study.compare:plan", "Tell the chance to see a difference, before you spend."),
    "study items": ("study.items", "Show how good the test questions are: difficulty, discrimination."),
    "study export": ("study.export:export", "Write a run for Inspect or CI."),
    "study pack": ("study.export:pack", "Pack a closed run into a tenth of its size; unpack it."),
    "daily": ("daily", "Run the daily suite, once or every day: a score per model and use case."),
    "daily schedule": ("daily.schedule", "Make the files for cron, systemd or GitHub Actions."),
    "daily import": ("daily.commands:import_days", "Take in answers or scores of past days."),
    "daily withdraw": ("daily.withdrawing:withdraw", "Withdraw a day that was recorded by mistake."),
    "daily alerts": ("daily.commands:alerts", "Test the alert channels; send pending alerts."),
    "daily alerts test": ("daily.commands:test_alerts", "Send a test message to every channel."),
    "daily alerts send": ("daily.commands:send_alerts", "Send alerts that are due or that failed before."),
    "daily calibrate": ("daily.commands:calibrate", "Compare the judge's marks with its calibration set."),
    "verdict": ("verdict", "Show for each model whether it got worse, and why."),
    "verdict accept": (
        "verdict.accepting:accept",
        "Accept a model's new level as its usual one; undo that.",
    ),
    "verify": ("verify", "Recompute ledger, grades and verdicts from the raw files."),
    "suite": ("suite", "Write and prove a suite of your own; list the built-in ones."),
    "suite list": ("suite:list_suites", "List the built-in suites."),
    "suite new": ("suite:new", "Write a small working suite, for a language or a watch."),
    "suite check": ("suite:check", "Prove a suite: examples, solutions and wrong answers are run."),
    "suite export": ("suite:export", "Copy a built-in suite to a folder, to change it there."),
    "suite generate": ("suite.fresh:generate", "Write a suite of fresh tasks that no one has seen."),
    "suite vary": ("suite.fresh:vary", "Write the tasks of a suite with other numbers and words."),
    "suite twist": ("suite.fresh:twist", "Write the tasks of a suite with one rule exchanged."),
    "suite trust": ("suite.trust:trust", "Show what a folder of someone else asks for, and allow it."),
    "suite rehearse": ("suite.simulate:rehearse", "Live through simulated days, to test alerts and gates."),
    "suite simulate": ("suite.simulate:simulate", "Simulate false alarms and delays of a suite's verdict."),
    "models": ("models", "List, find and add models; download embedded ones."),
    "models list": ("models:list_models", "List every model and whether it is ready to use."),
    "models find": ("models.catalogue:find", "Search a route's own catalogue for models."),
    "models add": ("models.catalogue:add", "Add models of a catalogue to models.yml."),
    "models pull": ("models:pull", "Download the weights of embedded models."),
    "models path": ("models:path", "Print the path of a model's weights."),
    "models remove": ("models:remove", "Delete the weights of embedded models."),
    "site": ("site", "Serve or build the site; create a demo."),
    "site serve": ("site:serve", "Serve the site, read-only."),
    "site build": ("site:build", "Write the site as files for any web server."),
    "site demo": ("site:demo", "Fill a results folder with simulated models."),
    "doctor": ("doctor", "Show what works on this machine: isolation, keys, models."),
    "help": ("help", "List every command; show a page of the documentation."),
    "completion": ("completion", "Print the script for completion in bash, zsh or fish."),
}
COMMANDS = {name: CommandEntry(*entry) for name, entry in _TABLE.items()}
"""The words that name a command → its place in `cli`, and its line in a listing."""


@click.group(
    cls=Root,
    table=COMMANDS,
    questions=QUESTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`probatio help --all` lists every command, `probatio help PAGE` shows a page of the "
    "documentation.",
)
@click.version_option(__version__, prog_name="probatio", help="Show the version of the software and exit.")
def root() -> None:
    """Measure whether a model can learn a language, and whether a model got worse over time.

    \b
    Examples, without a key:
      probatio trial --limit 20     an embedded model, downloaded once
      probatio daily --dry-run      the plan of today's suite
    """


def main() -> None:
    """Run the command line. A user's mistake ends with one sentence, never with a stack trace."""
    # What a server or a model said may be in any sentence: nothing of it may act on the terminal.
    out, err = unwrap_stream(sys.stdout), unwrap_stream(sys.stderr)
    if "JOURNAL_STREAM" in os.environ:
        from probatio.cli.output import journal_stream

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
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stdout = None
        sys.exit(0)
    except ModuleNotFoundError as error:
        from probatio.core.extras import EXTRA_OF, describe_missing

        extra = EXTRA_OF.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        click.echo(f"probatio: {describe_missing(extra)}", err=True)
        sys.exit(2)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"probatio: {place}{error.strerror or error}.", err=True)
        sys.exit(3)
