"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from probatio.core.errors import Incomplete, Say, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from probatio.grading.checked import CheckedAnswers
    from probatio.runs.consent import Consent

Command = TypeVar("Command", bound=Callable[..., Any])
Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _complete_with(what: str, *, listed: bool = False) -> Complete:
    """Complete with the names that this function of completion.py gives; it is imported when a shell asks."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from probatio.cli import completion

        return completion.offer_names(getattr(completion, what), incomplete, ctx, listed=listed)

    return complete


complete_models = _complete_with("models", listed=True)
complete_contexts = _complete_with("contexts", listed=True)
complete_dialects = _complete_with("dialects", listed=True)
complete_tasks = _complete_with("tasks", listed=True)
complete_categories = _complete_with("categories", listed=True)
complete_suites = _complete_with("suites")
complete_runs = _complete_with("runs")
complete_study = _complete_with("runs_and_commands")


def value_option(
    flag: str, kind: Any, default: object, help: str, **more: Any
) -> Callable[[Command], Command]:
    """An option with a default, which help shows."""
    return click.option(flag, type=kind, default=default, show_default=True, help=help, **more)


def path_option(
    flag: str, help: str, *, only: Literal["file", "folder"] | None = None, **more: Any
) -> Callable[[Command], Command]:
    """An option for a path, as a Path; help shows its default, if it has one."""
    kind = click.Path(path_type=Path, file_okay=only != "folder", dir_okay=only != "file")
    return click.option(flag, type=kind, show_default="default" in more, help=help, **more)


results = path_option("--results", "The folder of all runs.", default=Path("results"))

results_or_address = click.option(
    "--results",
    default="results",
    show_default=True,
    metavar="PATH|ADDRESS",
    help="The folder of all runs, or an address such as s3://bucket/results (extra `storage`).",
)

sandbox = value_option(
    "--sandbox",
    click.Choice(["auto", "bubblewrap", "landlock", "none"]),
    "auto",
    "The jail in which a model's code runs.",
)

daily_suite = path_option(
    "--suite", "A folder with suite.yml, or a file of cases.  [default: the built-in suite]"
)

suite_of_days = path_option(
    "--suite",
    "A folder with suite.yml, or a file of cases; `daily` is the built-in suite.  [default: `daily: suite` "
    "of models.yml, else the suite of the days that are there]",
)

new_series = click.option(
    "--new-series",
    is_flag=True,
    help="Begin a new series with another suite than the days in the results folder are of.",
)

recorded_suite = path_option(
    "--suite", "The folder of the suite.  [default: the suite that the run recorded]"
)


def split_names(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Split names at commas, in an option that can be given several times."""
    return tuple(part.strip() for given in value for part in given.split(",") if part.strip())


def names_option(
    flag: str, name: str, help: str, *, complete: Complete | None = None, metavar: str | None = None
) -> Callable[[Command], Command]:
    """An option for names, given once or several times, each time with one or more names."""
    return click.option(
        flag, name, multiple=True, callback=split_names, shell_complete=complete, help=help, metavar=metavar
    )


