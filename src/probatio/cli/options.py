"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from probatio.errors import Say

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from probatio.store.checked import CheckedAnswers

Command = TypeVar("Command", bound=Callable[..., Any])
Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _completes(what: str, *, listed: bool = False) -> Complete:
    """What a tab offers: the names of a function in completion.py, which is imported only when a shell asks."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from probatio.cli import completion

        return completion.completed(getattr(completion, what), incomplete, ctx, listed=listed)

    return complete


complete_models = _completes("models", listed=True)
complete_contexts = _completes("contexts", listed=True)
complete_dialects = _completes("dialects", listed=True)
complete_tasks = _completes("tasks", listed=True)
complete_categories = _completes("categories", listed=True)
complete_suites = _completes("suites")
complete_runs = _completes("runs")

results = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="The folder of all runs.",
)

results_or_address = click.option(
    "--results",
    default="results",
    show_default=True,
    metavar="PATH|ADDRESS",
    help="The folder of all runs, or an address such as s3://bucket/results (extra `storage`).",
)

sandbox = click.option(
    "--sandbox",
    type=click.Choice(["auto", "bubblewrap", "landlock", "none"]),
    default="auto",
    show_default=True,
    help="The jail in which a model's code runs.",
)

recorded_suite = click.option(
    "--suite",
    type=click.Path(path_type=Path),
    help="The folder of the suite.  [default: the suite that the run recorded]",
)


def listed(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """An option that can be given several times, each time with one or more names separated by commas."""
    return tuple(part.strip() for given in value for part in given.split(",") if part.strip())


models = click.option(
    "--model",
    "models",
    multiple=True,
    callback=listed,
    shell_complete=complete_models,
    help="Model id or glob; also gguf:PATH, openai:NAME, openrouter:NAME.",
)

config = click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="A models.yml.  [default: config/models.yml, else the built-in list]",
)

max_connections = click.option(
    "--max-connections", type=click.IntRange(1), help="Most requests at a time.  [default: 64]"
)

max_cost = click.option(
    "--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="Stop cleanly when this amount is spent."
)


_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


class Length(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """A length of time, in seconds: `90s`, `15m`, `2h`, or a number of seconds."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        parts = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(value))
        if not parts or not float(parts[1]):
            self.fail(f"{value!r} is not a length of time such as 90s, 15m or 2h.", param, ctx)
        return float(parts[1]) * _UNITS[parts[2]]


max_wait = click.option(
    "--max-wait",
    type=Length(),
    metavar="LENGTH",
    help="The longest wait that a server may ask for: 90s, 15m, 2h. Beyond it the model is asked no further.  [default: 10m]",
)

yes = click.option("--yes", "-y", is_flag=True, help="Go on without a question, whatever the run is expected to cost.")

allow_hosts = click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    callback=listed,
    metavar="HOST",
    help="A further host that may get the key of a built-in provider, such as a proxy of your own.",
)


def _workers(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from probatio.workers.choosing import checked_choice

    return checked_choice(value)


workers = click.option(
    "--workers",
    metavar="N|ray",
    callback=_workers,
    help="How many processes work side by side; or the machines of a Ray cluster: `ray`, `ray://HOST:10001`.  "
    "[default: one process per core]",
)

fresh = click.option(
    "--fresh", is_flag=True, help="Check every answer again, and compare with what the cache of checked answers says."
)


def check_with(workers: str | None, say: Say, *, fresh: bool = False) -> CheckedAnswers | None:
    """Let these workers make the checks of this command, `fresh` ones where the user wants no other. Gives the cache."""
    from probatio.store.checked import checked_answers
    from probatio.workers.choosing import use

    use(workers, say)
    kept = checked_answers()
    if kept is not None:
        kept.say = say
        kept.share = 1.0 if fresh else kept.share
    return kept


def limits(command: Command) -> Command:
    """The options that a run of trials and a day share beside what is asked: how fast, and how far money goes."""
    for option in reversed((max_connections, max_cost, max_wait)):
        command = option(command)
    return command


def note(as_json: bool) -> Say:
    """Where a remark before the run starts goes: to stderr with --json, so that its output stays what a script expects."""
    return lambda sentence: click.echo(sentence, err=as_json)
