"""`probatio study export` and `study pack`: runs for other tools, and runs packed small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from probatio.cli import options
from probatio.core.errors import UsageError


@click.command()
@click.argument("run", required=False, shell_complete=options.complete_runs)
@options.results
@options.recorded_suite
@options.path_option("--inspect", "Logs of Inspect.", only="folder", metavar="DIR")
@options.path_option("--junit", "JUnit XML, for a CI server.", only="file", metavar="FILE.xml")
@options.path_option(
    "--lm-eval", "Results and samples as lm-evaluation-harness writes them.", only="folder", metavar="DIR"
)
@options.path_option(
    "--harbor", "Tasks of a suite as task folders of Harbor; needs no RUN.", only="folder", metavar="DIR"
)
@options.names_option(
    "--task", "tasks", "With --harbor: task id or glob.  [default: all]", complete=options.complete_tasks
)
@click.option(
    "--context",
    shell_complete=options.complete_contexts,
    help="With --harbor: what the instruction tells of the language.  [default: the most]",
)
@options.value_option("--n-shot", click.IntRange(0), 0, "With --harbor: examples in the instruction.")
@click.option("--dialect", help="With --harbor: the words of the language.  [default: the first]")
@options.as_json
def export(
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

    The page docs/export.md says what becomes what.

    \b
    Examples:
      probatio study export 2026-01-05T20-27-27 --inspect logs      then: inspect view --log-dir logs
      probatio study export 2026-01-05T20-27-27 --junit report.xml
      probatio study export 2026-01-05T20-27-27 --lm-eval lm-eval
      probatio study export --harbor harbor-tasks --suite strues --task 'sum_*'
    """
    if harbor is None and (inspect, junit, lm_eval) == (None, None, None):
        raise UsageError(
            "Say what to write: --inspect DIR, --junit FILE.xml, --lm-eval DIR, or --harbor DIR."
        )
    written: dict[str, Any] = {"event": "export"}
    if harbor is not None:
        from probatio.authoring.harbor.write import write_harbor
        from probatio.core.text.names import pick
        from probatio.suites.language_suite import load_suite

        if run is not None:
            raise UsageError(
                "--harbor writes tasks of a suite, not a run: name it with --suite, and leave RUN out."
            )
        loaded = load_suite(suite)
        chosen = pick("task", tasks or ("*",), list(loaded.tasks), f"in the suite {loaded.name}")
        done = write_harbor(loaded, chosen, harbor, context, n_shot, dialect)
        folders = [path.name for path in done.folders]
        written["harbor"] = {"folder": str(harbor), "tasks": folders, "left_out": done.left_out}
    if inspect or junit or lm_eval:
        from probatio.learn.exports.conditions import find_suite, open_run
        from probatio.learn.exports.inspect_log import write_inspect
        from probatio.learn.exports.junit import write_junit
        from probatio.learn.exports.lm_eval import write_lm_eval

        if run is None:
            raise UsageError("Say which run: probatio study export RUN …. The folder results lists them.")
        read = open_run(run, results)
        known = find_suite(read, suite, options.warn)
        written["run"] = read.record.run_id
        if inspect is not None:
            logs = [str(path) for path in write_inspect(read, known, inspect)]
            written["inspect"] = {"folder": str(inspect), "logs": logs}
        if junit is not None:
            written["junit"] = {"file": str(junit), **write_junit(read, junit)}
        if lm_eval is not None:
            files = [str(path) for path in write_lm_eval(read, known, lm_eval)]
            written["lm_eval"] = {"folder": str(lm_eval), "results": files}
    if as_json:
        options.print_json(written)
    else:
        _show(written)


def _show(written: dict[str, Any]) -> None:
    if done := written.get("inspect"):
        click.echo(
            f"Inspect: {len(done['logs'])} logs. Look at them with: inspect view --log-dir {done['folder']}"
        )
    if done := written.get("junit"):
        counts = ", ".join(f"{done[name]} {name}" for name in ("tests", "failures", "errors"))
        click.echo(f"JUnit: {done['file']} ({counts})")
    if done := written.get("lm_eval"):
        click.echo(f"lm-eval: {', '.join(done['results'])}")
    if done := written.get("harbor"):
        click.echo(f"Harbor: {len(done['tasks'])} task folders in {done['folder']}")
        if done["left_out"]:
            click.echo(
                f"Left out: {len(done['left_out'])} tasks whose answer is not a program "
                f"(such as {done['left_out'][0]}): an agent could run the program instead of reading it."
            )


@click.command()
@click.argument("run", shell_complete=options.complete_runs)
@click.option(
    "--unpack", is_flag=True, help="Write the JSON lines again, byte for byte, in place of the packed files."
)
@click.option("--keep", is_flag=True, help="Keep the JSON lines next to the packed files.")
@options.results
@options.as_json
def pack(run: str, unpack: bool, keep: bool, results: Path, as_json: bool) -> None:
    """Pack the answers and grades of a closed run (`.jsonl.zst`). Every command reads them as before.

    Nothing is lost: before the JSON lines are removed, every byte is read back from the packed files and
    compared. --unpack puts them back. A packed run is not resumed; unpack it first.

    \b
    Examples:
      probatio study pack 2026-01-05T20-27-27
      probatio study pack 2026-01-05T20-27-27 --unpack
    """
    from probatio.runs.record import find_run
    from probatio.runs.store.address import is_address
    from probatio.runs.store.packed import pack_run, unpack_run

    if is_address(run):
        raise UsageError("A run is packed on a disk: copy it here, pack it, and copy it back.")
    if unpack and keep:
        raise UsageError("--keep is for packing; with --unpack it says nothing.")
    folder = find_run(run, results)
    if unpack:
        files = unpack_run(folder)
        if as_json:
            options.print_event("unpacked", run=str(folder), files=list(map(str, files)))
        else:
            names = ", ".join(file.name for file in files) or "nothing, newer lines are there"
            click.echo(f"Unpacked: {names} in {folder}")
        return
    done = pack_run(folder, keep=keep)
    before, after = sum(each.bytes_before for each in done), sum(each.bytes_after for each in done)
    if as_json:
        options.print_event("packed", run=str(folder), files=done, bytes_before=before, bytes_after=after)
        return
    for each in done:
        click.echo(f"{each.file}: {each.lines} lines, {_size(each.bytes_before)} → {_size(each.bytes_after)}")
    times = "no smaller: few lines are not worth packing"
    if before > after:
        times = f"{before / after:.0f} times smaller"
    click.echo(f"Packed: {folder} ({times}; every byte can be had again with --unpack)")


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