def _split_numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    if value is None:
        return None
    try:
        numbers = tuple(int(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers such as 0,1,3,10.") from None
    if any(number < 0 for number in numbers):
        raise click.BadParameter("a number of examples can't be negative.")
    return numbers


n_shots = click.option(
    "--n-shot",
    "n_shots",
    callback=_split_numbers,
    metavar="0,1,3,10",
    help="Numbers of examples in the prompt.",
)

models = names_option(
    "--model",
    "models",
    "Model id or glob; also gguf:PATH, openai:NAME, openrouter:NAME.",
    complete=complete_models,
)

config = path_option("--config", "A models.yml.  [default: config/models.yml, else the built-in list]")

max_connections = click.option(
    "--max-connections", type=click.IntRange(1), help="Most requests at a time.  [default: 64]"
)

max_cost = click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="Stop cleanly when this amount is spent.",
)


class Length(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on only
    """A length of time, in seconds, of more than 0."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from probatio.core.clock import parse_duration

        where = param.opts[0] if param is not None else self.name
        seconds = parse_duration(value, where)
        if not seconds:
            self.fail(f"{where} {value}: a length of time of more than 0.", param, ctx)
        return seconds


max_wait = click.option(
    "--max-wait",
    type=Length(),
    metavar="LENGTH",
    help="The longest wait a server may ask for: 90s, 15m, 2h. After a longer one the model is not asked "
    "again.  [default: 10m]",
)


def yes_to(help: str) -> Callable[[Command], Command]:
    """--yes, of a command that asks."""
    return click.option("--yes", "-y", is_flag=True, help=help)


yes = yes_to("Go on without a question, whatever the run is expected to cost.")

allow_hosts = names_option(
    "--allow-host",
    "allow_hosts",
    "A further host that may get the key of a built-in provider, such as a proxy of your own.",
    metavar="HOST",
)


def _workers(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from probatio.jail.workers.choosing import parse_workers

    return parse_workers(value)


workers = click.option(
    "--workers",
    metavar="N|ray",
    callback=_workers,
    help="How many processes work side by side; or the machines of a Ray cluster: `ray`, "
    "`ray://HOST:10001`.  [default: one process per core]",
)

fresh = click.option(
    "--fresh",
    is_flag=True,
    help="Check every answer again, and compare with what the cache of checked answers says.",
)


def check_with(workers: str | None, say: Say, *, fresh: bool = False) -> CheckedAnswers | None:
    """Let these workers make the checks of this command. Gives the cache of checked answers, or None.

    `fresh`: every answer is checked again.
    """
    from probatio.grading.checked import open_checked
    from probatio.jail.workers.choosing import use

    use(workers, say)
    kept = open_checked()
    kept.say = say
    kept.share = 1.0 if fresh else kept.share
    return kept if kept.path else None


def combine(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one, in the order of help."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


limits = combine(max_connections, max_cost, max_wait)
"""The limits of a run of trials and of a day: speed, cost, waiting."""


as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, on one line.")
as_events = click.option("--json", "as_json", is_flag=True, help="Print one JSON event per line.")


def print_json(value: Any) -> None:
    """Print a JSON value on one line."""
    import msgspec

    click.echo(msgspec.json.encode(value).decode())


def print_event(event: str, record: Any = None, /, **more: Any) -> None:
    """Print an event as JSON on one line: the fields of the record, and more."""
    import msgspec

    print_json({"event": event, **(msgspec.to_builtins(record) or {}), **more})


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns as wide as their longest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def show_counts(what: str) -> Callable[[int, int], None]:
    """Show on a terminal how far the work is (`proofs 12/40`), and wipe it at the end."""
    import sys

    from probatio.core.text.visible import unwrap_stream

    out = unwrap_stream(sys.stderr)
    if not out.isatty():
        return lambda done, total: None

    def show(done: int, total: int) -> None:
        out.write(f"\r{what} {done}/{total}" if done < total else "\r\x1b[K")
        out.flush()

    return show


def say_ahead(results: Path, say: Say) -> tuple[str, ...]:
    """Say which recorded days are later than today. Gives them."""
    from probatio.core.clock import today
    from probatio.runs.store.days import days_ahead, describe_ahead

    if ahead := days_ahead(results, today()):
        say(describe_ahead(ahead, today()))
    return ahead


def say_unknown(results: Path) -> None:
    """Say which suites the records name and this machine does not know: pages do without them."""
    from probatio.core.trust import explain
    from probatio.runs.recorded_suites import find_unknown_suites

    if unknown := find_unknown_suites(results):
        warn(f"{explain(unknown)} Until then, pages do without it.")


def warn(sentence: str) -> None:
    """Print a remark to stderr."""
    click.echo(sentence, err=True)


def confirm_config(config: Path | None, as_json: bool) -> None:
    """Ask on a terminal about each key and address of a models.yml that was found and not named: once per
    value. Elsewhere nothing is asked, and what sends something refuses."""
    from probatio.core.config import LOCAL_CONFIG

    if config is not None or not LOCAL_CONFIG.exists() or not can_ask(as_json):
        return
    from probatio.authoring.trust import project_requests
    from probatio.core.trust import find_unsaid, trust_values

    for request in find_unsaid(project_requests(Path.cwd())):
        if ask(f"{LOCAL_CONFIG} asks to {request}. Do you allow that from now on?"):
            trust_values([request])


def ask(question: str) -> bool:
    """Ask the user at the keyboard: the one place that does."""
    from probatio.core.text.visible import make_question

    return click.confirm(make_question(question))


def name_user(by: str | None) -> str:
    """Who says what the ledger records: as given, else the user of this machine."""
    import getpass

    return (getpass.getuser() if by is None else by).strip()


def can_ask(as_json: bool) -> bool:
    """Whether someone sits at a keyboard."""
    import sys

    return not as_json and sys.stdin.isatty() and sys.stdout.isatty()


def require_yes(yes: bool, as_json: bool, question: str, again: str) -> None:
    """Go on only with the user's word: by --yes, or when asked on a terminal. `again`: the command that says
    it."""
    if yes:
        return
    if not can_ask(as_json):
        raise UsageError(f"Nobody can be asked here, so nothing was changed. To go on: {again}")
    if not ask(question):
        raise Incomplete("Nothing was changed.")


def consent(yes: bool, as_json: bool) -> Consent:
    """How the user agrees to what a run may cost: with --yes, or when asked on a terminal."""
    from probatio.runs.consent import Consent

    ways = "Say --yes to go on, or set a limit with --max-cost."
    return Consent(yes, ways, ask if can_ask(as_json) else None)


def note(as_json: bool) -> Say:
    """Print remarks before a run starts; with --json to stderr, so that a script can parse the output."""
    return lambda sentence: click.echo(sentence, err=as_json)
