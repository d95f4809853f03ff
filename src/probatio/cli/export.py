"""`probatio export`: runs and tasks in the formats of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from probatio.cli import options
from probatio.errors import UsageError


@click.command()
@click.argument("run", required=False, shell_complete=options.complete_runs)
@options.results
@options.recorded_suite
@click.option("--inspect", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Logs of Inspect.")
@click.option(
    "--junit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.xml", help="JUnit XML, for a CI server."
)
@click.option(
    "--lm-eval",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Results and samples as lm-evaluation-harness writes them.",
)
@click.option(
    "--harbor",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Tasks of a suite as task folders of Harbor; needs no RUN.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    callback=options.listed,
    shell_complete=options.complete_tasks,
    help="With --harbor: task id or glob.  [default: all]",
)
@click.option(
    "--context",
    shell_complete=options.complete_contexts,
    help="With --harbor: what the instruction tells of the language.  [default: the most]",
)
@click.option(
    "--n-shot",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="With --harbor: examples in the instruction.",
)
@click.option("--dialect", help="With --harbor: the words of the language.  [default: the first]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    run: str | None,
    results: Path,
    suite: Path | None,
    inspect: Path | None,
    junit: Path | None,
    lm_eval: Path | None,
    harbor: Path | None,
    tasks: tuple[str, ...],
    context: str | None,
    n_shot: int,
    dialect: str | None,
    as_json: bool,
) -> None:
    """Write a run for other tools: Inspect, CI servers, lm-evaluation-harness. Or write tasks for Harbor.

    The page docs/interchange.md tells what becomes what.

    \b
    Examples:
      probatio export 2026-01-05T20-27-27 --inspect logs      then: inspect view --log-dir logs
      probatio export 2026-01-05T20-27-27 --junit report.xml
      probatio export 2026-01-05T20-27-27 --lm-eval lm-eval
      probatio export --harbor harbor-tasks --suite strues --task 'sum_*'
    """
    if harbor is None and (inspect, junit, lm_eval) == (None, None, None):
        raise UsageError("Say what to write: --inspect DIR, --junit FILE.xml, --lm-eval DIR, or --harbor DIR.")
    written: dict[str, Any] = {"event": "export"}
    if harbor is not None:
        written["harbor"] = _harbor(harbor, run, suite, tasks, context, n_shot, dialect)
    if inspect or junit or lm_eval:
        if run is None:
            raise UsageError("Say which run: probatio export RUN …. `probatio study` and the folder results list them.")
        written |= _run(run, results, suite, inspect, junit, lm_eval)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(written).decode())
        return
    _tell(written)


def _run(
    run: str, results: Path, suite: Path | None, inspect: Path | None, junit: Path | None, lm_eval: Path | None
) -> dict[str, Any]:
    from probatio.interchange.conditions import open_run, suite_of

    read = open_run(run, results)
    known = suite_of(read.record, suite)
    written: dict[str, Any] = {"run": read.record.run_id}
    if inspect is not None:
        from probatio.interchange.inspect_log import write_inspect

        written["inspect"] = {
            "folder": str(inspect),
            "logs": [str(path) for path in write_inspect(read, known, inspect)],
        }
    if junit is not None:
        from probatio.interchange.junit import write_junit

        written["junit"] = {"file": str(junit), **write_junit(read, junit)}
    if lm_eval is not None:
        from probatio.interchange.lm_eval import write_lm_eval

        written["lm_eval"] = {
            "folder": str(lm_eval),
            "results": [str(path) for path in write_lm_eval(read, known, lm_eval)],
        }
    return written


def _harbor(
    target: Path,
    run: str | None,
    suite: Path | None,
    tasks: tuple[str, ...],
    context: str | None,
    n_shot: int,
    dialect: str | None,
) -> dict[str, Any]:
    from probatio.interchange.harbor_write import write_harbor
    from probatio.names import pick, unknown
    from probatio.suite.language_suite import load_suite

    if run is not None:
        raise UsageError("--harbor writes tasks of a suite, not a run: name it with --suite, and leave RUN out.")
    loaded = load_suite(suite)
    chosen = pick("task", tasks, list(loaded.tasks), f"in the suite {loaded.name}") if tasks else tuple(loaded.tasks)
    told = context or list(loaded.contexts)[-1]
    if told not in loaded.contexts:
        raise unknown("context", told, list(loaded.contexts))
    dialects = [*loaded.language.dialects, *loaded.twisted_dialects]
    words = dialect or dialects[0]
    if words not in dialects:
        raise unknown("dialect", words, dialects)
    done = write_harbor(loaded, chosen, target, told, n_shot, words)
    return {"folder": str(target), "tasks": [path.name for path in done.folders], "left_out": list(done.left_out)}


def _tell(written: dict[str, Any]) -> None:
    if told := written.get("inspect"):
        click.echo(f"Inspect: {len(told['logs'])} logs. Look at them with: inspect view --log-dir {told['folder']}")
    if told := written.get("junit"):
        counts = ", ".join(f"{told[name]} {name}" for name in ("tests", "failures", "errors"))
        click.echo(f"JUnit: {told['file']} ({counts})")
    if told := written.get("lm_eval"):
        click.echo(f"lm-eval: {', '.join(told['results'])}")
    if told := written.get("harbor"):
        click.echo(f"Harbor: {len(told['tasks'])} task folders in {told['folder']}")
        if told["left_out"]:
            click.echo(
                f"Left out: {len(told['left_out'])} tasks whose answer is not a program "
                f"(such as {told['left_out'][0]}): an agent could run the program instead of reading it."
            )
